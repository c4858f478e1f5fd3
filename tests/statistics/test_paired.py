from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from equipoise.statistics import cochran_q, mcnemar, paired_rate_difference, permutation_did, wilcoxon_pairs

METHODS = ("exact", "mid-p", "chi-square", "chi-square corrected")


def rng(seed=0):
    return np.random.default_rng(seed)


def test_mcnemar_against_statsmodels(reference):
    for row in reference["paired"]["mcnemar"]:
        for method in METHODS:
            result = mcnemar(row["b"], row["c"], method=method)
            if method == "chi-square corrected" and row["b"] == row["c"]:
                # as in R's mcnemar.test: nothing to correct when b = c; statsmodels takes (0 - 1)^2
                assert result.p_value == 1.0
                continue
            assert result.p_value == pytest.approx(row[method], rel=1e-8, abs=1e-300)


@pytest.mark.parametrize("method", METHODS)
def test_without_discordant_items_p_is_one(method):
    result = mcnemar(0, 0, method=method)
    assert result.p_value == 1.0
    assert "nothing speaks" in result.warnings[0]


def test_mid_p_by_hand():
    # b 6, c 1 of n 7: exact 2 (1 + 7) / 128 = 0.125; mid-p 0.125 - 7 / 128
    assert mcnemar(6, 1).p_value == pytest.approx(0.125)
    assert mcnemar(6, 1, method="mid-p").p_value == pytest.approx(0.125 - 7 / 128)
    assert mcnemar(4, 0).smallest_p == 0.125


def test_mcnemar_refuses():
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 2)
    with pytest.raises(ValueError, match="method must be"):
        mcnemar(1, 2, method="exactly")


def test_cochran_q_against_statsmodels(reference):
    made = reference["paired"]["cochran"]
    result = cochran_q(made["successes"])
    assert result.statistic == pytest.approx(made["q"])
    assert result.p_value == pytest.approx(made["p"])


def test_cochran_q_of_two_systems_is_mcnemar():
    table = [[1, 0]] * 12 + [[0, 1]] * 3 + [[1, 1]] * 20 + [[0, 0]] * 5
    assert cochran_q(table).p_value == pytest.approx(mcnemar(12, 3, method="chi-square").p_value)


def test_cochran_q_when_all_agree():
    result = cochran_q([[1, 1, 1], [0, 0, 0]])
    assert result.p_value == 1.0
    assert result.warnings


def test_wilcoxon_against_scipy(reference):
    for row in reference["paired"]["wilcoxon"]:
        for side in ("two-sided", "greater", "less"):
            result = wilcoxon_pairs(row["values"], rng=rng(), alternative=side, resamples=50)
            assert result.p_value == pytest.approx(row[side], rel=1e-9)


def test_wilcoxon_with_ties_lists_all_signs():
    values = np.array([1.0, 1.0, -1.0, 2.0, 2.0, -3.0, 0.0])
    kept = np.abs(values[values != 0])
    ranks = np.array([2.0, 2.0, 2.0, 4.5, 4.5, 6.0])
    positive = 2 + 2 + 4.5 + 4.5
    sums = [sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign) for signs in product((0, 1), repeat=6)]
    greater = np.mean(np.array(sums) >= positive)
    result = wilcoxon_pairs(values, rng=rng(), alternative="greater", resamples=50)
    assert len(kept) == result.n_used == 6
    assert result.n_left_out == 1
    assert result.statistic == positive
    assert result.p_value == pytest.approx(greater)
    assert result.smallest_p == pytest.approx(1 / 64)


def test_wilcoxon_without_differences():
    result = wilcoxon_pairs([0.0, 0.0], rng=rng())
    assert result.p_value == 1.0
    assert result.warnings


def test_paired_difference_uses_the_pairs():
    first = rng(1).binomial(1, 0.5, 300)
    second = first.copy()
    second[:15] = 1 - second[:15]
    result = paired_rate_difference(first, second, rng=rng(2))
    alone = 2 * 1.96 * np.sqrt(0.25 / 300)
    assert result.half_width < alone / 2
    assert result.estimate == pytest.approx(float((first - second).mean()))


@pytest.mark.parametrize("clusters", [None, [1, 1, 2, 2, 3, 3]])
def test_no_item_differs_is_not_certainty(clusters):
    result = paired_rate_difference([1, 0, 1, 0, 1, 1], [1, 0, 1, 0, 1, 1], rng=rng(), clusters=clusters)
    assert result.low == -result.high < -0.3
    assert "no item differs" in result.warnings[0]


def test_permutation_of_signs_lists_all():
    first, second = np.array([3.0, 2.0, 2.5]), np.array([0.0, 0.5, 0.0])
    result = permutation_did(first, second, paired=True, rng=rng())
    assert result.statistic == pytest.approx(float((first - second).mean()))
    assert result.p_value == result.smallest_p == 2 / 8
    assert "smallest p" in result.warnings[0]


def test_permutation_of_groups_lists_all():
    # 7 choose 3 arrangements; {1, 2, 3} against the rest gives 2 - 6 = -4.0, smaller in size than 20 / 3 - 2.5
    result = permutation_did([5.0, 6.0, 9.0], [1.0, 2.0, 3.0, 4.0], paired=False, rng=rng())
    assert result.p_value == pytest.approx(1 / 35)
    assert result.smallest_p == pytest.approx(1 / 35)


def test_permutation_by_draws_agrees_with_listing():
    gaps = rng(8).normal(0.5, 1, 14)
    listed = permutation_did(gaps, np.zeros(14), paired=True, rng=rng())
    many = permutation_did(np.r_[gaps, 0], np.zeros(15), paired=True, rng=rng(), permutations=20_000)
    assert many.p_value == pytest.approx(listed.p_value, abs=0.01)
    assert many.smallest_p == pytest.approx(1 / 20_001)


@pytest.mark.parametrize(
    "call",
    [
        lambda: permutation_did([], [1.0], paired=False, rng=rng()),
        lambda: permutation_did([1.0, np.nan], [1.0, 2.0], paired=True, rng=rng()),
        lambda: permutation_did([1.0, 2.0], [1.0], paired=True, rng=rng()),
        lambda: paired_rate_difference([1.0], [1.0, 2.0], rng=rng()),
        lambda: wilcoxon_pairs([np.nan], rng=rng()),
        lambda: wilcoxon_pairs([1.0], rng=rng(), alternative="up"),
        lambda: cochran_q([[1], [0]]),
        lambda: cochran_q([[1, 2]]),
    ],
)
def test_refusals(call):
    with pytest.raises(ValueError, match="expected|must be"):
        call()


def test_a_difference_that_never_varies_still_has_a_width():
    result = paired_rate_difference(np.ones(20), np.zeros(20), rng=rng())
    assert (result.estimate, result.high) == (1.0, 1.0)
    assert result.low == pytest.approx(1 - 3.841459 / 23.841459)
    assert "every item differs by the same" in result.method
    down = paired_rate_difference(np.zeros(20), np.ones(20), rng=rng(), clusters=[place % 4 for place in range(20)])
    assert down.high == pytest.approx(-1 + 3.841459 / 7.841459)
