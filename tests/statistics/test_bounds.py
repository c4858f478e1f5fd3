from __future__ import annotations

import pytest

from equipoise.statistics import label_validity_bounds, missing_reply_bounds, wilson


# worked from the formula; the first three are for 114 of 180 labels that held on checking
@pytest.mark.parametrize(
    ("rate", "share", "low", "high"),
    [(0.2, 0.633, 0.0, 0.32), (0.5, 0.633, 0.21, 0.79), (0.8, 0.633, 0.68, 1.0), (0.8, 0.375, 0.47, 1.0)],
)
def test_label_validity(rate, share, low, high):
    result = label_validity_bounds(round(rate * 1000), 1000, share)
    assert result.low == pytest.approx(low, abs=0.005)
    assert result.high == pytest.approx(high, abs=0.005)
    assert result.low_with_sampling <= result.low <= result.high <= result.high_with_sampling


def test_valid_labels_leave_the_rate():
    result = label_validity_bounds(3, 10, 1.0)
    assert result.low == result.high == 0.3
    assert (result.low_with_sampling, result.high_with_sampling) == (wilson(3, 10).low, wilson(3, 10).high)


def test_missing_replies():
    result = missing_reply_bounds(10, 80, 20)
    assert result.rate.estimate == 0.125
    assert result.rate.n_left_out == 20
    assert (result.low, result.high) == (0.1, 0.3)
    assert result.low_with_sampling == wilson(10, 100).low
    assert result.high_with_sampling == wilson(30, 100).high


def test_nothing_read():
    result = missing_reply_bounds(0, 0, 5)
    assert result.rate.estimate is None
    assert (result.low, result.high) == (0.0, 1.0)
    assert missing_reply_bounds(0, 0, 0).low is None
    assert label_validity_bounds(0, 0, 0.5).low is None


@pytest.mark.parametrize("share", [0.0, 1.1, -0.5])
def test_share_out_of_range(share):
    with pytest.raises(ValueError, match="valid_share"):
        label_validity_bounds(1, 2, share)


def test_label_validity_takes_an_interval_that_knows_of_clusters():
    wide = wilson(5, 10)
    result = label_validity_bounds(50, 100, 0.8, rate=wide)
    assert result.rate is wide
    assert (result.low, result.high) == pytest.approx((0.375, 0.625))
    assert result.low_with_sampling == pytest.approx((wide.low - 0.2) / 0.8)
    assert result.high_with_sampling == pytest.approx(wide.high / 0.8)
