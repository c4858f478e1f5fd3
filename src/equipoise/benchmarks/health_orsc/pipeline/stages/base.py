"""What every stage is: settings it depends on, inputs it reads, calls it may make, rows it keeps and rejects."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.calls import Asker
from equipoise.benchmarks.health_orsc.pipeline.config import Loaded
from equipoise.benchmarks.health_orsc.pipeline.prompts import Prompt
from equipoise.benchmarks.health_orsc.pipeline.refusals import Reader
from equipoise.benchmarks.health_orsc.pipeline.terms import Reason
from equipoise.outcomes.schema import ReplyState

Rows = list[dict[str, Any]]

KEPT, REJECTS = "kept", "rejects"
"""Files that every stage writes."""

LONGEST_EXCERPT = 2000
"""Characters of a reply that stand in a reject; the journal holds the whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a stage is given.

    Attributes:
        loaded: the configuration.
        inputs: rows by "stage/file", as the stage asked for.
        asker: asks models.
        prompts: prompts by name.
        reader: reads refusals; only stage 6 has one.
        records: records of the stages before; only stage 7 has them.
    """

    loaded: Loaded
    inputs: Mapping[str, Rows]
    asker: Asker
    prompts: Mapping[str, Prompt]
    reader: Reader | None = None
    records: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a stage made.

    Attributes:
        entered: rows that came in (questions asked of a stage that makes several rows of one).
        kept: rows that go on.
        rejects: rows that do not, each with `reason` and, where a model failed, `state`.
        unit: what is counted.
        facts: further results of the stage, in plain values.
        files: further files of rows, by name without suffix.
        texts: further files, by name.
        kept_as: name of the file of kept rows.
    """

    entered: int
    kept: Rows
    rejects: Rows
    unit: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Rows] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    kept_as: str = KEPT


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Calls a stage would make at most.

    Attributes:
        model: name among the configuration's models.
        calls: number of calls.
        characters: characters of all their prompts together.
    """

    model: str
    calls: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage.

    Attributes:
        id: its name, as typed.
        number: its place, from 1.
        version: raised when it can give other rows for the same input.
        inputs: "stage/file" it reads.
        settings: what of the configuration it depends on.
        prompts: its prompts by name.
        run: the work.
        plan: calls it would make at most for so many seeds of so many characters together.
        reads_records: whether it reads the records of the stages before.
    """

    id: str
    number: int
    version: str
    inputs: tuple[str, ...]
    settings: Callable[[Loaded], Mapping[str, Any]]
    prompts: Callable[[Loaded], Mapping[str, Prompt]]
    run: Callable[[Work], Awaitable[Done]]
    plan: Callable[[Loaded, int, int], Sequence[Planned]]
    reads_records: bool = False

    @property
    def folder(self) -> str:
        """Name of its folder."""
        return f"{self.number}-{self.id}"


def reject(row: Mapping[str, Any], reason: Reason, **facts: Any) -> dict[str, Any]:
    """A row that does not go on, with its reason first."""
    return {"reason": reason.value, **facts, **row}


def excerpt(text: str) -> str:
    """The beginning of a reply, for a reject."""
    return text[:LONGEST_EXCERPT]


def no_calls(loaded: Loaded, seeds: int, characters: int) -> tuple[Planned, ...]:
    """The plan of a stage that asks no model."""
    del loaded, seeds, characters
    return ()


def no_prompts(loaded: Loaded) -> Mapping[str, Prompt]:
    """The prompts of a stage that asks no model."""
    del loaded
    return {}


def plan_length(prompt: Prompt, calls: int, characters: int) -> int:
    """Characters of so many calls of a prompt whose texts have so many characters together."""
    return calls * (len(prompt.system) + len(prompt.user)) + characters


def states(found: Sequence[ReplyState]) -> dict[str, int]:
    """Number of replies by state, every state named."""
    return {state.value: sum(one is state for one in found) for state in ReplyState}
