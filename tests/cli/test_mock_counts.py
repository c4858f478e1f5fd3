"""Inspect's mock model asks nobody for a tokenizer."""

from __future__ import annotations

import pytest
import tiktoken

from equipoise.outcomes.run import read_run


def refuse(*_):
    message = "the network was asked"
    raise ConnectionError(message)


@pytest.mark.parametrize(("task", "state"), [("board_simulation", "unparsed"), ("specialist_turn", "ok")])
def test_mock_replies_are_replies_without_a_network(equipoise, tmp_path, monkeypatch, task, state):
    monkeypatch.setattr(tiktoken, "get_encoding", refuse)
    done = equipoise("eval", task, "--model", "mockllm/model", "--limit", "2", "--out", tmp_path / "run")
    assert done.code == 0, done.err
    rows = read_run(tmp_path / "run").outcomes.to_pylist()
    assert {row["state"] for row in rows} == {state}
    assert all(row["tokens_in"] > 0 for row in rows)


def test_a_mock_judge_is_asked_without_a_network(equipoise, tmp_path, monkeypatch):
    monkeypatch.setattr(tiktoken, "get_encoding", refuse)
    run = tmp_path / "run"
    assert (
        equipoise("eval", "board_simulation", "--model", "equipoise/board-defer", "--limit", "2", "--out", run).code
        == 0
    )
    done = equipoise("board", "judge", run, "--judge", "mockllm/model", "--rubric", "board-alignment")
    assert done.code == 0, done.err
    rows = [row for row in read_run(run).judgements.to_pylist() if row["criterion"] == "alignment"]
    assert {row["state"] for row in rows} == {"unparsed"}
