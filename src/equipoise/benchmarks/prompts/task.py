"""The Inspect task of a refusal benchmark: the chosen items, asked as they stand, each reply read by the detector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig

from equipoise._version import __version__
from equipoise.benchmarks.catalogue import find
from equipoise.benchmarks.prompts.item import PromptItem
from equipoise.benchmarks.prompts.loading import Choice, Dataset, Loader, chosen, dataset_hash
from equipoise.benchmarks.prompts.references import reference_record
from equipoise.errors import UsageError
from equipoise.evals.logs import FACTS
from equipoise.evals.mock_counts import count_without_network
from equipoise.evals.refusal_reading import Detector, detector_version
from equipoise.evals.refusal_rows import KIND
from equipoise.evals.refusal_task import ARM_METRICS, REFERENCE_KEY, SYSTEM_KEY, ask_prompt, refusal_scorer
from equipoise.ids import text_hash

MAX_TOKENS = 1024
"""Tokens of a reply; one that is cut off is not read, so it should be rare."""

MAX_RETRIES = 6
"""Tries after a call that failed for a reason that may pass."""

TIMEOUT = 300
"""Seconds for a reply, all tries together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a task of a refusal benchmark is asked for.

    Attributes:
        data: file or folder of the user's; None for the folder of `EQUIPOISE_DATASETS`.
        arms: arms; None for all.
        strata: categories; None for all.
        per_stratum: most items of one arm and category; None for all.
        seed: seed of the draw.
        system: system message for all items; None for each item's own.
        trials: replies to each item.
        download: whether the hub may be asked.
        allow_changed: whether a file of another revision is taken and recorded.
        max_cost: US dollars after which nothing more is asked.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.
        options: the loader's own options.
    """

    data: str | None = None
    arms: str | Sequence[str] | None = None
    strata: str | Sequence[str] | None = None
    per_stratum: int | None = None
    seed: int = 42
    system: str | None = None
    trials: int = 1
    download: bool = False
    allow_changed: bool = False
    max_cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def read_order(loader: Loader, order: Order) -> tuple[Dataset, tuple[PromptItem, ...]]:
    """The data set and the items that are asked.

    Raises:
        UsageError: an argument names something that does not exist, or the data are not here.
        InputError: the data cannot be read.
        UpstreamError: the hub refuses or fails.
    """
    if isinstance(order.trials, bool) or not isinstance(order.trials, int) or order.trials < 1:
        message = f"expected a whole number of 1 or more; found {order.trials!r}"
        raise UsageError(message, field="trials")
    dataset = loader.read(order.data, download=order.download, allow_changed=order.allow_changed, **dict(order.options))
    choice = Choice(
        arms=_words(order.arms), strata=_words(order.strata), per_stratum=order.per_stratum, seed=order.seed
    )
    return dataset, chosen(dataset.items, choice)


def refusal_task(loader: Loader, order: Order, *, detector: Detector | None = None) -> Task:
    """The task.

    Args:
        loader: the data set's loader.
        order: what is asked for.
        detector: what reads the replies; the package's own by default.

    Raises:
        UsageError: an argument names something that does not exist, or the data are not here.
        InputError: the data cannot be read.
        UpstreamError: the hub refuses or fails.
    """
    dataset, items = read_order(loader, order)
    arms = dict.fromkeys(item.arm for item in items)
    count_without_network()
    return Task(
        dataset=MemoryDataset([_sample(item) for item in items], name=loader.benchmark),
        solver=ask_prompt(order.system, order.max_cost, order.price_in, order.price_out),
        scorer=refusal_scorer(detector),
        metrics=[ARM_METRICS[arm]() for arm in arms],
        config=GenerateConfig(temperature=0.0, max_tokens=MAX_TOKENS, max_retries=MAX_RETRIES, timeout=TIMEOUT),
        epochs=order.trials,
        fail_on_error=True,
        continue_on_fail=True,
        version=find(loader.benchmark).card().version,
        metadata={
            FACTS: facts_of(dataset, items, order, version="given" if detector is not None else detector_version())
        },
    )


def facts_of(dataset: Dataset, items: Sequence[PromptItem], order: Order, *, version: str) -> dict[str, Any]:
    """What a log must say for its replies to be read and the run repeated; no folder of this machine among it."""
    return {
        "kind": KIND,
        "benchmark": dataset.benchmark,
        "version": __version__,
        "dataset": dataset.benchmark,
        "dataset_hash": dataset_hash(items),
        "files": [item.to_dict() for item in dataset.files],
        "items": len(items),
        "arms": list(_words(order.arms)),
        "strata": list(_words(order.strata)),
        "per_stratum": order.per_stratum,
        "seed": order.seed,
        "options": dict(order.options),
        "system_hash": text_hash(order.system) if order.system is not None else "",
        "prompt_hash": text_hash(order.system or ""),
        "detector_version": version,
        "price_in": order.price_in,
        "price_out": order.price_out,
    }


def _sample(item: PromptItem) -> Sample:
    metadata: dict[str, Any] = {REFERENCE_KEY: reference_record(item)}
    if item.system:
        metadata[SYSTEM_KEY] = item.system
    return Sample(id=item.id, input=item.prompt, metadata=metadata)


def _words(value: str | Sequence[str] | None) -> tuple[str, ...]:
    """Names given as a list, or as one text with commas."""
    if value is None:
        return ()
    parts = value.split(",") if isinstance(value, str) else [str(item) for item in value]
    return tuple(part.strip() for part in parts if part.strip())
