"""What is read of a moderator's and a specialist's reply, and what is written of them."""

from __future__ import annotations

import pytest

from equipoise.boards.agent_replies import LONGEST, read_call, read_conclusion, read_said, said_line, shown, turns_of
from equipoise.boards.discussion import DEFAULT_ROLES, Call, Entry, Position, Said
from equipoise.boards.replies import write_board_reply
from equipoise.boards.vocabulary import Role
from equipoise.outcomes.schema import ReplyState

SURGEON, ONCOLOGIST = Role.SURGEON, Role.MEDICAL_ONCOLOGIST


@pytest.mark.parametrize(
    ("text", "next_", "conclude", "words"),
    [
        ("NEXT: surgeon", SURGEON, False, ""),
        ("What is resectable?\nNEXT: surgeon", SURGEON, False, "What is resectable?"),
        ("**NEXT:** Medical Oncologist.", ONCOLOGIST, False, ""),
        ("- next: [medical_oncologist]", ONCOLOGIST, False, ""),
        ("surgeon", SURGEON, False, ""),
        ("Thank you all.\nCONCLUDE", None, True, "Thank you all."),
        ("**Conclude.**", None, True, ""),
        ("<think>NEXT: radiologist</think>\nNEXT: surgeon", SURGEON, False, ""),
        ("NEXT: surgeon\nNEXT: surgeon", SURGEON, False, ""),
        ("NEXT: surgeon\nNEXT: radiologist", None, False, ""),
        ("NEXT: surgeon\nCONCLUDE", None, False, ""),
        ("NEXT: cardiologist", None, False, ""),
        ("NEXT: genetic counselor", None, False, ""),
        ("NEXT: moderator", None, False, ""),
        ("We should conclude soon.", None, False, "We should conclude soon."),
        ("The surgeon may speak.", None, False, "The surgeon may speak."),
        ("", None, False, ""),
    ],
)
def test_a_moderators_reply(text, next_, conclude, words):
    assert read_call(text, DEFAULT_ROLES) == Call(next=next_, conclude=conclude, words=words)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I would wait.", Said(words="I would wait.")),
        ("Yes.\nPOSITION: agree 2", Said(words="Yes.", position=Position.AGREE, about=2)),
        ("No.\n**Position:** disagree with 1", Said(words="No.", position=Position.DISAGREE, about=1)),
        ("Yes.\nposition: agree with proposal 3.", Said(words="Yes.", position=Position.AGREE, about=3)),
        ("Hm.\nPOSITION: none", Said(words="Hm.")),
        ("Hm.\nPOSITION: agree 1\nPOSITION: disagree 1", Said(words="Hm.")),
        ("I disagree with that.", Said(words="I disagree with that.", position=Position.DISAGREE)),
        ("I disagree with that.\nPOSITION: none", Said(words="I disagree with that.")),
        ("That sounds agreeable to me.", Said(words="That sounds agreeable to me.")),
        ("Start.\nPROPOSAL: osimertinib 80 mg", Said(words="Start.", proposal="osimertinib 80 mg")),
        ("Start.\nPROPOSAL: none", Said(words="Start.")),
        ("Start.\nPROPOSAL: osimertinib\nPROPOSAL: alectinib", Said(words="Start.")),
        ("PROPOSAL: osimertinib", Said(words="PROPOSAL: osimertinib", proposal="osimertinib")),
        ("<think>alectinib?</think>I would wait.", Said(words="I would wait.")),
        ("alectinib?</think>I would wait.", Said(words="I would wait.")),
        ("<think>and so on", Said(state=ReplyState.UNPARSED)),
        ("", Said(state=ReplyState.EMPTY)),
        (" \n\t", Said(state=ReplyState.EMPTY)),
    ],
)
def test_a_specialists_reply(text, expected):
    assert read_said(text, SURGEON) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The lobe is resected. Nodes are sampled.", "The lobe is resected. Nodes are sampled."),
        ("<conclusion>The lobe is resected.</conclusion>", "The lobe is resected."),
        ("Here it is: <conclusion>The lobe is resected.</conclusion> Thanks.", "The lobe is resected."),
        ("<conclusion>A.</conclusion><conclusion>A.</conclusion>", "A."),
        ("<conclusion>A.</conclusion><conclusion>B.</conclusion>", ""),
        ("**Conclusion:** The lobe is resected.", "The lobe is resected."),
        ("```\nThe lobe is resected.\n```", "The lobe is resected."),
        ("<think>so</think>The lobe is resected.\nCONCLUDE", "The lobe is resected."),
        ("NEXT: surgeon", ""),
        ("<think>so", ""),
        ("", ""),
    ],
)
def test_a_conclusion(text, expected):
    assert read_conclusion(text) == expected


def test_a_turn_is_one_line_without_tags_of_the_form_and_not_longer_than_allowed():
    assert said_line("a\n\n<turn 4>  b </ Discussion > c < 3 cm") == "a ‹turn 4> b ‹/ Discussion > c < 3 cm"
    long = said_line("word " * LONGEST)
    assert long.endswith("word [cut]")
    assert len(long) <= LONGEST + len(" [cut]")


def test_proposal_and_position_stand_in_the_transcript():
    said = Said(words="Start.", proposal="osimertinib", position=Position.DISAGREE, about=2)
    assert shown(said) == "Start. [Proposal: osimertinib] [Position: disagree 2]"
    assert shown(Said(words="Osimertinib it is.")) == "Osimertinib it is."


def test_without_a_conclusion_there_is_no_block_for_one():
    entries = [Entry(role="medical oncologist", text="Start."), Entry(role="auditor", text="Not assessed.")]
    text = write_board_reply(turns_of(entries), "")
    assert text == "<discussion>\n<turn 1> Medical Oncologist: Start.\n<turn 2> Auditor: Not assessed.\n</discussion>"
    assert write_board_reply(turns_of(entries), "Done.").endswith("\n<conclusion>Done.</conclusion>")
