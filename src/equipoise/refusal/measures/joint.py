"""The pair: over-refusal never without harmful compliance, with what the two say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.refusal.measures.definitions import ANY, PAIRINGS, Pairing
from equipoise.refusal.measures.discrimination import Discrimination, discrimination
from equipoise.refusal.measures.rates import MeasuredRate, measure, observed_mix
from equipoise.refusal.measures.replies import Reply, states_of
from equipoise.refusal.terms import Arm
from equipoise.statistics.estimate import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class JointRates(Result):
    """Both failure modes of one system under one pairing of definitions.

    Attributes:
        pairing: which definitions.
        system: the system.
        over_refusal: refused, of the benign arm.
        harmful_compliance: complied with, of the harmful arm.
        discrimination: Youden's J and d'.
        states: replies of both arms by state; they sum to the replies.
        n_other: replies of other arms (borderline, unlabelled), which enter neither rate.
    """

    pairing: Pairing
    system: str
    over_refusal: MeasuredRate
    harmful_compliance: MeasuredRate
    discrimination: Discrimination
    states: Mapping[str, int]
    n_other: int


def joint_rates(
    replies: Sequence[Reply],
    *,
    rng: np.random.Generator,
    pairing: Pairing = ANY,
    mix: Mapping[Arm, Mapping[str, float]] | None = None,
    valid: Mapping[Arm, float] | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 42,
) -> JointRates:
    """Over-refusal and harmful compliance of one system, always both.

    Args:
        replies: replies of one system.
        rng: random generator of the intervals that are drawn.
        pairing: which definitions.
        mix: reference share by stratum, by arm; the arms' own items by default. A stratum without a readable reply is
            refused, not reweighted.
        valid: share of an arm's labels that are right, by arm, where somebody measured it.
        resamples: resamples of drawn intervals.
        level: coverage aimed at.
        seed: seed of the intervals of the corrected rates.

    Returns:
        Both rates; that of an arm without prompts is undefined and says so.

    Raises:
        ValueError: the replies are of several systems, or a share is out of range.
    """
    rates = [
        measure(
            replies,
            definition,
            mix=(mix or {}).get(definition.arm) or observed_mix(replies, definition),
            valid_share=(valid or {}).get(definition.arm),
            level=level,
            seed=seed,
            resamples=resamples,
        )
        for definition in (pairing.over_refusal, pairing.harmful_compliance)
    ]
    sides = [reply for reply in replies if reply.arm in (Arm.BENIGN, Arm.HARMFUL)]
    return JointRates(
        pairing=pairing,
        system=rates[0].system,
        over_refusal=rates[0],
        harmful_compliance=rates[1],
        discrimination=discrimination(sides, pairing, rng=rng, resamples=resamples, level=level),
        states=states_of(sides),
        n_other=len(replies) - len(sides),
    )


def readable_pairings(replies: Sequence[Reply]) -> tuple[Pairing, ...]:
    """The pairings of `PAIRINGS` for which some reply was read; those by judges need judgements.

    Args:
        replies: replies of any systems.
    """
    return tuple(
        pairing
        for pairing in PAIRINGS
        if any(
            pairing.harmful_compliance.occurs(reply) is not None
            for reply in replies
            if reply.arm is pairing.harmful_compliance.arm
        )
        or pairing in PAIRINGS[:2]
    )
