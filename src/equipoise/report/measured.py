"""Results of the statistics as they are printed: rates of any method, differences in points, figures of any unit."""

from __future__ import annotations

from equipoise.outcomes.item_rates import ItemRate
from equipoise.report.numbers import FEW, FEWEST_FOR_A_RATE, Rate, count, decimals, of
from equipoise.report.result_contexts import ShownRate
from equipoise.statistics.estimate import Estimate


def figure_text(value: float | None) -> str:
    """A figure of any unit: four decimals below 10, two above, two digits and a power of ten below 0.0001.

    Args:
        value: the figure; None gives "not defined".
    """
    if value is None:
        return "not defined"
    if value == 0 or abs(value) < 1e-300:
        return "0"
    if float(value).is_integer() and abs(value) >= 1:
        return f"{value:.0f}"
    if abs(value) < 0.0001:
        return f"{value:.1e}"
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.2f}"


def difference_text(value: float | None) -> str:
    """A difference with its sign; what arithmetic on binary fractions leaves behind is 0.

    Args:
        value: ours less published; None gives "-".
    """
    if value is None:
        return "-"
    if abs(value) < 1e-9:
        return "0"
    if abs(value) < 0.00005:
        return f"{value:+.1e}"
    return f"{value:+.4f}" if abs(value) < 10 else f"{value:+.2f}"


def p_text(value: float | None) -> str:
    """A p value: three decimals, two digits and a power of ten below 0.001.

    Args:
        value: the p value; None gives "not defined".
    """
    if value is None:
        return "not defined"
    return f"{value:.1e}" if 0 < value < 0.001 else f"{value:.3f}"


def reason(estimate: Estimate) -> str:
    """Why an estimate is not defined: nothing to count was there, nothing of it was read, or what its method says."""
    if estimate.n_used == 0 and estimate.n_left_out:
        return "not defined: none was read"
    return f"not defined: {estimate.method.removeprefix('undefined: ')}"


def rate_text(estimate: Estimate, *, places: int | None = None, units: int = 0) -> str:
    """A rate with its own interval and counts: "86.3 % (82.1 to 89.6), 259 of 300; 3 left out".

    The interval is the one of the estimate, so that the bound at no event is wider when replies come in clusters.

    Args:
        estimate: a proportion.
        places: decimals; by the number of replies when not given.
        units: items behind the replies where items were answered more than once; named beside the bound at no event.
    """
    n = estimate.n_used
    if estimate.estimate is None or estimate.low is None or estimate.high is None:
        text = reason(estimate)
    else:
        events = round(estimate.estimate * n)
        shown = decimals(n) if places is None else places
        low, high = (f"{100 * end:.{shown}f}" for end in (estimate.low, estimate.high))
        items = f", {count(units, 'item')}" if 0 < units < n else ""
        if n < FEWEST_FOR_A_RATE:
            text = of(events, n)
        elif events == 0:
            text = f"{of(0, n)}{items}; up to {100 * estimate.high:.1f} %"
        elif events == n:
            text = f"{of(n, n)}{items}; at least {100 * estimate.low:.1f} %"
        else:
            text = f"{100 * estimate.estimate:.{shown}f} % ({low} to {high}), {of(events, n)}"
        if n >= FEWEST_FOR_A_RATE and (units or n) < FEW:
            text += " (few)"
    return f"{text}; {estimate.n_left_out} left out" if estimate.n_left_out else text


def shown_rate(key: str, estimate: Estimate, *, places: int | None = None, units: int = 0) -> ShownRate:
    """A rate for a cell.

    Args:
        key: machine name.
        estimate: a proportion.
        places: decimals; by the number of replies when not given.
        units: as in `rate_text`.
    """
    text = rate_text(estimate, places=places, units=units)
    return ShownRate(key, text, estimate.n_used, estimate.n_left_out)


def shown_item_rate(key: str, rate: ItemRate) -> ShownRate:
    """A rate with its items for a cell.

    Args:
        key: machine name.
        rate: the rate.
    """
    return shown_rate(key, rate.estimate, units=rate.items)


def drawn_rate(key: str, name: str, rate: ItemRate) -> Rate:
    """A rate as the drawings take it, with the bounds that `shown_item_rate` prints.

    Args:
        key: machine name.
        name: as it is printed.
        rate: the rate; one that is not defined stands for no case.
    """
    item = rate.estimate
    if item.estimate is None:
        return Rate(key, name, 0, 0, 0.0, 1.0, item.method, item.n_used + item.n_left_out)
    low, high = (0.0 if item.low is None else item.low), (1.0 if item.high is None else item.high)
    units = rate.items if rate.repeated else 0
    return Rate(
        key, name, rate.events, item.n_used, low, high, item.method.replace("95%", "95 %"), item.n_left_out, units
    )


def points_text(estimate: Estimate, *, places: int | None = None) -> str:
    """A difference of two rates in points: "+3.1 points (+1.2 to +5.0)".

    Args:
        estimate: a difference of proportions.
        places: decimals; by the number of pairs when not given.
    """
    if estimate.estimate is None or estimate.low is None or estimate.high is None:
        return reason(estimate)
    if estimate.n_used < FEWEST_FOR_A_RATE:
        return "n below 10"
    shown = decimals(estimate.n_used) if places is None else places
    middle, low, high = (signed(100 * value, shown) for value in (estimate.estimate, estimate.low, estimate.high))
    return f"{middle} points ({low} to {high})"


def signed(value: float, places: int) -> str:
    """A number with its sign; zero has none.

    Args:
        value: the number.
        places: decimals.
    """
    text = f"{value:+.{places}f}"
    return text[1:] if float(text) == 0 else text
