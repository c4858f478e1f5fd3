from __future__ import annotations

import numpy as np
import pytest

from equipoise.statistics import clustered_signal_detection, clustered_youden_j, cost_sweep, signal_detection, youden_j


def test_difference_of_rates_against_statsmodels(reference):
    for row in reference["proportions"]["difference"]:
        result = youden_j(*row["counts"])
        assert (result.low, result.high) == pytest.approx(tuple(row["ends"]), abs=1e-7)


def test_newcombe_published():
    # Newcombe RG. Stat Med 1998;17:873-890, table II, method 10: 56/70 - 48/80 gives 0.0524 to 0.3339
    result = youden_j(56, 70, 48, 80)
    assert result.estimate == pytest.approx(0.2)
    assert (result.low, result.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_youden_keeps_a_width_at_the_edges():
    result = youden_j(20, 20, 0, 20)
    assert result.estimate == 1.0
    assert result.high == 1.0
    assert result.low < 0.8
    assert youden_j(0, 0, 1, 5).estimate is None


def test_clustered_youden():
    refused = np.repeat(np.random.default_rng(1).binomial(1, 0.5, 40), 4)
    harmful = np.tile([0, 0, 1, 1], 40)
    clusters = np.repeat(np.arange(40), 4)
    result = clustered_youden_j(refused, harmful, clusters, rng=np.random.default_rng(2), resamples=500)
    # a cluster refuses both sides or none: J is 0 in every resample
    assert result.estimate == result.low == result.high == 0.0
    with pytest.raises(ValueError, match="single cluster"):
        clustered_youden_j([1, 0], [1, 0], [1, 1], rng=np.random.default_rng(2))
    with pytest.raises(ValueError, match="0 or 1"):
        clustered_youden_j([1, 2], [1, 0], [1, 2], rng=np.random.default_rng(2))


def test_signal_detection_by_hand():
    # H = 20.5 / 26 -> z 0.8012, F = 5.5 / 26 -> z -0.8012 (symmetric): d' 1.6024, c 0
    result = signal_detection(20, 25, 5, 25)
    assert result.d_prime.estimate == pytest.approx(1.6024, abs=2e-3)
    assert result.criterion.estimate == pytest.approx(0.0, abs=1e-9)
    assert result.d_prime.half_width == pytest.approx(2 * result.criterion.half_width)


def test_signal_detection_is_finite_at_the_edges():
    result = signal_detection(25, 25, 0, 25)
    assert np.isfinite([result.d_prime.low, result.d_prime.high, result.criterion.low]).all()
    assert signal_detection(25, 25, 25, 25).criterion.estimate < -1.5
    assert signal_detection(1, 1, 0, 0).d_prime.estimate is None
    with pytest.raises(ValueError, match="counts"):
        signal_detection(2, 1, 0, 1)


def test_costs_by_hand():
    points = cost_sweep({"model": (0.1, 0.2)}, prevalences=[0.1, 0.5], cost_ratios=[1, 10])
    assert len(points) == 4
    first = points[0]
    assert first.costs["model"] == pytest.approx(0.1 * 0.2 + 0.9 * 0.1)
    assert first.costs["always answer"] == pytest.approx(0.1)
    assert first.cheapest == ("always answer",)
    # harm is half of all requests and costs ten times: 1 + 0.05 for the model, 0.5 for refusing everything
    assert points[3].cheapest == ("always refuse",)
    assert points[2].cheapest == ("model",)


@pytest.mark.parametrize(
    ("systems", "prevalences", "ratios"),
    [({"a": (1.2, 0)}, [0.1], [1]), ({"a": (0.1, 0.1)}, [1.1], [1]), ({"a": (0.1, 0.1)}, [0.1], [0])],
)
def test_cost_refusals(systems, prevalences, ratios):
    with pytest.raises(ValueError, match="between 0 and 1"):
        cost_sweep(systems, prevalences=prevalences, cost_ratios=ratios)
    with pytest.raises(ValueError, match="constant"):
        cost_sweep({"always refuse": (0.5, 0.5)}, prevalences=[0.1], cost_ratios=[1])


def test_clusters_of_one_side_keep_a_width_and_widen():
    rng = np.random.default_rng(3)
    refused = np.r_[np.repeat(rng.binomial(1, 0.8, 40), 5), np.zeros(200)]
    harmful = np.repeat([1, 0], 200)
    result = clustered_youden_j(refused, harmful, np.repeat(np.arange(80), 5), rng=rng)
    alone = youden_j(int(refused[:200].sum()), 200, 0, 200)
    assert result.estimate == pytest.approx(alone.estimate)
    assert result.half_width > 1.8 * alone.half_width
    assert "cluster-robust" in result.method


def test_clustered_detection_has_the_estimates_of_the_counts_and_wider_intervals():
    refused = [1] * 45 + [0] * 15 + [1] * 10 + [0] * 50
    harmful = [1] * 60 + [0] * 60
    clusters = [place // 5 for place in range(120)]
    single = signal_detection(45, 60, 10, 60)
    found = clustered_signal_detection(refused, harmful, clusters, rng=np.random.default_rng(0), resamples=500)
    assert found.d_prime.estimate == pytest.approx(single.d_prime.estimate)
    assert found.criterion.estimate == pytest.approx(single.criterion.estimate)
    assert found.d_prime.half_width > 1.3 * single.d_prime.half_width


def test_clustered_detection_without_a_side_is_undefined():
    found = clustered_signal_detection([1, 0, 1], [1, 1, 1], ["a", "b", "c"], rng=np.random.default_rng(0))
    assert (found.d_prime.estimate, found.criterion.estimate) == (None, None)
    with pytest.raises(ValueError, match="0 or 1 for every item"):
        clustered_signal_detection([2, 0], [1, 0], ["a", "b"], rng=np.random.default_rng(0))
