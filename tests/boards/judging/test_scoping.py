"""Scope settled from the reference alone, once; and nearness in meaning as a measure beside it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from board_judging_runs import DEMO, board_reply, board_run, case_record
from equipoise.boards.judging.items import SCOPE_UNKNOWN, item_scores
from equipoise.boards.judging.nearness import embed_run
from equipoise.boards.judging.references import read_references
from equipoise.boards.judging.run import judge_run
from equipoise.boards.judging.scoping import SCOPE_FILE, settle, settled_scopes, share_settled
from equipoise.errors import InputError
from equipoise.outcomes.run import read_run
from evals_help import written

SAID = {
    "scope-therapy": "positive",
    "scope-surgery": "negative",
    "scope-next-action": "positive",
    "scope-clinical-trial": "absent",
}


def open_run(folder, items=("demo-01", "demo-02")):
    """A run of which nobody has said what its references decide, as the released data come."""
    records = [
        case_record(DEMO[name]) | {"scope": {}, "scope_hash": "", "decisions": {}, "acceptable": {}} for name in items
    ]
    return board_run(folder, {("m", name): board_reply(DEMO[name].conclusion.text) for name in items}, records=records)


def judge(seen, said=SAID):
    def reply(prompt):
        seen.append(prompt)
        code = prompt.rsplit("check code ", 1)[1][:16]
        asked = [name for name in said if f'"{name}"' in prompt] or [
            name for name in ("therapy", "surgery", "next-action", "clinical-trial") if f'Criterion "{name}"' in prompt
        ]
        verdicts = {name: {"reason": "x", "value": said.get(name, 5)} for name in asked}
        return json.dumps({"nonce": code, "verdicts": verdicts})

    return {"j": written(reply)}


def test_without_a_settled_scope_no_decision_is_asked_and_it_is_said(tmp_path):
    run, seen = open_run(tmp_path / "run"), []
    done = judge_run(run, judge(seen), rubrics=["board-decisions"])
    assert seen == []
    assert "settle it with --scope-judge" in done[0].notes[0]
    scores = [item for item in item_scores(run) if item.rubric == "board-decisions"]
    assert {(item.judge_state, item.in_scope) for item in scores} == {(SCOPE_UNKNOWN, False)}


def test_scope_is_settled_before_any_answer_is_shown_and_then_frozen(tmp_path):
    run, seen = open_run(tmp_path / "run"), []
    judge_run(run, judge(seen), rubrics=["board-decisions"])
    judge_run(run, judge(seen), rubrics=["board-decisions"], settle_scope=True)
    first, rest = seen[:2], seen[2:]
    assert len(rest) == 2
    assert all("scope-therapy" in text and " reply]]" not in text for text in first)
    assert all(" reply]]" in text and 'Criterion "clinical-trial"' not in text for text in rest)
    scores = {
        item.criterion: item for item in item_scores(run) if item.rubric == "board-decisions" and item.item == "demo-01"
    }
    assert {name: (item.in_scope, item.points) for name, item in scores.items()} == {
        "therapy": (True, 5.0), "surgery": (True, 5.0), "next-action": (True, 5.0), "clinical-trial": (False, None),
    }  # fmt: skip
    assert {item.scope_hash for item in scores.values()} == {settled_scopes(run)["demo-01"]["hash"]}


def test_what_the_data_leave_open_is_settled_and_what_they_say_stands(tmp_path):
    """A hospital's file with the words of a decision and no scope: the judge says whether to do it, and cannot take out what was said."""
    own = {"therapy": None, "surgery": "positive", "next_action": None, "clinical_trial": "absent"}
    record = case_record(DEMO["demo-01"]) | {"scope": own, "scope_hash": "", "scope_by": ""}
    run = board_run(
        tmp_path / "run", {("m", "demo-01"): board_reply(DEMO["demo-01"].conclusion.text)}, records=[record]
    )
    seen = []
    done = judge_run(run, judge(seen), rubrics=["board-decisions"])
    assert "of 1 references nobody has said which of the four decisions they take" in done[0].notes[0]
    done = judge_run(run, judge(seen), rubrics=["board-decisions"], settle_scope=True)
    assert "scope of 1 references settled; 0 still open" in done[0].notes[0]
    scores = {item.criterion: item for item in item_scores(run) if item.rubric == "board-decisions"}
    assert {name: (item.in_scope, item.judge_state) for name, item in scores.items()} == {
        "therapy": (True, "ok"), "surgery": (True, "ok"), "next-action": (True, "ok"), "clinical-trial": (False, "not asked"),
    }  # fmt: skip
    count = len(seen)
    judge_run(run, judge(seen), rubrics=["board-decisions"], settle_scope=True)
    assert len(seen) == count
    assert read_references(run)["demo-01"].scope_hash not in {item.scope_hash for item in scores.values()}


