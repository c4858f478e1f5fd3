"""Process measures on discussions by an author who had not seen the rules, and the wording of the rules of dissent."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
import yaml

from boards.process.grade_second import EXAM, HALVES, MEASURES, report, table
from equipoise.boards.measures.process import measure_discussion
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role

ROWS = yaml.safe_load(EXAM.read_text(encoding="utf-8"))
WORDING = yaml.safe_load((Path(__file__).parent / "process" / "wording.yaml").read_text(encoding="utf-8"))
FLOORS = {
    ("tuned", "breach"): (6, 0),
    ("tuned", "dissent"): (18, 0),
    ("tuned", "lost dissent"): (6, 0),
    ("tuned", "a fault of any kind"): (23, 0),
    ("held_out", "breach"): (5, 0),
    ("held_out", "dissent"): (15, 1),
    ("held_out", "lost dissent"): (4, 0),
    ("held_out", "a fault of any kind"): (15, 6),
}
"""Fewest found and most wrongly found."""


def turns(*rows: tuple[Role, str]) -> list[Turn]:
    return [
        Turn(id=f"t{place}", speaker=role.value, role=role, text=text)
        for place, (role, text) in enumerate(rows, start=1)
    ]


def after_surgery(text: str, *later: tuple[Role, str]) -> list[Turn]:
    first = (Role.SURGEON, "I recommend surgery first, a lobectomy next week.")
    return turns(first, (Role.RADIATION_ONCOLOGIST, text), *later)


def test_the_figures_do_not_fall():
    figures = table(ROWS)
    for (half, measure), (fewest, most) in FLOORS.items():
        found, _, wrong, _ = figures[half][measure]
        assert (found >= fewest, wrong <= most) == (True, True), (half, measure, found, wrong)


def test_the_halves_are_those_of_the_seed():
    draw = random.Random(1201)
    for style in ("model", "clinic"):
        names = sorted(row["name"] for row in ROWS if row["style"] == style)
        draw.shuffle(names)
        assert {row["name"] for row in ROWS if row["style"] == style and row["half"] == "tuned"} == set(names[:22])


def test_every_discussion_is_well_formed():
    assert len({row["name"] for row in ROWS}) == len(ROWS) == 88
    assert Counter(row["half"] for row in ROWS) == dict.fromkeys(HALVES, 44)
    for row in ROWS:
        assert 5 <= len(row["turns"]) <= 14, row["name"]
        assert set(row["lost"]) <= set(row["dissent"]) - set(row["withdrawn"]), row["name"]
        assert all(item["words"].casefold() in row["conclusion"].casefold() for item in row["inconsistent"]), row[
            "name"
        ]


def test_the_table_names_every_measure_and_no_miss_of_the_held_out_half():
    lines = report(ROWS, misses=True)
    assert all(any(line.startswith(f"| {measure} |") for line in lines) for measure, _, _ in MEASURES)
    assert not {row["name"] for row in ROWS if row["half"] == "held_out"} & set(lines)


@pytest.mark.parametrize("text", WORDING["dissent"])
def test_words_of_dissent(text):
    assert [item.turn for item in measure_discussion(after_surgery(text), "").dissent] == ["t2"]


@pytest.mark.parametrize("text", WORDING["no_dissent"])
def test_words_that_only_sound_like_dissent(text):
    assert measure_discussion(after_surgery(text), "").dissent == ()


@pytest.mark.parametrize(("conclusion", "recorded"), [
    *((text, True) for text in WORDING["kept"]),
    *((text, False) for text in WORDING["not_kept"]),
])  # fmt: skip
def test_conclusions_that_keep_a_dissent_and_those_that_do_not(conclusion, recorded):
    found = measure_discussion(after_surgery("I disagree, I would irradiate it."), conclusion)
    assert [item.recorded for item in found.dissent] == [recorded]
    assert [item.lost for item in found.dissent] == [not recorded]


@pytest.mark.parametrize("text", WORDING["taken_back"])
def test_a_dissent_taken_back_is_not_lost(text):
    found = measure_discussion(after_surgery("I disagree.", (Role.RADIATION_ONCOLOGIST, text)), "Lobectomy.")
    assert [(item.turn, item.withdrawn, item.lost) for item in found.dissent] == [("t2", True, False)]


def test_agreeing_with_somebody_who_dissents_is_dissent():
    joined = after_surgery("I disagree.", (Role.MEDICAL_ONCOLOGIST, "I agree with radiation oncology."))
    assert [item.turn for item in measure_discussion(joined, "").dissent] == ["t2", "t3"]
    sided = after_surgery("I disagree.", (Role.MEDICAL_ONCOLOGIST, "I agree with the surgeon."))
    assert [item.turn for item in measure_discussion(sided, "").dissent] == ["t2"]


def test_one_member_covers_one_of_two():
    against = after_surgery("I disagree.", (Role.MEDICAL_ONCOLOGIST, "I disagree as well."))
    found = measure_discussion(against, "Lobectomy. One member argued against it.")
    assert [item.lost for item in found.dissent] == [False, True]
    both = measure_discussion(against, "Lobectomy. Two members argued against it.")
    assert [item.lost for item in both.dissent] == [False, False]


def test_a_refusal_that_the_conclusion_follows_is_not_lost():
    asked = turns((Role.RADIATION_ONCOLOGIST, "He needs surgery."), (Role.SURGEON, "I would not operate on him."))
    assert [item.lost for item in measure_discussion(asked, "No surgery. Supportive care.").dissent] == [False]
    assert [item.lost for item in measure_discussion(asked, "Surgery next week.").dissent] == [True]
    assert [item.lost for item in measure_discussion(asked, "Whipple.").dissent] == [True]


def test_a_decision_turned_around_is_told_and_a_ruled_out_treatment_is_not_new():
    said = turns((Role.MEDICAL_ONCOLOGIST, "I would leave out tamoxifen, so no tamoxifen."), (Role.SURGEON, "Fine."))
    turned = measure_discussion(said, "Tamoxifen for five years.")
    assert (turned.turned_around, turned.unmentioned, turned.consistent) == (("tamoxifen",), (), False)
    assert measure_discussion(said, "No tamoxifen, no radiation.").consistent is True


def test_doses_and_kinds_said_in_words_are_not_new():
    said = turns(
        (Role.RADIATION_ONCOLOGIST, "Fifty-four in thirty, then a boost."),
        (Role.SURGEON, "I'll take it out in June."),
    )
    assert measure_discussion(said, "Radiation, 54 Gy in 30 fractions, then resection.").consistent is True
    assert measure_discussion(said, "Radiation, 60 Gy, then resection.").unmentioned == ("60 gy",)


def test_a_turn_without_words_is_silence():
    told = turns((Role.SURGEON, "Operate."), (Role.RADIOLOGIST, "[no response]"))
    assert measure_discussion(told, "", expected_roles=[Role.RADIOLOGIST]).missing_roles == (Role.RADIOLOGIST,)
