"""Category concordance: what a judge reads of one conclusion, what is settled of references, and what the two come to."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest
import yaml

import equipoise.judging.mock  # noqa: F401
from board_judging_runs import DEMO, board_reply, board_run, case_record
from equipoise.boards.judging.categories import ALSO, CATEGORY_FILE, read_plan, settled_categories
from equipoise.boards.judging.items import NOT_ASKED, NOT_JUDGED, item_scores
from equipoise.boards.judging.means import score_means
from equipoise.boards.judging.planned import plan_run
from equipoise.boards.judging.run import judge_run
from equipoise.boards.measures.concordance import plan_concordance
from equipoise.errors import InputError, UsageError
from equipoise.evals.budget import Budget
from equipoise.judging.journal import JOURNAL_FILE
from equipoise.outcomes.run import read_run
from evals_help import written

HERE = Path(__file__).parent
_SPEC = importlib.util.spec_from_file_location("category_grade", HERE / "grade.py")
assert _SPEC is not None
assert _SPEC.loader is not None
grading = importlib.util.module_from_spec(_SPEC)
__import__("sys").modules["category_grade"] = grading
_SPEC.loader.exec_module(grading)

EXAM = {item["id"]: item for item in grading.ITEMS}
WORKED = yaml.safe_load((HERE / "concordance.yaml").read_text(encoding="utf-8"))
RUBRIC = "board-category"


def verdicts_of(item):
    """What a judge says who reads as the exam does."""
    plan = grading.plan_of(item)
    named = lambda category: "none" if category is None else category.value  # noqa: E731
    return {"category-first": named(plan.first), "category-first-step": named(plan.step)} | {
        name: "yes" if category in plan.also else "no" for name, category in ALSO.items()
    }


def text_in(prompt):
    return re.search(r"\[\[BEGIN ([0-9a-f]{16}) reply\]\]\n(.*?)\n\[\[END \1", prompt, re.DOTALL)[2]


def judge(seen=None, *, says=None):
    """A judge that knows the exam's conclusions; `says` replaces what it reads in a text."""
    known = {item["text"]: verdicts_of(item) for item in EXAM.values()} | (says or {})

    def reply(prompt):
        if seen is not None:
            seen.append(prompt)
        found = known[text_in(prompt)]
        if isinstance(found, str):
            return found
        code = prompt.rsplit("check code ", 1)[1][:16]
        return json.dumps(
            {"nonce": code, "verdicts": {name: {"reason": "x", "value": value} for name, value in found.items()}}
        )

    return written(reply)


def record(item, *references, categories=()):
    return case_record(DEMO[item]) | {
        "references": [EXAM[name]["text"] for name in references], "reference": EXAM[references[0]]["text"],
        "categories": list(categories),
    }  # fmt: skip


def run_of(folder, reply, *references, categories=()):
    """A run with one reply; a conclusion of the exam, or the state of a failed reply."""
    text = board_reply(EXAM[reply]["text"]) if reply in EXAM else reply
    return board_run(folder, {("m", "demo-04"): text}, records=[record("demo-04", *references, categories=categories)])


def scores_in(run, **wanted):
    return {
        item.criterion: item
        for item in item_scores(run)
        if item.rubric == RUBRIC and all(getattr(item, name) == value for name, value in wanted.items())
    }


def points_in(run, **wanted):
    return {name: item.points for name, item in scores_in(run, **wanted).items()}


# --- the exam -------------------------------------------------------------------------------------------------------------------------


def test_the_exam_holds_every_category_and_none():
    named = {item["first"] for item in EXAM.values()}
    assert len(EXAM) == 20
    assert named == {"none", *(category.value for category in ALSO.values())}


def test_a_judge_that_reads_as_the_exam_does_is_graded_whole():
    found = grading.grade({"j": judge()})
    assert (found.items, found.read, found.first, found.exact, dict(found.wrong)) == (20, 20, 20, 20, {})


