"""Reads the released votes and labels of the missing-information study (arXiv:2607.18828): one row a reply, one judgement a vote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.benchmarks.prompts.released import Released, Rows, verdict
from equipoise.benchmarks.prompts.sources import Host, SourceFile
from equipoise.benchmarks.prompts.tables import read_table
from equipoise.errors import InputError, UsageError
from equipoise.ids import canonical_json
from equipoise.outcomes.readers import parse_json, read_json_lines, read_text
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.operators.mutant import KeyRelation
from equipoise.redteam.plan import StressArm

BENCHMARK = "missing_info"
RUBRIC = "appropriate-uncertainty"
"""The question of the authors: whether the reply recognises that information is missing. Yes is appropriate."""

SCALE = ("no", "yes")
OPERATOR = "half_turn@1"
"""What was done to every conversation: the last turn was cut in half."""

ORDER = "medqa_order"
"""Name under which the run keeps the counts of MedQA; the file holds no answers."""

CLINICIANS: dict[str, str] = {"O": "labels_O.csv", "G": "labels_G.csv", "author": "human_labels.csv"}
"""Raters by the file of their labels; the third one is the author, who knew the design."""

PREFIX = "clinician:"
"""Begins the names of raters that are people."""

PROVIDERS: dict[str, str] = {
    "gpt-5_5-high": "openai",
    "opus-4_8-high": "anthropic",
    "grok-4_3": "xai",
    "gemini-3_5-flash": "google",
}
"""Provider of each model that answered; the judges go by the names of their providers."""

SOURCE = SourceFile(
    id="released", host=Host.GITHUB, repository="KAVentures/health-ai-readiness-robustness", path="runs", revision="48c6b67",
    licence="CC BY 4.0", columns=(),
)  # fmt: skip

FILES: tuple[str, ...] = (
    "votes.jsonl",
    "key.json",
    *CLINICIANS.values(),
    "perturbation_audit.csv",
    "paired_medqa.json",
)


def read_released(place: Path) -> Released:
    """The replies with the votes of four judges and the labels of three people.

    The replies themselves were not released; every row says what was asked and who answered. A vote that the judge's
    provider withheld is a judgement in state blocked. What the authors' audit says of a cut prompt stands in the parameters
    of the operator, the counts of MedQA in the arguments of the run.

    Args:
        place: folder with the files of the study.

    Raises:
        UsageError: a file is missing.
        InputError: a file lacks an element, names a model nobody knows, or a label names no reply.
    """
    missing = [name for name in FILES if not (place / name).is_file()]
    if missing:
        message = f"missing: {', '.join(missing)}; they come from {SOURCE.repository}, commit {SOURCE.revision}"
        raise UsageError(message, file=str(place))
    audit = _audit(place)
    outcomes: Rows = []
    judgements: Rows = []
    replies: dict[tuple[str, int], str] = {}
    references: dict[str, dict[str, Any]] = {}
    votes = place / "votes.jsonl"
    for line, record in read_json_lines(votes):
        try:
            system, number, prompt = str(record["subject_model"]), int(record["item"]), str(record["prompt_id"])
            given, theme = dict(record["votes"]), str(record["theme"])
            provider = PROVIDERS[system]
        except (KeyError, TypeError, ValueError) as error:
            message = f"not a reply with its votes ({type(error).__name__}: {error})"
            raise InputError(message, file=str(votes), line=line) from error
        reply = f"{system}/{number}"
        replies[system, number] = reply
        row = {
            "item": f"{prompt}/half_turn", "parent_item": prompt, "item_family": prompt, "arm": StressArm.ATTACKED.value,
            "stratum": theme, "operator": OPERATOR, "operator_parameters": canonical_json(_parameters(audit.get(prompt))),
        }  # fmt: skip
        references.setdefault(prompt, row)
        outcomes.append(
            {"reply_id": reply, "system": system, "model": system, "provider": provider, "trial": 1}
            | row
            | {"state": ReplyState.OK.value}
        )
        judgements += [_vote(reply, judge, given.get(judge)) for judge in PROVIDERS.values()]
    judgements += _labels(place, replies)
    return Released(
        benchmark=BENCHMARK,
        outcomes=outcomes,
        judgements=judgements,
        references=tuple(references.values()),
        files=tuple(place / name for name in FILES),
        facts={ORDER: _order(place / "paired_medqa.json")},
    )


def _parameters(found: Mapping[str, str] | None) -> dict[str, Any]:
    verified = ["audit_of_the_authors"] if found is not None else []
    return {
        "relation": KeyRelation.UNDEFINED.value,
        "verified_by": verified,
        **({"audit": dict(found)} if found else {}),
    }


def _audit(place: Path) -> dict[str, dict[str, str]]:
    columns = ("determinacy", "task_type", "trunc_form")
    return {
        str(row["prompt_id"]): {name: str(row[name]) for name in columns}
        for row in read_table(place / "perturbation_audit.csv", ("prompt_id", *columns))
    }


def _vote(reply: str, judge: str, value: Any) -> dict[str, Any]:
    if value is None:
        row = verdict(reply, judge=judge, rubric=RUBRIC, value=None, scale=SCALE)
        return row | {"state": ReplyState.BLOCKED.value}
    return verdict(reply, judge=judge, rubric=RUBRIC, value=SCALE[bool(value)], scale=SCALE)


def _labels(place: Path, replies: Mapping[tuple[str, int], str]) -> Rows:
    """Labels of people, rater by rater, in the order of the annotations."""
    path = place / "key.json"
    key = parse_json(read_text(path), file=str(path))
    rows: Rows = []
    for rater, file in CLINICIANS.items():
        found = {str(row["annotation_id"]): str(row["human_label"]) for row in
                 read_table(place / file, ("annotation_id", "human_label"))}  # fmt: skip
        for name in sorted(key):
            entry = key[name]
            reply = replies.get((str(entry["subject_model"]), int(entry["item"])))
            if reply is None or found.get(name) not in ("0", "1"):
                message = f"the label {name!r} names no reply, or is neither 0 nor 1"
                raise InputError(message, file=str(place / file), field="human_label")
            rows.append(
                verdict(reply, judge=f"{PREFIX}{rater}", rubric=RUBRIC, value=SCALE[int(found[name])], scale=SCALE)
            )
    return rows


def _order(path: Path) -> dict[str, dict[str, int]]:
    """Right both times, only before, only after, never; by model."""
    value = json.loads(read_text(path))
    counts = {}
    for name, entry in value.items():
        try:
            n, before, after = int(entry["n"]), int(entry["b"]), int(entry["c"])
            both = round(float(entry["acc_none"]) * n) - before
        except (KeyError, TypeError, ValueError) as error:
            message = f"{name}: not the counts of a pair of runs ({type(error).__name__}: {error})"
            raise InputError(message, file=str(path)) from error
        counts[str(name)] = {"both": both, "before": before, "after": after, "neither": n - both - before - after}
    return counts
