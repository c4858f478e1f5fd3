"""Rates corrected for a judge's errors, with the uncertainty of the judge's calibration in the interval.

A judge errs differently for different models and arms, so calibration is by cell (model and arm); one pooled correction
leaves each model's own bias in place. Where correction would be a guess it is refused, and bounds stand instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import InputError
from equipoise.statistics.estimate import Estimate, Result, check_level, undefined
from equipoise.statistics.proportions import wilson

SMALLEST_CLASS = 15
"""Human labels of each class (positive, negative) below which a calibration is not used."""


class CorrectionRefusedError(InputError):
    """The calibration does not allow a correction: too few labels of a class, or a judge no better than chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration(Result):
    """A judge held against human labels.

    Attributes:
        true_positives: human positive, judge positive.
        false_negatives: human positive, judge negative.
        false_positives: human negative, judge positive.
        true_negatives: human negative, judge negative.
        n_left_out: labelled items the judge gave no readable verdict on.
    """

    true_positives: int
    false_negatives: int
    false_positives: int
    true_negatives: int
    n_left_out: int = 0

    def __post_init__(self) -> None:
        if min(self.true_positives, self.false_negatives, self.false_positives, self.true_negatives) < 0:
            message = "expected no negative count"
            raise ValueError(message)

    @property
    def positives(self) -> int:
        """Human positives with a verdict."""
        return self.true_positives + self.false_negatives

    @property
    def negatives(self) -> int:
        """Human negatives with a verdict."""
        return self.false_positives + self.true_negatives

    @property
    def sensitivity(self) -> float | None:
        """Judge positive among human positives; None without any."""
        return self.true_positives / self.positives if self.positives else None

    @property
    def specificity(self) -> float | None:
        """Judge negative among human negatives; None without any."""
        return self.true_negatives / self.negatives if self.negatives else None

    def refusal(self, smallest_class: int = SMALLEST_CLASS) -> str:
        """Why this calibration must not be used; empty when it may."""
        if min(self.positives, self.negatives) < smallest_class:
            return (
                f"too few human labels of one class: {self.positives} positive, {self.negatives} negative, "
                f"at least {smallest_class} of each are needed"
            )
        total = (self.sensitivity or 0.0) + (self.specificity or 0.0)
        if total <= 1:
            return f"sensitivity + specificity is {total:.3f}: the judge is no better than chance"
        return ""


def calibrate(human: ArrayLike, judge: ArrayLike) -> Calibration:
    """Counts of a judge against human labels.

    Args:
        human: 0 or 1 an item.
        judge: 0 or 1 an item; NaN where the judge's verdict cannot be read.

    Raises:
        ValueError: unequal lengths or other values.
    """
    truth, verdict = _binary(human, "human", missing=False), _binary(judge, "judge", missing=True)
    if truth.shape != verdict.shape:
        message = f"expected labels for the same items, found {len(truth)} and {len(verdict)}"
        raise ValueError(message)
    return Calibration(
        true_positives=int(((truth == 1) & (verdict == 1)).sum()),
        false_negatives=int(((truth == 1) & (verdict == 0)).sum()),
        false_positives=int(((truth == 0) & (verdict == 1)).sum()),
        true_negatives=int(((truth == 0) & (verdict == 0)).sum()),
        n_left_out=int(np.isnan(verdict).sum()),
    )


