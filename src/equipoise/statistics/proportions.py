"""Intervals for a single rate of independent items."""

from __future__ import annotations

from math import asin, sqrt
from statistics import NormalDist

from equipoise._optional import require
from equipoise.statistics.estimate import Estimate, check_level, undefined


def wilson(successes: int, n: int, *, level: float = 0.95, n_left_out: int = 0, why_left_out: str = "") -> Estimate:
    """Wilson score interval of a proportion.

    With p = successes / n and z the normal quantile of the level, the ends are
    (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n). Its width is never zero: none of n does not mean never.

    Args:
        successes: how often, 0 to n.
        n: out of how many.
        level: coverage aimed at, between 0 and 1.
        n_left_out: items that could not enter; carried into the result.
        why_left_out: why they could not.

    Returns:
        Estimate in [0, 1]; undefined (all None) when n is 0.

    Raises:
        ValueError: successes outside 0..n, a negative count, or a level outside (0, 1).

    References:
        Wilson EB. J Am Stat Assoc 1927;22:209-212. doi:10.1080/01621459.1927.10502953
    """
    _check(successes, n, level, n_left_out)
    if n == 0:
        return undefined("no item", n_left_out=n_left_out, why_left_out=why_left_out)
    low, high = wilson_ends(successes / n, n, NormalDist().inv_cdf(0.5 + level / 2))
    return Estimate(
        estimate=successes / n,
        low=0.0 if successes == 0 else low,
        high=1.0 if successes == n else high,
        method=f"Wilson, {level:.0%}",
        n_used=n,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
    )


def clopper_pearson(
    successes: int, n: int, *, level: float = 0.95, n_left_out: int = 0, why_left_out: str = ""
) -> Estimate:
    """Exact (Clopper-Pearson) interval of a proportion: covers at least the level, whatever the rate.

    With a = 1 - level the ends are the a/2 quantile of Beta(x, n - x + 1) and the 1 - a/2 quantile of
    Beta(x + 1, n - x); 0 and 1 at the edges. Needs the extra `stats`.

    Args:
        successes: how often, 0 to n.
        n: out of how many.
        level: coverage that is kept, between 0 and 1.
        n_left_out: items that could not enter; carried into the result.
        why_left_out: why they could not.

    Returns:
        Estimate in [0, 1]; undefined (all None) when n is 0.

    Raises:
        ValueError: successes outside 0..n, a negative count, or a level outside (0, 1).
        DependencyError: scipy is not installed.

    References:
        Clopper CJ, Pearson ES. Biometrika 1934;26:404-413. doi:10.1093/biomet/26.4.404
    """
    _check(successes, n, level, n_left_out)
    if n == 0:
        return undefined("no item", n_left_out=n_left_out, why_left_out=why_left_out)
    beta = require("scipy.stats", extra="stats").beta
    tail = (1 - level) / 2
    return Estimate(
        estimate=successes / n,
        low=0.0 if successes == 0 else float(beta.ppf(tail, successes, n - successes + 1)),
        high=1.0 if successes == n else float(beta.ppf(1 - tail, successes + 1, n - successes)),
        method=f"Clopper-Pearson, {level:.0%}",
        n_used=n,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
    )


def jeffreys(successes: int, n: int, *, level: float = 0.95, n_left_out: int = 0, why_left_out: str = "") -> Estimate:
    """Jeffreys interval of a proportion: the equal-tailed interval of Beta(x + 1/2, n - x + 1/2).

    At 0 of n the lower end is 0, at n of n the upper end is 1 (the usual modification). Needs the extra `stats`.

    Args:
        successes: how often, 0 to n.
        n: out of how many.
        level: coverage aimed at, between 0 and 1.
        n_left_out: items that could not enter; carried into the result.
        why_left_out: why they could not.

    Returns:
        Estimate in [0, 1]; undefined (all None) when n is 0.

    Raises:
        ValueError: successes outside 0..n, a negative count, or a level outside (0, 1).
        DependencyError: scipy is not installed.

    References:
        Brown LD, Cai TT, DasGupta A. Stat Sci 2001;16:101-133. doi:10.1214/ss/1009213286
    """
    _check(successes, n, level, n_left_out)
    if n == 0:
        return undefined("no item", n_left_out=n_left_out, why_left_out=why_left_out)
    beta = require("scipy.stats", extra="stats").beta
    tail = (1 - level) / 2
    first, second = successes + 0.5, n - successes + 0.5
    return Estimate(
        estimate=successes / n,
        low=0.0 if successes == 0 else float(beta.ppf(tail, first, second)),
        high=1.0 if successes == n else float(beta.ppf(1 - tail, first, second)),
        method=f"Jeffreys, {level:.0%}",
        n_used=n,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
    )


def zero_event_bound(n: int, *, level: float = 0.95, n_left_out: int = 0, why_left_out: str = "") -> Estimate:
    """One-sided upper bound of a rate of which n items showed no event: 1 - (1 - level)^(1/n).

    About 3 / n at 95 % (the rule of three).

    Args:
        n: items, none with the event.
        level: coverage that is kept, between 0 and 1.
        n_left_out: items that could not enter; carried into the result.
        why_left_out: why they could not.

    Returns:
        Estimate 0 with its bound in (0, 1]; undefined (all None) when n is 0.

    Raises:
        ValueError: a negative count, or a level outside (0, 1).

    References:
        Hanley JA, Lippman-Hand A. JAMA 1983;249:1743-1745. doi:10.1001/jama.1983.03330370053031
    """
    _check(0, n, level, n_left_out)
    if n == 0:
        return undefined("no item", n_left_out=n_left_out, why_left_out=why_left_out)
    return Estimate(
        estimate=0.0,
        low=0.0,
        high=1 - (1 - level) ** (1 / n),
        method=f"exact one-sided bound at no event, {level:.0%}",
        n_used=n,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
    )


def cohen_h(first: float, second: float) -> float:
    """Cohen's effect size of two rates: 2 asin(sqrt(first)) - 2 asin(sqrt(second)).

    A difference of equal points weighs more near 0 and 1. By convention 0.2 is small, 0.5 medium, 0.8 large.

    Args:
        first: a rate, 0 to 1.
        second: another.

    Returns:
        From -pi to pi; 0 for equal rates.

    Raises:
        ValueError: a rate outside 0 to 1.

    References:
        Cohen J. Statistical Power Analysis for the Behavioral Sciences. 2nd ed. 1988, chapter 6.
    """
    if not (0 <= first <= 1 and 0 <= second <= 1):
        message = f"expected rates from 0 to 1, found {first} and {second}"
        raise ValueError(message)
    return 2 * asin(sqrt(first)) - 2 * asin(sqrt(second))


def wilson_ends(rate: float, n: float, z: float) -> tuple[float, float]:
    """Both ends of the Wilson interval for a rate seen in n (effective) items; z is the quantile."""
    scale = 1 + z * z / n
    center = (rate + z * z / (2 * n)) / scale
    half = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / scale
    return max(0.0, center - half), min(1.0, center + half)


def _check(successes: int, n: int, level: float, n_left_out: int) -> None:
    check_level(level)
    if n < 0 or n_left_out < 0 or not 0 <= successes <= n:
        message = f"expected 0 <= successes <= n and no negative count; found {successes} of {n}, {n_left_out} left out"
        raise ValueError(message)
