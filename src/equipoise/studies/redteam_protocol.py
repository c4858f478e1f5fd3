"""The protocol of a red-team audit, fixed before any model is asked, and what a run did otherwise.

The protocol holds every plan with its hash, so that each denominator stands before the first reply. A folder with another protocol is
refused: an audit goes on as it was planned, or starts in a folder of its own.
"""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise._version import __version__
from equipoise.errors import EquipoiseError, InputError, UsageError
from equipoise.ids import content_hash
from equipoise.outcomes.readers import parse_json, read_text
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics.estimate import Result
from equipoise.studies.redteam_axes import Axis, AxisTest
from equipoise.studies.redteam_summaries import PartRun

PROTOCOL = "protocol.json"
"""Name of the file in the folder of the audit."""

KEPT_FACTS: tuple[str, ...] = (
    "dataset", "dataset_hash", "prompt_hash", "prompt_version", "reader_version", "rubric_hash", "loop", "rounds", "trials", "votes",
    "margin", "seed", "repeats_rule", "judges", "graders", "rule", "notes", "writer", "strategist",
)  # fmt: skip
"""Facts of a task that the protocol states; no folder of the user's is among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """What the command line said of all tests.

    Attributes:
        models: models that are asked.
        judges: models that judge; empty for none.
        data: file or folder of the user's by test.
        options: further arguments by test.
        limit: items of a test at most; None for all.
        generation: settings of generation.
        max_cost: US dollars for the whole audit.
        prices: (prompt, reply) in US dollars per million tokens, by model.
        base_url: address of an endpoint; empty for the providers' own.
    """

    models: Sequence[str]
    judges: Sequence[str] = ()
    data: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    limit: int | None = None
    generation: Mapping[str, Any] = field(default_factory=dict)
    max_cost: float | None = None
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    base_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A test that can run.

    Attributes:
        axis: its axis.
        test: the test.
        arguments: arguments of its task.
        unlimited: whether a limit was asked for that its task does not take.
    """

    axis: Axis
    test: AxisTest
    arguments: Mapping[str, Any]
    unlimited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRun(Result):
    """A test that cannot run here.

    Attributes:
        axis: its axis.
        test: its name.
        why: why, in one line.
    """

    axis: str
    test: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation(Result):
    """Something that was planned and came otherwise.

    Attributes:
        axis: the axis.
        part: name of the test.
        system: the model; empty when it concerns all.
        what: what came otherwise, in a few words.
        number: how many replies or items it concerns; 0 when that does not apply.
        planned: out of how many; 0 when that does not apply.
        why: why, as far as it is known.
    """

    axis: str
    part: str
    system: str
    what: str
    number: int = 0
    planned: int = 0
    why: str = ""


def ready_tests(axes: Sequence[Axis], ordered: Ordered) -> tuple[tuple[Ready, ...], tuple[NotRun, ...]]:
    """The tests that can run, with their arguments, and those that cannot, with the reason.

    Raises:
        UsageError: an option names a test that is not run, or an argument that its task does not have.
    """
    known = [test.id for axis in axes for test in axis.tests]
    for name in (*ordered.options, *ordered.data):
        if name not in known:
            message = f"there is no test {name!r} among those of the axes; expected one of {', '.join(known)}"
            raise UsageError(message, field="--option")
    ready: list[Ready] = []
    left: list[NotRun] = []
    for axis in axes:
        for test in axis.tests:
            why, arguments, unlimited = _arguments(test, ordered)
            if why:
                left.append(NotRun(axis=axis.id, test=test.id, why=why))
            else:
                ready.append(Ready(axis=axis, test=test, arguments=arguments, unlimited=unlimited))
    return tuple(ready), tuple(left)


def _arguments(test: AxisTest, ordered: Ordered) -> tuple[str, dict[str, Any], bool]:
    from equipoise.benchmarks import _registry

    build = getattr(_registry, test.task, None)
    if build is None:
        return f"this version has no task {test.task}", {}, False
    takes = set(inspect.signature(build).parameters)
    absent = next((name for name in test.arguments if name not in takes), None)
    if absent is not None:
        return f"the task {test.task} of this version has no option {absent}", {}, False
    own = dict(ordered.options.get(test.id, {}))
    wrong = next((name for name in own if name not in takes), None)
    if wrong is not None:
        message = f"{test.id} has no option {wrong!r}; there are {', '.join(sorted(takes))}"
        raise UsageError(message, field="--option")
    found: dict[str, Any] = dict(test.arguments)
    if test.id in ordered.data:
        found["data"] = ordered.data[test.id]
    if test.judges and ordered.judges:
        found[test.judges] = ",".join(ordered.judges)
    unlimited = ordered.limit is not None and "limit" not in takes
    if ordered.limit is not None and "limit" in takes:
        found["limit"] = ordered.limit
    found |= own
    if test.needs_judge and not found.get(test.judges):
        return "it says nothing without a judge: name one with --judge", {}, False
    return "", found, unlimited


def frozen_protocol(
    axes: Sequence[Axis], ready: Sequence[Ready], left: Sequence[NotRun], ordered: Ordered
) -> dict[str, Any]:
    """The protocol, with the plan of every test; no model is asked.

    Raises:
        EquipoiseError: a task cannot be made: its data are not there, or an argument is wrong. Names the test.
    """
    body: dict[str, Any] = {
        "equipoise": __version__,
        "axes": [{"id": axis.id, "title": axis.title, "question": axis.question} for axis in axes],
        "models": list(ordered.models),
        "judges": list(ordered.judges),
        "generation": dict(ordered.generation),
        "limit": ordered.limit,
        "max_cost": ordered.max_cost,
        "prices": {model: list(pair) for model, pair in ordered.prices.items()},
        "tests": [_planned(item) for item in ready],
        "not_run": [item.to_dict() for item in left],
    }
    return {**body, "protocol_hash": content_hash(body)}


