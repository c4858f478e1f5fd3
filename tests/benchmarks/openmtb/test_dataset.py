from __future__ import annotations

import json

import pytest

from equipoise.benchmarks.openmtb.dataset import dataset_hash, from_records, load_cases, load_predictions
from equipoise.errors import InputError, UsageError

PUBLISHED = {
    "case_id": "x1",
    "case_type": "adversarial",
    "error_type": "missing_critical_information",
    "patient_summary": "A person with a tumor.",
    "genomic_alteration": "EGFR L858R",
    "profile_key": "K",
    "proposed_therapy": "osimertinib",
    "stage": "Stage IV",
    "ecog": None,
    "prior_therapy": None,
    "support_label": "Insufficient Information",
    "should_abstain": True,
    "missing_fields": ["ecog_status", "prior_therapy", "brain_metastasis", "pdl1_expression", "biomarker_validation"],
    "ground_truth_therapy": "osimertinib",
}
GENERATED = {
    "case_id": "g1",
    "ecog": 1,
    "reference": {
        "label": "Unsupported",
        "abstain": False,
        "missing_fields": [],
        "error_type": "wrong_line",
        "parent_id": "g0",
        "edit": {"field": "prior_therapies", "from": [], "to": ["x"]},
    },
}


def write(path, *records):
    path.write_text("\n".join(json.dumps(record) for record in records) + "\n", encoding="utf-8")
    return path


def test_published_form(tmp_path):
    (case,) = load_cases(write(tmp_path / "cases.jsonl", PUBLISHED))
    assert case.reference.label == "Insufficient Information"
    assert case.reference.abstain is True
    assert case.reference.missing_fields == ("biomarkers", "brain_mets", "ecog", "pdl1", "prior_therapies")
    assert (case.reference.error_type, case.reference.case_type) == ("missing_critical_information", "adversarial")


def test_generated_form(tmp_path):
    (case,) = load_cases(write(tmp_path / "cases.jsonl", GENERATED))
    assert case.inputs == {"case_id": "g1", "ecog": 1}
    assert case.reference.case_type == "adversarial"
    assert case.reference.parent_id == "g0"
    assert case.reference.edit["field"] == "prior_therapies"


def test_inputs_hold_no_reference_element(tmp_path):
    path = write(tmp_path / "cases.jsonl", PUBLISHED)
    (full,) = load_cases(path)
    assert set(PUBLISHED) - set(full.inputs) == {
        "case_type", "error_type", "support_label", "should_abstain", "missing_fields", "ground_truth_therapy",
    }  # fmt: skip
    (bare,) = load_cases(path, inputs="no-profile")
    assert set(full.inputs) - set(bare.inputs) == {"profile_key"}
    (text,) = load_cases(path, inputs="text")
    assert text.inputs == {"case_id": "x1", "patient_summary": "A person with a tumor."}


def test_json_list_object_and_jsonl_are_the_same(tmp_path):
    other = PUBLISHED | {"case_id": "x2"}
    lines = load_cases(write(tmp_path / "a.jsonl", PUBLISHED, other))
    (tmp_path / "b.json").write_text(json.dumps([PUBLISHED, other]), encoding="utf-8")
    (tmp_path / "c.json").write_text(json.dumps({"cases": [PUBLISHED, other]}), encoding="utf-8")
    assert lines == load_cases(tmp_path / "b.json") == load_cases(tmp_path / "c.json")
    assert lines == from_records([PUBLISHED, other])
    assert dataset_hash(lines) == dataset_hash(load_cases(tmp_path / "b.json"))
    assert dataset_hash(lines) != dataset_hash(lines[:1])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"support_label": "Unsafe"}, "line 2, field support_label: expected one of Supported"),
        ({"should_abstain": "yes"}, "line 2, field should_abstain: expected true or false"),
        ({"missing_fields": "ecog"}, "line 2, field missing_fields: expected a list"),
        ({"case_id": ""}, "line 2, field case_id: expected a non-empty text"),
        ({"case_id": "x1"}, "case_id 'x1' occurs twice"),
        ({"error_type": 3}, "line 2, field error_type: expected a text"),
    ],
)
def test_errors_name_file_line_and_field(tmp_path, change, expected):
    path = write(tmp_path / "cases.jsonl", PUBLISHED, PUBLISHED | {"case_id": "x2"} | change)
    with pytest.raises(InputError) as caught:
        load_cases(path)
    assert str(path) in str(caught.value)
    assert expected in str(caught.value)


def test_usage_errors(tmp_path):
    with pytest.raises(UsageError, match="there is no such file"):
        load_cases(tmp_path / "none.jsonl")
    path = write(tmp_path / "cases.jsonl", PUBLISHED)
    with pytest.raises(UsageError, match="expected one of full, no-profile, text"):
        load_cases(path, inputs="half")
    with pytest.raises(UsageError, match="has no patient_summary"):
        load_cases(write(tmp_path / "g.jsonl", GENERATED), inputs="text")
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds no case"):
        load_cases(tmp_path / "empty.jsonl")


def test_predictions_use_the_same_names(tmp_path):
    path = write(
        tmp_path / "p.jsonl",
        {"case_id": "x1", "predicted_label": "Supported", "predicted_missing_fields": ["ecog_status"]},
    )
    (answer,) = load_predictions(path)
    assert answer.missing_fields == ("ecog",)
