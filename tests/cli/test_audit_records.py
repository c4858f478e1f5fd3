"""`equipoise audit` and `equipoise options` on records: found by content, exit codes, what stands on the terminal and in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[1] / "cases" / "records" / "fixtures"
AS_OF = ("--as-of", "2026-11-30")


def rows(out: str) -> list[dict]:
    return [json.loads(line) for line in out.splitlines()]


def test_every_recommendation_of_a_record_is_audited(equipoise):
    done = equipoise("audit", FIXTURES / "dnpm_lung.json", *AS_OF, "--json")
    found = rows(done.out)
    assert done.code == 0
    assert [(row["case_id"], row["recommendation"], row["label"]) for row in found] == [
        ("dnpm-1", "amivantamab + carboplatin + pemetrexed", "Supported"),
        ("dnpm-1", "osimertinib", "Unsupported"),
        ("dnpm-1", "NCT00000000", "Insufficient Information"),
        ("dnpm-1/2", "docetaxel", found[3]["label"]),
    ]
    assert found[0]["record"]["format"] == "dnpm"
    assert {"place", "reason", "detail"} == set(found[0]["record"]["ignored"][0])


def test_the_terminal_says_what_was_found_and_not_read(equipoise):
    done = equipoise("audit", FIXTURES / "mcode_john_anyperson.json", *AS_OF)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "cancer-patient-john-anyperson  FHIR record, 1 recommendation"
    assert lines[1].startswith(
        "  found: tumor non-small cell lung cancer; histology adenocarcinoma; stage IIIC; setting metastatic"
    )
    assert any(
        line.startswith("  not read: 1 follows-recommendation: given after the recommendation") for line in lines
    )
    assert "cancer-patient-john-anyperson  gefitinib" in lines
    assert "  INSUFFICIENT INFORMATION  (a human decides)" in lines


def test_nothing_to_audit_is_said_with_its_reason_and_exits_0(equipoise):
    done = equipoise("audit", FIXTURES / "variants.csv", *AS_OF)
    assert done.code == 0
    assert "  NOTHING TO AUDIT  (no-recommendation)" in done.out.splitlines()
    found = rows(equipoise("audit", FIXTURES / "variants.csv", *AS_OF, "--json").out)
    assert [row["record"]["nothing"]["code"] for row in found] == ["no-recommendation", "no-recommendation"]


def test_a_definition_speaks_of_no_patient(equipoise):
    done = equipoise("audit", "-", "--json", stdin=b'{"resourceType": "ValueSet", "id": "v"}')
    assert done.code == 0
    assert rows(done.out)[0]["record"]["nothing"]["code"] == "no-patient-data"


def test_a_recommendation_that_is_not_there_is_unresolved(equipoise):
    plan = {"resourceType": "CarePlan", "id": "cp", "status": "active", "subject": {"reference": "Patient/a"},
            "activity": [{"reference": {"reference": "MedicationRequest/none"}}]}  # fmt: skip
    done = equipoise("audit", "-", "--json", stdin=json.dumps(plan).encode())
    assert done.code == 0
    row = rows(done.out)[0]
    assert row["record"]["nothing"]["code"] == "recommendation-unresolved"
    assert row["record"]["ignored"] == [
        {"place": "CarePlan/cp", "reason": "dangling-reference", "detail": "activity.reference"}
    ]


def test_a_study_is_summed_up(equipoise, tmp_path):
    table = "PATIENT_ID\tSAMPLE_ID\tONCOTREE_CODE\n" + "".join(f"P{n}\tS{n}\tLUAD\n" for n in range(20))
    (tmp_path / "data_clinical_sample.txt").write_text(table, encoding="utf-8")
    done = equipoise("audit", tmp_path, *AS_OF)
    assert done.code == 0
    assert done.out.count("NOTHING TO AUDIT") == 3
    assert "17 further records have nothing to audit either (in all: 20 no-recommendation)" in done.out


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"resourceType": "Bundle", "entry": [', "expected JSON"),
        (b'{"colour": "red"}', "expected a case, a FHIR resource or bundle, or a DNPM record"),
    ],
)
def test_what_is_no_record_is_one_line_and_exits_2(equipoise, tmp_path, content, says):
    file = tmp_path / "x.json"
    file.write_bytes(content)
    done = equipoise("audit", file)
    assert done.code == 2
    assert done.out == ""
    assert says in done.err.splitlines()[0]


def test_a_wrong_format_and_an_unknown_one_exit_2(equipoise):
    assert equipoise("audit", FIXTURES / "bwhc_lung.json", "--format", "fhir").code == 2
    done = equipoise("audit", FIXTURES / "bwhc_lung.json", "--format", "hl7v2")
    assert done.code == 2
    assert "expected one of auto, case, fhir, dnpm, cbioportal, variants" in done.err


def test_control_characters_of_a_record_are_shown_inert(equipoise):
    patient = {"resourceType": "Patient", "id": "a\u001b[31m\u202e", "gender": "female"}
    done = equipoise("audit", "-", stdin=json.dumps(patient).encode())
    assert done.code == 0
    assert "\u001b" not in done.out
    assert "\u202e" not in done.out


def test_options_of_a_study_infer_no_variant_from_a_gene(equipoise, tmp_path):
    table = "PATIENT_ID\tSAMPLE_ID\tONCOTREE_CODE\tDRIVER_MUTATIONS\tRECURRENT_METASTATIC_DISEASE\tPRIOR_LINES\nP1\tS1\tLUAD\tALK\tYES\t0\n"
    file = tmp_path / "data_clinical_sample.txt"
    file.write_text(table, encoding="utf-8")
    found = rows(equipoise("options", file, *AS_OF, "--json").out)[0]["options"]
    labels = {row["label"] for row in found if row["regimen"] == "alectinib"}
    assert labels == {"Insufficient Information"}


def test_a_stored_record_can_be_audited_again(equipoise, tmp_path):
    assert equipoise("audit", FIXTURES / "dnpm_lung.json", *AS_OF, "--out", tmp_path).code == 0
    again = equipoise("audit", tmp_path / "cases.jsonl", *AS_OF, "--json")
    stored = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows(again.out) == stored


def test_recommendations_that_are_not_whole_are_named(equipoise):
    done = equipoise("audit", FIXTURES / "fhir_features.json", *AS_OF)
    assert done.code == 0
    assert (
        "  NOT AUDITED: 3 recommendations of which the record does not hold the whole "
        "(RequestGroup/g2, CarePlan/cp, MedicationRequest/r3)" in done.out.splitlines()
    )
    assert "  found: tumor NSCLC (lung cancer with its histology); histology adenocarcinoma" in done.out
