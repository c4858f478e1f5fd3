"""Which published labels contradict a source, and what the inputs give away."""

from __future__ import annotations

import json

import pytest

from equipoise.audit.verdict import LABELS
from equipoise.benchmarks.openmtb import load_cases
from equipoise.benchmarks.openmtb.audit_reference import (
    FEATURE_SETS,
    FINDINGS,
    STANDING,
    audit_reference,
    features,
    four_rules,
    leak_audit,
    reference_markdown,
)
from equipoise.benchmarks.openmtb.dataset import from_records

PLAIN = {
    "genomic_alteration": "EGFR L858R", "proposed_therapy": "osimertinib", "stage": "Stage IV", "ecog": 1,
    "prior_therapy": "None (treatment-naive)", "histology": "Lung adenocarcinoma", "pdl1": "not tested",
    "brain_mets": False, "treatment_setting": "metastatic",
}  # fmt: skip


def record(case_id, label, *, abstain=False, error_type="none", **changes):
    return {
        "case_id": case_id, **PLAIN, **changes, "support_label": label, "should_abstain": abstain,
        "missing_fields": [], "error_type": error_type,
    }  # fmt: skip


def audited(*records):
    return audit_reference(from_records(records))


@pytest.mark.parametrize(
    ("changes", "published", "standing"),
    [
        ({}, "Supported", "stands"),
        ({}, "Unsupported", "contradicted"),
        ({}, "Partially Supported", "weaker"),
        ({"prior_therapy": None}, "Supported", "undecided"),
        ({}, "Insufficient Information", "decided"),
        ({"prior_therapy": "Osimertinib (progressed)"}, "Supported", "contradicted"),
    ],
)
def test_how_a_label_stands(changes, published, standing):
    (row,) = audited(record("one", published, **changes)).rows
    assert row.standing == standing
    assert (row.cited == ()) == (standing == "stands")


@pytest.mark.parametrize(
    ("changes", "code", "assertion"),
    [
        (
            {"genomic_alteration": "EGFR T790M"},
            "t790m-without-egfr-tki",
            "nsclc.osimertinib.egfr-t790m.metastatic-after-egfr-tki",
        ),
        (
            {"genomic_alteration": "PD-L1 TPS >= 50%", "pdl1": "\u2265 50%", "proposed_therapy": "pembrolizumab",
             "prior_therapy": "Pembrolizumab"},
            "same-immunotherapy-again",
            None,
        ),
        ({"prior_therapy": "Osimertinib (progressed)"}, "progressed-on-drug", None),
        (
            {"genomic_alteration": "KRAS G12C", "proposed_therapy": "sotorasib", "stage": "Stage II",
             "treatment_setting": "adjuvant", "prior_therapy": "Carboplatin + pemetrexed"},
            "setting-without-evidence",
            "nsclc.sotorasib.kras-g12c.metastatic-later",
        ),
        (
            {"genomic_alteration": "EGFR Exon 20 insertion", "proposed_therapy": "amivantamab",
             "prior_therapy": "Erlotinib (progressed)"},
            "prior-therapy-not-given",
            "nsclc.amivantamab.egfr-exon20ins.metastatic-after-platinum",
        ),
    ],
)  # fmt: skip
def test_findings_name_their_assertion(changes, code, assertion):
    result = audited(record("one", "Supported", **changes))
    (row,) = result.rows
    assert code in row.findings
    assert row.cited
    if assertion is not None:
        assert assertion in [cited.id for cited in row.cited]
        assert all(cited.source for cited in row.cited)
    found = result.findings()[code]
    assert (found["count"], found["cases"]) == (1, ["one"])
    assert found["of"] == 1


def test_a_disapproved_case_has_no_finding():
    (row,) = audited(record("one", "Unsupported", genomic_alteration="EGFR T790M")).rows
    assert row.findings == ()
    assert row.standing == "stands"


def test_t790m_after_an_egfr_tki_is_no_finding():
    result = audited(
        record("one", "Supported", genomic_alteration="EGFR T790M", prior_therapy="Gefitinib (progressed)"),
        record("two", "Supported", genomic_alteration="EGFR T790M", prior_therapy=None),
    )
    assert [row.findings for row in result.rows] == [(), ()]
    assert result.findings()["t790m-without-egfr-tki"]["of"] == 2


def test_counts_add_up_and_the_result_is_json():
    rows = [record(f"case-{number}", label) for number, label in enumerate(LABELS)]
    result = audited(*rows)
    assert sum(result.standing().values()) == len(rows)
    assert sum(sum(row.values()) for row in result.by_label().values()) == len(rows)
    assert sum(sum(row.values()) for row in result.standing_by_label().values()) == len(rows)
    data = json.loads(json.dumps(result.to_dict()))
    assert data["cases"] == len(rows)
    assert set(data["standing"]) == set(STANDING)
    assert set(data["findings"]) == {finding.code for finding in FINDINGS}


