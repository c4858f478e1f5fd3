"""Cells and drawings of the red-team page from measures as plain values, which is how an audit keeps them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from equipoise.report.measured import p_text, points_text, rate_text, signed
from equipoise.report.numbers import FEW, FEWEST_FOR_A_RATE, Rate, decimals
from equipoise.report.plots import Figure
from equipoise.report.plots._svg import Cell, row_head
from equipoise.report.plots.estimates import MOST_ROWS, Dot, estimates
from equipoise.report.redteam_contexts import TableCell
from equipoise.statistics.estimate import Estimate

Values = Mapping[str, Any]

_NAMES = ("estimate", "low", "high", "method", "n_used")


def is_estimate(value: Any) -> bool:
    """Whether a value is an estimate in its plain form."""
    return isinstance(value, Mapping) and all(name in value for name in _NAMES)


def is_rate(value: Any) -> bool:
    """Whether a value is a rate of the stress tests in its plain form: counts, bounds, and an estimate."""
    return (
        isinstance(value, Mapping) and {"events", "out_of", "estimate"} <= set(value) and is_estimate(value["estimate"])
    )


def estimate_of(value: Values) -> Estimate:
    """The estimate of a plain value, or of a rate's."""
    own = value["estimate"] if is_rate(value) else value
    return Estimate(
        estimate=own["estimate"],
        low=own["low"],
        high=own["high"],
        method=own["method"],
        n_used=own["n_used"],
        n_left_out=own.get("n_left_out") or 0,
        why_left_out=own.get("why_left_out") or "",
    )


def text(value: Any) -> TableCell:
    """Words of ours."""
    return TableCell(str(value))


def quote(value: Any) -> TableCell:
    """Words from outside: a name of a gate, operator, system or item."""
    return TableCell(str(value), "quote")


def rate(key: str, value: Values | None) -> TableCell:
    """A rate with its interval and counts; what was not measured says so."""
    if value is None:
        return TableCell("not measured")
    estimate = estimate_of(value)
    return TableCell(rate_text(estimate), "rate", key, estimate.n_used, estimate.n_left_out)


def points(value: Values | None) -> TableCell:
    """A difference of two shares in points."""
    if value is None:
        return TableCell("not measured")
    estimate = estimate_of(value)
    return TableCell(f"{points_text(estimate)}, {estimate.n_used} pairs", "method")


def bounds(value: Values) -> TableCell:
    """The range of a rate if what could not be read had all, or none, shown the event."""
    left = value.get("failed") or 0
    if not left or value.get("lowest") is None:
        return TableCell("all were read", "method")
    low, high = 100 * value["lowest"], 100 * value["highest"]
    return TableCell(f"{low:.0f} to {high:.0f} %, {left} not known", "method")


def p_value(value: float | None) -> TableCell:
    """A p value."""
    return TableCell(p_text(value))


def drawn(key: str, name: str, value: Values, *, complement: bool = False) -> Rate:
    """A rate as the drawings take it.

    Args:
        key: machine name.
        name: as it is printed.
        value: the rate or estimate.
        complement: whether what is drawn is the share that does not show the event.
    """
    estimate = estimate_of(value)
    n = estimate.n_used
    if estimate.estimate is None:
        return Rate(key, name, 0, 0, 0.0, 1.0, estimate.method, estimate.n_left_out)
    events = round(estimate.estimate * n)
    low, high = (0.0 if estimate.low is None else estimate.low), (1.0 if estimate.high is None else estimate.high)
    if complement:
        events, low, high = n - events, 1 - high, 1 - low
    method = estimate.method.replace("95%", "95 %")
    return Rate(key, name, events, n, low, high, method, estimate.n_left_out)


def difference_figures(
    key: str, title: str, rows: Sequence[tuple[str, Values, str]], *, what: str, note: str = ""
) -> tuple[Figure, ...]:
    """Differences in points as dots around a line of no difference, one or more drawings.

    Args:
        key: identifier on the page.
        title: what is shown.
        rows: name from outside, the difference, and a word that stands beside it (a p value); a row without a difference has no dot.
        what: what the marks are.
        note: a sentence under the table.
    """
    figures = []
    for number, place in enumerate(range(0, len(rows), MOST_ROWS), start=1):
        part = rows[place : place + MOST_ROWS]
        dots, cells = [], []
        for name, value, word in part:
            estimate = estimate_of(value)
            shown = estimate.estimate is not None and estimate.low is not None and estimate.n_used >= FEWEST_FOR_A_RATE
            numbers = _points(estimate) if shown else None
            words = (f"{numbers[0]} ({numbers[1]} to {numbers[2]})", word) if numbers else ("n below 10", word)
            dots.append(
                Dot(
                    name=name,
                    estimate=100 * (estimate.estimate or 0.0) if shown else None,
                    low=100 * (estimate.low or 0.0) if shown else None,
                    high=100 * (estimate.high or 0.0) if shown else None,
                    few=estimate.n_used < FEW,
                    words=tuple(item for item in words if item),
                )
            )
            own = numbers or ("n below 10", "", "")
            cells.append(
                (
                    row_head(name),
                    *(Cell(item) for item in own),
                    Cell(str(estimate.n_used)),
                    Cell(str(estimate.n_left_out)),
                    Cell(word),
                    Cell(estimate.method, attributes="data-method"),
                )
            )
        more = f", part {number}" if len(rows) > MOST_ROWS else ""
        figures.append(
            estimates(
                key if number == 1 else f"{key}-{number}",
                f"{title}{more}",
                dots,
                ("what", "points", "95 % low", "95 % high", "pairs", "left out", "test", "interval"),
                cells,
                what=what,
                zero=True,
                note=note,
            )
        )
    return tuple(figures)


def _points(estimate: Estimate) -> tuple[str, str, str]:
    places = decimals(estimate.n_used)
    values = (estimate.estimate or 0.0, estimate.low or 0.0, estimate.high or 0.0)
    one, two, three = (signed(100 * value, places) for value in values)
    return one, two, three


def stage_words(operator: str) -> str:
    """Operators of a privacy stage in words: every one but the plain request stands behind the warning.

    Args:
        operator: identifiers with versions, joined by "+"; empty for the plain request.
    """
    plain = "+".join(part.split("@")[0] for part in operator.split("+"))
    parts = [part.removeprefix("privacy.").replace("_", " ") for part in plain.split("+") if part]
    if not parts:
        return "plain request"
    later = [part for part in parts if part != "system warning"]
    return " + ".join(later) if later else "warning alone"


def every_estimate(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Values]]:
    """All rates and estimates of a result with their place in it, in order."""
    if is_rate(value) or is_estimate(value):
        yield " / ".join(path), value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from every_estimate(item, (*path, str(name)))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, item in enumerate(value, start=1):
            name = str(number)
            if isinstance(item, Mapping):
                name = str(
                    next((item[key] for key in ("operator", "gate", "judge", "kind", "stage") if item.get(key)), number)
                )
            yield from every_estimate(item, (*path, name))
