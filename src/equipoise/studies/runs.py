"""The studies' rows as runs: outcomes and judgements, so that everything that reads a run reads them too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import UsageError
from equipoise.ids import bytes_hash, content_hash
from equipoise.outcomes.run import Run, RunInfo
from equipoise.outcomes.schema import ReplyState, judgements_table, outcomes_table
from equipoise.studies.base import Study, read_object, read_rows
from equipoise.studies.iatrobench import EMPTY, read_scores
from equipoise.studies.missing_info import JUDGES, OWN_JUDGE, RATERS, read_answers
from equipoise.studies.refusalbench import UNREADABLE
from equipoise.studies.xstest import LABELS

Rows = list[dict[str, Any]]


def study_run(study: Study, data: str | Path, *, created_at: str) -> Run:
    """The released rows of a study as a run.

    Args:
        study: the study.
        data: data directory.
        created_at: ISO date and time that the run states.

    Returns:
        A run whose identifier is "study:" and the study's; its dataset hash is that of the files read.

    Raises:
        UsageError: a file is missing.
        InputError: a file is of another form.
    """
    root = Path(data)
    missing = [item.path for item in study.files if not (root / item.path).is_file()]
    if missing:
        message = f"missing: {', '.join(missing)}; they come from {study.source.address}, commit {study.source.commit}"
        raise UsageError(message, file=str(root))
    readers = {
        "openmtb": _openmtb,
        "missing-info": _missing_info,
        "xstest": _xstest,
        "iatrobench": _iatrobench,
        "refusalbench": _refusalbench,
    }
    outcomes, judgements = readers[study.id](root / study.folder)
    run_id = f"study:{study.id}"
    common = {"run": run_id, "benchmark": study.id}
    info = RunInfo(
        run_id=run_id,
        created_at=created_at,
        benchmark=study.id,
        systems=tuple(dict.fromkeys(row["system"] for row in outcomes)),
        dataset_hash=content_hash({item.path: bytes_hash((root / item.path).read_bytes()) for item in study.files}),
        arguments={"source": study.source.address, "commit": study.source.commit},
    )
    return Run(
        info=info,
        outcomes=outcomes_table(row | common for row in outcomes),
        judgements=judgements_table(row | {"run": run_id} for row in judgements),
    )


def _judgement(
    reply: str, judge: str, criterion: str, value: str | None, *, points: float | None = None, scale: Iterable[str] = ()
) -> dict[str, Any]:
    """One judgement; a value of None is an unparsed verdict."""
    definition = content_hash({"criterion": criterion, "scale": list(scale)})
    return {
        "reply_id": reply,
        "judge": judge,
        "rubric": criterion,
        "rubric_hash": definition,
        "scale": criterion,
        "scale_hash": definition,
        "criterion": criterion,
        "repeat": 1,
        "value": value,
        "points": points,
        "state": ReplyState.OK if value is not None else ReplyState.UNPARSED,
    }


def _openmtb(folder: Path) -> tuple[Rows, Rows]:
    """The two oncologists as systems that answer the cases."""
    rows = read_rows(folder / "expert_annotations.csv", ("case_id", "benchmark_label", "oncologist_a_label"))
    outcomes = [
        {
            "reply_id": f"{rater}/{row['case_id']}",
            "system": f"oncologist-{rater}",
            "item": row["case_id"],
            "expected": row["benchmark_label"],
            "label": row[f"oncologist_{rater}_label"],
            "state": ReplyState.OK,
        }
        for rater in ("a", "b")
        for row in rows
    ]
    return outcomes, []


def _missing_info(folder: Path) -> tuple[Rows, Rows]:
    outcomes: Rows = []
    judgements: Rows = []
    names: dict[tuple[str, int], str] = {}
    for answer in read_answers(folder):
        reply = f"{answer.subject}/{answer.item}"
        names[answer.subject, answer.item] = reply
        outcomes.append(
            {
                "reply_id": reply,
                "system": answer.subject,
                "model": answer.subject,
                "provider": OWN_JUDGE[answer.subject],
                "item": answer.prompt,
                "state": ReplyState.OK,
            }
        )
        judgements += [
            _judgement(reply, judge, "appropriate", _yes(answer.votes[judge]), scale=("yes", "no")) for judge in JUDGES
        ]
    key = read_object(folder / "key.json")
    for rater, file in RATERS.items():
        for row in read_rows(folder / file, ("annotation_id", "human_label")):
            entry = key[row["annotation_id"]]
            reply = names[entry["subject_model"], int(entry["item"])]
            value = _yes(bool(int(row["human_label"])))
            judgements.append(_judgement(reply, rater, "appropriate", value, scale=("yes", "no")))
    return outcomes, judgements


def _xstest(folder: Path) -> tuple[Rows, Rows]:
    outcomes: Rows = []
    judgements: Rows = []
    raters = {
        "annotator-1": "annotation_1",
        "annotator-2": "annotation_2",
        "human-final": "final_label",
        "gpt4": "gpt4_label",
        "string-match": "string_match_label",
    }
    for row in read_rows(folder / "human_labels.csv", ("model", "id", "type", *raters.values())):
        reply = f"{row['model']}/{row['id']}"
        outcomes.append(
            {
                "reply_id": reply,
                "system": row["model"],
                "model": row["model"],
                "item": row["id"],
                "arm": "unsafe" if row["type"].startswith("contrast") else "safe",
                "stratum": row["type"],
                "state": ReplyState.OK,
            }
        )
        judgements += [
            _judgement(reply, rater, "refusal", LABELS.get(row[column]), scale=LABELS.values())
            for rater, column in raters.items()
        ]
    return outcomes, judgements


def _iatrobench(folder: Path) -> tuple[Rows, Rows]:
    outcomes: Rows = []
    judgements: Rows = []
    for row in read_scores(folder):
        reply = f"{row['model_id']}/{row['scenario_id']}/{row['rep_id']}"
        empty = row["response_class"] == EMPTY
        outcomes.append(
            {
                "reply_id": reply,
                "system": row["model_id"],
                "model": row["model_id"],
                "item": row["scenario_id"],
                "pair": row["pair"] or None,
                "arm": row["framing"] or None,
                "stratum": row["quadrant"],
                "trial": int(row["rep_id"]) + 1,
                "state": ReplyState.BLOCKED if empty else ReplyState.OK,
                "label": None if empty else row["response_class"],
            }
        )
        for axis in ("omission", "commission"):
            if not empty:
                points = float(row[f"{axis}_harm"])
                judgements.append(_judgement(reply, "audit", axis, row[f"{axis}_harm"], points=points))
    return outcomes, judgements


def _refusalbench(folder: Path) -> tuple[Rows, Rows]:
    outcomes: Rows = [
        _adjudicated(row)
        for row in read_rows(
            folder / "adjudicated.csv", ("prompt_id", "model", "trial_idx", "modal_compliance", "subdomain", "tier")
        )
    ]
    return outcomes, []


def _adjudicated(row: Mapping[str, str]) -> dict[str, Any]:
    unreadable = row["modal_compliance"] == UNREADABLE
    return {
        "reply_id": f"{row['model']}/{row['prompt_id']}/{row['trial_idx']}",
        "system": row["model"],
        "model": row["model"],
        "item": row["prompt_id"],
        "arm": row["tier"],
        "stratum": row["subdomain"],
        "trial": int(row["trial_idx"]) + 1,
        "state": ReplyState.UNPARSED if unreadable else ReplyState.OK,
        "label": None if unreadable else row["modal_compliance"],
    }


def _yes(vote: bool | None) -> str | None:
    return None if vote is None else ("yes" if vote else "no")
