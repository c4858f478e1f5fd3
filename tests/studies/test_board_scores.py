"""Means of boards: what is floored, what is left out, what never meets in one mean."""

from __future__ import annotations

import dataclasses

import pytest

from board_scores_help import DEFER, failed_judge, failed_reply, many, out_of_scope, score
from equipoise.boards.judging.criteria import DECISIONS, EQUIVALENCE, FACTS, TURN
from equipoise.boards.judging.items import SCOPE_UNKNOWN
from equipoise.errors import InputError
from equipoise.studies.board_scores import FEWEST_RECORDINGS, chosen_judge, mean_of, split_means, tables


def only(rows, **options):
    (table,) = tables(rows)
    return mean_of(table, **options)


def test_a_failed_reply_is_floored_and_a_failed_judge_is_left_out():
    rows = [score(5, item="a"), score(3, item="b"), failed_reply(item="c"), failed_judge(item="d")]
    mean = only(rows)
    assert mean.floored.estimate == pytest.approx((5 + 3 + 1) / 3)
    assert mean.scored_only.estimate == pytest.approx(4)
    assert (mean.worst, mean.best) == (pytest.approx((5 + 3 + 1 + 1) / 4), pytest.approx((5 + 3 + 5 + 5) / 4))
    assert (mean.in_scope, mean.scored, mean.failed_replies, mean.failed_judgements) == (4, 2, 1, 1)
    assert (mean.floored.n_left_out, mean.floored.why_left_out) == (1, "call or judgement failed")


def test_a_call_that_failed_is_no_reply_and_is_never_floored():
    mean = only([score(5, item="a"), failed_reply("error", item="b"), failed_reply("unparsed", item="c")])
    assert mean.floored.estimate == pytest.approx((5 + 1) / 2)
    assert (mean.floored.n_used, mean.floored.n_left_out, mean.failed_replies) == (2, 1, 2)
    assert only([failed_reply("error", item="b")]).floored.estimate is None


@pytest.mark.parametrize("state", ["empty", "blocked", "truncated", "unparsed", "error"])
def test_no_failure_is_ever_a_score_of_its_own(state):
    mean = only([score(4, item="a"), failed_reply(state, item="b")])
    assert (mean.scored, mean.scored_only.estimate, mean.scored_only.n_left_out) == (1, 4.0, 1)


def test_out_of_scope_is_neither_zero_nor_in_the_denominator():
    where = {"rubric": DECISIONS, "criterion": "surgery"}
    unknown = dataclasses.replace(out_of_scope(item="c", **where), judge_state=SCOPE_UNKNOWN)
    mean = only([score(4, item="a", **where), out_of_scope(item="b", **where), unknown])
    assert (mean.in_scope, mean.out_of_scope, mean.scope_unknown) == (1, 1, 1)
    assert mean.floored.estimate == mean.worst == mean.best == 4


def test_a_flag_counts_the_fault_over_judged_replies_only():
    where = {"rubric": EQUIVALENCE, "criterion": "critical-error", "benchmark": TURN}
    rows = [score(1, item="a", **where), score(0, item="b", **where), failed_judge(item="c", **where)]
    mean = only([*rows, dataclasses.replace(out_of_scope(item="d", **where), reply_state="empty")])
    assert mean.kind == "flag"
    assert (mean.scored_only.estimate, mean.scored_only.n_used, mean.out_of_scope) == (0.5, 2, 1)
    assert (mean.worst, mean.best) == (pytest.approx(2 / 3), pytest.approx(1 / 3))


def test_repeats_of_a_judge_are_one_value_and_a_half_failed_one_still_counts():
    rows = [score(2, repeat=1), score(4, repeat=2), failed_judge(repeat=3), score(5, item="c2", recording="c1")]
    mean = only(rows)
    assert (mean.in_scope, mean.floored.estimate, mean.failed_judgements) == (2, 4.0, 0)


