"""Hallucination: a model's replies looked at by the detector, or labelled replies, by which the detector itself is measured.

inspect eval equipoise/das_hallucination --model openai/MODEL -T judges=openai/JUDGE
inspect eval equipoise/das_hallucination --model none/none -T replies=labelled -T judges=openai/JUDGE

Both logs together make a run (`equipoise outcomes from-log`), whose measures correct the model's rate by the detector's errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, ModelOutput
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from equipoise.benchmarks.catalogue import find
from equipoise.benchmarks.das_hallucination.detector import DETECTOR_VERSION, Detection, detect
from equipoise.benchmarks.das_hallucination.loader import BENCHMARK, LabelledReply, load, prompts_of, replies_hash
from equipoise.benchmarks.das_hallucination.roles import Presence, Role, rubric_of
from equipoise.benchmarks.das_hallucination.rules import VERSION
from equipoise.benchmarks.das_replies import facts_of, listed, state_of
from equipoise.errors import UsageError
from equipoise.evals.mock_counts import count_without_network
from equipoise.evals.refusal_task import ask_prompt
from equipoise.evals.scorer import REASONS
from equipoise.evals.stress_rows import REPLIES, StoredReply
from equipoise.ids import content_hash
from equipoise.judging.asking import panel_of, sitting
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.plan import Plan, StressArm

LABELS = {Presence.PRESENT: "hallucination", Presence.ABSENT: "none", Presence.CANNOT_SAY: "cannot-say"}
"""What a verdict is called in the column `label`."""

MODEL, LABELLED = "model", "labelled"
_ITEM, _REPLY = "item", "labelled_reply"


@metric
def hallucination_share() -> Metric:
    """Replies in which the detector finds a fault / replies with a verdict, those it cannot say left out; not corrected."""

    def compute(scores: list[SampleScore]) -> float:
        values = [item.score.as_float() for item in scores]
        return sum(values) / len(values) if values else math.nan

    return compute


@solver
def given_reply() -> Solver:
    """Take the labelled reply as it stands; no model is asked."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        state.output = ModelOutput.from_content(str(state.model), state.metadata[_REPLY])
        return state

    return solve


@scorer(metrics=[hallucination_share()])
def hallucination_scorer(judges: Sequence[str] = (), year: int = 2026) -> Scorer:
    """Look at a reply with rules and judges; without a verdict, or when it cannot be said, it is unscored.

    Args:
        judges: Inspect's names of the judges; none for rules alone, which can find a fault but never say that there is none.
        year: the year of reading.
    """
    panel = panel_of(judges) if judges else None

    async def score(state: TaskState, target: Target) -> Score:
        del target
        item = state.metadata[_ITEM]
        text, found = state.output.completion, state_of(state.output)
        if found is not ReplyState.OK:
            stored = StoredReply(state=found, reply=text)
            return Score.unscored(reason=REASONS[found], explanation="not read", metadata={REPLIES: [stored.to_dict()]})
        sits = sitting(panel, str(state.model)) if panel and _REPLY not in state.metadata else tuple(judges)
        detection = await detect(item["prompt"], item["context"], text, panel=panel, judges=sits, year=year)
        return _score(detection, text)

    return score


def _score(detection: Detection, text: str) -> Score:
    value = detection.verdict.value
    label = LABELS[value] if value is not None else None
    stored = StoredReply(state=ReplyState.OK, reply=text, label=label, judgements=detection.readings)
    facts = {REPLIES: [stored.to_dict()], "detector_state": detection.verdict.state.value}
    if value is None or value is Presence.CANNOT_SAY:
        reason = "grader_failed" if value is None else "cannot_say"
        return Score.unscored(reason=reason, explanation=reason, metadata=facts)
    return Score(value=float(value is Presence.PRESENT), answer=label, metadata=facts)


@task
def das_hallucination(
    data: str | None = None,
    replies: str = MODEL,
    judges: str | list[str] | None = None,
    year: int = 2026,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Task:
    """The prompts of the labelled set asked of a model, or its labelled replies shown to the detector.

    Args:
        data: JSONL file of labelled replies; the packaged ones by default.
        replies: model to ask the model; labelled to look at the labelled replies.
        judges: judges (comma-separated); none for rules alone.
        year: the year of reading, for the years of citations.
        max_cost: US dollars after which nothing more is asked of the model.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.
    """
    if replies not in (MODEL, LABELLED):
        message = f"expected {MODEL} or {LABELLED}; found {replies!r}"
        raise UsageError(message, field="replies")
    rows, names = load(data), listed(judges)
    labelled = replies == LABELLED
    shown = rows if labelled else prompts_of(rows)
    plan = Plan(
        benchmark=BENCHMARK, seed=0, items=tuple(row.id if labelled else row.prompt_id for row in shown),
        items_hash=replies_hash(rows), repeats=0, operators=(),
    )  # fmt: skip
    count_without_network()
    return Task(
        dataset=MemoryDataset([_sample(row, labelled) for row in shown], name=BENCHMARK),
        solver=given_reply() if labelled else ask_prompt(max_cost=max_cost, price_in=price_in, price_out=price_out),
        scorer=hallucination_scorer(names, year),
        config=GenerateConfig(temperature=0.0, max_tokens=1024),
        fail_on_error=True,
        continue_on_fail=True,
        version=find(BENCHMARK).card().version,
        metadata=facts_of(
            BENCHMARK, dataset_hash=replies_hash(rows), prompt_hash=content_hash([rubric_of(role).hash for role in Role]),
            reader_version=f"{DETECTOR_VERSION} (rules {VERSION})", plan=plan.to_dict(), judges=names,
            setting="labelled replies" if labelled else "", price_in=price_in, price_out=price_out,
        ),
    )  # fmt: skip


def _sample(row: LabelledReply, labelled: bool) -> Sample:
    name = row.id if labelled else row.prompt_id
    reference = {
        "item": name,
        "item_family": row.prompt_id,
        "item_set": LABELLED if labelled else MODEL,
        "arm": StressArm.CLEAN.value,
        "expected": (LABELS[Presence.PRESENT] if row.hallucinated else LABELS[Presence.ABSENT]) if labelled else None,
        "trial": 1,
        "codes": list(row.codes) if labelled else [],
    }
    metadata = {"reference": reference, _ITEM: {"prompt": row.prompt, "context": row.context}}
    if labelled:
        metadata[_REPLY] = row.reply
    return Sample(id=name, input=row.asked, metadata=metadata)
