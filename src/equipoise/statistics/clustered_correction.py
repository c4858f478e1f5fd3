"""The judge's correction where replies come in clusters: seeds, pairs, sets, repeats of a prompt.

The formula is Rogan and Gladen's. What changes is the interval: whole clusters of replies are drawn for the judged rate
and, apart from them, whole clusters of the human-labelled replies for the judge's sensitivity and specificity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise._optional import require
from equipoise.statistics.bootstrap import bootstrap_draws
from equipoise.statistics.clusters import cluster_robust_rate
from equipoise.statistics.correction import (
    SMALLEST_CLASS,
    CorrectedCell,
    CorrectionRefusedError,
    calibrate,
    correct_cells,
    corrected_range,
)
from equipoise.statistics.estimate import Estimate, check_level, undefined

RESAMPLES = 2000
FEWEST_CLUSTERS = 12
"""The fewest clusters for which coverage was simulated (`benchmarks/corrected_coverage.py`)."""

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredVerdicts:
    """A judge's verdicts on replies that come in clusters, and human labels of some replies that do too.

    Attributes:
        human: 0 or 1 a labelled reply.
        judge: 0, 1 or NaN for the same replies.
        label_clusters: cluster a labelled reply.
        wanted: 0, 1 or NaN a reply whose rate is wanted.
        clusters: cluster of each of these.
    """

    human: ArrayLike
    judge: ArrayLike
    label_clusters: Sequence[str]
    wanted: ArrayLike
    clusters: Sequence[str]


def clustered_rogan_gladen(
    data: ClusteredVerdicts,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    smallest_class: int = SMALLEST_CLASS,
) -> Estimate:
    """True rate from a judge's rate, (q + Sp - 1) / (Se + Sp - 1), with an interval over clusters.

    Percentile ends of the corrected rate over resamples of clusters, q and (Se, Sp) drawn independently, stretched about
    the estimate by t / z sqrt(m / (m - 1)) with m the smaller number of clusters. An error that was never seen (Se or Sp of
    1, q of 0 or 1) does not vary between resamples; it is drawn from Beta(clusters + 1, 1) instead, as if each cluster were
    one reply. Where the labelled replies are part of those whose rate is wanted, the two are not independent and the
    interval is on the safe side. Needs the extra `stats`.

    Args:
        data: verdicts, labels, clusters.
        rng: random generator; the same state gives the same interval.
        resamples: resamples.
        level: coverage aimed at.
        smallest_class: human labels of each class that are needed.

    Returns:
        Estimate; not clipped, as in `rogan_gladen`. Undefined without replies, or when they are of one cluster. Resamples
        in which the judge is no better than chance are left out and counted in `method`.

    Raises:
        CorrectionRefusedError: a class has too few labels, Se + Sp <= 1, or all labels are of one cluster.
        ValueError: unequal lengths or other values.
        DependencyError: scipy is not installed.

    References:
        Rogan WJ, Gladen B. Am J Epidemiol 1978;107:71-76. doi:10.1093/oxfordjournals.aje.a112510
        Davison AC, Hinkley DV. Bootstrap Methods and their Application. 1997, section 3.8.
        doi:10.1017/CBO9780511802843
    """
    check_level(level)
    calibration = calibrate(data.human, data.judge)
    refusal = calibration.refusal(smallest_class)
    if refusal:
        raise CorrectionRefusedError(refusal)
    verdicts, clusters, left = _read(data.wanted, data.clusters)
    labels = _labels(data)
    why = "no readable verdict" if left else ""
    if labels.count < 2:
        message = "all human labels are of one cluster, which says nothing about others"
        raise CorrectionRefusedError(message)
    count = len(set(clusters))
    if count < 2:
        reason = "no judged reply" if not count else "all replies are of one cluster, which says nothing about others"
        return undefined(reason, n_used=len(verdicts), n_left_out=left, why_left_out=why)
    se, sp = calibration.sensitivity or 0.0, calibration.specificity or 0.0
    estimate = (float(verdicts.mean()) + sp - 1) / (se + sp - 1)
    shares = _share_draws(verdicts, clusters, rng, resamples)
    sensitive, specific = labels.draws(rng, resamples)
    below = sensitive + specific - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = np.where(below > 0, (shares + specific - 1) / below, np.nan)
    low, high, lost = _stretched(estimate, drawn, min(count, labels.count), level)
    warnings: tuple[str, ...] = ()
    if not 0 <= estimate <= 1:
        warnings += (
            f"the corrected rate {estimate:.3f} lies outside 0 to 1; the calibration may not fit these replies",
        )
    if min(count, labels.count) < FEWEST_CLUSTERS:
        warnings += (
            f"{count} clusters of replies and {labels.count} of labels; coverage was simulated from {FEWEST_CLUSTERS} on",
        )
    return Estimate(
        estimate=estimate,
        low=low,
        high=high,
        method=(
            f"Rogan-Gladen, bootstrap over {count} clusters of replies and, apart, {labels.count} clusters of human labels, "
            f"{level:.0%}, {resamples} resamples{f', {lost} of them undefined' if lost else ''}; calibration on "
            f"{calibration.positives} positive and {calibration.negatives} negative human labels (sensitivity {se:.3f}, "
            f"specificity {sp:.3f})"
        ),
        n_used=len(verdicts),
        n_left_out=left,
        why_left_out=why,
        warnings=warnings,
    )


def correct_clustered_cell(
    name: str,
    data: ClusteredVerdicts,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    smallest_class: int = SMALLEST_CLASS,
) -> CorrectedCell:
    """One cell as in `correct_cells`, with every interval over clusters.

    Args:
        name: name of the cell.
        data: verdicts, labels, clusters.
        rng: random generator.
        resamples: resamples.
        level: coverage aimed at.
        smallest_class: human labels of each class that are needed.

    Raises:
        ValueError: unequal lengths or other values.
        DependencyError: scipy is not installed.
    """
    cell = correct_cells({name: (data.human, data.judge, data.wanted)}, level=level, smallest_class=smallest_class)[0]
    corrected, refused = None, ""
    try:
        corrected = clustered_rogan_gladen(
            data, rng=rng, resamples=resamples, level=level, smallest_class=smallest_class
        )
    except CorrectionRefusedError as error:
        refused = error.message
    verdicts, clusters, left = _read(data.wanted, data.clusters)
    why = "no readable verdict" if left else ""
    truth = np.asarray(data.human, dtype=np.float64)
    labels = _labels(data)
    negatives, of_negatives = labels.side(0.0)
    sides = ((verdicts, clusters), labels.side(1.0), (1 - negatives, of_negatives))
    strict = 1 - (1 - level) / 3
    low, high = corrected_range([_ends(_rate(values, own, strict)) for values, own in sides])
    powered = cell.prediction_powered
    if powered is not None:
        powered = _powered(powered, data, rng, resamples, level)
    return replace(
        cell,
        uncorrected=_rate(verdicts, clusters, level, left, why),
        corrected=corrected,
        refused=refused,
        prediction_powered=powered,
        low=low,
        high=high,
        human_only=_rate(truth, list(data.label_clusters), level),
        sensitivity=_rate(*sides[1], level),
        specificity=_rate(*sides[2], level),
        n_clusters=len(set(clusters)),
        n_label_clusters=labels.count,
    )


@dataclass(frozen=True, slots=True)
class _Labels:
    """Labelled replies with a readable verdict."""

    truth: Array
    verdict: Array
    clusters: list[str]

    @property
    def count(self) -> int:
        return len(set(self.clusters))

    def side(self, positive: float) -> tuple[Array, list[str]]:
        """The judge's verdicts on human positives, or negatives, with their clusters."""
        kept = self.truth == positive
        return self.verdict[kept], [label for label, there in zip(self.clusters, kept, strict=True) if there]

    def draws(self, rng: np.random.Generator, resamples: int) -> tuple[Array, Array]:
        """Sensitivity and specificity over resamples of clusters; NaN where a class ran empty."""
        one, two = self.truth == 1, self.verdict == 1
        rows = np.column_stack([one & two, one & ~two, ~one & ~two, ~one & two]).astype(np.float64)
        totals = bootstrap_draws(rows, lambda found: found, rng=rng, resamples=resamples, clusters=self.clusters)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = [totals[:, at] / (totals[:, at] + totals[:, at + 1]) for at in (0, 2)]
        for place, positive in enumerate((1.0, 0.0)):
            values, clusters = self.side(positive)
            right = values if positive else 1 - values
            if right.all():
                found[place] = rng.beta(len(set(clusters)) + 1, 1, size=resamples)
        return found[0], found[1]


