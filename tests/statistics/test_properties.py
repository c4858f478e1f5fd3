"""Which statistics do not change when items are reordered, labels renamed, or sides exchanged."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise import statistics
from equipoise.statistics import (
    cluster_robust_rate,
    cochran_q,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    kitagawa,
    krippendorff_alpha,
    mcnemar,
    percent_agreement,
    permutation_did,
    risk_coverage,
    standardise,
    wilcoxon_pairs,
    youden_j,
)

DATA = np.random.default_rng(17)
FIRST = DATA.integers(0, 3, 60)
SECOND = np.where(DATA.random(60) < 0.7, FIRST, DATA.integers(0, 3, 60))
THIRD = np.where(DATA.random(60) < 0.7, FIRST, DATA.integers(0, 3, 60))
HITS = DATA.integers(0, 2, 60)
STRATA = DATA.choice(["a", "b"], 60)
ORDER = DATA.permutation(60)


def rng():
    return np.random.default_rng(0)


def few():
    return {"rng": rng(), "resamples": 20}


def table(*columns):
    return np.stack(columns, axis=1).tolist()


# name, the number, as a function of the order of the items
REORDERED = {
    "cohen_kappa": lambda o: cohen_kappa(FIRST[o].tolist(), SECOND[o].tolist(), **few()).estimate,
    "fleiss_kappa": lambda o: fleiss_kappa(table(FIRST[o], SECOND[o], THIRD[o]), **few()).estimate,
    "gwet_ac1": lambda o: gwet_ac1(table(FIRST[o], SECOND[o], THIRD[o]), **few()).estimate,
    "krippendorff_alpha": lambda o: krippendorff_alpha(table(FIRST[o], SECOND[o], THIRD[o]), **few()).estimate,
    "percent_agreement": lambda o: percent_agreement(table(FIRST[o], SECOND[o], THIRD[o]), **few()).estimate,
    "cochran_q": lambda o: cochran_q(table(FIRST[o] > 0, SECOND[o] > 0, THIRD[o] > 0)).p_value,
    "wilcoxon_pairs": lambda o: wilcoxon_pairs((FIRST - SECOND)[o].astype(float), **few()).p_value,
    "cluster_robust_rate": lambda o: cluster_robust_rate(HITS[o], (np.arange(60) // 4)[o]).high,
    "standardise": lambda o: standardise(HITS[o], STRATA[o].tolist(), {"a": 1, "b": 2}).standardised.high,
    "risk_coverage": lambda o: risk_coverage((FIRST + 0.1 * SECOND)[o], HITS[o], **few()).aurc.estimate,
    "kitagawa": lambda o: kitagawa(
        HITS[o], STRATA[o].tolist(), 1 - HITS, STRATA[::-1].tolist(), **few()
    ).mix_part.estimate,
    "permutation_did": lambda o: permutation_did(
        FIRST[o][:10], SECOND[o][:10] * 0.0, paired=True, rng=rng()
    ).smallest_p,
}


@pytest.mark.parametrize("name", sorted(REORDERED))
def test_order_of_items_does_not_matter(name):
    number = REORDERED[name]
    assert number(ORDER) == pytest.approx(number(np.arange(60)), abs=1e-12)


@pytest.mark.parametrize("coefficient", [fleiss_kappa, gwet_ac1, krippendorff_alpha, percent_agreement])
def test_order_of_raters_and_names_of_labels_do_not_matter(coefficient):
    names = np.array(["zebra", "ant", "mole"])
    expected = coefficient(table(FIRST, SECOND, THIRD), **few()).estimate
    assert coefficient(table(THIRD, FIRST, SECOND), **few()).estimate == pytest.approx(expected)
    assert coefficient(table(names[FIRST], names[SECOND], names[THIRD]), **few()).estimate == pytest.approx(expected)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_is_symmetric(weights):
    one = cohen_kappa(FIRST.tolist(), SECOND.tolist(), weights=weights, categories=[0, 1, 2], **few())
    two = cohen_kappa(SECOND.tolist(), FIRST.tolist(), weights=weights, categories=[0, 1, 2], **few())
    reversed_scale = cohen_kappa(FIRST.tolist(), SECOND.tolist(), weights=weights, categories=[2, 1, 0], **few())
    assert one.estimate == pytest.approx(two.estimate)
    assert one.estimate == pytest.approx(reversed_scale.estimate)


@pytest.mark.parametrize("method", ["exact", "mid-p", "chi-square", "chi-square corrected"])
def test_mcnemar_is_symmetric(method):
    assert mcnemar(9, 2, method=method).p_value == mcnemar(2, 9, method=method).p_value


def test_two_sided_tests_do_not_know_the_sign():
    gaps = (FIRST - SECOND + 0.3)[:12]
    assert wilcoxon_pairs(gaps, **few()).p_value == pytest.approx(wilcoxon_pairs(-gaps, **few()).p_value)
    assert permutation_did(gaps, gaps * 0, paired=True, rng=rng()).p_value == pytest.approx(
        permutation_did(gaps * 0, gaps, paired=True, rng=rng()).p_value
    )


def test_scale_does_not_matter_where_it_must_not():
    gaps = (FIRST - SECOND + 0.3)[:12]
    assert wilcoxon_pairs(gaps, **few()).p_value == pytest.approx(wilcoxon_pairs(gaps * 7, **few()).p_value)
    interval = krippendorff_alpha(table(FIRST, SECOND), measure="interval", categories=[0, 1, 2], **few())
    moved = krippendorff_alpha(
        table(FIRST * 10 + 5, SECOND * 10 + 5), measure="interval", categories=[5, 15, 25], **few()
    )
    assert interval.estimate == pytest.approx(moved.estimate)


def test_exchanging_both_sides_of_youden():
    one, two = youden_j(9, 10, 3, 12), youden_j(9, 12, 1, 10)
    assert one.estimate == pytest.approx(two.estimate)


def test_every_export_exists_and_is_documented():
    for name in statistics.__all__:
        item = getattr(statistics, name)
        assert item.__doc__, name
    assert list(statistics.__all__) == sorted(statistics.__all__, key=lambda name: (name[0].islower(), name))
