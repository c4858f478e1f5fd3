"""Single rules of the readers, where a mistake would change a verdict."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise.cases.formats import case_from_object
from equipoise.cases.formats.fhir import reader
from equipoise.cases.formats.record.codes import Coding, tables
from equipoise.cases.formats.record.medicines import medicine
from equipoise.cases.model import Case, FindingStatus
from equipoise.cases.vocabulary.drugs import read_regimen
from equipoise.cases.vocabulary.histology import read_entity

SUBJECT = {"subject": {"reference": "Patient/a"}}


def coded(system: str, code: str, display: str = "") -> dict[str, Any]:
    return {"coding": [{"system": system, "code": code, "display": display}]}


def case_of(*resources: dict[str, Any]) -> Case:
    (record,) = reader.read([{**SUBJECT, **resource} for resource in resources])
    return case_from_object(record.data)


@pytest.mark.parametrize(
    ("display", "tumor"),
    [
        ("Adenocarcinoma of lung (disorder)", "NSCLC"),
        ("Squamous cell carcinoma of lung (disorder)", "NSCLC"),
        ("Primary malignant neoplasm of lung (disorder)", "lung cancer"),
        ("Malignant neoplasm of upper lobe of lung", "lung cancer"),
        ("Small cell carcinoma of lung (disorder)", "SCLC"),
        ("Non-small cell carcinoma of lung (disorder)", "NSCLC"),
        ("Malignant melanoma of skin", "malignant melanoma of skin"),
    ],
)
def test_a_diagnosis_without_a_known_code_is_read_by_its_name(display: str, tumor: str) -> None:
    case = case_of({"resourceType": "Condition", "id": "c", "code": coded("http://snomed.info/sct", "999", display)})
    assert case.tumor.value == tumor


def test_every_tumor_and_histology_of_the_code_tables_is_understood() -> None:
    rows = tables()
    names = [name for name in rows["tumors"]["snomed"].values() if name.endswith(("cancer", "carcinoma"))]
    assert {read_entity(name).tumor for name in names} == {"NSCLC", "SCLC", "lung cancer"}
    kinds = [*rows["histologies"]["snomed"].values(), *rows["histologies"]["icdo"].values()]
    assert [name for name in kinds if read_entity(name).histology is None and read_entity(name).tumor != "SCLC"] == []


def test_lung_cancer_without_a_histology_is_not_taken_for_nsclc() -> None:
    case = case_of({"resourceType": "Condition", "id": "c", "code": coded("http://hl7.org/fhir/sid/icd-10", "C34.1")})
    assert case.tumor.value == "lung cancer"


def test_why_a_therapy_was_begun_is_not_how_it_ended() -> None:
    case = case_of(
        {"resourceType": "MedicationStatement", "id": "m", "status": "completed", "medicationCodeableConcept": {"text": "docetaxel"},
         "reasonCode": [{"text": "progression on osimertinib"}]},
    )  # fmt: skip
    assert [prior.outcome.value for prior in case.prior_therapies.value or ()] == ["completed"]


@pytest.mark.parametrize(
    ("code", "display", "outcome"),
    [
        ("277022003", "Remission phase (qualifier value)", "completed"),
        ("271299001", "Patient's condition worsened (finding)", "progressed"),
        ("419835002", "", "progressed"),
        ("75478009", "", "toxicity"),
        ("385656004", "Ended (qualifier value)", "completed"),
        ("407563006", "Treatment not tolerated (situation)", "toxicity"),
    ],
)
def test_why_a_therapy_ended_by_its_code(code: str, display: str, outcome: str) -> None:
    """A therapy that ended in remission did not end with progression."""
    case = case_of(
        {"resourceType": "MedicationStatement", "id": "m", "status": "stopped", "medicationCodeableConcept": {"text": "docetaxel"},
         "statusReason": [coded("http://snomed.info/sct", code, display)]},
    )  # fmt: skip
    assert [prior.outcome.value for prior in case.prior_therapies.value or ()] == [outcome]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("59367005", "adenosquamous"),
        ("1162767002", "squamous"),
        ("22687000", "large-cell"),
        ("1187332001", "adenocarcinoma"),
    ],
)
def test_a_morphology_by_its_snomed_code(code: str, kind: str) -> None:
    extension = {"url": "http://hl7.org/fhir/us/mcode/StructureDefinition/mcode-histology-morphology-behavior",
                 "valueCodeableConcept": coded("http://snomed.info/sct", code)}  # fmt: skip
    case = case_of(
        {
            "resourceType": "Condition",
            "id": "c",
            "code": {"text": "non-small cell lung cancer"},
            "extension": [extension],
        }
    )
    assert case.histology.value == {kind}


def test_a_gene_with_two_names_gives_no_variant() -> None:
    gene = {
        "code": coded("http://loinc.org", "48018-6"),
        "valueCodeableConcept": coded("http://www.genenames.org", "HGNC:3236", "KRAS"),
    }
    protein = {
        "code": coded("http://loinc.org", "48005-3"),
        "valueCodeableConcept": coded("http://varnomen.hgvs.org", "p.Gly12Cys"),
    }
    case = case_of(
        {"resourceType": "Observation", "id": "o", "status": "final", "code": coded("http://loinc.org", "69548-6"),
         "valueCodeableConcept": coded("http://loinc.org", "LA9633-4"), "component": [gene, protein]},
    )  # fmt: skip
    assert case.findings == ()


def test_a_region_studied_says_nothing_of_fusions() -> None:
    genes = [
        {
            "code": coded("http://loinc.org", "48018-6"),
            "valueCodeableConcept": coded("http://www.genenames.org", code, name),
        }
        for code, name in (("HGNC:3236", "EGFR"), ("HGNC:427", "ALK"))
    ]
    case = case_of(
        {
            "resourceType": "Observation",
            "id": "o",
            "status": "final",
            "code": coded("http://loinc.org", "53041-0"),
            "component": genes,
        }
    )
    assert [(one.name, one.status) for one in case.findings] == [("EGFR:any_mutation", FindingStatus.ABSENT)]


@pytest.mark.parametrize(
    ("codings", "text", "name"),
    [
        ([Coding("atc", "L01XE35", "", "2020")], "", "osimertinib"),
        ([Coding("atc", "L01EB04", "Osimertinib 80 mg", "2026")], "", "osimertinib"),
        ([Coding("rxnorm", "349472", "gefitinib 250 MG Oral Tablet")], "", "gefitinib"),
        ([Coding("unii", "3C06JJ0Z2O")], "", "osimertinib"),
        ([], "Tagrisso", "osimertinib"),
        ([Coding("atc", "L01CD01", "Paclitaxel", "2026")], "", "paclitaxel"),
        ([Coding("atc", "L01CD01")], "Abraxane", "nab-paclitaxel"),
        ([Coding("atc", "L01CD01")], "", "paclitaxel"),
    ],
)
def test_a_medicine_by_any_code_or_name(codings: list[Coding], text: str, name: str) -> None:
    assert medicine(codings, text) == (name, True, False)


def test_a_code_and_a_name_that_disagree_make_no_drug() -> None:
    found = medicine([Coding("atc", "L01EB04", "Gefitinib")])
    assert found.disagree
    assert read_regimen(found.name).unread


def test_a_drug_beside_another_one_is_never_dropped() -> None:
    found = medicine([], "osimertinib and newdrugumab 100 mg")
    assert not found.known
    assert read_regimen(found.name).unread


def test_every_drug_of_the_code_tables_is_one_of_the_vocabulary() -> None:
    names = {str(name) for table in ("atc_before", "unii") for name in tables()[table].values()}
    unread = {name for name in names if read_regimen(name).components != {name}}
    assert unread == set()


def test_two_comorbidities_of_a_record_are_both_read() -> None:
    icd = "http://hl7.org/fhir/sid/icd-10-cm"
    case = case_of(
        {"resourceType": "Condition", "id": "a", "code": coded(icd, "J84.10")},
        {"resourceType": "Condition", "id": "b", "code": coded(icd, "I26.99")},
    )
    assert {name: state.value for name, state in case.conditions.items()} == {"ild": True, "vte": True}
    assert case.ignored_fields == ()


@pytest.mark.parametrize(
    ("code", "condition"),
    [
        ("Z94.3", "transplant"),
        ("I80.2", "vte"),
        ("I80.0", ""),
        ("I80.3", ""),
        ("J70.4", "ild"),
        ("J70.5", ""),
        ("Z94.84", ""),
    ],
)
def test_a_comorbidity_by_its_icd10_code(code: str, condition: str) -> None:
    """Superficial phlebitis (I80.0) is no venous thromboembolism, and an unspecified one (I80.3) may be superficial."""
    case = case_of({"resourceType": "Condition", "id": "a", "code": coded("http://hl7.org/fhir/sid/icd-10-cm", code)})
    assert list(case.conditions) == ([condition] if condition else [])


@pytest.mark.parametrize(
    ("comparator", "low", "high"), [("<", 0, 9.99), (">=", 10, float("inf")), (">", 10, float("inf")), ("", 10, 10)]
)
def test_a_mutational_burden_below_a_limit_is_not_the_limit(comparator: str, low: float, high: float) -> None:
    amount = {"value": 10, "unit": "1/Megabase", **({"comparator": comparator} if comparator else {})}
    case = case_of(
        {"resourceType": "Observation", "id": "o", "status": "final", "code": coded("http://loinc.org", "94076-7"),
         "valueQuantity": amount},
    )  # fmt: skip
    assert case.tmb.value is not None
    assert case.tmb.value.low == pytest.approx(low, abs=0.011)
    assert case.tmb.value.high == pytest.approx(high)


def test_a_range_of_pdl1_stays_a_range() -> None:
    case = case_of(
        {"resourceType": "Observation", "id": "o", "status": "final", "code": {"text": "PD-L1 TPS"},
         "valueRange": {"low": {"value": 1, "unit": "%"}, "high": {"value": 49, "unit": "%"}}},
    )  # fmt: skip
    assert case.pdl1.tps.value == (1, 49)