def rogan_gladen(
    judged_positive: int,
    n: int,
    calibration: Calibration,
    *,
    level: float = 0.95,
    smallest_class: int = SMALLEST_CLASS,
    n_left_out: int = 0,
    why_left_out: str = "",
) -> Estimate:
    """True rate from a judge's rate: (q + Sp - 1) / (Se + Sp - 1), q the judged share.

    The interval is that of Lang and Reiczigel: with one success and one failure added to Se and Sp and z^2 / 2 of each
    to q, the variance (q'(1 - q')/n' + (1 - p')^2 Sp'(1 - Sp')/m0' + p'^2 Se'(1 - Se')/m1') / (Se' + Sp' - 1)^2 and its
    shift term, so that the calibration's own uncertainty enters.

    Args:
        judged_positive: replies the judge calls positive.
        n: replies it judged readably.
        calibration: the judge against human labels, on replies of the same model and arm.
        level: coverage aimed at.
        smallest_class: human labels of each class that are needed.
        n_left_out: replies without a readable verdict.
        why_left_out: why.

    Returns:
        Estimate; not clipped: outside [0, 1] it carries a warning, because it then says that the calibration does not
        fit these replies. Undefined without replies.

    Raises:
        CorrectionRefusedError: a class has too few labels, or Se + Sp <= 1.
        ValueError: counts out of range.

    References:
        Rogan WJ, Gladen B. Am J Epidemiol 1978;107:71-76. doi:10.1093/oxfordjournals.aje.a112510
        Lang Z, Reiczigel J. Prev Vet Med 2014;113:13-22. doi:10.1016/j.prevetmed.2013.09.015
    """
    check_level(level)
    if not 0 <= judged_positive <= n:
        message = f"expected 0 <= judged_positive <= n, found {judged_positive} of {n}"
        raise ValueError(message)
    refusal = calibration.refusal(smallest_class)
    if refusal:
        raise CorrectionRefusedError(refusal)
    if n == 0:
        return undefined("no judged reply", n_left_out=n_left_out, why_left_out=why_left_out)
    sensitivity, specificity = calibration.sensitivity or 0.0, calibration.specificity or 0.0
    estimate = (judged_positive / n + specificity - 1) / (sensitivity + specificity - 1)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    size = n + z * z
    share = (judged_positive + z * z / 2) / size
    m1, m0 = calibration.positives + 2, calibration.negatives + 2
    se, sp = (calibration.true_positives + 1) / m1, (calibration.true_negatives + 1) / m0
    warnings: tuple[str, ...] = ()
    if se + sp <= 1:
        return Estimate(
            estimate=estimate,
            low=None,
            high=None,
            method="Rogan-Gladen; no interval: the judge may be no better than chance",
            n_used=n,
            n_left_out=n_left_out,
            why_left_out=why_left_out,
        )
    rate = (share + sp - 1) / (se + sp - 1)
    variance = share * (1 - share) / size + (1 - rate) ** 2 * sp * (1 - sp) / m0 + rate**2 * se * (1 - se) / m1
    shift = 2 * z * z * (rate * se * (1 - se) / m1 - (1 - rate) * sp * (1 - sp) / m0)
    half = z * sqrt(variance) / (se + sp - 1)
    if not 0 <= estimate <= 1:
        warnings += (
            f"the corrected rate {estimate:.3f} lies outside 0 to 1; the calibration may not fit these replies",
        )
    return Estimate(
        estimate=estimate,
        low=rate + shift - half,
        high=rate + shift + half,
        method=(
            f"Rogan-Gladen, Lang-Reiczigel interval, {level:.0%}; calibration on {calibration.positives} positive and "
            f"{calibration.negatives} negative human labels (sensitivity {sensitivity:.3f}, specificity "
            f"{specificity:.3f})"
        ),
        n_used=n,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
        warnings=warnings,
    )


