from __future__ import annotations

import numpy as np
import pytest

from equipoise.statistics import Finding, equivalence, non_inferiority


def rng():
    return np.random.default_rng(0)


def pair(n, first_only, second_only):
    base = np.ones(n)
    first, second = base.copy(), base.copy()
    second[:first_only] = 0
    first[first_only : first_only + second_only] = 0
    return first, second


def test_equivalence_needs_the_whole_interval_inside():
    shown = equivalence(*pair(400, 4, 4), margin=0.05, rng=rng(), resamples=2000)
    assert shown.finding is Finding.SHOWN
    assert "90%" in shown.difference.method
    assert equivalence(*pair(40, 4, 4), margin=0.05, rng=rng(), resamples=2000).finding is Finding.NOT_SHOWN
    assert equivalence(*pair(400, 100, 0), margin=0.05, rng=rng(), resamples=2000).finding is Finding.REFUTED
    assert equivalence(*pair(400, 0, 100), margin=0.05, rng=rng(), resamples=2000).finding is Finding.REFUTED


def test_no_difference_seen_in_few_items_is_not_equivalence():
    assert equivalence(*pair(20, 0, 0), margin=0.05, rng=rng()).finding is Finding.NOT_SHOWN
    assert equivalence(*pair(400, 0, 0), margin=0.05, rng=rng()).finding is Finding.SHOWN


def test_non_inferiority_has_a_direction():
    worse = pair(400, 0, 40)
    assert non_inferiority(*worse, margin=0.05, rng=rng(), resamples=2000).finding is Finding.REFUTED
    assert (
        non_inferiority(*worse, margin=0.05, rng=rng(), higher_is_better=False, resamples=2000).finding is Finding.SHOWN
    )
    assert non_inferiority(*pair(400, 40, 0), margin=0.05, rng=rng(), resamples=2000).finding is Finding.SHOWN
    assert non_inferiority(*pair(30, 1, 2), margin=0.01, rng=rng(), resamples=2000).finding is Finding.NOT_SHOWN


def test_nothing_to_compare():
    assert equivalence([], [], margin=0.05, rng=rng()).finding is Finding.NOT_SHOWN


@pytest.mark.parametrize("question", [equivalence, non_inferiority])
@pytest.mark.parametrize(("margin", "alpha"), [(0.0, 0.05), (-0.1, 0.05), (0.1, 0.6)])
def test_refusals(question, margin, alpha):
    with pytest.raises(ValueError, match="margin above 0"):
        question([1, 0], [1, 0], margin=margin, alpha=alpha, rng=rng())
