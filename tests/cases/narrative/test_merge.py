"""A note beside structured fields: the fields win, the note fills, a contradiction conflicts."""

from __future__ import annotations

import pytest

from equipoise.cases.formats import case_from_object
from equipoise.cases.model import Status
from equipoise.errors import CaseError

NOTE = "63F, lung adenocarcinoma, stage IVB. EGFR L858R. ECOG 1. Prior therapy: none. Plan: osimertinib."


def test_what_only_the_note_says_is_taken():
    case = case_from_object({"case_id": "x", "text": NOTE})
    assert case.case_id == "x"
    assert case.tumor.value == "NSCLC"
    assert case.stage.value == {"IVB"}
    assert case.setting.value == {"metastatic"}
    assert [finding.name for finding in case.findings] == ["EGFR:L858R"]
    assert case.prior_therapies.status is Status.ABSENT
    assert [one.components for one in case.recommendations] == [{"osimertinib"}]


def test_fields_that_agree_stay_values():
    case = case_from_object({"ecog": 1, "stage": "IV", "age": 63, "text": NOTE})
    assert case.ecog.value == {1}
    assert case.stage.value == {"IVA", "IVB"}
    assert case.age.status is Status.VALUE


@pytest.mark.parametrize(
    ("field", "value", "name"),
    [
        ("ecog", 2, "ecog"),
        ("stage", "IIIA", "stage"),
        ("age", 71, "age"),
        ("sex", "male", "sex"),
        ("prior_therapies", ["docetaxel"], "prior_therapies"),
    ],
)
def test_a_contradiction_conflicts(field, value, name):
    case = case_from_object({field: value, "text": NOTE})
    assert getattr(case, name).status is Status.CONFLICTING


def test_structured_recommendations_win():
    case = case_from_object({"recommendations": ["sotorasib"], "text": NOTE})
    assert [one.components for one in case.recommendations] == [{"sotorasib"}]


def test_a_missing_outcome_is_filled_and_a_different_one_conflicts():
    text = "Progressed on osimertinib."
    filled = case_from_object({"prior_therapies": ["osimertinib"], "text": text}).prior_therapies
    assert filled.value is not None
    assert str(filled.value[0].outcome) == "progressed"
    ongoing = case_from_object({"prior_therapies": [{"drugs": "osimertinib", "outcome": "ongoing"}], "text": text})
    assert ongoing.prior_therapies.status is Status.CONFLICTING


def test_the_note_must_be_text():
    with pytest.raises(CaseError, match="text"):
        case_from_object({"text": 3})


def test_an_empty_note_changes_nothing():
    assert case_from_object({"ecog": 1, "text": "  "}).ecog.value == {1}
