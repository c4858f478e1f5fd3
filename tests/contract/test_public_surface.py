"""What a reader may import is there, and importing the package costs next to nothing."""

from __future__ import annotations

import datetime as dt
import importlib
import json
import pkgutil
import subprocess
import sys

import pytest

import equipoise

HEAVY = (
    "numpy",
    "pyarrow",
    "pydantic",
    "yaml",
    "jinja2",
    "rich",
    "typer",
    "click",
    "equipoise.evidence",
    "equipoise.cases.vocabulary",
    "asyncio",
    "http",
)


def modules() -> list[str]:
    return sorted(
        info.name
        for info in pkgutil.walk_packages(equipoise.__path__, "equipoise.")
        if not info.name.endswith("__main__")
    )


def test_every_public_name_is_there():
    assert sorted(dir(equipoise)) == sorted(equipoise.__all__)
    for name in equipoise.__all__:
        assert getattr(equipoise, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = equipoise.nothing


@pytest.mark.parametrize("name", modules())
def test_every_module_has_a_docstring_and_the_names_it_lists(name):
    module = importlib.import_module(name)
    assert (module.__doc__ or "").strip()
    for public in getattr(module, "__all__", ()):
        assert getattr(module, public) is not None


def test_the_audit_package_can_be_called_and_imported_from():
    from equipoise.audit import audit

    day = dt.date(2026, 11, 1)
    case = {"tumor": "NSCLC", "recommendations": ["osimertinib"]}
    assert audit(case, as_of=day) == equipoise.audit(case, as_of=day)
    assert equipoise.audit(case, as_of=day)[0].case_id == ""


def loaded_by(statement: str) -> set[str]:
    script = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_importing_the_package_loads_no_heavy_module():
    before = loaded_by("pass")
    added = loaded_by(f"import sys; sys.path[:0] = {sys.path!r}; import equipoise") - before
    assert [name for name in HEAVY if name in added] == []
    assert len([name for name in added if name.startswith("equipoise")]) <= 3


def test_the_help_of_the_command_loads_no_numbers_and_no_tables():
    added = loaded_by(f"import sys; sys.path[:0] = {sys.path!r}; import equipoise.cli.main")
    assert [
        name
        for name in ("numpy", "pyarrow", "jinja2", "equipoise.evidence.base", "equipoise.audit.pipeline")
        if name in added
    ] == []


def test_an_audit_needs_neither_tables_nor_numbers():
    statement = (
        f"import sys; sys.path[:0] = {sys.path!r}; import equipoise, datetime\n"
        "equipoise.audit({'tumor': 'NSCLC', 'recommendations': ['osimertinib']}, as_of=datetime.date(2026, 11, 1))"
    )
    loaded = loaded_by(statement)
    assert [name for name in ("numpy", "pyarrow", "jinja2", "typer", "rich") if name in loaded] == []


def test_nothing_outside_the_command_line_reads_a_clock():
    from pathlib import Path

    root = Path(equipoise.__file__).parent
    found = [
        path.relative_to(root).as_posix()
        for part in ("cases", "evidence", "audit", "statistics")
        for path in sorted((root / part).rglob("*.py"))
        if any(
            call in path.read_text(encoding="utf-8")
            for call in ("date.today(", "datetime.now(", "utcnow(", "time.time(", "random.random(")
        )
    ]
    assert found == []
