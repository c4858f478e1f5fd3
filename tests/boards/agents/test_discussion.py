"""Scripted boards, written before the rules: who speaks, what blocks a close, when and why it stops."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml

from equipoise.boards.agent_replies import read_call
from equipoise.boards.discussion import (
    DEFAULT_ROLES,
    Call,
    Discussion,
    DiscussionRecord,
    Limits,
    Position,
    Said,
    Stop,
    roles_named,
    same_proposal,
)
from equipoise.boards.discussion_record import ToolCall
from equipoise.boards.vocabulary import Role
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.schema import ReplyState

SCRIPTS = yaml.safe_load((Path(__file__).parent / "stops.yaml").read_text(encoding="utf-8"))


def played(script):
    """The discussion of a script; the speakers are compared while it goes on."""
    roles = tuple(Role(name) for name in script["roles"])
    limits = Limits(
        max_turns=script.get("max_turns", 24),
        max_tokens=script.get("max_tokens"),
        min_speakers=script["min_speakers"],
    )
    board = Discussion(roles=roles, limits=limits)
    steps = iter(script["steps"])
    while board.ready():
        step = next(steps)
        board.used(step.get("mod_tokens", 0))
        text = "\n".join([step.get("words", ""), step["mod"]]).strip()
        board.moderated(read_call(text, roles))
        if not board.ready():
            break
        assert board.speaker == Role(step["who"])
        board.used(step.get("tokens", 0))
        position = Position(step["position"]) if "position" in step else None
        board.said(
            Said(
                words=step.get("says", ""),
                proposal=step.get("proposal", ""),
                position=position,
                about=step.get("about"),
                state=ReplyState(step.get("state", "ok")),
            )
        )
    assert next(steps, None) is None, "the board stopped before the script did"
    return board


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script["name"])
def test_a_board_stops_as_written(script):
    board = played(script)
    record = board.record()
    assert record.stop.value == script["stop"]
    assert list(record.blocked) == script["blocked"]
    assert record.consensus_blocked == len(script["blocked"])
    assert list(record.silent_roles) == script["silent"]
    assert [[row["role"], row["turn"], row["state"]] for row in record.empty] == script.get("empty", [])
    if "dissent" in script:
        assert list(record.dissent) == script["dissent"]
    for name, found in (
        ("standing", record.standing),
        ("proposals", len(record.proposals)),
        ("tokens", record.tokens),
        ("fallbacks", record.fallbacks),
        ("conclusion_asked", board.may_conclude),
    ):
        if name in script:
            assert found == script[name], name


def test_every_stop_and_every_block_is_in_the_scripts():
    assert set(Counter(script["stop"] for script in SCRIPTS)) == {stop.value for stop in Stop} - {"single"}
    blocks = {reason for script in SCRIPTS for reason in script["blocked"]}
    assert blocks == {"too-few-speakers", "no-proposal", "no-majority", "unanswered-dissent"}
    assert len(SCRIPTS) >= 25


def test_a_record_is_read_back_as_it_was_written():
    board = played(SCRIPTS[15])
    call = ToolCall(turn=2, role="surgeon", tool="audit", regimen="osimertinib", verdict="Supported", abstained=False,
                    reasons=("supported",), told=True)  # fmt: skip
    record = DiscussionRecord(stop=Stop.STALEMATE, tool_calls=(call,), empty=board.record().empty, dissent=("surgeon",))
    assert record.empty
    assert DiscussionRecord.from_dict(record.to_dict()) == record


@pytest.mark.parametrize("value", [{}, {"stop": "because"}, {"stop": "failed", "tool_calls": [{"turn": 1}]}])
def test_what_is_no_record_is_refused(value):
    with pytest.raises(InputError, match="record of a discussion"):
        DiscussionRecord.from_dict(value)


def test_a_record_of_a_later_version_is_read_without_what_is_not_known():
    assert DiscussionRecord.from_dict({"stop": "failed", "mood": "good"}).stop is Stop.FAILED


@pytest.mark.parametrize("roles", [(), (Role.MODERATOR,), (Role.UNKNOWN,), (Role.SURGEON, Role.SURGEON)])
def test_a_board_needs_different_specialists(roles):
    with pytest.raises(UsageError, match="roles"):
        Discussion(roles=roles, limits=Limits())


@pytest.mark.parametrize("limits", [{"max_turns": 0}, {"max_tokens": -5}, {"min_speakers": True}, {"max_turns": 2.5}])
def test_limits_are_whole_numbers_from_one_on(limits):
    with pytest.raises(UsageError, match=next(iter(limits))):
        Limits(**limits)


def test_more_speakers_than_the_board_has_means_all_of_them():
    board = Discussion(roles=(Role.SURGEON,), limits=Limits(min_speakers=9))
    board.moderated(Call(next=Role.SURGEON))
    board.said(Said(words="I would take it out.", proposal="lobectomy"))
    board.moderated(Call(conclude=True))
    assert board.stop is Stop.CONSENSUS


def test_nobody_speaks_without_the_floor():
    board = Discussion(roles=(Role.SURGEON,), limits=Limits())
    with pytest.raises(UsageError, match="floor"):
        board.said(Said(words="Me first."))


def test_a_position_on_a_proposal_that_does_not_exist_is_none():
    board = Discussion(roles=(Role.SURGEON, Role.RADIOLOGIST), limits=Limits())
    for said in (
        Said(words="Out with it.", proposal="lobectomy"),
        Said(words="Yes.", position=Position.AGREE, about=7),
    ):
        board.moderated(Call())
        board.said(said)
    assert board.backers(board.standing) == (Role.SURGEON,)


def test_words_of_whitespace_are_no_turn():
    board = Discussion(roles=(Role.SURGEON,), limits=Limits())
    board.moderated(Call(next=Role.SURGEON))
    board.said(Said(words="  \n "))
    assert board.entries == []
    assert board.stop is Stop.FAILED


def test_what_makes_two_wordings_one_proposal():
    assert same_proposal("Osimertinib 80 mg daily", "osimertinib daily")
    assert not same_proposal("osimertinib daily", "alectinib daily")
    assert not same_proposal("radiation with 54 Gy", "radiation with 60 Gy")
    assert not same_proposal("surgery", "no surgery")
    assert not same_proposal("wait for the panel", "present again in eight weeks")


def test_roles_by_name():
    assert roles_named("Medical_Oncologist, surgeon") == (Role.MEDICAL_ONCOLOGIST, Role.SURGEON)
    assert roles_named(None) == DEFAULT_ROLES
    with pytest.raises(UsageError, match="moderator"):
        roles_named(["moderator"])
