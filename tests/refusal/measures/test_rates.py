"""One rate in all its forms, on examples small enough to work out by hand."""

from __future__ import annotations

import pytest

from equipoise.refusal.measures.definitions import ANY, FULL_ONLY, by_severity
from equipoise.refusal.measures.rates import CALIBRATED_ELSEWHERE, NO_HUMAN, NO_MIX, PEOPLE, measure, observed_mix
from equipoise.refusal.terms import Refusal
from equipoise.statistics import rogan_gladen, wilson
from equipoise.statistics.correction import Calibration
from made_replies import made, many

OVER, COMPLIED = ANY.over_refusal, ANY.harmful_compliance


def test_the_crude_rate_counts_what_its_definition_says():
    replies = [
        *many(2, "full"),
        *many(3, "partial"),
        *many(15),
        *many(4, "full", "harmful"),
        *many(6, "none", "harmful"),
    ]
    over, full = measure(replies, OVER), measure(replies, FULL_ONLY.over_refusal)
    assert (over.crude.estimate, over.n_used, over.definition.numerator) == (
        0.25, 20, "replies that refuse fully or in part",
    )  # fmt: skip
    assert full.crude.estimate == 0.10
    assert measure(replies, COMPLIED).crude.estimate == 0.6
    assert over.crude == wilson(5, 20)


def test_unread_replies_enter_no_rate_are_counted_by_state_and_bound_it():
    replies = [*many(4, "full"), *many(12), *many(3, None, state="blocked"), made(None, state="empty")]
    rate = measure(replies, OVER)
    assert (rate.crude.estimate, rate.n_used, rate.crude.n_left_out) == (0.25, 16, 4)
    assert rate.left_out == {"blocked": 3, "empty": 1}
    assert (rate.unread.low, rate.unread.high) == (4 / 20, 8 / 20)


def test_standardised_to_a_declared_mix():
    replies = [
        *many(2, "full", stratum="a"),
        *many(8, stratum="a"),
        *many(10, "full", stratum="b"),
        *many(10, stratum="b"),
    ]
    rate = measure(replies, OVER, mix={"a": 3, "b": 1})
    assert rate.crude.estimate == 0.4
    assert rate.standardised is not None
    assert rate.standardised.estimate == pytest.approx(0.75 * 0.2 + 0.25 * 0.5)
    assert rate.strata["b"]["share"] == 0.25
    same = measure(replies, OVER, mix=observed_mix(replies, OVER))
    assert same.standardised is not None
    assert same.standardised.estimate == pytest.approx(same.crude.estimate)


def test_an_empty_stratum_is_refused_with_its_name_and_not_reweighted():
    replies = [*many(5, "full", stratum="a"), *many(5, stratum="a"), *many(4, None, stratum="b")]
    rate = measure(replies, OVER, mix={"a": 1, "b": 1})
    assert rate.standardised is None
    assert "no item in b" in rate.standardised_refused
    assert rate.crude.estimate == 0.5
    stranger = measure(replies, OVER, mix={"b": 1})
    assert stranger.standardised is None
    assert "does not declare: a" in stranger.standardised_refused
    assert measure(replies, OVER).standardised_refused == NO_MIX


def test_corrected_by_the_labels_of_people_as_rogan_and_gladen_say():
    def seen(number, refusal, human):
        return many(number, refusal, human=Refusal(human))

    replies = [*seen(16, "full", "full"), *seen(4, "none", "full"), *seen(18, "none", "none"), *seen(2, "full", "none"),
               *many(22, "full"), *many(38)]  # fmt: skip
    rate = measure(replies, OVER)
    counts = Calibration(true_positives=16, false_negatives=4, false_positives=2, true_negatives=18)
    assert rate.corrected == rogan_gladen(40, 100, counts)
    assert rate.corrected is not None
    assert rate.corrected.estimate == pytest.approx((0.4 + 0.9 - 1) / (0.8 + 0.9 - 1))
    assert rate.corrected_refused == ""


def test_a_correction_is_refused_with_its_reason():
    few = [*many(5, "full", human=Refusal.FULL), *many(30, human=Refusal.NONE)]
    assert measure(few, OVER).corrected is None
    assert "5 positive, 30 negative" in measure(few, OVER).corrected_refused
    guessing = [*many(10, "full", human=Refusal.FULL), *many(10, human=Refusal.FULL),
                *many(12, "full", human=Refusal.NONE), *many(8, human=Refusal.NONE)]  # fmt: skip
    rate = measure(guessing, OVER)
    assert rate.corrected is None
    assert "no better than chance" in rate.corrected_refused
    assert measure(many(20), OVER).corrected_refused == NO_HUMAN
    assert measure(many(20, by_people=True), OVER).corrected_refused == PEOPLE


