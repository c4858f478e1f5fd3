"""A worst case over k rounds and its control: alike for a system that is only noisy, apart for one that an attack fools."""

from __future__ import annotations

import random

import pytest

from choice_mocks import invented
from equipoise.benchmarks.choice_stress.plan import chosen_operators, prepare
from equipoise.outcomes.run import Run, RunInfo
from equipoise.outcomes.schema import judgements_table, outcomes_table
from equipoise.redteam.measures import robustness

ROUNDS = 5
PLAN = prepare(
    "das_robustness", invented(250), operators=chosen_operators("bait", ()), seed=1, repeats=ROUNDS, trials=1
).plan  # fmt: skip


def run(wrong):
    """A run of the adaptive loop; `wrong(arm, item, number)` says whether a reply is wrong."""
    rows = []

    def add(item, arm, number, **columns):
        bad = wrong(arm, item, number)
        rows.append(
            {
                "reply_id": f"{item}/{arm}/{number}", "run": "r", "system": "m", "benchmark": "das_robustness", "item": item,
                "item_family": item, "arm": arm, "state": "ok", "expected": "A", "label": "B" if bad else "A",
                "abstained": False, **columns,
            }
        )  # fmt: skip
        return bad

    for item in PLAN.items:
        first_wrong = add(item, "clean", 1, trial=1)
        for trial in range(2, ROUNDS + 2):
            add(item, "repeat", trial, trial=trial)
        for number in () if first_wrong else range(1, ROUNDS + 1):
            if add(item, "adaptive", number, round=number, operator="x@1", operator_parameters='{"relation":"same"}'):
                break
    info = RunInfo(
        run_id="r", created_at="2026-11-30T12:00:00+00:00", benchmark="das_robustness", systems=("m",),
        arguments={"logs": [{"model": "m", "plan": PLAN.to_dict(), "rounds": ROUNDS}]},
    )  # fmt: skip
    return Run(info=info, outcomes=outcomes_table(rows), judgements=judgements_table([]))


def at_random(seed, share=0.2):
    return lambda arm, item, number: random.Random(f"{seed} {arm} {item} {number}").random() < share


def test_a_noisy_system_is_fooled_as_often_as_it_fails_its_repeats():
    found = [robustness(run(at_random(seed))).adaptive for seed in range(6)]
    # 1 - 0.8^5 = 0.672: a figure that looks like a broken model and is noise alone
    assert sum(item.fooled.estimate.estimate for item in found) / 6 == pytest.approx(0.672, abs=0.04)
    assert sum(item.control.estimate.estimate for item in found) / 6 == pytest.approx(0.672, abs=0.04)
    assert sum(item.excess.covers(0.0) for item in found) >= 5


def test_a_system_that_only_attacks_fool_stands_out():
    found = robustness(run(lambda arm, item, number: arm == "adaptive" and number == 2)).adaptive
    assert (found.fooled.estimate.estimate, found.control.events, found.excess.estimate) == (1.0, 0, 1.0)
    assert found.by_round == (0, 250, 0, 0, 0)
    assert found.by_chain == {"x@1": (500, 250)}