def ppi_difference(
    judge_unlabelled: ArrayLike,
    human: ArrayLike,
    judge_labelled: ArrayLike,
    *,
    level: float = 0.95,
    smallest: int = 2 * SMALLEST_CLASS,
    interval: Literal["score", "normal"] = "score",
) -> Estimate:
    """Prediction-powered mean: judge's mean on all unlabelled replies + mean of (human - judge) on the labelled ones.

    Needs no assumption on the judge, but the labelled replies must be a random sample of the same model and arm.
    Normal interval: variance var(judge) / N + var(human - judge) / m, as published; it is far too short where judge and
    human seldom differ. Score interval, for labels of 0 and 1: the judge's rate, the share it missed and the share it
    called wrongly each with a Wilson interval, combined with the correlation of the two shares; never without width.

    Args:
        judge_unlabelled: the judge's number a reply; NaN where it cannot be read.
        human: the human number a labelled reply.
        judge_labelled: the judge's number for the same replies; NaN where it cannot be read.
        level: coverage aimed at.
        smallest: labelled replies that are needed.
        interval: how it is made; labels other than 0 and 1 always take the normal one.

    Returns:
        Estimate in the unit of the labels; outside [0, 1] a warning when labels are 0 and 1. Undefined without
        unlabelled replies.

    Raises:
        CorrectionRefusedError: too few labelled replies.
        ValueError: unequal lengths or human labels that are not finite.

    References:
        Angelopoulos AN et al. Science 2023;382:669-674. doi:10.1126/science.adi6000
        Zou GY, Donner A. Stat Med 2008;27:1693-1702. doi:10.1002/sim.3095 (combining intervals)
    """
    check_level(level)
    every = np.asarray(judge_unlabelled, dtype=np.float64)
    truth, verdict = np.asarray(human, dtype=np.float64), np.asarray(judge_labelled, dtype=np.float64)
    if truth.shape != verdict.shape or not np.isfinite(truth).all():
        message = "expected a finite human label and a verdict for the same replies"
        raise ValueError(message)
    read, both = every[np.isfinite(every)], np.isfinite(verdict)
    gaps = truth[both] - verdict[both]
    if len(gaps) < smallest:
        message = f"{len(gaps)} labelled replies with a verdict; at least {smallest} are needed"
        raise CorrectionRefusedError(message)
    left = len(every) - len(read) + int((~both).sum())
    why = "no readable verdict" if left else ""
    if len(read) < 2:
        return undefined("fewer than two unlabelled replies", n_left_out=left, why_left_out=why)
    estimate = float(read.mean() + gaps.mean())
    binary = bool(np.isin(np.concatenate([read, truth, verdict[both]]), (0.0, 1.0)).all())
    warnings: tuple[str, ...] = ()
    if binary and not 0 <= estimate <= 1:
        warnings += (f"the corrected rate {estimate:.3f} lies outside 0 to 1",)
    if binary and interval == "score":
        down, up = _score_arms(read, gaps, level)
    else:
        variance = float(read.var(ddof=1) / len(read) + gaps.var(ddof=1) / len(gaps))
        down = up = NormalDist().inv_cdf(0.5 + level / 2) * sqrt(variance)
        disagreements = int((gaps != 0).sum())
        if disagreements < 15:
            warnings += (f"judge and human differ on {disagreements} labelled replies: the interval may be too short",)
    return Estimate(
        estimate=estimate,
        low=estimate - down,
        high=estimate + up,
        method=(
            f"prediction-powered difference, {'score' if binary and interval == 'score' else 'normal'} interval, "
            f"{level:.0%}; {len(gaps)} labelled replies"
        ),
        n_used=len(read),
        n_left_out=left,
        why_left_out=why,
        warnings=warnings,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedCell(Result):
    """One cell (model and arm): what the judge says, what follows for the truth, or why nothing follows.

    Attributes:
        cell: name of the cell.
        uncorrected: the judge's own rate with Wilson interval.
        corrected: Rogan-Gladen; None when refused.
        refused: why it is refused; empty when it is not.
        prediction_powered: prediction-powered difference; None when refused. Holds only if the labelled replies are a
            random sample of the cell.
        prediction_powered_refused: why it is refused; empty when it is not.
        low: lower bound of the true rate, given the judge's rate and the exact limits of its errors; in [0, 1].
        high: upper bound.
        human_only: the rate among the human labels alone, which needs no judge if they are a random sample.
        calibration: the judge against the human labels.
        sensitivity: judge positive among human positives, with its interval.
        specificity: judge negative among human negatives.
        n_clusters: clusters among the replies; 0 where every reply was taken as independent.
        n_label_clusters: clusters among the human labels, likewise.
    """

    cell: str
    uncorrected: Estimate
    corrected: Estimate | None
    refused: str
    prediction_powered: Estimate | None
    prediction_powered_refused: str
    low: float
    high: float
    human_only: Estimate
    calibration: Calibration
    sensitivity: Estimate
    specificity: Estimate
    n_clusters: int = 0
    n_label_clusters: int = 0


def correct_cells(
    cells: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]],
    *,
    level: float = 0.95,
    smallest_class: int = SMALLEST_CLASS,
) -> tuple[CorrectedCell, ...]:
    """Corrects each cell by its own calibration, and refuses by name where that is not possible.

    Args:
        cells: by name: human labels of the calibration replies (0, 1), the judge's verdicts on them (0, 1, NaN), and
            its verdicts on the replies whose rate is wanted (0, 1, NaN).
        level: coverage aimed at.
        smallest_class: human labels of each class that are needed.

    Returns:
        One result a cell, in the order given.

    Raises:
        ValueError: other values, or unequal lengths.
    """
    results = []
    for name, (human, judge, wanted) in cells.items():
        calibration = calibrate(human, judge)
        verdicts = _binary(wanted, "judge", missing=True)
        read = verdicts[~np.isnan(verdicts)]
        left = len(verdicts) - len(read)
        why = "no readable verdict" if left else ""
        refused = calibration.refusal(smallest_class)
        corrected = None
        if not refused:
            corrected = rogan_gladen(
                int(read.sum()),
                len(read),
                calibration,
                level=level,
                smallest_class=smallest_class,
                n_left_out=left,
                why_left_out=why,
            )
        powered, powered_refused = None, ""
        try:
            powered = ppi_difference(verdicts, human, judge, level=level, smallest=2 * smallest_class)
        except CorrectionRefusedError as error:
            powered_refused = error.message
        uncorrected = wilson(int(read.sum()), len(read), level=level, n_left_out=left, why_left_out=why)
        low, high = error_bounds(uncorrected, calibration, level=level)
        truth = _binary(human, "human", missing=False)
        results.append(
            CorrectedCell(
                cell=name,
                uncorrected=uncorrected,
                corrected=corrected,
                refused=refused,
                prediction_powered=powered,
                prediction_powered_refused=powered_refused,
                low=low,
                high=high,
                human_only=wilson(int(truth.sum()), len(truth), level=level),
                calibration=calibration,
                sensitivity=wilson(calibration.true_positives, calibration.positives, level=level),
                specificity=wilson(calibration.true_negatives, calibration.negatives, level=level),
            )
        )
    return tuple(results)


