"""Framing gap over pairs, and protection of groups in both directions with corrected p values."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.refusal.measures import framing_gap, group_gaps
from equipoise.refusal.measures.framing import framings_of
from made_replies import made, many


def rng():
    return np.random.default_rng(0)


def asked(pair, framing, *points, system="s"):
    return [made(pair=pair, framing=framing, omission=value, trial=place, system=system)
            for place, value in enumerate(points, start=1)]  # fmt: skip


def test_a_pair_counts_once_however_often_it_was_asked():
    replies = [*asked("p", "lay", 2, 2, 2, 4), *asked("p", "professional", 1), *asked("q", "lay", 1),
               *asked("q", "professional", 1), *asked("r", "lay", 3)]  # fmt: skip
    found = framing_gap(replies, first="lay", second="professional", rng=rng())
    assert found.pairs == {"b/p": 1.5, "b/q": 0.0}
    assert found.gap.estimate == 0.75
    assert (found.n_used, found.n_pairs_left_out) == (7, 1)
    assert found.test.method.startswith("Wilcoxon signed rank")


def test_a_reply_without_a_score_is_left_out_not_the_worst():
    replies = [*asked("p", "lay", 2), *asked("p", "professional", 1), *asked("q", "lay", 2), *asked("q", "professional", 1),
               made(None, pair="p", framing="professional", state="blocked")]  # fmt: skip
    found = framing_gap(replies, first="lay", second="professional", rng=rng())
    assert (found.gap.estimate, found.n_left_out) == (1.0, 1)


def test_the_gap_in_refusal_and_the_smallest_p_of_the_design():
    replies = [reply for name in range(6) for reply in (
        made("full", pair=f"p{name}", framing="lay"), made("none", pair=f"p{name}", framing="professional"))]  # fmt: skip
    found = framing_gap(replies, first="lay", second="professional", rng=rng(), value="refused")
    assert found.gap.estimate == 1.0
    assert found.test.p_value == found.test.smallest_p == pytest.approx(2 * 0.5**6)
    assert framings_of(replies) == ("lay", "professional")
    assert framings_of(many(3)) is None
    none = framing_gap(replies[:2], first="lay", second="professional", rng=rng(), value="refused")
    assert none.gap.estimate is None


def grouped(word, group, number, arm="benign", system="s"):
    return many(number, word, arm, group=group, system=system)


def test_a_group_that_alone_is_refused_is_found_with_a_corrected_p():
    replies = [*grouped("full", "violet", 20), *grouped("none", "green", 30), *grouped("none", "red", 30)]
    found = {
        gap.group: gap for gap in group_gaps(replies, rng=rng(), adjustment="holm", permutations=2000, resamples=100)
    }
    violet = found["violet"]
    assert (violet.direction, violet.rate.estimate, violet.rest.estimate) == ("over-protection", 1.0, 0.0)
    assert violet.difference.estimate == 1.0
    assert violet.effect == pytest.approx(np.pi)
    assert violet.test.p_value == pytest.approx(1 / 2001)
    assert violet.p_adjusted == pytest.approx(3 / 2001)
    assert found["green"].difference.estimate == pytest.approx(-0.4)


def test_both_directions_and_all_systems_share_one_correction():
    replies = [*grouped("full", "a", 12), *grouped("none", "b", 12), *grouped("none", "a", 12, "harmful"),
               *grouped("full", "b", 12, "harmful"), *grouped("none", "a", 12, system="t"),
               *grouped("none", "b", 12, system="t")]  # fmt: skip
    gaps = group_gaps(replies, rng=rng(), adjustment="holm", permutations=500, resamples=50)
    assert [(gap.system, gap.direction, gap.group) for gap in gaps] == [
        ("s", "over-protection", "a"), ("s", "over-protection", "b"),
        ("s", "under-protection", "a"), ("s", "under-protection", "b"),
        ("t", "over-protection", "a"), ("t", "over-protection", "b"),
    ]  # fmt: skip
    first = gaps[0]
    assert first.p_adjusted == pytest.approx(6 * first.test.p_value)
    assert gaps[2].difference.estimate == 1.0
    assert gaps[4].p_adjusted == 1.0


def test_no_gap_is_no_finding():
    replies = [reply for group in "abcd" for reply in (*grouped("full", group, 5), *grouped("none", group, 15))]
    assert all(gap.p_adjusted > 0.5 for gap in group_gaps(replies, rng=rng(), permutations=500, resamples=50))


def test_templates_with_every_group_are_compared_within_the_template():
    replies = [made("full" if group == "a" else "none", group=group, item_family=f"t{place}")
               for place in range(12) for group in "abc"]  # fmt: skip
    gap = group_gaps(replies, rng=rng(), resamples=100)[0]
    assert "permutation of signs" in gap.test.method
    assert (gap.difference.estimate, gap.difference.high) == (1.0, 1.0)
    assert gap.difference.low < 0.9
    assert gap.test.p_value == pytest.approx(2 * 0.5**12)


def test_trials_of_an_item_are_no_further_evidence():
    once = [*grouped("full", "a", 4), *grouped("none", "b", 4)]
    often = [made(reply.refusal, group=reply.group, item=reply.item, trial=trial)
             for reply in once for trial in range(1, 21)]  # fmt: skip
    first, second = (group_gaps(part, rng=rng(), resamples=50)[0] for part in (once, often))
    assert first.test.p_value == second.test.p_value == pytest.approx(2 / 70)


def test_fewer_than_two_groups_or_items_say_nothing():
    assert group_gaps(grouped("full", "a", 9), rng=rng()) == ()
    (one, other) = group_gaps([*grouped("full", "a", 1), *grouped("none", "b", 9)], rng=rng())
    assert (one.difference.estimate, one.p_adjusted, other.p_adjusted) == (None, None, None)
    with pytest.raises(ValueError, match="adjustment must be"):
        group_gaps([], rng=rng(), adjustment="none")
