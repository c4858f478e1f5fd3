"""Stage 2: one of seven categories a seed, by a model or by a column of the seed file; labels of raters decide where they are.

Labels of raters come from `equipoise orsc sheet import`. A seed on which they say none, or no majority, is rejected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.calls import Ask
from equipoise.benchmarks.health_orsc.pipeline.config import Loaded
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
)
from equipoise.benchmarks.health_orsc.pipeline.terms import NO_CATEGORY, Category, Reason
from equipoise.benchmarks.health_orsc.pipeline.verdicts import read_label
from equipoise.outcomes.schema import ReplyState

LABELS = (*(category.value for category in Category), NO_CATEGORY)
SELECTED, HUMAN, RATERS = "select/kept", "human/labels", "human/agreement"


def _settings(loaded: Loaded) -> Mapping[str, Any]:
    config = loaded.config
    spec = config.categorise
    by_model = spec.by == "model" and spec.model
    return {
        "by": spec.by,
        "human": spec.human,
        "model": config.models[spec.model].identity() if by_model and spec.model else None,
        "seed": config.seed if by_model else None,
        "maps": {item.id: item.category_map for item in config.seeds} if not by_model else None,
    }


def _prompts(loaded: Loaded) -> Mapping[str, Prompt]:
    spec = loaded.config.categorise
    if spec.by != "model":
        return {}
    return {"categorise": load_prompt("categorise", loaded.path(spec.prompt) if spec.prompt else None)}


def _plan(loaded: Loaded, seeds: int, characters: int) -> Sequence[Planned]:
    spec = loaded.config.categorise
    if spec.by != "model" or not spec.model:
        return ()
    prompt = _prompts(loaded)["categorise"]
    return (Planned(model=spec.model, calls=seeds, characters=plan_length(prompt, seeds, characters)),)


async def _run(work: Work) -> Done:
    spec = work.loaded.config.categorise
    seeds = work.inputs[SELECTED]
    human = {row["seed"]: row for row in work.inputs[HUMAN]} if spec.human == "use" else {}
    rejects: Rows = []
    proposed = await _by_model(work, seeds) if spec.by == "model" else _by_column(work, seeds)
    kept: Rows = []
    for seed, (category, facts) in zip(seeds, proposed, strict=True):
        rated = human.get(seed["seed"])
        if rated is not None:
            raters = {"votes": rated["votes"], "proposed": category.value if isinstance(category, Category) else None}
            if rated["label"] is None:
                rejects.append(reject(seed, Reason.RATERS_DISAGREE, **raters))
            elif rated["label"] == NO_CATEGORY:
                rejects.append(reject(seed, Reason.RATERS_NONE, **raters))
            else:
                kept.append({**seed, "classification": rated["label"], "categorised_by": "raters", **raters})
        elif isinstance(category, Category):
            kept.append({**seed, "classification": category.value, "categorised_by": spec.by})
        else:
            rejects.append(reject(seed, category, **facts))
    counts = Counter(row["classification"] for row in kept)
    return Done(
        entered=len(seeds),
        kept=kept,
        rejects=rejects,
        unit="seeds",
        facts={
            "by": spec.by,
            "categories": {category.value: counts[category.value] for category in Category},
            "raters": next(iter(work.inputs[RATERS]), None) if spec.human == "use" else None,
            "labelled_by_raters": sum(row["categorised_by"] == "raters" for row in kept),
        },
    )


Proposal = tuple[Category | Reason, dict[str, Any]]


async def _by_model(work: Work, seeds: Rows) -> list[Proposal]:
    spec, prompt = work.loaded.config.categorise, work.prompts["categorise"]
    answers = await work.asker.ask(
        (
            Ask(
                stage="categorise",
                model=spec.model or "",
                prompt_hash=prompt.hash,
                system=prompt.system,
                user=prompt.filled(seed["original_question"]),
            )
            for seed in seeds
        ),
        total=len(seeds),
    )
    result: list[Proposal] = []
    for answer in answers:
        verdict = read_label(answer, LABELS)
        if verdict.state is not ReplyState.OK:
            facts = {"state": verdict.state.value, "why": verdict.why, "reply": excerpt(answer.text)}
            result.append((Reason.CATEGORY_UNREADABLE, facts))
        elif verdict.value == NO_CATEGORY:
            result.append((Reason.NO_CATEGORY_FITS, {}))
        else:
            result.append((Category(verdict.value), {}))
    return result


def _by_column(work: Work, seeds: Rows) -> list[Proposal]:
    maps = {item.id: item.category_map for item in work.loaded.config.seeds}
    own = {category.value: category for category in Category}
    result: list[Proposal] = []
    for seed in seeds:
        value = seed["source_category"]
        category = maps[seed["source"]].get(value) or own.get(value.strip().lower())
        if category is not None:
            result.append((category, {}))
        else:
            result.append((Reason.CATEGORY_UNKNOWN, {"why": f"the column says {value[:80]!r}"}))
    return result


STAGE = Stage(
    id="categorise",
    number=2,
    version="1",
    inputs=(SELECTED, HUMAN, RATERS),
    settings=_settings,
    prompts=_prompts,
    run=_run,
    plan=_plan,
)
"""The stage."""
