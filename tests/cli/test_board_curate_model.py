"""The curation of the exam's meeting by a real, very small language model: each stage ends clearly, and checks whatever it writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from boards.curation.meeting import folder_with, rows
from equipoise.boards.curation.checks import resolve_quote
from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.stages.rows import turns_of
from equipoise.boards.formats.own import read_cases
from served_model import MODEL, served

pytestmark = pytest.mark.model

ASKED = ("02-screen", "03-segment", "04-roles", "05-summary", "06-questions", "07-review", "08-conclusion", "10-deleak")
STORED = {"nothing": (), "what comes before": ("segment", "roles", "summary", "questions", "conclusion")}
"""Stages that are given sound replies; the model is asked all others."""


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory):
    """The address of the served model."""
    with served(tmp_path_factory.mktemp("server")) as address:
        yield address


def table(folder, stage, name):
    path = folder / "stages" / stage / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []


@pytest.mark.parametrize("given", STORED)
def test_every_stage_ends_with_a_state_and_nothing_passes_unchecked(endpoint, tmp_path, given):
    folder = folder_with(tmp_path / "meeting")
    replies = [row for row in rows() if row["stage"] in STORED[given]]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in replies), encoding="utf-8")
    environment = {
        **os.environ, "SMOLLM2_API_KEY": "none", "SMOLLM2_BASE_URL": endpoint, "XDG_DATA_HOME": str(tmp_path / "data")
    }  # fmt: skip
    environment.pop("PYTHONWARNINGS", None)
    command = [
        sys.executable, "-c", "from equipoise.cli.main import run; run()", "board", "curate", str(folder), "--model", MODEL,
        "--replies", str(tmp_path / "replies.jsonl"), "--max-connections", "1", "--max-tokens", "150", "--json",
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=3600, check=False
    )
    assert done.returncode in (0, 3), f"{done.stdout}\n{done.stderr}"
    assert "Brannigan" not in done.stdout + done.stderr
    stages = json.loads(done.stdout)["stages"]
    assert [stage["state"] for stage in stages] == ["done"] * len(stages) or done.returncode == 3
    assert all(stage["state"] in ("done", "open") and stage["ran"] for stage in stages)

    asked = 0
    for name in ASKED:
        prompts, kept = table(folder, name, "prompts"), table(folder, name, "replies")
        assert {(row["unit"], row["attempt"], row["prompt_hash"]) for row in prompts} == {
            (row["unit"], row["attempt"], row["prompt_hash"]) for row in kept
        }
        asked += sum(row["model"] == MODEL for row in kept)
        assert all(row["state"] == "error" or "tokens_in" in row for row in kept if row["model"] == MODEL)
    assert asked >= 3
    for stage in stages:
        rejects = table(folder, stage["folder"], "rejects")
        assert {row["reason"] for row in rejects} <= {reason.value for reason in Reason}
        assert sum(stage["rejected"].values()) == len(rejects)

    said = table(folder, "04-roles", "turns")
    quoted = [(row["case"], row["answer"], row["utterance"]) for row in table(folder, "07-review", "questions")]
    for row in table(folder, "08-conclusion", "conclusions"):
        quotes = [*row["quotes"], *(quote for one in row["decisions"] for quote in one["quotes"])]
        quoted += [(row["case"], quote["text"], quote["turn"]) for quote in quotes]
    for case, quote, turn in quoted:
        assert resolve_quote(quote, turns_of(said, case), turn).text == quote

    held = {row["case"] for row in table(folder, "10-deleak", "texts") if not row["audited"]}
    names = {row["unit"]: row["reason"] for row in table(folder, "12-build", "rejects")}
    built = read_cases(folder / "stages" / "12-build" / "board.jsonl")
    assert not built.problems
    assert not held & {case.id for case in built.items}
    assert all(names[case] == "case-not-audited-for-leaks" for case in held)
    assert len(names) + len(built.items) == len(table(folder, "11-scrub", "cases"))
