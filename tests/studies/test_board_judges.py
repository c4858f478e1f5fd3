"""How far judges of boards can be trusted: failures, repeats, makers, runs asked again."""

from __future__ import annotations

import pytest

from board_scores_help import failed_judge, failed_reply, score
from equipoise.boards.judging.criteria import TEXT
from equipoise.studies.board_judges import judge_counts, kinships, repeats_of
from equipoise.studies.board_scores import tables


def test_failures_of_a_judge_are_counted_by_state_and_failed_replies_are_not_its():
    rows = [
        score(5, item="a"),
        failed_judge("truncated", item="b"),
        failed_judge("error", item="c"),
        failed_reply(item="d"),
    ]
    (count,) = judge_counts(tables(rows))
    assert (count.asked, count.read, dict(count.failures)) == (3, 1, {"error": 1, "truncated": 1})


def test_repeats_that_agree_are_counted():
    rows = [
        score(5, item="a", repeat=1),
        score(5, item="a", repeat=2),
        score(4, item="b", repeat=1),
        score(3, item="b", repeat=2),
    ]
    (count,) = judge_counts(tables(rows))
    assert (count.repeated, count.same) == (2, 1)


def test_measures_without_a_judge_have_none():
    assert judge_counts(tables([score(0.3, rubric=TEXT, criterion="rouge-l")])) == ()


def test_same_makers_and_unknown_makers_are_told():
    rows = [
        score(3, system=system, judge=judge)
        for system in ("openai/gpt-5", "meta/llama-4")
        for judge in ("openai/o3", "who/x")
    ]
    found = {(item.judge, item.system): item.maker for item in kinships(tables(rows))}
    assert found == {
        ("openai/o3", "openai/gpt-5"): "openai", ("who/x", "openai/gpt-5"): "", ("who/x", "meta/llama-4"): "",
    }  # fmt: skip


def test_constants_and_panels_have_no_makers():
    rows = [
        score(3, system="equipoise/board-defer", judge="openai/o3"),
        score(3, system="openai/gpt-5", judge="panel:median"),
    ]
    assert kinships(tables(rows)) == ()


def test_answers_asked_again():
    rows = [score(value, item=item, trial=trial) for item, values in {"a": [3, 3, 3], "b": [1, 5, 3], "c": [2]}.items()
            for trial, value in enumerate(values, start=1)]  # fmt: skip
    (found,) = repeats_of(tables(rows))
    assert (found.items, found.same, found.widest) == (2, 1, 4)
    assert found.spread == pytest.approx((0 + 2) / 2)
    assert repeats_of(tables([score(3)])) == ()


def test_a_maker_the_user_told_counts_with_or_without_the_provider():
    rows = [score(3, system="mock/two", judge="openai/o3")]
    assert [item.maker for item in kinships(tables(rows))] == [""]
    assert [item.maker for item in kinships(tables(rows), {"two": "openai"})] == ["openai"]
    assert [item.maker for item in kinships(tables(rows), {"mock/two": "openai"})] == ["openai"]
    assert kinships(tables(rows), {"two": "meta"}) == ()
