"""Reads a reply of either setting and measures what needs no model; what cannot be read is unscored, never a low score.

What is kept as judgements: whether the reply came as asked, ROUGE-L of Inspect's own display, drugs named, process measures of a simulated
discussion, and what the requests really held. Scores that need a judge are made of the run folder (`equipoise.boards.judging`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from equipoise.benchmarks.board_requests import Sent, sent
from equipoise.boards.board_audit import HEARD
from equipoise.boards.discussion_record import Stop
from equipoise.boards.measures.named import VERSION as NAMED_VERSION
from equipoise.boards.measures.named import named_drugs
from equipoise.boards.measures.process import VERSION as PROCESS_VERSION
from equipoise.boards.measures.process import Process, measure_discussion
from equipoise.boards.measures.rouge import rouge_l
from equipoise.boards.replies import REPLIES_VERSION, read_board_reply, read_turn_reply
from equipoise.boards.vocabulary import Role
from equipoise.evals.refusal_task import REFERENCE_KEY
from equipoise.evals.scorer import REASONS
from equipoise.evals.stress_rows import REPLIES, Reading, StoredReply
from equipoise.judging.seated import reply_state
from equipoise.outcomes.schema import ReplyState

JUDGE = "rules:board"
FORM, WORDS, PROCESS, REQUEST = "board-form", "board-words", "board-process", "board-request"
STOPPED, TOOLED = "board-stop", "board-tools"
"""Rubrics of the readings by rule: form of the reply, words, course of the discussion, what the requests held, how agents stopped, what
tools were called and told."""

DISCUSSION = "discussion"
"""Where a board of agents leaves its record: in the sample's metadata."""


@metric
def rouge_l_mean() -> Metric:
    """Mean ROUGE-L F1 of the replies that could be read; NaN without one."""

    def compute(scores: list[SampleScore]) -> float:
        values = [item.score.as_float() for item in scores]
        return sum(values) / len(values) if values else math.nan

    return compute


@scorer(metrics=[rouge_l_mean()])
def board_scorer(turn: bool) -> Scorer:
    """Read the reply and measure it.

    Args:
        turn: whether a specialist answered; a whole board otherwise.
    """

    async def score(state: TaskState, target: Target) -> Score:
        del target
        reference = state.metadata[REFERENCE_KEY]
        record = state.metadata.get(DISCUSSION)
        if record is not None and DISCUSSION not in reference:
            reference[DISCUSSION] = record
        if record is not None and record.get("roles"):
            reference["expected_roles"] = list(record["roles"])  # its panel sat there, not the recorded board's
        seen = sent()
        found, answer, why, readings = read_reply(state, turn=turn, seen=seen)
        readings += [*request_readings(seen), *stop_readings(record), *tool_readings(record)]
        stored = StoredReply(state=found, reply=state.output.completion, judgements=readings)
        facts: dict[str, Any] = {REPLIES: [stored.to_dict()], "why": why, DISCUSSION: record}
        if found is not ReplyState.OK:
            return Score.unscored(reason=REASONS[found], explanation=why or found.value, metadata=facts)
        rouge = rouge_l(answer, reference["references"])
        if rouge.f1 is None:
            return Score.unscored(reason="no_response", explanation="no words to compare", metadata=facts)
        return Score(value=rouge.f1, answer=answer, explanation=why, metadata=facts)

    return score


def read_reply(state: TaskState, *, turn: bool, seen: Sent) -> tuple[ReplyState, str, str, list[Reading]]:
    """State, answer, what had to be forgiven, and readings by rule of a sample's reply.

    A reply that was cut off, withheld, empty or failed keeps that state. One of the image arm that was given without its pictures is an
    error: it is no reply of that arm.
    """
    found, text = reply_state(state.output), state.output.completion
    reference = state.metadata[REFERENCE_KEY]
    fault = seen.fault(int(reference.get("pictures") or 0))
    if fault:
        return ReplyState.ERROR, "", fault, []
    if found is not ReplyState.OK:
        return found, "", "", []
    references = list(reference["references"])
    if turn:
        answered = read_turn_reply(text)
        state_now = ReplyState.OK if answered.answer else ReplyState.UNPARSED
        why = "; ".join(answered.problems)
        return state_now, answered.answer, why, _of_answer(answered.answer, references, answered.problems)
    played = read_board_reply(text)
    readings = _of_answer(played.conclusion, references, played.problems)
    if played.turns:
        expected = [Role(name) for name in reference.get("expected_roles") or ()]
        readings += process_readings(measure_discussion(played.turns, played.conclusion, expected_roles=expected))
    state_now = ReplyState.OK if played.conclusion else ReplyState.UNPARSED
    return state_now, played.conclusion, "; ".join(played.problems), readings


