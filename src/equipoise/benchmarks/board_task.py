"""What both board tasks share: arguments checked, the task put together, the facts that its log keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Solver

from equipoise._version import __version__
from equipoise.benchmarks.board_requests import attach_pictures
from equipoise.benchmarks.board_samples import plan_of, samples_of
from equipoise.benchmarks.board_scoring import board_scorer
from equipoise.benchmarks.catalogue import find
from equipoise.boards.askings import Asked
from equipoise.boards.prompts import BoardPrompt
from equipoise.boards.replies import REPLIES_VERSION
from equipoise.boards.vocabulary import Arm
from equipoise.errors import UsageError
from equipoise.evals.logs import FACTS
from equipoise.evals.mock_counts import count_without_network
from equipoise.evals.stress_rows import KIND
from equipoise.judging.seated import names_of

MAX_RETRIES = 6
TIMEOUT = 300


def arm_of(name: str) -> Arm:
    """The arm of that name.

    Raises:
        UsageError: there is none.
    """
    try:
        return Arm(name)
    except ValueError:
        message = f"expected {' or '.join(item.value for item in Arm)}; found {name!r}"
        raise UsageError(message, field="arm") from None


def check_numbers(values: Mapping[str, int | None]) -> None:
    """Whole numbers from 1, or None.

    Raises:
        UsageError: one is none.
    """
    for name, value in values.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            message = f"expected a whole number of 1 or more; found {value!r}"
            raise UsageError(message, field=name)


def words_of(value: str | Sequence[str] | None, known: Sequence[str], *, field: str) -> tuple[str, ...]:
    """Words of a list, given as a list or with commas; each must be known.

    Raises:
        UsageError: one is not, or stands there twice.
    """
    names = names_of(value, field=field)
    strange = next((name for name in names if name not in known), None)
    if strange is not None:
        message = f"expected some of {', '.join(known)}; found {strange!r}"
        raise UsageError(message, field=field)
    return names


def board_task(
    benchmark: str,
    asked: Asked,
    prompt: BoardPrompt,
    solver: Solver,
    *,
    setting: str,
    facts: Mapping[str, Any],
    images: str | None,
    trials: int,
    max_tokens: int,
    calls: int = 1,
    seats: Mapping[str, str] | None = None,
) -> Task:
    """The task.

    Args:
        benchmark: its identifier.
        asked: what is asked.
        prompt: the instruction, with its arm, version and hash; a board of agents has its own, and keeps only the arm of this one.
        solver: what asks.
        setting: single or agents, with the tools.
        facts: more of what the log keeps; `named` tells in words how the setting is not the plain one.
        images: folder of the pictures; None in the caption arm.
        trials: replies to each item.
        max_tokens: of a reply.
        calls: calls of a model that an item needs at most.
        seats: model of each role that has one of its own.
    """
    agents = setting.startswith("agents")
    system = "" if agents else prompt.system
    named = [
        *(["images"] if prompt.arm is Arm.IMAGES else []),
        *([] if setting == "single" else [setting]),
        *([str(facts["named"])] if facts.get("named") else []),
    ]
    kept: dict[str, Any] = {
        "kind": KIND,
        "benchmark": benchmark,
        "version": __version__,
        "dataset": asked.name,
        "dataset_hash": asked.hash,
        "reader_version": REPLIES_VERSION,
        "prompt_version": prompt.version,
        "prompt_hash": prompt.hash,
        "arm": prompt.arm.value,
        "players": setting,
        "setting": ", ".join(named),
        "seated": agents,
        "plan": plan_of(asked),
        "notes": [*asked.notes, *(["the estimate of tokens is without the pictures"] if images is not None else [])],
        **{key: value for key, value in facts.items() if key != "named"},
    }
    count_without_network()
    return Task(
        dataset=MemoryDataset(samples_of(asked, prompt.arm, setting, system=system, calls=calls), name=benchmark),
        solver=solver if images is None else [attach_pictures(images), solver],
        scorer=board_scorer(benchmark == "specialist_turn"),
        config=GenerateConfig(temperature=0.0, max_tokens=max_tokens, max_retries=MAX_RETRIES, timeout=TIMEOUT),
        model_roles=dict(seats) if seats else None,
        epochs=trials,
        fail_on_error=True,
        continue_on_fail=True,
        version=find(benchmark).card().version,
        metadata={FACTS: kept},
    )
