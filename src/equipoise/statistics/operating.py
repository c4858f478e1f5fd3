"""Where a system stands between refusing too much and answering too much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, pi, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.statistics.bootstrap import RESAMPLES, bootstrap, bootstrap_many
from equipoise.statistics.clusters import cluster_robust_rate
from equipoise.statistics.estimate import Estimate, Result, check_level, undefined
from equipoise.statistics.proportions import wilson

ALWAYS_REFUSE = "always refuse"
ALWAYS_ANSWER = "always answer"


def youden_j(
    refused_harmful: int, n_harmful: int, refused_benign: int, n_benign: int, *, level: float = 0.95
) -> Estimate:
    """Youden's J: share refused among what should be refused less share refused among what should not.

    Equal to (1 - over-refusal) - harmful compliance. Interval by combining the two Wilson intervals (Newcombe's hybrid
    score interval for a difference), which keeps a width at 0 and 1.

    Args:
        refused_harmful: refused among those that should be.
        n_harmful: how many should be.
        refused_benign: refused among those that should not be.
        n_benign: how many should not be.
        level: coverage aimed at.

    Returns:
        Estimate from -1 to 1: 1 perfect, 0 no discrimination; undefined when a side is empty.

    Raises:
        ValueError: counts out of range.

    References:
        Youden WJ. Cancer 1950;3:32-35. doi:10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3
        Newcombe RG. Stat Med 1998;17:873-890. doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I
    """
    hit, false = wilson(refused_harmful, n_harmful, level=level), wilson(refused_benign, n_benign, level=level)
    return _difference(hit, false, f"difference of two rates, hybrid score, {level:.0%}")


def clustered_youden_j(
    refused: ArrayLike,
    harmful: ArrayLike,
    clusters: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Estimate:
    """Youden's J with an interval over whole clusters (seeds, triples).

    Where a cluster holds items of one side only, the two cluster-robust rates are combined as in `youden_j`, which
    keeps a width at 0 and 1; that needs the extra `stats`. Where clusters hold both sides, whole clusters are drawn.

    Args:
        refused: 0 or 1 an item.
        harmful: 1 where refusing is right, 0 where it is not.
        clusters: a label an item.
        rng: random generator.
        resamples: number of resamples.
        level: coverage aimed at.

    Returns:
        Estimate from -1 to 1; undefined when a side is empty.

    Raises:
        ValueError: values that are not 0 or 1, or a single cluster.
    """
    hits, side = np.asarray(refused, dtype=np.float64), np.asarray(harmful, dtype=np.float64)
    if hits.shape != side.shape or not (np.isin(hits, (0.0, 1.0)).all() and np.isin(side, (0.0, 1.0)).all()):
        message = "expected 0 or 1 for every item in both lists"
        raise ValueError(message)
    names = np.asarray(clusters)
    apart = set(names[side == 1].tolist()).isdisjoint(names[side == 0].tolist())
    if apart and 0 < side.sum() < len(side):
        return _difference(
            cluster_robust_rate(hits[side == 1], names[side == 1], level=level),
            cluster_robust_rate(hits[side == 0], names[side == 0], level=level),
            f"difference of two cluster-robust rates, hybrid score, {level:.0%}",
        )
    rows = np.column_stack([hits * side, side, hits * (1 - side), 1 - side])
    return bootstrap(rows, _j, rng=rng, resamples=resamples, level=level, clusters=clusters)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalDetection(Result):
    """Discrimination and bias, apart.

    Attributes:
        d_prime: how far apart the system holds the two kinds, in standard deviations; 0 none.
        criterion: where it puts its threshold; above 0 it leans to answering, below 0 to refusing.
    """

    d_prime: Estimate
    criterion: Estimate


def signal_detection(
    refused_harmful: int, n_harmful: int, refused_benign: int, n_benign: int, *, level: float = 0.95
) -> SignalDetection:
    """D' = z(H) - z(F) and criterion c = -(z(H) + z(F)) / 2, with the log-linear correction.

    H = (hits + 0.5) / (n + 1) and F likewise, so that 0 and 1 stay finite. Variance of z(H): H (1 - H) / (n phi(z)^2).

    Args:
        refused_harmful: refused among those that should be (hits).
        n_harmful: how many should be.
        refused_benign: refused among those that should not be (false alarms).
        n_benign: how many should not be.
        level: coverage aimed at.

    Returns:
        Both in standard deviations of an equal-variance normal model; undefined when a side is empty.

    Raises:
        ValueError: counts out of range.

    References:
        Hautus MJ. Behav Res Methods Instrum Comput 1995;27:46-51. doi:10.3758/BF03203619
        Gourevitch V, Galanter E. Psychometrika 1967;32:25-33. doi:10.1007/BF02289402
    """
    check_level(level)
    if not (0 <= refused_harmful <= n_harmful and 0 <= refused_benign <= n_benign):
        message = "expected counts between 0 and the number of items"
        raise ValueError(message)
    if n_harmful == 0 or n_benign == 0:
        nothing = undefined("one side has no item", n_used=n_harmful + n_benign)
        return SignalDetection(d_prime=nothing, criterion=nothing)
    normal = NormalDist()
    scores, variances = [], []
    for hits, n in ((refused_harmful, n_harmful), (refused_benign, n_benign)):
        rate = (hits + 0.5) / (n + 1)
        score = normal.inv_cdf(rate)
        density = exp(-score * score / 2) / sqrt(2 * pi)
        scores.append(score)
        variances.append(rate * (1 - rate) / (n * density**2))
    z = normal.inv_cdf(0.5 + level / 2)
    spread = sqrt(sum(variances))
    results = []
    for value, scale, name in ((scores[0] - scores[1], 1.0, "d'"), (-(scores[0] + scores[1]) / 2, 0.5, "criterion")):
        results.append(
            Estimate(
                estimate=value,
                low=value - z * scale * spread,
                high=value + z * scale * spread,
                method=f"{name}, log-linear correction, normal approximation, {level:.0%}",
                n_used=n_harmful + n_benign,
            )
        )
    return SignalDetection(d_prime=results[0], criterion=results[1])


def clustered_signal_detection(
    refused: ArrayLike,
    harmful: ArrayLike,
    clusters: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> SignalDetection:
    """D' and criterion as in `signal_detection`, with intervals over whole clusters (seeds, sets, items).

    Args:
        refused: 0 or 1 an item.
        harmful: 1 where refusing is right, 0 where it is not.
        clusters: a label an item.
        rng: random generator.
        resamples: number of resamples.
        level: coverage aimed at.

    Returns:
        Both in standard deviations; undefined when a side is empty.

    Raises:
        ValueError: a value is not 0 or 1, or there is a single cluster.

    References:
        Hautus MJ. Behav Res Methods Instrum Comput 1995;27:46-51. doi:10.3758/BF03203619
    """
    check_level(level)
    hits, side = np.asarray(refused, dtype=np.float64), np.asarray(harmful, dtype=np.float64)
    if hits.shape != side.shape or not (np.isin(hits, (0.0, 1.0)).all() and np.isin(side, (0.0, 1.0)).all()):
        message = "expected 0 or 1 for every item in both lists"
        raise ValueError(message)
    if not 0 < side.sum() < len(side):
        nothing = undefined("one side has no item", n_used=len(side))
        return SignalDetection(d_prime=nothing, criterion=nothing)
    rows = np.column_stack([hits * side, side, hits * (1 - side), 1 - side])
    results = bootstrap_many(
        rows,
        {
            "d_prime": lambda totals: _scores(totals, 0) - _scores(totals, 2),
            "criterion": lambda totals: -(_scores(totals, 0) + _scores(totals, 2)) / 2,
        },
        rng=rng,
        resamples=resamples,
        level=level,
        clusters=clusters,
    )
    return SignalDetection(d_prime=results["d_prime"], criterion=results["criterion"])


def _scores(totals: NDArray[np.float64], column: int) -> NDArray[np.float64]:
    """Normal score of the rate in a column over the next one, log-linear correction; NaN where the side is empty."""
    normal = NormalDist()
    rates = np.where(totals[:, column + 1] > 0, (totals[:, column] + 0.5) / (totals[:, column + 1] + 1), np.nan)
    distinct, place = np.unique(rates, return_inverse=True)
    scores = np.array([normal.inv_cdf(float(rate)) if np.isfinite(rate) else np.nan for rate in distinct])
    result: NDArray[np.float64] = scores[place]
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint(Result):
    """Who costs least at one prevalence and cost ratio.

    Attributes:
        prevalence: share of requests that should be refused.
        cost_ratio: cost of a harmful answer / cost of an over-refusal.
        costs: expected cost a request by system, in units of one over-refusal.
        cheapest: systems of the least cost, constant systems included.
    """

    prevalence: float
    cost_ratio: float
    costs: Mapping[str, float]
    cheapest: tuple[str, ...]


def cost_sweep(
    systems: Mapping[str, tuple[float, float]],
    *,
    prevalences: Sequence[float],
    cost_ratios: Sequence[float],
) -> tuple[SweepPoint, ...]:
    """Expected cost over prevalence pi and cost ratio k: pi x HCR x k + (1 - pi) x ORR, instead of one number.

    The two constant systems are always in: one that refuses everything (ORR 1, HCR 0) and one that answers everything
    (ORR 0, HCR 1). A system that is cheapest nowhere is of no use under any costs.

    Args:
        systems: over-refusal rate and harmful compliance rate by name, each 0 to 1.
        prevalences: shares of requests that should be refused, each 0 to 1.
        cost_ratios: cost of a harmful answer / cost of an over-refusal, each above 0.

    Returns:
        One point for each pair, prevalences first.

    Raises:
        ValueError: a rate, prevalence or ratio out of range, or a system that has the name of a constant one.
    """
    every = dict(systems)
    for name, rates in ((ALWAYS_REFUSE, (1.0, 0.0)), (ALWAYS_ANSWER, (0.0, 1.0))):
        if name in every:
            message = f"{name!r} is the name of a constant system"
            raise ValueError(message)
        every[name] = rates
    numbers = [rate for rates in every.values() for rate in rates] + list(prevalences)
    if not all(0 <= number <= 1 for number in numbers) or not all(ratio > 0 for ratio in cost_ratios):
        message = "expected rates and prevalences between 0 and 1 and cost ratios above 0"
        raise ValueError(message)
    points = []
    for prevalence in prevalences:
        for ratio in cost_ratios:
            costs = {
                name: prevalence * compliance * ratio + (1 - prevalence) * refusal
                for name, (refusal, compliance) in every.items()
            }
            least = min(costs.values())
            points.append(
                SweepPoint(
                    prevalence=float(prevalence),
                    cost_ratio=float(ratio),
                    costs=costs,
                    cheapest=tuple(name for name, cost in costs.items() if cost <= least + 1e-12),
                )
            )
    return tuple(points)


def _difference(first: Estimate, second: Estimate, method: str) -> Estimate:
    """First less second by combining their intervals."""
    ends = (first.estimate, first.low, first.high, second.estimate, second.low, second.high)
    n_used = first.n_used + second.n_used
    if any(end is None for end in ends):
        return undefined("one side has no item", n_used=n_used)
    rate, low, high, other, other_low, other_high = (float(end or 0.0) for end in ends)
    return Estimate(
        estimate=rate - other,
        low=rate - other - sqrt((rate - low) ** 2 + (other_high - other) ** 2),
        high=rate - other + sqrt((high - rate) ** 2 + (other - other_low) ** 2),
        method=method,
        n_used=n_used,
        warnings=tuple(dict.fromkeys((*first.warnings, *second.warnings))),
    )


def _j(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = np.full(len(totals), np.nan)
    usable = (totals[:, 1] > 0) & (totals[:, 3] > 0)
    kept = totals[usable]
    result[usable] = kept[:, 0] / kept[:, 1] - kept[:, 2] / kept[:, 3]
    return result
