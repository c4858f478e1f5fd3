"""Results of the statistics as they are printed: rates of any method, differences in points, figures of any unit."""

from __future__ import annotations

from equipoise.report.numbers import FEW, FEWEST_FOR_A_RATE, decimals, of
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
    """Why an estimate is not defined, from its method."""
    return f"not defined: {estimate.method.removeprefix('undefined: ')}"


def rate_text(estimate: Estimate, *, places: int | None = None) -> str:
    """A rate with its own interval and counts: "86.3 % (82.1 to 89.6), 259 of 300; 3 left out".

    The interval is the one of the estimate, so that the bound at no event is wider when replies come in clusters.

    Args:
        estimate: a proportion.
        places: decimals; by the number of replies when not given.
    """
    n = estimate.n_used
    if estimate.estimate is None or estimate.low is None or estimate.high is None:
        text = reason(estimate)
    else:
        events = round(estimate.estimate * n)
        shown = decimals(n) if places is None else places
        low, high = (f"{100 * end:.{shown}f}" for end in (estimate.low, estimate.high))
        if n < FEWEST_FOR_A_RATE:
            text = of(events, n)
        elif events == 0:
            text = f"{of(0, n)}; up to {100 * estimate.high:.1f} %"
        elif events == n:
            text = f"{of(n, n)}; at least {100 * estimate.low:.1f} %"
        else:
            text = f"{100 * estimate.estimate:.{shown}f} % ({low} to {high}), {of(events, n)}"
        if FEWEST_FOR_A_RATE <= n < FEW:
            text += " (few)"
    return f"{text}; {estimate.n_left_out} left out" if estimate.n_left_out else text


def shown_rate(key: str, estimate: Estimate, *, places: int | None = None) -> ShownRate:
    """A rate for a cell.

    Args:
        key: machine name.
        estimate: a proportion.
        places: decimals; by the number of replies when not given.
    """
    return ShownRate(key, rate_text(estimate, places=places), estimate.n_used, estimate.n_left_out)


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
