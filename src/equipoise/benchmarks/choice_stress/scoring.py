"""Reads each reply of a stress test on questions with options, and keeps it for the tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from equipoise.evals.scorer import REASONS
from equipoise.evals.stress_rows import REPLIES, Reading, StoredReply
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.answers import ANSWERS_VERSION, Answer, read_answer
from equipoise.redteam.operators.items import Item
from equipoise.redteam.operators.mutant import KeyRelation
from equipoise.redteam.right import is_right

JUDGE = "rules:answers"
"""Name of the rules that read the form of an answer, as the judgements keep it."""

LETTERED = "options"
"""Where a sample's metadata keep the texts of its options, in order."""

RELATION = "relation"
"""Where they keep how the key relates to that of the untouched item."""

ARM = "arm"
"""Where a score's metadata say to which arm it belongs."""


@metric
def right_untouched() -> Metric:
    """Right replies to untouched questions, the first time / those read; NaN without one."""
    return _share("clean")


@metric
def right_attacked() -> Metric:
    """Right replies to changed questions / those read; NaN without one."""
    return _share("attacked")


def _share(arm: str) -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        values = [item.score.as_float() for item in scores if (item.score.metadata or {}).get(ARM) == arm]
        return sum(values) / len(values) if values else math.nan

    return compute


def read_output(output: ModelOutput, item: Item) -> Answer:
    """The reading of a model's output on an item."""
    stop = output.stop_reason if output.choices else "stop"
    return read_answer(output.completion, item.options, stop_reason=stop, error=output.error)


def stored_reply(output: ModelOutput, answer: Answer, columns: Mapping[str, Any] | None = None) -> StoredReply:
    """A reply for the tables, with the form of its answer as a judgement."""
    form = Reading(
        judge=JUDGE,
        rubric="choice-answer",
        criterion="form",
        scale="answer-form",
        value=None if answer.form is None else answer.form.value,
        version=ANSWERS_VERSION,
        state=answer.state,
    )
    return StoredReply(
        state=answer.state,
        reply=output.completion,
        label=answer.label,
        abstained=answer.abstained,
        columns=columns or {},
        judgements=(form,),
    )


@scorer(metrics=[right_untouched(), right_attacked()])
def choice_scorer() -> Scorer:
    """Right (1) or wrong (0) by sets of options; what cannot be read is unscored."""

    async def score(state: TaskState, target: Target) -> Score:
        metadata = state.metadata
        item = item_of(metadata[LETTERED])
        answer = read_output(state.output, item)
        facts = {REPLIES: [stored_reply(state.output, answer).to_dict()], ARM: metadata["reference"].get("arm")}
        if answer.state is not ReplyState.OK:
            return Score.unscored(reason=REASONS[answer.state], explanation=answer.why, metadata=facts)
        expected = target.text or None
        right = is_right(KeyRelation(metadata[RELATION]), expected, answer.label, abstained=bool(answer.abstained))
        return Score(
            value=1.0 if right else 0.0,
            answer=answer.label or "cannot be answered",
            explanation=f"read as {answer.form.value if answer.form else ''}",
            metadata=facts,
        )

    return score


def item_of(texts: list[str]) -> Item:
    """A question of which only the options matter."""
    from equipoise.redteam.operators.items import choice_item

    return choice_item("options", "options", texts, None)
