"""HealthBench for any model that Inspect can reach, graded one criterion at a time.

inspect eval equipoise/healthbench --model openai/MODEL --model-role grader=openai/GRADER
inspect eval equipoise/healthbench --model openai/MODEL -T grader=openai/GRADER -T data=FOLDER -T part=consensus
inspect eval equipoise/healthbench --model openai/MODEL -T grader=openai/GRADER -T attacks=all
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig

from equipoise._version import __version__
from equipoise.benchmarks.catalogue import find
from equipoise.benchmarks.healthbench.attacking import attack_conversation, attack_scorer, chosen_attacks, planned
from equipoise.benchmarks.healthbench.grading import RUBRIC
from equipoise.benchmarks.healthbench.loader import BENCHMARK, LOADER, build
from equipoise.benchmarks.healthbench.reference import criteria_of, reference_of
from equipoise.benchmarks.healthbench.scorer import healthbench_scorer
from equipoise.benchmarks.prompts.tables import read_table, require_unique
from equipoise.errors import UsageError
from equipoise.evals.logs import FACTS
from equipoise.evals.mock_counts import count_without_network
from equipoise.evals.prerequisites import one_line
from equipoise.evals.refusal_task import ask_prompt
from equipoise.evals.stress_rows import KIND
from equipoise.ids import content_hash
from equipoise.judging.reading import READER_VERSION
from equipoise.judging.rubric import load_rubric
from equipoise.judging.seated import names_of, turns_text
from equipoise.redteam.operators.items import Item
from equipoise.redteam.plan import Plan

DEMO = "demo"
"""Name of the packaged set of invented conversations."""

MAX_TOKENS = 4096
"""Tokens of a reply; one that is cut off is not graded, so it should be rare."""

MAX_RETRIES = 6
TIMEOUT = 300


@task
def healthbench(
    data: str | None = None,
    part: str = "",
    grader: str | list[str] | None = None,
    trials: int = 1,
    limit: int | None = None,
    attacks: str | list[str] | None = None,
    writer: str | None = None,
    repeats: int = 2,
    seed: int = 42,
    download: bool = False,
    allow_changed: bool = False,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Task:
    """Health conversations with criteria of physicians; the score is the published one.

    Args:
        data: your copy of a file, or a folder that holds it; the packaged invented conversations when neither this nor `part` is given.
        part: full, hard or consensus.
        grader: Inspect's name of the grader, or several; the first decides the score. The role `grader` otherwise.
        trials: replies to each conversation, when nothing is attacked.
        limit: conversations at most; part of the plan, unlike Inspect's own limit.
        attacks: attacks aimed at one criterion: all, or some by name; none by default.
        writer: Inspect's name of a model that words the attacks; templates by default.
        repeats: untouched repeats of each conversation beside the first reply, when attacked.
        seed: seed of the draws.
        download: whether the hub may be asked.
        allow_changed: whether a file of another revision is taken and recorded.
        max_cost: US dollars after which nothing more is asked of the model.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.

    Raises:
        UsageError: an argument names something that does not exist, or the data are not here.
        InputError: the data cannot be read.
    """
    with one_line():
        for name, value, least in (("trials", trials, 1), ("repeats", repeats, 1), ("limit", limit, 1)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                message = f"expected a whole number of {least} or more; found {value!r}"
                raise UsageError(message, field=name)
        items, origin = read_items(data, part, download=download, allow_changed=allow_changed)
        items = items[:limit]
        graders = names_of(grader, field="grader")
        chosen = chosen_attacks(names_of(attacks, field="attacks"))
        if chosen and trials != 1:
            message = "attacked conversations have repeats of their own; use repeats"
            raise UsageError(message, field="trials")
        plan = Plan(
            benchmark=BENCHMARK,
            seed=seed,
            items=tuple(item.id for item in items),
            items_hash=content_hash(sorted(item.content_hash for item in items)),
            repeats=repeats if chosen else trials - 1,
            operators=planned(items, chosen, seed),
        )
    facts: dict[str, Any] = {
        "kind": KIND,
        "benchmark": BENCHMARK,
        "version": __version__,
        "dataset": origin["name"],
        "dataset_hash": content_hash([[item.id, item.content_hash] for item in items]),
        "file": origin,
        "reader_version": READER_VERSION,
        "prompt_hash": load_rubric(RUBRIC).hash,
        "graders": list(graders) or ["role grader"],
        "plan": plan.to_dict(),
        "criteria": criteria_of(items),
        "attacks": [item.id for item in chosen],
        "writer": writer or "",
        "price_in": price_in,
        "price_out": price_out,
    }
    count_without_network()
    return Task(
        dataset=MemoryDataset(
            [sample_of(item, calls=1 + (repeats + len(chosen) if chosen else 0)) for item in items], name=BENCHMARK
        ),
        solver=(
            attack_conversation(list(graders), [item.id for item in chosen], writer, repeats, seed)
            if chosen
            else ask_prompt(None, max_cost, price_in, price_out)
        ),
        scorer=attack_scorer(list(graders)) if chosen else healthbench_scorer(list(graders)),
        config=GenerateConfig(temperature=0.0, max_tokens=MAX_TOKENS, max_retries=MAX_RETRIES, timeout=TIMEOUT),
        epochs=trials,
        fail_on_error=True,
        continue_on_fail=True,
        version=find(BENCHMARK).card().version,
        metadata={FACTS: facts},
    )


def read_items(
    data: str | None, part: str, *, download: bool = False, allow_changed: bool = False
) -> tuple[tuple[Item, ...], dict[str, Any]]:
    """The conversations and what a log says of their file; no folder of this machine.

    Raises:
        UsageError: there is no such part, or the file is not here.
        InputError: the file cannot be read.
    """
    if data is None and not part:
        return demo_items(), {"name": DEMO}
    found = LOADER.read(data, part=part, download=download, allow_changed=allow_changed)
    return found.items, {"name": found.file.source.id, **found.file.to_dict()}


def demo_items() -> tuple[Item, ...]:
    """The packaged conversations: invented, with criteria whose sources the file names."""
    from importlib.resources import as_file

    with as_file(files("equipoise.benchmarks.healthbench").joinpath("demo.jsonl")) as path:
        records = read_table(path, ("prompt_id", "prompt", "rubrics"))
    items = tuple(build(record, number, "demo.jsonl") for number, record in enumerate(records, start=1))
    require_unique([item.id for item in items], file="demo.jsonl")
    return items


def sample_of(item: Item, *, calls: int = 1) -> Sample:
    """The conversation as a sample, with the calls of the model under test that it needs at most."""
    turns = [(turn.role, turn.text) for turn in item.turns]
    reference = {**reference_of(item), "prompt": turns_text(turns)}
    return Sample(id=item.id, input=messages_of_turns(turns), metadata={"reference": reference, "calls": calls})


def messages_of_turns(turns: Sequence[tuple[str, str]]) -> list[ChatMessage]:
    """Pairs of role and text as messages."""
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return [kinds[role](content=text) for role, text in turns]
