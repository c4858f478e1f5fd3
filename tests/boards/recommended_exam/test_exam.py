"""The rules on turns that were written by somebody who had not seen them."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from boards.recommended_exam.grade import ITEMS, PARTS, grade, heard_of, unseen_drugs, wanted_of

FLOORS = {"tuned": (0.95, 0.90, 76), "held_out": (0.83, 0.76, 31), "sealed": (0.87, 0.80, 34)}
"""Lowest recall and precision of regimens, and fewest turns exact, by part."""


@pytest.mark.parametrize("part", PARTS)
def test_the_figures_do_not_fall(part):
    recall, precision, exact = FLOORS[part]
    found = grade(item for item in ITEMS if item["part"] == part)
    assert found.recall >= recall
    assert found.precision >= precision
    assert found.exact >= exact


def test_a_drug_that_is_not_recommended_is_named():
    assert [item["id"] for item in ITEMS if item["part"] == "tuned" and unseen_drugs(item)] == []
    assert sum(len(unseen_drugs(item)) for item in ITEMS) <= 3


def test_the_parts_are_those_of_the_seed():
    order = list(range(len(ITEMS)))
    random.Random(20261201).shuffle(order)
    drawn = {place: "tuned" if at < 80 else "held_out" if at < 120 else "sealed" for at, place in enumerate(order)}
    assert [item["part"] for item in ITEMS] == [drawn[place] for place in range(len(ITEMS))]
    assert Counter(drawn.values()) == {"tuned": 80, "held_out": 40, "sealed": 40}


def test_a_grader_sees_a_regimen_missed_and_one_too_many():
    told = {"id": "x", "text": "I recommend osimertinib.", "recommended": [["osi"]], "named": []}
    assert wanted_of(told) == heard_of(told)
    missed = {**told, "recommended": [["osimertinib"], ["alectinib"]]}
    added = {**told, "recommended": []}
    found = grade([told, missed, added])
    assert (found.exact, found.wanted, found.heard, found.right) == (1, 3, 3, 2)
    assert found.wrong == ("x", "x")
