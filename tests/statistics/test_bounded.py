"""The mean on a bounded scale: reference values, clusters, equal scores, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.statistics import bounded_mean


def rng():
    return np.random.default_rng(7)


def mean(scores, clusters, **options):
    return bounded_mean(scores, clusters, low=1, high=5, rng=rng(), **options)


def test_the_mean_and_an_interval_that_widens_with_clusters():
    scores = [1, 1, 1, 5, 5, 5, 3, 3, 3, 2, 2, 2] * 3
    alone = mean(scores, list(range(36)))
    together = mean(scores, [place // 3 for place in range(36)])
    assert alone.estimate == together.estimate == pytest.approx(2.75)
    assert together.high - together.low > 1.4 * (alone.high - alone.low)
    assert "12 clusters" in together.method


def test_the_half_width_is_that_of_the_variance_between_clusters():
    means = np.array([1.0, 2.0, 2.5, 3.0, 4.0] * 20)
    found = mean(np.repeat(means, 4), np.repeat(np.arange(100), 4), resamples=20_000)
    assert found.half_width == pytest.approx(1.96 * means.std() / 10, rel=0.03)


def test_equal_scores_keep_a_width_and_stay_on_the_scale():
    found = mean([1.0] * 20, list(range(20)))
    upper = 1.959964**2 / (20 + 1.959964**2)
    assert (found.estimate, found.low) == (1.0, 1.0)
    assert found.high == pytest.approx(1 + 4 * upper, rel=1e-5)
    assert found.warnings


def test_too_few_clusters_give_a_mean_without_an_interval():
    found = mean([1, 2, 3], ["a", "a", "b"], fewest=3)
    assert (found.estimate, found.low, found.high) == (2.0, None, None)
    assert found.method == "no interval: 2 clusters, at least 3 are needed"


def test_no_item_is_undefined_and_says_what_was_left_out():
    found = mean([], [], n_left_out=4, why_left_out="failed")
    assert (found.estimate, found.n_used, found.n_left_out, found.why_left_out) == (None, 0, 4, "failed")


@pytest.mark.parametrize(
    ("scores", "clusters", "options", "words"),
    [
        ([0], ["a"], {}, "from 1 to 5"),
        ([6], ["a"], {}, "from 1 to 5"),
        ([float("nan")], ["a"], {}, "from 1 to 5"),
        ([1, 2], ["a"], {}, "a cluster for each score"),
        ([1], ["a"], {"fewest": 1}, "at least 2 clusters"),
        ([1], ["a"], {"level": 1.0}, "level"),
    ],
)
def test_what_it_refuses(scores, clusters, options, words):
    with pytest.raises(ValueError, match=words):
        mean(scores, clusters, **options)
