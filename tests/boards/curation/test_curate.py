"""The whole pipeline over the exam's meeting, with stored replies: quotes, leaks, names, splits, reruns, and what a broken file leaves."""

from __future__ import annotations

import json
import shutil
import stat

import pytest
from typer.testing import CliRunner

from boards.curation.exam import EXAM, read
from boards.curation.meeting import CASES, CONCLUSIONS, QUESTIONS, folder_with, rows
from equipoise.boards.curation.asker import read_replays
from equipoise.boards.curation.runner import State, curate, states
from equipoise.boards.formats.own import read_cases
from equipoise.cli.main import app
from equipoise.errors import InputError, UsageError

EXPECTED = read("expected.yaml")
STAGES = ("01-read", "02-screen", "03-segment", "04-roles", "05-summary", "06-questions", "07-review", "08-conclusion",
          "09-captions", "10-deleak", "11-scrub", "12-build")  # fmt: skip
UNASKED = ("read", "captions", "scrub", "build")
ASKED = tuple(name for name in STAGES if name[3:] not in UNASKED)


def stored(place, replies=None):
    place.write_text("".join(json.dumps(row) + "\n" for row in (rows() if replies is None else replies)), "utf-8")
    return read_replays([place])


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The folder after one run, with the reports of its stages."""
    base = tmp_path_factory.mktemp("curation")
    folder = folder_with(base / "meeting")
    reports = curate(folder, replays=stored(base / "replies.jsonl"))
    return folder, reports


def table(folder, stage, name):
    text = (folder / "stages" / stage / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def built(folder):
    loaded = read_cases(folder / "stages" / "12-build" / "board.jsonl")
    assert not loaded.problems
    return {case.id: case for case in loaded.items}


def test_every_stage_is_done_and_two_cases_are_built(done):
    folder, reports = done
    assert [report.folder for report in reports] == list(STAGES)
    assert {report.state for report in reports} == {State.DONE}
    assert tuple(built(folder)) == CASES


def test_every_quote_of_the_result_is_verbatim_and_the_altered_one_is_refused(done):
    folder, _ = done
    said = {}
    for row in table(folder, "04-roles", "turns"):
        said[row["id"]] = row["text"]
    questions = table(folder, "07-review", "questions")
    assert questions
    for row in questions:
        assert row["answer"] in said[row["utterance"]]
    for row in table(folder, "08-conclusion", "conclusions"):
        quotes = [*row["quotes"], *(quote for one in row["decisions"] for quote in one["quotes"])]
        assert len(quotes) >= 3
        for quote in quotes:
            assert quote["text"] in said[quote["turn"]]
    refused = [row for row in table(folder, "06-questions", "rejects") if row["reason"] == "quote-absent"]
    assert [row["value"]["quote"] for row in refused] == [QUESTIONS["meeting-c1"][2]["quote"]]


def test_every_planted_leak_is_deleted_and_what_was_presented_stays_byte_for_byte(done):
    folder, _ = done
    texts = {row["case"]: row["text"] for row in table(folder, "10-deleak", "texts")}
    for case, item in zip(CASES, EXPECTED["summaries"], strict=True):
        for sentence in item["sentences"]:
            assert (sentence["text"] in texts[case]) == (sentence["label"] == "keep"), sentence["text"]
        final = built(folder)[case].text
        assert all(one["text"] not in final for one in item["sentences"] if one["label"] == "leak")
    refused = [(row["unit"], row["item"]) for row in table(folder, "10-deleak", "rejects")]
    assert refused == [("meeting-c1", "s11"), ("meeting-c2", "s03")]
    assert "s4" not in [slide.id for slide in built(folder)["meeting-c1"].slides]


def test_every_proposal_of_a_leak_says_who_made_it_and_the_report_counts_them(done):
    folder, _ = done
    proposed = table(folder, "10-deleak", "proposed")
    who = [tuple(row["by"]) for row in proposed]
    assert set(who) <= {("model",), ("rule",), ("model", "rule")}
    refused = {(row["unit"], row["item"]) for row in table(folder, "10-deleak", "rejects")}
    assert refused <= {(row["case"], row["id"]) for row in proposed if "model" in row["by"]}
    assert {row["by"] for row in table(folder, "10-deleak", "deleted")} == {"model"}
    notes = json.loads((folder / "stages" / "10-deleak" / "stage.json").read_text(encoding="utf-8"))["notes"]
    told = next(note for note in notes if "proposed as leaks" in note)
    assert told.startswith(f"{len(proposed)} sentences")
    assert f"{who.count(('model', 'rule'))} by the model and the rules" in told
    assert f"{who.count(('rule',))} by the rules alone" in told


def test_the_name_is_replaced_in_everything_that_leaves_the_folder_and_look_alikes_stay(done):
    folder, _ = done
    text = (folder / "stages" / "12-build" / "board.jsonl").read_text(encoding="utf-8")
    source = (folder / "meeting.vtt").read_text(encoding="utf-8").casefold()
    for word in EXPECTED["never_in_output"]:
        assert word in source
        assert word not in text.casefold()
    spoken = "\n".join(turn.text for case in built(folder).values() for turn in case.turns)
    kept = [word for word in EXPECTED["not_identifiers"] if word in spoken]
    assert {"Gleason 4+3", "osimertinib", "stage IIIA", "PACIFIC", "NCT03521154"} <= set(kept)
    key = folder / "stages" / "11-scrub" / "keys" / "meeting.json"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_the_persons_file_wins_over_the_mislabelled_speaker(done):
    folder, reports = done
    roles = {row["speaker"]: row["role"] for row in table(folder, "04-roles", "roles")}
    assert roles == EXPECTED["roles"]
    assert any("radiologist in your file" in note for note in reports[3].notes)


def test_without_the_persons_file_the_wrong_role_of_the_model_stands(tmp_path):
    folder = folder_with(tmp_path / "meeting", roles=False)
    curate(folder, replays=stored(tmp_path / "replies.jsonl"))
    roles = {row["speaker"]: row["role"] for row in table(folder, "04-roles", "roles")}
    assert roles["SPEAKER_01"] == EXPECTED["mislabelled"]["given"]


def test_decisions_and_conclusion_come_out_as_told(done):
    case = built(done[0])["meeting-c1"]
    assert case.conclusion.text == CONCLUSIONS["meeting-c1"]["conclusion"]
    assert {item.kind.value: item.scope.value for item in case.conclusion.decisions if item.scope} == {
        "therapy": "positive", "surgery": "negative", "next_action": "positive", "clinical_trial": "absent",
    }  # fmt: skip


def test_both_cases_of_a_recording_are_in_one_split(tmp_path):
    folder = tmp_path / "several"
    folder.mkdir()
    replies = []
    for name in ("a", "b", "c", "d"):
        shutil.copy(EXAM / "meeting.vtt", folder / f"{name}.vtt")
        replies += [{**row, "unit": row["unit"].replace("meeting", name)} for row in rows()]
    curate(folder, replays=stored(tmp_path / "replies.jsonl", replies))
    by = {}
    for row in table(folder, "12-build", "board"):
        by.setdefault(row["recording"], set()).add(row["split"])
    assert all(len(found) == 1 for found in by.values())


def test_each_stage_keeps_input_hashes_prompt_replies_and_rejects(done):
    folder, _ = done
    for name in STAGES:
        record = json.loads((folder / "stages" / name / "stage.json").read_text(encoding="utf-8"))
        assert record["outputs"]
        assert (folder / "stages" / name / "rejects.jsonl").is_file()
        assert (record["expected"]["prompt"] is not None) == (name in (*ASKED, "11-scrub")), name
        if name in ASKED:
            assert record["expected"]["prompt"]["hash"]
            assert table(folder, name, "prompts")
            assert all(row["reply"] for row in table(folder, name, "replies"))
    assert table(folder, "12-build", "cases")


def test_a_second_run_does_nothing_and_one_stage_can_be_run_alone(tmp_path):
    folder = folder_with(tmp_path / "meeting")
    replays = stored(tmp_path / "replies.jsonl")
    curate(folder, replays=replays)
    assert [report.ran for report in curate(folder, replays=replays)] == [False] * 12
    assert [report.folder for report in curate(folder, replays=replays, only="summary") if report.ran] == ["05-summary"]
    again = curate(folder, replays=replays, start="scrub")
    assert [report.folder for report in again if report.ran] == ["11-scrub", "12-build"]
    with pytest.raises(UsageError, match="stage"):
        curate(folder, replays=replays, only="nothing")


def test_what_rests_on_a_changed_stage_is_stale(tmp_path):
    folder = folder_with(tmp_path / "meeting")
    curate(folder, replays=stored(tmp_path / "replies.jsonl"))
    (folder / "roles.csv").write_text("speaker,role\nSPEAKER_01,pathologist\n", encoding="utf-8")
    found = {report.folder: report.state for report in states(folder)}
    assert found["03-segment"] is State.DONE
    assert found["04-roles"] is State.STALE


def test_without_a_model_the_stages_that_need_none_run_and_the_others_are_open(tmp_path):
    reports = {report.folder: report for report in curate(folder_with(tmp_path / "meeting"))}
    assert {name for name, report in reports.items() if report.state is State.OPEN} == set(ASKED) - {
        "07-review",
        "10-deleak",
    }
    assert reports["01-read"].kept == 1
    assert reports["12-build"].rejected == {"case-without-text": 2}


@pytest.mark.parametrize(
    "reply", ["no JSON at all", '{"cases": "all"}', '{"cases": [{"first": "u9999", "last": "u0010"}]}']
)
def test_a_malformed_reply_stands_in_the_rejects_and_the_rest_goes_on(tmp_path, reply):
    folder = folder_with(tmp_path / "meeting")
    changed = [{**row, "reply": reply} if row["stage"] == "segment" else row for row in rows()]
    reports = curate(folder, replays=stored(tmp_path / "replies.jsonl", changed))
    assert sum(reports[2].rejected.values()) >= 1
    assert {row["by"] for row in table(folder, "03-segment", "cases")} == {"rule"}
    assert reports[-1].kept == 2


def test_a_case_whose_leaks_nobody_looked_for_is_held_back(tmp_path):
    folder = folder_with(tmp_path / "meeting")
    left = [row for row in rows() if row["stage"] != "deleak"]
    reports = curate(folder, replays=stored(tmp_path / "replies.jsonl", left))
    assert reports[-1].rejected == {"case-not-audited-for-leaks": 2}


@pytest.mark.parametrize("item", read("broken/expected.yaml"), ids=lambda item: item["file"])
def test_a_broken_recording_gives_a_message_and_loses_nothing_else(tmp_path, item):
    if item["file"].endswith(".csv"):
        folder = folder_with(tmp_path / "meeting", roles=False)
        shutil.copy(EXAM / "broken" / item["file"], folder / "roles.csv")
        reports = curate(folder)
        words = " ".join(note for report in reports for note in report.notes) + reject_text(folder)
        assert all(any(word.lower() in words.lower() for word in fault["says"]) for fault in item["faults"])
        return
    folder = folder_with(tmp_path / "meeting")
    shutil.copy(EXAM / "broken" / item["file"], folder / f"broken{(EXAM / 'broken' / item['file']).suffix}")
    for name in ("slides.json", "roles.csv"):
        (folder / name).rename(folder / f"meeting.{name}")
    reports = curate(folder, replays=stored(tmp_path / "replies.jsonl"))
    assert set(built(folder)) >= set(CASES)
    words = " ".join(note for report in reports for note in report.notes) + reject_text(folder)
    for fault in item["faults"]:
        assert any(word.lower() in words.lower() for word in fault["says"]), fault
    for spoken in item.get("never_says", ()):
        assert spoken not in " ".join(note for report in reports for note in report.notes)
    texts = " ".join(row["text"] for row in table(folder, "01-read", "cues") if row["recording"] == "broken")
    assert all(kept in texts for kept in item["kept"])
    assert bool(texts) != item["fatal"]


def reject_text(folder):
    return (folder / "stages" / "01-read" / "rejects.jsonl").read_text("utf-8") + (
        folder / "stages" / "04-roles" / "rejects.jsonl"
    ).read_text("utf-8")


def test_the_command_tells_what_is_open_and_ends_undecided(tmp_path):
    folder = folder_with(tmp_path / "meeting")
    told = CliRunner().invoke(app, ["board", "curate", str(folder)])
    assert told.exit_code == 3
    assert "Open, because there was no model" in told.output
    assert "Brannigan" not in told.output
    stored(tmp_path / "replies.jsonl")
    whole = CliRunner().invoke(
        app, ["board", "curate", str(folder), "--replies", str(tmp_path / "replies.jsonl"), "--out", str(tmp_path / "cases.jsonl")]
    )  # fmt: skip
    assert whole.exit_code == 0, whole.output
    assert CliRunner().invoke(app, ["board", "check", str(tmp_path / "cases.jsonl"), "--as", "board"]).exit_code == 0
    export = [
        "board",
        "export",
        str(tmp_path / "cases.jsonl"),
        "--as",
        "sft",
        "--split",
        "train",
        "--out",
        str(tmp_path / "train.jsonl"),
    ]
    refused = CliRunner().invoke(app, export)
    assert isinstance(refused.exception, InputError)
    assert "licence" in str(refused.exception)
    assert not (tmp_path / "train.jsonl").exists()
