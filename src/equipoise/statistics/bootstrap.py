"""Bootstrap over items or clusters, within strata, for one statistic or many at once.

Rates, F1, kappa and sums of them depend on the items only through totals of per-item numbers. So a resample is a draw
of how often each unit (item or cluster) occurs, and all resamples are evaluated at once. Two systems on the same items
are compared by putting the numbers of both in one row: the resamples are then paired. A statistic that is no function
of totals goes through `bootstrap_indices`, one call a resample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.statistics.coverage import small_sample_warnings
from equipoise.statistics.estimate import Estimate, check_level, undefined

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From totals of shape (resamples, columns) to values of shape (resamples,); NaN where undefined."""

Kind = Literal["percentile", "bca"]

RESAMPLES = 10_000
"""Resamples unless the caller says otherwise."""

_CHUNK = 4_000_000
"""Most draws (resamples x units) held in memory at once."""


def bootstrap(
    items: ArrayLike,
    statistic: Statistic,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    kind: Kind = "percentile",
    n_left_out: int = 0,
    why_left_out: str = "",
) -> Estimate:
    """Bootstrap interval of a statistic of totals; items or whole clusters are drawn with replacement.

    Args:
        items: shape (items, columns): one row an item, the numbers whose totals the statistic reads.
        statistic: the statistic, vectorised over the first axis of the totals.
        rng: random generator; the same state gives the same interval.
        resamples: number of resamples, at least 1.
        level: coverage aimed at, between 0 and 1.
        clusters: a label an item; items of one label are drawn together. None: every item is its own.
        strata: a label an item; draws keep the number of units in each. A cluster lies in one stratum.
        kind: percentile ends, or bias-corrected and accelerated (BCa; not with strata).
        n_left_out: items that could not enter; carried into the result.
        why_left_out: why they could not.

    Returns:
        The estimate on all items and the interval. Resamples in which the statistic is undefined are left out and
        counted in `method`. All None when there is no item or the statistic is undefined on all items. Fewer than 100
        units: a warning with the coverage such intervals had in simulation.

    Raises:
        ValueError: items are not a two-dimensional array of finite numbers, an argument is out of range, a single
            cluster (or one in a stratum) would give an interval without width, or a cluster lies in two strata.

    References:
        Efron B, Tibshirani RJ. An Introduction to the Bootstrap. Chapman & Hall 1993, chapters 13 and 14.
        Davison AC, Hinkley DV. Bootstrap Methods and their Application. 1997. doi:10.1017/CBO9780511802843
    """
    result = bootstrap_many(
        items,
        {"statistic": statistic},
        rng=rng,
        resamples=resamples,
        level=level,
        clusters=clusters,
        strata=strata,
        kind=kind,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
    )
    return result["statistic"]


def bootstrap_many(
    items: ArrayLike,
    statistics: Mapping[str, Statistic],
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    kind: Kind = "percentile",
    n_left_out: int = 0,
    why_left_out: str = "",
) -> dict[str, Estimate]:
    """The same for several statistics on the same resamples.

    Args:
        items: as in `bootstrap`.
        statistics: statistics by name.
        rng: as in `bootstrap`.
        resamples: as in `bootstrap`.
        level: as in `bootstrap`.
        clusters: as in `bootstrap`.
        strata: as in `bootstrap`.
        kind: as in `bootstrap`.
        n_left_out: as in `bootstrap`.
        why_left_out: as in `bootstrap`.

    Returns:
        An estimate by name, in the order given.

    Raises:
        ValueError: as in `bootstrap`.
    """
    rows = _rows(items)
    _check(resamples, level, n_left_out, kind, strata)
    if len(rows) == 0:
        nothing = undefined("no item", n_left_out=n_left_out, why_left_out=why_left_out)
        return dict.fromkeys(statistics, nothing)
    units = _units(rows, clusters, strata)
    values: dict[str, list[NDArray[np.float64]]] = {name: [] for name in statistics}
    for totals in units.draw(rng, resamples):
        for name, statistic in statistics.items():
            values[name].append(np.asarray(statistic(totals), dtype=np.float64))
    described = "items" if clusters is None else f"{units.count} clusters"
    within = "" if strata is None else f" within {len(units.blocks)} strata"
    return {
        name: _estimate(
            units,
            statistic,
            np.concatenate(values[name]),
            level=level,
            kind=kind,
            text=f"bootstrap over {described}{within}, {level:.0%}, {resamples} resamples",
            n_used=len(rows),
            n_left_out=n_left_out,
            why_left_out=why_left_out,
        )
        for name, statistic in statistics.items()
    }


