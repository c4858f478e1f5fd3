"""Running again: after a kill, a changed file, a hand in the stages' tables, a moved folder, a failed call; and what --status says."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from boards.curation.invented import recordings, spoken, vtt
from boards.curation.test_recordings import built, notes, run, stored, table
from equipoise.boards.curation.asker import Settings, read_replays
from equipoise.boards.curation.runner import State, curate, states
from equipoise.boards.curation.stages.catalogue import STAGES
from equipoise.boards.curation.store import held
from equipoise.cli.main import app
from equipoise.errors import UsageError

NAMES = [stage.id for stage in STAGES]


@pytest.fixture
def ready(tmp_path):
    folder = tmp_path / "boards"
    replies = recordings(folder, names=["plain", "whisper"])
    run(folder, replies)
    return folder, replies


def standing(folder):
    return {report.stage: report.state for report in states(folder)}


def test_what_rests_on_a_changed_transcript_is_stale_down_to_the_build(ready):
    folder, replies = ready
    path = folder / "plain.vtt"
    path.write_bytes(path.read_bytes().replace(b"welcome", b"and welcome"))
    assert set(standing(folder).values()) == {State.STALE}
    assert {report.state for report in run(folder, replies).values()} == {State.DONE}


def test_what_rests_on_a_changed_file_of_roles_is_stale_and_the_rest_is_not(ready):
    folder, _ = ready
    (folder / "plain.roles.yaml").write_text("SPEAKER_01: surgeon\n")
    found = standing(folder)
    assert [name for name in NAMES if found[name] is State.DONE] == ["read", "screen", "segment"]
    told = CliRunner().invoke(app, ["board", "curate", str(folder), "--status"])
    assert "cases: " not in told.output.replace("cases │", "")
    assert told.exit_code == 0


def test_a_table_changed_by_hand_is_kept_beside_the_new_one_and_told(ready):
    folder, replies = ready
    path = folder / "stages" / "05-summary" / "sentences.jsonl"
    mine = path.read_text("utf-8").replace("years old", "years of age")
    path.write_text(mine, "utf-8")
    assert standing(folder)["summary"] is State.STALE
    told = notes(run(folder, replies))
    assert "sentences.by-hand-1.jsonl" in told
    assert (path.parent / "sentences.by-hand-1.jsonl").read_text("utf-8") == mine
    assert "years old" in path.read_text("utf-8")
    path.write_text(mine, "utf-8")
    assert "sentences.by-hand-2.jsonl" in notes(run(folder, replies))


def test_a_correction_comes_in_as_a_reply_and_is_checked_as_one(ready):
    folder, replies = ready
    row = next(row for row in replies if row["stage"] == "summary" and row["unit"] == "plain-c1")
    mine = {**row, "reply": row["reply"].replace("A patient", "This patient")}
    run(folder, [*replies, mine])
    assert "This patient" in next(case.text for case in built(folder) if case.id == "plain-c1")


def test_files_that_are_not_made_any_more_are_taken_away(ready):
    folder, replies = ready
    (folder / "whisper.json").unlink()
    run(folder, replies)
    assert [path.name for path in (folder / "stages" / "11-scrub").glob("report-*")] == ["report-01.json"]


def test_the_folder_can_be_moved(ready):
    folder, replies = ready
    moved = folder.with_name("elsewhere")
    folder.rename(moved)
    reports = curate(moved, replays=stored(folder, replies))
    assert [report.ran for report in reports] == [False] * len(reports)


@pytest.mark.parametrize("name", NAMES)
def test_each_stage_can_be_run_alone_and_gives_the_same(ready, name):
    folder, replies = ready
    before = {path: path.read_bytes() for path in (folder / "stages").rglob("*.jsonl") if path.name != "replies.jsonl"}
    reports = run(folder, replies, only=name)
    assert [stage for stage, report in reports.items() if report.ran] == [name]
    assert {path: path.read_bytes() for path in before} == before
    assert {report.state for report in reports.values()} == {State.DONE}


@pytest.mark.parametrize(
    "damage",
    ["{}", "[]", "not json", '{"expected": {}, "source": null, "outputs": {}, "counts": null}',
     '{"expected": 1, "source": null, "outputs": [], "counts": {}}'],
)  # fmt: skip
def test_a_damaged_record_is_a_stage_that_was_not_run(ready, damage):
    folder, replies = ready
    (folder / "stages" / "07-review" / "stage.json").write_text(damage)
    assert standing(folder)["review"] is State.MISSING
    assert standing(folder)["build"] is State.STALE
    assert run(folder, replies)["build"].state is State.DONE


def test_every_file_a_stage_wrote_is_watched(ready):
    folder, _ = ready
    for stage in STAGES:
        record = json.loads((folder / "stages" / stage.folder / "stage.json").read_text())
        for name in record["outputs"]:
            path = folder / "stages" / stage.folder / name
            whole = path.read_bytes()
            path.write_bytes(whole + b"\n")
            assert standing(folder)[stage.id] is State.STALE, path
            path.write_bytes(whole)
    assert set(standing(folder).values()) == {State.DONE}


def test_status_writes_nothing(tmp_path):
    folder = tmp_path / "boards"
    recordings(folder, names=["plain"])
    assert CliRunner().invoke(app, ["board", "curate", str(folder), "--status"]).exit_code == 0
    assert not (folder / "stages").exists()


def test_one_stage_alone_that_could_not_ask_ends_undecided(ready):
    folder, _ = ready
    shutil.rmtree(folder / "stages" / "05-summary")
    told = CliRunner().invoke(app, ["board", "curate", str(folder), "--only", "summary"])
    assert told.exit_code == 3


def test_failed_calls_leave_their_stage_open_with_the_cause(tmp_path, monkeypatch):
    from equipoise.evals import ask
    from equipoise.outcomes.schema import ReplyState

    async def fails(*_args, **_more):
        return ask.Asked(state=ReplyState.ERROR, text="", why="ConnectionError; the endpoint cannot be reached")

    class Nobody:
        async def __aexit__(self, *_):
            return None

    monkeypatch.setattr(ask, "ask_once", fails)
    monkeypatch.setattr(ask, "open_model", lambda *_args, **_more: Nobody())
    folder = tmp_path / "boards"
    replies = recordings(folder, names=["plain"])
    told = CliRunner().invoke(app, ["board", "curate", str(folder), "--model", "some/model"])
    assert told.exit_code == 3
    assert "cannot be reached" in told.output
    assert "Run again" in told.output
    reports = {report.stage: report for report in states(folder)}
    assert reports["screen"].state is State.OPEN
    assert reports["screen"].rejected == {"model-error": 1}
    again = curate(folder, settings=Settings(model="some/model"), replays=stored(folder, replies))
    assert again[-1].kept == 2


def test_a_run_killed_in_the_middle_goes_on_where_it_was(tmp_path):
    folder = tmp_path / "boards"
    replies = recordings(folder)
    stored(folder, replies)
    slow = (
        "import sys, time\n"
        "from equipoise.boards.curation import runner\n"
        "write = runner.write_private\n"
        "def slowly(path, text):\n"
        "    if path.name == 'sentences.jsonl': print('now', flush=True); time.sleep(60)\n"
        "    return write(path, text)\n"
        "runner.write_private = slowly\n"
        "from equipoise.cli.main import run; run()\n"
    )
    command = [sys.executable, "-c", slow, "board", "curate", str(folder), "--replies", f"{folder}.replies.jsonl"]
    work = subprocess.Popen(
        command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    assert work.stdout is not None
    assert work.stdout.readline() == b"now\n"
    time.sleep(0.2)
    work.send_signal(signal.SIGKILL)
    work.wait(30)
    work.stdout.close()
    assert standing(folder)["summary"] is State.MISSING
    reports = run(folder, replies)
    assert [name for name, report in reports.items() if report.ran] == NAMES[4:]
    assert reports["build"].kept == 11


def test_turns_with_everything_that_was_said_are_for_their_owner_alone(tmp_path):
    meeting, roles, turns = (tmp_path / name for name in ("meeting.vtt", "roles.csv", "turns.jsonl"))
    meeting.write_bytes(vtt(spoken(0)))
    roles.write_text("speaker;role\nSPEAKER_01;radiologist\n")
    command = ["board", "transcript", str(meeting), "--roles", str(roles), "--out", str(turns)]
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 0
    assert (tmp_path / "turns.jsonl").stat().st_mode & 0o777 == 0o600
    assert "SPEAKER_01 (radiologist)" in told.output
    assert "Brannigan" not in told.output


def test_the_record_of_a_table_stands_for_the_rows_it_names(ready):
    folder, _ = ready
    assert {row["case"] for row in table(folder, "12-build", "cases")} == {case.id for case in built(folder)}


def test_a_second_run_in_the_same_folder_is_kept_out(ready):
    folder, replies = ready
    with held(folder / "stages"), pytest.raises(UsageError, match="another run is at work"):
        run(folder, replies)
    assert run(folder, replies)["build"].kept == 5


def test_a_folder_that_cannot_be_written_is_told_in_one_line(ready, monkeypatch):
    folder, replies = ready

    def refused(*_args, **_more):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(UsageError, match="cannot be written: Permission denied"):
        curate(folder, replays=read_replays([folder.with_name("boards.replies.jsonl")]))
    assert replies


def test_a_stored_reply_for_a_unit_that_does_not_exist_is_told(ready):
    folder, replies = ready
    stored(folder, [*replies, {**replies[0], "unit": "plian"}, {**replies[0], "stage": "sumary"}])
    told = CliRunner().invoke(app, ["board", "curate", str(folder), "--replies", f"{folder}.replies.jsonl"])
    assert "2 stored replies are for a stage or unit that was not asked" in told.output
    stored(folder, replies)
    told = CliRunner().invoke(app, ["board", "curate", str(folder), "--replies", f"{folder}.replies.jsonl"])
    assert "was not asked" not in told.output
