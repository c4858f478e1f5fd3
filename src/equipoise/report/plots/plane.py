"""The plane of both failure modes: over-refusal to the right, false approval upwards, the good corner at the bottom left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.report.numbers import Rate
from equipoise.report.plots._svg import SHAPES, Cell, Figure, frame, line, marker, rect, text, wrapped

_SIDE, _LEFT, _TOP = 440.0, 46.0, 16.0
_RATIOS = (1, 5, 20)
_INSET = 150.0


@dataclass(frozen=True, slots=True)
class Point:
    """A system in the plane.

    Attributes:
        name: as it is printed.
        over_refusal: to the right.
        false_approvals: upwards.
        constant: whether it gives every case the same answer.
    """

    name: str
    over_refusal: Rate
    false_approvals: Rate
    constant: bool = False


def plane(key: str, points: Sequence[Point]) -> Figure:
    """Draw systems as crosses of two intervals, constant systems as open diamonds, and lines of equal cost.

    A dashed line joins always-Unsupported (100 % over-refusal) with every point that costs the same when one false approval weighs
    as much as r over-refusals, each rate counted in percent; a system under the line costs less than refusing everything.

    Args:
        key: identifier on the page.
        points: systems and constant systems.
    """
    title = "Over-refusal against false approval"
    body = _axes(_LEFT, _TOP, _SIDE, 100)
    for ratio in _RATIOS:
        y = _TOP + _SIDE - _SIDE / ratio
        body.append(line(_LEFT, y, _LEFT + _SIDE, _TOP + _SIDE, "reference"))
        body.append(
            text(_LEFT + 6 + (18 if ratio == 1 else 0), y + (16 if ratio == 1 else -4), f"1:{ratio}", "tick muted")
        )
    drawn = [point for point in points if point.over_refusal.shown and point.false_approvals.shown]
    systems = [point for point in drawn if not point.constant]
    body += _points(_LEFT, _TOP, _SIDE, 100, drawn, named=True)
    worst = max(
        (end for point in systems for end in (point.over_refusal.ends[1], point.false_approvals.ends[1])), default=1
    )
    if systems and worst <= 0.2:
        limit = 10 if worst <= 0.1 else 20
        at = 680 - _INSET
        body.append(text(at, _TOP + 30, f"the corner, 0 to {limit} %", "tick ink"))
        body += _axes(at, _TOP + 44, _INSET, limit)
        inside = [
            point for point in drawn if max(_share(point.over_refusal), _share(point.false_approvals)) * 100 <= limit
        ]
        body += _points(at, _TOP + 44, _INSET, limit, inside, named=False)
    description = _describe(points)
    return Figure(
        key=key,
        kind="plane",
        title=title,
        description=description,
        svg=frame(key, _TOP + _SIDE + 44, title, description, body),
        head=(
            "system", "over-refusal: events", "n used", "%", "95 % low", "95 % high", "left out",
            "false approval: events", "n used", "%", "95 % low", "95 % high", "left out",
        ),
        rows=tuple(
            (
                Cell(point.name, head=True, attributes='class="constant"' if point.constant else ""),
                *(cell for value in (point.over_refusal, point.false_approvals) for cell in _cells(value)),
            )
            for point in points
        ),
        note="Open diamonds are systems that give every case the same answer; one that only asks lies in the good corner"
        " because it answers nothing: read its abstention precision beside it. Dashed lines: equal cost with refusing"
        " everything, when one false approval weighs as much as 1, 5 or 20 over-refusals.",
    )  # fmt: skip


def _share(value: Rate) -> float:
    return value.estimate or 0.0


def _cells(value: Rate) -> list[Cell]:
    estimate, low, high = value.bounds
    tag = f'data-rate="{value.key}" data-left-out="{value.left_out}" data-n="{value.n}"'
    shown = Cell(estimate or "n below 10", attributes=tag)
    return [Cell(str(value.events)), Cell(str(value.n)), shown, Cell(low), Cell(high), Cell(str(value.left_out))]


def _axes(left: float, top: float, side: float, limit: int) -> list[str]:
    drawn = [rect(left, top, side, side, "plot-area")]
    for step in range(5 if side > 200 else 3):
        part = step / (4 if side > 200 else 2)
        value = limit * part
        x, y = left + side * part, top + side * (1 - part)
        drawn.append(line(x, top, x, top + side, "grid"))
        drawn.append(line(left, y, left + side, y, "grid"))
        drawn.append(text(x, top + side + 16, f"{value:g}", "tick muted", anchor="middle"))
        drawn.append(text(left - 6, y + 4, f"{value:g}", "tick muted", anchor="end"))
    drawn.append(line(left, top, left, top + side, "axis"))
    drawn.append(line(left, top + side, left + side, top + side, "axis"))
    if side > 200:
        drawn.append(text(left + side / 2, top + side + 36, "over-refusal, %", "label", anchor="middle"))
        drawn.append(text(left + 6, top + 14, "false approval, %", "label"))
    return drawn


def _points(left: float, top: float, side: float, limit: int, points: Sequence[Point], *, named: bool) -> list[str]:
    drawn: list[str] = []
    taken: list[tuple[float, float]] = []
    systems = 0
    for point in points:
        x = left + side * _share(point.over_refusal) * 100 / limit
        y = top + side * (1 - _share(point.false_approvals) * 100 / limit)
        css = "constant" if point.constant else f"series-{systems % 3 + 1}"
        shape = "diamond" if point.constant else SHAPES[systems % 3]
        if not point.constant:
            systems += 1
            ends = [min(end * 100 / limit, 1.0) for end in point.over_refusal.ends]
            low, high = (left + side * end for end in ends)
            dashed = " few" if point.over_refusal.few or point.false_approvals.few else ""
            drawn.append(line(low, y, high, y, f"interval {css}{dashed}"))
            ends = [min(end * 100 / limit, 1.0) for end in point.false_approvals.ends]
            low, high = (top + side * (1 - end) for end in ends)
            drawn.append(line(x, low, x, high, f"interval {css}{dashed}"))
        few = point.over_refusal.few or point.false_approvals.few
        drawn.append(marker(x, y, shape, css, filled=not point.constant and not few))
        if named:
            drawn += _name(point.name, x, y, left + side, taken)
    return drawn


def _name(name: str, x: float, y: float, edge: float, taken: list[tuple[float, float]]) -> list[str]:
    words = wrapped(name, 30)
    width = max(len(part) for part in words) * 6.4
    at_end = x + 12 + width > 676
    start = x - 12 - width if at_end else x + 12
    lower = y - 10
    while any(abs(lower - other) < 15 and start < right + 150 and right < start + width for right, other in taken):
        lower -= 15
    taken.append((start, lower))
    drawn = [line(x, y - 6, x + (-10 if at_end else 10), lower - 4, "leader")] if lower < y - 12 else []
    anchor, at = ("end", x - 12) if at_end else ("start", x + 12)
    return drawn + [text(at, lower + 12 * index, part, "label", anchor=anchor) for index, part in enumerate(words)]


def _describe(points: Sequence[Point]) -> str:
    systems = [point for point in points if not point.constant]
    count = f"{len(systems)} system{'' if len(systems) == 1 else 's'}"
    parts = [f"{count} and {len(points) - len(systems)} constant systems in the plane of both error rates."]
    for point in systems:
        halves = []
        for name, value in (("over-refusal", point.over_refusal), ("false approval", point.false_approvals)):
            estimate, low, high = value.bounds
            counts = f"{value.events} of {value.n}"
            halves.append(f"{name} {counts}, {estimate} % ({low} to {high})" if estimate else f"{name} {counts}")
        parts.append(f"{point.name}: {'; '.join(halves)}.")
    hidden = [point.name for point in points if not (point.over_refusal.shown and point.false_approvals.shown)]
    parts.append(f"Not drawn for too few cases: {', '.join(hidden)}." if hidden else "All are drawn.")
    return " ".join(parts)
