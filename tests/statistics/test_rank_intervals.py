"""Places of a ranking from means alone: worked by hand, by simulation, and at the ends."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equipoise.statistics.rank_intervals import design_effect, possible_spread, rank_intervals


def test_a_case_worked_by_hand():
    # sd 1, correlation 0.5, n 100: standard error 0.1. Holm over three pairs: z of 4, 3 and 1, p of 0.00006, 0.0027, 0.317.
    found = rank_intervals(["a", "b", "c"], [3.0, 2.9, 2.6], sd=1, correlation=0.5, n=100)
    assert found.standard_error == pytest.approx(0.1)
    assert set(found.separated) == {("a", "c"), ("b", "c")}
    assert [(row.name, row.rank, row.low, row.high) for row in found.rows] == [
        ("a", 1, 1, 2),
        ("b", 2, 1, 2),
        ("c", 3, 3, 3),
    ]


def test_holm_counts_all_pairs():
    # One pair: z of 2.2 has p = 0.028 and is separable. Among three pairs the same difference is not.
    assert rank_intervals(["a", "b"], [0.22, 0.0], sd=1, correlation=0.5, n=100).separated == (("a", "b"),)
    assert rank_intervals(["a", "b", "c"], [0.22, 0.0, 0.1], sd=1, correlation=0.5, n=100).separated == ()


def test_more_correlation_separates_more_and_clustering_less():
    means = [2.6, 2.5, 2.3, 2.2]
    names = list("abcd")
    counts = [len(rank_intervals(names, means, sd=0.9, correlation=rho, n=184).separated) for rho in (0, 0.5, 0.9)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    plain = rank_intervals(names, means, sd=0.9, correlation=0.5, n=184)
    clustered = rank_intervals(names, means, sd=0.9, correlation=0.5, n=184, effect=2.0)
    assert clustered.standard_error == pytest.approx(plain.standard_error * math.sqrt(2))
    assert set(clustered.separated) < set(plain.separated)


def test_the_order_of_the_systems_does_not_matter():
    first = rank_intervals(["a", "b", "c"], [1, 3, 2], sd=1, correlation=0, n=50)
    second = rank_intervals(["c", "a", "b"], [2, 1, 3], sd=1, correlation=0, n=50)
    assert first.rows == second.rows
    assert set(first.separated) == set(second.separated)


def test_ties_share_a_place_and_are_never_separated():
    found = rank_intervals(["a", "b"], [2.0, 2.0], sd=0.01, correlation=0.9, n=10_000)
    assert [(row.rank, row.low, row.high) for row in found.rows] == [(1, 1, 2), (1, 1, 2)]


def test_all_true_places_are_covered_together_in_at_least_95_of_100_runs():
    rng = np.random.default_rng(7)
    truth = np.array([2.6, 2.58, 2.4, 2.4 - 1e-9, 2.1])
    order = 1 + (truth[:, None] < truth[None, :]).sum(axis=1)
    n, sd, rho, runs = 184, 0.9, 0.5, 1000
    shared = rng.normal(size=(runs, n, 1))
    own = rng.normal(size=(runs, n, 5))
    means = (truth + sd * (math.sqrt(rho) * shared + math.sqrt(1 - rho) * own)).mean(axis=1)
    covered = 0
    for row in means:
        found = {
            item.name: item for item in rank_intervals(list("abcde"), row.tolist(), sd=sd, correlation=rho, n=n).rows
        }
        covered += all(found[name].low <= place <= found[name].high for name, place in zip("abcde", order, strict=True))
    assert covered >= 950


def test_spread_that_whole_scores_can_have():
    low, high = possible_spread(2.5, low=1, high=5)
    assert low == 0.5
    assert high == pytest.approx(np.std([1] * 5 + [5] * 3))
    assert possible_spread(3.0, low=1, high=5)[0] == 0
    with pytest.raises(ValueError, match="from 1 to 5"):
        possible_spread(0.5, low=1, high=5)


def test_design_effect():
    assert design_effect(1, 0.5) == 1
    assert design_effect(3, 0.1) == pytest.approx(1.2)
    with pytest.raises(ValueError, match="at least 1"):
        design_effect(0.5, 0.1)


@pytest.mark.parametrize(
    "wrong",
    [{"sd": 0}, {"correlation": 1}, {"correlation": -0.1}, {"n": 1}, {"effect": 0.9}, {"level": 1}, {"sd": math.nan}],
)
def test_numbers_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match="expected|level"):
        rank_intervals(["a", "b"], [1, 2], **({"sd": 1, "correlation": 0, "n": 10} | wrong))


def test_names_must_fit():
    for names, means in ((["a"], [1, 2]), (["a", "a"], [1, 2]), ([], [])):
        with pytest.raises(ValueError, match="each once"):
            rank_intervals(names, means, sd=1, correlation=0, n=10)
