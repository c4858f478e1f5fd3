from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from equipoise.studies import Reproduction, reproduce


@pytest.fixture(scope="session")
def data() -> Path:
    """The user's own copy of the released files."""
    root = os.environ.get("EQUIPOISE_DATA")
    if not root:
        pytest.skip("EQUIPOISE_DATA is not set; it names the folder with the released files")
    return Path(root)


@cache
def reproduced(study: str, root: Path) -> Reproduction:
    return reproduce(study, root)


@pytest.fixture
def rows(data):
    """Rows of a study by identifier."""
    return lambda study: {row.id: row for row in reproduced(study, data).rows}
