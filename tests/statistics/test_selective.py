from __future__ import annotations

import numpy as np
import pytest

from equipoise.errors import InputError
from equipoise.statistics import NoConfidenceError, risk_coverage


def curve(confidence, correct, **more):
    return risk_coverage(confidence, correct, **{"rng": np.random.default_rng(0), "resamples": 50} | more)


def test_augrc_equals_its_closed_form(reference):
    made = reference["selective"]
    result = curve(made["confidence"], made["correct"])
    assert result.augrc.estimate == pytest.approx(made["augrc"], abs=1e-12)


def test_areas_by_hand():
    # errors down the list: right, wrong, right, wrong -> risks 0, 1/2, 1/3, 2/4
    result = curve([0.9, 0.8, 0.7, 0.6], [1, 0, 1, 0])
    assert result.risks == pytest.approx((0, 1 / 2, 1 / 3, 1 / 2))
    assert result.coverages == (0.25, 0.5, 0.75, 1.0)
    assert result.aurc.estimate == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    # trapezoids under 0, 0, 1/4, 1/4, 2/4
    assert result.augrc.estimate == pytest.approx((0 + 1 / 8 + 1 / 4 + 3 / 8) / 4)


def test_best_and_worst_order():
    correct = [1] * 70 + [0] * 30
    best = curve(np.arange(100)[::-1], correct)
    worst = curve(np.arange(100), correct)
    assert best.augrc.estimate == pytest.approx(0.3**2 / 2)
    assert worst.augrc.estimate == pytest.approx(0.3 - 0.3**2 / 2)
    assert best.aurc.estimate < worst.aurc.estimate


def test_ties_count_as_the_mean_over_their_orders():
    tied = curve([0.9, 0.5, 0.5], [1, 1, 0])
    orders = [curve([0.9, 0.6, 0.5], [1, 1, 0]), curve([0.9, 0.5, 0.6], [1, 1, 0])]
    assert tied.aurc.estimate == pytest.approx(np.mean([item.aurc.estimate for item in orders]))
    assert len(tied.risks) == 2


def test_refused_without_a_confidence():
    with pytest.raises(NoConfidenceError, match="1 of 3 replies"):
        curve([0.5, np.nan, 0.7], [1, 0, 1])
    with pytest.raises(InputError, match="one point is no curve"):
        curve([0.5, 0.5], [1, 0])
    with pytest.raises(ValueError, match="0 or 1"):
        curve([0.5, 0.6], [1, 2])


def test_no_reply_is_undefined():
    assert curve([], []).aurc.estimate is None
