"""Judgements as rows of the table: one a question; a panel has a second one that states its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from equipoise.judging.panel import OUTCOME_SCALE, Panel, PanelOutcome, Vote, combine
from equipoise.judging.reading import Judged
from equipoise.judging.rubric import Rubric
from equipoise.outcomes.schema import ReplyState

OUTCOME = ":panel"
"""Added to a criterion for the row that states a panel's outcome."""

Row = dict[str, Any]


def rows_of(
    judged: Iterable[Judged],
    *,
    rubric: Rubric,
    reply_id: str,
    run: str,
    judge: str,
    repeat: int = 1,
    out_of_scope: Iterable[str] = (),
) -> list[Row]:
    """The rows of one judgement.

    Args:
        judged: the answers.
        rubric: the rubric.
        reply_id: the reply.
        run: the run.
        judge: the judge.
        repeat: repeat, from 1.
        out_of_scope: questions declared out of scope beforehand; those the rubric does not know are passed over.
    """
    rows = [
        _row(rubric, reply_id, run, judge, item.name, repeat)
        | {"value": item.value, "points": item.points, "in_scope": item.in_scope, "state": item.state.value}
        for item in judged
    ]
    for name in out_of_scope:
        try:
            rubric.criterion(name)
        except KeyError:
            continue
        row = _row(rubric, reply_id, run, judge, name, repeat)
        rows.append(row | {"value": None, "points": None, "in_scope": False, "state": ReplyState.OK.value})
    return rows


def panel_rows(
    rows: Iterable[Mapping[str, Any]],
    *,
    rubric: Rubric,
    panel: Panel,
    sitting: Mapping[str, tuple[str, ...]],
    run: str,
) -> list[Row]:
    """The rows of a panel over rows of its judges: the value, and beside it the outcome.

    A question without agreement has no value: its row is unparsed (in state error when all judges failed by error), so
    that every count bounds it as it bounds any other verdict that is missing. The row of the outcome is always ok. A reply
    whose judges have not all been asked yet has no row.

    Args:
        rows: rows of the judges by one rubric, of one run.
        rubric: the rubric.
        panel: the panel.
        sitting: by reply, the judges that may judge it.
        run: the run.
    """
    votes: dict[str, dict[str, dict[str, list[Vote]]]] = {}
    for row in sorted(rows, key=lambda item: int(item["repeat"])):
        if row["judge"] in sitting.get(row["reply_id"], ()):
            by_question = votes.setdefault(row["reply_id"], {}).setdefault(row["criterion"], {})
            by_question.setdefault(row["judge"], []).append(
                Vote(state=ReplyState(row["state"]), value=row["value"], in_scope=row["in_scope"], points=row["points"])
            )
    found: list[Row] = []
    for reply_id, judges in sitting.items():
        asked = votes.get(reply_id, {})
        if not judges:
            asked = {item.id: {} for item in rubric.criteria if not item.each}
        for name, own in asked.items():
            if set(own) == set(judges):
                found += _panel_pair(_row(rubric, reply_id, run, panel.judge, name, 1), own, rubric, panel)
    return found


def _panel_pair(row: Row, own: Mapping[str, list[Vote]], rubric: Rubric, panel: Panel) -> tuple[Row, Row]:
    name = row["criterion"]
    result = combine(own, rule=panel.rule, scale=rubric.criterion(name).scale, fewest=panel.fewest)
    state = ReplyState.OK if result.outcome is PanelOutcome.AGREED else ReplyState.UNPARSED
    if result.outcome is PanelOutcome.ALL_FAILED and _all_errors(own):
        state = ReplyState.ERROR
    value = {"value": result.value, "points": result.points, "in_scope": result.in_scope, "state": state.value}
    extra = {"criterion": f"{name}{OUTCOME}", "scale": OUTCOME_SCALE.id, "scale_hash": OUTCOME_SCALE.hash}
    outcome = {"value": result.outcome.value, "points": None, "in_scope": None, "state": ReplyState.OK.value}
    return row | value, row | extra | outcome


def _all_errors(votes: Mapping[str, list[Vote]]) -> bool:
    return all(vote.state is ReplyState.ERROR for own in votes.values() for vote in own)


def _row(rubric: Rubric, reply_id: str, run: str, judge: str, name: str, repeat: int) -> Row:
    scale = rubric.criterion(name).scale
    return {
        "reply_id": reply_id,
        "run": run,
        "judge": judge,
        "rubric": rubric.id,
        "rubric_hash": rubric.hash,
        "scale": scale.id,
        "scale_hash": scale.hash,
        "criterion": name,
        "repeat": repeat,
    }
