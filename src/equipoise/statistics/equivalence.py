"""Equivalence and non-inferiority of two systems on the same items, with a margin given beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from equipoise.statistics.bootstrap import RESAMPLES
from equipoise.statistics.estimate import Estimate, Result
from equipoise.statistics.paired import paired_rate_difference


class Finding(StrEnum):
    """What a comparison with a margin shows."""

    SHOWN = "shown"
    NOT_SHOWN = "not shown"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginResult(Result):
    """A difference held against a margin.

    Attributes:
        finding: shown; refuted (the whole interval lies beyond the margin); or not shown, which is no evidence of a
            difference.
        question: equivalence or non-inferiority.
        margin: the margin, in the unit of the difference.
        difference: mean of first - second with the interval the finding rests on.
        alpha: size of each one-sided test.
    """

    finding: Finding
    question: str
    margin: float
    difference: Estimate
    alpha: float


def equivalence(
    first: ArrayLike,
    second: ArrayLike,
    *,
    margin: float,
    rng: np.random.Generator,
    alpha: float = 0.05,
    clusters: ArrayLike | None = None,
    resamples: int = RESAMPLES,
) -> MarginResult:
    """Two one-sided tests: equivalent when the 1 - 2 alpha interval of the difference lies inside -margin to margin.

    Args:
        first: a number an item.
        second: a number for the same items.
        margin: the largest difference that does not matter, above 0, fixed before the data were seen.
        rng: random generator.
        alpha: size of each of the two tests; 0.05 gives a 90 % interval.
        clusters: a label an item.
        resamples: number of resamples.

    Returns:
        The finding; `not shown` without items.

    Raises:
        ValueError: margin or alpha out of range, unequal lengths, or a single cluster.

    References:
        Schuirmann DJ. J Pharmacokinet Biopharm 1987;15:657-680. doi:10.1007/BF01068419
    """
    _check(margin, alpha)
    difference = paired_rate_difference(
        first, second, rng=rng, clusters=clusters, resamples=resamples, level=1 - 2 * alpha
    )
    finding = Finding.NOT_SHOWN
    if difference.low is not None and difference.high is not None:
        if -margin < difference.low and difference.high < margin:
            finding = Finding.SHOWN
        elif difference.low > margin or difference.high < -margin:
            finding = Finding.REFUTED
    return MarginResult(finding=finding, question="equivalence", margin=margin, difference=difference, alpha=alpha)


def non_inferiority(
    first: ArrayLike,
    second: ArrayLike,
    *,
    margin: float,
    rng: np.random.Generator,
    higher_is_better: bool = True,
    alpha: float = 0.05,
    clusters: ArrayLike | None = None,
    resamples: int = RESAMPLES,
) -> MarginResult:
    """The first is not worse than the second by the margin or more: one-sided test by the 1 - 2 alpha interval.

    Args:
        first: a number an item.
        second: a number for the same items.
        margin: the largest loss that is accepted, above 0, fixed before the data were seen.
        rng: random generator.
        higher_is_better: direction of the numbers; False for error rates.
        alpha: size of the test.
        clusters: a label an item.
        resamples: number of resamples.

    Returns:
        The finding; `not shown` without items.

    Raises:
        ValueError: margin or alpha out of range, unequal lengths, or a single cluster.

    References:
        Piaggio G et al. JAMA 2012;308:2594-2604. doi:10.1001/jama.2012.87802
    """
    _check(margin, alpha)
    difference = paired_rate_difference(
        first, second, rng=rng, clusters=clusters, resamples=resamples, level=1 - 2 * alpha
    )
    finding = Finding.NOT_SHOWN
    if difference.low is not None and difference.high is not None:
        worst, best = (difference.low, difference.high) if higher_is_better else (-difference.high, -difference.low)
        if worst > -margin:
            finding = Finding.SHOWN
        elif best < -margin:
            finding = Finding.REFUTED
    return MarginResult(finding=finding, question="non-inferiority", margin=margin, difference=difference, alpha=alpha)


def _check(margin: float, alpha: float) -> None:
    if not margin > 0 or not 0 < alpha < 0.5:
        message = f"expected a margin above 0 and alpha between 0 and 0.5, found {margin} and {alpha}"
        raise ValueError(message)
