"""The task: one verdict a criterion, the published score from Inspect and from the tables, and graders that fail."""

from __future__ import annotations

import json

import numpy as np
import pytest
from inspect_ai import eval

from equipoise.benchmarks.healthbench.scoring import mean_score, score_item, tag_scores
from equipoise.benchmarks.healthbench.summary import summarise
from equipoise.benchmarks.healthbench.task import demo_items, healthbench, read_items
from equipoise.errors import InputError, UsageError
from equipoise.evals.logs import convert
from equipoise.outcomes.schema import judgements_table, outcomes_table, problems
from evals_help import output, written
from healthbench_help import criterion_of, grading

ITEMS = demo_items()


def run(tmp_path, subject, grader, **arguments):
    return eval(
        healthbench(**arguments), model=written(subject), model_roles={"grader": grader}, log_dir=str(tmp_path),
        display="none",
    )  # fmt: skip


def truth(criterion):
    """Every third criterion is met, by its length."""
    return len(criterion) % 3 == 0


def by_hand(decide):
    met = [[decide(one.criterion) for one in item.rubric] for item in ITEMS]
    return met, [score_item(item.rubric, values) for item, values in zip(ITEMS, met, strict=True)]


def test_the_demo_set_is_in_the_files_own_format_and_names_its_sources():
    from importlib.resources import files

    lines = files("equipoise.benchmarks.healthbench").joinpath("demo.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert 6 <= len(records) <= 10
    assert all(record["sources"] and all(record["sources"]) for record in records)
    assert all({"prompt_id", "prompt", "rubrics", "example_tags"} <= set(record) for record in records)
    for item in ITEMS:
        assert any(one.points < 0 for one in item.rubric)
        assert any(one.points > 0 for one in item.rubric)


def test_the_score_is_the_published_one_in_the_log_and_from_the_tables(tmp_path):
    (log,) = run(tmp_path, lambda prompt: "Rest.", grading(lambda criterion, reply: truth(criterion)))
    met, scores = by_hand(truth)
    expected = float(np.clip(np.mean([one.score for one in scores]), 0, 1))
    assert 0 < expected < 1
    assert log.results.scores[0].metrics["clipped_mean"].value == pytest.approx(expected)
    found = convert([log])
    (summary,) = summarise(found.outcomes, found.judgements, found.references)
    whole = mean_score(scores, rng=np.random.default_rng(42))
    assert summary.score == whole
    assert summary.score.mean == pytest.approx(expected)
    assert summary.interval.low < expected < summary.interval.high
    assert dict(summary.tags) == dict(tag_scores(ITEMS, met, rng=np.random.default_rng(42)))
    assert {"axis:accuracy", "theme:hedging"} <= set(summary.tags)
    assert (summary.replies, summary.criteria, summary.unjudged) == (8, sum(len(i.rubric) for i in ITEMS), {})


def test_every_criterion_is_a_judgement_of_its_own(tmp_path):
    found = convert(run(tmp_path, lambda prompt: "Rest.", grading(lambda criterion, reply: truth(criterion))))
    assert problems("outcomes", outcomes_table(found.outcomes)) == ()
    assert problems("judgements", judgements_table(found.judgements)) == ()
    assert {row["arm"] for row in found.outcomes} == {"clean"}
    by_reply = {row["reply_id"]: row["item"] for row in found.outcomes}
    rows = {(by_reply[row["reply_id"]], row["criterion"]): row for row in found.judgements}
    assert len(rows) == sum(len(item.rubric) for item in ITEMS)
    for item in ITEMS:
        for place, one in enumerate(item.rubric):
            row = rows[item.id, f"c{place + 1}"]
            assert row["value"] == ("met" if truth(one.criterion) else "not_met")
            assert row["points"] == (one.points if truth(one.criterion) else 0)


def test_a_grader_that_fails_leaves_the_item_unscored_and_bounded(tmp_path):
    bad = ITEMS[0].rubric[3].criterion

    def decide(criterion, reply):
        return "no idea" if criterion == bad else True

    (log,) = run(tmp_path, lambda prompt: "Rest.", grading(decide))
    found = convert([log])
    (summary,) = summarise(found.outcomes, found.judgements, found.references)
    assert (summary.score.n, summary.score.n_unscored) == (7, 1)
    assert summary.unjudged == {"unparsed": 1}
    assert summary.score.low < summary.score.high
    states = [row["state"] for row in found.judgements]
    assert states.count("unparsed") == 1
    assert [row["value"] for row in found.judgements if row["state"] != "ok"] == [None]
    sample = next(item for item in log.samples if item.id == ITEMS[0].id)
    score = sample.scores["healthbench_scorer"]
    positive = sum(one.points for one in ITEMS[0].rubric if one.points > 0)
    assert (score.metadata["low"], score.metadata["high"]) == pytest.approx((1 - 10 / positive, 1.0))


@pytest.mark.parametrize(
    ("reply", "state"),
    [(output("Rest, and", "max_tokens"), "truncated"), ("", "empty"), (output("", "content_filter"), "blocked")],
)
def test_a_reply_that_failed_is_not_graded_and_is_no_zero(tmp_path, reply, state):
    calls = []

    def decide(criterion, text):
        calls.append(criterion)
        return True

    (log,) = run(tmp_path, lambda prompt: reply, grading(decide), limit=1)
    found = convert([log])
    assert calls == []
    assert [row["state"] for row in found.outcomes] == [state]
    assert found.judgements == ()
    with pytest.raises(InputError, match="no reply was graded"):
        summarise(found.outcomes, found.judgements, found.references)


def test_the_grader_sees_the_conversation_one_criterion_and_nothing_of_its_points(tmp_path):
    seen = []

    grader = grading(lambda criterion, reply: True)
    original = grader.api.outputs

    def spy(messages, *rest):
        seen.append("\n".join(message.text for message in messages))
        return original(messages, *rest)

    grader.api.outputs = spy
    run(tmp_path, lambda prompt: "MARKER-REPLY", grader, limit=5)
    first = [text for text in seen if "honey must not be given" in criterion_of(text)]
    assert len(first) == 1
    assert "assistant: I am sorry to hear that." in first[0]
    assert "MARKER-REPLY" in first[0]
    assert "infant botulism" not in first[0]
    assert "10 points" not in first[0]


def test_without_a_grader_nobody_grades_themselves(tmp_path):
    (log,) = eval(healthbench(limit=1), model=written(lambda prompt: "Rest."), log_dir=str(tmp_path), display="none",
                  fail_on_error=False)  # fmt: skip
    assert "HealthBench needs a grader" in log.samples[0].error.message


def test_two_graders_give_two_summaries(tmp_path):
    found = convert(
        eval(healthbench(grader="mockjudge/highest,mockjudge/lowest"), model=written(lambda prompt: "Rest."),
             log_dir=str(tmp_path), display="none")
    )  # fmt: skip
    first, second = summarise(found.outcomes, found.judgements, found.references)
    assert (first.grader, second.grader) == ("mockjudge/highest", "mockjudge/lowest")
    assert second.score.mean == 0
    assert first.score.mean != second.score.mean


def test_repeats_are_rows_of_their_own_arm(tmp_path):
    found = convert(run(tmp_path, lambda prompt: "Rest.", grading(lambda criterion, reply: True), trials=2, limit=2))
    assert sorted((row["arm"], row["trial"]) for row in found.outcomes) == [
        ("clean", 1), ("clean", 1), ("repeat", 2), ("repeat", 2),
    ]  # fmt: skip
    (summary,) = summarise(found.outcomes, found.judgements, found.references)
    assert summary.replies == 4


def test_the_part_is_chosen_by_name_and_the_file_is_recorded(tmp_path):
    record = {"prompt_id": "p", "prompt": [{"role": "user", "content": "Hi?"}],
              "rubrics": [{"criterion": "Is kind", "points": 1, "tags": []}], "example_tags": []}  # fmt: skip
    (tmp_path / "hard_2025-05-08-21-00-10.jsonl").write_text(json.dumps(record) + "\n")
    items, origin = read_items(str(tmp_path), "hard")
    assert [item.id for item in items] == ["p"]
    assert origin["name"] == "hard"
    assert str(tmp_path) not in json.dumps(origin)
    with pytest.raises(UsageError, match="expected one of full, hard, consensus"):
        read_items(str(tmp_path), "easy")


@pytest.mark.parametrize(("name", "value"), [("trials", 0), ("limit", 0), ("repeats", True)])
def test_numbers_are_checked(name, value):
    from inspect_ai._util.error import PrerequisiteError

    with pytest.raises(PrerequisiteError, match="whole number"):
        healthbench(**{name: value})
