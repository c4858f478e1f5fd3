"""Do the 95 % intervals cover the truth? Simulated data with at least 100 clusters and 30 expected events.

Seeded; all of it in well under two minutes. With 1,000 data sets the share covered has a standard error of 0.007 at 0.95,
so 0.93 to 0.97 is the band that a right interval stays in.
"""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.statistics import (
    Calibration,
    bootstrap,
    cluster_bootstrap_rate,
    cluster_robust_rate,
    paired_rate_difference,
    ppi_difference,
    rogan_gladen,
    standardise,
    wilson,
)
from equipoise.statistics.coverage import CLUSTERS, EVENTS, SIMULATED, small_sample_warnings

DATA_SETS = 1000


def share_covered(simulate, truth, seed):
    rng = np.random.default_rng(seed)
    return np.mean([simulate(rng).covers(truth) for _ in range(DATA_SETS)])


def clustered(rng, clusters, size, rate, correlation):
    spread = (1 - correlation) / correlation
    rates = rng.beta(rate * spread, (1 - rate) * spread, size=clusters)
    return rng.binomial(1, np.repeat(rates, size)), np.repeat(np.arange(clusters), size)


@pytest.mark.parametrize(
    ("clusters", "size", "rate", "correlation"),
    [(100, 5, 0.3, 0.3), (100, 10, 0.06, 0.2), (100, 10, 0.03, 0.2), (200, 3, 0.5, 0.5)],
)
def test_clustered_rate(clusters, size, rate, correlation):
    robust = share_covered(
        lambda rng: cluster_robust_rate(*clustered(rng, clusters, size, rate, correlation)), rate, seed=1
    )
    resampled = share_covered(
        lambda rng: cluster_bootstrap_rate(*clustered(rng, clusters, size, rate, correlation), rng=rng, resamples=600),
        rate,
        seed=2,
    )
    assert 0.93 <= robust <= 0.97
    assert 0.93 <= resampled <= 0.97


def test_ignoring_clusters_would_not_cover():
    def simulate(rng):
        hits, _ = clustered(rng, 100, 10, 0.3, 0.5)
        return wilson(int(hits.sum()), len(hits))

    assert share_covered(simulate, 0.3, seed=3) < 0.75


def test_clustered_ratio_by_percentiles():
    # mean over items of unequal clusters
    def simulate(rng):
        sizes = rng.integers(1, 8, size=120)
        values = np.repeat(rng.normal(2.0, 1.0, 120), sizes) + rng.normal(0, 1, sizes.sum())
        return bootstrap(
            np.column_stack([values, np.ones(len(values))]),
            lambda totals: totals[:, 0] / totals[:, 1],
            rng=rng,
            resamples=600,
            clusters=np.repeat(np.arange(120), sizes),
        )

    assert 0.93 <= share_covered(simulate, 2.0, seed=4) <= 0.97


def test_paired_difference():
    # P(first only) 0.15, P(second only) 0.10, 300 items: 30 events on the rarer side
    def simulate(rng):
        kind = rng.choice(4, p=[0.15, 0.10, 0.5, 0.25], size=300)
        first, second = np.isin(kind, (0, 2)), np.isin(kind, (1, 2))
        return paired_rate_difference(first.astype(float), second.astype(float), rng=rng, resamples=600)

    assert 0.93 <= share_covered(simulate, 0.05, seed=5) <= 0.97


def test_clustered_paired_difference():
    def simulate(rng):
        shift = np.repeat(rng.normal(0, 0.8, 120), 5)
        first = rng.random(600) < 1 / (1 + np.exp(-(0.4 + shift)))
        second = rng.random(600) < 1 / (1 + np.exp(-(0.4 + shift)))
        return paired_rate_difference(
            first.astype(float), second.astype(float), rng=rng, resamples=600, clusters=np.repeat(np.arange(120), 5)
        )

    assert 0.93 <= share_covered(simulate, 0.0, seed=6) <= 0.97


@pytest.mark.parametrize(
    ("rate", "sensitivity", "specificity"), [(0.3, 0.8, 0.9), (0.15, 0.7, 0.97), (0.6, 0.55, 0.95)]
)
def test_rogan_gladen(rate, sensitivity, specificity):
    def simulate(rng):
        positives = rng.binomial(300, rate)
        hits = rng.binomial(positives, sensitivity)
        correct = rng.binomial(300 - positives, specificity)
        calibration = Calibration(
            true_positives=int(hits),
            false_negatives=int(positives - hits),
            false_positives=int(300 - positives - correct),
            true_negatives=int(correct),
        )
        judged = rng.binomial(1000, rate * sensitivity + (1 - rate) * (1 - specificity))
        return rogan_gladen(int(judged), 1000, calibration)

    assert 0.93 <= share_covered(simulate, rate, seed=7) <= 0.97


def test_prediction_powered():
    def simulate(rng):
        human = rng.binomial(1, 0.3, 250).astype(float)
        judge = np.where(rng.random(250) < np.where(human == 1, 0.25, 0.08), 1 - human, human)
        every = rng.binomial(1, 0.3 * 0.75 + 0.7 * 0.08, 1500).astype(float)
        return ppi_difference(every, human, judge)

    assert 0.93 <= share_covered(simulate, 0.3, seed=8) <= 0.97


def test_standardised_rate():
    def simulate(rng):
        hits = np.r_[rng.binomial(1, 0.1, 400), rng.binomial(1, 0.5, 100)]
        return standardise(hits, ["a"] * 400 + ["b"] * 100, {"a": 0.5, "b": 0.5}).standardised

    assert 0.93 <= share_covered(simulate, 0.3, seed=9) <= 0.97


@pytest.mark.parametrize("method", sorted(SIMULATED))
def test_the_table_of_small_samples_is_complete_and_read_downwards(method):
    assert SIMULATED[method][100, 30] >= (0.92 if method == "bootstrap" else 0.93)
    for clusters in (2, *CLUSTERS, 70):
        for events in (0, *EVENTS, 7, 500):
            texts = small_sample_warnings(method, clusters, events=events)
            assert bool(texts) == (clusters < 100 or events < 30)
    assert "aims at 90%" in small_sample_warnings(method, 50, level=0.9)[0]


def test_small_samples_cover_as_the_table_says():
    def simulate(rng):
        return cluster_robust_rate(*clustered(rng, 20, 10, 0.05, 0.2))

    assert share_covered(simulate, 0.05, seed=10) == pytest.approx(SIMULATED["robust"][20, 10], abs=0.025)


def test_prediction_powered_when_judge_and_human_seldom_differ():
    # about 2 expected disagreements in 125 labels: the normal interval fails, the score interval does not
    def simulate(interval):
        def draw(rng):
            human = rng.binomial(1, 0.016, 125).astype(float)
            return ppi_difference(np.zeros(125), human, np.zeros(125), interval=interval)

        return draw

    assert share_covered(simulate("normal"), 0.016, seed=11) < 0.9
    assert share_covered(simulate("score"), 0.016, seed=11) >= 0.93
