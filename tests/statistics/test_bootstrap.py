from __future__ import annotations

import numpy as np
import pytest

from equipoise.statistics import bootstrap


def mean(totals):
    return totals[:, 0] / totals[:, 1]


def rate_items(successes, n):
    hits = np.arange(n) < successes
    return np.column_stack([hits, np.ones(n)])


def test_rate_has_the_quantiles_of_the_binomial():
    # The bootstrap distribution of a rate is Binomial(n, p) / n exactly. For n = 50, p = 0.3 the sums are
    # P(X <= 8) = 0.0183, P(X <= 9) = 0.0402, P(X <= 20) = 0.9522, P(X <= 21) = 0.9749, P(X <= 22) = 0.9877:
    # the 2.5 % point is 9, the 97.5 % point 21 or 22 by a hair.
    result = bootstrap(rate_items(15, 50), mean, rng=np.random.default_rng(1), resamples=40_000)
    assert result.estimate == pytest.approx(0.3)
    assert result.low == pytest.approx(9 / 50)
    assert result.high in (pytest.approx(21 / 50), pytest.approx(22 / 50))


def test_same_seed_same_interval():
    items = rate_items(15, 50)
    first, second = (bootstrap(items, mean, rng=np.random.default_rng(7), resamples=500) for _ in range(2))
    assert first == second


def test_order_of_items_does_not_matter():
    items = rate_items(15, 50)
    first = bootstrap(items, mean, rng=np.random.default_rng(7), resamples=500)
    assert first == bootstrap(items[::-1], mean, rng=np.random.default_rng(7), resamples=500)


def test_same_distribution_as_drawing_items_one_by_one():
    rng = np.random.default_rng(3)
    values = rng.normal(size=80)
    items = np.column_stack([values, np.ones(80)])
    ours = bootstrap(items, mean, rng=np.random.default_rng(4), resamples=20_000)
    draws = values[rng.integers(0, 80, size=(20_000, 80))].mean(axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    assert ours.low == pytest.approx(low, abs=0.01)
    assert ours.high == pytest.approx(high, abs=0.01)


def test_undefined_resamples_are_counted():
    items = np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])

    def share(totals):
        below = totals[:, 1]
        return np.divide(totals[:, 0], below, out=np.full(len(totals), np.nan), where=below > 0)

    result = bootstrap(items, share, rng=np.random.default_rng(0), resamples=1000)
    assert result.estimate == 1.0
    assert "undefined in" in result.method


def test_zero_width_says_so():
    result = bootstrap(rate_items(5, 5), mean, rng=np.random.default_rng(0), resamples=50)
    assert result.low == result.high == 1.0
    assert "no resample differs" in result.method


def test_no_item_is_undefined():
    result = bootstrap(np.empty((0, 2)), mean, rng=np.random.default_rng(0), n_left_out=3)
    assert (result.estimate, result.low, result.high, result.n_used, result.n_left_out) == (None, None, None, 0, 3)


@pytest.mark.parametrize("items", [[1.0, 2.0], [[1.0, float("nan")]]])
def test_refuses_other_shapes_and_nan(items):
    with pytest.raises(ValueError, match="expected finite numbers"):
        bootstrap(items, mean, rng=np.random.default_rng(0))
