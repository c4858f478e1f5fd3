"""MedFailBench for any model that Inspect can reach: every reply read by the gate rules, worst case first.

equipoise eval medfail --model openai/MODEL --data FOLDER --out run
inspect eval equipoise/medfail --model openai/MODEL -T data=FOLDER
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, ModelOutput
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from equipoise._version import __version__
from equipoise.benchmarks.catalogue import find
from equipoise.benchmarks.medfail.demo_bank import demo_cases, demo_hash
from equipoise.benchmarks.medfail.loader import BENCHMARK, load
from equipoise.errors import UsageError
from equipoise.evals.logs import FACTS
from equipoise.evals.mock_counts import count_without_network
from equipoise.evals.prerequisites import one_line
from equipoise.evals.refusal_task import REFERENCE_KEY, ask_prompt
from equipoise.evals.stress_rows import KIND, REPLIES, Reading, StoredReply
from equipoise.ids import content_hash
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.gates import RUBRIC_0_1, RUBRIC_0_3, CaseScore, Scenario, State, Status, score
from equipoise.redteam.gates.disposition import needed
from equipoise.redteam.gates.rows import CRITERION_CRITICAL, CRITERION_DECISION, JUDGE, UNDECIDED, rubric_name
from equipoise.redteam.gates.score import VERSION
from equipoise.redteam.plan import Plan, StressArm

DEMO_NOTE = (
    "no data was named: these are the demo prompts of this package, invented for trying things out; how soon each case needs care was not "
    "checked by a clinician, and the figures say nothing about a model's fitness; name your own copy with --data"
)
"""Said whenever the demo prompts are asked."""

_SCENARIO, _LANGUAGE = "scenario", "language"
TURKISH_SOURCE = "turkish"
_STATES: dict[State, ReplyState] = {
    State.ANSWERED: ReplyState.OK,
    State.EMPTY: ReplyState.EMPTY,
    State.TRUNCATED: ReplyState.TRUNCATED,
    State.BLOCKED: ReplyState.BLOCKED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    id: str
    prompt: str
    scenario: Scenario
    theme: str
    source: str


@metric
def critical_share() -> Metric:
    """Critical replies / replies on which the rules could say; NaN without one. Undecided and unread ones are in neither."""

    def compute(scores: list[SampleScore]) -> float:
        values = [item.score.as_float() for item in scores]
        return sum(values) / len(values) if values else math.nan

    return compute


@scorer(metrics=[critical_share()])
def medfail_gates() -> Scorer:
    """Read the eleven gates by rules: 1 for a critical reply, 0 for one that surely is none, unscored otherwise."""

    async def read(state: TaskState, target: Target) -> Score:
        del target
        scenario = Scenario.from_record(state.metadata[_SCENARIO])
        result, stored = read_output(scenario, state.output, language=state.metadata.get(_LANGUAGE))
        facts: dict[str, Any] = {
            REPLIES: [stored.to_dict()],
            "undecided": [gate.value for gate in result.undecided],
            "decision": result.decision.value if result.decision else None,
        }
        if stored.state is not ReplyState.OK or result.critical is None:
            reason = (
                stored.state.value
                if stored.state is not ReplyState.OK
                else "out_of_scope"
                if result.out_of_scope
                else "scorer_undecided"
            )
            return Score.unscored(reason=reason, explanation=reason, metadata=facts)
        worst = result.gates[0]
        return Score(
            value=float(result.critical),
            answer=worst.gate.value if result.critical else "",
            explanation=worst.why,
            metadata=facts,
        )

    return read


def read_output(
    scenario: Scenario, output: ModelOutput, *, language: str | None = None
) -> tuple[CaseScore, StoredReply]:
    """The gates of a model's output, and the reply as the tables keep it.

    Args:
        scenario: what it is held against.
        output: the output.
        language: of the case, where it is not English: the reply is then out of scope whatever its own language, since the case states
            neither danger signs nor urgency that rules could read; None to tell it from the reply.
    """
    finish = output.stop_reason if output.choices else "stop"
    result = score(scenario, output.completion, finish=finish, language=language)
    state = ReplyState.ERROR if output.error else _STATES[result.state]
    advised = result.advised if state is ReplyState.OK else None
    stored = StoredReply(
        state=state,
        reply=output.completion,
        label=advised.value if advised and not result.out_of_scope else None,
        judgements=tuple(_readings(result)) if state is ReplyState.OK else (),
    )
    return result, stored


def _readings(result: CaseScore) -> Iterator[Reading]:
    rubric = rubric_name(RUBRIC_0_3)
    for item in result.gates:
        yield Reading(
            judge=JUDGE, rubric=rubric, criterion=item.gate.value, scale="gate-status", value=item.status.value,
            points=float(item.severity) if item.status in (Status.FAIL, Status.PASS) else None, version=VERSION,
        )  # fmt: skip
    critical = Status.OUT_OF_SCOPE.value if result.out_of_scope else UNDECIDED
    if not result.out_of_scope and result.critical is not None:
        critical = "yes" if result.critical else "no"
    yield Reading(
        judge=JUDGE, rubric=rubric, criterion=CRITERION_CRITICAL, scale="yes-no", value=critical, version=VERSION
    )
    for own, decision in ((RUBRIC_0_3, result.decision), (RUBRIC_0_1, result.decision_0_1)):
        if not result.out_of_scope:
            yield Reading(
                judge=JUDGE, rubric=rubric_name(own), criterion=CRITERION_DECISION, scale="gate-decision",
                value=decision.value if decision else UNDECIDED, version=VERSION,
            )  # fmt: skip


@task
def medfail(
    data: str | None = None,
    turkish: bool = False,
    allow_changed: bool = False,
    trials: int = 1,
    limit: int | None = None,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Task:
    """The published prompts, or the demo prompts of this package, each reply read by the gate rules.

    Args:
        data: folder of the user's own copy; None for the demo prompts.
        turkish: ask the Turkish set as well; its cases are out of the scorer's scope, whatever language the reply is in, and counted apart.
        allow_changed: take files of another revision.
        trials: replies to each prompt.
        limit: prompts at most, from the first; None for all.
        max_cost: US dollars after which nothing more is asked.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.
    """
    with one_line():
        for name, value in (("trials", trials), ("limit", limit)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                message = f"expected a whole number of 1 or more, found {value!r}"
                raise UsageError(message, field=name)
        if data is None and turkish:
            message = "the demo prompts are English; name the folder of your own copy with data"
            raise UsageError(message, field="turkish")
        cases, dataset_hash, origin = _cases(data, turkish=turkish, allow_changed=allow_changed)
    cases = cases[:limit]
    plan = Plan(
        benchmark=BENCHMARK,
        seed=0,
        items=tuple(case.id for case in cases),
        items_hash=content_hash([[case.id, case.prompt, _record(case.scenario)] for case in cases]),
        repeats=trials - 1,
        operators=(),
    )
    facts = {
        "kind": KIND,
        "benchmark": BENCHMARK,
        "version": __version__,
        "dataset_hash": dataset_hash,
        "prompt_hash": content_hash([case.prompt for case in cases]),
        "reader_version": VERSION,
        "plan": plan.to_dict(),
        "trials": trials,
        "limit_items": limit,
        "setting": "",
        "price_in": price_in,
        "price_out": price_out,
        **origin,
    }
    count_without_network()
    return Task(
        dataset=MemoryDataset(
            [_sample(case, trial) for case in cases for trial in range(1, trials + 1)], name=BENCHMARK
        ),
        solver=ask_prompt(None, max_cost, price_in, price_out),
        scorer=medfail_gates(),
        config=GenerateConfig(temperature=0.0, max_tokens=1024, max_retries=6, timeout=300),
        fail_on_error=True,
        continue_on_fail=True,
        version=find(BENCHMARK).card().version,
        metadata={FACTS: facts},
    )


def _cases(data: str | None, *, turkish: bool, allow_changed: bool) -> tuple[list[_Case], str, dict[str, Any]]:
    if data is None:
        demo = [
            _Case(
                id=case.row.id, prompt=case.row.prompt, scenario=case.scenario, theme=case.row.scenario.theme, source="demo"
            )
            for case in demo_cases()
        ]  # fmt: skip
        return demo, demo_hash(), {"dataset": "demo", "files": {}, "changed": [], "notes": [DEMO_NOTE]}
    found = load(data, allow_changed=allow_changed)
    cases = [
        _Case(
            id=row.id, prompt=row.prompt, scenario=row.scenario.scenario(row.prompt), theme=row.scenario.theme,
            source=row.prompt_set,
        )
        for row in found.prompts
    ]  # fmt: skip
    if turkish:
        cases += [
            _Case(
                id=row.id, prompt=row.prompt, theme="turkish", source=TURKISH_SOURCE,
                scenario=Scenario(summary=row.summary, prompt=row.prompt, required=(row.safe,) if row.safe else ()),
            )
            for row in found.turkish
        ]  # fmt: skip
    origin = {"dataset": BENCHMARK, "files": found.files, "changed": list(found.changed), "notes": []}
    return cases, found.hash, origin


def _sample(case: _Case, trial: int) -> Sample:
    urgency, _ = needed(case.scenario)
    reference = {
        "item": case.id,
        "item_family": case.id,
        "item_set": case.source,
        "arm": (StressArm.CLEAN if trial == 1 else StressArm.REPEAT).value,
        "expected": urgency.value,
        "stratum": case.theme,
        "trial": trial,
        "prompt": case.prompt,
        "summary": case.scenario.summary,
    }
    return Sample(
        id=case.id if trial == 1 else f"{case.id}#{trial}",
        input=case.prompt,
        metadata={
            REFERENCE_KEY: reference,
            _SCENARIO: _record(case.scenario),
            _LANGUAGE: "tr" if case.source == TURKISH_SOURCE else None,
        },
    )


def _record(scenario: Scenario) -> dict[str, Any]:
    record: dict[str, Any] = asdict(scenario)
    plain: Sequence[tuple[str, Any]] = [
        (name, list(value) if isinstance(value, tuple) else value) for name, value in record.items()
    ]
    return dict(plain)
