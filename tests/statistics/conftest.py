from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def reference():
    """Values of other people's code (tests/reference/statistics_values.py made them and says with what)."""
    path = Path(__file__).parents[1] / "reference" / "statistics_values.json"
    return json.loads(path.read_text(encoding="utf-8"))
