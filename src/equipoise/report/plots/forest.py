"""Rates as dots with intervals, one row a system or group, in one panel or in two with the same row order."""

from __future__ import annotations

from collections.abc import Sequence

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
    row_head,
    text,
    wrapped,
)

_TOP = 44


def forest(
    key: str, title: str, rows: Sequence[tuple[str, Sequence[Rate], bool]], panels: Sequence[str], *, note: str = ""
) -> Figure:
    """Draw rates with their 95 % intervals on a common axis from 0 to 100 %.

    Args:
        key: identifier on the page.
        title: what is shown.
        rows: (name, one rate a panel, whether it is a constant system), in the order they are drawn.
        panels: names of the panels, one or two.
        note: a sentence under the table.

    Raises:
        ValueError: a row has not one rate a panel, or there are neither one nor two panels.
    """
    if len(panels) not in (1, 2) or any(len(rates) != len(panels) for _, rates, _ in rows):
        message = "a forest has one or two panels and one rate a panel in every row"
        raise ValueError(message)
    left, plot, figures = (200.0, 330.0, 150.0) if len(panels) == 1 else (150.0, 145.0, 120.0)
    # Rows are 26 pixels; 30 where names need two lines, so that the lines of neighbours stay apart.
    height = 30 if any(len(name) > left / 6.2 for name, _, _ in rows) else 26
    bottom = _TOP + height * len(rows)
    body: list[str] = []
    for place, panel in enumerate(panels):
        start = left + place * (plot + figures)
        body.append(text(start, 14, panel, "strong ink"))
        for tick in (0, 25, 50, 75, 100) if len(panels) == 1 else (0, 50, 100):
            x = start + plot * tick / 100
            body.append(line(x, _TOP - 6, x, bottom, "axis" if tick == 0 else "grid"))
            body.append(text(x, _TOP - 12, f"{tick} %" if tick == 100 else str(tick), "tick muted", anchor="middle"))
    for down, (name, rates, constant) in enumerate(rows):
        y = _TOP + (down + 0.5) * height
        words = wrapped(name, int(left / 6.2))
        for index, part in enumerate(words):
            lower = y + 4 - 6 * (len(words) - 1) + 12 * index
            body.append(text(0, lower, part, "label muted" if constant else "label"))
        for place, value in enumerate(rates):
            start = left + place * (plot + figures)
            body += _dot(start, plot, y, value, place, constant=constant)
            estimate, counts = value.halves
            at = start + plot + 12
            if estimate:
                body.append(text(at, y - 1, estimate, "tick ink"))
                body.append(text(at, y + 11, counts + (", few" if value.few else ""), "tick muted"))
            else:
                body.append(text(at, y + 4, counts, "tick ink"))
        body.append(line(0, y + height / 2, 680, y + height / 2, "grid"))
    description = _describe(rows, panels)
    two = len(panels) > 1
    diamonds = "Open diamonds: constant systems." if any(constant for _, _, constant in rows) else ""
    return Figure(
        key=key,
        kind="forest",
        title=title,
        description=description,
        svg=frame(key, bottom + 6, title, description, body),
        head=("name", *(("measure",) if two else ()), *RATE_COLUMNS),
        rows=tuple(
            (
                row_head(name, constant=constant),
                *((Cell(panel),) if two else ()),
                *rate_cells(value),
            )
            for name, rates, constant in rows
            for panel, value in zip(panels, rates, strict=True)
        ),
        note=" ".join(part for part in (diamonds, note) if part),
    )


def _dot(start: float, plot: float, y: float, value: Rate, series: int, *, constant: bool) -> list[str]:
    estimate = value.estimate
    if estimate is None or not value.shown:
        return []
    low, high = (start + plot * end for end in value.ends)
    css = f"series-{series + 1}"
    dashed = " few" if value.few else ""
    drawn = [line(low, y, high, y, f"interval {css}{dashed}")]
    drawn += [line(end, y - 4, end, y + 4, f"cap {css}") for end in (low, high)]
    shape = "diamond" if constant else SHAPES[series]
    drawn.append(marker(start + plot * estimate, y, shape, css, filled=not constant and not value.few))
    return drawn


def _describe(rows: Sequence[tuple[str, Sequence[Rate], bool]], panels: Sequence[str]) -> str:
    parts = [
        f"Rates with intervals in {'one panel' if len(panels) == 1 else 'two panels'}, on an axis from none to all."
    ]
    for name, rates, constant in rows[:6]:
        if constant:
            continue
        for panel, value in zip(panels, rates, strict=True):
            estimate, low, high = value.bounds
            counts = f"{value.events} of {value.n}"
            where = f"{name}, {panel}" if len(panels) > 1 else name
            parts.append(f"{where}: {counts}, {estimate} % ({low} to {high})." if estimate else f"{where}: {counts}.")
    left = sum(value.left_out for _, rates, _ in rows for value in rates)
    if len(rows) > 6:
        parts.append("Further rows are in the table.")
    if not left:
        parts.append("No case is left out.")
    return " ".join(parts)