def error_bounds(uncorrected: Estimate, calibration: Calibration, *, level: float = 0.95) -> tuple[float, float]:
    """Smallest and largest true rate that the judge's rate and the limits of its errors allow.

    Judged rate, sensitivity and specificity each range over their Wilson intervals at 1 - (1 - level) / 3, so that all
    three hold at the level together; a class without labels leaves its part at 0 to 1.

    Returns:
        Bounds in [0, 1]; (0, 1) when the judge may be no better than chance or judged nothing.
    """
    strict = 1 - (1 - level) / 3
    if uncorrected.estimate is None:
        return 0.0, 1.0
    judged = wilson(round(uncorrected.estimate * uncorrected.n_used), uncorrected.n_used, level=strict)
    parts = [
        judged,
        wilson(calibration.true_positives, calibration.positives, level=strict),
        wilson(calibration.true_negatives, calibration.negatives, level=strict),
    ]
    ends = [(part.low if part.low is not None else 0.0, part.high if part.high is not None else 1.0) for part in parts]
    return corrected_range(ends)


def corrected_range(ends: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Smallest and largest corrected rate over ranges of the judged rate, sensitivity and specificity.

    Args:
        ends: lower and upper end of each of the three, in that order.

    Returns:
        Bounds in [0, 1]; (0, 1) when the judge may be no better than chance.
    """
    if ends[1][0] + ends[2][0] <= 1:
        return 0.0, 1.0
    rates = [(share + sp - 1) / (se + sp - 1) for share, se, sp in product(*ends)]
    return min(1.0, max(0.0, min(rates))), min(1.0, max(0.0, max(rates)))


def _score_arms(read: NDArray[np.float64], gaps: NDArray[np.float64], level: float) -> tuple[float, float]:
    """How far the interval of judge's rate + share missed - share called wrongly reaches down and up."""
    m = len(gaps)
    parts = [wilson(int(read.sum()), len(read), level=level)]
    parts += [wilson(int((gaps == sign).sum()), m, level=level) for sign in (1, -1)]
    rate, missed, wrong = (((part.estimate or 0.0), (part.low or 0.0), (part.high or 0.0)) for part in parts)
    below = (1 - missed[0]) * (1 - wrong[0])
    correlation = -sqrt(missed[0] * wrong[0] / below) if below > 0 else 0.0
    arms = []
    for end, other in ((1, 2), (2, 1)):
        sides = (abs(rate[0] - rate[end]), abs(missed[0] - missed[end]), abs(wrong[other] - wrong[0]))
        arms.append(sqrt(sum(side**2 for side in sides) - 2 * correlation * sides[1] * sides[2]))
    return arms[0], arms[1]


def _binary(values: ArrayLike, name: str, *, missing: bool) -> NDArray[np.float64]:
    data = np.asarray(values, dtype=np.float64)
    allowed = np.isin(data, (0.0, 1.0)) | (np.isnan(data) if missing else False)
    if data.ndim != 1 or not np.all(allowed):
        message = f"{name}: expected 0 or 1 for every item{', NaN where unreadable' if missing else ''}"
        raise ValueError(message)
    return data