@pytest.mark.parametrize("field", ["arm", "setting", "scale", "judge", "system", "rubric_hash", "benchmark"])
def test_what_never_meets_in_one_mean(field):
    rows = [score(5, item="a"), dataclasses.replace(score(1, item="a"), **{field: "other"})]
    assert [mean_of(table).floored.estimate for table in tables(rows)] in ([5, 1], [1, 5])


def test_two_ends_of_one_scale_or_two_scores_of_one_repeat_are_refused():
    with pytest.raises(InputError, match="more than one pair of ends"):
        tables([score(1, item="a"), dataclasses.replace(score(1, item="b"), lowest=0)])
    with pytest.raises(InputError, match="two scores of one repeat"):
        tables([score(1), score(2)])


def test_fewer_recordings_than_ten_have_no_interval():
    few = only(many({"one": [1, 2, 3] * (FEWEST_RECORDINGS - 1)}))
    enough = only(many({"one": [1, 2, 3, 3] * 9}))
    assert (few.recordings, few.floored.low, few.floored.estimate) == (FEWEST_RECORDINGS - 1, None, 2.0)
    assert enough.recordings > FEWEST_RECORDINGS
    assert enough.floored.low < 2.25 < enough.floored.high


def test_a_cell_under_a_hundred_items_is_underpowered():
    assert only(many({"one": [1, 2, 3] * 33})).underpowered
    assert not only(many({"one": [1, 2, 3, 4] * 25})).underpowered
    unread = [failed_judge(item=f"x{place}") for place in range(60)]
    assert only(
        [*many({"one": [1, 2, 3, 4] * 15}), *unread]
    ).underpowered, "what no judge scored adds nothing to the mean"


def test_another_system_moves_no_interval():
    alone = only(many({"one": [1, 2, 3, 5] * 12}))
    beside = [mean_of(table) for table in tables(many({"zero": [2, 2, 1, 5] * 12, "one": [1, 2, 3, 5] * 12}))]
    assert alone in beside


def test_means_by_role_type_site_and_category():
    rows = [
        score(5, item="a", benchmark=TURN, rubric=EQUIVALENCE, criterion="equivalence", stratum="uncertainty"),
        score(1, item="b", benchmark=TURN, rubric=EQUIVALENCE, criterion="equivalence", role="radiologist"),
    ]
    (table,) = tables(rows)
    assert [(item.value, item.floored.estimate) for item in split_means(table, "role")] == [
        ("radiologist", 1), ("surgeon", 5),
    ]  # fmt: skip
    assert [item.value for item in split_means(table, "question type")] == ["lung", "uncertainty"]
    assert [(item.value, item.in_scope) for item in split_means(table, "site")] == [("lung", 2)]
    assert split_means(table, "category") == ()


def test_rows_of_one_category_are_not_in_the_mean_of_all():
    where = {"rubric": FACTS, "criterion": "recall"}
    (table,) = tables([score(1.0, **where), score(0.0, category="treatment", **where)])
    assert (mean_of(table).floored.estimate, mean_of(table).in_scope) == (1.0, 1)
    assert [(item.value, item.floored.estimate) for item in split_means(table, "category")] == [("treatment", 0.0)]


def test_the_site_of_a_board_is_its_stratum_where_nothing_else_says():
    (table,) = tables([score(3, site="", stratum="kidney")])
    assert [item.value for item in split_means(table, "site")] == ["kidney"]
    assert split_means(table, "question type") == ()


def test_the_panel_is_chosen_before_any_judge():
    assert chosen_judge(["b", "panel:majority", "a"]) == "panel:majority"
    assert chosen_judge(["b", "a"]) == "b"
    assert chosen_judge(["", ""]) == ""


def test_constants_are_known_by_name():
    places = {table.place.system: table.place.constant for table in tables(many({"one": [1], DEFER: [1]}))}
    assert places == {"one": False, DEFER: True}
