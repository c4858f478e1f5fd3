"""The public records against the golden entries: files of the data folder where it is given, fixtures always."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
import yaml

from cases.records.checks import differences, read
from equipoise.audit.pipeline import Auditor

HERE = Path(__file__).parent
GOLDEN: dict[str, Any] = yaml.safe_load((HERE / "golden.yaml").read_text(encoding="utf-8"))
AUDITOR = Auditor(as_of=dt.date(2026, 11, 30))


@pytest.mark.data
@pytest.mark.parametrize("name", sorted(GOLDEN["files"]))
def test_public_file(name: str, data_dir: Path) -> None:
    assert differences(read(data_dir / name), GOLDEN["files"][name], AUDITOR) == []


@pytest.mark.parametrize("name", sorted(GOLDEN["fixtures"]))
def test_fixture(name: str) -> None:
    assert differences(read(HERE / "fixtures" / name), GOLDEN["fixtures"][name], AUDITOR) == []
