"""Whether a verdict on the trail comes out again: the same bytes under the recorded versions, what differs under others."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from equipoise._version import __version__
from equipoise.cases.formats import case_from_object
from equipoise.errors import EquipoiseError
from equipoise.service.engine import Asked, Engine, to_bytes
from equipoise.service.trail.entries import Entry, Kind


class Outcome(StrEnum):
    """What a replay comes to.

    `same`: the same bytes. `differs`: other bytes, and the engine, evidence or policy is another one. `broken`: other bytes
    although all three are the recorded ones, which is a defect. `deleted`: the payload was taken away. `impossible`: the policy is
    not loaded here, or the case cannot be read any more.
    """

    SAME = "same"
    DIFFERS = "differs"
    BROKEN = "broken"
    DELETED = "deleted"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One element of a verdict that comes out otherwise.

    Attributes:
        recommendation: number of the recommendation, from 1.
        element: name of the element.
        before: as recorded.
        after: as it comes out now.
    """

    recommendation: int
    element: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The replay of one entry.

    Attributes:
        seq: number of the entry.
        outcome: what it comes to.
        versions: engine, evidence and policy, each as recorded and as here, where they differ.
        differences: what comes out otherwise.
        reason: why it could not be done; empty when it was.
    """

    seq: int
    outcome: Outcome
    versions: Mapping[str, tuple[str, str]]
    differences: tuple[Difference, ...] = ()
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "seq": self.seq,
            "outcome": self.outcome.value,
            "versions": {name: list(pair) for name, pair in self.versions.items()},
            "differences": [
                {"recommendation": one.recommendation, "element": one.element, "before": one.before, "after": one.after}
                for one in self.differences
            ],
            "reason": self.reason,
        }


def replay(entry: Entry, engine: Engine) -> Replay | None:
    """Make the verdicts of an entry again.

    Args:
        entry: an entry with its payload.
        engine: policies and evidence of this service.

    Returns:
        What came out; None for an entry that holds no verdict.
    """
    if entry.fields.get("kind") != Kind.AUDIT:
        return None
    facts = entry.fields.get("facts", {})
    if entry.payload is None:
        return Replay(seq=entry.seq, outcome=Outcome.DELETED, versions={}, reason="the payload was taken away")
    more = json.loads(entry.payload.more)
    asked = _asked(more["asked"])
    if asked.policy not in engine.policies:
        reason = f"the policy {asked.policy} is not loaded here; name its file with --policy"
        return Replay(seq=entry.seq, outcome=Outcome.IMPOSSIBLE, versions={}, reason=reason)
    versions = {
        name: (before, after)
        for name, before, after in (
            ("engine", str(facts.get("engine_version", "")), __version__),
            ("evidence", str(facts.get("evidence_hash", "")), engine.base.hash),
            ("policy", str(facts.get("policy_hash", "")), engine.policies[asked.policy].hash),
        )
        if before != after
    }
    try:
        case = case_from_object(json.loads(entry.payload.case), default_id=more["case_id"])
        day = asked.as_of or case.as_of or asked.today
        made = to_bytes([verdict.to_dict() for verdict in engine.auditor(asked).audit(replace(case, as_of=day))])
    except EquipoiseError as error:
        return Replay(seq=entry.seq, outcome=Outcome.IMPOSSIBLE, versions=versions, reason=str(error))
    if hashlib.sha256(made).digest() == hashlib.sha256(entry.payload.verdicts).digest():
        return Replay(seq=entry.seq, outcome=Outcome.SAME, versions=versions)
    return Replay(
        seq=entry.seq,
        outcome=Outcome.DIFFERS if versions else Outcome.BROKEN,
        versions=versions,
        differences=tuple(_differences(json.loads(entry.payload.verdicts), json.loads(made))),
    )


def _asked(data: Mapping[str, Any]) -> Asked:
    return Asked(
        policy=data["policy"],
        jurisdiction=data["jurisdiction"],
        as_of=dt.date.fromisoformat(data["as_of"]) if data["as_of"] else None,
        today=dt.date.fromisoformat(data["today"]),
    )


def _differences(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> list[Difference]:
    found = []
    for number in range(max(len(before), len(after))):
        old = before[number] if number < len(before) else {}
        new = after[number] if number < len(after) else {}
        for name in dict.fromkeys((*old, *new)):
            if old.get(name) != new.get(name):
                found.append(
                    Difference(recommendation=number + 1, element=name, before=old.get(name), after=new.get(name))
                )
    return found
