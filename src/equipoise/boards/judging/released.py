"""Judgements as OpenTumorBoard's judge scripts leave them in a batch folder, read into a run folder with the scale named in every row.

Source: github.com/AnqiLi24/OpenTumorBoard, `scripts/evaluation/judge/build_llm_judge_batch.py` and `summarize_llm_judge_batch.py`, commit
94ef520 (arXiv:2609.32810). Their words for judges are not ours, so these rows have rubrics of their own and never enter one mean with
ours. A decision scored -1 is out of scope as the judge saw it: no scope was frozen there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.boards.judging.criteria import (
    BOARD,
    BY_RUBRIC,
    DECISION_KINDS,
    OTB_ALIGNMENT,
    OTB_DECISIONS,
    OTB_EQUIVALENCE,
    OTB_TRAINING,
    TURN,
    CriterionForm,
    Kind,
)
from equipoise.boards.reading import Fields, Loaded, Problem, kind_of, read_json_file, read_rows, short
from equipoise.boards.vocabulary import Arm
from equipoise.errors import InputError, UsageError
from equipoise.ids import content_hash
from equipoise.outcomes.schema import ReplyState

TASKS: Mapping[str, str] = {"task1": BOARD, "task2": TURN}
RUBRICS: Mapping[str, str] = {
    "clinical_equivalence": OTB_EQUIVALENCE,
    "conclusion_alignment": OTB_ALIGNMENT,
    "four_decisions": OTB_DECISIONS,
}
"""Our names of their rubrics."""

FLAGS: Mapping[str, str] = {"critical-error": "critical_error", "unsupported-claim": "unsupported_claim"}
OUT_OF_SCOPE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One value of a judge's reply.

    Attributes:
        state: ok, or unparsed when it is off the scale or not there.
        value: as it stands in the tables; None unless ok and in scope.
        points: points of the value.
        in_scope: False for a decision the judge calls out of scope.
    """

    state: ReplyState
    value: str | None = None
    points: float | None = None
    in_scope: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A batch folder as rows of the tables, without the id of a run.

    Attributes:
        benchmark: of the items.
        systems: keys of the models.
        outcomes: one row a reply; their text is not in such a folder, so none is kept.
        judgements: one row a value.
        references: lines of references.jsonl: names and recordings only.
        problems: what could not be read.
        hash: content hash of what was read.
    """

    benchmark: str
    systems: tuple[str, ...]
    outcomes: tuple[dict[str, Any], ...]
    judgements: tuple[dict[str, Any], ...]
    references: tuple[dict[str, Any], ...]
    problems: tuple[Problem, ...]
    hash: str


def rubric_of(name: str, *, training: bool = False) -> str:
    """Our name of one of their rubrics.

    Args:
        name: theirs.
        training: the variant of the four decisions used in training, from 0 to 5.

    Raises:
        UsageError: there is no such rubric.
    """
    if name not in RUBRICS or (training and name != "four_decisions"):
        message = (
            f"expected one of {', '.join(RUBRICS)}, and the scale from 0 for four_decisions only; found {short(name)}"
        )
        raise UsageError(message, field="rubric")
    return OTB_TRAINING if training else RUBRICS[name]


def read_result(rubric: str, result: Any) -> dict[str, Read]:
    """The values of one reply of a judge, by criterion.

    Args:
        rubric: our name of the rubric.
        result: the JSON value of the reply; anything else than the published form is unparsed, criterion by criterion.
    """
    value = result if isinstance(result, Mapping) else {}
    return {form.criterion: _read(form, value) for form in BY_RUBRIC[rubric]}


def _read(form: CriterionForm, value: Mapping[str, Any]) -> Read:
    if form.kind is Kind.FLAG:
        found = value.get(FLAGS[form.criterion])
        if not isinstance(found, bool):
            return Read(state=ReplyState.UNPARSED)
        return Read(state=ReplyState.OK, value="yes" if found else "no", points=float(found))
    if form.kind is Kind.DECISION:
        found = value.get(DECISION_KINDS[form.criterion].value)
        if _whole(found) and found == OUT_OF_SCOPE:
            return Read(state=ReplyState.OK, in_scope=False)
        return _number(form, found, in_scope=True)
    if form.rubric == OTB_ALIGNMENT:
        nested = value.get("conclusion_alignment")
        return _number(form, nested.get("score") if isinstance(nested, Mapping) else None)
    return _number(form, value.get("clinical_equivalence_score"))


def _number(form: CriterionForm, found: Any, *, in_scope: bool | None = None) -> Read:
    if not _whole(found) or not form.lowest <= found <= form.highest:
        return Read(state=ReplyState.UNPARSED)
    return Read(state=ReplyState.OK, value=str(found), points=float(found), in_scope=in_scope)


def _whole(found: Any) -> bool:
    return isinstance(found, int) and not isinstance(found, bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mapped:
    """One line of a judge manifest."""

    system: str
    item: str
    recording: str
    stratum: str
    request: str
    failed: bool


def read_released(folder: str | Path, *, task: str, judge: str, arm: Arm, training: bool = False) -> Released:
    """A batch folder: build_config.json, TASK.judge_manifest.jsonl and TASK.output.jsonl.

    Args:
        folder: the folder.
        task: task1 (Board Simulation) or task2 (Specialist Turn).
        judge: name of the judge model, which such a folder does not always say.
        arm: what the candidates were shown; the folder does not say either.
        training: whether four decisions were asked on the scale from 0.

    Raises:
        UsageError: no such folder, file, task or rubric.
        InputError: the configuration cannot be read.
    """
    folder = Path(folder)
    if task not in TASKS:
        message = f"expected task1 or task2, found {task!r}"
        raise UsageError(message, field="task")
    config, _ = read_json_file(folder / "build_config.json")
    asked = config.get("tasks", {}).get(task) if isinstance(config, Mapping) else None
    if not isinstance(asked, Mapping) or not isinstance(asked.get("rubric"), str):
        message = f"it names no rubric for {task}"
        raise InputError(message, file=str(folder / "build_config.json"), field=f"tasks.{task}.rubric")
    rubric = rubric_of(asked["rubric"], training=training)
    manifest = read_rows(folder / f"{task}.judge_manifest.jsonl", _mapped)
    outputs = read_rows(folder / f"{task}.output.jsonl", _output, key=("custom_id", lambda item: item[0]))
    return _rows(manifest, outputs, rubric, TASKS[task], judge, arm)


def _rows(
    manifest: Loaded[_Mapped], outputs: Loaded[tuple[str, Any, str]], rubric: str, benchmark: str, judge: str, arm: Arm
) -> Released:
    by_request = {request: (result, why) for request, result, why in outputs.items}
    outcomes, judgements, problems = [], [], [*manifest.problems, *outputs.problems]
    references: dict[str, dict[str, Any]] = {}
    seen: set[str] = set()
    digest = content_hash([manifest.sha256, outputs.sha256, rubric, judge, arm.value])
    for one in manifest.items:
        reply = f"{one.system}:{one.item}"
        if reply in seen:
            problems.append(
                Problem(file="judge_manifest", message=f"{short(reply)} stands there twice; the first is kept")
            )
            continue
        seen.add(reply)
        state = ReplyState.UNPARSED if one.failed else ReplyState.OK
        outcomes.append(
            {
                "reply_id": reply, "system": one.system, "model": one.system, "benchmark": benchmark, "item": one.item,
                "recording": one.recording, "stratum": one.stratum or None, "arm": arm.value, "operator": "single",
                "state": state.value, "reply": None,
            }
        )  # fmt: skip
        references.setdefault(
            one.item, {"item": one.item, "recording": one.recording, "stratum": one.stratum, "references": []}
        )
        if not one.failed:
            result, why = by_request.get(one.request, (None, "missing"))
            judgements += _judged(reply, judge, rubric, result, why)
    return Released(
        benchmark=benchmark, systems=tuple(dict.fromkeys(str(row["system"]) for row in outcomes)), outcomes=tuple(outcomes),
        judgements=tuple(judgements), references=tuple(references.values()), problems=tuple(problems), hash=digest,
    )  # fmt: skip


def _judged(reply: str, judge: str, rubric: str, result: Any, why: str) -> list[dict[str, Any]]:
    rows = []
    for form in BY_RUBRIC[rubric]:
        found = Read(state=ReplyState.ERROR) if why else read_result(rubric, result)[form.criterion]
        rows.append(
            {
                "reply_id": reply, "judge": judge, "rubric": rubric, "rubric_hash": content_hash([rubric, form.scale]),
                "scale": form.scale, "scale_hash": content_hash([form.scale, form.lowest, form.highest]),
                "criterion": form.criterion, "repeat": 1, "value": found.value, "points": found.points,
                "in_scope": found.in_scope, "state": found.state.value,
            }
        )  # fmt: skip
    return rows


def _mapped(row: Fields) -> _Mapped:
    failed = row.values.get("candidate_format_failure")
    if not isinstance(failed, bool):
        message = f"expected true or false, found {kind_of(failed)}"
        raise row.fail(message, "candidate_format_failure")
    return _Mapped(
        system=row.text("model_key"), item=row.text("record_id"), recording=row.text("video_uid"),
        stratum=str(row.values.get("qa_type") or ""), request="" if failed else row.text("custom_id"), failed=failed,
    )  # fmt: skip


def _output(row: Fields) -> tuple[str, Any, str]:
    """Request, JSON value of the reply, and why there is none: a call that failed has no reply, words are a reply without a value."""
    request = row.text("custom_id")
    response = row.values.get("response")
    if row.values.get("error") or not isinstance(response, Mapping) or response.get("status_code") != 200:
        return request, None, "the call failed"
    try:
        return request, json.loads(_text_of(response.get("body"))), ""
    except (ValueError, RecursionError):
        return request, None, ""


def _text_of(body: Any) -> str:
    parts: Sequence[Any] = body.get("output") or [] if isinstance(body, Mapping) else []
    for item in parts:
        if isinstance(item, Mapping) and item.get("type") == "message":
            for content in item.get("content") or []:
                if isinstance(content, Mapping) and isinstance(content.get("text"), str):
                    return str(content["text"])
    return ""
