"""Agreement between raters, each coefficient with an interval over items or clusters.

Ratings are an array of shape (items, raters); None, NaN or an empty text is a missing label. The coefficients are
functions of totals over items, so that the point and every resample come from one formula.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.statistics.bootstrap import RESAMPLES, Statistic, bootstrap
from equipoise.statistics.estimate import Estimate, undefined
from equipoise.statistics.proportions import wilson

Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]
Array = NDArray[np.float64]

_ONE_CATEGORY = "all labels are of one category, so agreement by chance is certain"
_NO_PAIR = "no item has two labels"


@dataclass(frozen=True, slots=True)
class Coded:
    """Ratings as numbers.

    Attributes:
        codes: shape (items, raters): index of the category, -1 where missing.
        categories: the categories, in order.
    """

    codes: NDArray[np.int64]
    categories: tuple[Any, ...]

    @property
    def counts(self) -> Array:
        """Shape (items, categories): raters that gave each category."""
        return np.stack([(self.codes == code).sum(axis=1) for code in range(len(self.categories))], axis=1).astype(
            np.float64
        )


def code_ratings(ratings: ArrayLike, categories: Sequence[Any] | None = None) -> Coded:
    """Ratings as codes of their categories.

    Args:
        ratings: shape (items, raters).
        categories: all categories in order (the order matters for weights and levels other than nominal); None: those
            that occur, sorted.

    Raises:
        ValueError: not two-dimensional, fewer than two raters, or a label that is no category.
    """
    table = np.asarray(ratings, dtype=object)
    if table.ndim != 2 or table.shape[1] < 2:
        message = f"expected ratings of shape (items, at least two raters), found shape {table.shape}"
        raise ValueError(message)
    present = {label for label in table.ravel().tolist() if not _missing(label)}
    order = tuple(sorted(present) if categories is None else categories)
    index = {label: code for code, label in enumerate(order)}
    unknown = sorted(str(label) for label in present if label not in index)
    if unknown:
        message = f"labels that are no category: {', '.join(unknown)}"
        raise ValueError(message)
    codes = np.array(
        [[-1 if _missing(label) else index[label] for label in row] for row in table.tolist()], dtype=np.int64
    ).reshape(table.shape)
    return Coded(codes, order)


def percent_agreement(
    ratings: ArrayLike,
    *,
    rng: np.random.Generator,
    clusters: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Estimate:
    """Share of rater pairs that agree, averaged over items with at least two labels.

    Not corrected for chance. Two complete raters without clusters: Wilson; otherwise bootstrap.

    Args:
        ratings: shape (items, raters), missing allowed.
        rng: random generator.
        clusters: a label an item.
        resamples: number of resamples.
        level: coverage aimed at.

    Returns:
        Estimate from 0 to 1; undefined when no item has two labels.

    Raises:
        ValueError: ratings of another shape, or a single cluster.
    """
    coded = code_ratings(ratings)
    if coded.codes.shape[1] == 2 and clusters is None:
        both = _complete(coded)
        same = int((coded.codes[both, 0] == coded.codes[both, 1]).sum())
        left = int((~both).sum())
        return wilson(
            same, int(both.sum()), level=level, n_left_out=left, why_left_out="fewer than two labels" if left else ""
        )
    agreed, usable = _item_agreement(coded.counts)
    rows = np.column_stack([agreed, usable])
    return _interval(coded, rows, usable > 0, _mean, _NO_PAIR, rng, clusters, resamples, level)


def cohen_kappa(
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    rng: np.random.Generator,
    weights: Weights = "none",
    categories: Sequence[Any] | None = None,
    clusters: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Estimate:
    """Cohen's kappa of two raters: 1 - (observed weighted disagreement) / (that expected from the margins).

    Weights of a pair of categories i, j of q: none 1 if i != j; linear |i - j| / (q - 1); quadratic the square of that.

    Args:
        first: labels of one rater.
        second: labels of the other, same items.
        rng: random generator of the interval.
        weights: how disagreement counts.
        categories: all categories in order; needed to be meaningful with weights.
        clusters: a label an item.
        resamples: number of resamples.
        level: coverage aimed at.

    Returns:
        Estimate: 1 perfect, 0 as by chance, negative below it; undefined when both use one category only or no item has
        two labels. Perfect agreement has no interval by resampling: low and high are None and a warning gives the
        bound on disagreement.

    Raises:
        ValueError: unequal lengths, a label that is no category, an unknown weight, or a single cluster.

    References:
        Cohen J. Educ Psychol Meas 1960;20:37-46. doi:10.1177/001316446002000104
        Cohen J. Psychol Bull 1968;70:213-220. doi:10.1037/h0026256 (weighted)
    """
    if len(first) != len(second):
        message = f"expected labels for the same items, found {len(first)} and {len(second)}"
        raise ValueError(message)
    if weights not in ("none", "linear", "quadratic"):
        message = f"weights must be none, linear or quadratic, found {weights!r}"
        raise ValueError(message)
    table = np.empty((len(first), 2), dtype=object)
    table[:, 0], table[:, 1] = list(first), list(second)
    coded = code_ratings(table, categories)
    q = max(1, len(coded.categories))
    steps = np.abs(np.subtract.outer(np.arange(q), np.arange(q))).astype(np.float64)
    power = {"none": 0, "linear": 1, "quadratic": 2}[weights]
    cost = np.where(steps > 0, (steps / max(1, q - 1)) ** power, 0.0)
    both = _complete(coded)
    cells = np.zeros((len(both), q * q))
    cells[np.flatnonzero(both), coded.codes[both, 0] * q + coded.codes[both, 1]] = 1

    def kappa(totals: Array) -> Array:
        tables = totals.reshape(len(totals), q, q)
        n = tables.sum(axis=(1, 2))
        observed = _over((tables * cost).sum(axis=(1, 2)), n)
        expected = np.einsum("bi,ij,bj->b", tables.sum(axis=2), cost, tables.sum(axis=1))
        return 1 - _over(observed * n**2, expected)

    return _interval(coded, cells, both, kappa, _ONE_CATEGORY, rng, clusters, resamples, level)


def fleiss_kappa(
    ratings: ArrayLike,
    *,
    rng: np.random.Generator,
    clusters: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Estimate:
    """Fleiss' kappa of m raters an item: (mean item agreement - sum of squared shares) / (1 - sum of squared shares).

    Item agreement is (sum n_k^2 - m) / (m (m - 1)). Only items that all raters labelled enter.

    Args:
        ratings: shape (items, raters).
        rng: random generator of the interval.
        clusters: a label an item.
        resamples: number of resamples.
        level: coverage aimed at.

    Returns:
        Estimate, at most 1; undefined when all labels are of one category or no item is complete. Perfect agreement has
        no interval by resampling (None, with a warning).

    Raises:
        ValueError: ratings of another shape, or a single cluster.

    References:
        Fleiss JL. Psychol Bull 1971;76:378-382. doi:10.1037/h0031619
    """
    coded = code_ratings(ratings)
    complete = _complete(coded)
    counts = coded.counts * complete[:, None]
    agreed, _ = _item_agreement(counts)
    rows = np.column_stack([agreed * complete, complete, counts])

    def kappa(totals: Array) -> Array:
        observed = _over(totals[:, 0], totals[:, 1])
        shares = _over(totals[:, 2:], totals[:, 2:].sum(axis=1, keepdims=True))
        return _corrected(observed, (shares**2).sum(axis=1))

    return _interval(coded, rows, complete, kappa, _ONE_CATEGORY, rng, clusters, resamples, level)


def gwet_ac1(
    ratings: ArrayLike,
    *,
    rng: np.random.Generator,
    categories: Sequence[Any] | None = None,
    clusters: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Estimate:
    """Gwet's AC1: (pa - pe) / (1 - pe) with pe = sum_k pi_k (1 - pi_k) / (q - 1).

    pi_k is the mean over labelled items of the share of raters that gave category k; pa the mean item agreement over
    items with two labels. Stands beside kappa where one category is rare, because pe then stays small.

    Args:
        ratings: shape (items, raters), missing allowed.
        rng: random generator of the interval.
        categories: all categories; None: those that occur.
        clusters: a label an item.
        resamples: number of resamples.
        level: coverage aimed at.

    Returns:
        Estimate, at most 1; undefined with a single category or when no item has two labels. Perfect agreement has no
        interval by resampling (None, with a warning).

    Raises:
        ValueError: ratings of another shape, a label that is no category, or a single cluster.

    References:
        Gwet KL. Br J Math Stat Psychol 2008;61:29-48. doi:10.1348/000711006X126600
    """
    coded = code_ratings(ratings, categories)
    counts = coded.counts
    agreed, usable = _item_agreement(counts)
    given = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, given, out=np.zeros_like(counts), where=given > 0)
    rows = np.column_stack([agreed, usable, (given[:, 0] > 0), shares])
    q = len(coded.categories)

    def ac1(totals: Array) -> Array:
        observed = _over(totals[:, 0], totals[:, 1])
        means = _over(totals[:, 3:], totals[:, 2:3])
        if q < 2:
            return np.full(len(totals), np.nan)
        return _corrected(observed, (means * (1 - means)).sum(axis=1) / (q - 1))

    return _interval(coded, rows, usable > 0, ac1, _ONE_CATEGORY, rng, clusters, resamples, level)


def krippendorff_alpha(
    ratings: ArrayLike,
    *,
    rng: np.random.Generator,
    measure: Level = "nominal",
    categories: Sequence[Any] | None = None,
    clusters: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Estimate:
    """Krippendorff's alpha with missing labels: 1 - observed / expected disagreement.

    Coincidences of an item with m labels weigh 1 / (m - 1). Squared distance of categories: nominal 1 if they differ;
    interval (value difference)^2; ordinal (labels counted between the two, ends by half)^2.

    Args:
        ratings: shape (items, raters), missing allowed.
        rng: random generator of the interval.
        measure: level of measurement.
        categories: all categories in order; numbers for interval. None: those that occur, sorted.
        clusters: a label an item.
        resamples: number of resamples.
        level: coverage aimed at.

    Returns:
        Estimate, at most 1; undefined when all pairable labels are equal or no item has two labels. Perfect agreement
        has no interval by resampling (None, with a warning).

    Raises:
        ValueError: ratings of another shape, a label that is no category, an unknown measure, or a single cluster.

    References:
        Krippendorff K. Computing Krippendorff's alpha-reliability. 2011. repository.upenn.edu/asc_papers/43
    """
    if measure not in ("nominal", "ordinal", "interval"):
        message = f"measure must be nominal, ordinal or interval, found {measure!r}"
        raise ValueError(message)
    coded = code_ratings(ratings, categories)
    counts = coded.counts
    q, given = len(coded.categories), counts.sum(axis=1)
    usable = given >= 2
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(q)
    pairs = np.divide(pairs, (given - 1)[:, None, None], out=np.zeros_like(pairs), where=usable[:, None, None])
    distance = _distance(measure, coded.categories)

    def alpha(totals: Array) -> Array:
        coincidences = totals.reshape(len(totals), q, q)
        margins = coincidences.sum(axis=2)
        n = margins.sum(axis=1)
        costs = distance(margins)
        expected = (costs * margins[:, :, None] * margins[:, None, :]).sum(axis=(1, 2))
        return 1 - _over((n - 1) * (coincidences * costs).sum(axis=(1, 2)), expected)

    rows = pairs.reshape(len(pairs), q * q)
    return _interval(coded, rows, usable, alpha, _ONE_CATEGORY, rng, clusters, resamples, level)


def _missing(label: Any) -> bool:
    return label is None or label == "" or (isinstance(label, float) and label != label)


def _complete(coded: Coded) -> NDArray[np.bool_]:
    """Items that every rater labelled."""
    complete: NDArray[np.bool_] = np.min(coded.codes, axis=1, initial=0) >= 0
    return complete


def _over(above: Array, below: Array) -> Array:
    result: Array = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=result, where=np.abs(below) > 1e-12)
    return result


def _mean(totals: Array) -> Array:
    return _over(totals[:, 0], totals[:, 1])


def _corrected(observed: Array, chance: Array) -> Array:
    return _over(observed - chance, 1 - chance)


def _item_agreement(counts: Array) -> tuple[Array, Array]:
    """Share of agreeing rater pairs an item (0 where there is no pair), and whether there is one."""
    given = counts.sum(axis=1)
    below = given * (given - 1)
    agreed = np.divide((counts**2).sum(axis=1) - given, below, out=np.zeros_like(given), where=below > 0)
    return agreed, (given >= 2).astype(np.float64)


def _distance(measure: Level, categories: tuple[Any, ...]) -> Callable[[Array], Array]:
    q = len(categories)
    if measure == "nominal":
        return lambda margins: np.broadcast_to(1 - np.eye(q), (len(margins), q, q))
    if measure == "interval":
        values = np.asarray(categories, dtype=np.float64)
        squared = np.subtract.outer(values, values) ** 2
        return lambda margins: np.broadcast_to(squared, (len(margins), q, q))

    def ordinal(margins: Array) -> Array:
        middles = np.cumsum(margins, axis=1) - margins / 2
        return (middles[:, :, None] - middles[:, None, :]) ** 2

    return ordinal


def _interval(
    coded: Coded,
    rows: Array,
    usable: NDArray[np.bool_],
    statistic: Statistic,
    reason: str,
    rng: np.random.Generator,
    clusters: ArrayLike | None,
    resamples: int,
    level: float,
) -> Estimate:
    """Bootstrap over the items that enter; no interval where no resample can differ."""
    used, left = int(usable.sum()), int((~usable).sum())
    why = "too few labels" if left else ""
    if used == 0:
        return undefined(_NO_PAIR, n_left_out=left, why_left_out=why)
    groups = None if clusters is None else np.asarray(clusters)[usable]
    result = bootstrap(
        rows[usable],
        statistic,
        rng=rng,
        resamples=resamples,
        level=level,
        clusters=groups,
        n_left_out=left,
        why_left_out=why,
    )
    if result.estimate is None:
        return undefined(reason, n_used=used, n_left_out=left, why_left_out=why)
    agreed, _ = _item_agreement(coded.counts[usable])
    if (agreed == 1).all():
        bound = wilson(0, used, level=level).high
        return replace(
            result,
            low=None,
            high=None,
            method="no interval: raters agree on every item",
            warnings=(*result.warnings[:-1], f"the share of items they disagree on may be up to {bound:.3f}"),
        )
    return result