def _labels(data: ClusteredVerdicts) -> _Labels:
    truth = np.asarray(data.human, dtype=np.float64)
    verdicts = np.asarray(data.judge, dtype=np.float64)
    read = np.isfinite(verdicts)
    own = [label for label, there in zip(data.label_clusters, read, strict=True) if there]
    return _Labels(truth[read], verdicts[read], own)


def _read(values: ArrayLike, clusters: Sequence[str]) -> tuple[Array, list[str], int]:
    verdicts = np.asarray(values, dtype=np.float64)
    read = np.isfinite(verdicts)
    own = [label for label, there in zip(clusters, read, strict=True) if there]
    return verdicts[read], own, int((~read).sum())


def _share_draws(verdicts: Array, clusters: Sequence[str], rng: np.random.Generator, resamples: int) -> Array:
    if verdicts.min() == verdicts.max():
        drawn: Array = rng.beta(len(set(clusters)) + 1, 1, size=resamples)
        return drawn if verdicts[0] == 1 else 1 - drawn
    rows = np.column_stack([verdicts, np.ones(len(verdicts))])
    return bootstrap_draws(
        rows, lambda found: found[:, 0] / found[:, 1], rng=rng, resamples=resamples, clusters=clusters
    )


def _stretched(estimate: float, drawn: Array, clusters: int, level: float) -> tuple[float | None, float | None, int]:
    """Percentile ends, stretched about the estimate for few clusters; and how many resamples were undefined."""
    defined = drawn[np.isfinite(drawn)]
    lost = len(drawn) - len(defined)
    if not len(defined):
        return None, None, lost
    tail = (1 - level) / 2
    low, high = (float(end) for end in np.quantile(defined, (tail, 1 - tail)))
    t = float(require("scipy.stats", extra="stats").t.ppf(1 - tail, clusters - 1))
    factor = t / NormalDist().inv_cdf(1 - tail) * sqrt(clusters / (clusters - 1))
    return estimate - factor * (estimate - low), estimate + factor * (high - estimate), lost


