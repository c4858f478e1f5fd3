"""Stored verdicts against another evidence snapshot: which change, and why."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from equipoise.audit.pipeline import Auditor
from equipoise.audit.reaudit import NOT_COMPARED, Against, load_against, reaudit, reaudit_files
from equipoise.errors import UpstreamError, UsageError
from equipoise.evidence.base import shipped_base
from equipoise.evidence.civic import parse_snapshot

AS_OF = dt.date(2026, 11, 30)
METASTATIC = {"tumor": "NSCLC", "setting": "metastatic", "prior_therapies": "none"}
CASES = [
    {"case_id": "egfr", **METASTATIC, "biomarkers": ["EGFR L858R"], "recommendations": ["osimertinib"]},
    {
        "case_id": "g12c", "tumor": "NSCLC", "setting": "metastatic", "biomarkers": ["KRAS G12C"],
        "prior_therapies": [{"drugs": "carboplatin + pemetrexed", "line": 1, "setting": "metastatic",
                             "outcome": "progressed"}],
        "recommendations": ["sotorasib", "adagrasib"],
    },
    {"case_id": "gap", "tumor": "NSCLC", "setting": "metastatic", "biomarkers": ["EGFR L858R"],
     "recommendations": ["osimertinib"]},
]  # fmt: skip
OVERLAY = """
- id: nsclc.osimertinib.egfr-common.metastatic-1l
  regimen: osimertinib
  direction: supports
  level: B
  jurisdiction: US
  approval: off-label
  valid_from: 2018-04-18
  requires:
    - biomarker: [EGFR:L858R, EGFR:exon19del]
    - setting: [advanced, metastatic]
    - line: first
  statement: Invented for this test.
  sources: [{kind: guideline, title: Local guideline}]
  verified: {state: verified, text: read for this test, 'on': 2026-11-30}
- id: local.sotorasib.not-indicated
  regimen: sotorasib
  direction: not-indicated
  level: A
  jurisdiction: US
  valid_from: 2020-01-01
  requires: [{setting: [metastatic]}]
  statement: Invented for this test.
  sources: [{kind: guideline, title: Local guideline}]
  verified: {state: verified, text: read for this test, 'on': 2026-11-30}
