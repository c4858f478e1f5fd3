"""From a raw rate to the corrected one: an open circle, an arrow, a filled circle, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.report.plots._svg import Cell, Figure, frame, line, marker, rect, row_head, text, wrapped

_LEFT, _WIDE, _TOP, _ROW = 200.0, 300.0, 44.0, 36.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """One row.

    Attributes:
        name: system and arm.
        raw: estimate, low and high as fractions.
        n: replies behind the raw rate.
        left_out: replies that could not be read.
        corrected: estimate, low and high; None when the rate is not corrected.
        refused: why it is not; empty when it is.
    """

    name: str
    raw: tuple[float, float, float]
    n: int
    left_out: int
    corrected: tuple[float, float, float] | None
    refused: str = ""


def arrows(key: str, title: str, shifts: Sequence[Shift], *, note: str = "") -> Figure:
    """Draw raw and corrected rates on an axis from 0 to 100; a row that is not corrected is hatched and says why.

    Args:
        key: identifier on the page.
        title: what is shown.
        shifts: the rows in order.
        note: a sentence under the table.
    """
    bottom = _TOP + _ROW * len(shifts)
    body: list[str] = []
    for tick in (0, 25, 50, 75, 100):
        x = _LEFT + _WIDE * tick / 100
        body.append(line(x, _TOP - 6, x, bottom, "axis" if tick == 0 else "grid"))
        body.append(text(x, _TOP - 12, f"{tick} %" if tick == 100 else str(tick), "tick muted", anchor="middle"))
    for place, shift in enumerate(shifts):
        y = _TOP + (place + 0.5) * _ROW
        words = wrapped(shift.name, 31)
        for index, part in enumerate(words):
            body.append(text(0, y + 4 - 6 * (len(words) - 1) + 12 * index, part, "label"))
        body += _row(key, shift, y)
        body.append(line(0, y + _ROW / 2, 680, y + _ROW / 2, "grid"))
    pattern = (
        f'<pattern id="{key}-hatch" width="6" height="6" patternUnits="userSpaceOnUse">'
        '<path d="M-1,7 L7,-1" class="hatch"/></pattern>'
    )
    description = _describe(shifts)
    return Figure(
        key=key,
        kind="estimates",
        title=title,
        description=description,
        svg=frame(key, bottom + 6, title, description, body, defs=pattern),
        head=("system, arm", "n used", "left out", "raw", "95 % low", "95 % high", "corrected", "95 % low", "95 % high",
              "not corrected because"),
        rows=tuple(
            (
                row_head(shift.name),
                Cell(str(shift.n)),
                Cell(str(shift.left_out)),
                *_cells(shift.raw),
                *(_cells(shift.corrected) if shift.corrected else (Cell("-"), Cell("-"), Cell("-"))),
                Cell(shift.refused or "corrected", attributes="data-method"),
            )
            for shift in shifts
        ),
        note=note,
    )  # fmt: skip


def _cells(ends: tuple[float, float, float]) -> tuple[Cell, Cell, Cell]:
    first, second, third = (Cell(f"{100 * end:.1f}") for end in ends)
    return first, second, third


def _at(value: float) -> float:
    return _LEFT + _WIDE * min(1.0, max(0.0, value))


def _interval(ends: tuple[float, float, float], y: float, css: str) -> list[str]:
    low, high = _at(ends[1]), _at(ends[2])
    return [
        line(low, y, high, y, f"interval {css}"),
        *(line(end, y - 4, end, y + 4, f"cap {css}") for end in (low, high)),
    ]


def _row(key: str, shift: Shift, y: float) -> list[str]:
    raw = shift.raw
    if shift.corrected is None:
        drawn = [rect(_LEFT, y - 12, _WIDE, 24, "state-outline", fill=f"{key}-hatch")]
        drawn += _interval(raw, y, "series-1")
        drawn.append(marker(_at(raw[0]), y, "circle", "series-1", filled=False))
        drawn.append(text(_LEFT + _WIDE + 12, y + 4, f"{100 * raw[0]:.1f}, not corrected", "tick ink"))
        return drawn
    above, below = y - 7, y + 7
    drawn = [*_interval(raw, above, "series-1"), *_interval(shift.corrected, below, "series-2")]
    start, end = _at(raw[0]), _at(shift.corrected[0])
    drawn.append(line(start, above, end, below, "leader"))
    drawn.append(marker(start, above, "circle", "series-1", filled=False))
    drawn.append(marker(end, below, "circle", "series-2", filled=True))
    drawn.append(text(_LEFT + _WIDE + 12, y + 4, f"{100 * raw[0]:.1f} to {100 * shift.corrected[0]:.1f}", "tick ink"))
    return drawn


def _describe(shifts: Sequence[Shift]) -> str:
    parts = ["Raw rates as open circles, corrected ones as filled circles below them, each with its interval."]
    for shift in shifts[:6]:
        raw = f"{shift.name}: raw {100 * shift.raw[0]:.1f}"
        if shift.corrected is None:
            parts.append(f"{raw}, not corrected.")
        else:
            parts.append(
                f"{raw}, corrected {100 * shift.corrected[0]:.1f} ({100 * shift.corrected[1]:.1f} to "
                f"{100 * shift.corrected[2]:.1f})."
            )
    if len(shifts) > 6:
        parts.append("Further rows are in the table.")
    return " ".join(parts)