def task_of(item: Ready) -> Any:
    """The task of a test.

    Raises:
        EquipoiseError: it cannot be made; names the test.
    """
    from equipoise.benchmarks import _registry

    try:
        return getattr(_registry, item.test.task)(**item.arguments)
    except EquipoiseError as error:
        message = f"{item.test.id}: {error}"
        raise UsageError(message) from error


def _planned(item: Ready) -> dict[str, Any]:
    from equipoise.evals.logs import FACTS

    task = task_of(item)
    facts: Mapping[str, Any] = (task.metadata or {}).get(FACTS) or {}
    shown = {name: value for name, value in item.arguments.items() if name != "data"}
    return {
        "axis": item.axis.id,
        "test": item.test.id,
        "task": item.test.task,
        "task_version": str(task.version),
        "own_data": "data" in item.arguments,
        "arguments": shown,
        "limit_applies": not item.unlimited,
        "samples": len(task.dataset) * int(task.epochs or 1),
        **{name: facts[name] for name in KEPT_FACTS if name in facts},
        "plan": facts.get("plan") or {},
    }


def keep_protocol(protocol: Mapping[str, Any], folder: Path) -> bool:
    """Write the protocol into a new folder; in a folder that has one it has to be the same.

    Returns:
        Whether the folder had it already.

    Raises:
        InputError: the folder holds an audit with another protocol; names what differs.
        UsageError: the folder cannot be made or written into.
    """
    path = folder / PROTOCOL
    if path.is_file():
        kept = parse_json(read_text(path), file=str(path))
        if not isinstance(kept, Mapping) or kept.get("protocol_hash") != protocol["protocol_hash"]:
            old: Mapping[str, Any] = kept if isinstance(kept, Mapping) else {}
            differs = [name for name in protocol if name != "protocol_hash" and old.get(name) != protocol[name]]
            message = f"the folder holds an audit with another protocol (other: {', '.join(differs) or 'its form'}); repeat the command it "
            message += "was made with, or name another folder"
            raise InputError(message, file=str(path))
        return True
    text = json.dumps(protocol, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"the folder cannot be written into ({error.strerror or 'unknown reason'}); name another one"
        raise UsageError(message, file=str(folder)) from None
    return False


def deviations(
    protocol: Mapping[str, Any], parts: Mapping[tuple[str, str], PartRun], failures: Mapping[tuple[str, str], str]
) -> tuple[Deviation, ...]:
    """What came otherwise than planned, in the order of the protocol.

    Args:
        protocol: the protocol.
        parts: the runs by test and model.
        failures: why a part could not start, by test and model.
    """
    found = [
        Deviation(axis=item["axis"], part=item["test"], system="", what="not run", why=item["why"])
        for item in protocol["not_run"]
    ]
    for test in protocol["tests"]:
        if not test["limit_applies"]:
            found.append(
                Deviation(
                    axis=test["axis"], part=test["test"], system="", what="asked without the limit",
                    why="its task takes no limit of items",
                )
            )  # fmt: skip
        for model in protocol["models"]:
            key = (test["test"], model)
            common: dict[str, Any] = {"axis": test["axis"], "part": test["test"], "system": model}
            part = parts.get(key)
            if part is None:
                why = failures.get(key, "the audit ended before it")
                found.append(
                    Deviation(**common, what="not run", number=test["samples"], planned=test["samples"], why=why)
                )
                continue
            found += _of_part(test, part, common)
    return tuple(found)


def _of_part(test: Mapping[str, Any], part: PartRun, common: Mapping[str, Any]) -> list[Deviation]:
    found: list[Deviation] = []
    if part.plan.plan_hash != (test["plan"] or {}).get("plan_hash"):
        found.append(Deviation(**common, what="another plan was run", why=f"plan {part.plan.plan_hash}"))
    rows = part.rows()
    asked = {str(row[name]) for row in rows for name in ("item", "item_family", "parent_item")}
    never = [name for name in part.plan.items if name not in asked]
    if never:
        found.append(
            Deviation(
                **common, what="items never asked", number=len(never), planned=len(part.plan.items),
                why="the run was cut short, or its budget was spent",
            )
        )  # fmt: skip
    states = Counter(str(row["state"]) for row in rows if row["state"] != ReplyState.OK)
    found += [
        Deviation(**common, what=f"replies in state {state}", number=number, planned=len(rows), why=_why(state))
        for state, number in sorted(states.items())
    ]
    answered = part.facts.get("answered_as") or []
    others = [name for name in answered if name not in (common["system"], common["system"].partition("/")[2])]
    if others:
        found.append(Deviation(**common, what="answered under another name", why=", ".join(others)))
    return found


def _why(state: str) -> str:
    return {
        "empty": "the reply held no text", "blocked": "a filter withheld it", "truncated": "it was cut off at its longest length",
        "unparsed": "no answer was read in it", "error": "the call came to nothing; see the log of the part",
    }.get(state, "")  # fmt: skip


def read_protocol(folder: Path) -> dict[str, Any]:
    """The protocol of an audit's folder.

    Raises:
        InputError: there is none, or it was changed after it was fixed.
    """
    path = folder / PROTOCOL
    value = parse_json(read_text(path), file=str(path))
    if not isinstance(value, dict) or "protocol_hash" not in value:
        message = "expected the protocol of a red-team audit"
        raise InputError(message, file=str(path))
    body = {name: item for name, item in value.items() if name != "protocol_hash"}
    if content_hash(body) != value["protocol_hash"]:
        message = "the protocol was changed after it was fixed: its hash is another"
        raise InputError(message, file=str(path), field="protocol_hash")
    return value