def test_an_unreadable_case_is_listed_and_loses_no_other():
    result = audited(record("one", "Supported", ecog=17), record("two", "Supported"))
    assert list(result.unreadable) == ["one"]
    assert [row.case_id for row in result.rows] == ["two"]


def test_the_four_rules_know_brackets_arrows_and_gaps_only():
    assert four_rules(PLAIN) == ("Supported", False)
    assert four_rules({**PLAIN, "ecog": None}) == ("Insufficient Information", True)
    assert four_rules({**PLAIN, "proposed_therapy": "TBD"}) == ("Insufficient Information", True)
    assert four_rules({**PLAIN, "genomic_alteration": "X (note)"}) == ("Unsupported", True)
    assert four_rules({**PLAIN, "proposed_therapy": "x (note)"}) == ("Unsupported", False)
    assert four_rules({**PLAIN, "prior_therapy": "a \u2192 b"}) == ("Partially Supported", True)


def test_features_of_a_set_hold_only_what_the_set_says():
    inputs = {"case_id": "a", "profile_key": "key", **PLAIN, "prior_therapy": None}
    assert "profile_key: key" in features(inputs, "all")
    assert not any(name.startswith("profile_key") for name in features(inputs, "no-profile"))
    bare = features(inputs, "no-drug-no-marker")
    assert not any(name.startswith(("genomic_alteration", "proposed_therapy", "profile_key")) for name in bare)
    assert "prior_therapy is empty" in features(inputs, "shape")
    assert not any(": " in name for name in features(inputs, "shape"))


def test_a_leak_is_measured_and_noise_is_not_taken_for_one():
    leaking = [
        record(
            f"case-{number}", LABELS[number % 2 * 2],
            genomic_alteration="EGFR L858R" if number % 2 == 0 else "EGFR L858R (note)",
        )
        for number in range(60)
    ]  # fmt: skip
    scores = {(one.predictor, one.features, one.target): one for one in leak_audit(from_records(leaking)).scores}
    assert scores["naive Bayes", "shape", "label"].accuracy == 1
    assert scores["best single feature", "shape", "label"].accuracy == 1
    assert scores["naive Bayes", "no-drug-no-marker", "label"].accuracy <= 0.6
    assert scores["four string rules", "rules", "label"].accuracy == 1
    again = leak_audit(from_records(leaking))
    assert again == leak_audit(from_records(leaking))
    assert again.giveaways == (("genomic_alteration holds bracket", "Unsupported", 30, 1.0),)
    assert {one.features for one in again.scores} == {*FEATURE_SETS, "rules"}
    json.dumps(again.to_dict(), allow_nan=False)
    with pytest.raises(ValueError, match="too few"):
        leak_audit(from_records(leaking[:3]))


def test_the_text_form_holds_every_count():
    result = audited(record("one", "Supported", genomic_alteration="EGFR T790M"), record("two", "Supported"))
    text = reference_markdown(result)
    assert "| Supported | 1 | 1 | 0 | 0 | 0 |" in text
    assert "`nsclc.osimertinib.egfr-t790m.metastatic-after-egfr-tki`" in text


@pytest.mark.data
def test_the_published_labels(openmtb_data):
    cases = load_cases(openmtb_data / "cases.jsonl")
    result = audit_reference(cases)
    found = result.findings()
    assert found["t790m-without-egfr-tki"]["by_published"]["Supported"] == {"count": 11, "of": 14}
    assert found["same-immunotherapy-again"]["count"] == 6
    assert found["setting-without-evidence"]["count"] > 0
    assert found["pdl1-below-cut"]["count"] > 0
    assert sum(result.standing().values()) == 500
    assert result.unreadable == {}
    for row in result.rows:
        assert row.standing == "stands" or row.cited or row.reasons
        if row.findings:
            assert row.cited


@pytest.mark.data
def test_the_published_inputs_give_the_answer_away(openmtb_data):
    leaks = leak_audit(load_cases(openmtb_data / "cases.jsonl"))
    scores = {(one.predictor, one.features, one.target): one for one in leaks.scores}
    assert scores["four string rules", "rules", "label"].accuracy == pytest.approx(0.88)
    assert scores["four string rules", "rules", "abstain"].accuracy == 1
    assert scores["naive Bayes", "shape", "label"].accuracy > 0.8
    assert len(leaks.giveaways) >= 3
