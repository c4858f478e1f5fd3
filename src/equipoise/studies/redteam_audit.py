"""A red-team audit from the run folders of its parts: every axis measured for every model, the worst cases, what came otherwise.

There is no figure over several axes: what they measure has no common unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.ids import content_hash
from equipoise.outcomes.readers import read_json_lines
from equipoise.outcomes.run import read_run
from equipoise.statistics.estimate import Result, plain
from equipoise.studies.redteam_axes import AXES, Axis
from equipoise.studies.redteam_protocol import Deviation, deviations
from equipoise.studies.redteam_summaries import SEED, PartRun, measured
from equipoise.studies.redteam_worst import WorstCase, worst_cases

REFERENCES = "references.jsonl"
MOST_WORST = 400
"""Worst cases that an audit holds; the others are counted and stay in the run folders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisResult(Result):
    """One axis of one model.

    Attributes:
        axis: the axis.
        system: the model.
        result: its measures; None when they could not be made.
        why: why they could not; empty otherwise.
    """

    axis: str
    system: str
    result: Mapping[str, Any] | None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartStates(Result):
    """What became of the replies of a part.

    Attributes:
        axis: its axis.
        part: name of the test.
        system: the model.
        replies: rows of the outcomes.
        states: replies by state.
        plan_hash: hash of the plan that was run.
        cost: US dollars, as far as the replies state it.
    """

    axis: str
    part: str
    system: str
    replies: int
    states: Mapping[str, int]
    plan_hash: str
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RedteamAudit(Result):
    """The whole audit.

    Attributes:
        protocol: the protocol, as it was fixed.
        seed: seed of the intervals.
        parts: what became of the replies.
        axes: one an axis and model, in the order of the catalogue.
        worst: the worst cases, worst kind first.
        worst_total: how many there are.
        deviations: what came otherwise than planned.
    """

    protocol: Mapping[str, Any]
    seed: int
    parts: tuple[PartStates, ...]
    axes: tuple[AxisResult, ...]
    worst: tuple[WorstCase, ...]
    worst_total: int
    deviations: tuple[Deviation, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, with the hash of all of it."""
        body = {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {**body, "audit_hash": content_hash(body)}


def read_part(test: str, folder: Path) -> PartRun:
    """A part from its run folder.

    Raises:
        InputError: the folder cannot be read.
    """
    kept = folder / REFERENCES
    references = tuple(record for _, record in read_json_lines(kept)) if kept.is_file() else ()
    return PartRun(test=test, run=read_run(folder), references=references)


def redteam_audit(
    protocol: Mapping[str, Any],
    parts: Mapping[tuple[str, str], PartRun],
    failures: Mapping[tuple[str, str], str] | None = None,
    *,
    seed: int = SEED,
) -> RedteamAudit:
    """The audit.

    Args:
        protocol: the protocol.
        parts: the runs by test and model.
        failures: why a part could not start, by test and model.
        seed: seed of the intervals.
    """
    wanted = [item["id"] for item in protocol["axes"]]
    axes = [axis for axis in AXES if axis.id in wanted]
    found: list[AxisResult] = []
    worst: list[WorstCase] = []
    states: list[PartStates] = []
    left = {item["test"]: item["why"] for item in protocol["not_run"]}
    for axis in axes:
        for model in protocol["models"]:
            own = {test.id: parts[test.id, model] for test in axis.tests if (test.id, model) in parts}
            found.append(_axis(axis, model, own, left, failures or {}, seed))
            for part in own.values():
                worst += worst_cases(axis.id, part)
                states.append(_states(axis.id, model, part))
    worst.sort(key=lambda item: item.rank)
    return RedteamAudit(
        protocol=protocol,
        seed=seed,
        parts=tuple(states),
        axes=tuple(found),
        worst=tuple(worst[:MOST_WORST]),
        worst_total=len(worst),
        deviations=deviations(protocol, parts, failures or {}),
    )


def _axis(
    axis: Axis,
    model: str,
    own: Mapping[str, PartRun],
    left: Mapping[str, str],
    failures: Mapping[tuple[str, str], str],
    seed: int,
) -> AxisResult:
    if not own:
        reasons = [left.get(test.id) or failures.get((test.id, model)) or "it was not reached" for test in axis.tests]
        return AxisResult(axis=axis.id, system=model, result=None, why="; ".join(dict.fromkeys(reasons)))
    try:
        return AxisResult(axis=axis.id, system=model, result=plain(measured(axis.measures, own, seed=seed)))
    except EquipoiseError as error:
        return AxisResult(axis=axis.id, system=model, result=None, why=str(error))


def _states(axis: str, model: str, part: PartRun) -> PartStates:
    rows = part.rows()
    return PartStates(
        axis=axis,
        part=part.test,
        system=model,
        replies=len(rows),
        states=dict(sorted(Counter(str(row["state"]) for row in rows).items())),
        plan_hash=part.plan.plan_hash,
        cost=sum(float(row["cost"] or 0.0) for row in rows),
    )
