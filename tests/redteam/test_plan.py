"""The plan of a stress test: whole after being written, and refused when it was changed."""

from __future__ import annotations

import json

import pytest

from equipoise.errors import InputError
from equipoise.redteam.plan import Plan, PlannedOperator

PLAN = Plan(
    benchmark="das_robustness",
    seed=7,
    items=("q1", "q2", "q3"),
    items_hash="abc",
    repeats=2,
    operators=(
        PlannedOperator(
            operator="negate@1",
            family="robustness",
            items=("q1", "q2", "q3"),
            mutants=("q1", "q3"),
            not_applicable={"no_key": 1},
            rejected=0,
        ),
    ),
)


def kept():
    return json.loads(json.dumps(PLAN.to_dict()))


def test_what_a_run_keeps_is_the_plan_again():
    assert Plan.from_dict(kept()) == PLAN


def test_a_plan_changed_after_the_run_is_refused():
    value = kept()
    value["operators"][0]["mutants"] = ["q1"]
    with pytest.raises(InputError, match="changed after the run"):
        Plan.from_dict(value)


def test_an_operator_that_reaches_an_item_outside_the_plan_is_refused():
    value = kept()
    value["operators"][0]["mutants"] = ["q9"]
    with pytest.raises(InputError, match="negate@1 reaches items"):
        Plan.from_dict(value)


@pytest.mark.parametrize("name", ["benchmark", "seed", "items", "operators", "repeats", "items_hash"])
def test_a_missing_element_is_named(name):
    value = kept()
    del value[name]
    with pytest.raises(InputError, match=name):
        Plan.from_dict(value)
