"""Runs a set of tasks for several models, one after another; what is done stays done, and a part that fails stops no other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.log import EvalLog

from equipoise.errors import ConfigurationError, EquipoiseError, UsageError
from equipoise.evals.budget import Budget, Estimate, Prices, estimate
from equipoise.evals.failures import one_line
from equipoise.evals.guard_reading import Guard, guard_needs
from equipoise.evals.logs import Converted, convert, read_logs
from equipoise.evals.runner import Order, run, start_advice
from equipoise.ids import text_hash
from equipoise.outcomes.run import RUN_FILE, read_run, write_run

RUNS, LOGS = "runs", "logs"
"""Folders below that of the suite: one run folder and one folder of logs a part."""

REFERENCES = "references.jsonl"
"""What a run folder keeps of each item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One task put to one model.

    Attributes:
        benchmark: name of the benchmark.
        model: Inspect's name of the model.
        order: what is to be run.
        name: name of its folders.
        guard: the guard the model stands behind; None for the model alone.
    """

    benchmark: str
    model: str
    order: Order
    name: str
    guard: Guard | None = None

    @property
    def system(self) -> str:
        """The model, or the model behind its guard, as its replies will name it."""
        return self.model if self.guard is None else self.guard.system(self.model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """What is to be run.

    Attributes:
        benchmarks: task arguments by benchmark, in the order in which they are run.
        models: models, in the order in which they are asked.
        settings: settings of generation.
        base_url: address of an endpoint; None for the providers' own.
        limit: samples of a task at most; None for all.
        prices: prices by model.
        max_cost: US dollars for the whole suite. Every part may spend an equal share, so that the whole is never above
            it; None for no limit.
        prefix: what stands before a benchmark's name in the name of its task.
        guards: guards; every model is run alone and behind each.
        tasks: name of the task of each entry of `benchmarks` that is not named like its task: two settings of one task are two entries.
    """

    benchmarks: Mapping[str, Mapping[str, Any]]
    models: Sequence[str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    base_url: str | None = None
    limit: int | None = None
    prices: Mapping[str, Prices] = field(default_factory=dict)
    max_cost: float | None = None
    prefix: str = "equipoise/"
    guards: Sequence[Guard] = ()
    tasks: Mapping[str, str] = field(default_factory=dict)

    def parts(self) -> tuple[Part, ...]:
        """One part a benchmark, model and guard (none first), benchmarks first.

        Raises:
            UsageError: no benchmark or model, one named twice, or a limit in money without a price.
        """
        names = [guard.name for guard in self.guards]
        for name, values in (("bench", list(self.benchmarks)), ("model", list(self.models)), ("guard", names)):
            if not (values or name == "guard") or len(set(values)) < len(values):
                message = f"expected at least one, each once; found {', '.join(values) or 'none'}"
                raise UsageError(message, field=name)
        settings: tuple[Guard | None, ...] = (None, *self.guards)
        number = len(self.benchmarks) * len(self.models) * len(settings)
        share = None if self.max_cost is None else self.max_cost / number
        for model in self.models:
            Budget(most=share, prices=self.prices.get(model))
        return tuple(
            Part(
                benchmark=benchmark,
                model=model,
                order=self._order(benchmark, model, arguments, share, guard),
                name=f"{benchmark}--{folder_name(model if guard is None else guard.system(model))}",
                guard=guard,
            )
            for benchmark, arguments in self.benchmarks.items()
            for model in self.models
            for guard in settings
        )

    def _order(
        self, benchmark: str, model: str, arguments: Mapping[str, Any], share: float | None, guard: Guard | None
    ) -> Order:
        known = self.prices.get(model)
        money = {} if known is None else {"price_in": known.input, "price_out": known.output}
        if share is not None:
            money["max_cost"] = share
        return Order(
            task=f"{self.prefix}{self.tasks.get(benchmark, benchmark)}",
            model=model if guard is None else guard.model(model),
            model_args={} if guard is None else guard.arguments,
            task_args={**arguments, **money},
            base_url=self.base_url,
            limit=self.limit,
            settings=self.settings,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What became of a part.

    Attributes:
        part: the part.
        folder: its run folder; None when it could not start.
        replies: rows of its outcomes.
        errors: how many replies failed with which message.
        not_asked: samples that were not asked.
        cost: US dollars, as far as the replies state it.
        failure: why it could not start; empty when it did.
        resumed: whether an earlier log was gone on with, or was complete already.
    """

    part: Part
    folder: Path | None
    replies: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)
    not_asked: int = 0
    cost: float = 0.0
    failure: str = ""
    resumed: bool = False

    @property
    def whole(self) -> bool:
        """Whether every sample has a reply."""
        return not self.failure and not self.errors and not self.not_asked