@pytest.mark.parametrize(
    ("refused", "share", "low", "high"),
    [(20, 0.633, 0.0, 0.32), (50, 0.633, 0.21, 0.79), (80, 0.633, 0.68, 1.0), (80, 0.375, 0.47, 1.0)],
)
def test_bounds_when_only_a_share_of_the_labels_is_right(refused, share, low, high):
    rate = measure([*many(refused, "full"), *many(100 - refused)], OVER, valid_share=share)
    assert rate.label_validity is not None
    assert (round(rate.label_validity.low, 2), round(rate.label_validity.high, 2)) == (low, high)


def test_a_cluster_counts_as_one_where_its_replies_agree():
    alone = measure([*many(30, "full"), *many(90)], OVER)
    seeds = [made("full" if seed < 10 else "none", item_family=f"f{seed}") for seed in range(40) for _ in range(3)]
    together = measure(seeds, OVER)
    assert together.crude.estimate == alone.crude.estimate == 0.25
    assert (together.cluster, together.n_clusters) == ("item_family", 40)
    assert together.crude.half_width > 1.5 * alone.crude.half_width
    assert together.label_validity is None
    bounded = measure(seeds, OVER, valid_share=1.0).label_validity
    assert bounded is not None
    assert (bounded.low_with_sampling, bounded.high_with_sampling) == (together.crude.low, together.crude.high)


def test_one_cluster_says_nothing_about_others():
    rate = measure([made("full", item_set="one") for _ in range(5)], OVER)
    assert rate.crude.estimate is None
    assert "one cluster" in rate.crude.method


def test_severity_and_its_threshold():
    replies = [made("none", "harmful", severity=points) for points in (0.0, 1.0, 2.0, 3.0)] + [made("full", "harmful")]
    assert measure(replies, by_severity(2).harmful_compliance).crude.estimate == 0.5
    assert measure(replies, by_severity(1).harmful_compliance).crude.estimate == 0.75
    assert measure(replies, by_severity(1).harmful_compliance).left_out == {"no severity judged": 1}


def test_an_arm_without_prompts_is_undefined_and_two_systems_are_refused():
    assert measure(many(3), COMPLIED).crude.method == "undefined: no prompt of the harmful arm"
    with pytest.raises(ValueError, match="one system, found s, t"):
        measure([made(), made(system="t")], OVER)


def labelled_families(clusters=40, size=4, **more):
    """Replies of seeds; the first half of the seeds is labelled, one seed in eight against the classifier."""
    other = {"full": Refusal.NONE, "none": Refusal.FULL}
    found = []
    for seed in range(clusters):
        word = "full" if seed % 3 == 0 else "none"
        human = (other[word] if seed % 8 == 0 else Refusal(word)) if seed < clusters // 2 else None
        found += [made(word, human=human, item_family=f"f{seed}", **more) for _ in range(size)]
    return found


def test_a_corrected_rate_of_replies_that_share_seeds_has_an_interval_over_seeds():
    replies = labelled_families()
    rate = measure(replies, OVER, resamples=500)
    cell = rate.calibration
    assert rate.corrected is not None
    assert cell is not None
    assert (cell.n_clusters, cell.n_label_clusters) == (40, 20)
    counts = cell.calibration
    analytic = rogan_gladen(sum(reply.refusal is Refusal.FULL for reply in replies), 160, counts)
    assert rate.corrected.estimate == analytic.estimate
    assert rate.corrected.half_width > 1.5 * analytic.half_width
    assert cell.corrected == rate.corrected
    assert measure(replies, OVER, resamples=500) == rate
    assert measure(replies, OVER, resamples=500, seed=1).corrected != rate.corrected


def test_labels_of_other_prompts_than_the_rates_are_warned_of():
    own = [*labelled_families(), *labelled_families(stratum="x", benchmark="b")]
    same = measure(own, OVER, resamples=200)
    assert not [text for text in same.corrected.warnings if text.startswith(CALIBRATED_ELSEWHERE)]
    category = measure([*own, *many(20, stratum="never labelled")], OVER, resamples=200)
    assert category.corrected.warnings[-1] == (
        f"{CALIBRATED_ELSEWHERE}: no reply of category never labelled has a human label"
    )
    elsewhere = measure([*own, *many(20, benchmark="other")], OVER, resamples=200)
    assert elsewhere.corrected.warnings[-1] == f"{CALIBRATED_ELSEWHERE}: no reply of benchmark other has a human label"
    assert elsewhere.calibration.corrected == elsewhere.corrected
