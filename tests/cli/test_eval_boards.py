"""`equipoise eval` on the board tasks, as a user types them."""

from __future__ import annotations

import json

import pytest

from equipoise.outcomes.run import read_run


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.mark.parametrize(("name", "items", "tokens"), [("specialist_turn", 66, 2048), ("board_simulation", 23, 8192)])
def test_a_dry_run_shows_the_whole_first_prompt_and_leaves_room_for_a_reply(equipoise, tmp_path, name, items, tokens):
    value = json.loads(equipoise("eval", name, "--model", "openai/none", "--dry-run", "--json").out)
    assert (value["items"], value["calls_at_most"], value["tokens_out_at_most"]) == (items, items, items * tokens)
    assert value["first_prompt"].startswith("You ")
    assert "<patient>" in value["first_prompt"]
    fewer = json.loads(
        equipoise("eval", name, "--model", "openai/none", "--dry-run", "--max-tokens", 100, "--json").out
    )
    assert fewer["tokens_out_at_most"] == items * 100
    assert not (tmp_path / "logs").exists()


def test_other_benchmarks_keep_their_limit_of_tokens(equipoise):
    for name in ("openmtb", "medqa_order"):
        value = json.loads(equipoise("eval", name, "--model", "openai/none", "--dry-run", "--limit", 1, "--json").out)
        assert value["tokens_out_at_most"] % 1024 == 0
        assert value["tokens_out_at_most"] // 1024 == value.get("calls_at_most", value.get("calls"))


def test_a_run_is_told_in_words_and_written(equipoise, tmp_path):
    arguments = ("eval", "board_simulation", "--model", "equipoise/board-defer", "--limit", 3, "--out", "run")
    done = equipoise(*arguments)
    assert done.code == 0, done.err
    assert "equipoise/board-defer on board_simulation: 3 replies, 3 ok" in done.out
    assert "note: 5 left out: not of the split test" in done.out
    assert "came exactly as asked: 100 %" in done.out
    assert "Not a medical device." in done.out
    assert equipoise(*arguments).out == done.out
    kept = read_run(tmp_path / "run")
    assert kept.outcomes.num_rows == 3
    assert len((tmp_path / "run" / "references.jsonl").read_text(encoding="utf-8").splitlines()) == 3


def test_failed_replies_are_said_with_what_they_do_to_the_mean(equipoise):
    done = equipoise("eval", "specialist_turn", "--model", "equipoise/board-silent", "--limit", 2)
    assert done.code == 0, done.err
    assert "2 replies, 2 empty" in done.out
    assert "ROUGE-L - over 0 replies that could be read, 0.00 with 0 for the 2 that failed" in done.out


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--option", "players=pair"), "field players: expected one of single, agents; found 'pair'"),
        (("--option", "arm=images"), "field images: the arm images needs a folder of pictures"),
        (("--option", "stop=now"), "board_simulation has no option 'stop'"),
        (("--data", "none.jsonl"), "none.jsonl: there is no such file"),
        (("--arm", "benign"), "field --arm: not an option of board_simulation"),
    ],
)
def test_what_does_not_fit_is_one_line(equipoise, more, words):
    done = equipoise("eval", "board_simulation", "--model", "equipoise/board-defer", *more)
    assert done.code != 0
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_folder_that_cannot_be_made_is_no_missing_model(equipoise, tmp_path):
    (tmp_path / "taken").write_text("x")
    done = equipoise(
        "eval", "board_simulation", "--model", "equipoise/board-defer", "--out", tmp_path / "taken" / "run"
    )
    assert done.code == 2
    assert "name another folder" in done.err
    assert "no such model" not in done.err
