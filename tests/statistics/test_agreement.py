from __future__ import annotations

import krippendorff
import numpy as np
import pytest

from equipoise.statistics import cohen_kappa, fleiss_kappa, gwet_ac1, krippendorff_alpha, percent_agreement


def rng(seed=0):
    return np.random.default_rng(seed)


def few(**more):
    return {"rng": rng(), "resamples": 200, **more}


# Fleiss' worked example: 10 subjects, 14 raters, 5 categories (Fleiss 1971 in its best-known form), kappa 0.210
FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip

# Krippendorff 2011 (Computing alpha-reliability), section on missing data: four observers, twelve units
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def test_fleiss_published():
    ratings = [[category for category, count in enumerate(row) for _ in range(count)] for row in FLEISS]
    assert fleiss_kappa(ratings, **few()).estimate == pytest.approx(0.210, abs=0.0005)


@pytest.mark.parametrize(("measure", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorff_published(measure, alpha):
    units = list(zip(*KRIPPENDORFF, strict=True))
    result = krippendorff_alpha(units, measure=measure, **few())
    assert result.estimate == pytest.approx(alpha, abs=0.0005)
    assert result.n_left_out == 1
    assert result.low < result.estimate < result.high


def test_cohen_by_hand():
    # Cohen 1960 layout: 20 both yes, 5 A only, 10 B only, 15 both no: po 0.7, pe 0.5, kappa 0.4
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa(first, second, **few()).estimate == pytest.approx(0.4)


def test_against_other_code(reference):
    made = reference["agreement"]
    complete, missing = made["complete"], made["missing"]
    first, second = ([row[column] for row in complete] for column in (0, 1))
    order = [1.0, 2.0, 3.0, 4.0]
    values = {
        "cohen": cohen_kappa(first, second, categories=order, **few()),
        "cohen_linear": cohen_kappa(first, second, weights="linear", categories=order, **few()),
        "cohen_quadratic": cohen_kappa(first, second, weights="quadratic", categories=order, **few()),
        "fleiss": fleiss_kappa(complete, **few()),
        "gwet_missing": gwet_ac1(missing, categories=order, **few()),
        "percent_missing": percent_agreement(missing, **few()),
        **{
            f"krippendorff_{measure}": krippendorff_alpha(missing, measure=measure, categories=order, **few())
            for measure in ("nominal", "ordinal", "interval")
        },
    }
    for name, result in values.items():
        # irrCAC rounds the agreement it prints to four digits
        digits = 5e-5 if name == "percent_missing" else 1e-7
        assert result.estimate == pytest.approx(made[name], abs=digits), name
        assert result.low < result.estimate < result.high, name


def test_krippendorff_resamples_against_the_library(reference):
    missing = reference["agreement"]["missing"]
    table = np.array(missing, dtype=float)
    draws = rng(4).integers(0, len(table), size=(600, len(table)))
    values = [
        krippendorff.alpha(table[draw].T, level_of_measurement="nominal", value_domain=[1, 2, 3, 4]) for draw in draws
    ]
    result = krippendorff_alpha(missing, categories=[1.0, 2.0, 3.0, 4.0], rng=rng(5), resamples=4000)
    assert (result.low, result.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=0.02)


def test_prevalence_paradox():
    # 90 both yes, 5 and 5 split, 0 both no: 90 % agreement, kappa below 0, AC1 high (Feinstein and Cicchetti 1990)
    first = ["yes"] * 95 + ["no"] * 5
    second = ["yes"] * 90 + ["no"] * 5 + ["yes"] * 5
    pairs = list(zip(first, second, strict=True))
    assert cohen_kappa(first, second, **few()).estimate == pytest.approx(-0.0526, abs=0.0001)
    # pi = 0.95: pe = 2 x 0.95 x 0.05 = 0.095, AC1 = (0.9 - 0.095) / 0.905
    assert gwet_ac1(pairs, **few()).estimate == pytest.approx(0.805 / 0.905)


@pytest.mark.parametrize("coefficient", [fleiss_kappa, gwet_ac1, krippendorff_alpha])
def test_one_category_is_undefined(coefficient):
    result = coefficient([["a", "a"]] * 5, **few())
    assert result.estimate is None
    assert "one category" in result.method
    assert cohen_kappa(["a"] * 5, ["a"] * 5, **few()).estimate is None


@pytest.mark.parametrize("coefficient", [fleiss_kappa, gwet_ac1, krippendorff_alpha])
def test_perfect_agreement_is_one_without_a_narrow_interval(coefficient):
    pairs = [["a", "a"]] * 10 + [["b", "b"]] * 10
    result = coefficient(pairs, **few())
    assert result.estimate == pytest.approx(1.0)
    assert (result.low, result.high) == (None, None)
    assert "may be up to 0.161" in result.warnings[-1]  # Wilson, 0 of 20


@pytest.mark.parametrize("coefficient", [fleiss_kappa, gwet_ac1, krippendorff_alpha, percent_agreement])
def test_no_item_with_two_labels_is_undefined(coefficient):
    result = coefficient([["a", None], [None, "b"]], **few())
    assert result.estimate is None
    assert result.n_left_out == 2


def test_percent_agreement_of_two_raters_is_a_rate():
    result = percent_agreement([["a", "a"], ["a", "b"], ["b", "b"], ["a", ""]], **few())
    assert result.estimate == pytest.approx(2 / 3)
    assert result.method.startswith("Wilson")
    assert result.n_left_out == 1


def test_clusters_widen_the_interval():
    first = np.repeat(rng(2).integers(0, 2, 30), 6)
    second = np.where(np.repeat(rng(3).random(30) < 0.2, 6), 1 - first, first)
    clusters = np.repeat(np.arange(30), 6)
    single = cohen_kappa(first.tolist(), second.tolist(), rng=rng(), resamples=2000)
    clustered = cohen_kappa(first.tolist(), second.tolist(), rng=rng(), resamples=2000, clusters=clusters)
    assert clustered.estimate == single.estimate
    assert clustered.high - clustered.low > 1.5 * (single.high - single.low)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: cohen_kappa(["a"], ["a", "b"], **few()), "same items"),
        (lambda: cohen_kappa(["a"], ["b"], weights="cubic", **few()), "weights must be"),
        (lambda: cohen_kappa(["a"], ["b"], categories=["a"], **few()), "no category: b"),
        (lambda: krippendorff_alpha([["a", "b"]], measure="ratio", **few()), "measure must be"),
        (lambda: fleiss_kappa([["a"], ["b"]], **few()), "two raters"),
    ],
)
def test_refusals(call, match):
    with pytest.raises(ValueError, match=match):
        call()
