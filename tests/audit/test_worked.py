"""The worked cases under tests/audit/worked come out as they say; what each key means stands in the README there."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import LABELS, Verdict
from equipoise.audit.wording import REASON_CODES
from equipoise.evidence.base import shipped_base

FOLDER = Path(__file__).parent / "worked"
ENTRY_KEYS = {"id", "title", "source", "verified", "as_of", "jurisdiction", "case", "expect", "note"}
EXPECT_KEYS = {
    "label",
    "abstain",
    "reasons",
    "reasons_any",
    "reasons_not",
    "missing_fields",
    "caveats",
    "caveats_clear",
    "caveats_unassessed",
    "what_if",
}
BELOW = {"entry-unverified": "which entries nobody has read changes with the base; an overlay below stands for one"}
"""Reason codes that a worked case cannot hold fast."""
ENTRIES: list[dict[str, Any]] = [
    entry for file in sorted(FOLDER.glob("*.yaml")) for entry in yaml.safe_load(file.read_text(encoding="utf-8"))
]


def _expectations(entry: dict[str, Any]) -> list[dict[str, Any]]:
    expect = entry["expect"]
    return expect if isinstance(expect, list) else [expect]


def _pairs() -> Iterator[Any]:
    for entry in ENTRIES:
        wanted = _expectations(entry)
        for place in range(len(wanted)):
            name = entry["id"] if len(wanted) == 1 else f"{entry['id']}/{place + 1}"
            yield pytest.param(entry["id"], place, id=name)


BY_ID = {entry["id"]: entry for entry in ENTRIES}


@cache
def _auditor(jurisdiction: str, day: dt.date) -> Auditor:
    return Auditor(as_of=day, jurisdiction=jurisdiction)


@cache
def _verdicts(identifier: str) -> tuple[Verdict, ...]:
    entry = BY_ID[identifier]
    return _auditor(entry.get("jurisdiction", "US"), dt.date.fromisoformat(str(entry["as_of"]))).audit(entry["case"])


def _continues(wanted: str, name: str, marks: str) -> bool:
    return name == wanted or any(name.startswith(wanted + mark) for mark in marks)


def _problems(verdict: Verdict, expect: dict[str, Any]) -> list[str]:
    codes = {reason.code for reason in verdict.reasons}
    found: list[str] = []
    if str(verdict.label) != expect["label"]:
        found.append(f"label {verdict.label}, expected {expect['label']}")
    if verdict.abstain is not expect["abstain"]:
        found.append(f"abstain {verdict.abstain}")
    found += [f"no reason {code}" for code in expect.get("reasons", ()) if code not in codes]
    if expect.get("reasons_any") and codes.isdisjoint(expect["reasons_any"]):
        found.append(f"none of the reasons {expect['reasons_any']}")
    found += [f"has the reason {code}" for code in expect.get("reasons_not", ()) if code in codes]
    if "missing_fields" in expect:
        wanted = expect["missing_fields"]
        found += [
            f"{name} is not missing"
            for name in wanted
            if not any(_continues(name, got, ".:") for got in verdict.missing_fields)
        ]
        if wanted == [] and verdict.missing_fields:
            found.append("a field is missing")
    for key, state in (("caveats", "fires"), ("caveats_clear", "clear"), ("caveats_unassessed", "not-assessed")):
        names = [caveat.name for caveat in verdict.caveats if caveat.state == state]
        found += [
            f"{key}: {name} not among {names}"
            for name in expect.get(key, ())
            if not any(_continues(name, got, "-.") for got in names)
        ]
        if key == "caveats" and expect.get(key) == [] and names:
            found.append(f"caveats fire: {names}")
    for cell in expect.get("what_if", ()):
        rows = [
            row
            for row in verdict.what_if
            if cell["field"] in row.value and cell["value-contains"] in row.value[cell["field"]]
        ]
        if not any(str(row.label) == cell["label"] for row in rows):
            shown = [(dict(row.value), str(row.label)) for row in verdict.what_if]
            found.append(f"no what-if cell {cell}; there are {shown}")
    return found


@pytest.mark.parametrize(("identifier", "place"), list(_pairs()))
def test_the_verdict_is_the_worked_one(identifier, place):
    entry = BY_ID[identifier]
    verdicts = _verdicts(identifier)
    assert len(verdicts) == len(_expectations(entry))
    verdict = verdicts[place]
    codes = [reason.code for reason in verdict.reasons]
    problems = _problems(verdict, _expectations(entry)[place])
    assert (
        not problems
    ), f"{problems}; got {verdict.label}, {codes}, missing {list(verdict.missing_fields)}: {entry['title']}"


def test_there_are_at_least_60_worked_cases_and_each_is_well_formed():
    assert len(ENTRIES) >= 60
    assert len(BY_ID) == len(ENTRIES)
    for entry in ENTRIES:
        assert set(entry) <= ENTRY_KEYS, entry["id"]
        assert entry["title"].strip(), entry["id"]
        assert str(entry["source"]).strip(), entry["id"]
        assert str(entry["verified"]).strip(), entry["id"]
        for expect in _expectations(entry):
            assert set(expect) <= EXPECT_KEYS, entry["id"]
            assert expect["label"] in LABELS, entry["id"]
            assert isinstance(expect["abstain"], bool), entry["id"]
            named = {*expect.get("reasons", ()), *expect.get("reasons_any", ()), *expect.get("reasons_not", ())}
            assert named <= set(REASON_CODES), entry["id"]


def test_every_reason_code_occurs():
    occurring = {reason.code for entry in ENTRIES for verdict in _verdicts(entry["id"]) for reason in verdict.reasons}
    assert occurring <= set(REASON_CODES)
    assert set(REASON_CODES) - occurring == set(BELOW)


def test_an_entry_that_nobody_has_read_supports_in_part_only():
    entry = {
        "id": "test.erdafitinib.unread",
        "regimen": "erdafitinib",
        "direction": "supports",
        "level": "A",
        "jurisdiction": "US",
        "approval": "regular",
        "valid_from": dt.date(2024, 1, 1),
        "requires": [{"biomarker": "EGFR:L858R"}],
        "statement": "An entry from memory.",
        "sources": [{"kind": "label", "title": "A label", "id": "x", "date": dt.date(2024, 1, 1)}],
        "verified": {"state": "not-verified", "text": "from memory"},
    }
    case = {"tumor": "NSCLC", "biomarkers": ["EGFR L858R"], "recommendations": ["erdafitinib"]}
    day = dt.date(2026, 11, 1)
    for state, label, code in (
        ("not-verified", "Partially Supported", "entry-unverified"),
        ("verified", "Supported", "supported"),
    ):
        entry["verified"] = {"state": state, "text": "a text", "on": day}
        base = shipped_base().with_overlay([entry], name="test")
        (verdict,) = Auditor(as_of=day, evidence=base).audit(case)
        assert (str(verdict.label), verdict.reasons[0].code) == (label, code)


@pytest.mark.parametrize("label", LABELS)
def test_every_label_is_expected_often(label):
    assert sum(expect["label"] == label for entry in ENTRIES for expect in _expectations(entry)) >= 10


@pytest.mark.parametrize("gene", ["EGFR", "ALK", "ROS1", "RET", "NTRK", "BRAF", "KRAS", "MET", "ERBB2", "PD-L1"])
def test_every_biomarker_of_the_field_has_worked_cases(gene):
    key = "pdl1" if gene == "PD-L1" else gene.lower()
    assert sum(key in str(entry["case"]).lower() for entry in ENTRIES) >= 2
