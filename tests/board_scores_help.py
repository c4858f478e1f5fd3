"""Scores of invented boards, as the judging gives them."""

from __future__ import annotations

import dataclasses
from typing import Any

from equipoise.boards.judging.criteria import ALIGNMENT, BOARD, DECISIONS, EQUIVALENCE, FACTS, TEXT, TURN
from equipoise.boards.judging.items import NOT_ASKED, ItemScore

FORMS = {
    (EQUIVALENCE, "equivalence"): ("board-equivalence-1-5", 1, 5),
    (EQUIVALENCE, "critical-error"): ("board-flag", 1, 0),
    (EQUIVALENCE, "unsupported-claim"): ("board-flag", 1, 0),
    (ALIGNMENT, "alignment"): ("board-alignment-1-5", 1, 5),
    (DECISIONS, "therapy"): ("board-decisions-1-5", 1, 5),
    (DECISIONS, "surgery"): ("board-decisions-1-5", 1, 5),
    (FACTS, "recall"): ("0-1", 0, 1),
    (TEXT, "rouge-l"): ("0-1", 0, 1),
}
DEFER, SILENT = "equipoise/board-defer", "equipoise/board-silent"


def score(
    points: float | None,
    *,
    item: str = "c1",
    recording: str = "",
    system: str = "one",
    benchmark: str = BOARD,
    rubric: str = ALIGNMENT,
    criterion: str = "alignment",
    judge: str = "judge/a",
    **more: Any,
) -> ItemScore:
    scale, lowest, highest = FORMS[rubric, criterion]
    values: dict[str, Any] = {
        "system": system, "benchmark": benchmark, "arm": "captions", "setting": "single", "item": item,
        "recording": recording or item, "stratum": "lung", "role": "surgeon" if benchmark == TURN else "", "rubric": rubric,
        "criterion": criterion, "scale": scale, "lowest": lowest, "highest": highest, "points": points, "in_scope": True,
        "reply_state": "ok", "judge_state": "ok", "judge": "" if rubric == TEXT else judge, "repeat": 1, "site": "lung",
        "rubric_hash": "h", "reply_id": f"{system}/{item}",
    }  # fmt: skip
    return ItemScore(**(values | more))


def failed_reply(state: str = "empty", **more: Any) -> ItemScore:
    return score(None, reply_state=state, judge_state=NOT_ASKED, **more)


def failed_judge(state: str = "unparsed", **more: Any) -> ItemScore:
    return score(None, judge_state=state, **more)


def out_of_scope(**more: Any) -> ItemScore:
    return dataclasses.replace(score(None, judge_state=NOT_ASKED, **more), in_scope=False)


def many(values: dict[str, list[float | None]], *, per_recording: int = 3, **more: Any) -> list[ItemScore]:
    """Scores of systems over items c000, c001, ...; None is a reply that failed."""
    found = []
    for system, points in values.items():
        for place, value in enumerate(points):
            where = {"system": system, "item": f"c{place:03}", "recording": f"m{place // per_recording:02}", **more}
            found.append(failed_reply(**where) if value is None else score(value, **where))
    return found
