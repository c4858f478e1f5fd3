"""The verifier of deletions and the finder of leaks, against invented texts written before them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from equipoise.boards.curation.deleak import (
    AuditClass,
    ProblemKind,
    apply_deletions,
    audit_deletions,
    find_leaks,
    sentences,
    verify_deletions,
)
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role
from equipoise.errors import InputError

CASES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "deletion_cases.yaml").read_text(encoding="utf-8"))
TURNS = tuple(
    Turn(id=item["id"], speaker=item["speaker"], role=Role(item["role"]), text=item["text"])
    for item in CASES["discussion"]
)
BEFORE, CONCLUSION = CASES["before"], CASES["conclusion"]


def without(pieces: list[str]) -> str:
    spans = [(BEFORE.index(piece), BEFORE.index(piece) + len(piece)) for piece in pieces]
    text = BEFORE
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text.strip()


def kinds(after: str) -> set[str]:
    return {item.kind.value for item in verify_deletions(BEFORE, after, TURNS, conclusion=CONCLUSION)}


@pytest.mark.parametrize("case", CASES["accepted"], ids=lambda case: case["id"])
def test_sound_deletions_are_accepted(case):
    assert kinds(without(case["delete"])) == set()


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: case["id"])
def test_unsound_deletions_are_refused(case):
    assert set(case["kinds"]) <= kinds(without(case["delete"]))


@pytest.mark.parametrize("case", CASES["rewritten"], ids=lambda case: case["id"])
def test_anything_but_a_deletion_is_refused(case):
    old, new = case["replace"]
    assert old in BEFORE
    assert kinds(BEFORE.replace(old, new)) >= set(case["kinds"])


@pytest.mark.parametrize("case", CASES["leaks"], ids=lambda case: case["id"])
def test_leaks_are_suspected(case):
    text = case["text"]
    found = [text[item.start : item.end] for item in find_leaks(text, TURNS, CONCLUSION) if item.strong]
    assert found == case["found"]


@pytest.mark.parametrize("text", CASES["clean"])
def test_what_was_known_before_is_not_suspected(text):
    assert [item for item in find_leaks(text, TURNS, CONCLUSION) if item.strong] == []
