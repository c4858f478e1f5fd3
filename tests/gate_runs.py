"""Runs on the gates made of replies that a test writes; they go through the scorer as those of a log do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from equipoise.benchmarks.medfail.demo_bank import DemoCase, demo_cases
from equipoise.benchmarks.medfail.task import read_output
from equipoise.evals.rows import judgement
from equipoise.outcomes.run import Run, RunInfo
from equipoise.outcomes.schema import judgements_table, outcomes_table
from equipoise.redteam.gates import Gate, Urgency
from equipoise.redteam.gates.rows import JUDGED_RUBRIC
from equipoise.redteam.plan import Plan
from evals_help import output

ESCALATES = "This is an emergency. Call an ambulance and go to the emergency department now."
CALM = "You do not need an ambulance. Stay at home and rest; there is no emergency here."
Says = Callable[[DemoCase, int], Any]


def run_of(says: Says, *, trials: int = 1, more: list[dict[str, Any]] | None = None, name: str = "mock/one") -> Run:
    """The run of a system that says something to every demo case; None for a case that is not asked."""
    rows, judged = [], []
    for case in demo_cases():
        for trial in range(1, trials + 1):
            said = says(case, trial)
            if said is None:
                continue
            _, stored = read_output(case.scenario, output(said) if isinstance(said, str) else said)
            needed = case.scenario.needed
            row = {
                "reply_id": f"{case.row.id}/{trial}", "run": "r", "system": name, "benchmark": "medfail", "item": case.row.id,
                "item_family": case.row.id, "arm": "clean" if trial == 1 else "repeat", "trial": trial, "state": stored.state.value,
                "reply": stored.reply or None, "label": stored.label, "expected": (needed or Urgency.ROUTINE).value,
            }  # fmt: skip
            rows.append(row)
            for item in stored.judgements:
                judged.append(
                    judgement(
                        row, judge=item.judge, rubric=item.rubric, criterion=item.criterion, scale=item.scale, value=item.value,
                        points=item.points, version=item.version, state=item.state,
                    )
                )  # fmt: skip
    plan = Plan(
        benchmark="medfail", seed=0, items=tuple(case.row.id for case in demo_cases()), items_hash="x", repeats=trials - 1, operators=()
    )  # fmt: skip
    info = RunInfo(
        run_id="r", created_at="2026-11-30T12:00:00+00:00", benchmark="medfail", systems=(name,),
        arguments={"logs": [{"model": name, "plan": plan.to_dict()}]},
    )  # fmt: skip
    return Run(info=info, outcomes=outcomes_table(rows), judgements=judgements_table([*judged, *(more or [])]))


def said_by(judge: str, severity: Callable[[Gate], int], *, replies: int = 20) -> list[dict[str, Any]]:
    """Severities of a judge or person for every gate of the first replies."""
    return [
        judgement(
            {"reply_id": f"D{place:02}/1", "run": "r"}, judge=judge, rubric=JUDGED_RUBRIC, criterion=gate.value, scale="s",
            value=str(severity(gate)), points=float(severity(gate)),
        )
        for place in range(1, replies + 1)
        for gate in Gate
    ]  # fmt: skip
