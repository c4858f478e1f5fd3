"""The issue list: the form of a DNPM node's report, a severity that never blocks a record, and no finding left out."""

from __future__ import annotations

import datetime as dt

from equipoise.audit.verdict import Label
from equipoise.exports.dnpm import SEVERITY, issue_report, unreadable_report
from equipoise.exports.findings import Weight, findings
from exports.conftest import DATA, audited

ORDER = ("info", "warning", "error", "fatal")


def test_the_form_is_that_of_a_validation_report(decided):
    case, verdicts = decided
    report = issue_report(case.case_id, verdicts)
    assert list(report) == ["patient", "issues", "createdAt"]
    assert report["patient"] == "demo-1"
    assert report["createdAt"] == "2026-11-30T00:00:00Z"
    for issue in report["issues"]:
        assert list(issue) == ["severity", "message", "path"]
        assert issue["severity"] in ORDER
        assert issue["message"]
        assert issue["path"].startswith("/")


def test_every_finding_is_there_at_its_recommendation(decided):
    case, verdicts = decided
    report = issue_report(case.case_id, verdicts)
    for verdict in verdicts:
        place = f"/carePlans/medicationRecommendations[{verdict.recommendation_id}]"
        messages = [issue["message"] for issue in report["issues"] if issue["path"] == place]
        assert messages == [f"{item.text} [{item.code}]" for item in findings(verdict)] or (
            verdict.label is Label.SUPPORTED and messages == [verdict.headline]
        )


def test_no_verdict_makes_a_node_refuse_a_record(decided, undecided):
    for case, verdicts in (decided, undecided):
        severities = {issue["severity"] for issue in issue_report(case.case_id, verdicts)["issues"]}
        assert severities <= {"info", "warning"}
    assert SEVERITY[Weight.DECIDES] == "warning"
    assert set(SEVERITY) == set(Weight)


def test_a_missing_field_is_named_at_its_element(undecided):
    case, verdicts = undecided
    paths = {issue["path"] for issue in issue_report(case.case_id, verdicts)["issues"]}
    assert {"/ngsReports", "/guidelineTherapies"} <= paths


def test_an_input_that_could_not_be_read_is_an_error():
    report = unreadable_report("c", "expected 0 to 4", dt.date(2026, 11, 30), field="ecog")
    assert report["issues"] == [{"severity": "error", "message": "expected 0 to 4", "path": "/performanceStatus"}]


def test_an_id_with_a_slash_is_one_step_of_the_path():
    case, verdicts = audited({**DATA, "recommendations": [{"id": "a/b", "regimen": "osimertinib"}]})
    (issue,) = issue_report(case.case_id, verdicts)["issues"]
    assert issue["path"].split("/")[1:] == ["carePlans", "medicationRecommendations[a%2Fb]"]
