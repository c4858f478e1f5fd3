"""`equipoise eval` for the stress tests: options of a task, what it would need, the run, and what it came to in a few lines."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from equipoise.cli.common import print_json, visible
from equipoise.cli.evals_refusal import own_options
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from equipoise.evals.budget import Estimate, Prices
    from equipoise.evals.logs import Converted

CALLS = "calls"
"""Element of a sample's metadata: calls of the model that it needs at most; 1 when it is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StressTask:
    """A stress test that `equipoise eval` runs.

    Attributes:
        id: identifier of task and benchmark; the function of that name in `task` makes the task.
        task: module of the task.
        summary: module with `summary(run) -> dict` and `lines(result) -> list of str`; empty for counts of replies alone.
        max_tokens: tokens of a reply at most, unless the command says otherwise.
    """

    id: str
    task: str
    summary: str = ""
    max_tokens: int = 1024


STRESS_TASKS: tuple[StressTask, ...] = (
    StressTask(
        id="medqa_order",
        task="equipoise.benchmarks.medqa_order.task",
        summary="equipoise.benchmarks.choice_stress.summary",
    ),
    StressTask(
        id="das_robustness",
        task="equipoise.benchmarks.das_robustness.task",
        summary="equipoise.benchmarks.choice_stress.summary",
    ),
    StressTask(id="das_privacy", task="equipoise.benchmarks.das_privacy.task"),
    StressTask(id="das_bias", task="equipoise.benchmarks.das_bias.task"),
    StressTask(id="das_hallucination", task="equipoise.benchmarks.das_hallucination.task"),
    StressTask(
        id="missing_info",
        task="equipoise.benchmarks.missing_info.task",
        summary="equipoise.benchmarks.missing_info.summary",
    ),
    StressTask(
        id="healthbench",
        task="equipoise.benchmarks.healthbench.task",
        summary="equipoise.benchmarks.healthbench.summary",
    ),
    StressTask(id="medfail", task="equipoise.benchmarks.medfail.task", summary="equipoise.benchmarks.medfail.summary"),
    StressTask(
        id="specialist_turn",
        task="equipoise.benchmarks.specialist_turn.task",
        summary="equipoise.benchmarks.board_summary",
        max_tokens=2048,
    ),
    StressTask(
        id="board_simulation",
        task="equipoise.benchmarks.board_simulation.task",
        summary="equipoise.benchmarks.board_summary",
        max_tokens=8192,
    ),
)
"""To add one: a line here, its import in `benchmarks/_registry.py`, its entry with a card in `benchmarks/catalogue.py`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StressAsked:
    """What the command line said of a stress test.

    Attributes:
        test: the stress test.
        model: Inspect's name of the model.
        given: arguments of the task by name; None for what was not said.
        options: more of them, each as NAME=VALUE.
    """

    test: StressTask
    model: str
    given: Mapping[str, Any] = field(default_factory=dict)
    options: Sequence[str] = ()

    def task_args(self) -> dict[str, Any]:
        """Arguments of the task that were said.

        Raises:
            UsageError: the task has no such argument, or one is said twice.
        """
        said = {name: value for name, value in self.given.items() if value is not None}
        own = own_options(self.options)
        twice = next((name for name in own if name in said), None)
        if twice is not None:
            message = f"{twice} is given twice"
            raise UsageError(message, field="--option")
        known = list(inspect.signature(_function(self.test)).parameters)
        for name in (*said, *own):
            if name not in known:
                message = f"{self.test.id} has no option {name!r}; there are {', '.join(known)}"
                raise UsageError(message, field=f"--{name.replace('_', '-')}" if name in said else "--option")
        return said | own


def stress_task(name: str) -> StressTask | None:
    """The stress test of that name; None when it is another benchmark."""
    return next((item for item in STRESS_TASKS if item.id == name), None)


def absolute(path: Path | None) -> str | None:
    """A file or folder of the user's, so that a run can go on from another folder."""
    return None if path is None else str(path.resolve())


