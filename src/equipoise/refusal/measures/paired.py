"""Two systems on the same prompts: a model with and without a guard, a base model and its fine-tuned child."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from equipoise.refusal.measures.definitions import ANY, Definition, Pairing
from equipoise.refusal.measures.groups import Adjustment
from equipoise.refusal.measures.guarding import GuardBlocks, guard_blocks
from equipoise.refusal.measures.joint import JointRates, joint_rates
from equipoise.refusal.measures.rates import clustered_rate, stratum_of
from equipoise.refusal.measures.replies import Reply, cluster_column, cluster_labels
from equipoise.refusal.measures.words import Helpfulness
from equipoise.refusal.terms import Arm, Refusal
from equipoise.statistics import (
    Estimate,
    HypothesisTest,
    benjamini_hochberg,
    holm,
    mcnemar,
    paired_rate_difference,
    permutation_did,
    wilcoxon_pairs,
)
from equipoise.statistics.estimate import Result, undefined


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedChange(Result):
    """A rate of two systems on the same prompts, second less first.

    Attributes:
        definition: what is counted.
        stratum: category it is restricted to; empty for all.
        first: name of the first system.
        second: name of the second.
        difference: rate of the second less rate of the first.
        first_only: prompts with the event in the first alone.
        second_only: in the second alone.
        test: exact McNemar, or a sign flip over clusters where prompts repeat.
        p_adjusted: adjusted over the changes of one call; None when undefined.
        n_left_out: pairs of which one could not be read.
    """

    definition: Definition
    stratum: str
    first: str
    second: str
    difference: Estimate
    first_only: int
    second_only: int
    test: HypothesisTest
    p_adjusted: float | None
    n_left_out: int


def paired_change(
    first: Sequence[Reply],
    second: Sequence[Reply],
    definition: Definition,
    *,
    rng: np.random.Generator,
    stratum: str = "",
    resamples: int = 2000,
    level: float = 0.95,
) -> PairedChange:
    """Change of a rate from the first system to the second over prompts both answered.

    Args:
        first: replies of the first system.
        second: replies of the second.
        definition: what is counted.
        rng: random generator.
        stratum: category to restrict to.
        resamples: resamples of the interval.
        level: coverage aimed at.

    Returns:
        Undefined when no prompt was read in both, or all are of one cluster.
    """
    other = {reply.key: reply for reply in second if definition.enters(reply)}
    pairs = [
        (reply, other[reply.key])
        for reply in first
        if definition.enters(reply) and reply.key in other and stratum in ("", stratum_of(reply))
    ]
    values = [(reply, definition.occurs(reply), definition.occurs(partner)) for reply, partner in pairs]
    read = [(reply, bool(one), bool(two)) for reply, one, two in values if one is not None and two is not None]
    left = len(pairs) - len(read)
    labels = cluster_labels([reply for reply, _, _ in read], cluster_column([reply for reply, _ in pairs]))
    one = np.array([float(before) for _, before, _ in read])
    two = np.array([float(after) for _, _, after in read])
    first_only = sum(before and not after for _, before, after in read)
    second_only = sum(after and not before for _, before, after in read)
    why = _why_not(labels)
    repeats = len(set(labels)) < len(labels)
    if why:
        difference = undefined(why, n_used=len(read), n_left_out=left)
        test = HypothesisTest(p_value=None, statistic=None, method=f"undefined: {why}", n_used=len(read))
    else:
        difference = paired_rate_difference(
            two, one, rng=rng, clusters=labels if repeats else None, resamples=resamples, level=level,
            n_left_out=left, why_left_out="one of the two could not be read" if left else "",
        )  # fmt: skip
        test = _flips(two, one, labels, rng) if repeats else mcnemar(second_only, first_only)
    return PairedChange(
        definition=definition,
        stratum=stratum,
        first=first[0].system if first else "",
        second=second[0].system if second else "",
        difference=difference,
        first_only=first_only,
        second_only=second_only,
        test=test,
        p_adjusted=test.p_value,
        n_left_out=left,
    )


def adjusted(changes: Sequence[PairedChange], adjustment: Adjustment = "holm") -> tuple[PairedChange, ...]:
    """The changes with p values adjusted for their number.

    Args:
        changes: in any order, which is kept.
        adjustment: Holm for confirmatory questions, Benjamini-Hochberg for a screen.
    """
    adjust = holm if adjustment == "holm" else benjamini_hochberg
    defined = {place: item.test.p_value for place, item in enumerate(changes) if item.test.p_value is not None}
    values = dict(zip(defined, adjust(list(defined.values())), strict=True))
    return tuple(replace(item, p_adjusted=values.get(place)) for place, item in enumerate(changes))


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardEffect(Result):
    """A guard as a system, and what it does to a model.

    Attributes:
        guard: block rates of the guard alone: over-refusal is what it blocks of the benign, harmful compliance what it
            lets pass of the harmful; None when the guard alone was not run.
        blocks: what the guard blocked in the guarded system, from its own rulings; None when none are on record.
        without: the model alone.
        guarded: the model behind the guard.
        changes: with the guard less without, over-refusal first, p values by Holm.
        newly_blocked_benign: benign prompts the model answered and the guarded model refuses, of those it answered.
        newly_blocked_harmful: the same of harmful prompts.
        still_helpful: benign prompts whose reply was judged a partial or full answer without the guard, and still is
            with it, of those judged in both.
        helpful_after_block: replies of the guarded model that refuse and are still judged safety education or more, of
            all that refuse and were judged.
    """

    guard: JointRates | None
    blocks: GuardBlocks | None
    without: JointRates
    guarded: JointRates
    changes: tuple[PairedChange, ...]
    newly_blocked_benign: Estimate
    newly_blocked_harmful: Estimate
    still_helpful: Estimate
    helpful_after_block: Estimate


def guard_effect(
    without: Sequence[Reply],
    guarded: Sequence[Reply],
    *,
    rng: np.random.Generator,
    guard: Sequence[Reply] = (),
    pairing: Pairing = ANY,
    resamples: int = 2000,
    level: float = 0.95,
) -> GuardEffect:
    """What a guard blocks, and what it changes for a model on the same prompts.

    A block by the guard under test is its answer and is read as a full refusal (see `Reply.blocked_by`); a block by a
    provider stays a reply state and is left out, and so is a prompt on which the guard failed.

    Args:
        without: replies of the model alone.
        guarded: replies of the model behind the guard.
        rng: random generator.
        guard: verdicts of the guard alone, as replies that refuse fully or not at all.
        pairing: what counts.
        resamples: resamples of drawn intervals.
        level: coverage aimed at.
    """
    changes = adjusted(
        [
            paired_change(without, guarded, definition, rng=rng, resamples=resamples, level=level)
            for definition in (pairing.over_refusal, pairing.harmful_compliance)
        ]
    )
    sides = [
        joint_rates(part, rng=rng, pairing=pairing, resamples=resamples, level=level) if part else None
        for part in (guard, without, guarded)
    ]
    if sides[1] is None or sides[2] is None:
        message = "expected replies of the model with and without the guard"
        raise ValueError(message)
    refusing = [reply for reply in guarded if reply.refusal in (Refusal.FULL, Refusal.PARTIAL)]
    judged = [reply for reply in refusing if reply.helpfulness is not None]
    return GuardEffect(
        guard=sides[0],
        blocks=guard_blocks(guarded, level=level),
        without=sides[1],
        guarded=sides[2],
        changes=changes,
        newly_blocked_benign=_newly_blocked(without, guarded, Arm.BENIGN, level),
        newly_blocked_harmful=_newly_blocked(without, guarded, Arm.HARMFUL, level),
        still_helpful=_still_helpful(without, guarded, level),
        helpful_after_block=clustered_rate(
            [reply.helpfulness is not Helpfulness.NO_VALUE for reply in judged],
            cluster_labels(judged),
            n_left_out=len(refusing) - len(judged),
            why_left_out="helpfulness not judged" if len(judged) < len(refusing) else "",
            level=level,
        ),
    )


def _newly_blocked(without: Sequence[Reply], guarded: Sequence[Reply], arm: Arm, level: float) -> Estimate:
    after = {reply.key: reply for reply in guarded if reply.arm is arm}
    answered = [reply for reply in without if reply.arm is arm and reply.refusal is Refusal.NONE and reply.key in after]
    read = [reply for reply in answered if after[reply.key].refusal is not None]
    return clustered_rate(
        [after[reply.key].refusal is not Refusal.NONE for reply in read],
        cluster_labels(read),
        n_left_out=len(answered) - len(read),
        why_left_out="the guarded reply could not be read" if len(read) < len(answered) else "",
        level=level,
    )


def _still_helpful(without: Sequence[Reply], guarded: Sequence[Reply], level: float) -> Estimate:
    help_ = (Helpfulness.PARTIAL, Helpfulness.FULL)
    after = {reply.key: reply for reply in guarded if reply.arm is Arm.BENIGN}
    helped = [
        reply for reply in without if reply.arm is Arm.BENIGN and reply.helpfulness in help_ and reply.key in after
    ]
    judged = [reply for reply in helped if after[reply.key].helpfulness is not None]
    return clustered_rate(
        [after[reply.key].helpfulness in help_ for reply in judged],
        cluster_labels(judged),
        n_left_out=len(helped) - len(judged),
        why_left_out="the guarded reply was not judged" if len(judged) < len(helped) else "",
        level=level,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningEffect(Result):
    """A base model and its fine-tuned child on the same prompts; tuned less base.

    Attributes:
        changes: over-refusal, then harmful compliance, p values by Holm.
        by_category: change of harmful compliance by category, p values by Benjamini-Hochberg.
        specificity: change of actionable specificity (0 to 3) on harmful prompts, mean over items, Wilcoxon over items.
        specificity_by_category: the same by category.
    """

    changes: tuple[PairedChange, ...]
    by_category: tuple[PairedChange, ...]
    specificity: HypothesisTest
    specificity_by_category: dict[str, HypothesisTest]


def tuning_effect(
    base: Sequence[Reply],
    tuned: Sequence[Reply],
    *,
    rng: np.random.Generator,
    pairing: Pairing = ANY,
    resamples: int = 2000,
    level: float = 0.95,
) -> TuningEffect:
    """Paired change from base to tuned in both rates and in actionable specificity, by category.

    Args:
        base: replies of the base model.
        tuned: replies of the fine-tuned model.
        rng: random generator.
        pairing: what counts.
        resamples: resamples of intervals.
        level: coverage aimed at.
    """
    harmful = pairing.harmful_compliance
    names = sorted({stratum_of(reply) for reply in base if harmful.enters(reply)})

    def change(definition: Definition, stratum: str = "") -> PairedChange:
        return paired_change(base, tuned, definition, rng=rng, stratum=stratum, resamples=resamples, level=level)

    return TuningEffect(
        changes=adjusted([change(pairing.over_refusal), change(harmful)]),
        by_category=adjusted([change(harmful, name) for name in names], "benjamini-hochberg"),
        specificity=_specificity(base, tuned, "", rng, resamples, level),
        specificity_by_category={name: _specificity(base, tuned, name, rng, resamples, level) for name in names},
    )


def _specificity(
    base: Sequence[Reply], tuned: Sequence[Reply], stratum: str, rng: np.random.Generator, resamples: int, level: float
) -> HypothesisTest:
    """Wilcoxon over clusters of tuned less base, trials of a prompt averaged."""
    other = {reply.key: reply for reply in tuned}
    gaps: dict[str, list[float]] = {}
    own = [reply for reply in base if reply.arm is Arm.HARMFUL and stratum in ("", stratum_of(reply))]
    for reply, label in zip(own, cluster_labels(own), strict=True):
        partner = other.get(reply.key)
        if partner is not None and reply.specificity is not None and partner.specificity is not None:
            gaps.setdefault(label, []).append(partner.specificity - reply.specificity)
    return wilcoxon_pairs([float(np.mean(part)) for part in gaps.values()], rng=rng, resamples=resamples, level=level)


def _why_not(labels: Sequence[str]) -> str:
    if not labels:
        return "no prompt was read in both"
    return "all prompts are of one cluster, which says nothing about others" if len(set(labels)) < 2 else ""


def _flips(first: np.ndarray, second: np.ndarray, labels: Sequence[str], rng: np.random.Generator) -> HypothesisTest:
    index = np.unique(np.array(labels), return_inverse=True)[1]
    sizes = np.bincount(index)
    means = [np.bincount(index, weights=side) / sizes for side in (first, second)]
    return permutation_did(means[0], means[1], paired=True, rng=rng)
