from __future__ import annotations

import numpy as np
import pytest

from equipoise.statistics import (
    bootstrap,
    bootstrap_draws,
    bootstrap_indices,
    bootstrap_many,
    cluster_bootstrap_rate,
    cluster_robust_rate,
    intraclass_correlation,
    wilson,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def mean(totals):
    return totals[:, 0] / totals[:, 1]


def as_items(values):
    return np.column_stack([values, np.ones(len(values))])


def alike(clusters=40, size=5, seed=1):
    """Items whose clusters agree: each item is its cluster's coin."""
    coins = np.random.default_rng(seed).binomial(1, 0.4, clusters)
    return np.repeat(coins, size), np.repeat(np.arange(clusters), size)


@pytest.mark.parametrize("method", [cluster_robust_rate, lambda h, c: cluster_bootstrap_rate(h, c, rng=rng())])
def test_a_single_cluster_is_an_error(method):
    with pytest.raises(ValueError, match="single cluster"):
        method([0, 1, 1, 0], ["a"] * 4)


def test_a_single_cluster_is_an_error_for_any_statistic():
    with pytest.raises(ValueError, match="single cluster"):
        bootstrap(as_items([0, 1]), mean, rng=rng(), clusters=["a", "a"])
    with pytest.raises(ValueError, match="single cluster"):
        bootstrap_indices(2, lambda index: 0.0, rng=rng(), clusters=["a", "a"])
    with pytest.raises(ValueError, match="single cluster"):
        intraclass_correlation([0, 1], ["a", "a"])


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("method", [cluster_robust_rate, lambda h, c: cluster_bootstrap_rate(h, c, rng=rng())])
def test_all_items_alike_still_have_a_width(method, value):
    result = method([value] * 200, np.repeat(np.arange(20), 10))
    assert result.estimate == value
    assert result.high - result.low > 0.1
    # as wide as if a cluster were one item
    assert result.high - result.low >= wilson(0, 20).high - 1e-9


def test_clusters_that_agree_count_as_one_item_each():
    hits, clusters = alike()
    result = cluster_robust_rate(hits, clusters)
    effective = 39 / 40 * 40  # variance with G - 1: (G - 1) effective items
    assert f"{effective:.1f} effective items" in result.method
    assert result.high - result.low > wilson(int(hits.sum()), len(hits)).high - wilson(int(hits.sum()), len(hits)).low


def test_one_item_a_cluster_is_nearly_wilson():
    hits = np.r_[np.ones(60), np.zeros(140)]
    ours, plain_interval = cluster_robust_rate(hits, np.arange(200)), wilson(60, 200)
    assert ours.low == pytest.approx(plain_interval.low, abs=0.002)
    assert ours.high == pytest.approx(plain_interval.high, abs=0.002)


def test_linearised_variance_by_hand():
    # clusters (2 of 2), (0 of 1), (1 of 3): p = 3/6, residuals y - p n = 1, -0.5, -0.5
    # variance = 3/2 * 1.5 / 36 = 0.0625, so p (1 - p) / variance = 4 effective items
    result = cluster_robust_rate([1, 1, 0, 1, 0, 0], [1, 1, 2, 3, 3, 3])
    assert "4.0 effective items" in result.method


def test_clustered_bootstrap_is_wider_when_items_agree():
    hits, clusters = alike()
    single = bootstrap(as_items(hits), mean, rng=rng(), resamples=2000)
    clustered = bootstrap(as_items(hits), mean, rng=rng(), resamples=2000, clusters=clusters)
    assert clustered.high - clustered.low > 1.8 * (single.high - single.low)


def test_percentile_and_bca_against_scipy(reference):
    made = reference["resampling"]
    for kind, name in (("percentile", "percentile"), ("bca", "BCa")):
        result = bootstrap(as_items(made["values"]), mean, rng=rng(3), resamples=100_000, kind=kind)
        assert (result.low, result.high) == pytest.approx(made[name], abs=0.006)


def test_indices_give_the_same_as_totals(reference):
    values = np.array(reference["resampling"]["values"])
    totals = bootstrap(as_items(values), mean, rng=rng(3), resamples=20_000)
    indices = bootstrap_indices(len(values), lambda index: float(values[index].mean()), rng=rng(4), resamples=8000)
    assert (indices.low, indices.high) == pytest.approx((totals.low, totals.high), abs=0.02)


def test_order_of_items_and_names_of_clusters_do_not_matter():
    hits, clusters = alike(seed=4)
    order = rng(9).permutation(len(hits))
    first = bootstrap(as_items(hits), mean, rng=rng(7), resamples=500, clusters=clusters)
    second = bootstrap(as_items(hits[order]), mean, rng=rng(7), resamples=500, clusters=clusters[order])
    assert first == second
    other = bootstrap(as_items(hits), mean, rng=rng(7), resamples=500, clusters=[f"c{c:03d}" for c in clusters])
    assert first == other


def test_strata_keep_their_sizes():
    # rate 0 in one stratum, 1 in the other: within strata no resample differs
    hits = np.r_[np.zeros(30), np.ones(30)]
    strata = ["a"] * 30 + ["b"] * 30
    within = bootstrap(as_items(hits), mean, rng=rng(), resamples=200, strata=strata)
    without = bootstrap(as_items(hits), mean, rng=rng(), resamples=200)
    assert within.low == within.high == 0.5
    assert "no width" in " ".join(within.warnings)
    assert without.low < 0.5 < without.high
    assert "within 2 strata" in within.method


def test_clusters_within_strata():
    hits, clusters = alike()
    strata = np.where(clusters < 20, "a", "b")
    result = bootstrap(as_items(hits), mean, rng=rng(), resamples=1000, clusters=clusters, strata=strata)
    assert result.low < result.estimate < result.high
    with pytest.raises(ValueError, match="two strata"):
        bootstrap(as_items([0, 1, 1, 0]), mean, rng=rng(), clusters=[1, 1, 2, 2], strata=["a", "b", "a", "a"])
    with pytest.raises(ValueError, match="single"):
        bootstrap(as_items([0, 1, 1]), mean, rng=rng(), strata=["a", "b", "a"])


def test_many_statistics_share_their_resamples():
    values = rng(2).normal(size=(50, 2))
    items = np.column_stack([values, np.ones(50)])
    both = bootstrap_many(
        items,
        {
            "first": lambda totals: totals[:, 0] / totals[:, 2],
            "difference": lambda totals: (totals[:, 0] - totals[:, 1]) / totals[:, 2],
        },
        rng=rng(5),
        resamples=500,
    )
    alone = bootstrap(items, lambda totals: totals[:, 0] / totals[:, 2], rng=rng(5), resamples=500)
    assert both["first"] == alone
    draws = bootstrap_draws(items, lambda totals: totals[:, :2] / totals[:, 2:], rng=rng(5), resamples=500)
    gaps = np.quantile(draws[:, 0] - draws[:, 1], [0.025, 0.975])
    assert (both["difference"].low, both["difference"].high) == pytest.approx(tuple(gaps))


def test_large_runs_go_in_chunks():
    values = rng(6).normal(size=3000)
    result = bootstrap(as_items(values), mean, rng=rng(7), resamples=3000)
    half = 1.96 * values.std() / np.sqrt(3000)
    assert result.half_width == pytest.approx(half, rel=0.1)


def test_few_clusters_or_events_are_told():
    hits, clusters = alike(clusters=12)
    for result in (
        cluster_robust_rate(hits, clusters),
        cluster_bootstrap_rate(hits, clusters, rng=rng(), resamples=200),
        bootstrap(as_items(hits), mean, rng=rng(), resamples=200, clusters=clusters),
    ):
        assert "few data (12 units" in result.warnings[0]
        assert "covered the truth in" in result.warnings[0]
    many, groups = alike(clusters=200)
    assert cluster_robust_rate(many, groups).warnings == ()
    rare = np.zeros(1000)
    rare[::100] = 1
    assert "10 events" in cluster_robust_rate(rare, np.repeat(np.arange(200), 5)).warnings[0]


def test_intraclass_correlation():
    hits, clusters = alike()
    assert intraclass_correlation(hits, clusters) == pytest.approx(1.0)
    assert intraclass_correlation(rng(1).binomial(1, 0.5, 2000), np.repeat(np.arange(400), 5)) == pytest.approx(
        0, abs=0.05
    )
    assert intraclass_correlation([0, 1, 0], [1, 2, 3]) is None
    assert intraclass_correlation([1, 1, 1, 1], [1, 1, 2, 2]) is None
    # by hand: means 0.5 and 1, MSB = 2 (0.75-0.5)^2 + 2 (1-0.75)^2 = 0.25, MSW = 0.5 / 2 = 0.25
    assert intraclass_correlation([0, 1, 1, 1], [1, 1, 2, 2]) == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: cluster_robust_rate([0, 2], [1, 2]), "0 or 1"),
        (lambda: cluster_robust_rate([0, 1], [1, None]), "no cluster label"),
        (lambda: cluster_robust_rate([0, 1], [1]), "one cluster label"),
        (lambda: bootstrap(as_items([0, 1]), mean, rng=rng(), kind="normal"), "percentile or bca"),
        (lambda: bootstrap(as_items([0, 1, 0, 1]), mean, rng=rng(), kind="bca", strata=list("aabb")), "strata"),
        (lambda: bootstrap(as_items([0, 1]), mean, rng=rng(), resamples=0), "resamples"),
        (lambda: bootstrap_draws(np.empty((0, 2)), mean, rng=rng()), "at least one item"),
    ],
)
def test_refusals(call, match):
    with pytest.raises(ValueError, match=match):
        call()


def test_no_item_is_undefined():
    for result in (
        cluster_robust_rate([], []),
        cluster_bootstrap_rate([], [], rng=rng()),
        bootstrap_indices(0, lambda index: 0.0, rng=rng()),
    ):
        assert result.estimate is None
        assert "no item" in result.method