def test_a_judge_that_finds_no_category_is_graded_right_only_where_there_is_none():
    found = grading.grade(["mockjudge/lowest"])
    assert (found.read, found.first, found.exact) == (20, 1, 1)


@pytest.mark.parametrize("case", WORKED, ids=range(len(WORKED)))
def test_concordance_is_what_was_worked_by_hand(case):
    reference = case["reference"]
    if "categories" in reference:
        known = {category for category in ALSO.values() if category.value in reference["categories"]}
        assert len(known) == len(reference["categories"])
    else:
        known = grading.plan_of(reference).all
    found = plan_concordance(grading.plan_of(case["reply"]), known)
    wanted = case["concordant"]
    assert (None if found is None else {"first": int(found.first), "any": int(found.any)}) == wanted


# --- what a judge reads ----------------------------------------------------------------------------------------------------------------


def rows(**values):
    plain = verdicts_of({"first": "surgery"}) | {name.replace("_", "-"): value for name, value in values.items()}
    return {
        name: {"value": value, "state": "ok" if value else "unparsed"} for name, value in plain.items()
    }  # fmt: skip


def test_a_judge_that_contradicts_itself_has_read_nothing():
    found = read_plan(rows(category_first="none"))
    assert (found.plan, found.leading, found.state) == (None, None, "unparsed")


def test_a_missing_answer_on_the_side_leaves_the_first_category():
    found = read_plan(rows(also_systemic=None))
    assert found.plan is None
    assert found.leading.first.value == "surgery"
    assert read_plan(rows(category_first="multistep therapy", category_first_step=None)).leading is None
    assert read_plan({}).state == NOT_JUDGED


# --- runs ------------------------------------------------------------------------------------------------------------------------------


def test_a_reply_is_held_against_what_the_reference_recommends(tmp_path):
    run = run_of(tmp_path / "run", "c15", "c10")
    judge_run(run, {"j": judge()}, rubrics=[RUBRIC])
    scores = scores_in(run)
    assert points_in(run) == {"first": 1.0, "any": 1.0}
    assert {(item.scale, item.lowest, item.highest, item.in_scope) for item in scores.values()} == {("0-1", 0, 1, True)}
    other = run_of(tmp_path / "other", "c13", "c10")
    judge_run(other, {"j": judge()}, rubrics=[RUBRIC])
    assert points_in(other) == {"first": 0.0, "any": 0.0}


def test_an_equal_alternative_counts_under_any_alone(tmp_path):
    run = run_of(tmp_path / "run", "c18", "c13")
    judge_run(run, {"j": judge()}, rubrics=[RUBRIC])
    assert points_in(run) == {"first": 0.0, "any": 1.0}


def test_a_judge_sees_one_text_and_cannot_tell_reply_from_reference(tmp_path):
    seen = []
    run = run_of(tmp_path / "run", "c15", "c10")
    judge_run(run, {"j": judge(seen)}, rubrics=[RUBRIC])
    assert [text_in(prompt) for prompt in seen] == [EXAM["c10"]["text"], EXAM["c15"]["text"]], "references first"
    plain = [re.sub(r"[0-9a-f]{16}", "#", prompt).replace(text_in(prompt), "TEXT") for prompt in seen]
    assert plain[0] == plain[1]
    assert DEMO["demo-04"].text.splitlines()[1] not in seen[1]
    assert "demo-04" not in seen[1]


def test_categories_of_the_data_set_are_not_asked_about(tmp_path):
    seen = []
    run = run_of(tmp_path / "run", "c15", "c10", categories=["systemic therapy"])
    done = judge_run(run, {"j": judge(seen)}, rubrics=[RUBRIC])
    assert [text_in(prompt) for prompt in seen] == [EXAM["c15"]["text"]]
    assert points_in(run) == {"first": 1.0, "any": 1.0}
    assert not (run / CATEGORY_FILE).exists()
    assert "of 1 items the data set has them" in done[0].notes[0]


