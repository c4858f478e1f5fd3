from __future__ import annotations

import pytest

from equipoise.statistics import clopper_pearson, jeffreys, wilson, zero_event_bound

# Newcombe RG. Stat Med 1998;17:857-872, table I: score and exact intervals.
NEWCOMBE = [
    (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
    (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
    (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
    (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
]


@pytest.mark.parametrize(("successes", "n", "score", "exact"), NEWCOMBE)
def test_published_intervals(successes, n, score, exact):
    for method, ends in ((wilson, score), (clopper_pearson, exact)):
        result = method(successes, n)
        assert (result.low, result.high) == pytest.approx(ends, abs=5e-5)


def test_against_statsmodels(reference):
    for row in reference["proportions"]["single"]:
        for method in (wilson, clopper_pearson, jeffreys):
            result = method(row["successes"], row["n"])
            low, high = row[method.__name__]
            if method is jeffreys and row["successes"] in (0, row["n"]):
                # Brown, Cai and DasGupta set the end at the edge to 0 or 1; statsmodels leaves the quantile there
                assert 0.0 in (result.low, 1 - result.high)
                continue
            assert (result.low, result.high) == pytest.approx((low, high), abs=1e-7)


@pytest.mark.parametrize("method", [wilson, clopper_pearson, jeffreys])
@pytest.mark.parametrize(("successes", "n"), [(0, 50), (50, 50), (0, 1), (1, 1)])
def test_no_event_is_not_certainty(method, successes, n):
    result = method(successes, n)
    assert result.high - result.low > 0.03
    assert result.low == 0.0 if successes == 0 else result.high == 1.0


# 1 - 0.05 ** (1 / n), worked by hand
@pytest.mark.parametrize(("n", "bound"), [(50, 0.058), (100, 0.030), (250, 0.012), (466, 0.0064), (1000, 0.0030)])
def test_upper_bound_at_no_event(n, bound):
    assert zero_event_bound(n).high == pytest.approx(bound, abs=0.0005)


def test_upper_bound_is_the_one_sided_exact_end():
    assert zero_event_bound(37).high == pytest.approx(clopper_pearson(0, 37, level=0.9).high)


@pytest.mark.parametrize("method", [clopper_pearson, jeffreys])
def test_undefined_and_refused(method):
    assert method(0, 0, n_left_out=2).estimate is None
    with pytest.raises(ValueError, match="expected 0 <= successes"):
        method(3, 2)
    with pytest.raises(ValueError, match="level"):
        method(1, 2, level=95)
