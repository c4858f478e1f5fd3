"""Estimates as dots with intervals on one axis: beside a published figure, a limit, or a margin around zero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from equipoise.report.plots._svg import Cell, Figure, frame, line, marker, rect, text, wrapped

MOST_ROWS = 32
"""Rows of one drawing; more are split over several."""

_LEFT, _WIDE, _TOP, _ROW = 230.0, 276.0, 34.0, 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One row of the drawing; all numbers in the unit of the axis.

    Attributes:
        name: what the row is; stands in the description.
        label: what is drawn beside the row; the name when empty.
        estimate: the dot; None draws none.
        low: lower end of the interval; None without one.
        high: upper end.
        other: a published figure, drawn as an open diamond above the dot.
        outer: worst and best value for what could not be read, drawn as a thin grey line.
        band: a margin, drawn as a grey band.
        limit: a threshold, drawn as a dashed line.
        few: whether the dot rests on few cases: open, with a dashed interval.
        words: what stands beside it, in one or two lines; used in the description too.
    """

    name: str
    label: str = ""
    estimate: float | None
    low: float | None = None
    high: float | None = None
    other: float | None = None
    outer: tuple[float, float] | None = None
    band: tuple[float, float] | None = None
    limit: float | None = None
    few: bool = False
    words: tuple[str, ...] = ()

    def values(self) -> list[float]:
        """Every number that has to lie on the axis."""
        found = [self.estimate, self.low, self.high, self.other, self.limit, *(self.outer or ()), *(self.band or ())]
        return [value for value in found if value is not None]


def axis(low: float, high: float, *, most: int = 6) -> list[float]:
    """Round values from at or below `low` to at or above `high`, at most about `most` steps.

    Args:
        low: smallest value.
        high: largest value.
        most: most steps wanted.
    """
    span = (high - low) or abs(high) or 1.0
    unit = 10.0 ** math.floor(math.log10(span / most))
    step = next(unit * factor for factor in (1, 2, 5, 10) if span / (unit * factor) <= most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * place, 12) for place in range(first, max(last, first + 1) + 1)]


def estimates(
    key: str,
    title: str,
    dots: Sequence[Dot],
    head: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    what: str,
    unit: str = "",
    zero: bool = False,
    whole: tuple[float, float] | None = None,
    note: str = "",
) -> Figure:
    """Draw estimates with their intervals.

    Args:
        key: identifier on the page.
        title: what is shown.
        dots: the rows that are drawn, in order, at most `MOST_ROWS`.
        head: heads of the table.
        rows: rows of the table; it holds at least every number of the dots' words.
        what: a sentence that says what the marks are; begins the description.
        unit: what stands behind the last tick.
        zero: whether a line of no difference is drawn.
        whole: the axis, when it is not made from the numbers.
        note: a sentence under the table.

    Raises:
        ValueError: there are no rows, or too many.
    """
    if not 1 <= len(dots) <= MOST_ROWS:
        message = f"a drawing has 1 to {MOST_ROWS} rows, found {len(dots)}"
        raise ValueError(message)
    values = [value for dot in dots for value in dot.values()] + ([0.0] if zero else [])
    marks = axis(*whole) if whole else axis(min(values, default=0.0), max(values, default=1.0))
    low, high = marks[0], marks[-1]

    def at(value: float) -> float:
        return _LEFT + _WIDE * (value - low) / (high - low)

    bottom = _TOP + _ROW * len(dots)
    body: list[str] = []
    for place, dot in enumerate(dots):
        if dot.band is not None:
            body.append(
                rect(at(dot.band[0]), _TOP + place * _ROW, at(dot.band[1]) - at(dot.band[0]), _ROW, "margin-band")
            )
    places = max(0, -math.floor(math.log10(min(after - before for before, after in pairwise(marks))) + 1e-9))
    for mark in marks:
        words = f"{mark:.{places}f}" + (f" {unit}" if unit and mark == high else "")
        body.append(line(at(mark), _TOP - 6, at(mark), bottom, "grid"))
        body.append(text(at(mark), _TOP - 12, words, "tick muted", anchor="middle"))
    if zero and low <= 0 <= high:
        body.append(line(at(0), _TOP - 6, at(0), bottom, "reference"))
    for place, dot in enumerate(dots):
        y = _TOP + (place + 0.5) * _ROW
        parts = wrapped(dot.label or dot.name, int(_LEFT / 6.4))
        for index, part in enumerate(parts):
            label = text(0, y + 4 - 6 * (len(parts) - 1) + 12 * index, part, "label")
            body.append(label.replace("<text ", "<text data-quote ", 1))
        body += _drawn(dot, y, at)
        for index, words in enumerate(dot.words[:2]):
            lower = y + 4 - 6 * (len(dot.words[:2]) - 1) + 12 * index
            body.append(text(_LEFT + _WIDE + 12, lower, words, "tick muted" if index else "tick ink"))
        body.append(line(0, y + _ROW / 2, 680, y + _ROW / 2, "grid"))
    parts = [what, *(f"{dot.name}: {', '.join(dot.words)}." for dot in dots[:6])]
    if len(dots) > 6:
        parts.append("Further rows are in the table.")
    description = " ".join(parts)
    return Figure(
        key=key,
        kind="estimates",
        title=title,
        description=description,
        svg=frame(key, bottom + 6, title, description, body),
        head=tuple(head),
        rows=tuple(tuple(row) for row in rows),
        note=note,
    )


def _drawn(dot: Dot, y: float, at: object) -> list[str]:
    assert callable(at)
    drawn: list[str] = []
    ours = y + 5 if dot.other is not None else y
    if dot.limit is not None:
        drawn.append(line(at(dot.limit), y - 13, at(dot.limit), y + 13, "reference"))
    if dot.outer is not None:
        drawn.append(line(at(dot.outer[0]), ours, at(dot.outer[1]), ours, "leader"))
        drawn += [line(at(end), ours - 3, at(end), ours + 3, "leader") for end in dot.outer]
    if dot.low is not None and dot.high is not None:
        drawn.append(line(at(dot.low), ours, at(dot.high), ours, f"interval series-1{' few' if dot.few else ''}"))
        drawn += [line(at(end), ours - 4, at(end), ours + 4, "cap series-1") for end in (dot.low, dot.high)]
    if dot.other is not None:
        drawn.append(marker(at(dot.other), y - 7, "diamond", "series-2", filled=False))
    if dot.estimate is not None:
        drawn.append(marker(at(dot.estimate), ours, "circle", "series-1", filled=not dot.few))
    return drawn
