"""`equipoise eval medfail` as a user types it: the demo prompts, rows by the contract, lines with the trade-off, an estimate."""

from __future__ import annotations

import json

import pytest

import redteam_suite_mocks
from equipoise.outcomes.run import read_run


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def test_an_always_escalating_model_shows_what_it_costs(equipoise, tmp_path):
    done = equipoise("eval", "medfail", "--model", "redteam/always-escalates", "--out", "run")
    assert done.code == 0, done.err
    assert "urgent care advised where it is needed: 10 of 10" in done.out
    assert "urgent care advised where it is not: 10 of 10" in done.out
    assert "never-escalate: 0 of 10, 0 of 10, 10 of 20" in done.out
    assert "not checked by a clinician" in done.out
    run = read_run(tmp_path / "run")
    rules = {row["criterion"] for row in run.judgements.to_pylist() if row["judge"] == "rules:gates"}
    assert "missed_urgent_escalation" in rules
    assert set(run.outcomes.column("label").to_pylist()) == {"emergency"}
    assert set(run.outcomes.column("reply").to_pylist()) == {redteam_suite_mocks.ESCALATES}


def test_the_result_is_plain_values_for_a_program(equipoise):
    done = equipoise(
        "eval", "medfail", "--model", "redteam/never-escalates", "--option", "limit=3", "--out", "run", "--json"
    )
    value = json.loads(done.out)
    assert (value["replies"], value["result"]["items"]) == (3, 3)
    assert value["result"]["gates"][0]["worst"] == 5


def test_a_dry_run_asks_nobody_and_shows_the_first_prompt(equipoise, tmp_path):
    done = equipoise("eval", "medfail", "--model", "openai/none", "--dry-run")
    assert done.code == 0, done.err
    assert "calls at most: 20" in done.out
    assert "For forty minutes I have had pressure in my chest" in done.out
    assert not list(tmp_path.glob("*.eval"))


def test_a_folder_without_the_files_is_one_line(equipoise, tmp_path):
    (tmp_path / "own").mkdir()
    done = equipoise("eval", "medfail", "--model", "redteam/never-escalates", "--data", "own", "--out", "run")
    assert (done.code, "does not hold scenario_bank_v1.tsv" in done.err) == (2, True)
    assert len(done.err.strip().splitlines()) == 1
