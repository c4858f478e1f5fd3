"""Statistics know nothing of medicine, runs or benchmarks; outcomes may use them, not the other way round."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import equipoise

ROOT = Path(equipoise.__file__).parent
ALLOWED = {
    "statistics": {"statistics", "errors", "_optional", "ids"},
    "outcomes": {"outcomes", "statistics", "errors", "_optional", "ids"},
}


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("equipoise."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (name.name.split(".")[1] for name in node.names if name.name.startswith("equipoise."))


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_imports_point_down(package):
    files = sorted((ROOT / package).glob("*.py"))
    assert len(files) > 5
    for path in files:
        assert set(imported(path)) <= ALLOWED[package], path.name
