"""The source stays in pieces a person can read, and carries nothing it should not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
MOST_LINES = 600
LONGER: dict[str, int] = {}
"""Files that are too long, and the length they may not pass; a file that has been cut leaves this table."""
FILES = sorted(path for path in SRC.rglob("*.py") if "__pycache__" not in path.parts)
NAMES = [path.relative_to(SRC / "equipoise").as_posix() for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_no_file_is_longer_than_a_person_reads(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    name = path.relative_to(SRC / "equipoise").as_posix()
    assert lines <= LONGER.get(name, MOST_LINES)
    assert lines > MOST_LINES or name not in LONGER


def test_the_table_of_long_files_names_files():
    assert set(LONGER) <= set(NAMES)


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_no_file_leaves_work_undone_or_names_a_machine(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(?:TODO|FIXME|XXX|HACK)\b|NotImplementedError", text)
    assert not re.search(r"(?<![\w.])/(?:work|tmp|home|root|Users)/", text)


def test_the_package_carries_its_type_marker_policies_and_knowledge():
    package = SRC / "equipoise"
    assert (package / "py.typed").is_file()
    assert list((package / "audit" / "policies").glob("*.yaml"))
    assert list((package / "evidence" / "knowledge" / "nsclc").glob("*.yaml"))
    assert list((package / "report" / "templates").glob("*.j2"))


def test_the_compiled_knowledge_fits_the_files_it_was_made_from():
    import json

    from equipoise.evidence.base import COMPILED, read_knowledge

    raw, digest = read_knowledge()
    stored = json.loads((SRC / "equipoise" / "evidence" / "knowledge" / COMPILED).read_text(encoding="utf-8"))
    assert stored["files_hash"] == digest, "run: python -m equipoise.evidence.compile"
    assert stored["raw"] == json.loads(json.dumps(raw))
