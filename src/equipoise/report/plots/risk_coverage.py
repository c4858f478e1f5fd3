"""Risk against coverage: how often a system errs when it answers only what it is most certain of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.report.numbers import Rate, Score
from equipoise.report.plots._svg import (
    RATE_COLUMNS,
    SHAPES,
    Cell,
    Figure,
    frame,
    line,
    marker,
    number,
    rate_cells,
    rect,
    row_head,
    text,
    wrapped,
)

MOST_SYSTEMS = 3
"""Systems in one drawing."""

_LEFT, _TOP, _WIDE, _HIGH = 46.0, 30.0, 400.0, 280.0
_NAMES = _LEFT + _WIDE + 26
_TOPS = (10, 25, 50, 100)
"""Highest risk of the axis, in percent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selective:
    """One system in the drawing.

    Attributes:
        name: as printed.
        coverages: share answered at each distinct certainty, rising; empty for a system that is one point.
        risks: share wrong among these.
        base: wrong when everything is answered.
        half: wrong among the most certain half; None where certainty does not cut near it or there is no line.
        answered: not left to a person, of the replies that say so.
        wrong: wrong among these; together with `answered` the point at which the system works.
        area: area under the generalised curve (AUGRC); None without a line.
        why_no_line: why there is none; empty with one.
    """

    name: str
    coverages: tuple[float, ...]
    risks: tuple[float, ...]
    base: Rate
    half: Rate | None
    answered: Rate
    wrong: Rate
    area: Score | None
    why_no_line: str = ""


def risk_coverage(key: str, systems: Sequence[Selective]) -> Figure:
    """Draw step lines with the operating point of each system and, dashed, its risk when everything is answered.

    A step runs from one distinct certainty to the next: between two of them no other share can be answered. It begins
    where ten replies are answered. The operating point is where the system itself stops answering.

    Args:
        key: identifier on the page.
        systems: one to three.

    Raises:
        ValueError: no system, or more than three.

    References:
        Geifman Y, El-Yaniv R. 2017. doi:10.48550/arXiv.1705.08500 (risk against coverage)
        Traub J et al. 2024. doi:10.48550/arXiv.2407.01032 (AUGRC)
    """
    if not 1 <= len(systems) <= MOST_SYSTEMS:
        message = f"expected one to {MOST_SYSTEMS} systems in a drawing, found {len(systems)}"
        raise ValueError(message)
    title = "Risk against coverage"
    top = _highest(systems)
    body = _axes(top)
    ends = []
    for place, item in enumerate(systems):
        css = f"series-{place + 1}"
        if item.base.shown and item.base.estimate is not None:
            y = _y(item.base.estimate, top)
            body.append(line(_LEFT, y, _LEFT + _WIDE, y, f"base {css}"))
        if item.coverages:
            body.append(f'<path d="{_steps(item, top)}" class="curve dash-{place + 1} {css}"/>')
        ends.append(_end(item, top))
    for place, item in enumerate(systems):
        body += _point(item, place, top)
    body += _names(systems, ends)
    return Figure(
        key=key,
        kind="risk-coverage",
        title=title,
        description=_describe(systems),
        svg=frame(key, _TOP + _HIGH + 44, title, _describe(systems), body),
        head=("system", "measure", *RATE_COLUMNS),
        rows=tuple(row for item in systems for row in _rows(item)),
        note=_note(systems),
    )


def _x(share: float) -> float:
    return _LEFT + _WIDE * share


def _y(share: float, top: int) -> float:
    return _TOP + _HIGH * (1 - min(100 * share / top, 1.0))


def _highest(systems: Sequence[Selective]) -> int:
    risks = [risk for item in systems for risk in item.risks]
    risks += [rate.estimate or 0.0 for item in systems for rate in (item.base, item.wrong) if rate.shown]
    worst = 100 * max(risks, default=1.0)
    return next(top for top in _TOPS if worst <= top)


def _axes(top: int) -> list[str]:
    drawn = [rect(_LEFT, _TOP, _WIDE, _HIGH, "plot-area")]
    for step in range(5):
        x, y = _x(step / 4), _TOP + _HIGH * (1 - step / 4)
        drawn.append(line(x, _TOP, x, _TOP + _HIGH, "grid"))
        drawn.append(line(_LEFT, y, _LEFT + _WIDE, y, "grid"))
        drawn.append(text(x, _TOP + _HIGH + 16, f"{25 * step}", "tick muted", anchor="middle"))
        drawn.append(text(_LEFT - 6, y + 4, f"{top * step / 4:g}", "tick muted", anchor="end"))
    drawn.append(line(_LEFT, _TOP, _LEFT, _TOP + _HIGH, "axis"))
    drawn.append(line(_LEFT, _TOP + _HIGH, _LEFT + _WIDE, _TOP + _HIGH, "axis"))
    drawn.append(text(_LEFT + _WIDE / 2, _TOP + _HIGH + 36, "coverage: answered, %", "label", anchor="middle"))
    drawn.append(text(_LEFT - 40, _TOP - 12, "risk: wrong among the answered, %", "label"))
    return drawn


