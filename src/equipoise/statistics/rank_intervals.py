"""Which places of a ranking are separable, when only the means are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from equipoise.statistics.estimate import Result, check_level
from equipoise.statistics.multiplicity import holm

__all__ = ["RankInterval", "Ranking", "design_effect", "possible_spread", "rank_intervals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankInterval(Result):
    """The place of one system.

    Attributes:
        name: the system.
        mean: its mean score.
        rank: its place by the mean, 1 the highest; equal means share the better place.
        low: the best place it can have.
        high: the worst place it can have.
    """

    name: str
    mean: float
    rank: int
    low: int
    high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Result):
    """Places of all systems, and which pairs are separable.

    Attributes:
        rows: from the highest mean to the lowest.
        separated: pairs (better, worse) whose difference is significant after Holm's adjustment over all pairs.
        n_pairs: number of pairs.
        standard_error: of a difference of two means, under the assumptions.
        method: how it was made.
        n_used: items behind each mean.
    """

    rows: tuple[RankInterval, ...]
    separated: tuple[tuple[str, str], ...]
    n_pairs: int
    standard_error: float
    method: str
    n_used: int


def design_effect(mean_cluster_size: float, intraclass_correlation: float) -> float:
    """By how much clustering multiplies the variance of a mean: 1 + (m - 1) * icc.

    It is exact for clusters of one size; clusters of different sizes make it larger, so this is a floor for them.

    Args:
        mean_cluster_size: items a cluster, at least 1.
        intraclass_correlation: 0 (none) to 1.

    Raises:
        ValueError: a value out of range.

    References:
        Kish L. Survey Sampling. Wiley 1965, section 5.4.
    """
    if not math.isfinite(mean_cluster_size) or mean_cluster_size < 1 or not 0 <= intraclass_correlation <= 1:
        message = "expected a cluster size of at least 1 and a correlation from 0 to 1"
        raise ValueError(message)
    return 1 + (mean_cluster_size - 1) * intraclass_correlation


def possible_spread(mean: float, *, low: int, high: int) -> tuple[float, float]:
    """Least and greatest standard deviation that whole scores from `low` to `high` with this mean can have.

    The least puts all scores on the two whole numbers around the mean; the greatest puts them on the two ends.

    Raises:
        ValueError: the mean lies outside the scale.
    """
    if not low <= mean <= high:
        message = f"expected a mean from {low} to {high}, found {mean}"
        raise ValueError(message)
    part = mean - math.floor(mean)
    return math.sqrt(part * (1 - part)), math.sqrt((mean - low) * (high - mean))


def rank_intervals(
    names: Sequence[str],
    means: Sequence[float],
    *,
    sd: float,
    correlation: float,
    n: int,
    effect: float = 1.0,
    level: float = 0.95,
) -> Ranking:
    """Simultaneous intervals for the places of systems that answered the same items.

    The standard error of a difference is sd * sqrt(2 * (1 - correlation) * effect / n). Every pair is tested with the normal
    distribution, the p values are adjusted by Holm over all pairs, and the place of a system lies between 1 + (systems significantly
    better) and k - (systems significantly worse). If the assumptions hold, any of these intervals misses with a chance of at most
    1 - level.

    Args:
        names: the systems, each once.
        means: their mean scores.
        sd: standard deviation of the scores of one system over items, the same for all; above 0.
        correlation: of the scores of two systems over items, the same for all pairs; from 0, below 1.
        n: items behind each mean.
        effect: design effect of the differences (see `design_effect`); at least 1.
        level: coverage of all intervals together.

    Returns:
        Ranking. One system alone has the place 1 to 1.

    Raises:
        ValueError: lengths differ, a name twice, no system, or a number out of range.

    References:
        Al Mohamad D, Goeman JJ, van Zwet EW. Simultaneous confidence intervals for ranks with application to ranking institutions.
        arXiv:1708.02428 (there with Tukey's test; Holm's adjustment is used here since it needs no table and holds under any dependence).
    """
    check_level(level)
    if not names or len(names) != len(means) or len(set(names)) != len(names):
        message = "expected a name for every mean, each once"
        raise ValueError(message)
    if not all(math.isfinite(mean) for mean in means):
        message = "expected finite means"
        raise ValueError(message)
    if not (math.isfinite(sd) and sd > 0 and 0 <= correlation < 1 and n >= 2 and math.isfinite(effect) and effect >= 1):
        message = (
            "expected sd above 0, a correlation from 0 and below 1, n of at least 2, a design effect of at least 1"
        )
        raise ValueError(message)
    error = sd * math.sqrt(2 * (1 - correlation) * effect / n)
    pairs = list(combinations(range(len(names)), 2))
    adjusted = holm([math.erfc(abs(means[first] - means[second]) / error / math.sqrt(2)) for first, second in pairs])
    better = [0] * len(names)
    worse = [0] * len(names)
    separated = []
    for (first, second), p_value in zip(pairs, adjusted, strict=True):
        if p_value <= 1 - level:
            top, bottom = (first, second) if means[first] > means[second] else (second, first)
            better[bottom] += 1
            worse[top] += 1
            separated.append((names[top], names[bottom]))
    rows = [
        RankInterval(
            name=name,
            mean=mean,
            rank=1 + sum(other > mean for other in means),
            low=1 + better[place],
            high=len(names) - worse[place],
        )
        for place, (name, mean) in enumerate(zip(names, means, strict=True))
    ]
    return Ranking(
        rows=tuple(sorted(rows, key=lambda row: -row.mean)),
        separated=tuple(separated),
        n_pairs=len(pairs),
        standard_error=error,
        method=f"pairwise normal tests, Holm over {len(pairs)} pairs, {level:.0%} together; assumed sd {sd:g}, "
        f"correlation {correlation:g}, design effect {effect:.3g}",
        n_used=n,
    )
