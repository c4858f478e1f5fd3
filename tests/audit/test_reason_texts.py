"""What a reason says is true of the case: nothing doubled, nothing turned round, no date that is not the test's."""

from __future__ import annotations

import datetime as dt

import pytest

from equipoise.audit.pipeline import Auditor

DAY = dt.date(2026, 11, 1)
CASE = {
    "tumor": "NSCLC",
    "histology": "adenocarcinoma",
    "stage": "IVB",
    "setting": "metastatic",
    "ecog": 1,
    "prior_therapies": "none",
}


def reason(code: str, policy: str = "label", **fields: object) -> str:
    (verdict,) = Auditor(as_of=DAY, policy=policy).audit({**CASE, **fields})
    texts = [item.text for item in verdict.reasons if item.code == code]
    assert texts, [item.code for item in verdict.reasons]
    return texts[0]


def test_a_required_absence_that_fails_is_not_called_an_exclusion_of_itself():
    text = reason(
        "exclusion-met",
        biomarkers=["EGFR L858R", "ALK negative"],
        pdl1={"tps": 5},
        recommendations=["pembrolizumab"],
        prior_therapies="none",
    )
    assert "EGFR mutation present" in text
    assert "excludes this: no" not in text


def test_a_setting_is_named_once():
    text = reason(
        "supported-other-setting",
        setting="adjuvant",
        stage="IIA",
        biomarkers=["ALK fusion"],
        recommendations=["lorlatinib"],
    )
    assert "setting setting" not in text
    assert "the setting of the case is adjuvant" in text


@pytest.mark.parametrize(
    ("fields", "policy", "expected"),
    [
        ({"biomarkers": ["ALK negative"]}, "label", "ALK fusion is documented as not present"),
        ({"biomarkers": ["EGFR L858R"], "biomarkers_complete": True}, "label", "panel that is documented as complete"),
        ({"biomarkers": ["EGFR L858R"]}, "openmtb-2026", "counts as absent here"),
    ],
)
def test_an_absent_marker_is_explained_by_what_the_record_says(fields, policy, expected):
    text = reason("biomarker-absent", policy, **fields, recommendations=["alectinib"])
    assert expected in text
    assert "another result for the same gene" not in text
    assert DAY.isoformat() not in text


def test_a_variant_absent_by_another_variant_says_so():
    text = reason("biomarker-absent", biomarkers=["EGFR R776C"], recommendations=["erlotinib"])
    assert "absent by another result for the same gene" in text
    assert DAY.isoformat() not in text


def test_a_regimen_without_a_target_says_what_it_fails_on():
    (verdict,) = Auditor(as_of=DAY, policy="openmtb-2026").audit(
        {**CASE, "biomarkers": ["EGFR L858R"], "recommendations": ["atezolizumab"]}
    )
    assert str(verdict.label) == "Unsupported"
    assert "has a listed drug" in verdict.reasons[0].text
    assert "not documented" not in verdict.headline
    assert [row.found for row in verdict.evidence[0].criteria if row.result == "violated"] == ["EGFR:L858R"]
