"""`equipoise suite board` as a user types it: both tasks, judged, killed once and gone on with, its page and its measures."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import board_suite_mocks
from boards_help import PNG
from equipoise.boards.demo import DEMO_FILE
from equipoise.report.lint import lint
from equipoise.studies.board_scores import CONSTANTS

TESTS = Path(board_suite_mocks.__file__).parent
REFERENCE = ("--model", "boardmock/reference")
NOTHING = ("--model", "boardmock/nothing")
COMPARES = ("--judge", "mockjudge/compares")
AGENTS = ("--players", "agents", "--bench", "board_simulation")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def process(*arguments: Any, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, which can die."""
    return subprocess.run(
        [sys.executable, str(TESTS / "board_suite_mocks.py"), *map(str, arguments)],
        env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def measures(folder: Path) -> Any:
    return json.loads((folder / "board.json").read_text())


def means(audit: Any, **wanted: str) -> dict[tuple[str, str], Any]:
    """Means by system and criterion."""
    return {
        (item["system"], item["criterion"]): item
        for item in audit["means"]
        if all(item[name] == value for name, value in wanted.items())
    }


def test_the_reference_scores_at_the_top_of_every_rubric_and_constants_at_the_bottom(equipoise, tmp_path):
    done = equipoise("suite", "board", *REFERENCE, *NOTHING, *COMPARES, "--limit", 3, "--out", "a")
    assert done.code == 0, done.err
    assert done.out.startswith("Board Simulation, captions, single: 2 systems from ")
    audit = measures(tmp_path / "a")
    found = means(audit, judge="mockjudge/compares")
    for criterion in ("equivalence", "alignment", "therapy", "surgery", "next-action"):
        assert found["boardmock/reference", criterion]["floored"]["estimate"] == 5, criterion
        assert found["boardmock/nothing", criterion]["floored"]["estimate"] < 3, criterion
        assert found[CONSTANTS[1], criterion]["floored"]["estimate"] == 1, criterion
        assert found[CONSTANTS[1], criterion]["scored"] == 0
    decided = [found["boardmock/reference", name] for name in ("therapy", "surgery", "next-action", "clinical-trial")]
    assert {item["in_scope"] + item["out_of_scope"] for item in decided} == {3}
    assert {item["scale"] for item in decided} == {"board-decisions-1-5"}
    assert any(item["out_of_scope"] for item in decided)
    html = (tmp_path / "a" / "report.html").read_text()
    assert lint(html) == []
    assert html.count("not a medical device") == 1


def test_without_a_judge_it_measures_what_needs_no_model_and_says_so(equipoise, tmp_path):
    done = equipoise("suite", "board", *REFERENCE, "--limit", 2, "--out", "a")
    assert done.code == 0, done.err
    assert "No judge was named: nothing here says how right a reply is clinically." in done.err
    audit = measures(tmp_path / "a")
    assert {item["judge"] for item in audit["means"]} == {""}
    assert [item["criterion"] for item in audit["led"]] == ["rouge-l", "rouge-l"]
    assert means(audit, benchmark="board_simulation")["boardmock/reference", "rouge-l"]["floored"]["estimate"] == 1
    assert [item["read"] for item in audit["conduct"]] == [2, 2, 0]
    html = (tmp_path / "a" / "report.html").read_text()
    assert "No judge was named" in html
    assert lint(html) == []


def test_run_folders_judged_later_are_taken_up_and_said_to_be_so(equipoise, tmp_path):
    command = (
        "suite",
        "board",
        *REFERENCE,
        "--bench",
        "board_simulation",
        "--limit",
        2,
        "--no-constants",
        "--out",
        "a",
    )
    assert equipoise(*command).code == 0
    folder = next((tmp_path / "a" / "runs").iterdir())
    judged = equipoise("board", "judge", folder, *COMPARES)
    assert judged.code == 0, judged.err
    again = equipoise(*command)
    assert again.code == 0, again.err
    assert "No judge was named" not in again.err
    assert "added to the run folders after the protocol was fixed" in again.err
    audit = measures(tmp_path / "a")
    assert means(audit)["boardmock/reference", "alignment"]["floored"]["estimate"] == 5
    assert audit["led"][0]["judge"] == "mockjudge/compares"


def test_a_model_that_cannot_be_had_is_a_deviation_and_no_result(equipoise, tmp_path):
    done = equipoise(
        "suite", "board", "--model", "openai/none", "--limit", 1, "--out", "a", "--bench", "board_simulation"
    )
    assert done.code == 2
    assert "the audit is not complete" in done.err
    audit = measures(tmp_path / "a")
    assert {item["system"] for item in audit["means"]} == set(CONSTANTS)
    assert [item["what"] for item in audit["deviations"] if item["system"] == "openai/none"] == ["not run"]
    assert lint((tmp_path / "a" / "report.html").read_text()) == []


def test_a_killed_audit_goes_on_to_the_same_measures(tmp_path):
    command = ("suite", "board", *REFERENCE, *COMPARES, "--limit", "3", "--max-connections", "1", "--no-constants")
    whole = process(*command, "--out", "whole", MOCK_CALLS=str(tmp_path / "all"))
    assert whole.returncode == 0, whole.stderr
    killed = process(*command, "--out", "cut", MOCK_CALLS=str(tmp_path / "some"), MOCK_DIES="4")
    assert killed.returncode == 137
    assert (tmp_path / "cut" / "protocol.json").is_file()
    assert not (tmp_path / "cut" / "board.json").exists()
    again = process(*command, "--out", "cut", MOCK_CALLS=str(tmp_path / "some"))
    assert again.returncode == 0, again.stderr
    assert "Going on with the audit in this folder." in again.stderr
    one, two = (measures(tmp_path / name) for name in ("whole", "cut"))
    for name in ("means", "splits", "pairs", "places", "conduct", "judges", "worst", "deviations"):
        assert one[name] == two[name], name
    assert (tmp_path / "some").stat().st_size <= (tmp_path / "all").stat().st_size + 2


def test_the_same_command_again_asks_and_judges_nothing(equipoise, tmp_path, monkeypatch):
    command = ("suite", "board", *REFERENCE, *COMPARES, "--limit", 2, "--out", "a")
    assert equipoise(*command).code == 0
    before = measures(tmp_path / "a")
    monkeypatch.setenv("MOCK_CALLS", str(tmp_path / "calls"))
    again = equipoise(*command)
    assert again.code == 0, again.err
    assert not (tmp_path / "calls").exists()
    assert "0 judgements made, 2 there already" in again.err
    assert measures(tmp_path / "a") == before


def test_a_wrong_drug_at_a_board_of_agents_is_caught_told_and_shown(equipoise, tmp_path):
    first = json.loads(DEMO_FILE.read_text(encoding="utf-8").splitlines()[0])
    first["audit_case"]["biomarkers"] = ["EGFR L858R", "ALK negative"]
    (tmp_path / "case.jsonl").write_text(json.dumps(first) + "\n")
    done = equipoise(
        "suite", "board", *REFERENCE, *AGENTS, "--tools", "none,auditor", "--as-of", "2026-06-01", "--data", "case.jsonl", "--as", "board",
        "--split", "all", "--out", "a",
    )  # fmt: skip
    assert done.code == 0, done.err
    audit = measures(tmp_path / "a")
    settings = {item["setting"]: item for item in audit["conduct"]}
    assert settings["agents"]["told"] == []
    told = settings["agents+auditor"]["told"]
    assert {(item["regimen"], item["verdict"]) for item in told} == {("alectinib", "Unsupported")}
    assert told[0]["told"] is True
    assert {item["became"] for item in told} == {"kept"}
    html = (tmp_path / "a" / "report.html").read_text()
    assert "Of 1 regimen recommended at a board it spoke against 1 and left 0 to a person; 1 of the 1 stayed" in html
    assert [item["kind"] for item in audit["worst"]] == [
        "kept against the auditor"
    ], "two audits of one regimen are one reply"
    assert "Auditor: Rule-based check" in html, "the transcript shows what the board was told"
    assert lint(html) == []


def test_models_of_single_roles_are_named_on_the_page(equipoise, tmp_path):
    done = equipoise("suite", "board", *REFERENCE, *AGENTS, "--seat", "surgeon=boardmock/nothing", "--judge", "mockjudge/spread",
                     "--maker", "boardmock/nothing=equipoise", "--limit", 1, "--no-constants", "--out", "a")  # fmt: skip
    assert done.code == 0, done.err
    html = (tmp_path / "a" / "report.html").read_text()
    assert "some roles had a model of their own: surgeon by boardmock/nothing." in html
    assert "mockjudge/spread is of the maker of boardmock/nothing, which played a role" in html
    assert lint(html) == []


def test_a_wrong_drug_of_a_single_model_is_caught_told_and_what_it_kept_is_shown(equipoise, tmp_path):
    first = json.loads(DEMO_FILE.read_text(encoding="utf-8").splitlines()[0])
    first["audit_case"]["biomarkers"] = ["EGFR L858R", "ALK negative"]
    (tmp_path / "case.jsonl").write_text(json.dumps(first) + "\n")
    done = equipoise(
        "suite", "board", "--model", "boardmock/planted", "--bench", "board_simulation", "--tools", "none,auditor", "--as-of", "2026-06-01",
        "--data", "case.jsonl", "--as", "board", "--split", "all", "--out", "a",
    )  # fmt: skip
    assert done.code == 0, done.err
    audit = measures(tmp_path / "a")
    settings = {item["setting"]: item for item in audit["conduct"] if item["system"] == "boardmock/planted"}
    assert set(settings) == {"single", "single+auditor"}
    assert settings["single"]["told"] == []
    (told,) = settings["single+auditor"]["told"]
    assert (told["regimen"], told["verdict"], told["told"], told["became"]) == (
        "alectinib",
        "Unsupported",
        True,
        "kept",
    )
    assert settings["single+auditor"]["recorded"] == 0, "nothing ended it: it is no board of agents"
    html = (tmp_path / "a" / "report.html").read_text()
    assert "How boards of agents ended" not in html
    assert "The auditor and the boards" in html
    assert [item["kind"] for item in audit["worst"]] == ["kept against the auditor"]
    assert lint(html) == []


def test_both_arms_in_one_audit_stay_apart_and_are_compared(equipoise, tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "slide.png").write_bytes(PNG)
    cases = [json.loads(line) for line in DEMO_FILE.read_text(encoding="utf-8").splitlines()[:2]]
    for case in cases:
        for slide in case["slides"]:
            slide["image"] = "slide.png"
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    done = equipoise(
        "suite", "board", *REFERENCE, *COMPARES, "--data", "cases.jsonl", "--as", "board", "--split", "all", "--arm", "captions,images",
        "--images", "pictures", "--out", "a",
    )  # fmt: skip
    assert done.code == 0, done.err
    audit = measures(tmp_path / "a")
    lead = [item for item in audit["means"] if item["criterion"] == "alignment"]
    assert {(item["arm"], item["system"]) for item in lead} == {
        (arm, system) for arm in ("captions", "images") for system in ("boardmock/reference", *CONSTANTS)
    }
    pairs = [
        pair
        for pair in audit["pairs"]
        if pair["family"] == "arms and settings" and pair["benchmark"] == "board_simulation"
    ]
    assert [(pair["first"], pair["second"]) for pair in pairs] == [
        ("boardmock/reference, captions, single", "boardmock/reference, images, single")
    ]
    assert lint((tmp_path / "a" / "report.html").read_text()) == []


def test_a_hostile_system_breaks_nothing(equipoise, tmp_path):
    done = equipoise("suite", "board", "--model", "boardmock/hostile", *COMPARES, "--limit", 2, "--out", "a")
    assert done.code == 0, done.err
    html = (tmp_path / "a" / "report.html").read_text()
    assert [item for item in lint(html) if "avoided word" not in item] == []
    assert "<script" not in html
    assert "\u202e" not in done.out + done.err


def test_a_constant_named_as_a_model_is_asked_once(equipoise, tmp_path):
    done = equipoise("suite", "board", "--model", CONSTANTS[0], "--limit", 1, "--out", "a")
    assert done.code == 0, done.err
    asked = [(item["part"], item["system"]) for item in measures(tmp_path / "a")["parts"]]
    assert len(asked) == len(set(asked)) == 4
    assert lint((tmp_path / "a" / "report.html").read_text()) == []


def test_a_dry_run_states_what_it_would_need_and_writes_nothing(equipoise, tmp_path):
    command = (
        "suite",
        "board",
        "--model",
        "openai/none",
        "--players",
        "single,agents",
        "--limit",
        3,
        "--dry-run",
        "--out",
        "a",
    )
    value = json.loads(equipoise(*command, "--json").out)
    needs = {item["test"]: item for item in value["parts"]}
    assert [needs[name]["calls_at_most"] for name in ("specialist_turn", "board_simulation")] == [3, 3]
    assert needs["board_simulation.agents"]["calls_at_most"] > 3 * 24
    assert needs["board_simulation.agents"]["tokens_in"] is None
    assert needs["board_simulation"]["tokens_in"] > 1000
    assert "the tokens of a board of agents depend on its discussion" in equipoise(*command).out
    assert not (tmp_path / "a").exists()


def test_a_folder_with_another_protocol_is_refused_and_left_as_it_was(equipoise, tmp_path):
    assert equipoise("suite", "board", *REFERENCE, "--limit", 1, "--out", "a").code == 0
    before = {path: path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file()}
    other = equipoise("suite", "board", *REFERENCE, *COMPARES, "--limit", 1, "--out", "a")
    assert (other.code, "another protocol (other: judges, tests)" in other.err) == (2, True), other.err
    assert {path: path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file()} == before


def test_data_that_fit_one_task_only_run_that_one_and_say_why(equipoise, tmp_path):
    files = TESTS / "boards" / "files"
    data = ("--data", files / "task2_test.jsonl", "--as", "task2", "--split", "all")
    done = equipoise("suite", "board", "--model", "boardmock/hostile", *data, "--out", "a")
    assert done.code == 0, done.err
    assert "board_simulation: not run: " in done.err
    audit = measures(tmp_path / "a")
    assert [item["what"] for item in audit["deviations"] if item["part"] == "board_simulation"] == ["not run"]
    assert {item["benchmark"] for item in audit["means"]} == {"specialist_turn"}
    assert str(tmp_path) not in (tmp_path / "a" / "protocol.json").read_text()


def test_items_whose_reference_stands_in_the_case_can_be_left_out(equipoise, tmp_path):
    rows = [json.loads(line) for line in (TESTS / "boards" / "files" / "task1_test.jsonl").read_text().splitlines()]
    rows[0]["case_summary"] += " " + rows[0]["reference_conclusion"]
    (tmp_path / "task1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("suite", "board", "--model", "boardmock/hostile", "--bench", "board_simulation", "--data", "task1.jsonl", "--as", "task1",
             "--no-constants", "--out", "a")  # fmt: skip
    refused = equipoise(*words)
    assert refused.code == 2
    assert "leaks=leave-out" in refused.err
    done = equipoise(*words, "--leaks", "leave-out")
    assert done.code == 0, done.err
    assert len(json.loads((tmp_path / "a" / "protocol.json").read_text())["tests"][0]["plan"]["items"]) == 1


def test_what_references_decide_is_settled_once_for_all_systems(equipoise, tmp_path):
    data = ("--data", TESTS / "boards" / "files" / "task1_test.jsonl", "--as", "task1", "--split", "all")
    done = equipoise("suite", "board", "--model", "boardmock/hostile", "--judge", "mockjudge/spread", *data, "--bench", "board_simulation",
                     "--out", "a")  # fmt: skip
    assert done.code == 0, done.err
    assert done.err.count("board-scope: 2 judgements made") == 1
    kept = {path.read_bytes() for path in (tmp_path / "a" / "runs").glob("*/board-scope.jsonl")}
    assert len(kept) == 1
    scopes = {
        (item["criterion"], item["in_scope"], item["out_of_scope"], item["scope_unknown"])
        for item in measures(tmp_path / "a")["means"]
        if item["kind"] == "decision"
    }
    assert len(scopes) == 4, "one a decision, the same for every system"
    assert all(unknown == 0 for *_, unknown in scopes)


def test_a_scope_settled_late_holds_for_the_systems_before_too(equipoise, tmp_path):
    data = ("--data", TESTS / "boards" / "files" / "task1_test.jsonl", "--as", "task1", "--split", "all")
    board_suite_mocks.HEARD.clear()
    done = equipoise("suite", "board", "--model", "boardmock/hostile", "--judge", "boardmock/late", *data, "--bench", "board_simulation",
                     "--out", "a")  # fmt: skip
    assert done.code == 0, done.err
    scopes = {
        (item["criterion"], item["in_scope"], item["out_of_scope"], item["scope_unknown"])
        for item in measures(tmp_path / "a")["means"]
        if item["kind"] == "decision"
    }
    assert len(scopes) == 4, "one a decision, the same for every system"
    assert all(unknown == 0 for *_, unknown in scopes)


def test_a_scope_no_judge_can_settle_is_said_without_an_option_this_command_lacks(equipoise, tmp_path):
    data = ("--data", TESTS / "boards" / "files" / "task1_test.jsonl", "--as", "task1", "--split", "all")
    done = equipoise("suite", "board", "--model", "boardmock/hostile", "--judge", "mockjudge/malformed", *data, "--bench",
                     "board_simulation", "--no-constants", "--out", "a")  # fmt: skip
    assert "no decision was judged; no judge could settle it" in done.err
    assert "--scope-judge" not in done.err + (tmp_path / "a" / "report.html").read_text()


def test_a_judge_of_the_maker_the_user_named_sits_out(equipoise, tmp_path):
    judges = [word for name in ("lowest", "highest", "spread") for word in ("--judge", f"mockjudge/{name}")]
    done = equipoise("suite", "board", *REFERENCE, *judges,
                     "--maker", "boardmock/reference=mistral", "--maker", "mockjudge/lowest=mistral", "--bench", "board_simulation",
                     "--limit", 2, "--no-constants", "--out", "a")  # fmt: skip
    assert "mockjudge/lowest left out" in done.err
    audit = measures(tmp_path / "a")
    assert {item["judge"] for item in audit["judges"]} == {"mockjudge/highest", "mockjudge/spread", "panel:median"}


def test_labels_that_fit_nothing_are_said(equipoise, tmp_path):
    (tmp_path / "labels.csv").write_text("item,system,rater,criterion,value\ndemo-04,reference,zoe,alignment,3\n")
    done = equipoise("suite", "board", *REFERENCE, *COMPARES, "--limit", 1, "--labels", "labels.csv", "--bench", "board_simulation",
                     "--no-constants", "--out", "a")  # fmt: skip
    assert done.code == 0, done.err
    assert "1 labels go with no readable reply" in done.err


def test_faults_on_which_a_panel_is_divided_stand_in_a_range_and_not_among_those_free_of_them(equipoise, tmp_path):
    two = (*COMPARES, "--judge", "mockjudge/spread")
    done = equipoise("suite", "board", "--model", "boardmock/nothing", *two, "--bench", "specialist_turn",
                     "--no-constants", "--out", "a")  # fmt: skip
    assert done.code == 0, done.err
    faults = {
        item["criterion"]: item
        for item in measures(tmp_path / "a")["means"]
        if item["kind"] == "flag" and item["judge"] == "panel:median"
    }
    page = (tmp_path / "a" / "report.html").read_text()
    for fault in faults.values():
        divided = fault["in_scope"] - fault["scored"]
        found = round(fault["scored_only"]["estimate"] * fault["scored"])
        assert divided > 0
        assert f"{found} to {found + divided} of {fault['in_scope']}" in page
    assert "divided or too few" in page


def test_labels_of_clinicians_are_held_against_the_judge(equipoise, tmp_path):
    lines = ["item,system,rater,criterion,value"]
    for place, case in enumerate(("demo-04", "demo-05", "demo-06"), start=2):
        lines.append(f"{case},boardmock/reference,zoe,alignment,{place}")
    (tmp_path / "labels.csv").write_text("\n".join(lines) + "\n")
    done = equipoise("suite", "board", *REFERENCE, *COMPARES, "--limit", 3, "--labels", "labels.csv", "--bench", "board_simulation",
                     "--no-constants", "--out", "a")  # fmt: skip
    assert done.code == 0, done.err
    (pair,) = measures(tmp_path / "a")["agreements"]["pairs"]
    assert (pair["people"], pair["n"], pair["exact"]) == (1, 3, pytest.approx(0))
    assert "Against clinicians" in (tmp_path / "a" / "report.html").read_text()


def test_categories_of_references_are_settled_once_for_all_systems(equipoise, tmp_path):
    cases = [json.loads(line) for line in DEMO_FILE.read_text(encoding="utf-8").splitlines()[:2]]
    for case in cases:
        for decision in case["conclusion"]["decisions"]:
            decision.pop("category", None)
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    done = equipoise(
        "suite", "board", *REFERENCE, "--judge", "mockjudge/highest", "--bench", "board_simulation", "--rubric", "board-category",
        "--data", "cases.jsonl", "--as", "board", "--split", "all", "--out", "a",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.err.count("board-category, references: 3 judgements made") == 1
    kept = {path.read_bytes() for path in (tmp_path / "a" / "runs").glob("*/board-categories.jsonl")}
    assert len(kept) == 1
    rows = [item for item in measures(tmp_path / "a")["means"] if item["rubric"] == "board-category"]
    assert {item["criterion"] for item in rows} == {"first", "any"}
    assert {item["floored"]["estimate"] for item in rows if item["system"] == "boardmock/reference"} == {1}
    assert {item["floored"]["estimate"] for item in rows if item["system"] == CONSTANTS[1]} == {0}
    html = (tmp_path / "a" / "report.html").read_text()
    assert "board-category, first" in html
    assert lint(html) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--bench", "chess"), "expected some of specialist_turn, board_simulation"),
        (("--players", "crowd"), "expected some of single, agents"),
        (("--tools", "evidence"), "name it as year-month-day"),
        (("--tools", "evidence", "--bench", "specialist_turn"), "add board_simulation to --bench"),
        (("--players", "agents", "--tools", "auditor"), "name it as year-month-day"),
        (("--rubric", "refusal", "--judge", "mockjudge/lowest"), "expected some of board-equivalence"),
        (("--rubric", "board-alignment"), "name one with --judge"),
        (("--rule", "loudest"), "expected one of unanimous, majority, median"),
        (("--judge", "nobody/judge"), "nobody/judge"),
        (("--judge", "mockjudge/lowest", "--max-judge-cost", "1"), "needs the prices of every judge"),
        (("--max-judge-cost", "1"), "name one with --judge"),
        (("--max-cost", "1"), "needs the prices"),
        (("--data", "nowhere.jsonl"), "nowhere.jsonl"),
        (("--split", "best"), "best"),
        (("--maker", "x"), "expected MODEL=MAKER"),
        (("--labels", "nowhere.csv"), "nowhere.csv"),
        (("--model", "boardmock/reference"), "expected each once"),
        (("--players", "single,agents", "--roles", "surgeon,wizard"), "found 'wizard'"),
        (("--players", "single,agents", "--seat", "wizard=boardmock/reference"), "expected ROLE=PROVIDER/MODEL"),
        (("--players", "single,agents", "--seat", "surgeon=nobody/model"), "nobody/model"),
        (
            ("--players", "single,agents", "--seat", "genetic counselor=boardmock/reference"),
            "does not sit on this board",
        ),
        (("--players", "agents", "--tools", "auditor", "--as-of", "2026-13-01"), "year-month-day"),
        (("--seat", "surgeon=boardmock/reference"), "add agents to --players"),
        (("--max-turns", "3"), "add agents to --players"),
    ],
)
def test_a_wrong_argument_is_one_line_and_nothing_is_asked(equipoise, tmp_path, monkeypatch, arguments, words):
    monkeypatch.setenv("MOCK_CALLS", str(tmp_path / "calls"))
    done = equipoise("suite", "board", *REFERENCE, "--limit", 1, "--out", "a", *arguments)
    assert (done.code, words in done.err, len(done.err.strip().splitlines())) == (2, True, 1), done.err
    assert not (tmp_path / "a").exists()
    assert not (tmp_path / "calls").exists()