def _powered(
    analytic: Estimate, data: ClusteredVerdicts, rng: np.random.Generator, resamples: int, level: float
) -> Estimate:
    """The prediction-powered difference with an interval over clusters, both parts drawn apart."""
    verdicts, clusters, _ = _read(data.wanted, data.clusters)
    labels = _labels(data)
    count = min(len(set(clusters)), labels.count)
    if count < 2 or analytic.estimate is None:
        return undefined("fewer than two clusters", n_used=analytic.n_used)
    gaps = labels.truth - labels.verdict
    if gaps.any():
        rows = np.column_stack([gaps, np.ones(len(gaps))])
        moved = bootstrap_draws(
            rows, lambda found: found[:, 0] / found[:, 1], rng=rng, resamples=resamples, clusters=labels.clusters
        )
    else:
        missed, wrong = (rng.beta(1, labels.count + 1, size=resamples) for _ in "ab")
        moved = missed - wrong
    drawn = _share_draws(verdicts, clusters, rng, resamples) + moved
    low, high, _ = _stretched(analytic.estimate, drawn, count, level)
    outside = tuple(text for text in analytic.warnings if "outside" in text)
    return replace(
        analytic,
        low=low,
        high=high,
        method=(
            f"prediction-powered difference, bootstrap over {len(set(clusters))} clusters of replies and, apart, "
            f"{labels.count} clusters of human labels, {level:.0%}; {len(gaps)} labelled replies"
        ),
        warnings=outside,
    )


def _rate(values: Array, clusters: Sequence[str], level: float, left: int = 0, why: str = "") -> Estimate:
    if len(set(clusters)) < 2:
        reason = "all replies are of one cluster" if len(values) else "no item"
        return undefined(reason, n_used=len(values), n_left_out=left, why_left_out=why)
    return cluster_robust_rate(values, clusters, level=level, n_left_out=left, why_left_out=why)


def _ends(rate: Estimate) -> tuple[float, float]:
    return (0.0 if rate.low is None else rate.low), (1.0 if rate.high is None else rate.high)
