"""Corrected rates over clusters: the analytic interval where nothing repeats, coverage where something does."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.statistics import (
    ClusteredVerdicts,
    CorrectionRefusedError,
    clustered_rogan_gladen,
    correct_cells,
    correct_clustered_cell,
    rogan_gladen,
)
from equipoise.statistics.correction import calibrate


def data_of(tp, fn, fp, tn, hits, n, *, copies=1, label_copies=1):
    """Labelled and judged replies, each in a cluster of that many equal copies."""
    human = np.repeat([1.0] * (tp + fn) + [0.0] * (fp + tn), label_copies)
    judge = np.repeat([1.0] * tp + [0.0] * fn + [1.0] * fp + [0.0] * tn, label_copies)
    wanted = np.repeat([1.0] * hits + [0.0] * (n - hits), copies)
    return ClusteredVerdicts(
        human=human, judge=judge, label_clusters=[f"l{place // label_copies}" for place in range(len(human))],
        wanted=wanted, clusters=[f"c{place // copies}" for place in range(len(wanted))],
    )  # fmt: skip


def clustered(data, seed=1, **more):
    return clustered_rogan_gladen(data, rng=np.random.default_rng(seed), **{"resamples": 2000, **more})


@pytest.mark.parametrize(
    "counts", [(80, 20, 10, 90, 310, 1000), (160, 40, 6, 194, 90, 600), (45, 15, 15, 85, 120, 300)]
)
def test_where_nothing_repeats_it_agrees_with_the_analytic_interval(counts):
    found = clustered(data_of(*counts), resamples=4000)
    data = data_of(*counts)
    known = rogan_gladen(counts[4], counts[5], calibrate(data.human, data.judge))
    assert found.estimate == known.estimate
    assert found.low == pytest.approx(known.low, abs=0.12 * known.half_width)
    assert found.high == pytest.approx(known.high, abs=0.12 * known.half_width)


def test_copies_of_the_same_replies_are_no_further_evidence():
    once = clustered(data_of(40, 10, 5, 45, 60, 200))
    copied = clustered(data_of(40, 10, 5, 45, 60, 200, copies=6, label_copies=6))
    data = data_of(40, 10, 5, 45, 60, 200, copies=6, label_copies=6)
    fooled = rogan_gladen(360, 1200, calibrate(data.human, data.judge))
    assert copied.estimate == pytest.approx(once.estimate)
    assert copied.half_width == pytest.approx(once.half_width, rel=0.08)
    assert fooled.half_width < 0.5 * copied.half_width
    assert "bootstrap over 200 clusters of replies and, apart, 100 clusters of human labels" in copied.method
    assert "calibration on 300 positive and 300 negative human labels" in copied.method


def test_it_covers_the_truth_with_a_design_effect_where_the_analytic_one_does_not():
    rng = np.random.default_rng(20261130)
    held = {"analytic": 0, "clusters": 0}
    used = 0
    for _ in range(120):
        number = 20 + 16
        truth = rng.random((number, 10)) < rng.beta(0.3, 0.7, size=(number, 1))
        chance = rng.random(truth.shape)
        verdict = np.where(truth, chance < 0.9, chance > 0.98)
        names = np.repeat(np.arange(number), 10).reshape(truth.shape).astype(str)
        data = ClusteredVerdicts(
            human=truth[20:].ravel().astype(float), judge=verdict[20:].ravel().astype(float),
            label_clusters=names[20:].ravel().tolist(), wanted=verdict[:20].ravel().astype(float),
            clusters=names[:20].ravel().tolist(),
        )  # fmt: skip
        counts = calibrate(data.human, data.judge)
        if counts.refusal():
            continue
        used += 1
        held["analytic"] += rogan_gladen(int(verdict[:20].sum()), 200, counts).covers(0.3)
        held["clusters"] += clustered_rogan_gladen(data, rng=rng, resamples=400).covers(0.3)
    assert used > 100
    assert held["analytic"] / used < 0.75
    assert 0.90 <= held["clusters"] / used <= 1.0


def test_errors_never_seen_still_have_a_width():
    found = clustered(data_of(30, 0, 0, 30, 50, 100, copies=4, label_copies=2))
    plain = clustered(data_of(30, 0, 0, 30, 50, 100, copies=4, label_copies=2), seed=2)
    assert found.estimate == 0.5
    assert found.half_width > 0.1
    assert plain.low != found.low
    none = clustered(data_of(25, 5, 0, 30, 0, 100, copies=3))
    assert none.low < none.estimate < none.high


def test_unreadable_verdicts_are_left_out_and_counted():
    data = data_of(40, 10, 5, 45, 60, 200, copies=2)
    wanted = np.asarray(data.wanted).copy()
    wanted[:10] = np.nan
    judge = np.asarray(data.judge).copy()
    judge[0] = np.nan
    found = clustered(
        ClusteredVerdicts(
            human=data.human, judge=judge, label_clusters=data.label_clusters, wanted=wanted, clusters=data.clusters
        )
    )
    assert (found.n_used, found.n_left_out, found.why_left_out) == (390, 10, "no readable verdict")
    assert "49 positive" in found.method


def test_what_cannot_be_corrected_is_refused_or_undefined():
    with pytest.raises(CorrectionRefusedError, match="too few human labels"):
        clustered(data_of(5, 5, 5, 45, 10, 100))
    with pytest.raises(CorrectionRefusedError, match="no better than chance"):
        clustered(data_of(20, 20, 20, 20, 10, 100))
    data = data_of(40, 10, 5, 45, 60, 200)
    one = ClusteredVerdicts(
        human=data.human, judge=data.judge, label_clusters=["l"] * 100, wanted=data.wanted, clusters=data.clusters
    )
    with pytest.raises(CorrectionRefusedError, match="all human labels are of one cluster"):
        clustered(one)
    single = ClusteredVerdicts(
        human=data.human, judge=data.judge, label_clusters=data.label_clusters, wanted=data.wanted, clusters=["c"] * 200
    )
    assert "one cluster" in clustered(single).method


def test_outside_the_range_and_few_clusters_are_told():
    low = clustered(data_of(80, 20, 10, 90, 2, 100))
    assert low.estimate < 0
    assert "outside 0 to 1" in low.warnings[0]
    few = clustered(data_of(20, 5, 5, 20, 3, 10, copies=10))
    assert "10 clusters of replies and 50 of labels" in few.warnings[-1]


def test_the_same_generator_gives_the_same_interval():
    data = data_of(40, 10, 5, 45, 60, 200, copies=2)
    assert clustered(data, 7) == clustered(data, 7)
    assert clustered(data, 7) != clustered(data, 8)


def test_a_cell_has_every_interval_over_clusters():
    data = data_of(40, 10, 5, 45, 60, 200, copies=5, label_copies=3)
    cell = correct_clustered_cell("c", data, rng=np.random.default_rng(1))
    (plain,) = correct_cells({"c": (data.human, data.judge, data.wanted)})
    assert (cell.n_clusters, cell.n_label_clusters) == (200, 100)
    assert (plain.n_clusters, plain.n_label_clusters) == (0, 0)
    for name in ("uncorrected", "corrected", "prediction_powered", "human_only", "sensitivity", "specificity"):
        mine, other = getattr(cell, name), getattr(plain, name)
        assert mine.estimate == pytest.approx(other.estimate), name
        assert mine.half_width > 1.3 * other.half_width, name
    assert cell.low < plain.low
    assert cell.high > plain.high
    refused = correct_clustered_cell("c", data_of(5, 5, 5, 45, 10, 100, copies=2), rng=np.random.default_rng(1))
    assert refused.corrected is None
    assert "too few human labels" in refused.refused
