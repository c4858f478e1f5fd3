"""Paired differences of boards, Holm within families, and the places they leave open."""

from __future__ import annotations

import dataclasses
from itertools import product

import numpy as np
import pytest

from board_scores_help import DEFER, SILENT, failed_judge, many, score
from equipoise.boards.judging.criteria import ALIGNMENT, BOARD, TEXT
from equipoise.statistics import holm
from equipoise.studies.board_compare import compared, item_means, leading, placed
from equipoise.studies.board_scores import tables

DRAWN = np.random.default_rng(3)
BASE = DRAWN.integers(1, 5, 60).astype(float).tolist()
NOISE = DRAWN.integers(-1, 2, 60)
EQUAL = [min(5.0, max(1.0, value + step)) for value, step in zip(BASE, NOISE, strict=True)]
BETTER = [min(5.0, value + 1) for value in BASE]


def lead(rows, judge="judge/a"):
    return leading(tables(rows), BOARD, {ALIGNMENT: judge} if judge else {})


def test_a_clear_difference_is_told_and_an_unclear_one_is_not():
    pairs = compared(lead(many({"base": BASE, "equal": EQUAL, "better": BETTER})))
    told = {frozenset((pair.first, pair.second)): pair.higher for pair in pairs}
    assert told[frozenset(("base", "better"))] == "better"
    assert told[frozenset(("base", "equal"))] == ""
    assert all(pair.family == "systems" and pair.pairs == 3 for pair in pairs)


def test_the_adjusted_values_are_those_of_holm():
    pairs = compared(lead(many({"base": BASE, "equal": EQUAL, "better": BETTER})))
    assert [pair.adjusted_p for pair in pairs] == pytest.approx(holm([pair.p_value for pair in pairs]))
    assert [pair.adjusted_p for pair in pairs] != [pair.p_value for pair in pairs]


def test_the_test_flips_whole_recordings():
    """Eight of ten recordings favour the first by one point an item: all sums of the flipped signs, by hand."""
    gaps = [1.0] * 8 + [-1.0] * 2
    one = [3 + gap for gap in gaps for _ in range(5)]
    (pair,) = compared(lead(many({"one": one, "two": [3.0] * 50}, per_recording=5)))
    sums = [
        abs(sum(sign * gap for sign, gap in zip(signs, gaps, strict=True))) for signs in product((1, -1), repeat=10)
    ]
    assert pair.p_value == pytest.approx(sum(value >= 6 for value in sums) / len(sums))
    assert pair.p_value > 0.05, "fifty independent items would give 0.00001"
    assert pair.higher == ""


def test_fewer_than_ten_recordings_separate_nothing():
    (pair,) = compared(lead(many({"one": [5.0] * 27, "two": [1.0] * 27})))
    assert (pair.difference.estimate, pair.difference.low, pair.p_value, pair.higher) == (4.0, None, None, "")
    assert pair.why == "9 recordings, at least 10 are needed"


def test_a_failed_reply_counts_at_the_lowest_and_a_failed_judge_not_at_all():
    rows = many({"one": [5.0, None, 3.0], "two": [5.0, 3.0, 3.0]}, per_recording=1)
    rows += [
        failed_judge(item="c003", recording="m3", system="one"),
        score(5, item="c003", recording="m3", system="two"),
    ]
    (pair,) = compared(lead(rows))
    assert pair.difference.estimate == pytest.approx(-2 / 3)
    assert (pair.difference.n_used, pair.difference.n_left_out) == (3, 1)


def test_constants_are_a_family_of_their_own_and_have_no_place():
    rows = many({"one": BETTER, DEFER: [1.0] * 60, SILENT: [1.0] * 60})
    tables_ = lead(rows)
    pairs = compared(tables_)
    assert {(pair.family, pair.first) for pair in pairs} == {("constants", "one, captions, single")}
    assert [pair.higher for pair in pairs] == ["one, captions, single"] * 2
    assert [(item.system, item.low, item.high, item.of) for item in placed(tables_, pairs)] == [("one", 1, 1, 1)]


def test_settings_of_one_system_are_compared_and_never_ranked_together():
    other = [dataclasses.replace(row, setting="agents+auditor") for row in many({"one": BETTER})]
    tables_ = lead(many({"one": BASE}) + other)
    (pair,) = compared(tables_)
    assert (pair.family, pair.stage) == ("arms and settings", "")
    assert pair.higher == "one, captions, agents+auditor"
    assert [(item.stage, item.of) for item in placed(tables_, [pair])] == [
        ("captions, single", 1), ("captions, agents+auditor", 1),
    ]  # fmt: skip


def test_two_systems_in_two_arms_are_not_compared():
    other = [dataclasses.replace(row, arm="images") for row in many({"two": BETTER})]
    assert compared(lead(many({"one": BASE}) + other)) == ()


def test_places_follow_from_what_is_separable():
    tables_ = lead(many({"base": BASE, "equal": EQUAL, "better": BETTER, "worst": [1.0] * 60}))
    places = {item.system: (item.low, item.high) for item in placed(tables_, compared(tables_))}
    assert places["better"][0] == 1
    assert places["worst"] == (4, 4)
    assert places["base"][1] == 3


def test_order_and_names_of_systems_do_not_matter():
    values = {"base": BASE, "better": BETTER}
    one = compared(lead(many(values)))
    two = compared(lead(many(dict(reversed(values.items())))))
    assert one == two
    renamed = compared(lead(many({"x": BASE, "y": BETTER})))
    assert [pair.higher for pair in renamed] == ["y"]


def test_equal_systems_share_their_places():
    tables_ = lead(many({"one": BASE, "two": BASE}))
    pairs = compared(tables_)
    assert (pairs[0].p_value, pairs[0].higher) == (1.0, "")
    assert pairs[0].difference.low < 0 < pairs[0].difference.high
    assert {(item.low, item.high) for item in placed(tables_, pairs)} == {(1, 2)}


def test_words_lead_where_nobody_judged_and_another_judge_never_does():
    words = many({"one": [0.2, 0.4]}, rubric=TEXT, criterion="rouge-l")
    judged = many({"one": [2, 4]})
    assert lead(words, "")[0].measure.criterion == "rouge-l"
    assert lead(words + judged)[0].measure.rubric == ALIGNMENT
    assert lead(words + judged, "judge/other")[0].measure.criterion == "rouge-l"
    assert lead([], "") == ()


def test_trials_of_an_item_are_one_value():
    rows = [score(5, trial=1), score(2, trial=2), dataclasses.replace(score(0.5), category="treatment", trial=3)]
    (table,) = tables(rows)
    assert item_means(table) == {"c1": (3.5, "c1")}


def test_equal_systems_are_rarely_told_apart_although_items_of_a_meeting_are_alike():
    """120 invented pairs of equal systems: the test over recordings keeps its level, one over items would not."""
    drawn = np.random.default_rng(1)
    over_recordings = over_items = 0
    for _ in range(120):
        values = {
            name: (3 + np.repeat(drawn.normal(0, 0.6, 12), 4) + drawn.normal(0, 0.5, 48)).clip(1, 5).tolist()
            for name in ("one", "two")
        }
        clustered = compared(lead(many(values, per_recording=4)))
        alone = compared(lead(many(values, per_recording=1)))
        over_recordings += bool(clustered[0].higher)
        over_items += bool(alone[0].higher)
    assert over_recordings <= 12
    assert over_items >= 24
