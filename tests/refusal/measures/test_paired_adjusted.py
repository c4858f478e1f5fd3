"""Guards, fine-tuning, and what a gap between systems is made of."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.refusal.measures import (
    ANY,
    Helpfulness,
    composition_table,
    guard_effect,
    paired_change,
    tuning_effect,
)
from made_replies import made


def rng():
    return np.random.default_rng(0)


def answers(system, words, arm="benign", start=0, **more):
    return [made(word, arm, system=system, item=f"{arm}-{start + place}", **more) for place, word in enumerate(words)]


def test_a_change_is_taken_on_prompts_both_answered_and_names_both_discordant_counts():
    first = answers("a", ["full"] * 3 + ["none"] * 17 + [None])
    second = answers("b", ["none"] * 2 + ["full"] * 9 + ["none"] * 9 + ["full"])
    found = paired_change(first, second, ANY.over_refusal, rng=rng(), resamples=200)
    assert (found.first, found.second) == ("a", "b")
    assert (found.first_only, found.second_only, found.n_left_out) == (2, 8, 1)
    assert found.difference.estimate == pytest.approx(6 / 20)
    assert found.test.p_value == pytest.approx(2 * (1 + 10 + 45) / 1024)


def test_repeats_of_a_prompt_are_one_unit_of_the_test():
    first = [made("none", system="a", item=f"i{place}", trial=trial) for place in range(5) for trial in (1, 2)]
    second = [made("full", system="b", item=f"i{place}", trial=trial) for place in range(5) for trial in (1, 2)]
    found = paired_change(first, second, ANY.over_refusal, rng=rng())
    assert found.test.p_value == pytest.approx(2 * 0.5**5)
    assert (found.difference.estimate, found.difference.high) == (1.0, 1.0)
    assert found.difference.low < 1.0


def test_no_common_prompt_is_undefined():
    found = paired_change(answers("a", ["full"]), answers("b", ["full"], start=9), ANY.over_refusal, rng=rng())
    assert (found.difference.estimate, found.test.p_value) == (None, None)


def test_a_guard_is_a_system_with_a_block_rate_on_both_arms():
    without = answers("model", ["none"] * 20) + answers("model", ["none"] * 12 + ["full"] * 8, "harmful")
    guarded = answers("model+guard", ["full"] * 4 + ["none"] * 16, helpfulness=Helpfulness.NO_VALUE)
    guarded[0] = made("full", "benign", system="model+guard", item="benign-0", helpfulness=Helpfulness.SAFETY_EDUCATION)
    guarded += answers("model+guard", ["full"] * 9 + ["none"] * 3 + ["full"] * 8, "harmful")
    guard = answers("guard", ["full"] * 4 + ["none"] * 16) + answers("guard", ["full"] * 15 + ["none"] * 5, "harmful")
    found = guard_effect(without, guarded, guard=guard, rng=rng(), resamples=100)
    assert found.guard is not None
    assert found.guard.over_refusal.crude.estimate == 0.2
    assert found.guard.harmful_compliance.crude.estimate == 0.25
    over, complied = found.changes
    assert (over.difference.estimate, complied.difference.estimate) == (pytest.approx(0.2), pytest.approx(-9 / 20))
    assert complied.p_adjusted == pytest.approx(2 * complied.test.p_value)
    assert (found.newly_blocked_benign.estimate, found.newly_blocked_harmful.estimate) == (0.2, 0.75)
    assert (found.helpful_after_block.estimate, found.helpful_after_block.n_used) == (0.25, 4)
    assert found.helpful_after_block.n_left_out == 17
    with pytest.raises(ValueError, match="with and without"):
        guard_effect(without, [], rng=rng())


def test_fine_tuning_changes_compliance_and_specificity_by_category():
    base = answers("base", ["full"] * 10, "harmful", stratum="x", specificity=0.0)
    base += answers("base", ["full"] * 10, "harmful", 10, stratum="y", specificity=1.0) + answers("base", ["none"] * 5)
    tuned = answers("tuned", ["none"] * 8 + ["full"] * 2, "harmful", stratum="x", specificity=2.0)
    tuned += answers("tuned", ["full"] * 10, "harmful", 10, stratum="y", specificity=1.0) + answers(
        "tuned", ["none"] * 5
    )
    found = tuning_effect(base, tuned, rng=rng(), resamples=100)
    over, complied = found.changes
    assert (over.difference.estimate, complied.difference.estimate) == (0.0, pytest.approx(0.4))
    by = {item.stratum: item for item in found.by_category}
    assert by["x"].difference.estimate == pytest.approx(0.8)
    assert by["x"].p_adjusted == pytest.approx(2 * 2 * 0.5**8)
    assert by["y"].difference.estimate == 0.0
    assert found.specificity.effect.estimate == pytest.approx(1.0)
    assert found.specificity_by_category["x"].p_value == pytest.approx(2 * 0.5**10)
    assert found.specificity_by_category["y"].p_value == 1.0


def cells(system, a, b):
    """Refused of a number in two categories."""
    return [
        made("full" if place < refused else "none", system=system, stratum=name)
        for name, (refused, number) in (("a", a), ("b", b))
        for place in range(number)
    ]


def test_a_gap_of_mix_alone_vanishes_when_adjusted():
    replies = cells("easy", (2, 20), (24, 40)) + cells("hard", (8, 80), (6, 10))
    table = composition_table(replies, ANY.over_refusal, rng=rng(), mix={"a": 1, "b": 1}, resamples=200)
    first, second = table.rows
    assert (first.crude.estimate, second.crude.estimate) == (pytest.approx(26 / 60), pytest.approx(14 / 90))
    assert first.standardised.estimate == pytest.approx(0.35) == second.standardised.estimate
    assert first.split.gap.estimate == pytest.approx(26 / 60 - 14 / 90)
    assert first.split.rate_part.estimate == pytest.approx(0)
    assert first.split.mix_part.estimate == pytest.approx(26 / 60 - 14 / 90)
    assert table.mix == {"a": 0.5, "b": 0.5}


def test_the_parts_add_up_to_the_gap():
    replies = cells("one", (5, 20), (30, 40)) + cells("two", (8, 80), (2, 10))
    split = composition_table(replies, ANY.over_refusal, rng=rng(), resamples=200).rows[0].split
    assert split.rate_part.estimate + split.mix_part.estimate == pytest.approx(split.gap.estimate)
    assert split.rate_part.estimate == pytest.approx(
        (0.25 - 0.1) * (1 / 3 + 8 / 9) / 2 + (0.75 - 0.2) * (2 / 3 + 1 / 9) / 2
    )


def test_a_row_without_a_category_is_refused_and_the_other_is_not():
    replies = cells("whole", (5, 20), (30, 40)) + cells("part", (8, 80), (0, 0))
    part, whole = composition_table(replies, ANY.over_refusal, rng=rng(), resamples=50).rows
    assert part.standardised is None
    assert "no item in b" in part.refused
    assert part.split is None
    assert "strata in one group only: b" in part.split_refused
    assert whole.standardised is not None
