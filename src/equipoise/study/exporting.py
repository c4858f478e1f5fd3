"""What goes out of a study: its labels as a run folder, on which all statistics work, and as a table for a spreadsheet.

In the outcomes a rater is a system, and an item's label is the answer to the primary question. `item_set` says what the
item was for (main, import, training, attention, repeat), `conversation` and `turn` are the rater's queue and the place in
it, `latency` the seconds on the item, `arm` the hidden system a reply came from. Every answer stands in the judgements.
What has no label is in the state `empty` and says why in `reply`. Decisions are the system "adjudicated".
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise._version import __version__
from equipoise.exports.table import SEPARATOR, safe_cell
from equipoise.ids import canonical_json, content_hash
from equipoise.outcomes.run import Run, RunInfo, write_run
from equipoise.outcomes.schema import ReplyState, judgements_table, outcomes_table
from equipoise.study.adjudication import decisions
from equipoise.study.history import Standing, State
from equipoise.study.protocol import CLOSED, OPEN_LISTS, Protocol, Question
from equipoise.study.store import Assignment, Item, Store

ADJUDICATED = "adjudicated"
"""System under which decisions stand."""
CONFIDENCE = "confidence"
"""A scale of this name is exported as the confidence, from 0 at its lowest option to 1 at its highest."""
CLUSTER_FIELDS: tuple[str, ...] = ("item_family", "parent_item", "patient_id", "cluster")
"""Hidden fields by which items belong together; the first that is there counts."""


ERROR_FIELDS: tuple[str, ...] = ("error_type", "operator")
"""Hidden fields that name the error put into an item; the first that is there counts."""
CLEAN: frozenset[str | None] = frozenset({None, "", "none"})
"""What those fields hold for an item without one."""


def study_run(store: Store, *, at: str) -> Run:
    """The labels as a run, as it is written by `export_run`."""
    outcomes, judgements = rows(store)
    run = f"{store.protocol.name}-{content_hash([outcomes, judgements])}"
    for row in (*outcomes, *judgements):
        row["run"] = run
    info = RunInfo(
        run_id=run,
        created_at=at,
        benchmark=store.protocol.name,
        systems=tuple(dict.fromkeys(row["system"] for row in outcomes)),
        versions={"equipoise": __version__},
        dataset_hash=store.items_hash(),
        protocol_hash=store.protocol.hash,
        arguments={"protocol_versions": store.versions()},
    )
    return Run(info=info, outcomes=outcomes_table(outcomes), judgements=judgements_table(judgements))


def export_run(store: Store, folder: Path, *, at: str, overwrite: bool = False) -> Path:
    """Writes the labels as a run folder.

    Raises:
        UsageError: the folder holds another run, or other things.
    """
    run = study_run(store, at=at)
    return write_run(folder, run.info, run.outcomes, run.judgements, overwrite=overwrite)


def rows(store: Store) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of the outcomes and of the judgements, without the id of the run."""
    protocol = store.protocol
    items = {item.name: item for item in store.items()}
    states = store.states()
    outcomes, judgements = [], []
    for given in store.assignments():
        if given.purpose == "third":  # a disagreement to be decided is no label; its decision stands below
            continue
        row = _outcome(protocol, items[given.item], given, states[given.public])
        outcomes.append(row)
        if row["state"] == ReplyState.OK:
            judgements += _judgements(protocol, given.rater, row["reply_id"], states[given.public].answers)
    for decision in decisions(store):
        base = _base(protocol, items[decision.item], ADJUDICATED, 1)
        told = {
            "reason": decision.why,
            "code": decision.code,
            "by": decision.by,
            "agreed": list(decision.agreed),
            "at": decision.at,
        }
        outcomes.append(
            base | {"item_set": "main", "state": str(ReplyState.OK), "label": decision.value}
            | {"reply": canonical_json(told | {"rationales": [dict(part) for part in decision.rationales]})}
        )  # fmt: skip
    return outcomes, judgements


