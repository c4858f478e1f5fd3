"""MedFailBench for any model that Inspect can reach.

inspect eval equipoise/medfail --model openai/MODEL -T data=FOLDER
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState, generate

from equipoise.benchmarks.catalogue import find
from equipoise.benchmarks.medfail.loader import BENCHMARK, load
from equipoise.redteam.gates import Scenario, score
from equipoise.redteam.gates.score import VERSION

_SCENARIO = "scenario"


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
        finish = state.output.stop_reason if state.output.choices else "stop"
        result = score(scenario, state.output.completion, finish=finish)
        facts: dict[str, Any] = {
            "state": result.state.value,
            "out_of_scope": result.out_of_scope,
            "gates": {item.gate.value: item.status.value for item in result.gates},
            "severities": {gate.value: severity for gate, severity in result.severities.items()},
            "undecided": [gate.value for gate in result.undecided],
            "decision": result.decision.value if result.decision else None,
            "advised": result.advised.value if result.advised else None,
        }
        if result.critical is None:
            reason = (
                "scorer_undecided"
                if result.undecided
                else "out_of_scope"
                if result.out_of_scope
                else result.state.value
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


@task
def medfail(data: str, turkish: bool = False, allow_changed: bool = False, trials: int = 1) -> Task:
    """The published prompts, each reply read by the gate scorer.

    Args:
        data: folder of the user's own copy.
        turkish: ask the Turkish set as well; Turkish replies are out of the scorer's scope and counted apart.
        allow_changed: take files of another revision.
        trials: replies to each prompt.
    """
    found = load(data, allow_changed=allow_changed)
    samples = [
        Sample(id=row.id, input=row.prompt, metadata={_SCENARIO: _record(row.scenario.scenario(row.prompt))})
        for row in found.prompts
    ]
    if turkish:
        samples += [
            Sample(id=row.id, input=row.prompt, metadata={_SCENARIO: {"summary": row.summary, "required": [row.safe]}})
            for row in found.turkish
        ]
    return Task(
        dataset=MemoryDataset(samples, name=BENCHMARK),
        solver=generate(),
        scorer=medfail_gates(),
        config=GenerateConfig(temperature=0.0, max_tokens=1024),
        epochs=trials,
        fail_on_error=True,
        continue_on_fail=True,
        version=find(BENCHMARK).card().version,
        metadata={
            "dataset_hash": found.hash,
            "files": found.files,
            "changed": list(found.changed),
            "scorer_version": VERSION,
        },
    )


def _record(scenario: Scenario) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(scenario).items()}
