"""Answering only when confident: risk against coverage, where a confidence exists."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import InputError
from equipoise.statistics.bootstrap import bootstrap_indices
from equipoise.statistics.estimate import Estimate, Result, undefined

Array = NDArray[np.float64]


class NoConfidenceError(InputError):
    """There is no confidence to order replies by: a refusal gives one point, not a curve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskCoverage(Result):
    """Risk as the share answered falls.

    Attributes:
        coverages: share answered at each distinct confidence, rising to 1.
        risks: errors among the answered at each.
        aurc: area under the risk-coverage curve.
        augrc: area under the generalised curve (answered and wrong / all).
    """

    coverages: tuple[float, ...]
    risks: tuple[float, ...]
    aurc: Estimate
    augrc: Estimate


def risk_coverage(
    confidence: ArrayLike,
    correct: ArrayLike,
    *,
    rng: np.random.Generator,
    clusters: ArrayLike | None = None,
    resamples: int = 1000,
    level: float = 0.95,
) -> RiskCoverage:
    """Risk-coverage curve with AURC and AUGRC.

    Replies are ordered by confidence, highest first. With e_i the errors among the first i of n: AURC is the mean of
    e_i / i; AUGRC the trapezoid area under e_i / n over coverage i / n, which equals
    (1 - AUROC) a (1 - a) + (1 - a)^2 / 2 for accuracy a. Equal confidences count as in the mean over their orders.

    Args:
        confidence: a number a reply.
        correct: 0 or 1 a reply.
        rng: random generator of the intervals.
        clusters: a label a reply.
        resamples: number of resamples.
        level: coverage aimed at.

    Returns:
        Curve and areas, 0 (no errors) to 1; lower is better. Undefined without replies.

    Raises:
        NoConfidenceError: a confidence is missing, or all are equal.
        ValueError: unequal lengths or values other than 0 and 1.

    References:
        Geifman Y, El-Yaniv R. 2017. doi:10.48550/arXiv.1705.08500
        Traub J et al. 2024. doi:10.48550/arXiv.2407.01032 (AUGRC)
    """
    scores, hits = np.asarray(confidence, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    if scores.shape != hits.shape or scores.ndim != 1 or not np.isin(hits, (0.0, 1.0)).all():
        message = "expected a confidence and 0 or 1 for every reply"
        raise ValueError(message)
    if len(scores) == 0:
        nothing = undefined("no reply")
        return RiskCoverage(coverages=(), risks=(), aurc=nothing, augrc=nothing)
    absent = int(np.isnan(scores).sum())
    if absent:
        message = f"{absent} of {len(scores)} replies state no confidence; no curve is drawn from the others alone"
        raise NoConfidenceError(message)
    if len(scores) > 1 and np.ptp(scores) == 0:
        message = "all confidences are equal: they order nothing, and one point is no curve"
        raise NoConfidenceError(message)
    ends, errors = _steps(scores, hits)
    areas = [
        bootstrap_indices(
            len(scores),
            lambda index, area=area: area(scores[index], hits[index]),  # type: ignore[misc]
            rng=rng,
            resamples=resamples,
            level=level,
            clusters=clusters,
        )
        for area in (_aurc, _augrc)
    ]
    return RiskCoverage(
        coverages=tuple(float(end) / len(scores) for end in ends),
        risks=tuple(float(risk) for risk in errors / ends),
        aurc=areas[0],
        augrc=areas[1],
    )


def _steps(scores: Array, hits: Array) -> tuple[NDArray[np.int64], Array]:
    """Replies and errors down to each distinct confidence, highest first."""
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])) + 1, len(scores))
    return ends, np.cumsum(1 - hits[order])[ends - 1]


def _expected_errors(scores: Array, hits: Array) -> Array:
    """Errors among the first i replies, averaged over the orders of equal confidences."""
    ends, errors = _steps(scores, hits)
    counts = np.arange(1, len(scores) + 1)
    return np.interp(counts, np.insert(ends, 0, 0), np.insert(errors, 0, 0.0))


def _aurc(scores: Array, hits: Array) -> float:
    return float((_expected_errors(scores, hits) / np.arange(1, len(scores) + 1)).mean())


def _augrc(scores: Array, hits: Array) -> float:
    ends, errors = _steps(scores, hits)
    n = len(scores)
    heights = np.insert(errors, 0, 0.0) / n
    return float((np.diff(np.insert(ends, 0, 0)) / n * (heights[1:] + heights[:-1]) / 2).sum())
