"""Percentile bootstrap over items, for statistics that are functions of totals.

Rates, F1 and sums of them depend on the items only through totals of per-item numbers. So a resample is a draw of how
often each distinct row occurs (one multinomial), and all resamples are evaluated at once; this is the ordinary
bootstrap over items, faster.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.statistics.estimate import Estimate

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From totals of shape (resamples, columns) to values of shape (resamples,); NaN where undefined."""

RESAMPLES = 10_000
"""Resamples unless the caller says otherwise."""


def bootstrap(
    items: ArrayLike,
    statistic: Statistic,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    n_left_out: int = 0,
) -> Estimate:
    """Percentile interval of a statistic of totals, items drawn with replacement.

    Args:
        items: shape (items, columns): one row an item, the numbers whose totals the statistic reads.
        statistic: the statistic, vectorised over the first axis of the totals.
        rng: random generator; the same state gives the same interval.
        resamples: number of resamples, at least 1.
        level: coverage aimed at, between 0 and 1.
        n_left_out: items that could not enter; carried into the result.

    Returns:
        The estimate on all items and the percentiles over the resamples. Resamples in which the statistic is undefined
        are left out and counted in `method`. All None when there is no item or the statistic is undefined on all items.

    Raises:
        ValueError: items are not a two-dimensional array of finite numbers, or an argument is out of range.

    References:
        Efron B, Tibshirani RJ. An Introduction to the Bootstrap. Chapman & Hall 1993, chapter 13 (percentile interval).
    """
    rows = np.asarray(items, dtype=np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        message = f"expected finite numbers of shape (items, columns), found shape {rows.shape}"
        raise ValueError(message)
    if resamples < 1 or not 0 < level < 1 or n_left_out < 0:
        message = f"expected resamples >= 1, 0 < level < 1; found {resamples}, {level}; left out {n_left_out}"
        raise ValueError(message)
    count = len(rows)
    if count == 0:
        return _undefined("undefined: no item", 0, n_left_out)
    point = float(statistic(rows.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(point):
        return _undefined("undefined on these items", count, n_left_out)
    distinct, times = np.unique(rows, axis=0, return_counts=True)
    draws = rng.multinomial(count, times / count, size=resamples)
    values = statistic(draws @ distinct)
    defined = values[np.isfinite(values)]
    method = f"percentile bootstrap over items, {level:.0%}, {resamples} resamples"
    if len(defined) == 0:
        return Estimate(
            estimate=point,
            low=None,
            high=None,
            method=f"{method}, undefined in all of them",
            n_used=count,
            n_left_out=n_left_out,
        )
    if len(defined) < resamples:
        method += f", undefined in {resamples - len(defined)} of them"
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    if low == high:
        method += "; no resample differs, so the width says nothing about other items"
    return Estimate(
        estimate=point, low=float(low), high=float(high), method=method, n_used=count, n_left_out=n_left_out
    )


def _undefined(reason: str, n_used: int, n_left_out: int) -> Estimate:
    return Estimate(estimate=None, low=None, high=None, method=reason, n_used=n_used, n_left_out=n_left_out)
