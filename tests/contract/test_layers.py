"""Imports point down only, and each heavy or outward library has one layer that may import it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src" / "equipoise"
RANKS: dict[str, int] = {
    "errors": 0,
    "ids": 0,
    "_optional": 0,
    "_version": 0,
    "_inert": 0,
    "_http": 0,
    "statistics": 0,
    "outcomes": 0,
    "refusal": 1,
    "cases": 1,
    "evidence": 2,
    "audit": 3,
    "batch": 4,
    "cohort": 4,
    "exports": 4,
    "evals": 4,
    "judging": 5,
    "redteam": 5,
    "boards": 6,
    "benchmarks": 7,
    "studies": 8,
    "reproduce": 8,
    "report": 9,
    "study": 10,
    "pack": 10,
    "service": 11,
    "cli": 12,
}
"""Layer of every part of the package: a part imports lower layers, itself, and at the bottom its neighbours."""
LIBRARIES: dict[str, frozenset[str]] = {
    "typer": frozenset({"cli"}),
    "click": frozenset({"cli"}),
    "rich": frozenset({"cli"}),
    "inspect_ai": frozenset({"evals", "judging", "benchmarks"}),
    "fastapi": frozenset({"service", "study"}),
    "starlette": frozenset({"service", "study"}),
    "sqlalchemy": frozenset({"service", "study"}),
    "uvicorn": frozenset({"service", "study", "_http"}),
    "jinja2": frozenset({"report", "service", "study"}),
}
"""Parts that may import a library."""


def python_files() -> list[Path]:
    return sorted(path for path in SRC.rglob("*.py") if "__pycache__" not in path.parts)


def part_of(path: Path) -> str:
    relative = path.relative_to(SRC)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


class _Imports(ast.NodeVisitor):
    """Imported modules, those inside functions included, those only for type checking left out."""

    def __init__(self, package: tuple[str, ...]) -> None:
        self.package = package
        self.found: list[tuple[int, str]] = []

    def visit_If(self, node: ast.If) -> None:
        test = node.test
        name = test.id if isinstance(test, ast.Name) else test.attr if isinstance(test, ast.Attribute) else ""
        for child in node.orelse if name == "TYPE_CHECKING" else (*node.body, *node.orelse):
            self.visit(child)

    def visit_Import(self, node: ast.Import) -> None:
        self.found.extend((node.lineno, alias.name) for alias in node.names)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = ".".join(self.package[: len(self.package) - node.level + 1]) if node.level else ""
        module = ".".join(part for part in (base, node.module or "") if part)
        self.found.append((node.lineno, module))
        if module == "equipoise":
            self.found.extend((node.lineno, f"equipoise.{alias.name}") for alias in node.names)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    visitor = _Imports(("equipoise", *path.relative_to(SRC).parent.parts))
    visitor.visit(ast.parse(path.read_text(encoding="utf-8")))
    yield from visitor.found


def test_every_part_has_a_layer():
    parts = {part_of(path) for path in python_files()} - {"__init__", "__main__"}
    assert parts <= set(RANKS)
    assert {"cases", "evidence", "audit", "benchmarks", "report", "cli", "outcomes", "statistics"} <= parts


@pytest.mark.parametrize("path", python_files(), ids=lambda path: path.relative_to(SRC).as_posix())
def test_imports_point_down(path):
    part = part_of(path)
    if part in ("__init__", "__main__"):
        return
    wrong = []
    for line, module in imports(path):
        if not module.startswith("equipoise."):
            continue
        other = module.split(".")[1]
        if other == part or (other not in RANKS and part != "statistics"):
            continue
        allowed = RANKS[other] < RANKS[part] or RANKS[other] == RANKS[part] == 0
        if not allowed:
            wrong.append(f"line {line}: {part} imports {module}")
    assert wrong == []


@pytest.mark.parametrize("path", python_files(), ids=lambda path: path.relative_to(SRC).as_posix())
def test_a_library_is_imported_only_by_its_layer(path):
    part = part_of(path)
    wrong = [
        f"line {line}: {part} imports {module}"
        for line, module in imports(path)
        if module.split(".")[0] in LIBRARIES and part not in LIBRARIES[module.split(".")[0]]
    ]
    assert wrong == []


def test_the_bottom_knows_nothing_of_medicine():
    """Tables and statistics serve any benchmark: no word of the field stands in their names."""
    words = ("ecog", "nsclc", "osimertinib", "biomarker", "egfr")
    for part in ("statistics", "ids.py", "errors.py"):
        target = SRC / part
        files = [target] if target.is_file() else sorted(target.rglob("*.py"))
        for file in files:
            tree = ast.parse(file.read_text(encoding="utf-8"))
            names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {
                node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)
            }
            assert not [name for name in names if any(word in name.lower() for word in words)], file


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from equipoise.cli import main", ["equipoise.cli"]),
        ("from equipoise import audit", ["equipoise", "equipoise.audit"]),
        ("from . import x\nfrom ..cases import y", ["equipoise.audit", "equipoise.cases"]),
        ("if TYPE_CHECKING:\n    import equipoise.cli\nelse:\n    import os", ["os"]),
        ("def f():\n    import typer", ["typer"]),
    ],
)
def test_the_scan_sees_every_form_of_import(text, expected):
    visitor = _Imports(("equipoise", "audit"))
    visitor.visit(ast.parse(text))
    assert [module for _, module in visitor.found] == expected
