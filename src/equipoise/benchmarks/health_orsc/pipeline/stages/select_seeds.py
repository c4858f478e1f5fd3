"""Stage 1: seeds about health, each once; the same set whatever the order of the rows.

Exact duplicates are texts equal after folding; the copy of the file named first in the configuration stands for all. Then
seeds are gone through by file and id, and one that resembles a kept one is left out with that one named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.calls import Ask
from equipoise.benchmarks.health_orsc.pipeline.config import Loaded
from equipoise.benchmarks.health_orsc.pipeline.files import file_hash
from equipoise.benchmarks.health_orsc.pipeline.keywords import KEYWORDS_VERSION, NOT_HEALTH, health_topics
from equipoise.benchmarks.health_orsc.pipeline.language import is_english
from equipoise.benchmarks.health_orsc.pipeline.likeness import SHINGLE, folded, near_duplicates
from equipoise.benchmarks.health_orsc.pipeline.prompts import Prompt, load_prompt
from equipoise.benchmarks.health_orsc.pipeline.seeds import Row, read_seeds, seed_id
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
from equipoise.benchmarks.health_orsc.pipeline.terms import Reason
from equipoise.benchmarks.health_orsc.pipeline.verdicts import Verdict, read_label
from equipoise.outcomes.schema import ReplyState

HEALTH, NOT = "health", "not_health"


def _settings(loaded: Loaded) -> Mapping[str, Any]:
    config = loaded.config
    classifier = config.select.classifier
    return {
        "select": config.select.model_dump(mode="json", exclude={"prompt"}),
        "rule": config.rule,
        "keywords": KEYWORDS_VERSION,
        "shingle": SHINGLE,
        "files": [
            item.model_dump(mode="json", exclude={"category_map"}) | {"sha256": file_hash(loaded.path(item.file))}
            for item in config.seeds
        ],
        "model": config.models[classifier].identity() if classifier else None,
        "seed": config.seed if classifier else None,
    }


def _prompts(loaded: Loaded) -> Mapping[str, Prompt]:
    spec = loaded.config.select
    if not spec.classifier:
        return {}
    return {"classify": load_prompt("classify", loaded.path(spec.prompt) if spec.prompt else None)}


def _plan(loaded: Loaded, seeds: int, characters: int) -> Sequence[Planned]:
    classifier = loaded.config.select.classifier
    if not classifier:
        return ()
    prompt = _prompts(loaded)["classify"]
    return (Planned(model=classifier, calls=seeds, characters=plan_length(prompt, seeds, characters)),)


async def _run(work: Work) -> Done:
    config = work.loaded.config
    rows = [
        row for place, spec in enumerate(config.seeds) for row in read_seeds(spec, place, work.loaded.path(spec.file))
    ]
    rejects: Rows = []
    seeds = _distinct(rows, rejects)
    chosen = await _about_health(work, seeds, rejects)
    kept = _unlike(chosen, config.select.near_duplicate, rejects)
    return Done(
        entered=len(rows),
        kept=kept,
        rejects=sorted(rejects, key=_order_of_rejects),
        unit="rows of seed files",
        facts={
            "rule": config.rule,
            "near_duplicate": config.select.near_duplicate,
            "by_source": _by_source(rows, kept),
        },
    )


def _distinct(rows: Sequence[Row], rejects: Rows) -> Rows:
    """Readable English seeds, each text once, by file and id."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        facts: dict[str, Any] = {"source": row.source, "row": row.row, "question": row.text}
        if row.problem:
            rejects.append(reject(facts, Reason.UNREADABLE_ROW, why=row.problem))
        elif not folded(row.text):
            rejects.append(reject(facts, Reason.EMPTY_TEXT))
        elif not is_english(row.text):
            rejects.append(reject(facts, Reason.NOT_ENGLISH))
        else:
            groups.setdefault(folded(row.text), []).append(row)
    seeds: Rows = []
    for plain, group in groups.items():
        first, *others = sorted(group, key=lambda row: (row.place, row.text, row.source_id, row.category, row.row))
        seed = seed_id(plain)
        seeds.append(
            {
                "seed": seed,
                "original_question": first.text,
                "source": first.source,
                "row": first.row,
                "source_id": first.source_id,
                "source_category": first.category,
                "place": first.place,
            }
        )
        rejects.extend(
            reject({"source": row.source, "row": row.row, "question": row.text}, Reason.EXACT_DUPLICATE, same_as=seed)
            for row in others
        )
    return sorted(seeds, key=lambda seed: (seed["place"], seed["seed"]))