Convert = Callable[[Sequence[EvalLog]], Converted]


def run_suite(suite: Suite, out: Path, *, converter: Convert | None = None) -> Iterator[Done]:
    """Run every part, or go on with it; each is given out as soon as its run folder is written.

    Args:
        suite: what is to be run.
        out: folder of the suite.
        converter: what makes tables of logs; that of this package by default.

    Raises:
        UsageError: as in `Suite.parts`.
    """
    for part in suite.parts():
        try:
            yield _run(part, out, converter or convert)
        except EquipoiseError as error:
            yield Done(part=part, folder=None, failure=str(error))


def require_models(names: Sequence[str]) -> None:
    """Look whether models can be had before anything is asked; none of them is asked.

    Args:
        names: Inspect's names.

    Raises:
        ConfigurationError: one cannot be had: unknown provider, no key, a library that is missing.
    """
    from inspect_ai.model import get_model

    for name in names:
        try:
            get_model(name)
        except Exception as error:
            message = f"{name}: {one_line(str(error))}; {start_advice(error)}"
            raise ConfigurationError(message) from error


def _run(part: Part, out: Path, converter: Convert) -> Done:
    ended = run(part.order, out / LOGS / part.name)
    converted = converter(read_logs([ended.log]))
    folder = out / RUNS / part.name
    if not _judged_since(folder, converted):
        write_run(folder, converted.info, converted.outcomes, converted.judgements, overwrite=True)
    lines = [json.dumps(dict(item), ensure_ascii=False, sort_keys=True) + "\n" for item in converted.references]
    (folder / REFERENCES).write_text("".join(lines), encoding="utf-8")
    return Done(
        part=part,
        folder=folder,
        replies=len(converted.outcomes),
        errors=converted.errors,
        not_asked=converted.not_asked,
        cost=sum(float(row.get("cost") or 0.0) for row in converted.outcomes),
        resumed=ended.resumed,
    )


def _judged_since(folder: Path, converted: Converted) -> bool:
    """Whether the folder holds the same run already, with judgements that were added to it; those would be lost."""
    if not (folder / RUN_FILE).is_file():
        return False
    try:
        kept = read_run(folder)
    except EquipoiseError:
        return False
    return (
        kept.info.run_id == converted.info.run_id
        and kept.outcomes.num_rows == len(converted.outcomes)
        and kept.judgements.num_rows > len(converted.judgements)
    )


def estimate_task(
    task: Task, max_tokens: int, known: Prices | None, *, limit: int | None = None, guard: Guard | None = None
) -> Estimate:
    """What a task would need at most, from its prompts; no model is asked.

    Args:
        task: the task.
        max_tokens: tokens of a reply at most.
        known: prices of the model.
        limit: samples at most.
        guard: the guard the model stands behind, whose calls are counted too.
    """
    samples = list(task.dataset)[:limit]
    epochs = int(task.epochs or 1)
    characters = sum(
        len(sample.input) if isinstance(sample.input, str) else sum(len(message.text) for message in sample.input)
        for sample in samples
    )
    calls, characters = len(samples) * epochs, characters * epochs
    more, guard_calls = (0, 0) if guard is None else guard_needs(guard, characters, calls, max_tokens)
    return estimate(characters + more, calls + guard_calls, max_tokens, known)


def folder_name(model: str) -> str:
    """A name for folders: the model's, and a piece of its hash where it had to be changed."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", model).strip("._") or "model"
    return plain[:80] if plain == model and len(plain) <= 80 else f"{plain[:80]}-{text_hash(model)[:6]}"
