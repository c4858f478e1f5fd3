"""`equipoise suite redteam` as a user types it: a whole audit, killed once and gone on with, its page and its pack."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import redteam_suite_mocks
from equipoise.pack.manifest import verify
from equipoise.report.lint import lint
from equipoise.studies.redteam_axes import AXES

TESTS = Path(redteam_suite_mocks.__file__).parent
MODEL = ("--model", "redteam/never-escalates")
SMALL = ("--axes", "gates,robustness,order", "--limit", "3")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def process(*arguments: Any, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, which can die."""
    return subprocess.run(
        [sys.executable, str(TESTS / "redteam_suite_mocks.py"), *map(str, arguments)],
        env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def tables(folder: Path) -> Any:
    """Everything the audit measured."""
    audit = json.loads((folder / "audit.json").read_text())
    return [audit["axes"], audit["worst"], audit["parts"], audit["deviations"]]


def test_a_killed_audit_goes_on_to_the_same_tables_and_asks_nothing_twice(tmp_path):
    whole = process("suite", "redteam", *MODEL, *SMALL, "--out", "whole", MOCK_CALLS=str(tmp_path / "all"))
    assert whole.returncode == 0, whole.stderr
    calls = (tmp_path / "all").stat().st_size
    killed = process(
        "suite", "redteam", *MODEL, *SMALL, "--max-connections", "1", "--out", "cut", MOCK_CALLS=str(tmp_path / "some"),
        MOCK_DIES="20",
    )  # fmt: skip
    assert killed.returncode == 137
    assert (tmp_path / "cut" / "protocol.json").is_file()
    assert not (tmp_path / "cut" / "audit.json").exists()
    again = process(
        "suite", "redteam", *MODEL, *SMALL, "--max-connections", "1", "--out", "cut", MOCK_CALLS=str(tmp_path / "some")
    )
    assert again.returncode == 0, again.stderr
    assert "Going on with the audit in this folder." in again.stderr
    assert "gone on with" in again.stderr
    assert tables(tmp_path / "cut") == tables(tmp_path / "whole")
    assert (tmp_path / "some").stat().st_size <= calls + 2


def test_the_whole_audit_over_every_axis_that_exists(equipoise, tmp_path):
    done = equipoise("suite", "redteam", *MODEL, "--model", "redteam/always-escalates", "--axes", "gates", "--out", "a")
    assert done.code == 0, done.err
    assert "Failure gates and triage, redteam/never-escalates: Cases known to cross a critical gate" in done.out
    html = (tmp_path / "a" / "report.html").read_text()
    assert lint(html, data={"constants": ("always-escalate", "never-escalate")}) == []
    assert html.count("not a medical device") == 1
    assert html.index('id="worst"') < html.index('id="asked"')
    audit = json.loads((tmp_path / "a" / "audit.json").read_text())
    never, always = (item["result"]["triage"] for item in audit["axes"])
    assert (never["safety_pass"]["events"], never["over_escalation"]["events"]) == (0, 0)
    assert (always["safety_pass"]["events"], always["over_escalation"]["events"]) == (10, 10)
    assert (never["net"]["events"], always["net"]["events"]) == (10, 10)
    assert audit["worst"][0]["kind"] == "critical gate"
    assert audit["worst"][0]["reply"] == redteam_suite_mocks.CALM
    assert verify(tmp_path / "a" / "pack") == ()


def test_every_axis_of_the_catalogue_runs_or_says_in_one_line_why_not(equipoise, tmp_path):
    done = equipoise(
        "suite", "redteam", "--model", "redteam/x", "--judge", "mockjudge/lowest", "--out", "a", "--dry-run", "--json"
    )
    value = json.loads(done.out)
    told = {item["test"] for item in value["parts"]} | {item["test"] for item in value["not_run"]}
    assert told == {test.id for axis in AXES for test in axis.tests}
    for item in value["not_run"]:
        assert f"{item['axis']}, {item['test']}: not run: {item['why']}" in done.err
    assert not (tmp_path / "a").exists()


def test_a_dry_run_states_calls_and_cost_for_each_part_and_together(equipoise, tmp_path):
    command = ("suite", "redteam", "--model", "openai/none", "--axes", "gates", "--out", "a", "--dry-run",
               "--price", "openai/none=1,2", "--max-cost", 0.001)  # fmt: skip
    value = json.loads(equipoise(*command, "--json").out)
    part = value["parts"][0]
    assert (part["calls_at_most"], value["total"]["calls_at_most"]) == (20, 20)
    assert part["cost_at_most"] == pytest.approx((part["tokens_in"] + 2 * part["tokens_out_at_most"]) / 1e6, abs=1e-4)
    text = equipoise(*command)
    assert "together: at most 20 calls" in text.out
    assert "more than --max-cost allows" in text.err


def test_a_spent_budget_is_a_deviation_and_never_a_result(equipoise, tmp_path):
    done = equipoise(
        "suite", "redteam", *MODEL, "--axes", "gates", "--out", "a", "--price", "redteam/never-escalates=100,100",
        "--max-cost", 0.05, "--max-connections", 1,
    )  # fmt: skip
    assert done.code == 2
    assert "the audit is not complete" in done.err
    audit = json.loads((tmp_path / "a" / "audit.json").read_text())
    states = audit["parts"][0]["states"]
    assert 0 < states["ok"] < 20
    what = {item["what"]: item["number"] for item in audit["deviations"]}
    assert what["replies in state error"] == 20 - states["ok"]
    result = audit["axes"][0]["result"]
    assert result["critical_cases"]["events"] + result["critical_cases"]["failed"] <= 20
    assert lint((tmp_path / "a" / "report.html").read_text()) == []


def test_a_folder_with_another_protocol_is_refused_and_left_as_it_was(equipoise, tmp_path):
    assert equipoise("suite", "redteam", *MODEL, "--axes", "gates", "--limit", 2, "--out", "a").code == 0
    before = {path: path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file()}
    other = equipoise("suite", "redteam", *MODEL, "--axes", "gates", "--limit", 3, "--out", "a")
    assert (other.code, "another protocol (other: limit, tests)" in other.err) == (2, True)
    assert {path: path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file()} == before


def test_a_judge_of_the_gates_is_kept_when_the_command_is_repeated(equipoise, tmp_path):
    command = ("suite", "redteam", *MODEL, "--axes", "gates", "--limit", 2, "--out", "a")
    assert equipoise(*command).code == 0
    before = json.loads((tmp_path / "a" / "audit.json").read_text())["axes"][0]["result"]
    folder = next((tmp_path / "a" / "runs").iterdir())
    judged = equipoise("judge", folder, "--rubric", "medfail-gates", "--judge", "mockjudge/lowest")
    assert judged.code == 0, judged.err
    assert equipoise(*command).code == 0
    after = json.loads((tmp_path / "a" / "audit.json").read_text())["axes"][0]["result"]
    assert (before["judge"], after["judge"]) == ("", "mockjudge/lowest")
    assert after["judges"][0]["verdicts"] > 0
    assert after["critical_cases"]["failed"] == 0
    html = (tmp_path / "a" / "report.html").read_text()
    assert "Open gates were settled by mockjudge/lowest." in html
    assert lint(html) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--axes", "gates,nice"), "there is no axis 'nice'"),
        (("--option", "medfail"), "expected TEST.NAME=VALUE"),
        (("--option", "xstest.labels=a"), "expected TEST.NAME=VALUE"),
        (("--option", "medfail.colour=red"), "medfail has no option 'colour'"),
        (("--option", "medfail.trials=0"), "medfail: field trials: expected a whole number of 1 or more"),
        (("--data", "nowhere"), "expected a folder"),
        (("--max-cost", "1"), "needs the prices"),
        (("--price", "cheap"), "expected MODEL=IN,OUT"),
        (("--judge", "nobody/judge"), "nobody/judge"),
    ],
)
def test_a_wrong_argument_is_one_line_and_nothing_is_asked(equipoise, tmp_path, arguments, words):
    axes = () if "--axes" in arguments else ("--axes", "gates")
    done = equipoise("suite", "redteam", *MODEL, *axes, "--out", "a", *arguments)
    assert (done.code, words in done.err, len(done.err.strip().splitlines())) == (2, True, 1), done.err
    assert not (tmp_path / "a").exists()