def test_where_the_board_recommends_nothing_concordance_is_undefined(tmp_path):
    run = run_of(tmp_path / "run", "c15", "c20")
    done = judge_run(run, {"j": judge()}, rubrics=[RUBRIC])
    assert {(item.in_scope, item.points, item.judge_state) for item in scores_in(run).values()} == {
        (False, None, NOT_ASKED)
    }
    assert any("recommend no category, where concordance is undefined" in note for note in done[0].notes)
    (mean,) = [item for item in score_means(item_scores(run)) if (item.rubric, item.criterion) == (RUBRIC, "any")]
    assert (mean.in_scope, mean.scored_only, mean.floored) == (0, None, None)


def test_a_reply_that_recommends_nothing_where_the_board_did_is_not_concordant(tmp_path):
    run = run_of(tmp_path / "run", "c20", "c13")
    judge_run(run, {"j": judge()}, rubrics=[RUBRIC])
    assert points_in(run) == {"first": 0.0, "any": 0.0}


def test_any_acceptable_reference_counts(tmp_path):
    run = run_of(tmp_path / "run", "c17", "c13", "c12")
    judge_run(run, {"j": judge()}, rubrics=[RUBRIC])
    assert points_in(run) == {"first": 1.0, "any": 1.0}
    assert len(settled_categories(run)) == 2


@pytest.mark.parametrize("state", ["empty", "blocked", "truncated", "unparsed", "error"])
def test_a_reply_that_failed_is_in_scope_without_points(tmp_path, state):
    run = board_run(
        tmp_path / "run", {("m", "demo-04"): state, ("n", "demo-04"): board_reply(EXAM["c15"]["text"])},
        records=[record("demo-04", "c10")],
    )  # fmt: skip
    judge_run(run, {"j": judge()}, rubrics=[RUBRIC])
    failed = scores_in(run, system="m")
    assert {(item.in_scope, item.points, item.judge_state, item.reply_state) for item in failed.values()} == {
        (True, None, NOT_ASKED, state)
    }


def test_an_unread_reply_is_no_value_and_counted(tmp_path):
    run = run_of(tmp_path / "run", "c15", "c10")
    done = judge_run(run, {"j": judge(says={EXAM["c15"]["text"]: "About systemic, I would say."})}, rubrics=[RUBRIC])
    assert {(item.in_scope, item.points, item.judge_state) for item in scores_in(run).values()} == {
        (True, None, "unparsed")
    }
    assert sum(done[1].unreadable.values()) == len(ALSO) + 2
    (mean,) = [item for item in score_means(item_scores(run)) if (item.rubric, item.criterion) == (RUBRIC, "first")]
    assert (mean.judge_failed, mean.scored_only, mean.worst, mean.best) == (1, None, 0.0, 1.0)


def test_an_unread_reference_leaves_its_replies_without_a_value(tmp_path):
    run = run_of(tmp_path / "run", "c15", "c10", "c13")
    says = {EXAM["c13"]["text"]: "It operates."}
    done = judge_run(run, {"j": judge(says=says)}, rubrics=[RUBRIC])
    assert {(item.in_scope, item.points, item.judge_state) for item in scores_in(run).values()} == {
        (True, None, NOT_JUDGED)
    }
    assert "of 1 items they are still open" in done[0].notes[0]
    assert len(settled_categories(run)) == 1


def test_what_is_settled_is_not_moved_by_another_judge(tmp_path):
    run = run_of(tmp_path / "run", "c15", "c10")
    judge_run(run, {"j": judge()}, rubrics=[RUBRIC])
    before = (run / CATEGORY_FILE).read_bytes()
    other = judge(says={EXAM["c10"]["text"]: verdicts_of({"first": "surgery"})})
    judge_run(run, {"k": other}, rubrics=[RUBRIC])
    assert (run / CATEGORY_FILE).read_bytes() == before
    assert points_in(run, judge="k") == {"first": 1.0, "any": 1.0}