def to_csv(store: Store) -> str:
    """One row an item and rater, safe to open in a spreadsheet, with a byte order mark; cells begin with no formula."""
    protocol = store.protocol
    outcomes, _ = rows(store)
    states = {(item.rater, item.item, item.repeat): state for item, state in _with_states(store)}
    names = [question.id for question in protocol.questions]
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(
        ["item", "rater", "purpose", "repeat", "state", "reference", *names, "comment", "skipped", "seconds", "at"]
    )
    for row in outcomes:
        state = states.get((row["system"], row["item"], row["trial"]), State())
        answers = dict(state.answers) or ({protocol.primary.id: row["label"]} if row.get("label") else {})
        cells = [row["item"], row["system"], row["item_set"], row["trial"], row["state"], row["expected"] or ""]
        cells += [_joined(answers.get(name, "")) for name in names]
        cells += [state.comment, state.skipped, "" if state.seconds is None else f"{state.seconds:g}", state.at]
        writer.writerow([safe_cell(str(cell)) for cell in cells])
    return "\ufeff" + file.getvalue()


def _with_states(store: Store) -> list[tuple[Assignment, State]]:
    states = store.states()
    return [(item, states[item.public]) for item in store.assignments()]


def _base(protocol: Protocol, item: Item, system: str, repeat: int) -> dict[str, Any]:
    hidden = item.hidden
    family = next((str(hidden[name]) for name in CLUSTER_FIELDS if hidden.get(name)), None)
    wanted = protocol.items
    return {
        "reply_id": f"{system}:{item.name}:{repeat}",
        "system": system,
        "benchmark": protocol.name,
        "item": item.name,
        "trial": repeat,
        "expected": _text(hidden.get(wanted.reference)) if wanted.reference else None,
        "stratum": _text(hidden.get(wanted.stratum)) if wanted.stratum else None,
        "item_family": family,
        "operator": _error(hidden),
        "arm": _text(hidden.get("system") or hidden.get("model")),
    }


def _error(hidden: Mapping[str, Any]) -> str | None:
    """The error that was put into an item, or the edit that made it; nothing for a clean one."""
    named = next((str(hidden[name]) for name in ERROR_FIELDS if hidden.get(name)), None)
    return None if named in CLEAN else named


def _outcome(protocol: Protocol, item: Item, given: Assignment, state: State) -> dict[str, Any]:
    row = _base(protocol, item, given.rater, given.repeat) | {"item_set": given.purpose}
    if given.purpose != "import":
        row |= {"conversation": given.rater, "turn": given.position}
    standing = state.standing(protocol)
    if standing is not Standing.COMPLETE:
        told = {"standing": str(standing), "skipped": state.skipped, "comment": state.comment}
        return row | {"state": str(ReplyState.EMPTY), "reply": canonical_json(told)}
    answers = state.answers
    missing = [question.id for question in protocol.questions if question.kind == "fields"]
    return row | {
        "state": str(ReplyState.OK),
        "reply": canonical_json({"answers": dict(answers), "comment": state.comment, "locked": state.locked}),
        "label": answers[protocol.primary.id],
        "confidence": _confidence(protocol, answers),
        "missing_fields": next((list(answers[name]) for name in missing if name in answers), None),
        "latency": state.seconds,
    }


def _confidence(protocol: Protocol, answers: Mapping[str, Any]) -> float | None:
    for question in protocol.questions:
        if question.id == CONFIDENCE and question.kind == "scale" and question.id in answers:
            points = {option.value: option.points or 0.0 for option in question.options}
            low, high = min(points.values()), max(points.values())
            return (points[answers[question.id]] - low) / (high - low)
    return None


def _judgements(protocol: Protocol, rater: str, reply: str, answers: Mapping[str, Any]) -> list[dict[str, Any]]:
    made = []
    for question in protocol.questions:
        if question.id not in answers or question.kind not in (CLOSED | OPEN_LISTS):
            continue
        value = answers[question.id]
        row = {"reply_id": reply, "judge": rater, "rubric": protocol.name, "rubric_hash": protocol.hash, "repeat": 1}
        row |= {"scale": question.id, "scale_hash": content_hash([option.model_dump() for option in question.options])}
        row |= {"criterion": question.id, "value": _joined(value), "points": _points(question, value)}
        made.append(row | {"in_scope": True, "state": str(ReplyState.OK)})
    return made


def _points(question: Question, value: Any) -> float | None:
    return next((option.points for option in question.options if option.value == value), None)


def _joined(value: Any) -> str:
    return SEPARATOR.join(value) if isinstance(value, list | tuple) else str(value)


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)
