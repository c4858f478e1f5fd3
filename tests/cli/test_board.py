"""`equipoise board`, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from equipoise.boards.formats.own import read_cases
from equipoise.cli.main import app
from equipoise.errors import InputError, UsageError

FILES = Path(__file__).parents[1] / "boards" / "files"


def run(*words, code=0):
    found = CliRunner().invoke(app, [str(word) for word in ("board", *words)])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    assert found.exit_code == code, found.output
    return found


def test_a_sound_file_is_counted():
    assert "task1: 3 read, 0 not" in run("check", FILES / "task1_test.jsonl", "--as", "task1").output


def test_faults_are_listed_with_their_line_and_the_exit_code_says_so():
    found = run("check", FILES / "task1_faults.jsonl", "--as", "task1", code=2)
    assert "task1: 2 read, 9 not" in found.output
    assert "line 4, field simulation_id" in found.output


def test_json_lists_the_same():
    found = run("check", FILES / "hospital.csv", "--as", "hospital", "--json", code=2)
    told = json.loads(found.stdout.splitlines()[0])
    assert told["read"] == {"hospital": 3}
    assert len(told["problems"]) == 4
    assert told["notes"] == ["column secretary was not read"]


def test_a_folder_is_a_release(tmp_path):
    for name in ("task1_test.jsonl", "task2_test.jsonl", "split.json"):
        (tmp_path / name).write_bytes((FILES / name).read_bytes())
    found = run("check", tmp_path)
    assert "cases: 3 read, 0 not" in found.output
    assert "task1_train.jsonl is not there" in found.output
    (tmp_path / "split.json").write_bytes((FILES / "split_twice.json").read_bytes())
    with pytest.raises(InputError, match="video_0001"):
        run("check", tmp_path)


def test_an_unknown_format_is_a_usage_error():
    with pytest.raises(UsageError, match="task1"):
        run("check", FILES / "task1_test.jsonl", "--as", "nothing")


def test_text_of_a_file_cannot_drive_the_terminal(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"schema_version": "\u001b[31m1"}) + "\n", encoding="utf-8")
    assert "\x1b" not in run("check", path, "--as", "task1", code=2).output


def test_the_demo_is_written_and_read_back(tmp_path):
    out = tmp_path / "demo.jsonl"
    found = run("demo", "--out", out)
    assert "28 invented cases of 16 meetings" in found.output
    assert "not reviewed by a clinician" in found.output
    assert len(read_cases(out).items) == 28
    assert "board: 28 read, 0 not" in run("check", out).output


def test_ranks_name_every_assumption():
    text = " ".join(run("ranks").output.split())
    for part in (
        "Gemini 3.7 Flash",
        "n = 184",
        "17 separable throughout",
        "17 nowhere",
        "spread 0.8, 0.9, 1",
        "66 recordings",
    ):
        assert part in text


def test_ranks_as_json():
    told = json.loads(run("ranks", "--setting", "turn", "--arm", "captions", "--spread", "1", "--json").stdout)
    assert told["spreads"] == [1.0]
    assert told["n"] == 4844
    assert len(told["rows"]) == 10


@pytest.mark.parametrize("words", [("--setting", "x"), ("--arm", "both"), ("--judge", "x"), ("--correlation", "1")])
def test_a_wrong_choice_is_a_usage_error(words):
    with pytest.raises(UsageError):
        run("ranks", *words)


def test_measures_of_the_demo_are_shown(tmp_path):
    out = tmp_path / "demo.jsonl"
    run("demo", "--out", out)
    told = {
        row["case"]: row
        for row in map(
            json.loads,
            run("measure", out, "--expect", "surgeon", "--expect", "genetic counselor", "--json").stdout.splitlines(),
        )
    }
    assert len(told) == 28
    assert told["demo-06"]["breaches"] == [{"turn": "t06", "role": "surgeon", "field": "systemic therapy"}]
    assert [item["recorded"] for item in told["demo-11"]["dissent"]] == [False]
    assert [(item["turn"], item["recorded"]) for item in told["demo-21"]["dissent"]] == [("t05", False), ("t09", False)]
    assert [row["case"] for row in told.values() if row["breaches"]] == ["demo-06"]
    assert told["demo-14"]["missing_roles"] == ["genetic counselor"]
    assert told["demo-04"]["role_coverage"] == 1
    assert {row["case"]: row["case_hash"] for row in told.values()} == {
        case.id: case.hash for case in read_cases(out).items
    }
    text = " ".join(run("measure", out).output.split())
    assert "1, 1 lost" in text
    assert "do not replace a reader" in text


def test_cases_without_a_discussion_are_counted_not_measured():
    found = run("measure", FILES / "task1_test.jsonl", "--as", "task1")
    assert "2 cases have no discussion" in found.output


def test_a_case_that_cannot_be_read_is_told(tmp_path):
    assert "line 4" in run("measure", FILES / "task1_faults.jsonl", "--as", "task1", code=2).output


def test_an_unknown_role_is_a_usage_error():
    with pytest.raises(UsageError, match="wizard"):
        run("measure", FILES / "task1_test.jsonl", "--as", "task1", "--expect", "wizard")


def test_text_of_a_case_is_shown_as_text(tmp_path):
    rows = (FILES / "task1_test.jsonl").read_text(encoding="utf-8").splitlines()
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(json.loads(rows[2]) | {"simulation_id": "[red]x\u001b[0m"}) + "\n", encoding="utf-8")
    output = run("measure", path, "--as", "task1").output
    assert "[red]x" in output
    assert "\x1b[0m" not in output


TRANSCRIPTS = FILES.parent / "transcripts"


def test_a_transcript_is_cut_into_cases_and_written(tmp_path):
    roles = tmp_path / "roles.yaml"
    roles.write_text("Surgery: surgeon\n")
    out = tmp_path / "turns.jsonl"
    found = run("transcript", TRANSCRIPTS / "two_cases.vtt", "--roles", roles, "--out", out)
    assert "8 cues read, 0 not; 4 speakers; 2 cases; 1 cues before the first" in found.output
    assert "Surgery (surgeon)" in found.output
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["case"] for row in rows] == [0, 1, 1, 1, 1, 2, 2, 2]
    assert rows[-1]["role"] == "surgeon"


def test_a_broken_transcript_gives_its_sound_part_and_the_exit_code(tmp_path):
    out = tmp_path / "turns.jsonl"
    found = run("transcript", TRANSCRIPTS / "broken.vtt", "--out", out, code=2)
    assert "2 cues read, 4 not" in found.output
    assert "line 9: expected a time" in found.output
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2


def test_missing_speakers_and_overlaps_are_told():
    assert "2 of 3 cues name no speaker" in run("transcript", TRANSCRIPTS / "no_speakers.vtt").output
    assert "2 cues overlap" in run("transcript", TRANSCRIPTS / "overlap.vtt").output


def test_a_recording_in_two_splits_is_a_fault_of_the_own_form(tmp_path):
    whole = tmp_path / "demo.jsonl"
    run("demo", "--out", whole)
    rows = [json.loads(line) for line in whole.read_text(encoding="utf-8").splitlines()]
    first = rows[0]["recording"]
    (moved, *_) = [row for row in rows[1:] if row["recording"] == first]
    moved["split"] = "test" if rows[0]["split"] != "test" else "train"
    whole.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = run("check", whole, code=2)
    assert f"a recording must be in one split only: {first!r}" in found.output
    assert json.loads(run("check", whole, "--json", code=2).stdout.splitlines()[0])["problems"]
