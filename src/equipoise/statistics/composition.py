"""Rates made comparable across different mixes of items: standardisation, and what a gap is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import InputError
from equipoise.statistics.bootstrap import RESAMPLES, bootstrap_many
from equipoise.statistics.clusters import cluster_robust_rate
from equipoise.statistics.estimate import Estimate, Result, check_level
from equipoise.statistics.proportions import wilson, wilson_ends


class EmptyStratumError(InputError):
    """A stratum of the declared mix has no item; its rate is unknown and is not guessed by reweighting the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standardised(Result):
    """A rate under a declared mix, beside the crude one.

    Attributes:
        crude: the rate as observed.
        standardised: the rate under the declared mix.
        variance: sum of w^2 p (1 - p) / n over strata.
        strata: by stratum the declared share, the observed share and the rate with its interval.
    """

    crude: Estimate
    standardised: Estimate
    variance: float
    strata: Mapping[str, Mapping[str, float | Estimate]]


def standardise(
    hits: ArrayLike,
    strata: Sequence[str],
    mix: Mapping[str, float],
    *,
    level: float = 0.95,
    clusters: Sequence[str] | None = None,
) -> Standardised:
    """Direct standardisation: sum of w_s p_s over strata, with the declared shares w.

    The interval combines the strata's Wilson intervals: the lower end is R - sqrt(sum w^2 (p - l)^2), the upper end
    likewise, so it has a width where a stratum shows no event. With clusters that repeat, the strata's intervals are
    cluster-robust (the extra `stats`); a stratum of a single cluster counts as one item.

    Args:
        hits: 0 or 1 an item.
        strata: stratum an item.
        mix: declared share (or count) by stratum; made to sum to 1.
        level: coverage aimed at.
        clusters: a label an item; None: every item is its own.

    Returns:
        Crude and standardised rate, in [0, 1].

    Raises:
        EmptyStratumError: a stratum with a positive share has no item.
        ValueError: an item lies in a stratum that is not declared, a share is negative, values are not 0 or 1.

    References:
        Breslow NE, Day NE. Statistical Methods in Cancer Research II. IARC 1987, section 2.2.
        Zou GY, Donner A. Stat Med 2008;27:1693-1702. doi:10.1002/sim.3095 (combining intervals)
    """
    check_level(level)
    values, names = _checked(hits, strata)
    weights = _shares(mix)
    unknown = sorted(set(names) - set(weights))
    if unknown:
        message = f"items lie in strata that the mix does not declare: {', '.join(unknown)}"
        raise ValueError(message)
    counts = {name: (int(values[names == name].sum()), int((names == name).sum())) for name in weights}
    empty = [name for name, share in weights.items() if share > 0 and counts[name][1] == 0]
    if empty:
        message = f"no item in {', '.join(empty)}: the rate there is unknown, so no standardised rate is given"
        raise EmptyStratumError(message)
    used = {name: share for name, share in weights.items() if share > 0}
    labels = None if clusters is None else np.asarray(list(clusters), dtype=str)
    rates = {
        name: _stratum_rate(values[names == name], None if labels is None else labels[names == name], level)
        for name in used
    }
    rate, down, up, variance = 0.0, 0.0, 0.0, 0.0
    for name, share in used.items():
        part = rates[name]
        point, low, high = part.estimate or 0.0, part.low or 0.0, part.high or 0.0
        rate += share * point
        down += share**2 * (point - low) ** 2
        up += share**2 * (high - point) ** 2
        variance += share**2 * point * (1 - point) / part.n_used
    left = len(values) - sum(part.n_used for part in rates.values())
    standardised = Estimate(
        estimate=rate,
        low=max(0.0, rate - sqrt(down)),
        high=min(1.0, rate + sqrt(up)),
        method=(
            f"direct standardisation to {len(used)} strata, combined "
            f"{'Wilson' if labels is None else 'cluster-robust'} intervals, {level:.0%}"
        ),
        n_used=len(values) - left,
        n_left_out=left,
        why_left_out="stratum with declared share 0" if left else "",
        warnings=() if labels is None else _crossing(labels, names),
    )
    return Standardised(
        crude=_stratum_rate(values, labels, level),
        standardised=standardised,
        variance=variance,
        strata={
            name: {"share": share, "observed_share": rates[name].n_used / len(values), "rate": rates[name]}
            for name, share in used.items()
        },
    )