def _of_answer(answer: str, references: Sequence[str], problems: Sequence[str]) -> list[Reading]:
    readings = [
        _reading(
            FORM,
            "as-asked",
            "yes-no",
            value="no" if problems else "yes",
            points=0.0 if problems else 1.0,
            version=REPLIES_VERSION,
        )
    ]
    if answer:
        named = named_drugs(answer, references)
        rouge = rouge_l(answer, references)
        readings += [
            _reading(WORDS, "rouge-l", "0-1", points=rouge.f1, version=rouge.version),
            _reading(WORDS, "drugs-recall", "0-1", points=named.recall, version=NAMED_VERSION),
            _reading(WORDS, "drugs-other", "count", points=len(named.others), version=NAMED_VERSION),
        ]
    return readings


def process_readings(found: Process) -> list[Reading]:
    """Process measures as judgements; a measure that is not defined has no value."""
    lost = [item for item in found.dissent if item.lost]
    points: Mapping[str, tuple[str, float | None]] = {
        "turns": ("count", found.turns),
        "role-coverage": ("0-1", found.role_coverage),
        "breaches": ("count", len(found.breaches)),
        "dissent": ("count", len(found.dissent)),
        "lost-dissent": ("count", len(lost)),
        "repetition-rate": ("0-1", found.repetition_rate),
        "unmentioned": ("count", None if found.consistent is None else len(found.unmentioned)),
        "turned-around": ("count", None if found.consistent is None else len(found.turned_around)),
    }
    readings = [
        _reading(PROCESS, name, scale, points=value, version=PROCESS_VERSION) for name, (scale, value) in points.items()
    ]
    missing = ", ".join(role.value for role in found.missing_roles)
    readings.append(_reading(PROCESS, "missing-roles", "names", value=missing or "none", version=PROCESS_VERSION))
    return readings


def request_readings(seen: Sent) -> list[Reading]:
    """What the requests held and what came back, as judgements."""
    points: Mapping[str, float | None] = {
        "calls": seen.calls,
        "pictures": seen.pictures,
        "reasoned": seen.reasoned,
        "reasoning-tokens": seen.reasoning_tokens,
    }
    return [_reading(REQUEST, name, "count", points=value) for name, value in points.items()]


def stop_readings(record: Mapping[str, Any] | None) -> list[Reading]:
    """Why a board of agents stopped and who was silent, as judgements; none for a single model."""
    if record is None or record.get("stop") == Stop.SINGLE:
        return []
    counts = {
        "silent-roles": len(record.get("silent_roles") or ()),
        "empty-replies": len(record.get("empty") or ()),
        "consensus-blocked": int(record.get("consensus_blocked") or 0),
        "lost-dissent": len(record.get("lost_dissent") or ()),
        "tokens": int(record.get("tokens") or 0),
    }
    version = str(record.get("version") or "")
    stop = _reading(STOPPED, "stop", "stop", value=str(record.get("stop") or "not stated"), version=version)
    return [
        stop,
        *(_reading(STOPPED, name, "count", points=number, version=version) for name, number in counts.items()),
    ]


def tool_readings(record: Mapping[str, Any] | None) -> list[Reading]:
    """What a board called and was told, as judgements; none without tools.

    Counted are calls the board made of its own, audits of what it recommended, those it was told of, and regimens of the conclusion that
    the auditor does not support. A single model with the auditor has the state of its second look beside it.
    """
    if record is None or not record.get("audit_basis"):
        return []
    calls = record.get("tool_calls") or ()
    heard = [call for call in calls if call.get("tool") == HEARD]
    counts = {
        "calls": len(calls) - len(heard),
        "audits": len(heard),
        "audits-told": sum(bool(call.get("told")) for call in heard),
        "kept-unsupported": len(record.get("kept_unsupported") or ()),
    }
    version = str(record.get("version") or "")
    found = [_reading(TOOLED, name, "count", points=number, version=version) for name, number in counts.items()]
    second = (record.get("review") or {}).get("second")
    return [*found, *([_reading(TOOLED, "second-look", "look", value=str(second), version=version)] if second else [])]


def _reading(
    rubric: str, criterion: str, scale: str, *, value: str | None = None, points: float | None = None, version: str = ""
) -> Reading:
    return Reading(
        judge=JUDGE, rubric=rubric, criterion=criterion, scale=scale, value=value,
        points=None if points is None else float(points), version=version,
    )  # fmt: skip
