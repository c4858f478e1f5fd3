"""What is missing is named as it is missing: a therapy that stands in the record is not called undocumented."""

from __future__ import annotations

import datetime as dt

from equipoise.audit import audit

CASE = {
    "tumor": "NSCLC",
    "stage": "IV",
    "ecog": 1,
    "biomarkers": ["EGFR L858R"],
    "recommendations": ["osimertinib"],
}


def headline(**more: object) -> str:
    (verdict,) = audit({**CASE, **more}, as_of=dt.date(2026, 11, 1))
    return verdict.headline


def test_no_history_at_all():
    assert headline().startswith("No verdict: the treatment history is not documented.")


def test_a_therapy_without_setting_and_outcome():
    said = headline(prior_therapies="osimertinib")
    assert said.startswith("No verdict: the setting or outcome of an earlier therapy is not documented.")


def test_an_assertion_about_any_mutation_of_a_gene_lists_no_variant():
    (verdict,) = audit({**CASE, "prior_therapies": "none", "biomarkers": ["EGFR R776H"]}, as_of=dt.date(2026, 11, 1))
    assert verdict.label == "Unsupported"
    assert "EGFR R776H has no drug listed" in " ".join(reason.text for reason in verdict.reasons)
    (known,) = audit({**CASE, "prior_therapies": "none", "biomarkers": ["EGFR G719S"]}, as_of=dt.date(2026, 11, 1))
    assert "variant-not-actionable" not in {reason.code for reason in known.reasons}
