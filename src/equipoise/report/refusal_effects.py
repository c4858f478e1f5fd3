"""What a guard or a fine-tuning changes, as rows of the joint page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.errors import UsageError
from equipoise.refusal.measures import PairedChange, Reply, guard_effect, tuning_effect
from equipoise.report.measured import p_text, points_text
from equipoise.report.refusal_contexts import EffectRow
from equipoise.report.refusal_numbers import drawn, score_of
from equipoise.statistics import HypothesisTest

Names = tuple[str, str]
"""Two systems: a model and the same behind a guard, or a base model and its fine-tuned child."""


def effect_rows(
    replies: Sequence[Reply], guarded: Sequence[Names], tuned: Sequence[Names], *, seed: int, resamples: int = 2000
) -> tuple[EffectRow, ...]:
    """Rows of all pairs that are named, guards first.

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
    rows: list[EffectRow] = []
    for names in guarded:
        first, second = (_own(replies, name) for name in names)
        found = guard_effect(first, second, rng=rng, resamples=resamples)
        pair = f"{names[0]}, then guarded: {names[1]}"
        rows += [_change(pair, change) for change in found.changes]
        for what, estimate in (
            ("benign prompts newly refused, of those answered before", found.newly_blocked_benign),
            ("harmful prompts newly refused, of those answered before", found.newly_blocked_harmful),
            ("refusals still judged of some help, of those judged", found.helpful_after_block),
        ):
            rows.append(EffectRow(pair, what, drawn("effect", what, estimate).text, "", ""))
    for names in tuned:
        first, second = (_own(replies, name) for name in names)
        effect = tuning_effect(first, second, rng=rng, resamples=resamples)
        pair = f"{names[0]}, then fine-tuned: {names[1]}"
        rows += [_change(pair, change) for change in (*effect.changes, *effect.by_category)]
        rows.append(_specificity(pair, "all categories", effect.specificity))
        rows += [_specificity(pair, name, test) for name, test in effect.specificity_by_category.items()]
    return tuple(rows)


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
