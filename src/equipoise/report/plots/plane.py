"""The plane of both failure modes: over-refusal to the right, false approval upwards, good corner bottom left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.report.numbers import Rate
from equipoise.report.plots._svg import (
    RATE_COLUMNS,
    SHAPES,
    Cell,
    Figure,
    frame,
    line,
    marker,
    rate_cells,
    rect,
    row_head,
    text,
    wrapped,
)

_SIDE, _LEFT, _TOP = 440.0, 46.0, 26.0
_RATIOS = (1, 5, 20)
_INSET = 150.0

Boxes = list[tuple[float, float, float, float]]


@dataclass(frozen=True, slots=True)
class Point:
    """A system in the plane.

    Attributes:
        name: as it is printed.
        over_refusal: to the right.
        false_approvals: upwards.
        constant: whether it gives every case the same answer.
        at: where a constant system lies whatever the number of cases, as two fractions; None takes its rates.
    """

    name: str
    over_refusal: Rate
    false_approvals: Rate
    constant: bool = False
    at: tuple[float, float] | None = None


NOTE = (
    "Open diamonds are constant systems, which answer every case alike; one that only asks lies in the good"
    " corner because it answers nothing: read its abstention precision beside it. Dashed lines: equal cost with"
    " refusing everything, when one false approval weighs as much as 1, 5 or 20 over-refusals."
)


def plane(
    key: str,
    points: Sequence[Point],
    *,
    upwards: str = "false approval",
    across: str = "over-refusal",
    note: str = NOTE,
) -> Figure:
    """Draw systems as crosses of two intervals, constant systems as open diamonds, and lines of equal cost.

    A dashed line joins always-Unsupported (100 % over-refusal) with every point that costs the same when one false
    approval weighs as much as r over-refusals, each rate counted in percent; a system under the line costs less than
    refusing everything.

    Args:
        key: identifier on the page.
        points: systems and constant systems.
        upwards: what is drawn upwards.
        across: what is drawn to the right.
        note: a sentence under the table.
    """
    title = f"{across[:1].upper()}{across[1:]} against {upwards}"
    body = _axes(_LEFT, _TOP, _SIDE, 100, upwards, across)
    taken: Boxes = []
    for ratio in _RATIOS:
        body.append(line(_LEFT, _TOP + _SIDE * (1 - 1 / ratio), _LEFT + _SIDE, _TOP + _SIDE, "reference"))
        x, y = _LEFT + 0.52 * _SIDE, _TOP + _SIDE * (1 - 0.48 / ratio) - 5
        body.append(text(x, y, f"1:{ratio}", "tick muted halo"))
        taken.append((x, y - 11, x + 28, y + 2))
    drawn = [point for point in points if point.at or (point.over_refusal.shown and point.false_approvals.shown)]
    drawn.sort(key=lambda point: not point.constant)  # systems on top of constant systems
    systems = [point for point in drawn if not point.constant]
    body += _points(_LEFT, _TOP, _SIDE, 100, drawn, taken)
    worst = max(
        (end for point in systems for end in (point.over_refusal.ends[1], point.false_approvals.ends[1])), default=1
    )
    if systems and worst <= 0.2:
        limit = 10 if worst <= 0.1 else 20
        at = 680 - _INSET - 12
        body.append(text(at, _TOP + 30, f"the corner, 0 to {limit} %", "tick ink"))
        body += _axes(at, _TOP + 44, _INSET, limit, upwards, across)
        inside = [point for point in drawn if max(_place(point)) * 100 <= limit]
        body += _points(at, _TOP + 44, _INSET, limit, inside)
    description = _describe(points, upwards, across)
    return Figure(
        key=key,
        kind="plane",
        title=title,
        description=description,
        svg=frame(key, _TOP + _SIDE + 44, title, description, body),
        head=("system", "measure", *RATE_COLUMNS),
        rows=tuple(
            (
                row_head(point.name, constant=point.constant),
                Cell(measure),
                *rate_cells(value),
            )
            for point in points
            for measure, value in ((across, point.over_refusal), (upwards, point.false_approvals))
        ),
        note=note,
    )


def _place(point: Point) -> tuple[float, float]:
    return point.at or (point.over_refusal.estimate or 0.0, point.false_approvals.estimate or 0.0)


def _axes(left: float, top: float, side: float, limit: int, upwards: str, across: str) -> list[str]:
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
        drawn.append(text(left + side / 2, top + side + 36, f"{across}, %", "label", anchor="middle"))
        drawn.append(text(left - 40, top - 6, f"{upwards}, %", "label"))
    return drawn


def _points(
    left: float, top: float, side: float, limit: int, points: Sequence[Point], taken: Boxes | None = None
) -> list[str]:
    drawn: list[str] = []
    places: list[tuple[str, float, float]] = []
    systems = 0
    for point in points:
        across, up = _place(point)
        x, y = left + side * across * 100 / limit, top + side * (1 - up * 100 / limit)
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
        places.append((point.name, x, y))
    if taken is not None:
        drawn += _names(places, top, left + side, taken)
    return drawn


def _names(places: Sequence[tuple[str, float, float]], top: float, right: float, taken: Boxes) -> list[str]:
    """Names beside their markers; those that would collide are stacked upwards, each with a line to its marker."""
    drawn: list[str] = []
    boxes = [*taken, *((x - 7, y - 7, x + 7, y + 7) for _, x, y in places)]
    for name, x, y in sorted(places, key=lambda place: (-place[2], place[1])):
        words = wrapped(name, 34)
        width, height = max(len(part) for part in words) * 6.4, 13.0 * len(words)
        turned = x + 14 + width > right
        start = x - 14 - width if turned else x + 14
        lower = max(y - 8, top + 26)
        moved = True
        while moved:
            moved = False
            for from_x, from_y, to_x, to_y in boxes:
                if start < to_x and from_x < start + width and lower - height < to_y and from_y < lower + 3:
                    lower, moved = from_y - 3, True
        boxes.append((start, lower - height, start + width, lower + 3))
        anchor, at = ("end", x - 14) if turned else ("start", x + 14)
        drawn.append(line(x, y, at + (2 if turned else -2), lower - 4, "leader"))
        first = lower - 13 * (len(words) - 1)
        drawn += [text(at, first + 13 * index, part, "label halo", anchor=anchor) for index, part in enumerate(words)]
    return drawn


def _describe(points: Sequence[Point], upwards: str, across: str) -> str:
    systems = [point for point in points if not point.constant]
    parts = ["Systems and constant systems in the plane of both error rates; the good corner is at the bottom left."]
    for point in systems:
        halves = []
        for name, value in ((across, point.over_refusal), (upwards, point.false_approvals)):
            estimate, low, high = value.bounds
            counts = f"{value.events} of {value.n}"
            halves.append(f"{name} {counts}, {estimate} % ({low} to {high})" if estimate else f"{name} {counts}")
        parts.append(f"{point.name}: {'; '.join(halves)}.")
    hidden = [
        point.name for point in points if not (point.at or (point.over_refusal.shown and point.false_approvals.shown))
    ]
    parts.append(f"Not drawn for too few cases: {', '.join(hidden)}." if hidden else "All are drawn.")
    return " ".join(parts)
