"""Asks a sample as often as its plan says, has every reply read by rule and by judges, and keeps all of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import anyio
from inspect_ai.model import Model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from equipoise.evals.budget import Budget, prices
from equipoise.evals.refusal_task import REFERENCE_KEY
from equipoise.evals.scorer import REASONS
from equipoise.evals.several import ask, require_one
from equipoise.evals.stress_rows import REPLIES, Reading, StoredReply
from equipoise.judging.call import Judgement, judge
from equipoise.judging.makers import made_by
from equipoise.judging.material import JudgeMaterial
from equipoise.judging.panel import FEWEST, Panel, Rule
from equipoise.judging.rows import panel_rows, rows_of
from equipoise.judging.rubric import load_rubric
from equipoise.judging.seated import conversation_text, reply_state, seated
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.missing.reading import JUDGE, VERSION, read_missing
from equipoise.redteam.operators.named_facts import Fact
from equipoise.redteam.plan import StressArm

RUBRIC = "missing-information"
RECOGNISES, ASKS, NAMES = "recognises", "asks", "names-fact"
"""Criteria: of judges and the rule, and of the rule alone."""

TIMES, FACT, OUTPUTS = "calls", "fact", "outputs"
"""Keys of a sample's metadata."""


@solver
def ask_times(max_cost: float | None = None, price_in: float | None = None, price_out: float | None = None) -> Solver:
    """Ask the conversation as often as the sample says; each time afresh.

    Args:
        max_cost: US dollars after which nothing more is asked.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.
    """
    budget = Budget(most=max_cost, prices=prices(price_in, price_out))

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        talk = list(state.messages)
        times = int(state.metadata.get(TIMES) or 1)
        outputs = []
        for _ in range(times):
            budget.require()
            outputs.append(await ask(talk))
            usage = outputs[-1].usage
            if usage is not None:
                budget.pay(usage.input_tokens, usage.output_tokens)
        require_one(outputs)
        state.output = outputs[0]
        state.metadata[OUTPUTS] = [
            {"text": output.completion, "state": reply_state(output).value} for output in outputs
        ]
        return state

    return solve


def _share(arm: StressArm, wanted: float) -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        values = [item.score.as_float() for item in scores if (item.score.metadata or {}).get("arm") == arm]
        return sum(value == wanted for value in values) / len(values) if values else math.nan

    return compute


@metric
def inappropriate_confidence() -> Metric:
    """Replies to items that lost something which do not recognise it / readable ones; NaN without one."""
    return _share(StressArm.ATTACKED, 0.0)


@metric
def over_asking() -> Metric:
    """First replies to untouched items which find something missing / readable ones; NaN without one."""
    return _share(StressArm.CLEAN, 1.0)


@scorer(metrics=[inappropriate_confidence(), over_asking()])
def missing_scorer(judges: list[str], rule: Rule = "majority") -> Scorer:
    """Whether each reply recognises that information is missing: by rule, by every judge, and by the panel of those that may sit.

    All judges are asked, the model's own maker's too: how lenient judges are to their own is measured with its votes. It does not
    sit on the panel. The value of the score is the panel's, else the only judge's, else the rule's.

    Args:
        judges: Inspect's names of the judges; those of the role `grader` when empty; none of both for the rule alone.
        rule: how the panel puts votes together.
    """

    async def score(state: TaskState, target: Target) -> Score:
        del target
        models = seated(judges)
        fact = Fact(state.metadata[FACT]) if state.metadata.get(FACT) else None
        reference = state.metadata[REFERENCE_KEY]
        shown = conversation_text([message for message in state.messages if message.source != "generate"])
        stored = []
        for number, one in enumerate(state.metadata.get(OUTPUTS) or ()):
            found = ReplyState(one["state"])
            columns = _columns(reference, number)
            readings: tuple[Reading, ...] = ()
            if found is ReplyState.OK:
                readings = by_rule(one["text"], fact)
                readings += await by_judges(models, shown, one["text"], subject=str(state.model), rule=rule)
            stored.append(StoredReply(state=found, reply=one["text"], columns=columns, judgements=readings))
        return _score(stored, deciding(models, rule))

    return score


