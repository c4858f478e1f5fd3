"""Intervals for a single rate."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from equipoise.statistics.estimate import Estimate


def wilson(successes: int, n: int, *, level: float = 0.95, n_left_out: int = 0) -> Estimate:
    """Wilson score interval of a proportion.

    With p = successes / n and z the normal quantile of the level, the ends are
    (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n). Its width is never zero: none of n does not mean never.

    Args:
        successes: how often, 0 to n.
        n: out of how many.
        level: coverage aimed at, between 0 and 1.
        n_left_out: items that could not enter; carried into the result.

    Returns:
        Estimate in [0, 1]; undefined (all None) when n is 0.

    Raises:
        ValueError: successes outside 0..n, a negative count, or a level outside (0, 1).

    References:
        Wilson EB. J Am Stat Assoc 1927;22:209-212. doi:10.1080/01621459.1927.10502953
    """
    if not 0 < level < 1:
        message = f"level must lie between 0 and 1, found {level}"
        raise ValueError(message)
    if n < 0 or n_left_out < 0 or not 0 <= successes <= n:
        message = f"expected 0 <= successes <= n and no negative count; found {successes} of {n}, {n_left_out} left out"
        raise ValueError(message)
    if n == 0:
        return Estimate(
            estimate=None, low=None, high=None, method="undefined: no item", n_used=0, n_left_out=n_left_out
        )
    z = NormalDist().inv_cdf(0.5 + level / 2)
    rate = successes / n
    scale = 1 + z * z / n
    center = (rate + z * z / (2 * n)) / scale
    half = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / scale
    return Estimate(
        estimate=rate,
        low=0.0 if successes == 0 else max(0.0, center - half),
        high=1.0 if successes == n else min(1.0, center + half),
        method=f"Wilson, {level:.0%}",
        n_used=n,
        n_left_out=n_left_out,
    )
