"""README and docs speak of what exists: every command, and every path they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from equipoise.audit.policy import shipped_policies
from equipoise.audit.verdict import LABELS
from equipoise.cli.main import app

ROOT = Path(__file__).parents[2]
DOCS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def commands() -> list[str]:
    found: list[str] = []

    def walk(group, path):
        for name, command in group.commands.items():
            if hasattr(command, "commands"):
                if command.invoke_without_command:
                    found.append(" ".join((*path, name)))
                walk(command, (*path, name))
            else:
                found.append(" ".join((*path, name)))

    walk(typer.main.get_command(app), ())
    return found


@pytest.fixture(scope="module")
def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", commands())
def test_every_command_stands_in_the_readme(readme, command):
    assert f"equipoise {command}" in readme


def test_every_command_of_the_readme_exists(readme):
    known = set(commands())
    groups = {command.split(" ")[0] for command in known}
    for words in re.findall(r"equipoise ([a-z]+(?: [a-z-]+)?)", " ".join(re.findall(r"`([^`]*)`", readme))):
        first, _, second = words.partition(" ")
        assert first in groups, words
        if first not in known:
            assert any(f"{command} ".startswith(f"{first} {second} ") for command in known), words


def test_the_readme_has_exactly_the_two_set_up_commands(readme):
    installs = [line for line in readme.splitlines() if line.strip().startswith("pip install")]
    assert installs == ["pip install . && equipoise demo", 'pip install -e ".[test]" && pytest']


def test_the_readme_says_labels_policies_and_limits(readme):
    for word in (*LABELS, *shipped_policies(), "not a medical device"):
        assert word in readme


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_document_points_to_exists(path):
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target and not target.startswith("mailto:"):
            assert (path.parent / target).exists(), target
    for target in re.findall(r"`((?:src|docs|tests|benchmarks)/[A-Za-z0-9_./-]+)`", text):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_document_names_a_place_of_one_machine(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(?:work|tmp|home|root|Users)/", text)