async def _about_health(work: Work, seeds: Rows, rejects: Rows) -> Rows:
    config = work.loaded.config
    rule, spec = config.rule, config.select
    without = (*NOT_HEALTH, *spec.not_health)
    topics = [health_topics(seed["original_question"], spec.extra_keywords, without) for seed in seeds]
    asked = [
        place
        for place, found in enumerate(topics)
        if rule == "classifier" or (rule == "both" and found) or (rule == "either" and not found)
    ]
    verdicts: dict[int, Verdict] = {}
    if asked and spec.classifier:
        prompt = work.prompts["classify"]
        answers = await work.asker.ask(
            (
                Ask(
                    stage="select",
                    model=spec.classifier,
                    prompt_hash=prompt.hash,
                    system=prompt.system,
                    user=prompt.filled(seeds[place]["original_question"]),
                )
                for place in asked
            ),
            total=len(asked),
        )
        verdicts = {place: read_label(answer, (HEALTH, NOT)) for place, answer in zip(asked, answers, strict=True)}
        texts = {place: answer.text for place, answer in zip(asked, answers, strict=True)}
    chosen: Rows = []
    for place, seed in enumerate(seeds):
        facts = {**_without_place(seed), "topics": list(topics[place])}
        verdict = verdicts.get(place)
        if verdict is None:
            if topics[place] or rule == "all":
                chosen.append(
                    {**seed, "topics": list(topics[place]), "selected_by": "keyword" if topics[place] else "all"}
                )
            else:
                rejects.append(reject(facts, Reason.NO_HEALTH_KEYWORD))
        elif verdict.state is not ReplyState.OK:
            rejects.append(
                reject(
                    facts,
                    Reason.CLASSIFIER_UNREADABLE,
                    state=verdict.state.value,
                    why=verdict.why,
                    reply=excerpt(texts[place]),
                )
            )
        elif verdict.value == HEALTH:
            chosen.append({**seed, "topics": list(topics[place]), "selected_by": "classifier"})
        else:
            rejects.append(reject(facts, Reason.CLASSIFIED_NOT_HEALTH))
    return chosen


def _unlike(chosen: Rows, threshold: float, rejects: Rows) -> Rows:
    alike = near_duplicates([seed["original_question"] for seed in chosen], threshold)
    kept: Rows = []
    for place, seed in enumerate(chosen):
        if place in alike:
            found = alike[place]
            rejects.append(
                reject(
                    _without_place(seed),
                    Reason.NEAR_DUPLICATE,
                    kept=chosen[found.representative]["seed"],
                    similarity=round(found.similarity, 4),
                )
            )
        else:
            kept.append(_without_place(seed))
    return sorted(kept, key=lambda seed: seed["seed"])


def _without_place(seed: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in seed.items() if name != "place"}


def _by_source(rows: Sequence[Row], kept: Rows) -> dict[str, dict[str, int]]:
    names = list(dict.fromkeys(row.source for row in rows))
    return {
        name: {
            "rows": sum(row.source == name for row in rows),
            "kept": sum(seed["source"] == name for seed in kept),
        }
        for name in names
    }


def _order_of_rejects(row: Mapping[str, Any]) -> tuple[str, str, int]:
    return str(row["reason"]), str(row["source"]), int(row["row"])


STAGE = Stage(
    id="select", number=1, version="1", inputs=(), settings=_settings, prompts=_prompts, run=_run, plan=_plan
)  # fmt: skip
"""The stage."""
