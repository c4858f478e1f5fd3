"""A whole board audit: what its figures rest on, and that the same runs give the same bytes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from board_pages import ONE, TWO, parts_of, protocol_of, scores_of, whole_audit
from board_scores_help import many, score
from equipoise.boards.judging.criteria import ALIGNMENT, BOARD, EQUIVALENCE, FACTS, TEXT, TURN
from equipoise.ids import content_hash
from equipoise.studies.board_audit import board_audit
from equipoise.studies.board_scores import CONSTANTS
from equipoise.studies.board_worst import KINDS


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return whole_audit(tmp_path_factory.mktemp("board"))


def test_the_json_form_holds_its_hash_and_no_nan(whole, tmp_path):
    value = whole.to_dict()
    body = {name: item for name, item in value.items() if name != "audit_hash"}
    assert value["audit_hash"] == content_hash(body)
    assert json.loads(json.dumps(value, allow_nan=False)) == value
    assert whole_audit(tmp_path).to_dict()["audit_hash"] == value["audit_hash"]


def test_another_seed_moves_intervals_and_no_mean():
    values = {name: np.random.default_rng(place).random(36).tolist() for place, name in enumerate((ONE, TWO))}
    rows = many(values, rubric=TEXT, criterion="rouge-l")
    one, two = (board_audit(protocol_of(seed=seed), {}, rows) for seed in (1, 2))
    assert [item.floored.estimate for item in one.means] == [item.floored.estimate for item in two.means]
    assert [item.floored.high for item in one.means] != [item.floored.high for item in two.means]


def test_the_panel_leads_and_without_one_the_first_judge_of_the_protocol():
    assert set(board_audit(protocol_of(), {}, scores_of()).main_judges.values()) == {"panel:majority"}
    rows = many({ONE: [1.0, 2.0]}, judge="who/judge") + many({ONE: [1.0, 2.0]}, judge="openai/o3")
    found = board_audit(protocol_of(judges=["who/judge", "openai/o3"]), {}, rows)
    assert found.main_judges == {ALIGNMENT: "who/judge"}
    assert board_audit(protocol_of(), {}, []).main_judges == {}


def test_each_rubric_has_the_panel_that_sat_for_it():
    rows = many({ONE: [1.0, 2.0]}, judge="panel:median")
    rows += many({ONE: [0.1, 0.2]}, judge="panel:majority", rubric=FACTS, criterion="recall")
    found = board_audit(protocol_of(), {}, rows)
    assert found.main_judges == {ALIGNMENT: "panel:median", FACTS: "panel:majority"}
    assert [(item.criterion, item.judge) for item in found.led] == [("alignment", "panel:median")]


def test_nothing_is_averaged_over_benchmarks_arms_settings_or_judges(whole):
    keys = [
        (item.benchmark, item.arm, item.setting, item.system, item.rubric, item.criterion, item.judge)
        for item in whole.means
    ]
    assert len(set(keys)) == len(keys)
    assert {pair.benchmark for pair in whole.pairs} == {TURN, BOARD}
    rows = [row for row in scores_of() if row.benchmark == BOARD]
    alone = board_audit(protocol_of(), {}, rows)
    assert alone.means == tuple(item for item in whole.means if item.benchmark == BOARD)
    assert alone.pairs == tuple(pair for pair in whole.pairs if pair.benchmark == BOARD)


def test_the_worst_stand_by_kind_and_constants_are_not_among_them(whole):
    order = [KINDS.index(item.kind) for item in whole.worst]
    assert order == sorted(order)
    assert {item.system for item in whole.worst} == {ONE, TWO}
    kept = [item for item in whole.worst if item.kind == "kept against the auditor"]
    assert len(kept) == 24
    assert all("alectinib" in item.reply for item in kept)
    assert kept[0].detail == "alectinib: Unsupported, biomarker-absent; the board was told"
    assert kept[0].reference == "The board started osimertinib."


def test_a_flag_by_one_judge_is_listed_once_a_judge(tmp_path):
    parts = parts_of(tmp_path)
    first = parts[TURN, ONE].rows[0]
    row = score(1, system=ONE, item="c000", benchmark=TURN, rubric=EQUIVALENCE, criterion="critical-error", judge="j/a",
                reply_id=first["reply_id"])  # fmt: skip
    audit = board_audit(protocol_of(), {(TURN, ONE): parts[TURN, ONE]}, [row])
    assert [(item.kind, item.item, item.detail) for item in audit.worst] == [
        ("critical error", "c000", "flagged, judge j/a")
    ]


def test_reply_states_and_tokens_are_counted_by_part(whole):
    states = {(item.part, item.system): item for item in whole.parts}
    assert dict(states[TURN, ONE].states) == {"empty": 1, "ok": 11}
    assert (states[BOARD, ONE].tokens_in, states[BOARD, ONE].tokens_out) == (60, 84)


def test_without_excerpts_no_word_of_a_case_is_in_the_measures(whole, tmp_path):
    audit = whole_audit(tmp_path, excerpts=False)
    text = json.dumps(audit.to_dict())
    assert "Case text of" in json.dumps(whole.to_dict())
    assert "Case text of" not in text
    assert "The board started osimertinib." not in text
    assert audit.worst_total == whole.worst_total > 0
    assert audit.worst[0].reply.startswith("not kept, hash ")


def test_systems_that_read_nothing_are_in_no_agreement():
    """All judges give them the lowest value, which would raise every kappa."""
    rows = [
        score(float(value), item=f"c{place}", system=system, judge=judge)
        for judge, values in (("j", (5, 4, 2)), ("k", (4, 5, 1)))
        for place, value in enumerate(values)
        for system in (ONE, CONSTANTS[0])
    ]
    (pair,) = board_audit(protocol_of(), {}, rows).agreements.pairs
    assert pair.n == 3