def post_stratify(
    hits: ArrayLike, strata: Sequence[str], population: Mapping[str, int], *, level: float = 0.95
) -> Standardised:
    """The rate in a population whose strata sizes are known: direct standardisation to those sizes.

    Args:
        hits: 0 or 1 a sampled item.
        strata: stratum a sampled item.
        population: size by stratum, whole numbers.
        level: coverage aimed at.

    Returns:
        Crude and post-stratified rate.

    Raises:
        EmptyStratumError: a stratum of the population was not sampled.
        ValueError: as in `standardise`, or a size that is no whole number.

    References:
        Holt D, Smith TMF. J R Stat Soc A 1979;142:33-46. doi:10.2307/2344652
    """
    if any(size != int(size) for size in population.values()):
        message = "population sizes are whole numbers; for shares use standardise"
        raise ValueError(message)
    return standardise(hits, strata, population, level=level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition(Result):
    """What a gap between two rates is made of.

    Attributes:
        gap: rate of the first less rate of the second.
        rate_part: what remains with the mean mix of both: different rates within strata.
        mix_part: what comes from different mixes, at the mean rates.
        by_stratum: rate part and mix part by stratum; they sum to the parts.
    """

    gap: Estimate
    rate_part: Estimate
    mix_part: Estimate
    by_stratum: Mapping[str, Mapping[str, float]]


def kitagawa(
    first_hits: ArrayLike,
    first_strata: Sequence[str],
    second_hits: ArrayLike,
    second_strata: Sequence[str],
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    first_clusters: Sequence[str] | None = None,
    second_clusters: Sequence[str] | None = None,
) -> Decomposition:
    """Kitagawa's decomposition of a gap in rates into rate and mix parts.

    rate part = sum (p1 - p2) (m1 + m2) / 2, mix part = sum (m1 - m2) (p1 + p2) / 2, with p rates and m shares by
    stratum; they add up to the gap exactly. Intervals draw the items (or whole clusters) of each group with
    replacement; resamples in which a stratum runs empty are left out and counted.

    Args:
        first_hits: 0 or 1 an item of the first group.
        first_strata: stratum an item.
        second_hits: the same for the second group.
        second_strata: stratum an item.
        rng: random generator.
        resamples: number of resamples.
        level: coverage aimed at.
        first_clusters: a label an item of the first group; None: every item is its own.
        second_clusters: the same for the second group; both or neither.

    Returns:
        Gap and parts, in -1 to 1.

    Raises:
        EmptyStratumError: a stratum occurs in one group only.
        ValueError: values are not 0 or 1, a group has fewer than two items or clusters, or clusters of one group only.

    References:
        Kitagawa EM. J Am Stat Assoc 1955;50:1168-1194. doi:10.1080/01621459.1955.10501299
    """
    one, one_names = _checked(first_hits, first_strata)
    two, two_names = _checked(second_hits, second_strata)
    only = sorted(set(one_names.tolist()) ^ set(two_names.tolist()))
    if only:
        message = f"strata in one group only: {', '.join(only)}; their rate in the other is unknown"
        raise EmptyStratumError(message)
    if (first_clusters is None) != (second_clusters is None):
        message = "expected clusters of both groups, or of neither"
        raise ValueError(message)
    drawn = None
    if first_clusters is not None and second_clusters is not None:
        drawn = [*(f"first\t{label}" for label in first_clusters), *(f"second\t{label}" for label in second_clusters)]
    names = sorted(set(one_names.tolist()))
    count = len(names)
    rows = np.zeros((len(one) + len(two), 4 * count))
    for offset, hits, labels, start in ((0, one, one_names, 0), (len(one), two, two_names, 2 * count)):
        columns = np.array([names.index(label) for label in labels])
        index = offset + np.arange(len(hits))
        rows[index, start + columns] = hits
        rows[index, start + count + columns] = 1

    def parts(totals: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        hits1, n1, hits2, n2 = (totals[:, start : start + count] for start in range(0, 4 * count, count))
        rates1, rates2 = _ratio(hits1, n1), _ratio(hits2, n2)
        mix1, mix2 = n1 / n1.sum(axis=1, keepdims=True), n2 / n2.sum(axis=1, keepdims=True)
        return (rates1 - rates2) * (mix1 + mix2) / 2, (mix1 - mix2) * (rates1 + rates2) / 2

    results = bootstrap_many(
        rows,
        {
            "gap": lambda totals: parts(totals)[0].sum(axis=1) + parts(totals)[1].sum(axis=1),
            "rate": lambda totals: parts(totals)[0].sum(axis=1),
            "mix": lambda totals: parts(totals)[1].sum(axis=1),
        },
        rng=rng,
        resamples=resamples,
        level=level,
        clusters=drawn,
        strata=["first"] * len(one) + ["second"] * len(two),
    )
    rate, mix = parts(rows.sum(axis=0, keepdims=True))
    return Decomposition(
        gap=results["gap"],
        rate_part=results["rate"],
        mix_part=results["mix"],
        by_stratum={
            name: {"rate_part": float(rate[0, index]), "mix_part": float(mix[0, index])}
            for index, name in enumerate(names)
        },
    )


def _stratum_rate(hits: NDArray[np.float64], clusters: NDArray[np.str_] | None, level: float) -> Estimate:
    """A rate whose interval knows of clusters that repeat; a single cluster counts as one item."""
    single = wilson(int(hits.sum()), len(hits), level=level)
    if clusters is None or len(set(clusters.tolist())) == len(clusters):
        return single
    if len(set(clusters.tolist())) > 1:
        return cluster_robust_rate(hits, clusters, level=level)
    low, high = wilson_ends(float(hits.mean()), 1.0, NormalDist().inv_cdf(0.5 + level / 2))
    return Estimate(
        estimate=single.estimate,
        low=low,
        high=high,
        method=f"Wilson on one cluster of {len(hits)} items, {level:.0%}",
        n_used=len(hits),
        warnings=("all items are of one cluster, which counts as one item",),
    )


def _crossing(clusters: NDArray[np.str_], strata: NDArray[np.str_]) -> tuple[str, ...]:
    """A warning when clusters lie in several strata, whose rates are then not independent."""
    pairs = set(zip(clusters.tolist(), strata.tolist(), strict=True))
    crossing = len(pairs) - len(set(clusters.tolist()))
    if not crossing:
        return ()
    return ("some clusters lie in several strata; the interval takes the strata's rates as independent",)


def _checked(hits: ArrayLike, strata: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    values = np.asarray(hits, dtype=np.float64)
    names = np.asarray(list(strata), dtype=str)
    if values.ndim != 1 or values.shape != names.shape or len(values) == 0 or not np.isin(values, (0.0, 1.0)).all():
        message = "expected 0 or 1 and a stratum for every item, at least one item"
        raise ValueError(message)
    return values, names


def _shares(mix: Mapping[str, float]) -> dict[str, float]:
    total = float(sum(mix.values()))
    if not mix or min(mix.values()) < 0 or total <= 0:
        message = "expected a declared share of at least 0 by stratum, not all 0"
        raise ValueError(message)
    return {name: share / total for name, share in mix.items()}


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = np.full(above.shape, np.nan)
    np.divide(above, below, out=result, where=below > 0)
    return result
