"""How boards went: roles, breaches, dissent, repetition, stops, and what became of what the auditor said."""

from __future__ import annotations

import pytest

from board_runs_help import DISCUSSION, write_part
from equipoise.boards.judging.criteria import TURN
from equipoise.errors import InputError
from equipoise.studies.board_conduct import conduct_of
from equipoise.studies.board_runs import read_board_part

CALL = {"turn": 3, "role": "medical oncologist", "tool": "audit-recommendation", "regimen": "alectinib", "verdict": "Unsupported",
        "abstained": False, "reasons": ["biomarker-absent"], "told": True}  # fmt: skip
RECORD = {"stop": "consensus", "roles": ["surgeon", "pathologist"], "silent_roles": ["pathologist"], "tokens": 120,
          "consensus_blocked": 2, "empty": [{"role": "surgeon", "turn": 4, "state": "empty"}], "tool_calls": [CALL],
          "kept_unsupported": []}  # fmt: skip


def concluded(text: str) -> str:
    return DISCUSSION.replace("The patient starts osimertinib.", text)


def test_roles_breaches_dissent_and_consistency(tmp_path):
    conduct = conduct_of(write_part(tmp_path / "run", [{"item": "c1", "reply": DISCUSSION}]))
    assert (conduct.boards, conduct.read, conduct.turns) == (1, 1, 5)
    assert (conduct.expected, conduct.spoke, dict(conduct.missing)) == (4, 3, {"pathologist": 1})
    assert (conduct.breaches, conduct.with_breach) == (1, 1), "a radiologist decides on a drug"
    assert (conduct.dissent, conduct.lost) == (2, 2)
    assert (conduct.checked, conduct.unmentioned) == (1, 0)
    assert (conduct.recorded, conduct.told) == (0, ())


def test_a_treatment_nobody_named_is_counted(tmp_path):
    conduct = conduct_of(
        write_part(tmp_path / "run", [{"item": "c1", "reply": concluded("The patient starts docetaxel.")}])
    )
    assert conduct.unmentioned == 1


@pytest.mark.parametrize("reply", ["", None, "I cannot discuss this."])
def test_a_reply_without_turns_is_no_discussion(tmp_path, reply):
    part = write_part(tmp_path / "run", [{"item": "c1", "reply": reply, "state": "unparsed"}])
    conduct = conduct_of(part)
    assert (conduct.boards, conduct.read, conduct.expected) == (1, 0, 0)


def test_a_reply_that_was_cut_off_is_not_measured(tmp_path):
    conduct = conduct_of(write_part(tmp_path / "run", [{"item": "c1", "reply": DISCUSSION, "state": "truncated"}]))
    assert conduct.read == 0


def test_the_record_of_a_board_of_agents(tmp_path):
    stale = RECORD | {"stop": "turn-limit", "silent_roles": []}
    part = write_part(
        tmp_path / "run",
        [
            {"item": "c1", "reply": DISCUSSION, "discussion": RECORD},
            {"item": "c2", "reply": DISCUSSION, "discussion": stale},
        ],
        setting="agents+auditor",
    )
    conduct = conduct_of(part)
    assert (dict(conduct.stops), conduct.recorded) == ({"consensus": 1, "turn-limit": 1}, 2)
    assert (dict(conduct.silent), conduct.silent_in, conduct.closed_early) == ({"pathologist": 1}, 1, 1)
    assert (dict(conduct.empty), conduct.blocked, conduct.tokens) == ({"empty": 2}, 4, 240)
    assert conduct.setting == "agents+auditor"


@pytest.mark.parametrize(
    ("text", "kept", "became"),
    [
        ("The patient starts osimertinib.", [], "left"),
        ("The patient starts alectinib.", ["alectinib"], "kept"),
        ("The patient gets no alectinib.", [], "still named"),
        ("Alecensa is started.", ["Alecensa"], "kept"),
    ],
)
def test_what_became_of_a_recommendation_the_auditor_speaks_against(tmp_path, text, kept, became):
    record = RECORD | {"kept_unsupported": kept}
    part = write_part(tmp_path / "run", [{"item": "c1", "reply": concluded(text), "discussion": record}])
    (told,) = conduct_of(part).told
    assert (told.item, told.regimen, told.verdict, told.told, told.became) == (
        "c1",
        "alectinib",
        "Unsupported",
        True,
        became,
    )


def test_a_supported_recommendation_in_the_conclusion_is_kept(tmp_path):
    record = RECORD | {"tool_calls": [CALL | {"regimen": "osimertinib", "verdict": "Supported"}]}
    (told,) = conduct_of(write_part(tmp_path / "run", [{"item": "c1", "reply": DISCUSSION, "discussion": record}])).told
    assert told.became == "kept"


def test_without_a_conclusion_nothing_became_of_it_and_lookups_are_no_audits(tmp_path):
    record = RECORD | {"stop": "failed", "tool_calls": [CALL, CALL | {"tool": "evidence", "verdict": ""}]}
    reply = DISCUSSION.partition("<conclusion>")[0]
    part = write_part(tmp_path / "run", [{"item": "c1", "reply": reply, "state": "unparsed", "discussion": record}])
    assert [item.became for item in conduct_of(part).told] == ["no conclusion"]


def test_a_second_trial_has_no_record_of_the_first(tmp_path):
    replies = [{"item": "c1", "reply": DISCUSSION, "trial": trial, "discussion": RECORD} for trial in (1, 2)]
    conduct = conduct_of(write_part(tmp_path / "run", replies))
    assert (conduct.boards, conduct.recorded, len(conduct.told)) == (2, 1, 1)


def test_single_answers_of_specialists_are_no_discussions(tmp_path):
    assert conduct_of(write_part(tmp_path / "run", [{"item": "q1", "reply": "x"}], benchmark=TURN)) is None


def test_a_folder_without_its_references_is_refused(tmp_path):
    write_part(tmp_path / "run", [{"item": "c1", "reply": "x"}])
    (tmp_path / "run" / "references.jsonl").unlink()
    with pytest.raises(InputError, match="keeps nothing of its items"):
        read_board_part("board_simulation", "mock/one", tmp_path / "run")


def test_the_panel_of_agents_is_expected_and_not_the_recorded_board(tmp_path):
    part = write_part(tmp_path / "run", [{"item": "c1", "reply": DISCUSSION, "discussion": RECORD}])
    conduct = conduct_of(part)
    assert (conduct.expected, conduct.spoke, dict(conduct.missing)) == (2, 1, {"pathologist": 1})
