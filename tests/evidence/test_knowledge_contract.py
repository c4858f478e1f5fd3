"""The shipped NSCLC knowledge keeps its contract: every entry is sourced, dated, read or said not to be, and worked
through."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path

import pytest
import yaml

from equipoise.audit.evidence_verifier import evaluate, make_plan
from equipoise.audit.pipeline import Auditor
from equipoise.audit.policy import load_policy
from equipoise.cases.facts import facts_of
from equipoise.cases.formats import case_from_object
from equipoise.evidence.base import build_base, read_knowledge
from equipoise.evidence.criteria import leaves
from equipoise.evidence.model import NEGATIVES, Direction

FOLDER = Path(__file__).parent / "cases" / "nsclc"
RESULTS = {"match": "satisfied", "no_match": "violated", "undetermined": "undetermined"}
AS_OF = dt.date(2026, 11, 30)
BASE = build_base(read_knowledge()[0])
BY_ID = {item.id: item for item in BASE.assertions}
CASES = {
    identifier: groups
    for file in sorted(FOLDER.glob("*.yaml"))
    for identifier, groups in yaml.safe_load(file.read_text(encoding="utf-8")).items()
}


def test_at_least_300_assertions_and_220_verified():
    verified = sum(item.verification.verified for item in BASE.assertions)
    assert len(BASE.assertions) >= 300
    assert verified >= 220


@pytest.mark.parametrize("item", BASE.assertions, ids=lambda item: item.id)
def test_every_entry_says_where_it_stands_and_whether_it_was_read(item):
    assert item.sources
    assert all(source.title.strip() for source in item.sources)
    assert item.statement.strip()
    assert dt.date(1990, 1, 1) <= item.valid_from <= AS_OF
    assert item.valid_to is None or item.valid_from < item.valid_to
    assert item.verification.text.strip()
    if item.verification.verified:
        assert item.verification.on is not None
        assert item.verification.on <= AS_OF


def test_every_entry_has_cases_and_every_case_file_speaks_of_an_entry():
    assert sorted(set(BY_ID) - set(CASES)) == []
    assert sorted(set(CASES) - set(BY_ID)) == []


@pytest.mark.parametrize("identifier", sorted(CASES))
def test_every_entry_has_cases_that_match_and_cases_that_do_not(identifier):
    groups = CASES[identifier]
    assert set(groups) <= set(RESULTS)
    assert groups.get("match")
    item = BY_ID[identifier]
    if item.requires:
        assert groups.get("no_match") or groups.get("undetermined")


@pytest.mark.parametrize("identifier", sorted(CASES))
def test_every_worked_case_comes_out_as_it_says(identifier):
    policy = load_policy("label")
    plan = make_plan(BY_ID[identifier], policy)
    for group, expected in RESULTS.items():
        for number, entry in enumerate(CASES[identifier].get(group) or ()):
            case = case_from_object(entry)
            assert case.ignored_fields == (), (identifier, group, number)
            result = evaluate(plan, facts_of(case, as_of=case.as_of or AS_OF, reading=policy.reading)).result
            assert result.value == expected, (identifier, group, number, entry)


def test_no_negative_at_a_deciding_level_forbids_what_a_label_leaves_open():
    """Where immunotherapy labels exclude only EGFR and ALK, another driver or STK11 / KEAP1 is a point to weigh,
    not a bar."""
    open_to_labels = {
        "RET:fusion", "ROS1:fusion", "ERBB2:mutation", "MET:exon14skip", "BRAF:V600E", "KRAS:G12C", "NTRK:fusion",
        "STK11:loss", "KEAP1:loss", "STK11|KEAP1:loss",
    }  # fmt: skip
    found = []
    for item in BASE.assertions:
        immune = item.drug_class in {"anti-pd1-pdl1", "immune-checkpoint-inhibitor"} or any(
            name in {"pembrolizumab", "nivolumab", "atezolizumab", "durvalumab", "cemiplimab"} for name in item.regimen
        )
        if not immune or item.direction not in NEGATIVES or item.level > "B":
            continue
        asked = {
            name for node in item.requires for leaf in leaves(node) if leaf.kind == "biomarker" for name in leaf.payload
        }
        if asked & open_to_labels:
            found.append(item.id)
    assert found == []


def test_every_driver_of_a_label_has_entries_of_more_than_one_direction():
    directions: dict[str, Counter[Direction]] = {}
    for item in BASE.assertions:
        for node in item.requires:
            for leaf in leaves(node):
                if leaf.kind == "biomarker":
                    for name in leaf.payload:
                        directions.setdefault(name.partition(":")[0], Counter())[item.direction] += 1
    for gene in ("EGFR", "ALK", "ROS1", "RET", "NTRK", "BRAF", "KRAS", "MET", "ERBB2"):
        assert directions[gene][Direction.SUPPORTS] > 0, gene
        assert sum(directions[gene][name] for name in NEGATIVES) > 0, gene


def test_no_negative_undoes_an_entry_in_its_own_matching_cases():
    auditors = {place: Auditor(as_of=AS_OF, evidence=BASE, jurisdiction=place) for place in ("US", "EU")}
    for identifier, groups in CASES.items():
        item = BY_ID[identifier]
        if item.direction is not Direction.SUPPORTS:
            continue
        regimen = " + ".join(part.split("/")[0].strip() for part in item.regimen)
        for entry in groups["match"]:
            case = {**entry, "recommendations": [regimen]}
            if item.valid_to is not None:
                case["as_of"] = item.valid_from.isoformat()
            (verdict,) = auditors["EU" if item.jurisdiction == "EU" else "US"].audit(case)
            assert verdict.label in ("Supported", "Partially Supported"), (identifier, entry, verdict.reasons)


def test_immunotherapy_after_egfr_or_alk_inhibitor_and_platinum_is_what_the_label_says():
    """Labels allow it after the targeted therapy and platinum; that little is gained stands beside it."""
    auditor = Auditor(as_of=AS_OF, evidence=BASE)
    for marker, drug in (("EGFR L858R", "osimertinib"), ("ALK fusion", "alectinib")):
        case = {
            "tumor": "NSCLC", "histology": "adenocarcinoma", "setting": "metastatic", "biomarkers": [marker],
            "pdl1": {"tps": 60},
            "prior_therapies": [
                {"drugs": drug, "line": 1, "setting": "metastatic", "outcome": "progressed"},
                {"drugs": "carboplatin + pemetrexed", "line": 2, "setting": "metastatic", "outcome": "progressed"},
            ],
            "recommendations": ["pembrolizumab"],
        }  # fmt: skip
        (verdict,) = auditor.audit(case)
        assert verdict.label in ("Supported", "Partially Supported")
        assert verdict.evidence_against or any(item.state == "fires" for item in verdict.caveats)
        before = {**case, "prior_therapies": case["prior_therapies"][:1]}
        assert auditor.audit(before)[0].label == "Unsupported"


@pytest.mark.parametrize(
    ("patient", "regimen", "label"),
    [
        ({"biomarkers": ["EGFR L858R"], "prior_therapies": [{"drugs": "osimertinib", "outcome": "progressed"}]},
         "osimertinib + carboplatin + pemetrexed", "Partially Supported"),
        ({"biomarkers": ["EGFR L858R"], "prior_therapies": [{"drugs": "gefitinib", "outcome": "progressed"}]},
         "gefitinib + cisplatin + pemetrexed", "Unsupported"),
        ({"prior_therapies": [{"drugs": "carboplatin + pemetrexed + pembrolizumab", "outcome": "progressed"}],
          "biomarkers": {"EGFR": "negative", "ALK": "negative"}}, "nivolumab", "Unsupported"),
        ({"biomarkers": ["KRAS G12C"], "prior_therapies": [{"drugs": "sotorasib", "outcome": "progressed"}]},
         "adagrasib", "Partially Supported"),
    ],
)  # fmt: skip
def test_what_follows_progression(patient, regimen, label):
    case = {
        "tumor": "NSCLC", "histology": "adenocarcinoma", "setting": "metastatic", **patient,
        "recommendations": [regimen],
    }  # fmt: skip
    (verdict,) = Auditor(as_of=AS_OF, evidence=BASE).audit(case)
    assert verdict.label == label