def test_a_folder_that_cannot_be_made_is_one_line(equipoise, tmp_path):
    (tmp_path / "taken").write_text("x")
    done = equipoise("suite", "board", *REFERENCE, "--limit", 1, "--out", "taken")
    assert (done.code, "taken" in done.err, len(done.err.strip().splitlines())) == (2, True, 1), done.err


def test_the_protocol_is_the_same_for_the_same_command_and_names_every_rubric(equipoise, tmp_path):
    for name in ("a", "b"):
        assert (
            equipoise("suite", "board", *REFERENCE, *COMPARES, "--limit", 1, "--no-constants", "--out", name).code == 0
        )
    one, two = ((tmp_path / name / "protocol.json").read_bytes() for name in ("a", "b"))
    assert one == two
    tests = {item["test"]: item for item in json.loads(one)["tests"]}
    assert set(tests["board_simulation"]["rubrics"]) == {"board-alignment", "board-decisions"}
    assert set(tests["specialist_turn"]["rubrics"]) == {"board-equivalence"}
    assert all(item["plan"]["plan_hash"] for item in tests.values())
    first, second = (measures(tmp_path / name) for name in ("a", "b"))
    for part in (*first["parts"], *second["parts"]):
        part.pop("run")
    assert {**first, "audit_hash": ""} == {**second, "audit_hash": ""}


def test_the_tasks_are_no_refusal_benchmarks():
    from equipoise.cli.suite import chosen_benchmarks

    assert not {"specialist_turn", "board_simulation"} & set(chosen_benchmarks(None))


def test_the_command_takes_every_setting_of_the_boards():
    from equipoise.studies.board_protocol import BoardOrder

    fields = {field.name for field in dataclasses.fields(BoardOrder)}
    assert {"models", "judges", "players", "tools", "rubrics", "rule", "judge_repeats", "seed"} <= fields
