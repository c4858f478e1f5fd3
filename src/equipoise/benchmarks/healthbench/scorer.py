"""Scores a reply as published; without a verdict on every criterion it is unscored and bounded."""

from __future__ import annotations

import math

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from equipoise.benchmarks.healthbench.grading import grade, graders, verdicts
from equipoise.benchmarks.healthbench.reference import item_of
from equipoise.benchmarks.healthbench.scoring import score_item
from equipoise.evals.refusal_task import REFERENCE_KEY
from equipoise.evals.scorer import REASONS
from equipoise.evals.stress_rows import REPLIES, StoredReply
from equipoise.judging.seated import conversation_text, reply_state
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.plan import StressArm


@metric
def clipped_mean() -> Metric:
    """Mean of the scores of scored replies, clipped once to 0 to 1, as published; NaN without one."""

    def compute(scores: list[SampleScore]) -> float:
        values = [item.score.as_float() for item in scores]
        return float(np.clip(np.mean(values), 0, 1)) if values else math.nan

    return compute


@scorer(metrics=[clipped_mean()])
def healthbench_scorer(names: list[str]) -> Scorer:
    """Grade every criterion by itself; the first grader decides the score.

    Args:
        names: Inspect's names of the graders; the role `grader` when empty.
    """

    async def score(state: TaskState, target: Target) -> Score:
        del target
        models = graders(names)
        item = item_of(state.metadata[REFERENCE_KEY])
        arm = StressArm.CLEAN if state.epoch == 1 else StressArm.REPEAT
        columns = {"arm": arm.value, "trial": state.epoch}
        found = reply_state(state.output)
        text = state.output.completion
        if found is not ReplyState.OK:
            stored = StoredReply(state=found, reply=text, columns=columns)
            return Score.unscored(
                reason=REASONS[found], explanation="the reply was not graded", metadata={REPLIES: [stored.to_dict()]}
            )
        asked = [message for message in state.messages if message.id != state.output.message.id]
        readings = await grade(models, conversation_text(asked), text, item.rubric)
        stored = StoredReply(state=found, reply=text, columns=columns, judgements=readings)
        result = score_item(item.rubric, verdicts(readings, next(iter(models)), len(item.rubric)))
        facts = {REPLIES: [stored.to_dict()], "low": result.low, "high": result.high, "unscored": result.unscored}
        if result.score is None:
            why = f"{result.unscored} of {len(item.rubric)} criteria without a verdict"
            if not result.unscored:
                why = "no criterion has positive points"
            return Score.unscored(reason="grader_failed", explanation=why, metadata=facts)
        return Score(value=result.score, explanation=f"{len(item.rubric)} criteria judged", metadata=facts)

    return score
