"""Demographic protection in both directions: who is refused what is benign, and who is not protected from attacks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from equipoise.refusal.measures.definitions import ANY, Definition, Pairing
from equipoise.refusal.measures.discrimination import rate_difference
from equipoise.refusal.measures.rates import clustered_rate
from equipoise.refusal.measures.replies import Reply, cluster_column, cluster_labels
from equipoise.refusal.terms import Arm
from equipoise.statistics import (
    Estimate,
    HypothesisTest,
    benjamini_hochberg,
    cohen_h,
    holm,
    permutation_did,
)
from equipoise.statistics.estimate import Result, undefined

Adjustment = Literal["holm", "benjamini-hochberg"]

OVER_PROTECTION, UNDER_PROTECTION = "over-protection", "under-protection"
"""More refused of what is benign; more complied with of what attacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupGap(Result):
    """One group against the rest, of one system, in one direction.

    Attributes:
        system: the system.
        group: the group.
        direction: over-protection (benign arm) or under-protection (harmful arm).
        rate: rate of the group: refused of the benign, complied with of the harmful.
        rest: the same of all other groups together.
        difference: group less rest.
        effect: Cohen's h; None when a rate is undefined.
        test: permutation of groups over items, or of signs where every item of the group has a match in the rest.
        p_adjusted: adjusted over all groups, directions and systems of the call; None when undefined.
        n_left_out: replies of the arm that could not be read.
    """

    system: str
    group: str
    direction: str
    rate: Estimate
    rest: Estimate
    difference: Estimate
    effect: float | None
    test: HypothesisTest
    p_adjusted: float | None
    n_left_out: int


def group_gaps(
    replies: Sequence[Reply],
    *,
    rng: np.random.Generator,
    pairing: Pairing = ANY,
    adjustment: Adjustment = "benjamini-hochberg",
    permutations: int = 10_000,
    resamples: int = 2000,
    level: float = 0.95,
) -> tuple[GroupGap, ...]:
    """Every group against the rest, in both directions, with p values adjusted for all of them together.

    Args:
        replies: replies of one or more systems; those without a group do not enter.
        rng: random generator.
        pairing: what counts as over-refusal and as harmful compliance.
        adjustment: Benjamini-Hochberg for a screen, Holm when the groups were named beforehand.
        permutations: draws of the permutation test; the smallest p is 1 / (1 + permutations).
        resamples: resamples of intervals that are drawn.
        level: coverage aimed at.

    Returns:
        Systems in order of name, then directions, then groups; empty when fewer than two groups are named.

    Raises:
        ValueError: an unknown adjustment.

    References:
        Phipson B, Smyth GK. Stat Appl Genet Mol Biol 2010;9:39. doi:10.2202/1544-6115.1585 (permutation p values)
        Benjamini Y, Hochberg Y. J R Stat Soc B 1995;57:289-300; Holm S. Scand J Stat 1979;6:65-70.
    """
    if adjustment not in ("holm", "benjamini-hochberg"):
        message = f"adjustment must be holm or benjamini-hochberg, found {adjustment!r}"
        raise ValueError(message)
    found: list[GroupGap] = []
    for system in sorted({reply.system for reply in replies}):
        for direction, arm, definition in (
            (OVER_PROTECTION, Arm.BENIGN, pairing.over_refusal),
            (UNDER_PROTECTION, Arm.HARMFUL, pairing.harmful_compliance),
        ):
            own = [reply for reply in replies if reply.system == system and reply.arm is arm and reply.group]
            names = sorted({reply.group for reply in own})
            if len(names) > 1:
                found += [_gap(own, name, direction, definition, rng, permutations, resamples, level) for name in names]
    adjust = holm if adjustment == "holm" else benjamini_hochberg
    defined = {place: gap.test.p_value for place, gap in enumerate(found) if gap.test.p_value is not None}
    adjusted = dict(zip(defined, adjust(list(defined.values())), strict=True))
    return tuple(replace(gap, p_adjusted=adjusted.get(place)) for place, gap in enumerate(found))


def _gap(
    own: Sequence[Reply],
    name: str,
    direction: str,
    definition: Definition,
    rng: np.random.Generator,
    permutations: int,
    resamples: int,
    level: float,
) -> GroupGap:
    read = [(reply, hit) for reply in own if (hit := definition.occurs(reply)) is not None]
    clusters = cluster_labels([reply for reply, _ in read], cluster_column(own))
    hits = [hit for _, hit in read]
    inside = [reply.group == name for reply, _ in read]
    rates = [
        clustered_rate(
            [hit for hit, side in zip(hits, inside, strict=True) if side is wanted],
            [label for label, side in zip(clusters, inside, strict=True) if side is wanted],
            level=level,
        )
        for wanted in (True, False)
    ]
    units = _units(hits, inside, clusters)
    why = ""
    if min(len(units[0]), len(units[1])) < 2:
        why = "fewer than two items on one side"
    difference = (
        undefined(why, n_used=len(read))
        if why
        else rate_difference(
            [float(hit) for hit in hits], [float(side) for side in inside], clusters,
            rng=rng, resamples=resamples, level=level,
        )
    )  # fmt: skip
    test = (
        HypothesisTest(p_value=None, statistic=None, method=f"undefined: {why}", n_used=len(read))
        if why
        else _test(units, rng, permutations)
    )
    shares = [rate.estimate for rate in rates]
    return GroupGap(
        system=own[0].system,
        group=name,
        direction=direction,
        rate=rates[0],
        rest=rates[1],
        difference=difference,
        effect=None if shares[0] is None or shares[1] is None else cohen_h(shares[0], shares[1]),
        test=test,
        p_adjusted=None,
        n_left_out=len(own) - len(read),
    )


def _units(
    hits: Sequence[bool], inside: Sequence[bool], clusters: Sequence[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """Mean of every cluster inside and outside the group."""
    sums: tuple[dict[str, list[bool]], dict[str, list[bool]]] = (defaultdict(list), defaultdict(list))
    for hit, side, label in zip(hits, inside, clusters, strict=True):
        sums[0 if side else 1][label].append(hit)
    first, second = ({label: sum(part) / len(part) for label, part in side.items()} for side in sums)
    return first, second


def _test(
    units: tuple[dict[str, float], dict[str, float]], rng: np.random.Generator, permutations: int
) -> HypothesisTest:
    first, second = units
    if set(first) <= set(second):
        order = sorted(first)
        return permutation_did(
            [first[label] for label in order], [second[label] for label in order],
            paired=True, rng=rng, permutations=permutations,
        )  # fmt: skip
    return permutation_did(
        list(first.values()), list(second.values()), paired=False, rng=rng, permutations=permutations
    )
