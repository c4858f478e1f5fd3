"""The table of public files in docs/records.md is what the reader makes of them now, and names every file."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from equipoise.cases.record_files import read_path
from equipoise.errors import UsageError

ROOT = Path(__file__).parents[3]


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("records_table", ROOT / "scripts" / "records_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.data
def test_the_table_is_current(data_dir: Path) -> None:
    made, page = script(), (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
    assert made.placed(page, made.table(data_dir)) == page


@pytest.mark.data
def test_every_file_has_a_row_with_a_verdict_or_a_code(data_dir: Path) -> None:
    page = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `") and "/" in line}
    files = [item for folder in ("fhir", "dnpm", "cbioportal") for item in (data_dir / folder).rglob("*")]
    for item in files:
        if item.is_file():
            last = rows[item.relative_to(data_dir).as_posix()].rstrip(" |").rpartition(" | ")[2]
            assert "`" in last or last.startswith("not read: FHIR Shorthand")


@pytest.mark.parametrize("folder", [True, False])
def test_shorthand_is_said_to_be_no_resource(folder: bool, tmp_path: Path) -> None:
    file = tmp_path / "example.fsh"
    file.write_text("Instance: example\nInstanceOf: Patient\n", encoding="utf-8")
    with pytest.raises(UsageError, match="FHIR Shorthand is the source text"):
        list(read_path(tmp_path if folder else file))
