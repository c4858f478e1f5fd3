"""Stage 6: each kept rewrite is put to N models; its tier is the number that refuse. Replies that cannot be read count apart.

A refusal is a full one by the refusal detector, or a full or partial one when the configuration says so. The effect of
selecting items on the models' own replies is reported with the tiers (`tiers.STATEMENT`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.calls import Ask
from equipoise.benchmarks.health_orsc.pipeline.config import Loaded
from equipoise.benchmarks.health_orsc.pipeline.journal import Answer
from equipoise.benchmarks.health_orsc.pipeline.prompts import Prompt, load_prompt
from equipoise.benchmarks.health_orsc.pipeline.refusals import Reader
from equipoise.benchmarks.health_orsc.pipeline.stages.base import (
    Done,
    Planned,
    Rows,
    Stage,
    Work,
    plan_length,
)
from equipoise.benchmarks.health_orsc.pipeline.terms import OUTSIDE_TIERS, UNDECIDED_TIER
from equipoise.errors import InternalError
from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.terms import Refusal

MODERATED = "moderate/kept"

BEGINNING = 160
"""Characters of a reply that stand beside its reading; the journal holds the whole under the key of its call."""


def _settings(loaded: Loaded) -> Mapping[str, Any]:
    config = loaded.config
    spec = config.difficulty
    if spec is None:
        return {"difficulty": None}
    return {
        "difficulty": spec.model_dump(mode="json", exclude={"models"}),
        "bounds": {name: list(ends) for name, ends in spec.bounds.items()},
        "models": {name: config.models[name].identity() for name in spec.models},
        "order": list(spec.models),
        "seed": config.seed,
    }


def _prompts(loaded: Loaded) -> Mapping[str, Prompt]:
    return {"answer": load_prompt("answer")} if loaded.config.difficulty is not None else {}


def _plan(loaded: Loaded, seeds: int, characters: int) -> Sequence[Planned]:
    config = loaded.config
    del characters
    if config.difficulty is None:
        return ()
    items = seeds * config.rewrite.per_seed
    longest = items * config.rewrite.most_words * 6
    prompt = _prompts(loaded)["answer"]
    return [
        Planned(model=name, calls=items, characters=plan_length(prompt, items, longest))
        for name in config.difficulty.models
    ]


async def _run(work: Work) -> Done:
    spec = work.loaded.config.difficulty
    items = work.inputs[MODERATED]
    if spec is None:
        return Done(entered=len(items), kept=items, rejects=[], unit="items", facts={"tiers": None})
    if work.reader is None:
        message = "the stage difficulty was started without a reader of refusals"
        raise InternalError(message)
    prompt = work.prompts["answer"]
    answers = iter(
        await work.asker.ask(
            (
                Ask(
                    stage="difficulty",
                    model=name,
                    prompt_hash=prompt.hash,
                    system=prompt.system,
                    user=prompt.filled(item["question"]),
                )
                for item in items
                for name in spec.models
            ),
            total=len(items) * len(spec.models),
        )
    )
    counted = {Refusal.FULL} if spec.refusal == "full" else {Refusal.FULL, Refusal.PARTIAL}
    kept: Rows = []
    replies: Rows = []
    for item in items:
        own: list[bool | None] = []
        for name in spec.models:
            answer = next(answers)
            state, refusal = read(answer, item["question"], work.reader, truncated=spec.read_truncated)
            own.append(None if refusal is None else refusal in counted)
            replies.append(
                {
                    "id": item["id"],
                    "model": name,
                    "state": state.value,
                    "refusal": None if refusal is None else refusal.value,
                    "call": answer.key,
                    "begins": answer.text[:BEGINNING],
                }
            )
        kept.append(item | _counts(own, spec.bounds))
    return Done(
        entered=len(items),
        kept=kept,
        rejects=[],
        unit="items",
        facts=_facts(work.loaded, kept, replies, counted, work.reader.id),
        files={"replies": replies},
    )


def read(answer: Answer, question: str, reader: Reader, *, truncated: bool) -> tuple[ReplyState, Refusal | None]:
    """State of a reply and the refusal read from it; None when there is none to read.

    Args:
        answer: the answer.
        question: the item.
        reader: reads refusals.
        truncated: whether a reply that was cut off is read.
    """
    usable = answer.state is ReplyState.OK or (answer.state is ReplyState.TRUNCATED and truncated)
    if not usable or not answer.text.strip():
        return answer.state, None
    found = reader.read(question, answer.text)
    if isinstance(found, ReplyState):
        return found, None
    return answer.state, found


def _counts(own: Sequence[bool | None], bounds: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    from equipoise.benchmarks.health_orsc.pipeline.tiers import tier_of

    refused, unread, total = own.count(True), own.count(None), len(own)
    return {
        "tier": tier_of(refused, unread, bounds),
        "refuse_count": refused,
        "refuse_rate": round(refused / total, 6),
        "total_models": total,
        "unreadable_count": unread,
        "refuse_rate_at_most": round((refused + unread) / total, 6),
    }


def _facts(loaded: Loaded, kept: Rows, replies: Rows, counted: set[Refusal], reader: str) -> dict[str, Any]:
    import numpy as np

    from equipoise.benchmarks.health_orsc.pipeline.tiers import STATEMENT, possible_tiers, selection_effects

    spec = loaded.config.difficulty
    assert spec is not None
    said = {
        (row["id"], row["model"]): float(Refusal(row["refusal"]) in counted) if row["refusal"] else np.nan
        for row in replies
    }
    table = np.array([[said[item["id"], name] for name in spec.models] for item in kept], dtype=np.float64)
    tiers = Counter(item["tier"] for item in kept)
    order = (*spec.bounds, UNDECIDED_TIER, OUTSIDE_TIERS)
    effects = (
        selection_effects(table, spec.models, [item["family"] for item in kept], spec.bounds, seed=loaded.config.seed)
        if kept
        else []
    )
    return {
        "reader": reader,
        "refusal": sorted(refusal.value for refusal in counted),
        "models": len(spec.models),
        "bounds": {name: list(ends) for name, ends in spec.bounds.items()},
        "tiers": {name: tiers[name] for name in order},
        "tiers_at_most": {
            name: sum(
                name in possible_tiers(item["refuse_count"], item["unreadable_count"], spec.bounds) for item in kept
            )
            for name in (*spec.bounds, OUTSIDE_TIERS)
        },
        "by_model": {
            name: {
                "refusal": {
                    refusal.value: sum(row["refusal"] == refusal for row in replies if row["model"] == name)
                    for refusal in Refusal
                },
                "states": {
                    state.value: sum(row["state"] == state for row in replies if row["model"] == name)
                    for state in ReplyState
                },
            }
            for name in spec.models
        },
        "selection_effect": [effect.to_dict() for effect in effects],
        "statement": STATEMENT,
    }


STAGE = Stage(
    id="difficulty",
    number=6,
    version="1",
    inputs=(MODERATED,),
    settings=_settings,
    prompts=_prompts,
    run=_run,
    plan=_plan,
)
"""The stage."""
