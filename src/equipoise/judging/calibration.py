"""How a judge errs against people, by arm and model: arrays for `equipoise.statistics.correction`.

A judge errs differently for different models and arms, so each cell is calibrated alone. Where people disagree without a
decision, or the judge's verdict cannot be read, the reply is left out and counted.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import InputError
from equipoise.judging.panel import PanelOutcome, Rule, Vote, combine
from equipoise.judging.rubric import Rubric
from equipoise.judging.scales import Scale, ScaleValue
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics.correction import Calibration, CorrectedCell, calibrate, correct_cells

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationCell:
    """The replies of one model in one arm.

    Attributes:
        name: model and arm, with a point between.
        model: the model, or the system without one.
        arm: the arm; empty without one.
        human: 1 or 0 for every reply with a human verdict and a judgement, whether it is one of the positive values.
        judge: the judge's verdict on the same replies: 1, 0, or NaN where it cannot be read.
        wanted: the judge's verdicts on all replies of the cell, with or without a human verdict.
        items: item of each reply of `human` and `judge`, for clustering.
        n_undecided: replies whose human raters come to no decision.
        n_unlabelled: judged replies without a human verdict.
        n_unjudged: replies with a human verdict that the judge was never asked about.
    """

    name: str
    model: str
    arm: str
    human: Array
    judge: Array
    wanted: Array
    items: tuple[str, ...]
    n_undecided: int
    n_unlabelled: int
    n_unjudged: int

    @property
    def calibration(self) -> Calibration:
        """Counts of the judge against people."""
        return calibrate(self.human, self.judge)


def calibration_cells(
    run: Run,
    rubric: Rubric | str,
    human: Sequence[str],
    judge: str,
    *,
    positive: Collection[str],
    criterion: str | None = None,
    rule: Rule = "majority",
    repeat: int = 1,
) -> dict[str, CalibrationCell]:
    """A judge held against people, by model and arm.

    Args:
        run: the run.
        rubric: the rubric, or its identifier in the table.
        human: identifiers of the human raters; several are put together by `rule`, over those who rated a reply.
        judge: identifier of the judge or panel.
        positive: values that count as positive, such as "partial" and "full"; all others are negative.
        criterion: the criterion; the rubric's identifier by default.
        rule: how several raters are put together: positive or negative is what they vote on.
        repeat: which repeat of the judge.

    Returns:
        Cells by "model.arm", in the order of the run; replies in that order too.

    Raises:
        InputError: the run has no judgement by one of the raters or by the judge, no positive value is named, or a
            rater judged one reply twice.
    """
    rubric_id = rubric if isinstance(rubric, str) else rubric.id
    wanted = criterion or rubric_id
    if not positive or not human or judge in human:
        message = "expected positive values, and human raters that are not the judge"
        raise InputError(message, field="positive")
    votes: dict[str, dict[str, float]] = {}
    verdicts: dict[str, float] = {}
    seen: set[tuple[Hashable, ...]] = set()
    for row in run.judgements.to_pylist():
        if row["rubric"] != rubric_id or row["criterion"] != wanted or row["in_scope"] is False:
            continue
        if row["judge"] == judge and row["repeat"] == repeat:
            verdicts[row["reply_id"]] = _number(row, positive)
        elif row["judge"] in human:
            key = (row["reply_id"], row["judge"])
            if key in seen:
                message = f"rater {row['judge']!r} judged reply {row['reply_id']!r} twice"
                raise InputError(message, field="repeat")
            seen.add(key)
            votes.setdefault(row["reply_id"], {})[row["judge"]] = _number(row, positive)
    rated = {name for own in votes.values() for name in own}
    missing = [name for name in human if name not in rated] + ([] if verdicts else [judge])
    if missing:
        message = f"run {run.info.run_id} has no judgement of {rubric_id}, criterion {wanted}, by {', '.join(missing)}"
        raise InputError(message, field="judge")
    return _cells(run, votes, verdicts, rule)


def corrected_rates(cells: Mapping[str, CalibrationCell], *, level: float = 0.95) -> tuple[CorrectedCell, ...]:
    """The rate of each cell corrected by its own calibration, or refused by name (`statistics.correct_cells`).

    Args:
        cells: cells by name.
        level: coverage aimed at.
    """
    return correct_cells({name: (cell.human, cell.judge, cell.wanted) for name, cell in cells.items()}, level=level)


def _cells(
    run: Run, votes: Mapping[str, Mapping[str, float]], verdicts: Mapping[str, float], rule: Rule
) -> dict[str, CalibrationCell]:
    grouped: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in run.outcomes.to_pylist():
        if row["reply_id"] in votes or row["reply_id"] in verdicts:
            grouped.setdefault((str(row["model"] or row["system"]), str(row["arm"] or "")), []).append(row)
    cells = {}
    for (model, arm), rows in grouped.items():
        human, judged, items = [], [], []
        undecided = unjudged = 0
        for row in rows:
            reply = row["reply_id"]
            if reply not in votes:
                continue
            truth = _decided(votes[reply], rule)
            if np.isnan(truth):
                undecided += 1
            elif reply not in verdicts:
                unjudged += 1
            else:
                human.append(truth)
                judged.append(verdicts[reply])
                items.append(str(row["item"]))
        name = f"{model}.{arm}" if arm else model
        cells[name] = CalibrationCell(
            name=name,
            model=model,
            arm=arm,
            human=np.array(human, dtype=np.float64),
            judge=np.array(judged, dtype=np.float64),
            wanted=np.array(
                [verdicts[row["reply_id"]] for row in rows if row["reply_id"] in verdicts], dtype=np.float64
            ),
            items=tuple(items),
            n_undecided=undecided,
            n_unlabelled=sum(row["reply_id"] not in votes for row in rows),
            n_unjudged=unjudged,
        )
    return cells


_BINARY = Scale(
    id="positive-or-not",
    ordered=True,
    values=(ScaleValue(value="0", definition="negative"), ScaleValue(value="1", definition="positive")),
)


def _decided(own: Mapping[str, float], rule: Rule) -> float:
    """1 or 0 by the raters of one reply; NaN without a decision."""
    votes = {
        name: [Vote(state=ReplyState.UNPARSED) if np.isnan(value) else Vote(state=ReplyState.OK, value=str(int(value)))]
        for name, value in own.items()
    }
    result = combine(votes, rule=rule, scale=_BINARY, fewest=1)
    return float(result.value) if result.outcome is PanelOutcome.AGREED and result.value else float("nan")


def _number(row: Mapping[str, Any], positive: Collection[str]) -> float:
    read = row["state"] == ReplyState.OK and row["value"] is not None
    return float(row["value"] in positive) if read else float("nan")
