"""How a case is put to a model that is trained: in the words that the evaluation asks with, and answers in the form it reads."""

from __future__ import annotations

from dataclasses import replace

from equipoise.boards.model import Arm, BoardCase, Question
from equipoise.boards.prompts import VERSIONS, board_prompt, case_text, turn_prompt, turn_text
from equipoise.boards.replies import write_board_reply
from equipoise.boards.vocabulary import Role
from equipoise.ids import content_hash

ID = f"{VERSIONS['board']}+{VERSIONS['turn']}"
"""Versions of the words of both settings."""
HASH = content_hash([board_prompt(Arm.CAPTIONS).hash, turn_prompt(Arm.CAPTIONS).hash])
"""Hash of both instructions with their frames."""
BOARD = board_prompt(Arm.CAPTIONS).system
TURN = turn_prompt(Arm.CAPTIONS).system


def board_text(case: BoardCase) -> str:
    """The case as the user's message of a whole board."""
    return case_text(case.text, case.slides)


def question_text(case: BoardCase, question: Question) -> str:
    """The case with one question as the user's message."""
    return turn_text(question.role, case.text, case.slides, question)


def discussion_text(case: BoardCase) -> str:
    """The recorded discussion and conclusion as the answer of a whole board.

    Speakers stand there by role only; one whose role is not known is written as Other.
    """
    turns = [
        replace(turn, speaker="", role=Role.OTHER if turn.role is Role.UNKNOWN else turn.role) for turn in case.turns
    ]
    return write_board_reply(turns, case.conclusion.text if case.conclusion else "")
