"""A bundle written by hand from the FHIR R4 pages, with every element that a rule reads; the planted violations start from it."""

from __future__ import annotations

from typing import Any

PATIENT = "urn:uuid:00000000-0000-5000-8000-000000000001"
DEVICE = "urn:uuid:00000000-0000-5000-8000-000000000002"
REQUEST = "urn:uuid:00000000-0000-5000-8000-000000000003"
CONDITION = "urn:uuid:00000000-0000-5000-8000-000000000004"
OBSERVATION = "urn:uuid:00000000-0000-5000-8000-000000000005"
ISSUE = "urn:uuid:00000000-0000-5000-8000-000000000006"
GUIDANCE = "urn:uuid:00000000-0000-5000-8000-000000000007"
PROVENANCE = "urn:uuid:00000000-0000-5000-8000-000000000008"
OUTCOME = "urn:uuid:00000000-0000-5000-8000-000000000009"
GROUP = "urn:uuid:00000000-0000-5000-8000-00000000000a"
STATEMENT = "urn:uuid:00000000-0000-5000-8000-00000000000b"
PROCEDURE = "urn:uuid:00000000-0000-5000-8000-00000000000c"
SERVICE = "urn:uuid:00000000-0000-5000-8000-00000000000d"


def entry(url: str, resource: dict[str, Any]) -> dict[str, Any]:
    return {"fullUrl": url, "resource": {"id": url.removeprefix("urn:uuid:"), **resource}}


def good() -> dict[str, Any]:
    """A new copy of the bundle."""
    subject = {"reference": PATIENT}
    drug = {"text": "osimertinib"}
    return {
        "resourceType": "Bundle",
        "id": "example",
        "type": "collection",
        "entry": [
            entry(PATIENT, {"resourceType": "Patient", "gender": "female"}),
            entry(
                DEVICE,
                {
                    "resourceType": "Device",
                    "status": "active",
                    "deviceName": [{"name": "Auditor", "type": "model-name"}],
                    "version": [{"value": "1"}],
                },
            ),
            entry(
                REQUEST,
                {
                    "resourceType": "MedicationRequest",
                    "status": "active",
                    "intent": "proposal",
                    "medicationCodeableConcept": drug,
                    "subject": subject,
                },
            ),
            entry(
                CONDITION,
                {
                    "resourceType": "Condition",
                    "clinicalStatus": {
                        "coding": [
                            {"system": "http://terminology.hl7.org/CodeSystem/condition-clinical", "code": "active"}
                        ]
                    },
                    "code": {"text": "NSCLC"},
                    "subject": subject,
                },
            ),
            entry(
                OBSERVATION,
                {
                    "resourceType": "Observation",
                    "status": "final",
                    "code": {"text": "ECOG performance status"},
                    "subject": subject,
                    "valueInteger": 1,
                },
            ),
            entry(
                ISSUE,
                {
                    "resourceType": "DetectedIssue",
                    "status": "final",
                    "severity": "moderate",
                    "code": {"text": "supported-other-line"},
                    "patient": subject,
                    "author": {"reference": DEVICE},
                    "implicated": [{"reference": REQUEST}],
                    "evidence": [{"detail": [{"reference": OBSERVATION}]}],
                },
            ),
            entry(
                GUIDANCE,
                {
                    "resourceType": "GuidanceResponse",
                    "moduleUri": "urn:example:policy",
                    "status": "data-required",
                    "subject": subject,
                    "performer": {"reference": DEVICE},
                    "reasonReference": [{"reference": CONDITION}],
                    "evaluationMessage": [{"reference": OUTCOME}],
                    "contained": [
                        {"resourceType": "Parameters", "id": "p", "parameter": [{"name": "label", "valueString": "x"}]}
                    ],
                    "outputParameters": {"reference": "#p"},
                    "dataRequirement": [
                        {
                            "type": "Observation",
                            "codeFilter": [
                                {"path": "code", "code": [{"system": "http://loinc.org", "code": "89247-1"}]}
                            ],
                        }
                    ],
                },
            ),
            entry(
                PROVENANCE,
                {
                    "resourceType": "Provenance",
                    "target": [{"reference": GUIDANCE}, {"reference": ISSUE}],
                    "recorded": "2026-11-30T00:00:00Z",
                    "agent": [{"who": {"reference": DEVICE}}],
                    "entity": [{"role": "source", "what": {"identifier": {"system": "urn:example", "value": "1"}}}],
                },
            ),
            entry(
                OUTCOME,
                {
                    "resourceType": "OperationOutcome",
                    "issue": [{"severity": "information", "code": "informational", "diagnostics": "x"}],
                },
            ),
            entry(
                GROUP,
                {
                    "resourceType": "RequestGroup",
                    "status": "active",
                    "intent": "proposal",
                    "subject": subject,
                    "action": [{"resource": {"reference": REQUEST}}],
                },
            ),
            entry(
                STATEMENT,
                {
                    "resourceType": "MedicationStatement",
                    "status": "completed",
                    "medicationCodeableConcept": drug,
                    "subject": subject,
                },
            ),
            entry(
                PROCEDURE,
                {
                    "resourceType": "Procedure",
                    "status": "completed",
                    "code": {"text": "radiotherapy"},
                    "subject": subject,
                },
            ),
            entry(
                SERVICE,
                {
                    "resourceType": "ServiceRequest",
                    "status": "active",
                    "intent": "proposal",
                    "code": {"text": "trial"},
                    "subject": subject,
                },
            ),
        ],
    }


def of(bundle: dict[str, Any], url: str) -> dict[str, Any]:
    """The resource under a full address."""
    return next(item["resource"] for item in bundle["entry"] if item["fullUrl"] == url)
