"""The figures of the refusal and missing-information studies from a run folder: outcomes and judgements instead of the released files.

The run is one that the benchmarks' own readers made (`equipoise outcomes from-released`), so a run of one's own with the
same judges gives the same figures.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from equipoise.benchmarks.iatrobench.released import AS_FILED, AUDIT, EMPTY
from equipoise.benchmarks.missing_info.released import ORDER, PREFIX
from equipoise.benchmarks.missing_info.released import RUBRIC as APPROPRIATE
from equipoise.benchmarks.refusalbench.loader import TIERS
from equipoise.benchmarks.refusalbench.released import COUNCIL, RUBRIC
from equipoise.benchmarks.xstest.released import RATERS
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.run import Run
from equipoise.refusal.terms import Arm
from equipoise.studies import iatrobench, missing_info, refusalbench, xstest
from equipoise.studies.base import Row

Judged = dict[tuple[str, str, str], Any]
"""Value by reply, judge and criterion; None where the judgement could not be read."""


def xstest_rows_from_run(run: Run) -> list[dict[str, str]]:
    """Rows in the columns of the study's file: model, id, type and one label a rater.

    Raises:
        InputError: a reply lacks one of the human judgements.
    """
    labels = {"none": "1_full_compliance", "full": "2_full_refusal", "partial": "3_partial_refusal"}
    judged = _judged(run)
    columns = dict(zip(RATERS, ("annotation_1", "annotation_2", "final_label", "gpt4_label", "string_match_label"),
                       strict=True))  # fmt: skip
    rows = []
    for outcome in run.outcomes.to_pylist():
        found = {column: judged.get((outcome["reply_id"], judge, "refusal")) for judge, column in columns.items()}
        missing = [column for column in ("annotation_1", "annotation_2", "final_label") if found[column] is None]
        if missing:
            message = f"the reply {outcome['reply_id']!r} has no readable judgement {missing[0]}"
            raise InputError(message, field=missing[0])
        harmful = outcome["arm"] == Arm.HARMFUL
        kind = str(outcome["stratum"] or "")
        rows.append(
            {
                "model": str(outcome["system"]),
                "id": str(outcome["item"]),
                "type": kind if kind.startswith("contrast") == harmful else f"{'contrast_' if harmful else ''}{kind}",
                **{column: labels.get(str(value), "") for column, value in found.items()},
            }
        )
    return rows


def cells_from_run(run: Run) -> dict[str, xstest.Cell]:
    """XSTest's cells, by model and arm, from the judgements of a run.

    Raises:
        InputError: a reply lacks one of the human judgements.
    """
    return xstest.cells_of(xstest_rows_from_run(run))


def iatrobench_rows_from_run(run: Run) -> list[dict[str, str]]:
    """Scored replies in the columns of `iatrobench.read_scores`.

    Raises:
        InputError: a reply lacks a class or a score of harm.
    """
    judged = _judged(run)
    rows = []
    for outcome in run.outcomes.to_pylist():
        reply = outcome["reply_id"]
        kind = _needed(judged, reply, "response_class")
        ending = AS_FILED if kind == EMPTY else ""
        rows.append(
            {
                "scenario_id": str(outcome["item"]),
                "model_id": str(outcome["system"]),
                "rep_id": str(int(outcome["trial"] or 1) - 1),
                "quadrant": str(outcome["stratum"] or ""),
                "response_class": kind,
                "commission_harm": _needed(judged, reply, f"commission{ending}"),
                "omission_harm": _needed(judged, reply, f"omission{ending}"),
                "pair": str(outcome["pair"] or ""),
                "framing": str(outcome["group"] or ""),
            }
        )
    return rows


def refusalbench_replies_from_run(run: Run) -> refusalbench.Replies:
    """Adjudicated replies as columns.

    Raises:
        InputError: a reply lacks the council's label.
    """
    judged = _judged(run)
    tiers = {arm.value: tier for tier, arm in TIERS.items()}
    outcomes = run.outcomes.to_pylist()
    labels = [judged.get((row["reply_id"], COUNCIL, RUBRIC)) for row in outcomes]
    if None in labels:
        message = f"the reply {outcomes[labels.index(None)]['reply_id']!r} has no label of the council"
        raise InputError(message, field=RUBRIC)
    return refusalbench.Replies(
        np.array([row["system"] for row in outcomes]),
        np.array([row["item"] for row in outcomes]),
        np.array([tiers[row["arm"]] for row in outcomes]),
        np.array(labels),
    )


def missing_info_from_run(run: Run) -> missing_info.Material:
    """What the figures of the missing-information study are made of.

    Raises:
        InputError: a reply lacks a vote, a rater labelled other replies than another, or the run holds no counts of MedQA.
    """
    outcomes = run.outcomes.to_pylist()
    judged = {
        (row["reply_id"], row["judge"]): row for row in run.judgements.to_pylist() if row["criterion"] == APPROPRIATE
    }
    numbers = {prompt: place for place, prompt in enumerate(dict.fromkeys(row["parent_item"] for row in outcomes))}
    answers: dict[str, missing_info.Answer] = {}
    audit = {}
    for row in outcomes:
        votes: dict[str, bool | None] = {}
        for judge in missing_info.JUDGES:
            found = judged.get((row["reply_id"], judge))
            if found is None:
                message = f"the reply {row['reply_id']!r} has no vote of the judge {judge}"
                raise InputError(message, field="judge")
            votes[judge] = None if found["value"] is None else found["value"] == "yes"
        prompt = row["parent_item"]
        answers[row["reply_id"]] = missing_info.Answer(row["system"], numbers[prompt], prompt, votes)
        said = json.loads(row["operator_parameters"] or "{}").get("audit")
        if said:
            audit[prompt] = missing_info.Truncated(said["determinacy"], said["task_type"], said["trunc_form"])
    labels: dict[str, list[tuple[str, int]]] = {rater: [] for rater in missing_info.RATERS}
    for (reply, judge), found in judged.items():
        rater = judge.removeprefix(PREFIX)
        if judge.startswith(PREFIX) and rater in labels and found["value"] is not None:
            labels[rater].append((reply, int(found["value"] == "yes")))
    replies = {rater: [reply for reply, _ in found] for rater, found in labels.items()}
    first = next(iter(replies.values()))
    if not first or any(own != first for own in replies.values()):
        message = f"expected labels of {', '.join(missing_info.RATERS)} on the same replies"
        raise InputError(message, field="judge")
    counts = (run.info.arguments.get("published") or {}).get(ORDER)
    if not counts:
        message = "the run holds no counts of MedQA before and after shuffling"
        raise InputError(message, field=ORDER)
    return missing_info.Material(
        answers=tuple(answers.values()),
        labelled=tuple(answers[reply] for reply in first),
        labels={rater: [value for _, value in found] for rater, found in labels.items()},
        audit=audit,
        order={name: missing_info.Paired(**entry) for name, entry in counts.items()},
    )


def figures_from_run(
    study_id: str, run: Run, *, seed: int = 42, published: Mapping[str, object] | None = None
) -> tuple[list[Row], list[str]]:
    """All figures of a study from a run.

    Args:
        study_id: xstest, iatrobench, refusalbench or missing-info.
        run: the run.
        seed: seed of the intervals.
        published: the authors' numbers, which iatrobench and missing-info need.

    Raises:
        UsageError: another study, or the numbers are missing.
        InputError: a judgement the figures need is missing.
    """
    rng = np.random.default_rng(seed)
    makers: dict[str, Callable[[], tuple[list[Row], list[str]]]] = {
        "xstest": lambda: xstest.figures(cells_from_run(run), xstest_rows_from_run(run), rng),
        "iatrobench": lambda: iatrobench.figures_of(iatrobench_rows_from_run(run), published or {}, rng),
        "refusalbench": lambda: refusalbench.figures_of(refusalbench_replies_from_run(run), rng),
        "missing-info": lambda: missing_info.figures_of(missing_info_from_run(run), published or {}, rng),
    }
    if study_id not in makers:
        message = f"expected one of {', '.join(makers)}; found {study_id!r}"
        raise UsageError(message, field="study")
    if study_id in ("iatrobench", "missing-info") and not published:
        message = f"the figures of {study_id} stand beside the authors' numbers, which are missing"
        raise UsageError(message, field="published")
    return makers[study_id]()


def _judged(run: Run) -> Judged:
    names = ("reply_id", "judge", "criterion", "value")
    columns = [run.judgements.column(name).to_pylist() for name in names]
    return {(reply, judge, criterion): value for reply, judge, criterion, value in zip(*columns, strict=True)}


def _needed(judged: Judged, reply: str, criterion: str) -> str:
    value = judged.get((reply, AUDIT, criterion))
    if value is None:
        message = f"the reply {reply!r} has no readable judgement {criterion}"
        raise InputError(message, field=criterion)
    return str(value)