def bootstrap_draws(
    items: ArrayLike,
    statistic: Statistic,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """The bootstrap values themselves, for results made of several numbers.

    Args:
        items: as in `bootstrap`, at least one row.
        statistic: from totals (resamples, columns) to an array whose first axis is the resamples.
        rng: as in `bootstrap`.
        resamples: as in `bootstrap`.
        clusters: as in `bootstrap`.
        strata: as in `bootstrap`.

    Returns:
        Values of shape (resamples, ...); NaN where undefined.

    Raises:
        ValueError: as in `bootstrap`, and when there is no item.
    """
    rows = _rows(items)
    _check(resamples, 0.95, 0, "percentile", strata)
    if len(rows) == 0:
        message = "expected at least one item"
        raise ValueError(message)
    units = _units(rows, clusters, strata)
    return np.concatenate([np.asarray(statistic(totals)) for totals in units.draw(rng, resamples)])


def bootstrap_indices(
    n: int,
    statistic: Callable[[NDArray[np.intp]], float],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
    n_left_out: int = 0,
    why_left_out: str = "",
) -> Estimate:
    """Percentile interval of any statistic of the items, given as a function of their indices.

    Args:
        n: number of items.
        statistic: from indices of items (with repeats) to a number; NaN where undefined.
        rng: random generator.
        resamples: number of resamples, at least 1; the statistic is called once for each.
        level: coverage aimed at, between 0 and 1.
        clusters: a label an item; items of one label are drawn together.
        n_left_out: items that could not enter; carried into the result.
        why_left_out: why they could not.

    Returns:
        The estimate on all items and the percentiles over the resamples; None as in `bootstrap`.

    Raises:
        ValueError: an argument is out of range, or there is a single cluster.
    """
    _check(resamples, level, n_left_out, "percentile", None)
    if n == 0:
        return undefined("no item", n_left_out=n_left_out, why_left_out=why_left_out)
    codes = np.arange(n) if clusters is None else cluster_codes(clusters, n)
    members = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    point = float(statistic(np.arange(n)))
    if not np.isfinite(point):
        return undefined("undefined on these items", n_used=n, n_left_out=n_left_out, why_left_out=why_left_out)
    values = np.array(
        [
            statistic(np.concatenate([members[unit] for unit in rng.integers(0, len(members), len(members))]))
            for _ in range(resamples)
        ]
    )
    described = "items" if clusters is None else f"{len(members)} clusters"
    return _percentiles(
        point,
        values,
        level=level,
        method=f"percentile bootstrap over {described}, {level:.0%}, {resamples} resamples",
        count=len(members),
        n_used=n,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
    )


def cluster_codes(clusters: ArrayLike, n: int) -> NDArray[np.intp]:
    """Codes 0, 1, ... of cluster labels, in the order of the sorted labels.

    Raises:
        ValueError: not one label an item, a label is missing, or there is a single cluster.
    """
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        message = f"expected one cluster label for each of {n} items, found shape {labels.shape}"
        raise ValueError(message)
    missing = [label is None or label != label for label in labels.tolist()]
    if any(missing):
        message = f"item {missing.index(True)} has no cluster label"
        raise ValueError(message)
    distinct, codes = np.unique(labels if labels.dtype != object else labels.astype(str), return_inverse=True)
    if len(distinct) < 2:
        message = "a single cluster says nothing about other clusters: no interval can be made from it"
        raise ValueError(message)
    return codes.astype(np.intp)


@dataclass(frozen=True, slots=True)
class _Block:
    """The units of one stratum: distinct totals and how many units have each."""

    distinct: NDArray[np.float64]
    times: NDArray[np.int64]

    def draw(self, rng: np.random.Generator, resamples: int) -> NDArray[np.float64]:
        count = int(self.times.sum())
        if len(self.times) * 4 <= count:
            drawn: NDArray[np.float64] = rng.multinomial(count, self.times / count, size=resamples) @ self.distinct
            return drawn
        owner = np.repeat(np.arange(len(self.times)), self.times)
        picks = owner[rng.integers(0, count, size=(resamples, count))]
        picks += (np.arange(resamples) * len(self.times))[:, None]
        counts = np.bincount(picks.ravel(), minlength=resamples * len(self.times))
        result: NDArray[np.float64] = counts.reshape(resamples, -1).astype(np.float64) @ self.distinct
        return result


@dataclass(frozen=True, slots=True)
class _Units:
    """What is drawn: totals of items or clusters, by stratum."""

    blocks: tuple[_Block, ...]

    @property
    def count(self) -> int:
        return int(sum(block.times.sum() for block in self.blocks))

    @property
    def total(self) -> NDArray[np.float64]:
        parts = [block.times.astype(np.float64) @ block.distinct for block in self.blocks]
        total: NDArray[np.float64] = np.sum(parts, axis=0, keepdims=True)
        return total

    def draw(self, rng: np.random.Generator, resamples: int) -> Iterator[NDArray[np.float64]]:
        """Totals of the resamples, in chunks."""
        step = max(1, _CHUNK // max(1, self.count))
        for start in range(0, resamples, step):
            size = min(step, resamples - start)
            yield np.sum([block.draw(rng, size) for block in self.blocks], axis=0)


def _rows(items: ArrayLike) -> NDArray[np.float64]:
    rows = np.asarray(items, dtype=np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        message = f"expected finite numbers of shape (items, columns), found shape {rows.shape}"
        raise ValueError(message)
    return rows


def _check(resamples: int, level: float, n_left_out: int, kind: str, strata: ArrayLike | None) -> None:
    check_level(level)
    if resamples < 1 or n_left_out < 0:
        message = f"expected resamples >= 1 and no negative count; found {resamples}, {n_left_out} left out"
        raise ValueError(message)
    if kind not in ("percentile", "bca"):
        message = f"kind must be percentile or bca, found {kind!r}"
        raise ValueError(message)
    if kind == "bca" and strata is not None:
        message = "BCa is not offered with strata; use percentile"
        raise ValueError(message)


def _units(rows: NDArray[np.float64], clusters: ArrayLike | None, strata: ArrayLike | None) -> _Units:
    n = len(rows)
    units = rows
    layers = None if strata is None else np.unique(np.asarray(strata).astype(str), return_inverse=True)[1]
    if layers is not None and layers.shape != (n,):
        message = f"expected one stratum label for each of {n} items"
        raise ValueError(message)
    if clusters is not None:
        codes = cluster_codes(clusters, n)
        units = np.zeros((codes.max() + 1, rows.shape[1]))
        np.add.at(units, codes, rows)
        if layers is not None:
            pairs = np.unique(np.column_stack([codes, layers]), axis=0)
            if len(pairs) != len(units):
                message = "a cluster lies in two strata; draw clusters within one stratum or without strata"
                raise ValueError(message)
            layers = pairs[:, 1]
    if layers is None:
        return _Units((_block(units),))
    sizes = np.bincount(layers)
    if (sizes < 2).any():
        message = f"a stratum with a single {'item' if clusters is None else 'cluster'} cannot be resampled; merge it"
        raise ValueError(message)
    return _Units(tuple(_block(units[layers == layer]) for layer in range(len(sizes))))


def _block(units: NDArray[np.float64]) -> _Block:
    distinct, times = np.unique(units, axis=0, return_counts=True)
    return _Block(distinct, times)


def _estimate(
    units: _Units,
    statistic: Statistic,
    values: NDArray[np.float64],
    *,
    level: float,
    kind: Kind,
    text: str,
    n_used: int,
    n_left_out: int,
    why_left_out: str,
) -> Estimate:
    point = float(np.asarray(statistic(units.total))[0])
    if not np.isfinite(point):
        return undefined("on these items", n_used=n_used, n_left_out=n_left_out, why_left_out=why_left_out)
    ends = None
    if kind == "bca":
        ends = _bca_tails(units, statistic, point, values[np.isfinite(values)], level)
    return _percentiles(
        point,
        values,
        level=level,
        method=f"{'percentile' if ends is None else 'BCa'} {text}",
        count=units.count,
        n_used=n_used,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
        tails=ends,
    )


def _percentiles(
    point: float,
    values: NDArray[np.float64],
    *,
    level: float,
    method: str,
    count: int,
    n_used: int,
    n_left_out: int,
    why_left_out: str,
    tails: tuple[float, float] | None = None,
) -> Estimate:
    defined = values[np.isfinite(values)]
    warnings = small_sample_warnings("bootstrap" if tails is None else "bca", count, level=level)
    low: float | None = None
    high: float | None = None
    if len(defined) == 0:
        method += ", undefined in all of them"
    else:
        if len(defined) < len(values):
            method += f", undefined in {len(values) - len(defined)} of them"
        tail = (1 - level) / 2
        low, high = (float(end) for end in np.quantile(defined, tails or (tail, 1 - tail)))
        if low == high:
            method += "; no resample differs, so the width says nothing about other items"
            warnings += ("the interval has no width because no resample differs; it is no evidence of certainty",)
    return Estimate(
        estimate=point,
        low=low,
        high=high,
        method=method,
        n_used=n_used,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
        warnings=warnings,
    )


def _bca_tails(
    units: _Units, statistic: Statistic, point: float, values: NDArray[np.float64], level: float
) -> tuple[float, float] | None:
    """The tails at which BCa reads the bootstrap values; None where it cannot be formed."""
    block = units.blocks[0]
    jack = np.asarray(statistic(units.total - block.distinct))
    defined = np.isfinite(jack)
    if not defined.any() or len(values) == 0:
        return None
    times = block.times[defined].astype(np.float64)
    gaps = np.average(jack[defined], weights=times) - jack[defined]
    spread = float((times * gaps**2).sum())
    below = float((values < point).mean() + (values == point).mean() / 2)
    if spread == 0 or not 0 < below < 1:
        return None
    acceleration = float((times * gaps**3).sum()) / (6 * spread**1.5)
    normal = NormalDist()
    bias = normal.inv_cdf(below)
    tails = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + normal.inv_cdf(tail)
        tails.append(normal.cdf(bias + shifted / (1 - acceleration * shifted)))
    return tails[0], tails[1]