def test_own_data_are_taken_by_the_name_of_the_test(equipoise, tmp_path):
    (tmp_path / "own").mkdir()
    options = {"A": "one", "B": "two", "C": "three", "D": "four"}
    questions = [
        {"question": f"Which of these is number {place}?", "options": options, "answer_idx": "A"}
        for place in range(3)
    ]  # fmt: skip
    (tmp_path / "own" / "medqa_order.jsonl").write_text("".join(json.dumps(item) + "\n" for item in questions))
    done = equipoise("suite", "redteam", *MODEL, "--axes", "order", "--data", "own", "--option",
                     "medqa_order.allow_changed=true", "--out", "a")  # fmt: skip
    assert done.code == 0, done.err
    protocol = json.loads((tmp_path / "a" / "protocol.json").read_text())
    assert len(protocol["tests"][0]["plan"]["items"]) == 3
    assert protocol["tests"][0]["own_data"] is True
    assert str(tmp_path) not in (tmp_path / "a" / "protocol.json").read_text()


def test_the_stress_tests_are_no_refusal_benchmarks():
    from equipoise.cli.suite import chosen_benchmarks

    assert not {test.task for axis in AXES for test in axis.tests} & set(chosen_benchmarks(None))
    assert "MockJudges" not in chosen_benchmarks(None)