def estimate_stress(asked: StressAsked, max_tokens: int) -> dict[str, Any]:
    """What a run would need at most, from the samples themselves, and the first prompt; no model is asked."""
    from equipoise.evals.budget import prices
    from equipoise.evals.logs import FACTS

    arguments = asked.task_args()
    task = _function(asked.test)(**arguments)
    facts = (task.metadata or {})[FACTS]
    samples = list(task.dataset)
    texts = [_text(sample.input) for sample in samples]
    needed = needed_by(task, max_tokens, prices(arguments.get("price_in"), arguments.get("price_out")))
    plan = facts["plan"]
    return {
        "benchmark": asked.test.id,
        "dataset": facts.get("dataset", ""),
        "dataset_hash": facts["dataset_hash"],
        "plan_hash": plan.get("plan_hash", ""),
        "items": len(plan.get("items", ())),
        "samples": len(samples),
        "calls_at_most": needed.calls,
        "tokens_in": needed.tokens_in,
        "tokens_out_at_most": needed.tokens_out,
        "cost_at_most": None if needed.cost is None else round(needed.cost, 4),
        "max_cost": arguments.get("max_cost"),
        "notes": list(facts.get("notes", ())),
        "first_prompt": texts[0] if texts else "",
    }


def needed_by(task: Any, max_tokens: int, known: Prices | None) -> Estimate:
    """What a task would need at most: its calls, each with the text of its sample; no model is asked.

    Args:
        task: the task.
        max_tokens: tokens of a reply at most.
        known: prices of the model.
    """
    from equipoise.evals.budget import estimate

    epochs = int(task.epochs or 1)
    calls = [int((sample.metadata or {}).get(CALLS, 1)) * epochs for sample in task.dataset]
    characters = sum(len(_text(sample.input)) * number for sample, number in zip(task.dataset, calls, strict=True))
    return estimate(characters, sum(calls), max_tokens, known)


def check_stress(asked: StressAsked) -> None:
    """Make the task once before Inspect does, so that what is wrong is told in one line."""
    _function(asked.test)(**asked.task_args())


def show_stress_estimate(value: Mapping[str, Any], *, as_json: bool) -> None:
    """Print an estimate."""
    if as_json:
        print_json(value)
        return
    for key, item in value.items():
        if key not in ("first_prompt", "notes"):
            typer.echo(visible(f"{key.replace('_', ' ')}: {'not known' if item is None else item}"))
    for note in value["notes"]:
        typer.echo(visible(f"note: {note}"))
    typer.echo("")
    typer.echo("\n".join(visible(line) for line in str(value["first_prompt"]).splitlines()))


def show_stress(asked: StressAsked, converted: Converted, log: str, *, as_json: bool) -> None:
    """Print what a run came to: the task's own lines, then the replies by state."""
    from equipoise.outcomes.run import Run
    from equipoise.outcomes.schema import judgements_table, outcomes_table

    info = converted.info
    run = Run(
        info=info,
        outcomes=outcomes_table(converted.outcomes),
        judgements=judgements_table(converted.judgements),
    )
    states: dict[str, int] = {}
    for row in converted.outcomes:
        states[row["state"]] = states.get(row["state"], 0) + 1
    module = importlib.import_module(asked.test.summary) if asked.test.summary else None
    result = module.summary(run) if module is not None else {}
    notes = list(info.arguments["logs"][0].get("notes", ()))
    if as_json:
        print_json(
            {
                "benchmark": info.benchmark,
                "system": info.systems[0],
                "dataset_hash": info.dataset_hash,
                "notes": notes,
                "replies": len(converted.outcomes),
                "states": states,
                "result": result,
                "errors": converted.errors,
                "not_asked": converted.not_asked,
                "log": log,
            }
        )
        return
    told = ", ".join(f"{number} {state}" for state, number in sorted(states.items())) or "none"
    typer.echo(visible(f"{info.systems[0]} on {info.benchmark}: {len(converted.outcomes)} replies, {told}"))
    for note in notes:
        typer.echo(visible(f"note: {note}"))
    for line in module.lines(result) if module is not None else ():
        typer.echo(visible(line))


def _function(test: StressTask) -> Any:
    from equipoise._optional import require

    require("inspect_ai", extra="eval")
    return getattr(importlib.import_module(test.task), test.id)


def _text(value: Any) -> str:
    """The text of a sample's input: a text, or messages."""
    return value if isinstance(value, str) else "\n\n".join(message.text for message in value)
