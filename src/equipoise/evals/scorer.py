"""Holds a reply against the reference label; what cannot be read is unscored, never wrong.

The figures Inspect shows come from here. Intervals, both failure modes with their bounds, and everything over several
trials come from the outcomes (`equipoise.evals.logs`), which read the same replies with the same reader.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import CORRECT, INCORRECT, Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from equipoise.evals.replies import READER_VERSION, Reply, read_reply
from equipoise.outcomes.schema import ReplyState

REASONS: Mapping[ReplyState, str] = {
    ReplyState.EMPTY: "no_response",
    ReplyState.BLOCKED: "refusal",
    ReplyState.TRUNCATED: "truncated",
    ReplyState.UNPARSED: "invalid_response_format",
    ReplyState.ERROR: "model_error",
}
"""Reason of an unscored reply; Inspect's own words where it has one."""


def reply_of(output: ModelOutput, labels: Sequence[str], field_names: Mapping[str, str] | None = None) -> Reply:
    """The reply of a model's output, read."""
    stop = output.stop_reason if output.choices else "stop"
    return read_reply(output.completion, labels=labels, stop_reason=stop, error=output.error, field_names=field_names)


@metric
def share_correct() -> Metric:
    """Replies with the reference's label / replies that could be read; NaN without one."""

    def compute(scores: list[SampleScore]) -> float:
        return _share([item.score.value in (CORRECT, 1, 1.0) for item in scores])

    return compute


def labelled(label: str, references: Sequence[str]) -> Metric:
    """A metric: replies with a label / readable replies to samples with one of the references; NaN without one.

    Args:
        label: the label counted.
        references: reference labels of the samples that count.
    """

    def compute(scores: list[SampleScore]) -> float:
        return _share([item.score.answer == label for item in scores if _expected(item) in references])

    return compute


@scorer(metrics=[share_correct()])
def label_scorer(labels: list[str], field_names: dict[str, str] | None = None) -> Scorer:
    """Read the reply and compare its label with the target.

    Args:
        labels: the labels there are.
        field_names: other names of fields.
    """

    async def score(state: TaskState, target: Target) -> Score:
        reply = reply_of(state.output, labels, field_names)
        facts: dict[str, Any] = {
            "state": reply.state.value,
            "abstain": reply.abstain,
            "missing_fields": None if reply.missing_fields is None else list(reply.missing_fields),
            "confidence": reply.confidence,
            "objection": reply.objection,
            "source": reply.source,
            "reading": reply.reading,
            "reader_version": READER_VERSION,
            "expected": target.text,
        }
        if reply.state is not ReplyState.OK:
            return Score.unscored(reason=REASONS[reply.state], explanation=reply.why, metadata=facts)
        return Score(
            value=CORRECT if reply.label == target.text else INCORRECT,
            answer=reply.label,
            explanation=f"read as {reply.reading}",
            metadata=facts,
        )

    return score


def _expected(item: SampleScore) -> Any:
    return (item.score.metadata or {}).get("expected")


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else math.nan
