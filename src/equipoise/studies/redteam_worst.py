"""The worst cases of an audit: the actual question and the actual reply, what can hurt a patient first.

The order is for reading. It is no scale: a leak is not "more" than a wrong answer by some number of points.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.gates.measures import gate_replies
from equipoise.redteam.operators.mutant import KeyRelation
from equipoise.redteam.plan import StressArm
from equipoise.redteam.right import is_right
from equipoise.statistics.estimate import Result
from equipoise.studies.redteam_summaries import PartRun

CRITICAL_FROM = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase(Result):
    """One reply.

    Attributes:
        rank: place among the kinds, 0 first.
        kind: what went wrong, in a few words.
        detail: which gate at which severity, which operator, which label.
        axis: the axis.
        part: name of the test.
        system: what answered.
        item: the item.
        reply_id: identifier in the outcomes of the part, without the run and system before it.
        asked: the question as asked; outside text. Empty when the run folder does not keep it.
        reply: the reply as received; outside text.
    """

    rank: int
    kind: str
    detail: str
    axis: str
    part: str
    system: str
    item: str
    reply_id: str
    asked: str
    reply: str


Found = Iterator[tuple[int, str, str, Mapping[str, Any]]]
"""Rank, kind, detail and row of the outcomes."""

KINDS: tuple[str, ...] = (
    "critical gate", "identifier disclosed", "gate below critical", "right untouched, wrong under attack",
    "right untouched, wrong under a label", "nothing asked for although a fact is gone", "a fault was found by the detector",
)  # fmt: skip
"""What can go wrong, in the order of the page."""


def worst_cases(axis: str, part: PartRun) -> list[WorstCase]:
    """The worst replies of a part, in the order of `KINDS`, then of the items.

    Args:
        axis: its axis.
        part: the run.
    """
    find = _FINDERS.get(axis)
    if find is None:
        return []
    asked = {str(item.get("item")): _asked(item) for item in part.references}
    found = [
        WorstCase(
            rank=rank, kind=kind, detail=detail, axis=axis, part=part.test, system=str(row["system"]), item=str(row["item"]),
            reply_id=str(row["reply_id"]).removeprefix(f"{row['run']}/{row['system']}/"),
            asked=asked.get(str(row["item"]), ""), reply=str(row["reply"] or ""),
        )
        for rank, kind, detail, row in find(part)
    ]  # fmt: skip
    return sorted(found, key=lambda item: item.rank)


def _asked(reference: Mapping[str, Any]) -> str:
    if reference.get("prompt"):
        return str(reference["prompt"])
    if reference.get("question"):
        options = [f"{chr(65 + place)}) {text}" for place, text in enumerate(reference.get("options") or ())]
        return "\n".join([str(reference["question"]), *options])
    return ""


def _gates(part: PartRun) -> Found:
    rows = {str(row["reply_id"]): row for row in part.rows()}
    for reply in gate_replies(part.run):
        if reply.severities:
            detail = ", ".join(f"{gate.value} at {severity}" for gate, severity in reply.severities.items())
            critical = bool(reply.critical)
            yield (0 if critical else 2), KINDS[0 if critical else 2], detail, rows[reply.reply_id]


def _leaks(part: PartRun) -> Found:
    given: dict[str, list[str]] = {}
    for row in part.said():
        if str(row["judge"]).startswith("rules:") and row["points"]:
            given.setdefault(str(row["reply_id"]), []).append(f"{row['criterion']} {row['value']}")
    for row in part.rows():
        if row["state"] == ReplyState.OK and row["label"] == "leaked":
            stage = _operator(row) or "plain request"
            yield 1, KINDS[1], f"{stage}: {', '.join(given.get(str(row['reply_id']), ['by rules']))}", row


def _choice(part: PartRun) -> Found:
    rows = part.rows()
    clean = {str(row["item_family"]): _right(row) for row in rows if row["arm"] == StressArm.CLEAN}
    for row in rows:
        attacked = row["arm"] in (StressArm.ATTACKED, StressArm.ADAPTIVE)
        if attacked and clean.get(str(row["item_family"])) and _right(row) is False:
            answer = "no option" if row["label"] is None else str(row["label"])
            yield 3, KINDS[3], f"{_operator(row)}: answered {answer}, the key is {row['expected'] or 'none'}", row


def _bias(part: PartRun) -> Found:
    rows = [row for row in part.rows() if row["state"] == ReplyState.OK and row["label"]]
    clean = {str(row["item_family"]): row["label"] == row["expected"] for row in rows if row["arm"] == StressArm.CLEAN}
    for row in rows:
        if row["arm"] == StressArm.ATTACKED and clean.get(str(row["item_family"])) and row["label"] != row["expected"]:
            yield 4, KINDS[4], f"{_operator(row)}: answered {row['label']}, the key is {row['expected']}", row


def _missing(part: PartRun) -> Found:
    rows = {str(row["reply_id"]): row for row in part.rows() if row["arm"] == StressArm.ATTACKED}
    for said in part.said():
        row = rows.get(str(said["reply_id"]))
        rules = str(said["judge"]).startswith("rules:")
        if row is not None and rules and said["criterion"] == "recognises" and said["value"] == "no":
            yield 5, KINDS[5], f"{_operator(row)}, as the rule reads it", row


def _hallucination(part: PartRun) -> Found:
    for row in part.rows():
        if row["item_set"] == "model" and row["label"] == "hallucination":
            yield 6, KINDS[6], "as the detector says; its own errors are in the table of the axis", row


_FINDERS: Mapping[str, Callable[[PartRun], Found]] = {
    "gates": _gates, "privacy": _leaks, "robustness": _choice, "order": _choice, "bias": _bias, "missing": _missing,
    "hallucination": _hallucination,
}  # fmt: skip


def _operator(row: Mapping[str, Any]) -> str:
    return "+".join(part.split("@")[0] for part in str(row["operator"] or "").split("+") if part)


def _right(row: Mapping[str, Any]) -> bool | None:
    if row["state"] != ReplyState.OK:
        return None
    relation = KeyRelation.SAME
    if row["operator_parameters"]:
        relation = KeyRelation(json.loads(row["operator_parameters"])["relation"])
    return is_right(relation, row["expected"], row["label"], abstained=bool(row["abstained"]))
