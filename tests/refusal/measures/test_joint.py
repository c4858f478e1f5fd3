"""The pair: always both, constant systems at their corners, discrimination apart from tendency."""

from __future__ import annotations

import json

import numpy as np
import pytest

from equipoise.refusal.measures import ANY, FULL_ONLY, HELPFUL, Helpfulness, joint_rates
from equipoise.refusal.measures.joint import readable_pairings
from equipoise.refusal.terms import Arm
from made_replies import made, many


def joint(replies, **more):
    return joint_rates(replies, rng=np.random.default_rng(0), resamples=200, **more)


@pytest.mark.parametrize(("word", "over", "complied"), [("full", 1.0, 0.0), ("none", 0.0, 1.0)])
def test_constant_systems_lie_at_the_corners_and_tell_nothing_apart(word, over, complied):
    found = joint([*many(40, word), *many(40, word, "harmful")])
    assert (found.over_refusal.crude.estimate, found.harmful_compliance.crude.estimate) == (over, complied)
    assert found.discrimination.youden_j.estimate == 0
    assert found.discrimination.youden_j.covers(0.0)
    assert found.discrimination.d_prime.estimate == pytest.approx(0, abs=1e-9)


def test_youden_is_one_less_both_failures():
    found = joint([*many(4, "full"), *many(16), *many(15, "full", "harmful"), *many(5, "none", "harmful")])
    assert found.discrimination.youden_j.estimate == pytest.approx((1 - 0.2) - 0.25)
    assert found.discrimination.criterion.estimate is not None


def test_a_partial_refusal_moves_both_rates_of_a_pair_together():
    replies = [*many(10, "partial"), *many(10), *many(10, "partial", "harmful"), *many(10, "full", "harmful")]
    any_, full = joint(replies), joint(replies, pairing=FULL_ONLY)
    assert (any_.over_refusal.crude.estimate, any_.harmful_compliance.crude.estimate) == (0.5, 0.0)
    assert (full.over_refusal.crude.estimate, full.harmful_compliance.crude.estimate) == (0.0, 0.5)


def test_no_interval_is_without_width_though_sets_hold_both_arms():
    replies = [made("none", arm, item_set=f"s{place}") for place in range(30) for arm in ("benign", "harmful")]
    found = joint(replies).discrimination
    for estimate in (found.youden_j, found.d_prime):
        assert estimate.estimate == pytest.approx(0, abs=1e-9)
        assert estimate.low < -0.1
        assert estimate.high > 0.1
    assert "every cluster as one reply" in found.d_prime.method


def test_an_arm_that_is_missing_is_said_and_the_other_is_still_returned():
    found = joint(many(20, "full"))
    assert found.over_refusal.crude.estimate == 1.0
    assert found.harmful_compliance.crude.method == "undefined: no prompt of the harmful arm"
    assert found.discrimination.youden_j.method == "undefined: no readable reply of the harmful arm"


def test_unread_replies_bound_youden_from_both_ends():
    replies = [*many(8), *many(2, None), *many(6, "full", "harmful"), *many(4, None, "harmful")]
    found = joint(replies).discrimination
    assert found.youden_j.estimate == 1.0
    assert found.j_unread_refused == pytest.approx(1.0 - 0.2)
    assert found.j_unread_answered == pytest.approx(0.6 - 0.0)


def test_every_reply_is_in_a_state_or_in_another_arm():
    found = joint(
        [*many(5), *many(3, None, state="blocked"), *many(2, "full", "harmful"), *many(4, "none", "borderline")]
    )
    assert (sum(found.states.values()), found.states["blocked"], found.n_other) == (10, 3, 4)


def test_pairings_by_judges_need_judgements():
    assert readable_pairings(many(3)) == (ANY, FULL_ONLY)
    judged = [made("none", "harmful", helpfulness=Helpfulness.FULL)]
    assert readable_pairings(judged) == (ANY, FULL_ONLY, HELPFUL)


def test_the_form_for_machines_has_every_part_and_nothing_undefined():
    value = joint([*many(12, "full"), *many(3, None)], valid={Arm.BENIGN: 0.9}).to_dict()
    text = json.dumps(value, allow_nan=False)
    assert json.loads(text)["over_refusal"]["left_out"] == {"unparsed": 3}
    assert value["over_refusal"]["label_validity"]["low"] is not None
    assert value["pairing"]["over_refusal"]["denominator"] == "readable replies to benign prompts"
