"""The Inspect task of a stress test on questions with options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig

from equipoise._version import __version__
from equipoise.benchmarks.catalogue import find
from equipoise.benchmarks.choice_stress.demo import demo_items
from equipoise.benchmarks.choice_stress.plan import Prepared, Question, chosen_operators, prepare
from equipoise.benchmarks.choice_stress.prompt import PROMPT_HASH, PROMPT_VERSION, prompt_of
from equipoise.benchmarks.choice_stress.scoring import LETTERED, RELATION, choice_scorer
from equipoise.benchmarks.medqa.loader import read
from equipoise.errors import UsageError
from equipoise.evals.logs import FACTS
from equipoise.evals.mock_counts import count_without_network
from equipoise.evals.refusal_task import REFERENCE_KEY, ask_prompt
from equipoise.evals.stress_rows import KIND
from equipoise.ids import content_hash
from equipoise.redteam.answers import ANSWERS_VERSION
from equipoise.redteam.operators import Item
from equipoise.redteam.operators.mutant import KeyRelation

MAX_TOKENS = 1024
"""Tokens of a reply; one that is cut off is not read, so it should be rare."""

MAX_RETRIES = 6
"""Tries after a call that failed for a reason that may pass."""

TIMEOUT = 300
"""Seconds for a reply, all tries together."""

DEMO_NOTE = (
    "no data was named: these are the demo questions of this package, invented for trying things out; their figures say nothing about a "
    "model's fitness; name your own MedQA file with --data"
)
"""Said whenever the demo questions are asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a stress test on questions with options is asked for.

    Attributes:
        benchmark: identifier of the task.
        default: operators when none are named.
        data: file or folder of MedQA; None for the demo questions.
        operators: operators or families; None for the default.
        repeats: untouched repeats of each item; None for as many as there are attacks on it.
        seed: seed of the draws.
        limit: first items of the file; None for all.
        trials: replies to each attack.
        margin: largest difference in accuracy that does not matter, 0 to 1, for the equivalence test; None for no test.
        download: whether the hub may be asked.
        allow_changed: whether a file of another revision is taken and recorded.
        max_cost: US dollars after which nothing more is asked.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.
    """

    benchmark: str
    default: Sequence[str]
    data: str | None = None
    operators: str | Sequence[str] | None = None
    repeats: int | None = None
    seed: int = 42
    limit: int | None = None
    trials: int = 1
    margin: float | None = None
    download: bool = False
    allow_changed: bool = False
    max_cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Questions with where they come from.

    Attributes:
        items: the questions that are asked.
        dataset: name of the set.
        files: what a run keeps of the files.
        notes: what a reader must be told.
    """

    items: tuple[Item, ...]
    dataset: str
    files: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def content_hash(self) -> str:
        """Hash over identifiers and contents, in order."""
        return content_hash([[item.id, item.content_hash] for item in self.items])


def material_of(order: Order) -> Material:
    """The questions of an order.

    Raises:
        UsageError: the limit is no number of items, or the file is nowhere.
        InputError: the file cannot be read.
    """
    if order.limit is not None and (
        isinstance(order.limit, bool) or not isinstance(order.limit, int) or order.limit < 1
    ):
        message = f"expected a whole number of 1 or more, found {order.limit!r}"
        raise UsageError(message, field="limit")
    if order.data is None and not order.download:
        return Material(items=demo_items()[: order.limit], dataset="demo", notes=(DEMO_NOTE,))
    found = read(order.data, download=order.download, allow_changed=order.allow_changed)
    return Material(items=found.items[: order.limit], dataset=found.benchmark, files=(found.file.to_dict(),))


def prepared_of(order: Order, items: Sequence[Item]) -> Prepared:
    """The plan of an order."""
    return prepare(
        order.benchmark,
        items,
        operators=chosen_operators(order.operators, order.default),
        seed=order.seed,
        repeats=order.repeats,
        trials=order.trials,
    )


def static_task(order: Order) -> Task:
    """Every operator on every item, each asked on its own.

    Raises:
        UsageError: an argument names something that does not exist, or a number is out of range.
        InputError: the data cannot be read.
    """
    _margin(order.margin)
    material = material_of(order)
    prepared = prepared_of(order, material.items)
    count_without_network()
    return Task(
        dataset=MemoryDataset([sample_of(question) for question in prepared.questions], name=order.benchmark),
        solver=ask_prompt(None, order.max_cost, order.price_in, order.price_out),
        scorer=choice_scorer(),
        config=GenerateConfig(temperature=0.0, max_tokens=MAX_TOKENS, max_retries=MAX_RETRIES, timeout=TIMEOUT),
        fail_on_error=True,
        continue_on_fail=True,
        version=find(order.benchmark).card().version,
        metadata={FACTS: facts_of(order, material, prepared, loop="static")},
    )


def sample_of(question: Question) -> Sample:
    """The sample of a question."""
    item = question.item
    relation = KeyRelation.SAME if item.key is not None else KeyRelation.UNDEFINED
    return Sample(
        id=question.id,
        input=[ChatMessageUser(content=prompt_of(item))],
        target=str(question.columns.get("expected") or ""),
        metadata={
            REFERENCE_KEY: {
                **question.columns,
                "question": item.question,
                "options": [option.text for option in item.options],
            },
            LETTERED: [option.text for option in item.options],
            RELATION: relation.value,
        },
    )


def facts_of(order: Order, material: Material, prepared: Prepared, *, loop: str, **more: Any) -> dict[str, Any]:
    """What a log must say for its replies to be read and the run repeated; no folder of this machine among it."""
    return {
        "kind": KIND,
        "benchmark": order.benchmark,
        "version": __version__,
        "dataset": material.dataset,
        "dataset_hash": material.content_hash,
        "files": [dict(item) for item in material.files],
        "notes": list(material.notes),
        "reader_version": ANSWERS_VERSION,
        "prompt_version": PROMPT_VERSION,
        "prompt_hash": PROMPT_HASH,
        "plan": prepared.plan.to_dict(),
        "repeats_rule": "as many as attacks on the item" if order.repeats is None else "the same for every item",
        "loop": loop,
        "trials": order.trials,
        "margin": order.margin,
        "seed": order.seed,
        "limit_items": order.limit,
        "setting": "",
        "price_in": order.price_in,
        "price_out": order.price_out,
        **more,
    }


def _margin(margin: float | None) -> None:
    if margin is not None and not (isinstance(margin, int | float) and 0 < margin < 1):
        message = f"expected a difference in accuracy between 0 and 1, found {margin!r}"
        raise UsageError(message, field="margin")
