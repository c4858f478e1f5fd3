"""Headings, lists, labels and tables of a turn, and what they say of the drugs under them."""

from __future__ import annotations

import re

import pytest

from equipoise.boards.dose_text import JOINED, after_dose, without_asides
from equipoise.boards.turn_layout import Stance, pieces, stance_of_label, verdict

DRUG = re.compile(r"\b(?:alpha|beta|gamma)mab\b")


def laid(text: str) -> list[tuple[str, Stance | None, bool]]:
    """The pieces of a text in which alphamab, betamab and gammamab are the drugs."""
    found = pieces(
        text,
        names_only=lambda words: DRUG.fullmatch(words.strip()) is not None,
        names=lambda words: DRUG.search(words) is not None,
    )
    return [(piece.text, piece.stance, piece.fixed) for piece in found]


@pytest.mark.parametrize(
    ("label", "stance"),
    [
        ("Not recommended", Stance.REJECTED),
        ("What I'd avoid", Stance.REJECTED),
        ("Tier C (against)", Stance.REJECTED),
        ("Final proposal", Stance.PROPOSED),
        ("If performance declines", Stance.PROPOSED),
        ("At progression", Stance.PROPOSED),
        ("Prior therapy", Stance.PAST),
        ("Rationale", Stance.REPORTED),
        ("What the evidence says", Stance.REPORTED),
        ("Supportive care", Stance.REPORTED),
        ("Molecular", None),
    ],
)
def test_a_label_says_how_the_words_behind_it_are_meant(label, stance):
    assert stance_of_label(label) is stance


@pytest.mark.parametrize(
    ("words", "stance"),
    [
        ("not considered", Stance.REJECTED),
        ("wrong allele", Stance.REJECTED),
        ("reasonable elsewhere, contraindicated here", Stance.REJECTED),
        ("no longer advised", Stance.REJECTED),
        ("no change", Stance.PROPOSED),
        ("not my first choice, but acceptable", Stance.PROPOSED),
        ("eligible on all criteria", Stance.PROPOSED),
        ("received, progression after a year", Stance.PAST),
        ("received in 2019, rechallenge proposed", Stance.PROPOSED),
        ("oral", None),
    ],
)
def test_words_beside_a_drug_decide_about_it(words, stance):
    assert verdict(words) is stance


def test_a_heading_holds_for_the_lines_under_it_and_not_for_the_next_paragraph():
    assert laid("## Prior therapy\n- alphamab\n- betamab\n\nI recommend gammamab.") == [
        ("alphamab", Stance.PAST, False),
        ("betamab", Stance.PAST, False),
        ("I recommend gammamab.", None, False),
    ]


def test_a_label_that_is_a_drug_is_judged_by_what_stands_behind_it():
    assert laid("- alphamab: not advised\n- betamab → preferred") == [
        ("alphamab", Stance.REJECTED, True),
        ("betamab", Stance.PROPOSED, True),
    ]


def test_a_row_of_a_table_is_judged_by_its_other_cells_and_the_head_is_no_row():
    table = "| alphamab | Status |\n|---|---|\n| betamab | avoid |\n| gammamab | 6 cycles |"
    assert laid(table) == [("betamab", Stance.REJECTED, True), ("gammamab", None, False)]


def test_a_title_or_an_abbreviation_ends_no_sentence():
    assert [text for text, _, _ in laid("I follow Dr. Brandt on alphamab. Not betamab.")] == [
        "I follow Dr. Brandt on alphamab.",
        "Not betamab.",
    ]


def test_a_label_that_rejects_holds_for_its_line_and_one_that_proposes_for_its_sentence():
    assert laid("Against: alphamab. Also betamab.") == [
        ("alphamab.", Stance.REJECTED, False),
        ("Also betamab.", Stance.REJECTED, False),
    ]
    assert laid("Plan: alphamab. Also betamab.") == [
        ("alphamab.", Stance.PROPOSED, False),
        ("Also betamab.", None, False),
    ]


def test_nothing_of_a_plain_turn_is_lost():
    text = "I would give alphamab. If it fails, betamab - and then we talk - or gammamab"
    assert " ".join(piece[0] for piece in laid(text)) == text


@pytest.mark.parametrize(
    "gap",
    [
        " 75 mg/m2 iv on day 1 plus ", " auc 5 and ", " 200 mg q3w with ", " + ", "/", " d1-7 with ", " 1000 mg/m2, days 1 and 8, ",
        " daily together with ",
        " 10 mg/m2/day continuous infusion, 5 cycles, together with ",
    ],
)  # fmt: skip
def test_doses_and_routes_join_the_drugs_of_a_regimen(gap):
    assert JOINED.fullmatch(gap)


@pytest.mark.parametrize("gap", [" then ", " or ", " until the scan, and ", " is toxic; ", " 200 mg; not "])
def test_other_words_separate_them(gap):
    assert not JOINED.fullmatch(gap)


def test_the_dose_after_a_regimen_is_no_part_of_its_clause():
    assert after_dose(" 80 mg po daily is my choice") == " is my choice"
    assert after_dose(" is my choice") == " is my choice"


def test_an_aside_with_figures_goes_and_one_with_a_decision_or_a_drug_stays():
    low = "alphamab (os 31 vs 16 months) and (2019, stopped) (betamab 2 mg)"
    assert (
        without_asides(low, [(0, 8), (low.index("betamab"), low.index(" 2 mg"))])
        == f"alphamab {' ' * 20} and (2019, stopped) (betamab 2 mg)"
    )
