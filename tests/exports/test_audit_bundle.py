"""Verdicts as a bundle: what each resource says, that references resolve, and that the same audit gives the same bytes."""

from __future__ import annotations

import builtins
import datetime as dt
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import CaveatState, Label
from equipoise.cases.formats import case_from_object
from equipoise.cases.formats.fhir import reader
from equipoise.cases.formats.own import read_case
from equipoise.errors import CaseError, DependencyError, InternalError
from equipoise.exports.fhir.audit import NOT_A_DEVICE, audit_bundle, unreadable_bundle
from equipoise.exports.fhir.checking import check, library_problems
from equipoise.exports.fhir.requirements import ASKED, requirement
from equipoise.exports.fhir.rules import problems
from equipoise.exports.findings import Weight, findings
from exports.conftest import DATA, audited
from exports.good_bundle import good
from strategies import CASES, DAY

AUDITOR = Auditor(as_of=DAY)


def of_type(bundle: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [entry["resource"] for entry in bundle["entry"] if entry["resource"]["resourceType"] == kind]


def by_url(bundle: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {entry["fullUrl"]: entry["resource"] for entry in bundle["entry"]}


def output(response: dict[str, Any], name: str) -> Any:
    (row,) = [row for row in response["contained"][0]["parameter"] if row["name"] == name]
    return next(value for key, value in row.items() if key.startswith("value"))


def test_every_verdict_is_one_response_with_its_provenance(decided):
    case, verdicts = decided
    bundle = audit_bundle(case, verdicts)
    responses = of_type(bundle, "GuidanceResponse")
    assert [output(one, "label") for one in responses] == [str(verdict.label) for verdict in verdicts]
    assert [output(one, "abstain") for one in responses] == [verdict.abstain for verdict in verdicts]
    assert {verdict.label for verdict in verdicts} >= {Label.SUPPORTED, Label.UNSUPPORTED}
    assert len(of_type(bundle, "Provenance")) == len(verdicts)
    assert len(of_type(bundle, "Device")) == 1


def test_every_finding_is_one_issue_and_plain_support_has_none(decided):
    case, verdicts = decided
    for verdict in verdicts:
        issues = of_type(audit_bundle(case, [verdict]), "DetectedIssue")
        assert [issue["code"]["coding"][0]["code"] for issue in issues] == [item.code for item in findings(verdict)]
    supported = next(verdict for verdict in verdicts if verdict.label is Label.SUPPORTED)
    assert of_type(audit_bundle(case, [supported]), "DetectedIssue") == []


def test_a_caveat_that_applies_is_a_finding(undecided):
    case, verdicts = undecided
    assert [item.name for item in verdicts[0].caveats if item.state is CaveatState.FIRES] == ["ecog-3"]
    found = findings(verdicts[0])
    assert [(item.code, item.weight) for item in found] == [
        ("biomarker-not-tested", Weight.OPEN),
        ("caveat:ecog-3", Weight.WEIGH),
    ]
    assert "PMID 19224850" in found[1].text
    issues = of_type(audit_bundle(case, verdicts[:1]), "DetectedIssue")
    assert [issue.get("reference") for issue in issues] == ["https://pubmed.ncbi.nlm.nih.gov/31825714/", None]


def test_an_issue_names_an_address_only_where_one_publication_is_cited(undecided):
    case, verdicts = undecided
    for source, address in (
        ("A, PMID 31825714; A again, PMID 31825714", "https://pubmed.ncbi.nlm.nih.gov/31825714/"),
        ("A, PMID 31825714; B, PMID 19224850", None),
        ("a label", None),
    ):
        verdict = replace(verdicts[0], evidence=(verdicts[0].evidence[0]._replace(source=source),))
        assert of_type(audit_bundle(case, [verdict]), "DetectedIssue")[0].get("reference") == address


def test_an_issue_points_to_the_recommendation_and_to_what_was_read(decided):
    case, verdicts = decided
    bundle = audit_bundle(case, [verdicts[1]])
    (issue,) = of_type(bundle, "DetectedIssue")
    there = by_url(bundle)
    request = there[issue["implicated"][0]["reference"]]
    assert request["medicationCodeableConcept"]["text"] == "alectinib"
    read = [there[detail["reference"]] for row in issue["evidence"] for detail in row.get("detail", ())]
    assert [one["code"]["coding"][1]["code"] for one in read] == ["ALK:fusion"]
    (source,) = [row["code"][0] for row in issue["evidence"] if "code" in row]
    assert source["coding"][0]["code"].startswith("nsclc.alectinib")
    assert "Alecensa" in source["text"]


def test_a_combination_is_implicated_as_a_whole(decided):
    case, verdicts = decided
    bundle = audit_bundle(case, [verdicts[3]])
    issue = of_type(bundle, "DetectedIssue")[0]
    group = by_url(bundle)[issue["implicated"][0]["reference"]]
    assert group["resourceType"] == "RequestGroup"
    parts = [by_url(bundle)[action["resource"]["reference"]] for action in group["action"]]
    assert {part["medicationCodeableConcept"]["text"] for part in parts} == {"amivantamab", "carboplatin", "pemetrexed"}


def test_severity_is_never_high_and_absent_where_nothing_is_known_to_be_wrong(decided, undecided):
    for case, verdicts in (decided, undecided):
        for verdict in verdicts:
            issues = of_type(audit_bundle(case, [verdict]), "DetectedIssue")
            for item, issue in zip(findings(verdict), issues, strict=True):
                expected = {Weight.DECIDES: "moderate", Weight.WEIGH: "low", Weight.NOTE: "low", Weight.OPEN: None}
                assert issue.get("severity") == expected[item.weight]


def test_missing_fields_are_asked_for(undecided):
    case, verdicts = undecided
    for response, verdict in zip(of_type(audit_bundle(case, verdicts), "GuidanceResponse"), verdicts, strict=True):
        assert verdict.missing_fields
        assert response["status"] == "data-required"
        assert response["dataRequirement"] == [requirement(name) for name in verdict.missing_fields]
        assert [reason["coding"][0]["code"] for reason in response["reasonCode"]] == [
            str(reason.code) for reason in verdict.reasons
        ]


def test_what_is_decided_asks_for_nothing(decided):
    case, verdicts = decided
    for response in of_type(audit_bundle(case, verdicts), "GuidanceResponse"):
        assert response["status"] == "success"
        assert "dataRequirement" not in response


def test_a_marker_is_asked_for_by_its_gene():
    asked = requirement("biomarkers.EGFR")
    assert asked["type"] == "Observation"
    assert [row["path"] for row in asked["codeFilter"]] == ["code", "component.value"]
    assert asked["codeFilter"][1]["code"][0]["code"] == "HGNC:3236"
    assert requirement("biomarkers.ALK:fusion")["codeFilter"][1]["code"][0]["display"] == "ALK"
    assert requirement("biomarkers.transformation")["codeFilter"][0]["code"][0]["code"] == "transformation"
    assert requirement("ecog")["codeFilter"][0]["code"][0]["code"] == "89247-1"


def test_every_field_that_can_be_missing_has_a_place():
    from equipoise.evidence.base import shipped_base
    from equipoise.evidence.criteria import leaves

    read = {
        field.partition(".")[0]
        for item in shipped_base().assertions
        for node in (*item.requires, *item.unless)
        for leaf in leaves(node)
        for field in leaf.reads
    }
    assert read <= set(ASKED)


def test_the_provenance_names_case_evidence_policy_and_engine(decided):
    case, verdicts = decided
    bundle = audit_bundle(case, verdicts[:1])
    (provenance,) = of_type(bundle, "Provenance")
    verdict = verdicts[0]
    values = {
        row["what"]["identifier"]["system"].rpartition(":")[2]: row["what"]["identifier"]["value"]
        for row in provenance["entity"]
    }
    assert values == {
        "case-hash": verdict.case_hash,
        "evidence-base": verdict.evidence_hash,
        "policy": verdict.policy_hash,
    }
    device = by_url(bundle)[provenance["agent"][0]["who"]["reference"]]
    assert device["resourceType"] == "Device"
    assert device["version"] == [{"value": verdict.engine_version}]
    assert provenance["occurredDateTime"] == "2026-11-30"
    assert {by_url(bundle)[target["reference"]]["resourceType"] for target in provenance["target"]} == {
        "GuidanceResponse"
    }


def test_not_a_medical_device_is_said_once(decided):
    case, verdicts = decided
    text = json.dumps(audit_bundle(case, verdicts))
    assert text.count(NOT_A_DEVICE) == 1
    assert len(re.findall("medical device", text, re.IGNORECASE)) == 1


def test_the_same_audit_gives_the_same_bytes(decided):
    case, verdicts = decided
    again = audited(DATA)
    assert json.dumps(audit_bundle(case, verdicts)) == json.dumps(audit_bundle(*again))


def test_another_policy_evidence_or_day_gives_other_addresses(decided):
    case, verdicts = decided
    first = {entry["fullUrl"] for entry in audit_bundle(case, verdicts[1:2])["entry"]}
    for change in ({"policy_hash": "0" * 16}, {"evidence_hash": "0" * 16}, {"as_of": dt.date(2026, 1, 1)}):
        bundle = audit_bundle(case, [replace(verdicts[1], **change)])
        kinds = ("GuidanceResponse", "DetectedIssue", "Provenance")
        other = {entry["fullUrl"] for entry in bundle["entry"] if entry["resource"]["resourceType"] in kinds}
        assert len(other) == 3
        assert not first & other


def test_the_time_of_recording_is_what_was_given(decided):
    case, verdicts = decided
    moment = dt.datetime(2026, 12, 1, 9, 30, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    assert (
        of_type(audit_bundle(case, verdicts[:1], recorded=moment), "Provenance")[0]["recorded"]
        == "2026-12-01T08:30:00Z"
    )
    assert of_type(audit_bundle(case, verdicts[:1]), "Provenance")[0]["recorded"] == "2026-11-30T00:00:00Z"
    with pytest.raises(ValueError, match="zone"):
        audit_bundle(case, verdicts[:1], recorded=moment.replace(tzinfo=None))


@given(CASES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_audit_keeps_every_rule_and_the_library_takes_it(data: dict[str, Any]) -> None:
    try:
        case = read_case(data)
        verdicts = AUDITOR.audit(case)
    except CaseError:
        assume(False)
    bundle = audit_bundle(case, verdicts)
    assert problems(bundle) == ()
    assert library_problems(bundle) == ()


def test_a_bundle_can_be_audited_again(decided):
    case, verdicts = decided
    (record,) = reader.read([audit_bundle(case, verdicts)])
    again = Auditor(as_of=dt.date(2026, 11, 30)).audit(case_from_object(dict(record.data)))
    assert [(one.recommendation_id, one.label) for one in again] == [
        (one.recommendation_id, one.label) for one in verdicts
    ]


def test_what_is_not_carried_stands_in_an_outcome():
    case, verdicts = audited({**DATA, "prior_therapies": [{"drugs": "docetaxel"}, {"drugs": "docetaxel"}]})
    bundle = audit_bundle(case, verdicts)
    (outcome,) = of_type(bundle, "OperationOutcome")
    assert [issue["expression"] for issue in outcome["issue"]] == [["prior_therapies"]]
    response = of_type(bundle, "GuidanceResponse")[0]
    assert by_url(bundle)[response["evaluationMessage"][0]["reference"]] == outcome


def test_a_case_that_could_not_be_read_has_no_verdict():
    bundle = unreadable_bundle("c", "expected an ECOG performance status from 0 to 4", "ecog")
    assert [entry["resource"]["resourceType"] for entry in bundle["entry"]] == ["OperationOutcome"]
    assert bundle["entry"][0]["resource"]["issue"][0]["severity"] == "error"
    assert library_problems(bundle) == ()


def test_hostile_text_stays_text():
    case, verdicts = audited({**DATA, "case_id": "<script>", "recommendations": ["osimertinib\u202e<b>"]})
    bundle = audit_bundle(case, verdicts)
    assert library_problems(bundle) == ()
    assert of_type(bundle, "Patient")[0]["identifier"][0]["value"] == "<script>"


def test_what_breaks_a_rule_is_never_handed_out(decided, monkeypatch):
    monkeypatch.setattr("equipoise.exports.fhir.audit.SEVERITY", dict.fromkeys(Weight, "critical"))
    with pytest.raises(InternalError, match=r"binding:DetectedIssue\.severity"):
        audit_bundle(*decided)


def test_a_broken_bundle_is_refused():
    bundle = good()
    bundle["entry"][5]["resource"]["status"] = "open"
    with pytest.raises(InternalError, match=r"binding:DetectedIssue\.status"):
        check(bundle)


def test_without_the_extra_only_the_library_check_is_refused(monkeypatch, decided):
    real = builtins.__import__

    def refuse(name: str, *more: Any, **named: Any) -> Any:
        if name.split(".")[0] == "fhir":
            raise ModuleNotFoundError(name=name)
        return real(name, *more, **named)

    import importlib

    real_module = importlib.import_module

    def refuse_module(name: str, *more: Any) -> Any:
        if name.split(".")[0] == "fhir":
            raise ModuleNotFoundError(name=name)
        return real_module(name, *more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    monkeypatch.setattr(importlib, "import_module", refuse_module)
    bundle = audit_bundle(*decided)
    with pytest.raises(DependencyError, match=r"pip install 'equipoise\[fhir\]'"):
        library_problems(bundle)
