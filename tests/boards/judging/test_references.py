"""What a run folder keeps to judge against: read whole, or refused with its place."""

from __future__ import annotations

import json

import pytest

from board_judging_runs import DEMO, case_record
from equipoise.boards.judging.material import BoardMaterial, decisions_text
from equipoise.boards.judging.references import read_references, reference_of
from equipoise.boards.vocabulary import DecisionKind, Scope
from equipoise.errors import InputError


def test_both_spellings_of_scope_are_one():
    record = case_record(DEMO["demo-01"])
    words = {"positive": "do", "negative": "do-not", "absent": "silent"}
    other = record | {"scope": {name: words[value] for name, value in record["scope"].items()}}
    assert reference_of(record).scope == reference_of(other).scope
    assert reference_of(record).scope[DecisionKind.SURGERY] is Scope.NEGATIVE


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"item": ""}, "item"),
        ({"scope": {"therapy": "perhaps"}}, "scope.therapy"),
        ({"scope": {"radiology": "do"}}, "no decision 'radiology'"),
        ({"references": "a text"}, "references"),
        ({"references": [1]}, "references"),
        ({"acceptable": {"therapy": "a text"}}, "acceptable"),
        ({"recording": 7}, "recording"),
    ],
)
def test_a_line_of_another_form_is_refused_with_its_place(tmp_path, change, told):
    lines = [case_record(DEMO["demo-02"]), case_record(DEMO["demo-01"]) | change]
    (tmp_path / "references.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(InputError, match=told) as caught:
        read_references(tmp_path)
    assert caught.value.line == 2


def test_an_item_without_a_recording_is_a_cluster_of_its_own():
    assert reference_of({"item": "a", "references": ["x"]}).recording == "a"


def test_only_decisions_in_scope_stand_before_the_judge_with_what_is_as_good():
    text = decisions_text(reference_of(case_record(DEMO["demo-01"])))
    assert [line.split(":")[0] for line in text.splitlines()] == [
        "therapy (do)",
        "surgery (do not)",
        "next-action (do)",
    ]
    assert " or: Osimertinib with platinum" in text


def test_an_item_without_reference_is_no_material():
    row = {"item": "a", "state": "ok", "reply": "x", "benchmark": "board_simulation"}
    with pytest.raises(InputError, match="nothing can be held against it"):
        BoardMaterial(rubric="board-alignment", references={}).material_for(row)