"""


@pytest.fixture(scope="module")
def stored():
    auditor = Auditor(as_of=AS_OF)
    return [verdict.to_dict() for case in CASES for verdict in auditor.audit(case)]


def test_nothing_changes_against_the_same_evidence(stored):
    result = reaudit(stored, CASES, Against(name="the same"))
    assert (result.stored, result.unchanged, result.changes, result.not_compared) == (4, 4, (), ())
    assert result.evidence_hash == shipped_base().hash
    assert result.transitions == {}


def test_an_overlay_changes_what_it_speaks_of_and_says_why(stored, tmp_path):
    file = tmp_path / "local.yaml"
    file.write_text(OVERLAY, encoding="utf-8")
    result = reaudit(stored, CASES, load_against(str(file)))
    changed = {(item.case_id, item.recommendation): item for item in result.changes}
    level = changed["egfr", "osimertinib"]
    assert (level.before.label, level.after.label) == ("Supported", "Partially Supported")
    assert level.reproduced
    assert ("nsclc.osimertinib.egfr-common.metastatic-1l", "level", "A", "B") in [
        (item.id, item.kind, item.before, item.after) for item in level.evidence
    ]
    negative = changed["g12c", "sotorasib"]
    assert (negative.before.label, negative.after.label) == ("Supported", "Unsupported")
    kinds = {(item.id, item.kind) for item in negative.evidence}
    assert ("local.sotorasib.not-indicated", "appeared") in kinds
    assert any(kind == "vanished" for _, kind in kinds)
    assert "The label changes from Supported to Unsupported." in negative.why
    assert ("g12c", "adagrasib") not in changed
    assert result.transitions["Supported -> Unsupported"] == 1
    data = json.loads(json.dumps(result.to_dict()))
    assert data["against"] == "overlay local"
    assert data["labels_changed"] == sum(item.label_changed for item in result.changes)


def test_another_day_withdraws_what_was_not_yet_approved(stored):
    result = reaudit(stored, CASES, load_against("2020-01-01"))
    changed = {(item.case_id, item.recommendation): item for item in result.changes}
    assert ("egfr", "osimertinib") not in changed
    found = changed["g12c", "sotorasib"]
    assert found.label_changed
    assert any(item.reason.startswith("not yet valid; from 2021") for item in found.evidence)


def test_a_label_that_this_version_does_not_reproduce_is_not_blamed_on_the_snapshot(stored):
    older = {**stored[0], "label": "Unsupported", "engine_version": "0.0.1"}
    (change,) = reaudit([older], CASES, Against(name="the same")).changes
    assert not change.reproduced
    assert change.label_changed
    assert "0.0.1" in change.why[0]


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        ({"case_id": "nobody"}, "case-missing"),
        ({"case_hash": "0000000000000000"}, "case-changed"),
        ({"recommendation_id": "9"}, "recommendation-missing"),
        ({"as_of": "yesterday"}, "unreadable"),
        ({"jurisdiction": "MARS"}, "unreadable"),
        ({"policy": "unheard-of"}, "policy-unknown"),
    ],
)
def test_what_cannot_be_made_again_is_listed_by_reason(stored, edit, code):
    result = reaudit([{**stored[0], **edit}], CASES, Against(name="the same"))
    assert [item.code for item in result.not_compared] == [code]
    assert code in NOT_COMPARED
    assert result.to_dict()["not_compared"][0]["reason"]


def test_a_row_without_the_needed_elements_is_listed(stored):
    row = {key: value for key, value in stored[0].items() if key != "as_of"}
    assert [item.code for item in reaudit([row], CASES, Against(name="the same")).not_compared] == ["unreadable"]


def civic(*rows, day):
    head = (
        "molecular_profile\tdisease\tdoid\ttherapies\tevidence_type\tevidence_direction\tevidence_level\tsignificance"
    )
    lines = [f"{head}\tevidence_id"]
    lines.extend(
        f"{profile}\tLung Non-small Cell Carcinoma\t3908\t{drug}\tPredictive\tSupports\t{level}\t{says}\t{number}"
        for number, profile, drug, level, says in rows
    )
    return parse_snapshot("\n".join(lines).encode(), date=day)


def test_civic_changes_are_listed_and_change_no_label(stored):
    old = civic(
        (1, "EGFR L858R", "Osimertinib", "A", "Sensitivity/Response"),
        (2, "EGFR L858R", "Osimertinib", "B", "Sensitivity/Response"),
        (3, "KRAS G12C", "Adagrasib", "B", "Sensitivity/Response"),
        day=dt.date(2018, 5, 18),
    )
    new = civic(
        (1, "EGFR L858R", "Osimertinib", "C", "Resistance"),
        (3, "KRAS G12C", "Adagrasib", "B", "Sensitivity/Response"),
        (4, "KRAS G12C", "Sotorasib", "A", "Sensitivity/Response"),
        day=dt.date(2026, 5, 29),
    )
    result = reaudit(stored, CASES, Against(name=new.id, civic=new, civic_before=old))
    assert result.transitions == {}
    assert not any(item.label_changed for item in result.changes)
    found = {(item.case_id, item.recommendation): {(one.id, one.kind) for one in item.civic} for item in result.changes}
    assert found["egfr", "osimertinib"] == {
        ("CIViC EID 1", "level"), ("CIViC EID 1", "significance"), ("CIViC EID 2", "vanished"),
    }  # fmt: skip
    assert found["g12c", "sotorasib"] == {("CIViC EID 4", "appeared")}
    assert ("g12c", "adagrasib") not in found
    assert result.civic == new.id
    alone = reaudit(stored, CASES, Against(name=new.id, civic=new))
    assert {one.kind for item in alone.changes for one in item.civic} == {"appeared"}


def test_files_and_folders(stored, tmp_path):
    (tmp_path / "verdicts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in stored), encoding="utf-8")
    with pytest.raises(UsageError, match="cases"):
        reaudit_files(tmp_path, Against(name="the same"))
    (tmp_path / "cases.json").write_text(json.dumps(CASES), encoding="utf-8")
    assert reaudit_files(tmp_path, Against(name="the same")).unchanged == 4
    again = reaudit_files(tmp_path / "verdicts.jsonl", Against(name="the same"), cases=tmp_path / "cases.json")
    assert again.unchanged == 4


def test_what_against_can_name(tmp_path):
    assert load_against("2024-01-01").as_of == dt.date(2024, 1, 1)
    for name in ("yesterday", "evidence.txt", ""):
        with pytest.raises(UsageError):
            load_against(name)
    with pytest.raises(UsageError):
        load_against(str(tmp_path / "missing.yaml"))
    (tmp_path / "other.tsv").write_text("a\tb\n", encoding="utf-8")
    with pytest.raises(UpstreamError):
        load_against(str(tmp_path / "other.tsv"))


def test_the_same_input_gives_the_same_result(stored, tmp_path):
    file = tmp_path / "local.yaml"
    file.write_text(OVERLAY, encoding="utf-8")
    runs = [json.dumps(reaudit(stored, CASES, load_against(str(file))).to_dict()) for _ in range(2)]
    assert runs[0] == runs[1]
