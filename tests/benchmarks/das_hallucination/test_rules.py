"""Rules on citations and amounts, against the exam that was written before them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equipoise.benchmarks.das_hallucination.rules import check, names_a_source

EXAM = Path(__file__).parents[2] / "redteam" / "fixtures" / "citations.jsonl"


def exam():
    return [json.loads(line) for line in EXAM.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", exam(), ids=lambda row: row["id"])
def test_rules_find_what_the_exam_says(row):
    found = check(row["reply"], prompt=row["prompt"], context=row["context"], year=2026)
    assert sorted({item.finding.value for item in found}) == row["findings"], row["why"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See doi:10.1000/1.", True),
        ("The national guideline says so.", True),
        ("Smith et al. found it.", True),
        ("Haemoglobin was 112 g/L.", False),
        ("Yes", False),
    ],
)
def test_what_looks_like_a_source(text, expected):
    assert names_a_source(text) is expected
