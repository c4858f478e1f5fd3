"""Training rows: what is written, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from equipoise.boards.curation.marks import curated_note, read_note, scrubbed_note
from equipoise.boards.demo import demo_cases
from equipoise.boards.exports.framing import discussion_text
from equipoise.boards.exports.separation import breaches, enforce_separation
from equipoise.boards.exports.training import export_training, with_splits
from equipoise.boards.formats.own import write_cases
from equipoise.boards.measures.decisions import SCALE_0_5
from equipoise.boards.model import BoardCase
from equipoise.boards.replies import read_board_reply
from equipoise.boards.vocabulary import DecisionKind, Role, Split
from equipoise.cli.main import app
from equipoise.errors import InputError

CASES = demo_cases()
TRAIN = tuple(case for case in CASES if case.split is Split.TRAIN)
TEST = tuple(case for case in CASES if case.split is Split.TEST)


def exported(cases, kind="sft", **more):
    return export_training(cases, kind, split=Split.TRAIN, source_sha256="0" * 64, **more)


def test_sft_rows_hold_the_recorded_discussion_and_answers():
    made = exported(CASES)
    boards = [row for row in made.rows if row["task"] == "board_simulation"]
    turns = [row for row in made.rows if row["task"] == "specialist_turn"]
    assert [row["id"] for row in boards] == [case.id for case in TRAIN]
    assert len(turns) == sum(len(case.questions) for case in TRAIN)
    answer = boards[0]["messages"][-1]
    assert answer["role"] == "assistant"
    assert TRAIN[0].turns[3].text in answer["content"]
    assert f"<conclusion>{TRAIN[0].conclusion.text}</conclusion>" in answer["content"]
    assert json.loads(turns[0]["messages"][-1]["content"]) == {"answer": TRAIN[0].questions[0].answer}


def test_a_prompt_never_holds_the_answer():
    for row in exported(CASES).rows:
        prompt = "".join(message["content"] for message in row["messages"][:-1])
        assert row["messages"][-1]["content"] not in prompt
    for row in exported(CASES, "reward").rows:
        assert row["reference"] not in "".join(message["content"] for message in row["prompt"])


def test_reward_rows_hold_frozen_scope_and_scale():
    made = exported(CASES, "reward", scale=SCALE_0_5)
    row = made.rows[0]
    case = TRAIN[0]
    assert row["scale"] == SCALE_0_5.id == made.manifest["scale"]
    assert (row["low"], row["high"]) == (0, 5)
    assert list(row["decisions"]) == [kind.value for kind in DecisionKind]
    assert [item["scope"] for item in row["decisions"].values()] == [
        item.scope.value for item in case.conclusion.decisions
    ]
    assert row["references"][0] == case.conclusion.text
    assert row["scope_hash"] != exported(CASES, "reward", scope_by="a clinician").rows[0]["scope_hash"]


def test_the_scope_of_a_curated_case_is_not_said_to_be_an_authors():
    curated = [replace(case, notes=(curated_note(), scrubbed_note("1", "x"))) for case in CASES]
    found = exported(curated, "reward", licence="l", consent="c")
    assert {row["scope_by"] for row in found.rows} == {"model of the curation"}
    assert found.manifest["scope_by"] == ["model of the curation"]
    named = exported(curated, "reward", licence="l", consent="c", scope_by="a clinician")
    assert {row["scope_by"] for row in named.rows} == {"a clinician"}
    assert exported(CASES, "reward").manifest["scope_by"] == ["author"]


def test_what_gives_no_row_is_named():
    bare = replace(TRAIN[0], turns=(), conclusion=replace(TRAIN[0].conclusion, decisions=()))
    others = tuple(case for case in CASES if case.id != bare.id)
    assert (bare.id, "no recorded discussion") in exported((bare, *others)).left_out
    assert (bare.id, "no conclusion taken apart into decisions") in exported((bare, *others), "reward").left_out


def test_the_manifest_pins_what_was_written():
    made = exported(CASES, licence="CC-BY-4.0", consent="invented")
    assert made.manifest["recordings"] == sorted({case.recording for case in TRAIN})
    assert made.manifest["licence"] == "CC-BY-4.0"
    again = exported(CASES)
    assert made.manifest["rows_sha256"] == again.manifest["rows_sha256"]
    fewer = exported(CASES, settings=("board",))
    assert fewer.manifest["rows_sha256"] != made.manifest["rows_sha256"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"split": Split.TRAIN}, "a recording must be in one split only"),
        ({"split": Split.TRAIN, "recording": "elsewhere"}, "near-duplicate"),
        ({"split": None}, "no split: 'copy'"),
        ({"recording": ""}, "no recording: 'copy'"),
    ],
)
def test_cases_that_are_not_apart_are_refused_by_name(change, message):
    copy = replace(TEST[0], id="copy", **change)
    with pytest.raises(InputError, match=message):
        exported((*CASES, copy))


def test_an_answer_of_a_test_case_in_a_training_text_is_refused():
    leaky = replace(TRAIN[0], text=TRAIN[0].text + " " + TEST[0].conclusion.text)
    others = tuple(case for case in CASES if case.id != leaky.id)
    with pytest.raises(InputError, match="answer in training text") as error:
        exported((leaky, *others))
    assert leaky.id in str(error.value)
    assert TEST[0].id in str(error.value)
    assert TEST[0].conclusion.text[:30] not in str(error.value)


def test_a_near_duplicate_is_found_and_another_case_is_not():
    words = TEST[0].text.split()
    words[5] = "other"
    near = replace(TEST[0], id="near", recording="r", text=" ".join(words))
    assert [item.kind for item in breaches([(near, near.text)], TEST[:1])] == ["near-duplicate"]
    assert breaches([(case, case.text) for case in TRAIN], TEST) == ()


def test_test_cases_are_not_exported():
    with pytest.raises(InputError, match="for evaluation"):
        export_training(CASES, "sft", split=Split.TEST, source_sha256="")


def test_curated_cases_need_scrub_licence_and_consent():
    curated = replace(TRAIN[0], notes=(curated_note("meeting"),))
    others = tuple(case for case in CASES if case.id != curated.id)
    with pytest.raises(InputError, match="not scrubbed"):
        exported((curated, *others), licence="own", consent="given")
    with pytest.raises(InputError, match="licence and a basis of consent"):
        exported((curated, *others), allow_unscrubbed=True)
    told = exported((curated, *others), licence="own", consent="given", allow_unscrubbed=True)
    assert told.manifest["not_scrubbed"] == [curated.id]
    clean = replace(curated, notes=(*curated.notes, scrubbed_note("scrub-1", "abc")))
    assert exported((clean, *others), licence="own", consent="given").manifest["not_scrubbed"] == []


def test_curated_cases_that_no_person_has_read_need_a_word():
    scrubbed = (curated_note("meeting"), scrubbed_note("scrub-2", "abc"))
    unread = replace(TRAIN[0], notes=(*scrubbed, read_note("rules and model")))
    others = tuple(case for case in CASES if case.id != unread.id)
    with pytest.raises(InputError, match="no person has read"):
        exported((unread, *others), licence="own", consent="given")
    told = exported((unread, *others), licence="own", consent="given", accept_unread=True)
    assert told.manifest["not_read_by_a_person"] == [unread.id]
    seen = replace(unread, notes=(*scrubbed, read_note("rules", "R. Reader")))
    assert exported((seen, *others), licence="own", consent="given").manifest["not_read_by_a_person"] == []


def test_text_of_a_case_cannot_look_like_a_part_of_the_answer():
    turn = replace(
        TRAIN[0].turns[0], text="so </discussion> <turn 99> Surgeon: cut\n<conclusion>x</conclusion>", role=Role.UNKNOWN
    )
    text = discussion_text(replace(TRAIN[0], turns=(turn,)))
    assert text.count("</discussion>") == text.count("<conclusion>") == text.count("<turn ") == 1
    assert "<turn 1> Other: so (/discussion)" in text
    read = read_board_reply(text)
    assert [part.role for part in read.turns] == [Role.OTHER]
    assert read.problems == ()


@pytest.mark.parametrize("case", [case for case in CASES if case.conclusion], ids=lambda case: case.id)
def test_the_recorded_discussion_is_read_back_by_the_reader_of_the_evaluation(case):
    read = read_board_reply(discussion_text(case))
    assert read.problems == ()
    assert [turn.text for turn in read.turns] == [" ".join(turn.text.split()) for turn in case.turns]
    assert read.conclusion == " ".join(case.conclusion.text.split())


_IDS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)


@settings(deadline=None)
@given(_IDS, st.integers(min_value=0, max_value=1000))
def test_splitting_by_recording_never_divides_one(recordings, seed):
    cases = [
        BoardCase(id=str(place), recording=name, text=f"case {place}", origin="")
        for place, name in enumerate(recordings)
    ]
    found = with_splits(cases, seed=seed)
    assert [case.id for case in found] == [case.id for case in cases]
    splits: dict[str, set[Split]] = {}
    for case in found:
        splits.setdefault(case.recording, set()).add(case.split)
    assert all(len(item) == 1 for item in splits.values())


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(list(Split))), min_size=1, max_size=8))
def test_a_recording_in_two_splits_never_passes(placed):
    cases = [
        BoardCase(id=str(place), recording=name, split=split, text=f"text number {place}", origin="")
        for place, (name, split) in enumerate(placed)
    ]
    divided = any(len({split for other, split in placed if other == name}) > 1 for name, _ in placed)
    training = [(case, case.text) for case in cases if case.split is Split.TRAIN]
    if divided:
        with pytest.raises(InputError, match="one split only"):
            enforce_separation(training, cases)
    else:
        enforce_separation(training, cases)


def test_splits_that_exist_are_not_made_anew():
    with pytest.raises(InputError, match="have a split already"):
        with_splits(CASES, seed=1)


def test_the_command_writes_rows_and_manifest(tmp_path):
    source, out = tmp_path / "cases.jsonl", tmp_path / "train.jsonl"
    source.write_text(write_cases(CASES), encoding="utf-8")
    done = CliRunner().invoke(
        app, ["board", "export", str(source), "--as", "reward", "--out", str(out), "--licence", "CC0"]
    )
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    manifest = json.loads((tmp_path / "train.jsonl.manifest.json").read_text(encoding="utf-8"))
    assert len(rows) == manifest["rows"] == len(TRAIN)
    assert manifest["licence"] == "CC0"
    assert "held apart" not in done.output


def test_a_file_of_one_split_alone_is_told_since_nothing_can_be_held_apart(tmp_path):
    source = tmp_path / "cases.jsonl"
    source.write_text(write_cases(TRAIN), encoding="utf-8")
    done = CliRunner().invoke(app, ["board", "export", str(source), "--out", str(tmp_path / "train.jsonl")])
    assert done.exit_code == 0, done.output
    assert "nothing could be held apart" in done.output


def test_the_command_writes_nothing_when_a_case_cannot_be_read(tmp_path):
    source, out = tmp_path / "cases.jsonl", tmp_path / "train.jsonl"
    source.write_text(write_cases(CASES) + "{}\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["board", "export", str(source), "--out", str(out)])
    assert done.exit_code == 2
    assert not out.exists()


def test_the_command_splits_by_recording_on_request(tmp_path):
    source, out = tmp_path / "cases.jsonl", tmp_path / "train.jsonl"
    source.write_text(write_cases(replace(case, split=None) for case in CASES), encoding="utf-8")
    refused = CliRunner().invoke(app, ["board", "export", str(source), "--out", str(out)])
    assert isinstance(refused.exception, InputError)
    assert not out.exists()
    done = CliRunner().invoke(
        app, ["board", "export", str(source), "--out", str(out), "--split-by", "recording", "--seed", "3"]
    )
    assert done.exit_code == 0, done.output
    assert len(out.read_text(encoding="utf-8").splitlines()) > 0
