"""Verdicts as the issue list of a DNPM node: severity, message and path, as its validation service reports them.

Form: `ValidationReport` and `Issue` in dnpm-dip/service-base (4885c1f, MIT). Severities there are info, warning, error and fatal, and a
node takes a record only when every issue is below error. What the evidence does not support is no fault of the record, so it is a warning;
only an input that could not be read is an error, and nothing here is fatal.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.audit.verdict import Label, Verdict
from equipoise.audit.wording.terms import field_words
from equipoise.exports.findings import Finding, Weight, findings
from equipoise.exports.moment import instant

SEVERITY: Mapping[Weight, str] = {
    Weight.DECIDES: "warning",
    Weight.OPEN: "warning",
    Weight.WEIGH: "info",
    Weight.NOTE: "info",
}
"""Weight of a finding -> severity of the issue."""

_ELEMENTS: Mapping[str, str] = {
    "age": "patient", "sex": "patient", "tumor": "diagnoses", "histology": "histologyReports", "stage": "diagnoses",
    "stage_edition": "diagnoses", "setting": "diagnoses", "brain_mets": "diagnoses", "ecog": "performanceStatus",
    "biomarkers": "ngsReports", "biomarkers_complete": "ngsReports", "pdl1": "ihcReports", "tmb": "ngsReports", "msi": "msiFindings",
    "prior_therapies": "guidelineTherapies", "line": "guidelineTherapies", "recommendations": "carePlans",
}  # fmt: skip
"""Field of the case -> element of a record (mtb-model 2.1) in which it would stand."""


def issue_report(case_id: str, verdicts: Sequence[Verdict], *, recorded: dt.datetime | None = None) -> dict[str, Any]:
    """The verdicts of one case as a report.

    Args:
        case_id: the patient's id in the record.
        verdicts: at least one, in their order.
        recorded: when the audit was made, with a time zone; None takes the start (UTC) of the day for which the evidence was read.

    Returns:
        `patient`, `issues` (never empty: a verdict without a finding gives its headline) and `createdAt`.
    """
    issues = [issue for verdict in verdicts for issue in _issues(verdict)]
    return {"patient": case_id, "issues": issues, "createdAt": instant(recorded, verdicts[0].as_of)}


def unreadable_report(
    case_id: str, error: str, as_of: dt.date, *, field: str = "", recorded: dt.datetime | None = None
) -> dict[str, Any]:
    """What stands in the place of a report for a case that could not be read: one issue, an error.

    Args:
        case_id: its id as far as known.
        error: what is wrong.
        as_of: day for which the evidence would have been read.
        field: the field concerned; empty when none is.
        recorded: as for `issue_report`.
    """
    head = field.partition(".")[0].partition("[")[0]
    issue = {"severity": "error", "message": error, "path": f"/{_ELEMENTS.get(head, head)}"}
    return {"patient": case_id, "issues": [issue], "createdAt": instant(recorded, as_of)}


def _issues(verdict: Verdict) -> list[dict[str, str]]:
    place = (
        f"/carePlans/medicationRecommendations[{_node(verdict.recommendation_id)}]"
        if verdict.recommendation_id
        else "/carePlans"
    )
    found = [_issue(finding, place) for finding in findings(verdict)]
    named = {issue["path"] for issue in found}
    for field in verdict.missing_fields:
        path = _path(field)
        if path not in named:
            named.add(path)
            found.append(
                {"severity": "info", "message": f"Would decide the verdict: {field_words(field)}.", "path": path}
            )
    if not found:
        calm = verdict.label in (Label.SUPPORTED, Label.PARTIALLY_SUPPORTED)
        found.append({"severity": "info" if calm else "warning", "message": verdict.headline, "path": place})
    return found


def _issue(finding: Finding, place: str) -> dict[str, str]:
    return {"severity": SEVERITY[finding.weight], "message": f"{finding.text} [{finding.code}]", "path": place}


def _path(field: str) -> str:
    head = field.partition(".")[0]
    return f"/{_ELEMENTS.get(head, head)}"


def _node(name: str) -> str:
    """An id inside a path: its slashes would be read as steps."""
    return name.replace("%", "%25").replace("/", "%2F")
