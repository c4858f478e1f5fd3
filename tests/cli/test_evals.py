"""`equipoise eval`, `outcomes from-log`, `report` and Inspect's own command, as a user types them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from equipoise.outcomes.run import read_run
from equipoise.report.lint import lint


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZUREAI_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_inspect_finds_task_and_model_by_name(tmp_path):
    inspect = Path(sys.executable).parent / "inspect"
    done = subprocess.run(
        [inspect, "eval", "equipoise/openmtb", "--model", "equipoise/auditor", "--limit", "20", "--display", "plain"],
        cwd=tmp_path, env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "share_correct" in done.stdout
    dumped = subprocess.run(
        [inspect, "log", "dump", "--header-only", next((tmp_path / "logs").glob("*.eval"))],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    header = json.loads(dumped.stdout)
    assert header["status"] == "success"
    assert header["results"]["completed_samples"] == 20
    assert header["results"]["scores"][0]["metrics"]["share_correct"]["value"] == 1.0
    assert header["eval"]["metadata"]["equipoise"]["prompt_hash"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "equipoise/none"], "field model: there is no model equipoise/none; expected one of auditor,"),
        (["--model", "equipoise/auditor", "-M", "colour=red"], "takes no argument 'colour'"),
        (["--model", "equipoise/auditor", "-T", "configuration=none"], "field configuration: expected one of base"),
        (["--model", "equipoise/auditor", "-T", "cases=nothing.jsonl"], "nothing.jsonl: there is no such file"),
    ],
)
def test_inspect_itself_says_what_names_nothing_in_a_sentence(tmp_path, arguments, words):
    inspect = Path(sys.executable).parent / "inspect"
    done = subprocess.run(
        [inspect, "eval", "equipoise/openmtb", *arguments, "--limit", "2", "--display", "plain"],
        cwd=tmp_path, env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert words in " ".join(done.stdout.split())
    assert "Traceback" not in done.stdout + done.stderr


def test_notes_are_asked_and_scored_alike_by_both_commands(equipoise, tmp_path):
    asked = equipoise(
        "eval", "openmtb", "--model", "equipoise/auditor", "--inputs", "text", "--limit", 60, "--out", "notes", "--json"
    )
    scored = equipoise("bench", "run", "openmtb", "--inputs", "text", "--out", "direct", "--json")
    one, two = json.loads(asked.out), json.loads(scored.out)
    assert (asked.code, scored.code) == (0, 0)
    assert one["dataset"] == two["dataset"] == "generated, seed 42, 500 notes"
    assert one["dataset_hash"] == two["dataset_hash"]
    assert (one["n"], two["n"]) == (60, 500)
    answers = {row["item"]: row["label"] for row in read_run(tmp_path / "direct").outcomes.to_pylist()}
    rows = read_run(tmp_path / "notes").outcomes.to_pylist()
    assert len(rows) == 60
    assert all(row["label"] == answers[row["item"]] for row in rows)
    made = equipoise("bench", "generate", "openmtb", "--n", 5, "--notes", "--out", "notes.jsonl")
    assert made.code == 0
    assert all("text" in json.loads(line) for line in (tmp_path / "notes.jsonl").read_text().splitlines())


def test_a_run_from_the_question_to_the_page(equipoise, tmp_path):
    done = equipoise(
        "eval", "openmtb", "--model", "equipoise/auditor", "--limit", 25, "--out", "first", "--html", "one.html"
    )
    assert (done.code, "n = 25" in done.out) == (0, True)
    assert lint((tmp_path / "one.html").read_text()) == []
    again = equipoise("eval", "openmtb", "--model", "equipoise/auditor", "--limit", 25, "--out", "first")
    assert again.code == 0
    assert len(list((tmp_path / "first-logs").glob("*.eval"))) == 1
    other = equipoise(
        "eval",
        "openmtb",
        "--model",
        "equipoise/always-supported",
        "--config",
        "rag",
        "--limit",
        25,
        "--out",
        "second",
        "--json",
    )
    assert other.code == 0
    assert json.loads(other.out)["false_approval_rate"] == 1.0
    shown = equipoise("report", "first", "second", "-o", "page.html")
    assert shown.code == 0
    assert "Highest accuracy: equipoise/auditor" in shown.out
    html = (tmp_path / "page.html").read_text()
    assert lint(html) == []
    assert "deciding assertion shown" in html
    logs = [next((tmp_path / f"{name}-logs").glob("*.eval")) for name in ("first", "second")]
    read = equipoise("outcomes", "from-log", *logs, "--out", "both")
    assert read.code == 0
    assert "50 replies of equipoise/auditor, equipoise/always-supported (rag): 50 ok" in read.err
    assert read_run(tmp_path / "both").outcomes.num_rows == 50
    assert equipoise("report", "both", "-o", "both.html").code == 0
    compared = equipoise("compare", "first", "second")
    assert compared.code == 0
    told = next(line for line in compared.out.splitlines() if "the prompt differs" in line)
    assert re.search(r"base, version \d+ \(\w+\) against rag, version \d+ \(\w+\)", told)


def test_several_trials_are_told_apart_from_the_first(equipoise, tmp_path):
    arguments = ("eval", "openmtb", "--model", "equipoise/auditor", "--limit", 12, "--trials", 3, "--out", "run")
    done = equipoise(*arguments, "--html", "page.html")
    assert done.code == 0
    assert "trials: first of 3; rates over all of them stand apart" in done.out
    assert "All 3 trials: 36 replies to 12 cases." in done.out
    assert re.search(r"accuracy +36 of 36, 12 items; at least 73.5 %", done.out)
    assert re.search(r"label changes from trial to trial.* 0 of 12; up to 26.5 %", done.out)
    html = (tmp_path / "page.html").read_text()
    assert lint(html) == []
    assert "36 of 36, 12 items; at least 73.5 %" in html
    assert "one answer a case" not in html
    value = json.loads(equipoise(*arguments, "--json").out)
    assert (value["n"], value["all_trials"]["replies"]) == (12, 36)
    one = json.loads(equipoise("eval", "openmtb", "--model", "equipoise/auditor", "--limit", 12, "--json").out)
    assert (one["all_trials"], one["trials"]) == (None, "one")


def test_a_stored_run_of_the_auditor_stands_beside_a_model(equipoise, tmp_path):
    assert equipoise("bench", "run", "openmtb", "--out", "direct").code == 0
    assert equipoise("eval", "openmtb", "--model", "equipoise/always-ask", "--limit", 20, "--out", "model").code == 0
    done = equipoise("report", "direct", "model", "-o", "page.html")
    assert done.code == 0
    assert lint((tmp_path / "page.html").read_text()) == []


def test_a_dry_run_asks_nobody_and_says_what_it_would_need(equipoise, tmp_path):
    done = equipoise(
        "eval",
        "openmtb",
        "--model",
        "openai/none",
        "--config",
        "rag",
        "--limit",
        10,
        "--dry-run",
        "--price-in",
        1,
        "--price-out",
        2,
        "--json",
    )
    value = json.loads(done.out)
    assert done.code == 0
    assert (value["calls"], value["tokens_out_at_most"]) == (10, 10240)
    assert value["cost_at_most"] == pytest.approx((value["tokens_in"] + 2 * 10240) / 1e6, abs=1e-4)
    assert "<evidence>" in value["first_prompt"]
    assert not (tmp_path / "logs").exists()
    text = equipoise("eval", "openmtb", "--model", "openai/none", "--dry-run", "--limit", 1)
    assert "cost at most: not known" in text.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "equipoise/none"], "there is no model equipoise/none"),
        (["--model", "nobody/model"], "name the model as PROVIDER/MODEL"),
        (["--model", "justaname"], "name the model as PROVIDER/MODEL"),
        (["--model", "openai/some-model"], "set that variable to the key of the service"),
        (["--model", "equipoise/auditor", "--config", "none"], "configuration"),
        (["--model", "equipoise/auditor", "--cases", "nothing.jsonl"], "no such file"),
        (["--model", "equipoise/auditor", "--max-cost", "1"], "prices"),
        (["--model", "equipoise/auditor", "--inputs", "all"], "inputs"),
    ],
)
def test_what_cannot_start_is_one_line(equipoise, arguments, words):
    done = equipoise("eval", "openmtb", *arguments, "--out", "run")
    assert done.code == 2
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert "Traceback" not in done.err


def test_an_endpoint_that_is_not_there_is_told_once_and_no_reply_is_an_answer(equipoise, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("INSPECT_EVAL_MAX_RETRIES", "0")
    done = equipoise(
        "eval",
        "openmtb",
        "--model",
        "openai/some-model",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--limit",
        3,
        "--timeout",
        2,
        "--out",
        "run",
    )
    assert done.code == 2
    told = [line for line in done.err.splitlines() if "came to nothing" in line]
    assert len(told) == 1
    assert told[0].startswith("equipoise: 3 of 3 calls")
    assert "cannot be reached" in told[0] or "no reply in time" in told[0]
    outcomes = read_run(tmp_path / "run").outcomes
    assert outcomes.column("state").to_pylist() == ["error"] * 3
    assert outcomes.column("label").to_pylist() == [None] * 3


def test_logs_that_are_none_are_one_line(equipoise, tmp_path):
    (tmp_path / "x.eval").write_text("no log")
    for name, words in (("x.eval", "not a log of Inspect"), ("y.eval", "no such log")):
        done = equipoise("outcomes", "from-log", name, "--out", "run")
        assert (done.code, words in done.err) == (2, True)
    assert equipoise("report", "nowhere", "-o", "page.html").code == 2
