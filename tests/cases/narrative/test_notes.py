"""The reader against the notes that were written before it (SPEC.md): field-level precision and recall."""

from __future__ import annotations

import pytest

from cases.narrative import grader
from equipoise.cases.narrative.reader import read_note

PRECISION, RECALL = 0.98, 0.93


@pytest.fixture(scope="module")
def score() -> grader.Score:
    return grader.grade_all(read_note)


def test_precision_and_recall_overall(score):
    table = score.table() + "\n" + "\n".join(map(str, score.misses))
    assert score.precision() >= PRECISION, table
    assert score.recall() >= RECALL, table


def test_precision_and_recall_of_the_held_out_notes():
    held = grader.grade_all(read_note, folder=grader.HELD_OUT)
    table = held.table() + "\n" + "\n".join(map(str, held.misses))
    assert held.precision() >= PRECISION, table
    assert held.recall() >= RECALL, table


@pytest.mark.parametrize(
    "field",
    ["age", "sex", "ecog", "tumor", "histology", "stage", "biomarkers", "pdl1", "comorbidities", "comedications"],
)
def test_precision_of_what_decides(score, field):
    assert score.precision(field) >= PRECISION, [miss for miss in score.misses if miss[1] == field]


@pytest.mark.parametrize("field", ["language", "instruction"])
def test_languages_and_instructions_without_a_miss(score, field):
    assert score.precision(field) == score.recall(field) == 1.0


def test_the_fixture_is_large_and_its_ids_are_unique():
    entries = [*grader.entries(), *grader.entries(grader.HELD_OUT)]
    assert len(grader.entries()) >= 150
    assert len({entry["id"] for entry in entries}) == len(entries)


def test_the_grader_counts_a_wrong_value_against_precision_and_a_missing_one_against_recall():
    entry = {"id": "x", "expect": {"ecog": [1], "sex": "female", "unknown_fields": ["brain_mets"]}}
    score = grader.Score()
    grader.grade(entry, read_note("ECOG 2. MRI brain clear."), score)
    assert (score.expected["ecog"], score.read["ecog"], score.right["ecog"]) == (1, 1, 0)
    assert (score.expected["sex"], score.read["sex"]) == (1, 0)
    assert (score.expected["brain_mets"], score.read["brain_mets"], score.right["brain_mets"]) == (0, 1, 0)
