from __future__ import annotations

import numpy as np
import pytest

from equipoise.statistics import (
    Calibration,
    detectable_difference,
    paired_rate_difference,
    plan_comparison,
    plan_labels,
    rogan_gladen,
)

JUDGE = {"rate": 0.3, "sensitivity": 0.8, "specificity": 0.95}


def test_miller_worked_example():
    # Miller 2024, section 5: omega^2 = 1/9, no sampling noise, 3 points at 80 %: 969 items
    assert plan_comparison(difference=0.03, item_variance=1 / 9).items == 969


def test_trials_and_clusters():
    once = plan_comparison(difference=0.05, item_variance=0.05, trial_variance=0.1)
    often = plan_comparison(difference=0.05, item_variance=0.05, trial_variance=0.1, trials=5)
    assert often.items < once.items
    assert often.replies == often.items * 5
    grouped = plan_comparison(
        difference=0.05, item_variance=0.05, trial_variance=0.1, cluster_size=5, intraclass_correlation=0.25
    )
    assert grouped.design_effect == 2.0
    assert grouped.items == pytest.approx(2 * once.items, abs=2)
    assert grouped.clusters == -(-grouped.items // 5)


def test_detectable_difference_turns_the_plan_round():
    plan = plan_comparison(difference=0.04, item_variance=0.2)
    assert detectable_difference(items=plan.items, item_variance=0.2) == pytest.approx(0.04, rel=1e-3)


def test_planned_power_is_reached():
    # 12 % against 6 % discordant: item variance 0.18 - 0.06^2
    plan = plan_comparison(difference=0.06, item_variance=0.18 - 0.06**2)
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(300):
        kind = rng.choice([1.0, -1.0, 0.0], p=[0.12, 0.06, 0.82], size=plan.items)
        result = paired_rate_difference(kind, np.zeros_like(kind), rng=rng, resamples=400)
        found += not result.low <= 0 <= result.high
    assert found / 300 == pytest.approx(0.8, abs=0.06)


def test_planned_labels_give_the_wanted_half_width():
    plan = plan_labels(**JUDGE, replies=2000, half_width=0.06)
    positives = round(plan.labels * 0.3)
    negatives = plan.labels - positives
    calibration = Calibration(
        true_positives=round(0.8 * positives),
        false_negatives=positives - round(0.8 * positives),
        false_positives=negatives - round(0.95 * negatives),
        true_negatives=round(0.95 * negatives),
    )
    judged = round(2000 * (0.3 * 0.8 + 0.7 * 0.05))
    assert rogan_gladen(judged, 2000, calibration).half_width == pytest.approx(0.06, rel=0.1)


def test_routes():
    human = plan_labels(**JUDGE, replies=2000, half_width=0.05, route="human only")
    ppi = plan_labels(**JUDGE, replies=2000, half_width=0.05, route="ppi")
    assert human.labels == 323  # 0.3 x 0.7 x 1.96^2 / 0.05^2 = 322.7
    assert ppi.labels < human.labels


def test_what_cannot_be_reached_says_why():
    few = plan_labels(**JUDGE, replies=100, half_width=0.03)
    assert few.labels is None
    assert few.replies_needed > 100
    assert plan_labels(**JUDGE, replies=few.replies_needed, half_width=0.03).labels is not None
    chance = plan_labels(rate=0.3, sensitivity=0.4, specificity=0.6, replies=100, half_width=0.1)
    assert chance.labels is None
    assert "chance" in chance.reason


def test_a_rare_class_decides():
    plan = plan_labels(rate=0.02, sensitivity=0.9, specificity=0.99, replies=100_000, half_width=0.02)
    assert plan.labels == 750  # 15 / 0.02
    assert "rarer class" in plan.reason
    assert plan_labels(**JUDGE, replies=10_000, half_width=0.3, route="ppi").labels == 30


@pytest.mark.parametrize(
    "call",
    [
        lambda: plan_labels(**JUDGE | {"rate": 0.0}, replies=10, half_width=0.1),
        lambda: plan_labels(**JUDGE, replies=10, half_width=0.1, route="guess"),
        lambda: plan_comparison(difference=0.0, item_variance=0.1),
        lambda: plan_comparison(difference=0.1, item_variance=0.1, trials=0),
        lambda: detectable_difference(items=0, item_variance=0.1),
    ],
)
def test_refusals(call):
    with pytest.raises(ValueError, match="expected|must be|out of its range"):
        call()
