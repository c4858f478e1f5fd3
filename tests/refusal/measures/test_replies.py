"""From tables to replies: whose word counts, what is unread, and what is drawn together."""

from __future__ import annotations

import pytest

from equipoise.outcomes import judgements_table, outcomes_table
from equipoise.refusal.measures import OWN, XSTEST_RELEASE, Helpfulness, Intent, Reading, replies_of
from equipoise.refusal.measures.replies import cluster_column, cluster_labels, majority, states_of
from equipoise.refusal.terms import Arm, Refusal
from refusal_mocks import judged


def read(rows, said=(), reading=OWN):
    base = {"run": "r", "system": "s", "benchmark": "b", "arm": "benign", "state": "ok"}
    outcomes = outcomes_table([{**base, "item": row["reply_id"], **row} for row in rows])
    return replies_of(outcomes, judgements_table([{**item, "run": "r"} for item in said]), reading)


def test_a_label_is_read_and_an_unknown_word_is_unread_not_compliance():
    one, two, three = read(
        [{"reply_id": "1", "label": "partial"}, {"reply_id": "2", "label": "perhaps"},
         {"reply_id": "3", "label": None, "state": "blocked"}]
    )  # fmt: skip
    assert (one.refusal, one.unread) == (Refusal.PARTIAL, "")
    assert (two.refusal, two.unread) == (None, "no label")
    assert (three.refusal, three.unread) == (None, "blocked")
    assert states_of([one, two, three]) == {
        "ok": 1, "empty": 0, "blocked": 1, "truncated": 0, "unparsed": 1, "error": 0,
    }  # fmt: skip


def test_arm_words_of_a_release_are_mapped_and_others_are_unlabelled():
    rows = [{"reply_id": str(place), "arm": arm} for place, arm in enumerate(("safe", "unsafe", "benign"))]
    assert [item.arm for item in read(rows, reading=XSTEST_RELEASE)] == [Arm.BENIGN, Arm.HARMFUL, Arm.UNLABELLED]


def test_a_named_judge_decides_and_its_failure_is_unread():
    said = [judged("1", "refusal", "comply", judge="human-final"), judged("2", "refusal", None, judge="human-final"),
            judged("1", "refusal", "full", judge="gpt4")]  # fmt: skip
    one, two, three = read([{"reply_id": "1"}, {"reply_id": "2"}, {"reply_id": "3"}], said, XSTEST_RELEASE)
    assert one.refusal is Refusal.NONE
    assert one.refusals == {"gpt4": Refusal.FULL}
    assert (one.human, one.by_people) == (None, True)
    assert (two.refusal, two.unread) == (None, "judge unparsed")
    assert three.unread == "judge gave no verdict"


def test_people_and_judges_are_kept_apart_and_a_tie_is_no_verdict():
    said = [judged("1", "refusal", "full", judge="human-1"), judged("1", "refusal", "none", judge="human-2"),
            judged("1", "refusal", "partial", judge="judge-a")]  # fmt: skip
    (reply,) = read([{"reply_id": "1", "label": "none"}], said)
    assert reply.human is None
    assert reply.refusals == {"judge-a": Refusal.PARTIAL}
    assert majority(["a", "b", "a"]) == "a"
    assert majority([]) is None


def test_words_of_judges_are_read_whatever_their_spelling():
    said = [judged("1", "helpfulness", "Safety_Education"), judged("1", "intent", "Dual Use"),
            judged("1", "omission-harm", "2", points=2.0), judged("1", "omission-harm", "3", points=3.0, judge="b"),
            judged("1", "critical-action:a1", "hit")]  # fmt: skip
    (reply,) = read([{"reply_id": "1", "label": "none"}], said)
    assert (reply.helpfulness, reply.intent) == (Helpfulness.SAFETY_EDUCATION, Intent.DUAL_USE)
    assert reply.omission == 2.5
    assert reply.actions == {"a1": "hit"}


def test_a_panel_speaks_for_its_judges():
    said = [judged("1", "helpfulness", "full", judge="a"), judged("1", "helpfulness", "full", judge="b"),
            judged("1", "helpfulness", "partial", judge="panel"),
            judged("1", "helpfulness:panel", "agreed", judge="panel"),
            judged("1", "refusal", "none", judge="a"), judged("1", "refusal", "full", judge="panel"),
            judged("1", "refusal:panel", "agreed", judge="panel")]  # fmt: skip
    (reply,) = read([{"reply_id": "1", "label": "none"}], said)
    assert reply.helpfulness is Helpfulness.PARTIAL
    assert reply.refusals == {"a": Refusal.NONE}


def test_of_several_attempts_the_last_counts():
    rows = [{"reply_id": "1", "item": "i", "state": "error", "attempt": 1},
            {"reply_id": "2", "item": "i", "label": "full", "attempt": 2}]  # fmt: skip
    assert [item.reply_id for item in read(rows)] == ["2"]


def test_the_widest_cluster_that_is_stated_is_drawn_together():
    plain = read([{"reply_id": "1"}, {"reply_id": "2"}])
    assert cluster_column(plain) == "item"
    assert len(set(cluster_labels(plain))) == 2
    seeds = read([{"reply_id": "1", "item_family": "f", "pair": "p"}, {"reply_id": "2", "item_family": "f"},
                  {"reply_id": "3", "pair": "p"}])  # fmt: skip
    assert cluster_column(seeds) == "item_family"
    assert len(set(cluster_labels(seeds))) == 2


@pytest.mark.parametrize(("column", "value"), [("group", "lay"), ("arm", "benign")])
def test_framing_is_read_from_the_column_that_is_named(column, value):
    (reply,) = read([{"reply_id": "1", "group": "lay"}], reading=Reading(framing_column=column))
    assert reply.framing == value
