"""docs/das-axes.md states the forms and codes that the readers take."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.benchmarks.das_bias.loader import COLUMNS, OPTIONAL
from equipoise.benchmarks.das_hallucination.loader import _ALL
from equipoise.benchmarks.das_hallucination.roles import CODES
from equipoise.benchmarks.das_privacy.scoring import Given, PrivacyLabel

TEXT = (Path(__file__).parents[3] / "docs" / "das-axes.md").read_text(encoding="utf-8")
WORDS = (
    *COLUMNS,
    *OPTIONAL,
    *_ALL,
    *CODES,
    *Given,
    *PrivacyLabel,
    "arm",
    "kind",
    "turns",
    "scene",
    "canaries",
    "needed",
)


@pytest.mark.parametrize("word", sorted({str(word) for word in WORDS}))
def test_it_stands_in_the_document(word):
    assert f"`{word}`" in TEXT
