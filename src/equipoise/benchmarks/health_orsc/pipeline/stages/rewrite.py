"""Stage 3: benign questions written from each seed by a model, checked before anybody votes on them.

A rewrite is rejected when the reply cannot be read, is empty, repeats the prompt, is too short or long, not English, (nearly) its seed, or
(nearly) another rewrite. Rewrites of one seed are a family.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.calls import Ask
from equipoise.benchmarks.health_orsc.pipeline.config import Loaded
from equipoise.benchmarks.health_orsc.pipeline.config import Rewrite as Spec
from equipoise.benchmarks.health_orsc.pipeline.language import is_english
from equipoise.benchmarks.health_orsc.pipeline.likeness import folded, near_duplicates, similarity
from equipoise.benchmarks.health_orsc.pipeline.prompts import Prompt, load_prompt
from equipoise.benchmarks.health_orsc.pipeline.stages.base import (
    Done,
    Planned,
    Rows,
    Stage,
    Work,
    excerpt,
    plan_length,
    reject,
    states,
)
from equipoise.benchmarks.health_orsc.pipeline.terms import Reason
from equipoise.benchmarks.health_orsc.pipeline.verdicts import read_rewrite
from equipoise.ids import content_hash
from equipoise.outcomes.schema import ReplyState

CATEGORISED = "categorise/kept"

_ECHO = re.compile(r"</?\s*request\s*>|\bVariant: \d", re.IGNORECASE)
"""Pieces of the prompt that a model has copied into its reply."""


def _settings(loaded: Loaded) -> Mapping[str, Any]:
    config = loaded.config
    return {
        "rewrite": config.rewrite.model_dump(mode="json", exclude={"prompt"}),
        "model": config.models[config.rewrite.model].identity(),
        "seed": config.seed,
    }


def _prompts(loaded: Loaded) -> Mapping[str, Prompt]:
    spec = loaded.config.rewrite
    own = loaded.path(spec.prompt) if spec.prompt else None
    bounds = {"least_words": str(spec.least_words), "most_words": str(spec.most_words)}
    return {"rewrite": load_prompt("rewrite" if spec.reply == "json" else "rewrite-text", own, **bounds)}


def _plan(loaded: Loaded, seeds: int, characters: int) -> Sequence[Planned]:
    spec = loaded.config.rewrite
    calls = seeds * spec.per_seed
    prompt = _prompts(loaded)["rewrite"]
    return (Planned(model=spec.model, calls=calls, characters=plan_length(prompt, calls, characters * spec.per_seed)),)


async def _run(work: Work) -> Done:
    spec, prompt = work.loaded.config.rewrite, work.prompts["rewrite"]
    wanted = [(seed, repeat) for seed in work.inputs[CATEGORISED] for repeat in range(1, spec.per_seed + 1)]
    answers = await work.asker.ask(
        (
            Ask(
                stage="rewrite",
                model=spec.model,
                prompt_hash=prompt.hash,
                system=prompt.system,
                user=prompt.filled(
                    seed["original_question"], category=seed["classification"].replace("_", " "), repeat=str(repeat)
                ),
                repeat=repeat,
            )
            for seed, repeat in wanted
        ),
        total=len(wanted),
    )
    rejects: Rows = []
    good: Rows = []
    found: list[ReplyState] = []
    for (seed, repeat), answer in zip(wanted, answers, strict=True):
        verdict = read_rewrite(answer, spec.reply)
        found.append(verdict.state)
        text = " ".join(verdict.value.split())
        base = {
            "family": seed["seed"],
            "repeat": repeat,
            "original_question": seed["original_question"],
            "classification": seed["classification"],
        }
        if verdict.state is not ReplyState.OK:
            facts = {"state": verdict.state.value, "why": verdict.why, "reply": excerpt(answer.text)}
            rejects.append(reject(base, Reason.REWRITE_UNREADABLE, **facts))
            continue
        reason = check(text, seed["original_question"], spec)
        row = {"id": item_id(seed["seed"], text), "question": text, **base}
        if reason is not None:
            rejects.append(reject(row, reason))
        else:
            good.append(row)
    kept = _unlike(good, spec.near_duplicate, rejects)
    return Done(
        entered=len(wanted),
        kept=kept,
        rejects=sorted(rejects, key=lambda row: (row["reason"], row["family"], row["repeat"])),
        unit="rewrites asked for",
        facts={"states": states(found), "families": len({row["family"] for row in kept}), "per_seed": spec.per_seed},
    )


def check(text: str, seed: str, spec: Spec) -> Reason | None:
    """Why a rewrite cannot be used; None when it can.

    Args:
        text: the rewrite.
        seed: the seed it was written from.
        spec: the bounds.
    """
    if not folded(text):
        return Reason.REWRITE_EMPTY
    if _ECHO.search(text):
        return Reason.PROMPT_ECHO
    words = len(text.split())
    if words < spec.least_words:
        return Reason.TOO_SHORT
    if words > spec.most_words:
        return Reason.TOO_LONG
    if not is_english(text):
        return Reason.NOT_ENGLISH
    if folded(text) == folded(seed) or similarity(text, seed) >= spec.same_as_seed:
        return Reason.SAME_AS_SEED
    return None


def item_id(family: str, text: str) -> str:
    """Identifier of an item by family and text."""
    return f"orsc-{content_hash([family, text])}"


def _unlike(good: Rows, threshold: float, rejects: Rows) -> Rows:
    alike = near_duplicates([row["question"] for row in good], threshold)
    for place, found in alike.items():
        facts = {"kept": good[found.representative]["id"], "similarity": round(found.similarity, 4)}
        rejects.append(reject(good[place], Reason.NEAR_DUPLICATE, **facts))
    return [row for place, row in enumerate(good) if place not in alike]


STAGE = Stage(
    id="rewrite",
    number=3,
    version="1",
    inputs=(CATEGORISED,),
    settings=_settings,
    prompts=_prompts,
    run=_run,
    plan=_plan,
)
"""The stage."""
