"""Replies written before the reader, and what it makes of them; nothing else may be read into a reply."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from equipoise.boards.model import Turn
from equipoise.boards.replies import read_board_reply, read_turn_reply, write_board_reply
from equipoise.boards.vocabulary import Role

FOLDER = Path(__file__).parent / "replies"
BOARD = yaml.safe_load((FOLDER / "board.yaml").read_text(encoding="utf-8"))
TURN = yaml.safe_load((FOLDER / "turn.yaml").read_text(encoding="utf-8"))


def test_there_are_enough_replies_of_both_outcomes():
    assert len(BOARD) + len(TURN) >= 60
    assert {bool(case["conclusion"]) for case in BOARD} == {True, False}
    assert {bool(case["answer"]) for case in TURN} == {True, False}
    for cases in (BOARD, TURN):
        assert {case["clean"] for case in cases} == {True, False}
        assert len({case["name"] for case in cases}) == len(cases)


@pytest.mark.parametrize("case", BOARD, ids=lambda case: case["name"])
def test_a_board_reply_is_read_as_written(case):
    found = read_board_reply(case["reply"])
    assert found.conclusion == case["conclusion"]
    assert [[turn.role.value, turn.text] for turn in found.turns] == case["turns"]
    assert (not found.problems) == case["clean"], found.problems


@pytest.mark.parametrize("case", TURN, ids=lambda case: case["name"])
def test_a_turn_reply_is_read_as_written(case):
    found = read_turn_reply(case["reply"])
    assert found.answer == case["answer"]
    assert (not found.problems) == case["clean"], found.problems
