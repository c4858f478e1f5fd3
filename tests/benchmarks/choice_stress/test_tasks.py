"""The static loop asked through Inspect: what a model in this process gets is what its log comes to, failures included."""

from __future__ import annotations

import json

import pytest

from choice_mocks import always, fooled_by, model_of, run_of
from equipoise.benchmarks.choice_stress.demo import demo_items
from equipoise.benchmarks.choice_stress.plan import chosen_operators, prepare
from equipoise.benchmarks.das_robustness.task import OPERATORS as ATTACKS
from equipoise.benchmarks.das_robustness.task import das_robustness
from equipoise.benchmarks.medqa_order.task import medqa_order
from equipoise.errors import UsageError
from equipoise.evals.logs import FACTS, convert
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import judgements_table, outcomes_table, problems
from equipoise.redteam.answers import ANSWERS_VERSION
from equipoise.redteam.measures import robustness


def prepared(limit=6):
    return prepare(
        "das_robustness",
        demo_items()[:limit],
        operators=chosen_operators(None, ATTACKS),
        seed=42,
        repeats=None,
        trials=1,
    )


def run_from(log):
    found = convert([log])
    outcomes, judgements = outcomes_table(found.outcomes), judgements_table(found.judgements)
    assert problems("outcomes", outcomes) == ()
    assert problems("judgements", judgements) == ()
    return Run(info=found.info, outcomes=outcomes, judgements=judgements), found


def figures(run):
    return [
        (item.operator, item.coverage.events, item.conditional.events, item.conditional.out_of, item.end_to_end.events)
        for item in robustness(run).operators
    ]


def test_a_log_comes_to_the_rates_of_the_system_that_was_asked(run_task):
    plan = prepared()
    behave = fooled_by("narrative_distraction", clean_wrong=frozenset({"demo-02"}))
    run, found = run_from(run_task("das_robustness", model_of(list(plan.questions), behave), limit=6))
    assert len(found.outcomes) == len(plan.questions)
    assert figures(run) == figures(run_of(plan, behave))
    assert ("narrative_distraction@1", 6, 5, 5, 5) in figures(run)
    assert run.info.versions["reader of das_robustness"] == ANSWERS_VERSION
    assert run.info.prompts_hash
    assert [item["value"] for item in found.judgements if item["criterion"] == "form"].count("statement") == len(
        plan.questions
    )
    question = next(item for item in found.references if item["item"] == "demo-01")
    assert question["options"][0] == "Testing for the HLA-B*5701 allele"


def test_a_system_that_abstains_is_read_as_abstaining(run_task):
    plan = prepared(2)
    run, found = run_from(run_task("das_robustness", model_of(list(plan.questions), always("abstains")), limit=2))
    assert {(row["state"], row["label"], row["abstained"]) for row in found.outcomes} == {("ok", None, True)}
    assert robustness(run).clean.events == 0


def test_a_provider_that_fails_leaves_errors_and_no_rate(run_task):
    def broken(question, asked):
        raise ConnectionError("the service is gone")

    plan = prepared(2)
    run, found = run_from(run_task("das_robustness", model_of(list(plan.questions), broken), limit=2))
    assert {row["state"] for row in found.outcomes} == {"error"}
    assert {row["arm"] for row in found.outcomes} == {"clean", "repeat", "attacked"}
    assert robustness(run).clean.estimate.estimate is None
    assert sum(found.errors.values()) == len(plan.questions)


def test_replies_that_cannot_be_read_are_unparsed(run_task):
    plan = prepared(1)
    run, found = run_from(run_task("das_robustness", model_of(list(plan.questions), always("unparsed")), limit=1))
    assert {row["state"] for row in found.outcomes} == {"unparsed"}
    assert sum(robustness(run).operators[0].failed.values()) == 1


def test_demo_questions_are_said_to_be_and_the_margin_is_in_the_metadata():
    task = medqa_order(limit=2)
    facts = task.metadata[FACTS]
    assert (facts["dataset"], facts["margin"], facts["repeats_rule"]) == (
        "demo",
        0.05,
        "as many as attacks on the item",
    )
    assert "demo questions of this package" in facts["notes"][0]
    assert json.loads(json.dumps(facts)) == facts


def test_a_file_of_the_users_is_asked_instead(tmp_path):
    file = tmp_path / "test.jsonl"
    row = {
        "question": "A man coughs. Which of the following is right?",
        "options": {"A": "x one", "B": "x two"},
        "answer_idx": "A",
    }
    file.write_text(json.dumps(row) + "\n")
    facts = das_robustness(data=str(file)).metadata[FACTS]
    assert (facts["dataset"], facts["notes"], len(facts["plan"]["items"])) == ("medqa", [], 1)
    assert str(tmp_path) not in json.dumps(facts)


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"margin": 0}, {"margin": 2}, {"operators": "nothing"}])
def test_arguments_that_fit_nothing_are_one_line(arguments):
    with pytest.raises(UsageError):
        medqa_order(**arguments)
