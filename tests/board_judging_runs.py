"""Run folders of boards for tests of their judging: invented cases of the package, replies written here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.boards.demo import demo_cases
from equipoise.boards.measures.decisions import freeze_scope
from equipoise.boards.model import BoardCase
from equipoise.outcomes.run import RunInfo, write_run

WHEN = "2026-12-01T00:00:00+00:00"
DEMO: Mapping[str, BoardCase] = {case.id: case for case in demo_cases()}


def board_reply(conclusion: str) -> str:
    """A reply in the form that is asked for."""
    return (
        "<discussion>\n<turn 1> Surgeon: I have looked at the images.\n<turn 2> Medical oncologist: I have a view on treatment.\n"
        f"</discussion>\n<conclusion>\n{conclusion}\n</conclusion>"
    )


def case_record(case: BoardCase, **more: Any) -> dict[str, Any]:
    """A line of references.jsonl for a case, as the tasks write it."""
    assert case.conclusion is not None
    frozen = freeze_scope(case, by="author")
    decisions = {item.kind.value: item for item in case.conclusion.decisions}
    return {
        "item": case.id, "recording": case.recording, "site": case.site, "arm": "captions", "setting": "single",
        "stratum": case.site, "prompt": case.text, "reference": case.conclusion.text,
        "references": [case.conclusion.text, *case.references],
        "scope": {kind.value: scope.value for kind, scope in frozen.scopes.items()},
        "scope_hash": frozen.hash, "scope_by": frozen.by,
        "decisions": {name: item.text for name, item in decisions.items() if item.text},
        "acceptable": {name: list(item.acceptable) for name, item in decisions.items() if item.acceptable},
    } | more  # fmt: skip


def question_records(case: BoardCase) -> list[dict[str, Any]]:
    """Lines of references.jsonl for the questions of a case."""
    return [
        {
            "item": item.id, "recording": case.recording, "site": case.site, "stratum": item.type.value,
            "role": item.role.value, "question_type": item.type.value, "reference": item.answer, "references": [item.answer],
            "prompt": f"Role: {item.role.value}\n\n{case.text}\n\nQuestion: {item.text}",
        }
        for item in case.questions
    ]  # fmt: skip


def board_run(folder: Path, replies: Mapping[tuple[str, str], Any], *, benchmark: str = "board_simulation",
              records: list[dict[str, Any]] | None = None, arm: str = "captions", run_id: str = "r1") -> Path:  # fmt: skip
    """A run folder.

    Args:
        folder: where.
        replies: by system and item: a reply, or the state of one that failed.
        benchmark: of the run.
        records: lines of references.jsonl; those of the demo cases by default.
        arm: of all replies.
        run_id: of the run.
    """
    lines = (
        records if records is not None else [case_record(DEMO[item]) for item in dict.fromkeys(i for _, i in replies)]
    )
    known = {line["item"]: line for line in lines}
    rows = []
    for (system, item), reply in replies.items():
        failed = reply in ("empty", "blocked", "truncated", "unparsed", "error")
        rows.append(
            {
                "reply_id": f"{system}/{item}", "run": run_id, "system": system, "model": system, "benchmark": benchmark,
                "item": item, "recording": known[item]["recording"], "arm": arm, "operator": "single",
                "stratum": known[item]["stratum"], "state": reply if failed else "ok", "reply": None if failed else reply,
            }
        )  # fmt: skip
    info = RunInfo(
        run_id=run_id, created_at=WHEN, benchmark=benchmark, systems=tuple(dict.fromkeys(s for s, _ in replies))
    )
    write_run(folder, info, rows)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "references.jsonl").write_text(text, encoding="utf-8")
    return folder


def batch(folder: Path, rubric: str = "four_decisions", task: str = "task1") -> Path:
    """A batch folder as OpenTumorBoard's judge scripts leave it: three replies, one of them without a conclusion, one call failed."""
    folder.mkdir()
    (folder / "build_config.json").write_text(json.dumps({"judge_model": "judge", "tasks": {task: {"rubric": rubric}}}))
    base = {"task": task, "model_key": "m", "case_id": "c", "qa_type": None}
    manifest = [
        base
        | {
            "record_id": f"s{place}",
            "video_uid": f"v{place}",
            "custom_id": f"r{place}",
            "candidate_format_failure": False,
        }
        for place in (1, 2)
    ] + [base | {"record_id": "s3", "video_uid": "v3", "custom_id": None, "candidate_format_failure": True}]
    result = {"therapy": 4, "surgery": -1, "next_action": 2, "clinical_trial": -1, "rationale": "invented"}
    body = {"output": [{"type": "message", "content": [{"type": "output_text", "text": json.dumps(result)}]}]}
    outputs = [
        {"custom_id": "r1", "response": {"status_code": 200, "body": body}, "error": None},
        {"custom_id": "r2", "response": {"status_code": 500, "body": None}, "error": {"type": "http_error"}},
    ]
    for name, rows in (("judge_manifest", manifest), ("output", outputs)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{task}.{name}.jsonl").write_text(text, encoding="utf-8")
    return folder
