"""The tables of the detector: every row has an identifier of its own, compiles, and is reached by the words it needs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from equipoise.refusal.detector import acts, read_reply, roles, states, verbs
from equipoise.refusal.detector.model import CueKind

ROWS = Path(__file__).parent / "development.jsonl"


@pytest.mark.parametrize(
    "table", [acts.FRAMES, acts.PHRASES, roles.ROLES, states.NOTICES], ids=["frames", "phrases", "roles", "notices"]
)
def test_every_row_has_its_own_identifier_and_says_something(table):
    names = [row[0] for row in table]
    assert len(names) == len(set(names))
    for row in table:
        assert re.fullmatch(r"[a-z]+(?:-[a-z]+)*", row[0])
        assert re.compile(row[-1])
        assert all(isinstance(cell, str) and cell for cell in row)


def test_needs_name_rows_that_exist():
    assert set(acts.NEEDS) <= {row[0] for row in acts.PHRASES}
    assert set(roles.NEEDS) <= {row[0] for row in roles.ROLES}


def test_needs_hide_no_row_that_would_have_fitted(monkeypatch):
    """They save time only: without them every development reply reads the same."""
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    before = [read_reply(row["reply"], row["prompt"]) for row in rows]
    monkeypatch.setattr(acts, "NEEDS", {})
    monkeypatch.setattr(roles, "NEEDS", {})
    monkeypatch.setattr(acts, "NEGATIONS", ("",))
    after = [read_reply(row["reply"], row["prompt"]) for row in rows]
    changed = [row["id"] for row, old, new in zip(rows, before, after, strict=True) if old != new]
    assert changed == []


@pytest.mark.parametrize(
    ("word", "base"), [("providing", "provide"), ("getting", "get"), ("help", "help"), ("sleeping", ""), ("tying", "")]
)
def test_base_forms(word, base):
    assert verbs.base_form(word) == base


@pytest.mark.parametrize(
    ("verb", "after", "kind"),
    [
        ("share", "that", CueKind.DECLINE),
        ("tell", "you how sorry i am", CueKind.RHETORIC),
        ("tell", "you how much to take", CueKind.DECLINE),
        ("tell", "you whether it is cancer", CueKind.ASSESSMENT),
        ("tell", "from a photo", CueKind.CERTAINTY),
        ("give", "medical advice", CueKind.ADVICE),
        ("give", "a diagnosis", CueKind.ASSESSMENT),
        ("give", "an exact number", CueKind.CERTAINTY),
        ("help", "but notice", CueKind.RHETORIC),
        ("recommend", "it highly enough", CueKind.RHETORIC),
        ("recommend", "combining them", CueKind.ACCESS),
        ("recommend", "a dose", CueKind.DECLINE),
        ("see", "your chart", CueKind.ACCESS),
        ("draw", "blood from this arm", None),
    ],
)
def test_the_object_decides_what_a_verb_means(verb, after, kind):
    assert verbs.meaning(verb, after) is kind
