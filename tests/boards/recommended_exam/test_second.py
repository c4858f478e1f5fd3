"""The second exam stands as its head says, and its grader sees where a drug goes."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from boards.recommended_exam.grade import grade
from boards.recommended_exam.grade_second import HALVES, SECOND, STYLES, fate, main


def test_the_halves_are_those_of_the_seed():
    order = list(range(len(SECOND)))
    random.Random(5411903).shuffle(order)
    tuned = set(order[: (len(SECOND) + 1) // 2])
    assert [item["half"] for item in SECOND] == [HALVES[place not in tuned] for place in range(len(SECOND))]


def test_the_turns_are_whole():
    assert len({item["id"] for item in SECOND}) == len(SECOND) == 206
    assert Counter(item["style"] for item in SECOND) == dict(zip(STYLES, (49, 50, 107), strict=True))
    for item in SECOND:
        wanted = {name for row in item["recommended"] for name in row}
        assert item["text"].strip()
        assert all(item["recommended"])
        assert not wanted & set(item["named"])
    assert sum(not item["recommended"] and bool(item["named"]) for item in SECOND) == 42


def test_a_lost_drug_is_told_from_a_listed_one():
    item = {"text": "I recommend osimertinib.", "recommended": [["osimertinib"], ["alectinib"]], "named": ["gefitinib"]}
    found = fate(item)
    assert (found.heard, found.lost, found.unseen) == ({"osimertinib"}, {"alectinib"}, {"gefitinib"})
    taken = fate({**item, "recommended": [], "named": ["osimertinib"]})
    assert (taken.taken, taken.lost) == ({"osimertinib"}, frozenset())


@pytest.mark.parametrize(("half", "exact", "right", "lost"), [("tuned", 90, 107, 4), ("held_out", 53, 99, 21)])
def test_the_figures_do_not_fall(half, exact, right, lost):
    chosen = [item for item in SECOND if item["half"] == half]
    found = grade(chosen)
    assert (found.exact >= exact, found.right >= right) == (True, True)
    assert sum(len(fate(item).lost) for item in chosen) <= lost


def test_misses_of_the_held_out_half_are_not_printed(capsys):
    for names in (["held_out", "misses"], ["misses"], ["tuned", "held_out", "misses"]):
        main(names)
        assert " want " not in capsys.readouterr().out
