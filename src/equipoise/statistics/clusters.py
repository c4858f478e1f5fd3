"""Intervals for a rate whose items come in clusters: several replies to one prompt, several edits of one case."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise._optional import require
from equipoise.statistics.bootstrap import RESAMPLES, Kind, bootstrap, cluster_codes
from equipoise.statistics.coverage import small_sample_warnings
from equipoise.statistics.estimate import Estimate, check_level, undefined
from equipoise.statistics.proportions import wilson_ends


def cluster_robust_rate(
    hits: ArrayLike,
    clusters: ArrayLike,
    *,
    level: float = 0.95,
    n_left_out: int = 0,
    why_left_out: str = "",
) -> Estimate:
    """Rate with a cluster-robust interval that is never of zero width.

    With G clusters of n_g items and y_g hits, p = sum y / sum n has the linearised variance
    G / (G - 1) sum (y_g - p n_g)^2 / (sum n)^2. The interval is Wilson's for the effective number of items
    p (1 - p) / variance (at most the items themselves), with the t quantile of G - 1 degrees of freedom. When all items
    agree, or the clusters show no variance, the effective number is G: as if all items of a cluster were one.
    Needs the extra `stats`.

    Args:
        hits: 0 or 1 an item.
        clusters: a label an item.
        level: coverage aimed at, between 0 and 1.
        n_left_out: items that could not enter; carried into the result.
        why_left_out: why they could not.

    Returns:
        Estimate in [0, 1]; undefined (all None) without items. Below 100 clusters or 30 events a warning with the
        coverage such intervals had in simulation.

    Raises:
        ValueError: a value is not 0 or 1, a label is missing, or there is a single cluster.
        DependencyError: scipy is not installed.

    References:
        Korn EL, Graubard BI. Surv Methodol 1998;24:193-201.
        Dean N, Pagano M. J Surv Stat Methodol 2015;3:484-503. doi:10.1093/jssam/smv024
    """
    values, codes = _checked(hits, clusters, level)
    if len(values) == 0:
        return undefined("no item", n_left_out=n_left_out, why_left_out=why_left_out)
    sizes = np.bincount(codes).astype(np.float64)
    sums = np.bincount(codes, weights=values)
    count, rate = len(sizes), float(values.mean())
    variance = count / (count - 1) * float(((sums - rate * sizes) ** 2).sum()) / len(values) ** 2
    effective = min(float(len(values)), rate * (1 - rate) / variance) if variance > 0 else float(count)
    quantile = float(require("scipy.stats", extra="stats").t.ppf(0.5 + level / 2, count - 1))
    low, high = wilson_ends(rate, effective, quantile)
    return Estimate(
        estimate=rate,
        low=0.0 if rate == 0 else low,
        high=1.0 if rate == 1 else high,
        method=(
            f"Wilson on {effective:.1f} effective items ({len(values)} in {count} clusters, "
            f"design effect {len(values) / effective:.2f}), t quantile, {level:.0%}"
        ),
        n_used=len(values),
        n_left_out=n_left_out,
        why_left_out=why_left_out,
        warnings=small_sample_warnings("robust", count, events=_events(values), level=level),
    )


def cluster_bootstrap_rate(
    hits: ArrayLike,
    clusters: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    kind: Kind = "bca",
    n_left_out: int = 0,
    why_left_out: str = "",
) -> Estimate:
    """Rate with a bootstrap interval over whole clusters drawn with replacement.

    BCa by default: a rare event in few clusters has a skewed distribution, which percentile ends miss (see
    `coverage.SIMULATED`).

    When all items agree no resample differs; the interval is then Wilson's on the number of clusters, and a warning
    says so.

    Args:
        hits: 0 or 1 an item.
        clusters: a label an item.
        rng: random generator.
        resamples: number of resamples, at least 1.
        level: coverage aimed at, between 0 and 1.
        kind: BCa or percentile ends.
        n_left_out: items that could not enter; carried into the result.
        why_left_out: why they could not.

    Returns:
        Estimate in [0, 1]; undefined (all None) without items. Warnings as in `cluster_robust_rate`.

    Raises:
        ValueError: a value is not 0 or 1, a label is missing, or there is a single cluster.

    References:
        Davison AC, Hinkley DV. Bootstrap Methods and their Application. 1997, section 3.8.
        doi:10.1017/CBO9780511802843
        Efron B. J Am Stat Assoc 1987;82:171-185. doi:10.1080/01621459.1987.10478410 (BCa)
    """
    values, codes = _checked(hits, clusters, level)
    if len(values) == 0:
        return undefined("no item", n_left_out=n_left_out, why_left_out=why_left_out)
    count, rate = int(codes.max()) + 1, float(values.mean())
    warnings = small_sample_warnings(
        "bca" if kind == "bca" else "bootstrap", count, events=_events(values), level=level
    )
    if rate in (0.0, 1.0):
        low, high = wilson_ends(rate, count, NormalDist().inv_cdf(0.5 + level / 2))
        return Estimate(
            estimate=rate,
            low=0.0 if rate == 0 else low,
            high=1.0 if rate == 1 else high,
            method=f"Wilson on {count} clusters, {level:.0%}",
            n_used=len(values),
            n_left_out=n_left_out,
            why_left_out=why_left_out,
            warnings=(*warnings, "all items agree, so no resample differs: Wilson on the clusters instead"),
        )
    result = bootstrap(
        np.column_stack([values, np.ones(len(values))]),
        lambda totals: totals[:, 0] / totals[:, 1],
        rng=rng,
        resamples=resamples,
        level=level,
        clusters=codes,
        kind=kind,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
    )
    return Estimate(
        estimate=result.estimate,
        low=result.low,
        high=result.high,
        method=result.method,
        n_used=result.n_used,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
        warnings=warnings,
    )


def intraclass_correlation(values: ArrayLike, clusters: ArrayLike) -> float | None:
    """How alike the items of one cluster are: the analysis-of-variance estimator (MSB - MSW) / (MSB + (m - 1) MSW).

    m is the mean cluster size corrected for unequal sizes, (N - sum n_g^2 / N) / (G - 1).

    Args:
        values: a number an item.
        clusters: a label an item.

    Returns:
        1 when items of a cluster are equal, near 0 when clusters do not matter, negative when items of one cluster are
        less alike than others; None when every cluster has one item or no item differs.

    Raises:
        ValueError: a label is missing or there is a single cluster.

    References:
        Donner A. Int Stat Rev 1986;54:67-82. doi:10.2307/1403259
    """
    data = np.asarray(values, dtype=np.float64)
    codes = cluster_codes(clusters, len(data))
    sizes = np.bincount(codes).astype(np.float64)
    count, total = len(sizes), len(data)
    if count == total:
        return None
    means = np.bincount(codes, weights=data) / sizes
    between = float((sizes * (means - data.mean()) ** 2).sum()) / (count - 1)
    within = float(((data - means[codes]) ** 2).sum()) / (total - count)
    size = (total - float((sizes**2).sum()) / total) / (count - 1)
    below = between + (size - 1) * within
    return (between - within) / below if below > 0 else None


def _checked(hits: ArrayLike, clusters: ArrayLike, level: float) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    check_level(level)
    values = np.asarray(hits, dtype=np.float64)
    if values.ndim != 1 or not np.isin(values, (0.0, 1.0)).all():
        message = "expected 0 or 1 for every item"
        raise ValueError(message)
    if len(values) == 0:
        return values, np.empty(0, dtype=np.intp)
    return values, cluster_codes(clusters, len(values))


def _events(values: NDArray[np.float64]) -> int:
    hits = int(values.sum())
    return min(hits, len(values) - hits)