def test_a_second_start_asks_nothing(tmp_path):
    run, seen = run_of(tmp_path / "run", "c15", "c10"), []
    judge_run(run, {"j": judge(seen)}, rubrics=[RUBRIC])
    before, number = item_scores(run), len(seen)
    judge_run(run, {"j": judge(seen)}, rubrics=[RUBRIC])
    assert len(seen) == number == 2
    assert item_scores(run) == before


def test_judgements_of_references_stand_in_the_journal_and_in_no_table(tmp_path):
    run = run_of(tmp_path / "run", "c15", "c10")
    judge_run(run, {"j": judge()}, rubrics=[RUBRIC])
    journal = [json.loads(line)["reply_id"] for line in (run / JOURNAL_FILE).read_text(encoding="utf-8").splitlines()]
    assert journal[0].startswith("board-reference:")
    assert journal[1] == "m/demo-04"
    assert {row["reply_id"] for row in read_run(run).judgements.to_pylist()} == {"m/demo-04"}
    (line,) = [json.loads(text) for text in (run / CATEGORY_FILE).read_text(encoding="utf-8").splitlines()]
    assert (line["first"], line["step"], line["by"]) == ("multistep therapy", "systemic therapy", "j")
    assert line["categories"] == ["multistep therapy", "systemic therapy"]
    assert line["rubric_hash"]
    assert line["hash"]


def test_a_panel_reads_by_majority_and_its_word_settles_the_references(tmp_path):
    run = run_of(tmp_path / "run", "c15", "c10")
    odd = judge(
        says={
            EXAM["c10"]["text"]: verdicts_of({"first": "surgery"}),
            EXAM["c15"]["text"]: verdicts_of({"first": "surgery"}),
        }
    )
    judge_run(run, {"a": judge(), "b": judge(), "c": odd}, rubrics=[RUBRIC])
    assert points_in(run, judge="panel:majority") == {"first": 1.0, "any": 1.0}
    assert points_in(run, judge="c") == {"first": 0.0, "any": 0.0}
    (line,) = [json.loads(text) for text in (run / CATEGORY_FILE).read_text(encoding="utf-8").splitlines()]
    assert line["by"] == "panel:majority"


def test_a_panel_in_a_tie_has_no_value(tmp_path):
    run = run_of(tmp_path / "run", "c15", "c10", categories=["systemic therapy"])
    odd = judge(says={EXAM["c15"]["text"]: verdicts_of({"first": "surgery"})})
    judge_run(run, {"a": judge(), "c": odd}, rubrics=[RUBRIC])
    assert points_in(run, judge="panel:majority") == {"first": None, "any": None}


def test_a_damaged_file_of_categories_is_an_error_with_its_place(tmp_path):
    run = run_of(tmp_path / "run", "c15", "c10")
    judge_run(run, {"j": judge()}, rubrics=[RUBRIC])
    (run / CATEGORY_FILE).write_text('{"key": "x", "categories": ["magic"]}\n', encoding="utf-8")
    with pytest.raises(InputError, match="settled categories") as caught:
        item_scores(run)
    assert caught.value.line == 1


def test_a_plan_counts_the_references_too_and_asks_nothing(tmp_path):
    run = run_of(tmp_path / "run", "c15", "c10", "c13")
    steps = plan_run(run, ["mockjudge/lowest"], budget=Budget(most=None, prices=None), max_tokens=100, rubrics=[RUBRIC])
    assert [(step.step, step.calls) for step in steps] == [(f"{RUBRIC}, references", 2), (RUBRIC, 1)]
    assert not (run / JOURNAL_FILE).exists()


def test_it_is_asked_only_when_named_and_only_of_boards(tmp_path):
    run = run_of(tmp_path / "run", "c15", "c10")
    done = judge_run(run, ["mockjudge/lowest"])
    assert {item.rubric for item in done} == {"board-alignment", "board-decisions"}
    turns = board_run(tmp_path / "turns", {("m", "demo-04"): '{"answer": "x"}'}, benchmark="specialist_turn")
    with pytest.raises(UsageError, match="does not fit this run"):
        judge_run(turns, ["mockjudge/lowest"], rubrics=[RUBRIC])
