"""The verdicts of one case as a bundle: a GuidanceResponse each, a DetectedIssue a finding, a Provenance each, one Device.

What is recommended is never edited: the bundle holds its own copy of the case (`equipoise.exports.fhir.case`), and the audit stands
beside it and refers to it. `severity` is never `high`: FHIR means danger to life by it, and a comparison with sources cannot say that.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.audit.verdict import EvidenceUse, Label, Verdict
from equipoise.audit.wording.terms import field_words
from equipoise.cases.model import Case
from equipoise.exports.fhir.case import Written, write_case
from equipoise.exports.fhir.checking import check
from equipoise.exports.fhir.entries import address, concept, entry, ref
from equipoise.exports.fhir.requirements import requirement
from equipoise.exports.findings import Finding, Weight, findings
from equipoise.exports.moment import instant

REASON = "urn:x-equipoise:reason-code"
"""Code system of the reason codes (docs/semantics.md section 6)."""
ASSERTION = "urn:x-equipoise:assertion"
POLICY, EVIDENCE, CASE_HASH = "urn:x-equipoise:policy", "urn:x-equipoise:evidence-base", "urn:x-equipoise:case-hash"

SEVERITY: Mapping[Weight, str | None] = {
    Weight.DECIDES: "moderate",
    Weight.WEIGH: "low",
    Weight.OPEN: None,
    Weight.NOTE: "low",
}
"""Weight of a finding -> severity of the issue; none where nothing is known to be wrong."""

NOT_A_DEVICE = "Compares a documented recommendation with dated sources. Not a medical device; read the sources."
_PMID = re.compile(r"PMID:? ?(\d{5,9})")


def audit_bundle(case: Case, verdicts: Sequence[Verdict], *, recorded: dt.datetime | None = None) -> dict[str, Any]:
    """A case and its verdicts as one bundle of type collection.

    Args:
        case: the case that was audited.
        verdicts: its verdicts, at least one, in their order.
        recorded: when the audit was made, with a time zone; None takes the start (UTC) of the day for which the evidence was read.

    Returns:
        A bundle in which every reference resolves. The same input gives the same bytes.

    Raises:
        InternalError: a rule of `equipoise.exports.fhir.rules` is broken.
    """
    first = verdicts[0]
    key = [
        first.case_hash,
        first.policy_hash,
        first.evidence_hash,
        first.as_of.isoformat(),
        first.jurisdiction,
        first.engine_version,
    ]
    device = address("device", first.engine_version)
    written = write_case(case)
    entries = [entry(device, _device(first.engine_version)), *written.entries]
    message = address("not-carried", key, case.case_id)
    if written.not_carried:
        entries.append(entry(message, _outcome(written)))
    for place, verdict in enumerate(verdicts):
        mine = [*key, verdict.case_id, verdict.recommendation_id, place, list(verdict.modules_off)]
        response = address("guidance", mine)
        targets = [response]
        entries.append(entry(response, _response(verdict, written, device, message if written.not_carried else "")))
        for number, finding in enumerate(findings(verdict)):
            issue = address("issue", mine, number, finding.code, finding.text)
            targets.append(issue)
            entries.append(entry(issue, _issue(finding, verdict, written, device)))
        entries.append(
            entry(address("provenance", mine), _provenance(verdict, targets, device, instant(recorded, verdict.as_of)))
        )
    name = address("bundle", key, case.case_id, [verdict.recommendation_id for verdict in verdicts])
    bundle = {"resourceType": "Bundle", "id": name.removeprefix("urn:uuid:"), "type": "collection", "entry": entries}
    check(bundle)
    return bundle


def unreadable_bundle(case_id: str, error: str, field: str = "") -> dict[str, Any]:
    """What stands in the place of a bundle for a case that could not be read: one OperationOutcome, no verdict.

    Args:
        case_id: its id as far as known.
        error: what is wrong.
        field: the field concerned; empty when none is.
    """
    url = address("unreadable", case_id, error)
    outcome = {
        "resourceType": "OperationOutcome",
        "issue": [
            {
                "severity": "error",
                "code": "structure",
                "diagnostics": error,
                "expression": [field],
            }
        ],
    }
    name = address("bundle", "unreadable", case_id).removeprefix("urn:uuid:")
    bundle = {"resourceType": "Bundle", "id": name, "type": "collection", "entry": [entry(url, outcome)]}
    check(bundle)
    return bundle


def _device(version: str) -> dict[str, Any]:
    return {
        "resourceType": "Device",
        "status": "active",
        "deviceName": [{"name": "Equipoise", "type": "model-name"}],
        "version": [{"value": version}],
        "note": [{"text": NOT_A_DEVICE}],
    }


def _outcome(written: Written) -> dict[str, Any]:
    return {
        "resourceType": "OperationOutcome",
        "issue": [
            {
                "severity": "information",
                "code": "not-supported",
                "diagnostics": f"{item.field}: {item.why}",
                "expression": [item.field],
            }
            for item in written.not_carried
        ],
    }


def _response(verdict: Verdict, written: Written, device: str, message: str) -> dict[str, Any]:
    asks = bool(verdict.missing_fields) and verdict.label is Label.INSUFFICIENT_INFORMATION
    missing = "; ".join(field_words(name) for name in verdict.missing_fields)
    request = written.recommendations.get(verdict.recommendation_id)
    return {
        "resourceType": "GuidanceResponse",
        "contained": [_parameters(verdict)],
        "moduleUri": f"{POLICY}:{verdict.policy}",
        "status": "data-required" if asks else "success",
        "subject": ref(written.patient),
        "occurrenceDateTime": verdict.as_of.isoformat(),
        "performer": ref(device),
        "reasonCode": [concept(reason.text, (REASON, str(reason.code), "")) for reason in verdict.reasons],
        "extension": [{"url": "urn:x-equipoise:judges", "valueReference": ref(request)}] if request else None,
        "note": [{"text": verdict.headline}, *([{"text": f"Needed and not documented: {missing}."}] if asks else [])],
        "evaluationMessage": [ref(message)] if message else None,
        "outputParameters": ref("#verdict"),
        "dataRequirement": [requirement(name) for name in verdict.missing_fields] if asks else None,
    }


def _parameters(verdict: Verdict) -> dict[str, Any]:
    return {
        "resourceType": "Parameters",
        "id": "verdict",
        "parameter": [
            {"name": "label", "valueString": str(verdict.label)},
            {"name": "abstain", "valueBoolean": verdict.abstain},
            {"name": "recommendation", "valueString": verdict.recommendation or "none"},
            {"name": "jurisdiction", "valueString": verdict.jurisdiction},
            *({"name": "missing-field", "valueString": name} for name in verdict.missing_fields),
            *({"name": "module-off", "valueString": name} for name in verdict.modules_off),
        ],
    }


def _issue(finding: Finding, verdict: Verdict, written: Written, device: str) -> dict[str, Any]:
    request = written.recommendations.get(verdict.recommendation_id)
    read = [url for name in finding.fields for url in written.places(name)]
    cited = {match for use in finding.evidence for match in _PMID.findall(use.source)}
    return {
        "resourceType": "DetectedIssue",
        "status": "final",
        "code": concept(finding.code, (REASON, finding.code, "")),
        "severity": SEVERITY[finding.weight],
        "patient": ref(written.patient),
        "identifiedDateTime": verdict.as_of.isoformat(),
        "author": ref(device),
        "implicated": [ref(request)] if request else None,
        "evidence": [
            *({"detail": [ref(url)]} for url in dict.fromkeys(read)),
            *(_source(use) for use in finding.evidence),
        ],
        "detail": finding.text,
        "reference": f"https://pubmed.ncbi.nlm.nih.gov/{cited.pop()}/" if len(cited) == 1 else None,
    }


def _source(use: EvidenceUse) -> dict[str, Any]:
    return {"code": [concept(f"{use.statement} Level {use.level}. {use.source}", (ASSERTION, use.id, ""))]}


def _provenance(verdict: Verdict, targets: Sequence[str], device: str, recorded: str) -> dict[str, Any]:
    sources = (
        (CASE_HASH, verdict.case_hash, "The case as read"),
        (
            EVIDENCE,
            verdict.evidence_hash,
            f"The evidence base as of {verdict.as_of.isoformat()}, {verdict.jurisdiction}",
        ),
        (POLICY, verdict.policy_hash, f"The policy {verdict.policy}"),
    )
    return {
        "resourceType": "Provenance",
        "target": [ref(url) for url in targets],
        "occurredDateTime": verdict.as_of.isoformat(),
        "recorded": recorded,
        "policy": [f"{POLICY}:{verdict.policy}:{verdict.policy_hash}"],
        "activity": concept(f"Audit by equipoise {verdict.engine_version}"),
        "agent": [{"type": concept("device that computed the verdict"), "who": ref(device)}],
        "entity": [
            {"role": "source", "what": {"identifier": {"system": system, "value": value}, "display": name}}
            for system, value, name in sources
        ],
    }