def test_another_judge_cannot_move_a_settled_scope(tmp_path):
    run = open_run(tmp_path / "run")
    judge_run(run, judge([]), rubrics=["board-decisions"], settle_scope=True)
    before = (run / SCOPE_FILE).read_bytes()
    other = dict.fromkeys(SAID, "absent")
    judge_run(run, {"k": judge([], other)["j"]}, rubrics=["board-decisions"], settle_scope=True)
    assert (run / SCOPE_FILE).read_bytes() == before
    assert settle(run, read_run(run), read_references(run), "j") == 0
    assert (run / SCOPE_FILE).read_bytes() == before


def test_a_scope_that_could_not_be_read_stays_open(tmp_path):
    run = open_run(tmp_path / "run")
    done = judge_run(run, {"j": written(lambda prompt: "no")}, rubrics=["board-decisions"], settle_scope=True)
    assert "scope of 0 references settled; 2 still open" in done[0].notes[0]
    assert settled_scopes(run) == {}


def test_what_one_system_s_folder_settled_holds_for_all(tmp_path):
    """A judge that could not read one reference beside one system and could beside the next: both then have it in scope."""
    runs = [open_run(tmp_path / name) for name in ("a", "b")]
    for run, item in zip(runs, ("demo-01", "demo-02"), strict=True):
        (run / SCOPE_FILE).write_text(
            json.dumps({"item": item, "scope": {"therapy": "positive"}, "by": "j", "hash": item}) + "\n"
        )
    share_settled(runs)
    assert [sorted(settled_scopes(run)) for run in runs] == [["demo-01", "demo-02"]] * 2
    before = [(run / SCOPE_FILE).read_bytes() for run in runs]
    share_settled(runs)
    assert [(run / SCOPE_FILE).read_bytes() for run in runs] == before


def test_a_damaged_file_of_scopes_is_an_error_with_its_place(tmp_path):
    run = open_run(tmp_path / "run")
    (run / SCOPE_FILE).write_text('{"item": "demo-01", "scope": {"therapy": "maybe"}}\n', encoding="utf-8")
    with pytest.raises(InputError, match="settled scopes") as caught:
        item_scores(run)
    assert caught.value.line == 1


class Bag:
    """A stand-in for an embedding model: counts of a few words."""

    def encode(self, texts, **settings):
        words = ("osimertinib", "surgery", "mri", "not")
        rows = np.array([[text.casefold().count(word) for word in words] for text in texts], dtype=float) + 1e-9
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_nearness_takes_the_best_reference_and_stays_within_its_scale(tmp_path, monkeypatch):
    monkeypatch.setattr("equipoise.evals.embeddings.load_model", lambda name: Bag())
    case = DEMO["demo-01"]
    replies = {
        ("m", "demo-01"): board_reply(case.references[0]),
        ("n", "demo-01"): "empty",
        ("o", "demo-01"): board_reply("Not not not."),
    }
    run = board_run(tmp_path / "run", replies)
    assert embed_run(run, "bag") == 2
    assert embed_run(run, "bag") == 2
    scores = [item for item in item_scores(run) if item.criterion == "embedding"]
    found = {item.system: item.points for item in scores}
    assert found["m"] == pytest.approx(1.0)
    assert found["o"] == pytest.approx(0.0, abs=1e-6)
    failed = next(item for item in scores if item.system == "n")
    assert (failed.in_scope, failed.points, failed.reply_state) == (True, None, "empty")
    assert all(item.judge.startswith("embedding:bag") for item in scores)