def _steps(item: Selective, top: int) -> str:
    parts = [f"M{number(_x(item.coverages[0]))},{number(_y(item.risks[0], top))}"]
    for coverage, risk in zip(item.coverages[1:], item.risks[1:], strict=True):
        parts.append(f"H{number(_x(coverage))}V{number(_y(risk, top))}")
    return "".join(parts)


def _point(item: Selective, place: int, top: int) -> list[str]:
    """The operating point as a cross of its two intervals; nothing where it rests on fewer than ten replies."""
    if not (item.answered.shown and item.wrong.shown):
        return []
    x, y = _x(item.answered.estimate or 0.0), _y(item.wrong.estimate or 0.0, top)
    few = item.wrong.few or item.answered.few
    css = f"interval series-{place + 1}{' few' if few else ''}"
    low, high = item.wrong.ends
    left, right = item.answered.ends
    return [
        line(x, _y(low, top), x, _y(high, top), css),
        line(_x(left), y, _x(right), y, css),
        marker(x, y, SHAPES[place], f"series-{place + 1}", filled=not few),
    ]


def _end(item: Selective, top: int) -> tuple[float, float]:
    """Where the name of a system is tied to: the end of its line, or its point."""
    if item.coverages:
        return _x(item.coverages[-1]), _y(item.risks[-1], top)
    if item.answered.shown and item.wrong.shown:
        return _x(item.answered.estimate or 0.0), _y(item.wrong.estimate or 0.0, top)
    return _x(1.0), _y(item.base.estimate or 0.0, top)


def _names(systems: Sequence[Selective], ends: Sequence[tuple[float, float]]) -> list[str]:
    """Names right of the drawing, from top to bottom in the order of what they are tied to, apart from each other."""
    drawn: list[str] = []
    free = _TOP
    order = sorted(range(len(systems)), key=lambda place: ends[place][1])
    blocks = [[*wrapped(systems[place].name, 31), _kind(systems[place])] for place in order]
    for index, (place, words) in enumerate(zip(order, blocks, strict=True)):
        rest = sum(13 * len(block) + 10 for block in blocks[index:])
        y = max(free, min(ends[place][1] - 6, _TOP + _HIGH + 10 - rest))
        x = _NAMES + 14
        drawn.append(line(ends[place][0], ends[place][1], _NAMES - 6, y + 6, "leader"))
        drawn.append(marker(_NAMES + 2, y + 6, SHAPES[place], f"series-{place + 1}", filled=True))
        for down, part in enumerate(words):
            css = "tick muted" if down == len(words) - 1 else "label"
            drawn.append(text(x, y + 10 + 13 * down, part, css))
        free = y + 13 * len(words) + 10
    return drawn


def _kind(item: Selective) -> str:
    if item.area is None:
        return "one point: it only abstains or not"
    return "AUGRC not defined" if item.area.estimate is None else f"AUGRC {item.area.estimate:.3f}"


def _rows(item: Selective) -> list[tuple[Cell, ...]]:
    rates = [item.base, *([item.half] if item.half is not None else []), item.answered, item.wrong]
    return [(row_head(item.name), Cell(rate.name), *rate_cells(rate)) for rate in rates]


def _note(systems: Sequence[Selective]) -> str:
    areas = "; ".join(f"{item.name} {item.area.text}" for item in systems if item.area is not None)
    parts = [
        "Marker: where the system itself stops answering, with both intervals. Dashed line: its risk when everything is"
        " answered.",
    ]
    if areas:
        parts.append(
            "The lines begin where ten replies are answered. AUGRC, the area under the curve of wrong among all replies"
            f" against coverage (0 to 1, lower is better; not the area under the line drawn here): {areas}."
        )
    points = [f"{item.name}, as {item.why_no_line}" for item in systems if not item.coverages and item.why_no_line]
    if points:
        parts.append(f"One point and no line: {'; '.join(points)}.")
    return " ".join(parts)


def _describe(systems: Sequence[Selective]) -> str:
    parts = ["Share of wrong labels among what is answered, against the share that is answered."]
    for item in systems:
        told = [f"{rate.name} {_told(rate)}" for rate in (item.base, item.answered, item.wrong)]
        area = f"; AUGRC {item.area.estimate:.3f}" if item.area is not None and item.area.estimate is not None else ""
        parts.append(f"{item.name}: {'; '.join(told)}{area}.")
    hidden = [item.name for item in systems if not (item.answered.shown and item.wrong.shown)]
    parts.append(
        f"Without a marker, for too few answered replies: {', '.join(hidden)}."
        if hidden
        else "Every system has a marker."
    )
    return " ".join(parts)


def _told(rate: Rate) -> str:
    estimate, low, high = rate.bounds
    counts = f"{rate.events} of {rate.n}"
    return f"{counts}, {estimate} % ({low} to {high})" if estimate else counts
