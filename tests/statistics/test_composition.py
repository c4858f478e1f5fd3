from __future__ import annotations

import numpy as np
import pytest

from equipoise.statistics import EmptyStratumError, kitagawa, post_stratify, standardise


def rng():
    return np.random.default_rng(0)


def items(**strata):
    hits, names = [], []
    for name, (successes, n) in strata.items():
        hits += [1] * successes + [0] * (n - successes)
        names += [name] * n
    return hits, names


def test_standardised_rate_by_hand():
    hits, names = items(easy=(5, 50), hard=(30, 50))
    result = standardise(hits, names, {"easy": 0.9, "hard": 0.1})
    assert result.crude.estimate == 0.35
    assert result.standardised.estimate == pytest.approx(0.9 * 0.1 + 0.1 * 0.6)
    assert result.variance == pytest.approx(0.81 * 0.1 * 0.9 / 50 + 0.01 * 0.6 * 0.4 / 50)
    normal = 1.96 * result.variance**0.5
    assert result.standardised.half_width == pytest.approx(normal, rel=0.1)
    assert result.strata["hard"]["observed_share"] == 0.5


def test_the_observed_mix_gives_the_crude_rate():
    hits, names = items(a=(3, 20), b=(11, 30), c=(0, 10))
    result = standardise(hits, names, {"a": 20, "b": 30, "c": 10})
    assert result.standardised.estimate == pytest.approx(result.crude.estimate)
    assert post_stratify(hits, names, {"a": 20, "b": 30, "c": 10}) == result


def test_strata_without_events_still_have_a_width():
    hits, names = items(a=(0, 20), b=(0, 30))
    result = standardise(hits, names, {"a": 1, "b": 1})
    assert result.standardised.estimate == 0
    assert result.standardised.high > 0.05


def test_an_empty_stratum_is_refused():
    hits, names = items(a=(3, 20))
    with pytest.raises(EmptyStratumError, match="no item in b"):
        standardise(hits, names, {"a": 0.5, "b": 0.5})
    with pytest.raises(EmptyStratumError, match="one group only: b"):
        kitagawa(hits, names, *items(a=(1, 5), b=(1, 5)), rng=rng())


def test_a_stratum_of_share_zero_is_left_out():
    hits, names = items(a=(3, 20), b=(1, 10))
    result = standardise(hits, names, {"a": 1.0, "b": 0.0})
    assert result.standardised.estimate == pytest.approx(0.15)
    assert result.standardised.n_left_out == 10


def test_kitagawa_by_hand():
    # rates a 0.2 / 0.1, b 0.6 / 0.5; mix of a 0.25 / 0.75
    first, second = items(a=(2, 10), b=(18, 30)), items(a=(3, 30), b=(5, 10))
    result = kitagawa(*first, *second, rng=rng(), resamples=500)
    assert result.gap.estimate == pytest.approx(20 / 40 - 8 / 40)
    assert result.rate_part.estimate == pytest.approx(0.1 * 0.5 + 0.1 * 0.5)
    assert result.mix_part.estimate == pytest.approx(-0.5 * 0.15 + 0.5 * 0.55)
    assert result.rate_part.estimate + result.mix_part.estimate == pytest.approx(result.gap.estimate)
    assert sum(row["mix_part"] for row in result.by_stratum.values()) == pytest.approx(result.mix_part.estimate)
    assert result.gap.low < result.gap.estimate < result.gap.high


def test_kitagawa_turns_its_sign():
    first, second = items(a=(2, 10), b=(18, 30)), items(a=(3, 30), b=(5, 10))
    one = kitagawa(*first, *second, rng=rng(), resamples=50)
    two = kitagawa(*second, *first, rng=rng(), resamples=50)
    assert one.rate_part.estimate == pytest.approx(-two.rate_part.estimate)
    assert one.mix_part.estimate == pytest.approx(-two.mix_part.estimate)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: standardise([1, 0], ["a", "b"], {"a": 1.0}), "does not declare: b"),
        (lambda: standardise([1, 0], ["a", "a"], {"a": -1.0}), "at least 0"),
        (lambda: standardise([1, 0], ["a", "a"], {}), "declared share"),
        (lambda: standardise([1, 2], ["a", "a"], {"a": 1.0}), "0 or 1"),
        (lambda: standardise([], [], {"a": 1.0}), "at least one item"),
        (lambda: post_stratify([1, 0], ["a", "a"], {"a": 0.5}), "whole numbers"),
    ],
)
def test_refusals(call, match):
    with pytest.raises(ValueError, match=match):
        call()


def test_clusters_widen_the_standardised_interval_and_change_no_rate():
    hits, names = items(easy=(10, 40), hard=(20, 40))
    labels = [f"{name}-{place // 4}" for place, name in enumerate(names)]
    alone, together = (
        standardise(hits, names, {"easy": 1, "hard": 1}, clusters=clusters) for clusters in (None, labels)
    )
    assert together.standardised.estimate == pytest.approx(alone.standardised.estimate)
    assert together.standardised.half_width > 1.5 * alone.standardised.half_width
    assert together.crude.half_width > 1.5 * alone.crude.half_width
    assert "cluster-robust" in together.standardised.method
    assert together.standardised.warnings == ()


def test_clusters_that_never_repeat_change_nothing():
    hits, names = items(easy=(10, 40), hard=(20, 40))
    own = standardise(hits, names, {"easy": 1, "hard": 1}, clusters=[str(place) for place in range(80)])
    alone = standardise(hits, names, {"easy": 1, "hard": 1})
    assert (own.standardised.low, own.standardised.high) == (alone.standardised.low, alone.standardised.high)


def test_a_stratum_of_one_cluster_counts_as_one_item_and_crossing_clusters_are_told():
    hits, names = items(easy=(10, 40), hard=(4, 8))
    labels = [str(place) for place in range(40)] + ["one"] * 8
    result = standardise(hits, names, {"easy": 1, "hard": 1}, clusters=labels)
    hard = result.strata["hard"]["rate"]
    assert (hard.low, hard.high) == pytest.approx((0.5 - 0.4454, 0.5 + 0.4454), abs=1e-3)
    crossing = standardise(
        hits, names, {"easy": 1, "hard": 1}, clusters=["x"] * 2 + labels[2:40] + ["x"] * 4 + ["y"] * 4
    )
    assert crossing.standardised.warnings == (
        "some clusters lie in several strata; the interval takes the strata's rates as independent",
    )


def test_kitagawa_draws_whole_clusters():
    hits, names = items(easy=(10, 40), hard=(30, 40))
    other, other_names = items(easy=(20, 40), hard=(20, 40))
    labels = [str(place // 5) for place in range(80)]
    alone = kitagawa(hits, names, other, other_names, rng=rng(), resamples=400)
    together = kitagawa(
        hits, names, other, other_names, rng=rng(), resamples=400, first_clusters=labels, second_clusters=labels
    )
    assert together.gap.estimate == alone.gap.estimate
    assert together.rate_part.half_width > 1.3 * alone.rate_part.half_width
    with pytest.raises(ValueError, match="of both groups, or of neither"):
        kitagawa(hits, names, other, other_names, rng=rng(), first_clusters=labels)
