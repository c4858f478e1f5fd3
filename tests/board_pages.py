"""Board audits of invented runs, small and whole, for the tests of the page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from board_runs_help import DISCUSSION, write_part
from board_scores_help import DEFER, SILENT, failed_judge, many, out_of_scope, score
from equipoise.boards.judging.criteria import BOARD, DECISIONS, EQUIVALENCE, FACTS, TEXT, TURN
from equipoise.boards.judging.items import ItemScore
from equipoise.boards.judging.labels import Label
from equipoise.studies.board_audit import BoardAudit, board_audit

ONE, TWO = "openai/gpt-5", "mock/two"
JUDGES = ("openai/o3", "who/judge")
CALL = {"turn": 3, "role": "medical oncologist", "tool": "audit-recommendation", "regimen": "alectinib", "verdict": "Unsupported",
        "abstained": False, "reasons": ["biomarker-absent"], "told": True}  # fmt: skip
RECORD = {"stop": "turn-limit", "roles": ["surgeon", "pathologist"], "silent_roles": ["pathologist"], "tokens": 4321,
          "consensus_blocked": 2, "empty": [{"role": "surgeon", "turn": 4, "state": "empty"}],
          "tool_calls": [CALL, CALL | {"regimen": "osimertinib", "verdict": "Supported"}], "kept_unsupported": ["alectinib"]}  # fmt: skip


def protocol_of(**more: Any) -> dict[str, Any]:
    """A protocol as `frozen_board_protocol` gives it."""
    tests = [
        {
            "test": name, "task": task, "task_version": "1-A", "own_data": False, "arguments": {}, "constants": players == "single",
            "samples": 12, "rubrics": {"board-alignment": "abcd"}, "dataset": "demo", "dataset_hash": "d1", "plan": {"plan_hash": ""},
        }
        for name, task, players in ((TURN, TURN, "single"), (BOARD, BOARD, "single"), (f"{BOARD}.agents+auditor", BOARD, "agents"))
    ]  # fmt: skip
    body = {
        "equipoise": "0", "models": [ONE, TWO], "constants": [DEFER, SILENT], "judges": list(JUDGES), "rule": "majority",
        "judge_repeats": 2, "makers": {}, "excerpts": True, "generation": {"temperature": 0.0}, "max_cost": None, "prices": {}, "seed": 42,
        "statistics": {"resamples": 4000, "fewest_recordings": 10, "alpha": 0.05, "enough_items": 100}, "tests": tests, "not_run": [],
        "protocol_hash": "p1",
    }  # fmt: skip
    return body | more


def scores_of(recordings: int = 12) -> list[ItemScore]:
    """Scores of two systems and both constants in both benchmarks, by a panel, two judges and a clinician."""
    drawn = np.random.default_rng(5)
    n = 3 * recordings
    base = drawn.integers(1, 5, n).astype(float).tolist()
    values: dict[str, list[float | None]] = {
        ONE: [min(5.0, value + 1) for value in base], TWO: [None, *base[1:]], DEFER: [1.0] * n, SILENT: [None] * n,
    }  # fmt: skip
    rows: list[ItemScore] = []
    for judge in ("panel:majority", *JUDGES):
        rows += many(values, judge=judge)
        rows += many(
            values, judge=judge, benchmark=TURN, rubric=EQUIVALENCE, criterion="equivalence", stratum="uncertainty"
        )
    rows += many({ONE: base, TWO: base}, judge="panel:majority", setting="agents+auditor")
    where: dict[str, Any] = {"judge": "panel:majority"}
    for system in (ONE, TWO, DEFER):
        rows += [
            score(float(place % 5 == 0), system=system, item=f"c{place:03}", recording=f"m{place // 3:02}", benchmark=TURN,
                  rubric=EQUIVALENCE, criterion=criterion, **where)
            for criterion in ("critical-error", "unsupported-claim") for place in range(n)
        ]  # fmt: skip
        for criterion in ("therapy", "surgery"):
            own = {"system": system, "rubric": DECISIONS, "criterion": criterion, **where}
            rows += [score(3, item=f"c{place:03}", recording=f"m{place // 3:02}", **own) for place in range(n - 2)]
            rows += [out_of_scope(item=f"c{n - 2:03}", **own), failed_judge(item=f"c{n - 1:03}", **own)]
        for category in ("", "treatment"):
            rows += [score(0.5, item=f"c{place:03}", recording=f"m{place // 3:02}", system=system, rubric=FACTS, criterion="recall",
                           category=category, **where) for place in range(n)]  # fmt: skip
    rows += many({ONE: [0.2] * n, TWO: [0.1, 0.3] * (n // 2)}, rubric=TEXT, criterion="rouge-l")
    return rows


def parts_of(folder: Path, replies: Sequence[dict[str, Any]] | None = None) -> dict[tuple[str, str], Any]:
    """Run folders of both systems, in both benchmarks and with agents."""
    found = {}
    kept = DISCUSSION.replace("The patient starts osimertinib.", "The patient starts alectinib.")
    for system in (ONE, TWO):
        name = system.replace("/", "-")
        own = replies or [
            {"item": f"c{place:03}", "reply": DISCUSSION, "tokens_in": 5, "tokens_out": 7} for place in range(12)
        ]
        found[BOARD, system] = write_part(folder / f"{name}-s", own, system=system)
        turns = [{"item": f"c{place:03}", "reply": "Osimertinib."} for place in range(11)] + [
            {"item": "c011", "state": "empty"}
        ]
        found[TURN, system] = write_part(folder / f"{name}-t", turns, system=system, benchmark=TURN)
        agents = [{"item": f"c{place:03}", "reply": kept, "discussion": RECORD} for place in range(12)]
        found[f"{BOARD}.agents+auditor", system] = write_part(
            folder / f"{name}-a", agents, system=system, setting="agents+auditor"
        )
    return found


def whole_audit(folder: Path, *, recordings: int = 12, **more: Any) -> BoardAudit:
    """An audit with everything in it; its worst replies are those of the run folders."""
    parts = parts_of(folder)
    rows = []
    for row in scores_of(recordings):
        own = parts.get((BOARD if row.benchmark == BOARD and row.setting == "single" else row.benchmark, row.system))
        reply = next((one["reply_id"] for one in own.rows if one["item"] == row.item), "") if own else ""
        rows.append(type(row)(**{name: getattr(row, name) for name in row.__slots__} | {"reply_id": reply}))
    labels = [
        Label(
            item=f"c{place:03}",
            system=ONE,
            arm="",
            setting="single",
            rater="zoe",
            criterion="alignment",
            points=4.0 - place % 2,
        )
        for place in range(9)
    ]
    return board_audit(protocol_of(**more), parts, rows, labels=labels)
