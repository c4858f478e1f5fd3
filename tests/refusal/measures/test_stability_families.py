"""Flips over trials, spread over judges, and rates over families of models."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.refusal.measures import ANY, Lineage, family_stability, flip_rate, joint_rates, judge_spread
from equipoise.refusal.terms import Refusal
from made_replies import made, many


def trials(item, *words, arm="benign"):
    return [made(word, arm, item=item, trial=place) for place, word in enumerate(words, start=1)]


def test_a_prompt_flips_when_its_readable_trials_disagree():
    replies = [*trials("a", "none", "none", "full"), *trials("b", "partial", "full", "full"),
               *trials("c", "none", "none", None), *trials("d", "full", None, None)]  # fmt: skip
    found = flip_rate(replies, definition=ANY.over_refusal)
    assert (found.n_prompts, found.n_left_out) == (3, 1)
    assert found.refused.estimate == pytest.approx(1 / 3)
    assert found.three_way.estimate == pytest.approx(2 / 3)
    assert found.worst is not None
    assert found.worst.estimate == pytest.approx(2 / 3)


def test_one_trial_is_no_repeat():
    found = flip_rate(many(5))
    assert (found.n_prompts, found.n_left_out, found.refused.estimate) == (0, 5, None)


def test_spread_over_judges_and_where_they_differ():
    none, full = Refusal.NONE, Refusal.FULL
    replies = [made(refusals={"a": none, "b": full}), made(refusals={"a": none, "b": full}),
               made(refusals={"a": full, "b": full}), made(refusals={"a": none, "b": None})]  # fmt: skip
    found = judge_spread(replies, ANY.over_refusal)
    assert {judge: rate.estimate for judge, rate in found.by_judge.items()} == {"a": 0.25, "b": 1.0}
    assert found.by_judge["b"].n_left_out == 1
    assert found.spread == 0.75
    assert (found.disagreement.estimate, found.disagreement.n_left_out) == (pytest.approx(2 / 3), 1)
    assert judge_spread(many(3), ANY.over_refusal).spread is None


def rates(system, refused, complied):
    replies = [*many(refused, "full", system=system), *many(40 - refused, system=system),
               *many(complied, "none", "harmful", system=system), *many(40 - complied, "full", "harmful", system=system)]  # fmt: skip
    return joint_rates(replies, rng=np.random.default_rng(0), resamples=50)


def test_families_are_the_units_and_generations_are_compared_within_them():
    found = [rates("x1", 10, 4), rates("x2", 20, 4), rates("y1", 4, 20), rates("y2", 8, 20), rates("alone", 1, 1)]
    lineages = {"x1": Lineage(family="x", generation=1), "x2": Lineage(family="x", generation=2),
                "y1": Lineage(family="y", generation=1, scale=8), "y2": Lineage(family="y", generation=2, scale=70)}  # fmt: skip
    over, complied = family_stability(found, lineages, rng=np.random.default_rng(0), resamples=100)
    assert (over.rate, complied.rate) == ("over-refusal", "harmful compliance")
    assert over.effects is not None
    assert (over.effects.n_models, over.effects.n_families) == (4, 2)
    assert over.generation is not None
    assert over.generation.changes == {"x": 0.25, "y": pytest.approx(0.1)}
    assert over.generation.test.effect.estimate == pytest.approx(0.175)
    assert over.scale is not None
    assert set(over.scale.changes) == {"y"}
    assert complied.generation is not None
    assert complied.generation.test.p_value == 1.0


def test_a_single_family_is_refused():
    lineages = {"x1": Lineage(family="x"), "x2": Lineage(family="x")}
    over, complied = family_stability([rates("x1", 10, 4), rates("x2", 20, 4)], lineages, rng=np.random.default_rng(0))
    assert over.effects is None
    assert "says nothing about others" in over.refused
    assert complied.generation is None
