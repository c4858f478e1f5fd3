"""The mean of scores on a bounded scale, with items in clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from equipoise.statistics.bootstrap import RESAMPLES, bootstrap, cluster_codes
from equipoise.statistics.estimate import Estimate, check_level, undefined
from equipoise.statistics.proportions import wilson


def bounded_mean(
    scores: ArrayLike,
    clusters: ArrayLike,
    *,
    low: float,
    high: float,
    rng: np.random.Generator,
    fewest: int = 2,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    n_left_out: int = 0,
    why_left_out: str = "",
) -> Estimate:
    """Mean of scores between two ends, with a bootstrap interval over whole clusters.

    When all scores are equal no resample differs: the ends are then the mean minus and plus the upper Wilson end of the share of clusters
    that could be otherwise, times the length of the scale, within the scale.

    Args:
        scores: one number an item.
        clusters: a label an item; items of one label are drawn together.
        low: smallest score possible.
        high: largest score possible; above `low`.
        rng: random generator of the interval.
        fewest: clusters an interval needs, at least 2; with fewer there is a mean and no interval.
        resamples: number of resamples.
        level: coverage aimed at.
        n_left_out: items that could not enter; carried into the result.
        why_left_out: why they could not.

    Returns:
        Estimate in the unit of the scores; undefined without items; without ends below `fewest` clusters.

    Raises:
        ValueError: a score outside the scale or not finite, another number of labels, or an argument out of range.

    References:
        Davison AC, Hinkley DV. Bootstrap Methods and their Application. 1997, section 3.8. doi:10.1017/CBO9780511802843
        Wilson EB. J Am Stat Assoc 1927;22:209-212. doi:10.1080/01621459.1927.10502953
    """
    check_level(level)
    values = np.asarray(scores, dtype=np.float64)
    labels = np.asarray(clusters)
    if values.ndim != 1 or labels.shape != values.shape or not low < high or fewest < 2:
        message = "expected a cluster for each score, low below high, and at least 2 clusters for an interval"
        raise ValueError(message)
    if len(values) == 0:
        return undefined("no item", n_left_out=n_left_out, why_left_out=why_left_out)
    if not (np.isfinite(values).all() and (values >= low).all() and (values <= high).all()):
        message = f"expected scores from {low:g} to {high:g}"
        raise ValueError(message)
    count = len(set(labels.tolist()))
    mean = float(values.mean())
    if count < fewest:
        return Estimate(
            estimate=mean,
            low=None,
            high=None,
            method=f"no interval: {count} clusters, at least {fewest} are needed",
            n_used=len(values),
            n_left_out=n_left_out,
            why_left_out=why_left_out,
        )
    if (values == values[0]).all():
        reach = (wilson(0, count, level=level).high or 1.0) * (high - low)
        return Estimate(
            estimate=mean,
            low=max(low, mean - reach),
            high=min(high, mean + reach),
            method=f"all scores are equal: Wilson bound of the share of {count} clusters that could be otherwise, {level:.0%}",
            n_used=len(values),
            n_left_out=n_left_out,
            why_left_out=why_left_out,
            warnings=("all scores are equal, so no resample differs",),
        )
    return bootstrap(
        np.column_stack([values, np.ones(len(values))]),
        lambda totals: totals[:, 0] / totals[:, 1],
        rng=rng,
        resamples=resamples,
        level=level,
        clusters=cluster_codes(labels, len(values)),
        n_left_out=n_left_out,
        why_left_out=why_left_out,
    )