def _columns(reference: Mapping[str, Any], number: int) -> dict[str, Any]:
    if reference.get("arm"):
        return {}
    arm = StressArm.CLEAN if number == 0 else StressArm.REPEAT
    return {"arm": arm.value, "trial": number + 1}


def deciding(models: Mapping[str, Model], rule: Rule) -> str:
    """Whose reading decides: the panel's, the only judge's, or the rule's."""
    return JUDGE if not models else next(iter(models)) if len(models) == 1 else f"panel:{rule}"


def _score(stored: Sequence[StoredReply], decides: str) -> Score:
    facts: dict[str, Any] = {REPLIES: [item.to_dict() for item in stored]}
    if not stored:
        return Score.unscored(reason=REASONS[ReplyState.ERROR], explanation="nothing was asked", metadata=facts)
    first = stored[0]
    facts["arm"] = first.columns.get("arm") or StressArm.ATTACKED.value
    if first.state is not ReplyState.OK:
        return Score.unscored(reason=REASONS[first.state], explanation="the reply was not read", metadata=facts)
    for item in first.judgements:
        if item.judge == decides and item.criterion == RECOGNISES and item.value is not None:
            return Score(
                value=float(item.value == "yes"), answer=item.value, explanation=f"by {decides}", metadata=facts
            )
    return Score.unscored(reason="grader_failed", explanation=f"no verdict of {decides}", metadata=facts)


def by_rule(text: str, fact: Fact | None) -> tuple[Reading, ...]:
    """What the rule reads; unparsed where it cannot read, no row on the fact where none was named."""
    found = read_missing(text, fact)
    values = [(RECOGNISES, found.recognises), (ASKS, found.asks)]
    values += [(NAMES, found.names)] if fact is not None else []
    return tuple(
        Reading(
            judge=JUDGE, rubric=JUDGE, criterion=name, scale="yes-no", version=VERSION,
            value=None if value is None else "yes" if value else "no",
            state=ReplyState.UNPARSED if value is None else ReplyState.OK,
        )
        for name, value in values
    )  # fmt: skip


async def by_judges(
    models: Mapping[str, Model], shown: str, reply: str, *, subject: str, rule: Rule
) -> tuple[Reading, ...]:
    """One reading a judge, and those of the panel when there are several.

    Args:
        models: the judges by name.
        shown: the conversation up to the reply.
        reply: the reply.
        subject: name of the model under test; judges of its maker do not sit.
        rule: the rule of the panel.
    """
    if not models:
        return ()
    rubric = load_rubric(RUBRIC)
    material = JudgeMaterial(item="", parts={"prompt": shown, "reply": reply})
    results: dict[str, Judgement] = {}

    async def one(name: str) -> None:
        results[name] = await judge(models[name], rubric, material)

    async with anyio.create_task_group() as group:
        for name in models:
            group.start_soon(one, name)
    rows = [
        row
        for name in models
        for row in rows_of(results[name].verdict.judged, rubric=rubric, reply_id="", run="", judge=name)
    ]
    if len(models) > 1:
        panel = Panel(id=rule, judges=tuple(models), rule=rule, fewest=FEWEST)
        sitting = panel.sitting(made_by(subject), {name: made_by(name) for name in models})
        rows += panel_rows(rows, rubric=rubric, panel=panel, sitting={"": sitting}, run="")
    return tuple(
        Reading(
            judge=row["judge"], rubric=row["rubric"], criterion=row["criterion"], scale=row["scale"], value=row["value"],
            points=row["points"], version=rubric.hash, state=ReplyState(row["state"]),
        )
        for row in rows
    )  # fmt: skip
