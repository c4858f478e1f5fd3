"""From two compared runs to the page that shows their paired differences, and to its one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.ids import content_hash
from equipoise.outcomes.compare import ComparedRate, Comparison
from equipoise.report.contexts import Fact
from equipoise.report.measured import p_text, points_text, reason, shown_rate, signed
from equipoise.report.numbers import FEW, FEWEST_FOR_A_RATE, decimals
from equipoise.report.plots import Figure
from equipoise.report.plots._svg import Cell, row_head
from equipoise.report.plots.estimates import MOST_ROWS, Dot, estimates
from equipoise.report.result_contexts import ComparedRow, ComparisonPage
from equipoise.statistics.bounds import Bounds
from equipoise.statistics.estimate import Estimate

NAMES: dict[str, str] = {
    "accuracy": "accuracy",
    "abstention_rate": "abstention",
    "failed_rate": "replies that could not be read",
    "over_refusal_rate": "over-refusal",
    "false_approval_rate": "false approval",
    "harmful_compliance_rate": "harmful compliance",
}
"""How measures are printed; others by their identifier."""

_KEYS = {"false_approval_rate": "false_approvals"}
_P = 0.05

ADJUSTMENTS: dict[str, str] = {"holm": "Holm", "benjamini-hochberg": "Benjamini-Hochberg"}
"""How the p values are adjusted, as printed."""


def measure_name(rate: ComparedRate) -> str:
    """The measure with its stratum, as printed."""
    name = NAMES.get(rate.measure, rate.measure.replace("_", " "))
    return f"{name}, {rate.stratum}" if rate.stratum else name


def finding(rate: ComparedRate, *, margin: float | None = None) -> str:
    """Fewer or more, equivalent within the margin, or cannot be separated.

    Separated means an adjusted p of at most 0.05 and an interval that leaves out zero; equivalent means that the whole
    interval lies within the margin.

    Args:
        rate: a compared measure.
        margin: largest difference that does not matter, as a share; None when none was fixed beforehand.
    """
    low, high = rate.difference.low, rate.difference.high
    if low is None or high is None or rate.p_adjusted is None:
        return "not defined"
    if rate.difference.n_used < FEWEST_FOR_A_RATE:
        return "cannot be separated"
    if margin is not None and -margin < low and high < margin:
        return "equivalent within the margin"
    if rate.p_adjusted <= _P and (low > 0 or high < 0):
        return "more in A" if low > 0 else "fewer in A"
    return "cannot be separated"


def sentence(result: Comparison, *, margin: float | None = None) -> str:
    """The finding of a comparison, computed from its numbers.

    Args:
        result: the comparison.
        margin: largest difference that does not matter, as a share; None when none was fixed beforehand.
    """
    if not result.rates:
        return "No measure can be compared: no reply of both runs has what a measure counts."
    parts: list[str] = []
    alike: list[str] = []
    equal: list[str] = []
    without: list[str] = []
    for rate in result.rates:
        name, found = measure_name(rate), finding(rate, margin=margin)
        if found in ("more in A", "fewer in A"):
            word = "more" if found == "more in A" else "less"
            if rate.measure == "failed_rate":
                word = "more" if found == "more in A" else "fewer"
            if rate.measure == "accuracy":
                word = "higher" if found == "more in A" else "lower"
            parts.append(
                f"A has {word} {name} than B (difference {points_text(rate.difference)}, "
                f"adjusted p {p_text(rate.p_adjusted)})"
            )
        elif found == "not defined":
            without.append(name)
        else:
            (equal if found.startswith("equivalent") else alike).append(f"{name} ({points_text(rate.difference)})")
    if equal:
        parts.append(f"A and B are equivalent within {100 * (margin or 0):g} points in {_and(equal)}")
    if alike:
        parts.append(f"A and B cannot be separated in {_and(alike)}")
    if without:
        parts.append(f"no difference is defined for {_and(without)}")
    return "; ".join(parts) + "."


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def bounds_text(bounds: Bounds) -> str:
    """Worst and best rate over all replies, as percentages; says so when every reply was read.

    Args:
        bounds: bounds of a rate.
    """
    if bounds.low is None or bounds.high is None:
        return "not defined"
    n = bounds.rate.n_used + bounds.rate.n_left_out
    if not bounds.rate.n_left_out:
        return f"every one of {n} was read"
    places = decimals(n)
    return (
        f"{100 * bounds.low:.{places}f} to {100 * bounds.high:.{places}f} %, {bounds.rate.n_left_out} of {n} not read"
    )


def compared_row(rate: ComparedRate, *, margin: float | None = None) -> ComparedRow:
    """A measure as a row.

    Args:
        rate: a compared measure.
        margin: see `finding`.
    """
    key = _KEYS.get(rate.measure, rate.measure)
    return ComparedRow(
        name=measure_name(rate),
        first=shown_rate(key, rate.first),
        second=shown_rate(key, rate.second),
        difference=points_text(rate.difference),
        first_only=rate.first_only,
        second_only=rate.second_only,
        pairs=rate.difference.n_used,
        pairs_left_out=rate.difference.n_left_out,
        p=p_text(rate.test.p_value),
        p_adjusted=p_text(rate.p_adjusted),
        test=rate.test.method,
        finding=_as_printed(rate.measure, finding(rate, margin=margin)),
        first_bounds=_bounds_of(rate, rate.first_bounds),
        second_bounds=_bounds_of(rate, rate.second_bounds),
        interval=rate.difference.method,
    )


def _as_printed(measure: str, found: str) -> str:
    """A finding in the words of its measure: accuracy is higher or lower."""
    words = {"more in A": "higher in A", "fewer in A": "lower in A"}
    return words.get(found, found) if measure == "accuracy" else found


def _bounds_of(rate: ComparedRate, bounds: Bounds) -> str:
    """The bounds of a measure; the share that could not be read has none."""
    return "does not apply" if rate.measure == "failed_rate" else bounds_text(bounds)


def comparison_page(result: Comparison, *, margin: float | None = None) -> ComparisonPage:
    """The page of two runs.

    Args:
        result: the comparison.
        margin: largest difference that does not matter, as a share, fixed beforehand; drawn as a grey band.
    """
    from equipoise._version import __version__

    notes: dict[str, list[str]] = {}
    for rate in (*result.rates, *result.by_stratum):
        for item in (rate.first, rate.second, rate.difference, rate.test):
            for text in item.warnings:
                if measure_name(rate) not in notes.setdefault(text, []):
                    notes[text].append(measure_name(rate))
    methods = [
        Fact("level", "95 % intervals"),
        Fact("p values of the measures", f"adjusted by {ADJUSTMENTS[result.adjustment]}"),
        Fact("p values by stratum", "a screen, adjusted by Benjamini-Hochberg"),
        Fact("drawn together", result.cluster or "replies to one item"),
        Fact("margin", "none fixed beforehand" if margin is None else f"{100 * margin:g} points"),
        Fact("replies of A without counterpart", str(result.unpaired["first"])),
        Fact("replies of B without counterpart", str(result.unpaired["second"])),
        Fact("seed", str(result.seed)),
        Fact("equipoise", __version__),
    ]
    return ComparisonPage(
        title=f"{result.first['system']} and {result.second['system']}, compared",
        sentence=sentence(result, margin=margin),
        head=(
            Fact("A", f"{result.first['system']}, run {result.first['run']}"),
            Fact("B", f"{result.second['system']}, run {result.second['run']}"),
        ),
        report_id=content_hash({"comparison": result.to_dict(), "margin": margin}),
        cautions=(
            *(f"allowed although unlike: {text}" for text in result.unlike),
            *(f"what may be compared here: {text}" for text in result.differs),
        ),
        differences=_differences("differences", "Paired differences, A less B", result.rates, margin),
        rates=_rates("both", "Rates in A and in B", result.rates),
        rows=tuple(compared_row(rate, margin=margin) for rate in result.rates),
        strata_figure=_differences(
            "strata-differences", "Paired differences by stratum, A less B", result.by_stratum, margin
        ),
        strata=tuple(compared_row(rate, margin=margin) for rate in result.by_stratum),
        notes=tuple(f"{text} ({_and(names)})" for text, names in notes.items()),
        methods=tuple(methods),
    )


def _differences(key: str, title: str, rates: Sequence[ComparedRate], margin: float | None) -> Figure | None:
    if not rates:
        return None
    rows, dots = [], []
    for rate in rates:
        name, item = measure_name(rate), rate.difference
        middle, low, high = _points(item)
        rows.append(
            [
                row_head(name),
                Cell(middle),
                Cell(low),
                Cell(high),
                Cell(str(rate.first_only)),
                Cell(str(rate.second_only)),
                Cell(str(item.n_used)),
                Cell(str(item.n_left_out)),
                Cell(p_text(rate.p_adjusted)),
            ]
        )
        words = (
            f"{middle} ({low} to {high})" if low else middle,
            f"only A {rate.first_only}, only B {rate.second_only}",
        )
        shown = bool(low)
        dots.append(
            Dot(
                name=name,
                estimate=_hundred(item.estimate) if shown else None,
                low=_hundred(item.low) if shown else None,
                high=_hundred(item.high) if shown else None,
                band=None if margin is None else (-100 * margin, 100 * margin),
                few=item.n_used < FEW,
                words=words,
            )
        )
    note = "One line of no difference; right of it the event is more frequent in A."
    if margin is not None:
        note += f" Grey band: the margin of {100 * margin:g} points fixed beforehand."
    return estimates(
        key,
        title,
        dots[:MOST_ROWS],
        ("measure", "points", "95 % low", "95 % high", "A only", "B only", "pairs used", "left out", "adjusted p"),
        rows,
        what="Differences of A less B in points with their intervals, around a line of no difference.",
        unit="points",
        zero=True,
        note=note + (f" Rows after the first {MOST_ROWS} are in the table only." if len(dots) > MOST_ROWS else ""),
    )


def _rates(key: str, title: str, rates: Sequence[ComparedRate]) -> Figure | None:
    rows, dots = [], []
    for rate in rates:
        for letter, item, bounds in (("A", rate.first, rate.first_bounds), ("B", rate.second, rate.second_bounds)):
            name = f"{letter}: {measure_name(rate)}"
            events = None if item.estimate is None else round(item.estimate * item.n_used)
            places = 1 if events in (0, item.n_used) else decimals(item.n_used)
            shown = item.estimate is not None and item.low is not None and item.n_used >= FEWEST_FOR_A_RATE
            middle, low, high = (
                f"{100 * value:.{places}f}" if shown and value is not None else ""
                for value in (item.estimate, item.low, item.high)
            )
            outer = None
            if bounds.rate.n_left_out and bounds.low is not None and bounds.high is not None:
                outer = (100 * bounds.low, 100 * bounds.high)
            worst, best = (f"{value:.{places}f}" for value in outer) if outer else ("-", "-")
            cells = (
                "-" if events is None else str(events),
                str(item.n_used),
                middle or "-",
                low,
                high,
                str(item.n_left_out),
                worst,
                best,
            )
            rows.append([row_head(name), *map(Cell, cells)])
            dots.append(
                Dot(
                    name=name,
                    estimate=_hundred(item.estimate) if shown else None,
                    low=_hundred(item.low) if shown else None,
                    high=_hundred(item.high) if shown else None,
                    outer=outer,
                    few=item.n_used < FEW,
                    words=(
                        f"{middle} ({low} to {high})" if shown else "no rate",
                        ("no reply" if events is None else f"{events} of {item.n_used}")
                        + (f", {item.n_left_out} left out" if item.n_left_out else ""),
                    ),
                )
            )
    if not rows:
        return None
    return estimates(
        key,
        title,
        dots[:MOST_ROWS],
        ("rate", "events", "n used", "%", "95 % low", "95 % high", "left out", "worst %", "best %"),
        rows,
        what="Rates as dots with their intervals, in percent.",
        unit="%",
        whole=(0.0, 100.0),
        note=(
            "Blue line: interval, which is chance. Thin grey line: the rate if every unread reply had shown the event, or "
            "none; these are bounds of ignorance."
        ),
    )


def _hundred(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _points(item: Estimate) -> tuple[str, str, str]:
    if item.estimate is None or item.low is None or item.high is None:
        return reason(item), "", ""
    if item.n_used < FEWEST_FOR_A_RATE:
        return "n below 10", "", ""
    places = decimals(item.n_used)
    middle, low, high = (signed(100 * value, places) for value in (item.estimate, item.low, item.high))
    return middle, low, high
