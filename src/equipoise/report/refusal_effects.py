"""What a guard or a fine-tuning changes, as rows of the joint page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.errors import UsageError
from equipoise.refusal.measures import (
    GuardBlocks,
    GuardEffect,
    JointAudit,
    PairedChange,
    Reply,
    TuningEffect,
    guard_effect,
    tuning_effect,
)
from equipoise.report.measured import p_text, points_text
from equipoise.report.refusal_contexts import EffectRow
from equipoise.report.refusal_numbers import bounds_text, drawn, score_of
from equipoise.statistics import HypothesisTest
from equipoise.statistics.estimate import Result

Names = tuple[str, str]
"""Two systems: a model and the same behind a guard, or a base model and its fine-tuned child."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairEffects(Result):
    """What guards and fine-tuning change, for all pairs that are named.

    Attributes:
        guards: by pair of systems, in the order named.
        tuning: by pair of systems, in the order named.
    """

    guards: Mapping[str, GuardEffect]
    tuning: Mapping[str, TuningEffect]


def pair_effects(
    replies: Sequence[Reply], guarded: Sequence[Names], tuned: Sequence[Names], *, seed: int, resamples: int = 2000
) -> PairEffects:
    """The effects of all pairs that are named.

    Args:
        replies: replies of all systems.
        guarded: a model and the same behind a guard.
        tuned: a base model and its fine-tuned child.
        seed: seed of the intervals.
        resamples: resamples of the intervals.

    Raises:
        UsageError: a named system is not among the replies.
    """
    rng = np.random.default_rng(seed)
    guards: dict[str, GuardEffect] = {}
    for names in guarded:
        first, second = (_own(replies, name) for name in names)
        guards[f"{names[0]}, then guarded: {names[1]}"] = guard_effect(first, second, rng=rng, resamples=resamples)
    tuning: dict[str, TuningEffect] = {}
    for names in tuned:
        first, second = (_own(replies, name) for name in names)
        tuning[f"{names[0]}, then fine-tuned: {names[1]}"] = tuning_effect(first, second, rng=rng, resamples=resamples)
    return PairEffects(guards=guards, tuning=tuning)


def effect_rows(audit: JointAudit, effects: PairEffects) -> tuple[EffectRow, ...]:
    """What every guard blocks, then what each pair changes, guards first.

    Args:
        audit: the audit of all systems.
        effects: the effects of the pairs that are named.
    """
    rows: list[EffectRow] = []
    for item in audit.systems:
        rows += [] if item.guard is None else _blocks(item.system, item.guard)
    for pair, found in effects.guards.items():
        rows += [_change(pair, change) for change in found.changes]
        for what, estimate in (
            ("benign prompts newly refused, of those answered before", found.newly_blocked_benign),
            ("harmful prompts newly refused, of those answered before", found.newly_blocked_harmful),
            ("benign prompts still helped, of those judged helped before", found.still_helpful),
            ("refusals still judged of some help, of those judged", found.helpful_after_block),
        ):
            rows.append(EffectRow(pair, what, drawn("effect", what, estimate).text, "", ""))
    for pair, effect in effects.tuning.items():
        rows += [_change(pair, change) for change in (*effect.changes, *effect.by_category)]
        rows.append(_specificity(pair, "all categories", effect.specificity))
        rows += [_specificity(pair, name, test) for name, test in effect.specificity_by_category.items()]
    return tuple(rows)


def _blocks(system: str, guard: GuardBlocks) -> list[EffectRow]:
    rows = []
    for rate in (guard.benign, guard.harmful):
        what = f"{rate.arm} prompts blocked by {guard.guard}, of those it ruled on"
        places = ", ".join(f"{number} on {place}" for place, number in rate.by_place.items())
        text = drawn("blocked", what, rate.blocked).text + (f" ({places})" if places else "")
        if rate.left_out:
            why = ", ".join(f"{number} {name}" for name, number in rate.left_out.items())
            text += f"; over all {bounds_text(rate.unruled, 'no range', unread=False)} ({why})"
        rows.append(EffectRow(system, what, text, "", ""))
    return rows


def _own(replies: Sequence[Reply], name: str) -> list[Reply]:
    own = [reply for reply in replies if reply.system == name]
    if not own:
        known = ", ".join(sorted({reply.system for reply in replies}))
        message = f"there is no system {name!r} in these runs; expected one of {known}"
        raise UsageError(message, field="--guarded, --tuned")
    return own


def _change(pair: str, change: PairedChange) -> EffectRow:
    name = change.definition.name + (f", {change.stratum}" if change.stratum else "")
    return EffectRow(
        pair,
        name,
        points_text(change.difference),
        f"{change.first_only}, {change.second_only}",
        f"{p_text(change.test.p_value)} ({p_text(change.p_adjusted)})",
    )


def _specificity(pair: str, category: str, test: HypothesisTest) -> EffectRow:
    name = f"actionable specificity (0 to 3) on harmful prompts, {category}"
    if test.effect is None:
        return EffectRow(pair, name, "not defined: fewer than two prompts judged in both", "", "")
    return EffectRow(pair, name, score_of("specificity", name, test.effect).text, "", p_text(test.p_value))
