"""The identifier scrub, against invented texts written before it."""

from __future__ import annotations

import json
import re
import stat
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from equipoise.boards.curation.scrub import NOT_EVERYTHING, IdentifierKind, Known, scrub, write_key
from equipoise.errors import InputError

CASES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "scrub_cases.yaml").read_text(encoding="utf-8"))


def scrubbed(text: str, **more: Any) -> str:
    return scrub({"t": text}, seed=7, **more).texts["t"]


@pytest.mark.parametrize("case", CASES["replaced"], ids=lambda case: case["id"])
def test_identifiers_are_replaced(case):
    result = scrub({"t": case["text"]}, seed=7, known_names=case.get("known", ()))
    text = result.texts["t"]
    assert [item for item in case["gone"] if item.casefold() in text.casefold()] == []
    assert [item for item in case.get("kept", ()) if item not in text] == []


@pytest.mark.parametrize("case", CASES["left_alone"], ids=lambda case: case["id"])
def test_words_of_medicine_are_left_alone(case):
    assert scrubbed(case["text"]) == case["text"]
