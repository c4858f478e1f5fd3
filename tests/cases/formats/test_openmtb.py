"""The reader of the OpenMTB-Audit field names: each maps to a field of the Case, and the benchmark's own answers are never read."""

from __future__ import annotations

import dataclasses

import pytest

from equipoise.cases.formats import case_from_object, own_fields
from equipoise.cases.formats.openmtb import NAMES
from equipoise.errors import CaseError

THEIRS = {
    "case_id": "m1",
    "genomic_alteration": "EGFR exon 19 deletion",
    "proposed_therapy": "osimertinib",
    "stage": "Stage IV",
    "ecog": 1,
    "prior_therapy": "Carboplatin + pemetrexed (progressed)",
    "histology": "Lung adenocarcinoma",
    "pdl1": "1-49%",
    "brain_mets": True,
    "treatment_setting": "metastatic",
    "age": 60,
    "sex": "female",
}
OURS = {
    "case_id": "m1",
    "tumor": "NSCLC",
    "biomarkers": "EGFR exon 19 deletion",
    "recommendations": "osimertinib",
    "stage": "Stage IV",
    "ecog": 1,
    "prior_therapies": "Carboplatin + pemetrexed (progressed)",
    "histology": "Lung adenocarcinoma",
    "pdl1": "1-49%",
    "brain_mets": True,
    "setting": "metastatic",
    "age": 60,
    "sex": "female",
}


def test_their_names_and_ours_give_equal_cases_and_equal_hashes():
    assert case_from_object(THEIRS) == case_from_object(OURS)
    assert own_fields(THEIRS) == OURS
    assert own_fields(OURS) == OURS


@pytest.mark.parametrize(
    "extra",
    [
        {"profile_key": "ALK"},
        {"support_label": "Unsupported"},
        {"should_abstain": True},
        {"missing_fields": ["ecog"]},
        {"error_type": "anything"},
        {"case_type": "clean"},
        {"ground_truth_therapy": "alectinib"},
        {"patient_summary": "ALK fusion, treated with alectinib"},
        {"smoking": "never"},
    ],
)
def test_answers_keys_and_summaries_change_nothing(extra):
    assert case_from_object({**THEIRS, **extra}) == case_from_object(THEIRS)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("case_id", "as_of", "age", "sex")])
def test_every_name_is_read(name):
    stated = {**THEIRS, "ecog_status": 1}
    without = {
        key: value for key, value in stated.items() if key != name and not (name == "ecog" and key == "ecog_status")
    }
    if name == "ecog_status":
        without.pop("ecog")
        stated.pop("ecog")
    assert dataclasses.replace(case_from_object(without), content_hash="") != dataclasses.replace(
        case_from_object(stated), content_hash=""
    )


def test_of_two_names_for_ecog_the_documented_one_counts():
    assert case_from_object({**THEIRS, "ecog": None, "ecog_status": 2}).ecog.value == {2}


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("treatment_setting", "setting"),
        ("stage", "stage"),
        ("ecog", "ecog"),
        ("pdl1", "pdl1"),
        ("prior_therapy", "prior_therapies"),
    ],
)
def test_an_error_names_the_field_of_the_case(name, field):
    with pytest.raises(CaseError) as caught:
        case_from_object({**THEIRS, name: 17.5 if name != "pdl1" else -4})
    assert caught.value.field == field
