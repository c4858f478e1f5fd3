"""How far judges of boards can be trusted: failures, agreement, clinicians, makers, runs asked again."""

from __future__ import annotations

import pytest

from board_scores_help import failed_judge, failed_reply, many, out_of_scope, score
from equipoise.boards.judging.criteria import EQUIVALENCE, FACTS, TEXT, TURN
from equipoise.studies.board_judges import agreements, judge_counts, kinships, repeats_of
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


def test_two_judges_exact_within_one_shift_and_weighted_kappa():
    first, second = [1, 2, 3, 4, 5, 5], [1, 2, 3, 3, 4, 2]
    rows = many({"one": first}, judge="j/a") + many({"one": second}, judge="j/b")
    (found,) = agreements(tables(rows))
    assert (found.replies, found.exact, found.within_one, found.clinician) == (6, 3, 5, False)
    assert found.shift == pytest.approx(5 / 6)
    disagreed = sum((one - two) ** 2 for one, two in zip(first, second, strict=True)) / 6
    by_chance = sum((one - two) ** 2 for one in first for two in second) / 36
    assert found.kappa.estimate == pytest.approx(1 - disagreed / by_chance)
    assert "no interval: 2 recordings" in found.kappa.method


def test_only_replies_that_both_scored_count():
    rows = [score(5, item="a", judge="j/a"), score(5, item="a", judge="j/b"), failed_judge(item="b", judge="j/a"),
            score(1, item="b", judge="j/b"), out_of_scope(item="c", judge="j/a"), score(1, item="c", judge="j/b")]  # fmt: skip
    (found,) = agreements(tables(rows))
    assert found.replies == 1


def test_clinicians_stand_second_and_panels_are_held_against_them_only():
    names = ["human/zoe", "j/a", "panel:majority"]
    rows = [score(3, item=f"c{place}", judge=name) for name in names for place in range(4)]
    found = {(item.first, item.second, item.clinician) for item in agreements(tables(rows), ["human/zoe"])}
    assert found == {("j/a", "human/zoe", True), ("panel:majority", "human/zoe", True)}


def test_with_ten_recordings_the_kappa_has_an_interval():
    first = [1, 2, 3, 4, 5, 3, 2, 1, 4, 5] * 3
    rows = many({"one": first}, judge="j/a") + many({"one": [min(5, value + 1) for value in first]}, judge="j/b")
    (found,) = agreements(tables(rows))
    assert found.kappa.low < found.kappa.estimate < found.kappa.high


def test_shares_of_facts_have_no_categories_to_agree_on():
    where = {"rubric": FACTS, "criterion": "recall"}
    assert agreements(tables([score(0.5, judge="j/a", **where), score(0.5, judge="j/b", **where)])) == ()


def test_flags_are_compared_too():
    where = {"rubric": EQUIVALENCE, "criterion": "critical-error", "benchmark": TURN}
    rows = [score(value, item=f"c{place}", judge=judge, **where)
            for judge, values in {"j/a": [0, 1, 1, 0], "j/b": [0, 1, 0, 0]}.items() for place, value in enumerate(values)]  # fmt: skip
    (found,) = agreements(tables(rows))
    assert (found.exact, found.replies) == (3, 4)
    assert found.kappa.estimate == pytest.approx(0.5)


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


def test_constants_and_clinicians_have_no_makers():
    rows = [
        score(3, system="equipoise/board-defer", judge="openai/o3"),
        score(3, system="openai/gpt-5", judge="human/zoe"),
    ]
    assert kinships(tables(rows), ["human/zoe"]) == ()


def test_answers_asked_again():
    rows = [score(value, item=item, trial=trial) for item, values in {"a": [3, 3, 3], "b": [1, 5, 3], "c": [2]}.items()
            for trial, value in enumerate(values, start=1)]  # fmt: skip
    (found,) = repeats_of(tables(rows))
    assert (found.items, found.same, found.widest) == (2, 1, 4)
    assert found.spread == pytest.approx((0 + 2) / 2)
    assert repeats_of(tables([score(3)])) == ()
