from __future__ import annotations

import numpy as np
import pytest

from equipoise.statistics import family_effects


def test_against_statsmodels(reference):
    made = reference["families"]
    result = family_effects(made["effects"], made["variances"], list("abcde"))
    assert result.tau_squared == pytest.approx(made["tau_squared"])
    assert result.q == pytest.approx(made["q"])
    assert result.i_squared == pytest.approx(made["i_squared"])
    assert result.mean.estimate == pytest.approx(made["mean"])
    if result.mean.half_width == pytest.approx(made["ends"][1] - made["mean"], rel=1e-6):
        return
    # where Hartung and Knapp's variance is below the usual one, ours keeps the usual one
    assert result.mean.half_width > made["ends"][1] - made["mean"]


def test_models_of_one_family_are_pooled_first():
    one = family_effects([0.2, 0.2, 0.2, 0.6], [0.03, 0.03, 0.03, 0.01], ["a", "a", "a", "b"])
    two = family_effects([0.2, 0.6], [0.01, 0.01], ["a", "b"])
    assert one.mean.estimate == pytest.approx(two.mean.estimate)
    assert one.n_models == 4
    assert one.n_families == 2
    assert one.prediction_low is None
    assert "only 2 families" in one.mean.warnings[0]


def test_counting_models_instead_of_families_would_be_too_sure():
    rng = np.random.default_rng(3)
    centers = rng.normal(0.4, 0.15, 6)
    values = np.repeat(centers, 5) + rng.normal(0, 0.01, 30)
    families = np.repeat(list("abcdef"), 5).tolist()
    grouped = family_effects(values, np.full(30, 1e-4), families)
    single = family_effects(values, np.full(30, 1e-4), [str(i) for i in range(30)])
    assert grouped.mean.half_width > 1.8 * single.mean.half_width
    assert grouped.within_share < 0.1
    assert single.within_share is None
    assert grouped.prediction_low < grouped.mean.low


def test_no_spread_between_families():
    result = family_effects([0.3, 0.3, 0.3], [0.01, 0.02, 0.01], list("abc"))
    assert result.tau_squared == 0
    assert result.i_squared == 0
    assert result.mean.high - result.mean.low > 0.1


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (([0.1, 0.2], [0.1, 0.1], ["a", "a"]), "single family"),
        (([0.1, 0.2], [0.1, 0.0], ["a", "b"]), "above 0"),
        (([0.1, 0.2], [0.1], ["a", "b"]), "every model"),
    ],
)
def test_refusals(arguments, match):
    with pytest.raises(ValueError, match=match):
        family_effects(*arguments)
