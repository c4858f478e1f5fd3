"""The audit over axes: what can run, the frozen protocol, deviations, and worst cases of questions with options."""

from __future__ import annotations

import json

import pytest

from equipoise.benchmarks.choice_stress.plan import chosen_operators, prepare
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.run import Run, RunInfo
from equipoise.outcomes.schema import judgements_table, outcomes_table
from equipoise.redteam.operators.items import choice_item
from equipoise.studies.redteam_audit import redteam_audit
from equipoise.studies.redteam_axes import AXES, chosen_axes
from equipoise.studies.redteam_protocol import (
    PROTOCOL,
    Ordered,
    deviations,
    frozen_protocol,
    keep_protocol,
    read_protocol,
    ready_tests,
)
from equipoise.studies.redteam_summaries import PartRun, measured
from equipoise.studies.redteam_worst import worst_cases
from gate_runs import CALM, run_of

ORDERED = Ordered(models=("mock/one",))


def protocol_of(axes="gates", ordered=ORDERED):
    chosen = chosen_axes(axes)
    ready, left = ready_tests(chosen, ordered)
    return frozen_protocol(chosen, ready, left, ordered)


def choice_run(fooled: str) -> Run:
    """Right on everything but one operator."""
    items = [
        choice_item(
            f"q{place}",
            f"A woman takes drug {place}. Which of the following breaks it down?",
            ["a", "b", "c", "d"],
            "B",
        )
        for place in range(3)
    ]
    prepared = prepare(
        "medqa_order", items, operators=chosen_operators("option_order,none_added", ()), seed=1, repeats=1, trials=1
    )
    rows = []
    for question in prepared.questions:
        expected = question.columns.get("expected")
        wrong = str(question.columns.get("operator", "")).startswith(fooled)
        other = next(option.letter for option in question.item.options if option.letter != expected)
        rows.append(
            {
                "reply_id": f"run/mock/one/{question.id}", "run": "run", "system": "mock/one", "benchmark": "medqa_order", "state": "ok",
                "label": other if wrong else expected, "abstained": False, "reply": "words", **question.columns,
            }
        )  # fmt: skip
    info = RunInfo(
        run_id="run", created_at="", benchmark="medqa_order", systems=("mock/one",),
        arguments={"logs": [{"model": "mock/one", "plan": prepared.plan.to_dict(), "trials": 1, "margin": 0.05}]},
    )  # fmt: skip
    return Run(info=info, outcomes=outcomes_table(rows), judgements=judgements_table([]))


def test_names_of_axes_and_tests_are_unique():
    assert len({axis.id for axis in AXES}) == len(AXES)
    tests = [test.id for axis in AXES for test in axis.tests]
    assert len(set(tests)) == len(tests)


@pytest.mark.parametrize("axis", AXES, ids=lambda axis: axis.id)
def test_the_measures_of_every_axis_exist(axis):
    import importlib

    module, _, function = axis.measures.partition(":")
    assert callable(getattr(importlib.import_module(module), function))


def test_axes_are_taken_in_the_order_of_the_catalogue():
    assert [axis.id for axis in chosen_axes("order, gates")] == ["gates", "order"]
    assert chosen_axes("all") == chosen_axes(None) == AXES
    with pytest.raises(UsageError, match="there is no axis 'nice'"):
        chosen_axes(["nice"])


def test_a_task_or_an_option_that_is_not_here_is_told(monkeypatch):
    from equipoise.benchmarks import _registry

    monkeypatch.delattr(_registry, "medqa_order")
    _, left = ready_tests(chosen_axes("order"), ORDERED)
    assert [(item.test, item.why) for item in left] == [("medqa_order", "this version has no task medqa_order")]
    monkeypatch.setattr(_registry, "das_robustness", lambda data=None: None)
    _, left = ready_tests(chosen_axes("robustness"), ORDERED)
    assert [item.why for item in left] == ["the task das_robustness of this version has no option loop"]


def test_a_test_that_needs_a_judge_says_so_and_takes_one(monkeypatch):
    from equipoise.benchmarks import _registry

    monkeypatch.setattr(_registry, "healthbench", lambda grader=None, attacks=None: None, raising=False)
    _, left = ready_tests(chosen_axes("healthbench"), ORDERED)
    assert "name one with --judge" in left[0].why
    ready, _ = ready_tests(chosen_axes("healthbench"), Ordered(models=("m",), judges=("j/a", "j/b")))
    assert ready[0].arguments == {"attacks": "all", "grader": "j/a,j/b"}


def test_a_limit_that_a_task_does_not_take_is_a_deviation(monkeypatch):
    from equipoise.benchmarks import _registry
    from equipoise.benchmarks.medfail.task import medfail

    monkeypatch.setattr(_registry, "medfail", lambda data=None: medfail(data))
    protocol = protocol_of(ordered=Ordered(models=("mock/one",), limit=2))
    assert next(item.what for item in deviations(protocol, {}, {})) == "asked without the limit"


def test_the_protocol_fixes_every_denominator_and_knows_when_it_was_changed(tmp_path):
    protocol = protocol_of()
    assert len(protocol["tests"][0]["plan"]["items"]) == 20
    assert protocol == protocol_of()
    assert keep_protocol(protocol, tmp_path) is False
    assert keep_protocol(protocol, tmp_path) is True
    assert read_protocol(tmp_path)["protocol_hash"] == protocol["protocol_hash"]
    other = protocol_of(ordered=Ordered(models=("mock/two",)))
    with pytest.raises(InputError, match=r"another protocol \(other: models\)"):
        keep_protocol(other, tmp_path)
    changed = {**protocol, "limit": 5}
    (tmp_path / PROTOCOL).write_text(json.dumps(changed))
    with pytest.raises(InputError, match="changed after it was fixed"):
        read_protocol(tmp_path)


def test_what_was_planned_and_not_asked_is_counted_with_its_reason():
    protocol = protocol_of()
    run = run_of(lambda case, trial: None if case.row.id in ("D01", "D02") else CALM)
    found = deviations(protocol, {("medfail", "mock/one"): PartRun(test="medfail", run=run)}, {})
    told = {item.what: (item.number, item.planned) for item in found}
    assert told["items never asked"] == (2, 20)
    assert "another plan was run" in told
    never = deviations(protocol, {}, {("medfail", "mock/one"): "no key"})
    assert [(item.what, item.number, item.why) for item in never] == [("not run", 20, "no key")]


def test_an_axis_whose_measures_fail_stops_no_other():
    protocol = protocol_of("gates,order")
    run = run_of(lambda case, trial: CALM)
    bare = Run(info=RunInfo(run_id="r", created_at="", benchmark="medfail", systems=("mock/one", "b"), arguments=run.info.arguments),
               outcomes=run.outcomes, judgements=run.judgements)  # fmt: skip
    parts = {
        ("medfail", "mock/one"): PartRun(test="medfail", run=bare),
        ("medqa_order", "mock/one"): PartRun(test="medqa_order", run=choice_run("none")),
    }
    audit = redteam_audit(protocol, parts)
    gates, order = audit.axes
    assert gates.result is None
    assert "one system" in gates.why
    assert order.result is not None
    json.dumps(audit.to_dict(), allow_nan=False)


def test_a_system_fooled_by_one_operator_has_those_questions_as_worst_cases():
    part = PartRun(test="medqa_order", run=choice_run("none_added"))
    found = worst_cases("order", part)
    assert {item.kind for item in found} == {"right untouched, wrong under attack"}
    assert [item.detail.split(":")[0] for item in found] == ["none_added"] * 3
    assert all(not item.reply_id.startswith("run/") for item in found)
    assert worst_cases("order", PartRun(test="medqa_order", run=choice_run("nothing"))) == []
    assert worst_cases("healthbench", part) == []


def test_the_robustness_axis_holds_both_loops_apart_and_the_gap():
    parts = {"das_robustness": PartRun(test="das_robustness", run=choice_run("none_added"))}
    found = measured("equipoise.studies.redteam_summaries:robustness", parts)
    assert found["adaptive"] is None
    assert found["gap"]["adaptive"] is None
    assert (found["gap"]["clean"]["events"], found["gap"]["static"]["events"], found["gap"]["static"]["out_of"]) == (
        3,
        3,
        6,
    )


def test_the_summary_of_a_task_measures_an_axis_by_itself():
    parts = {"medfail": PartRun(test="medfail", run=run_of(lambda case, trial: CALM))}
    one = measured("equipoise.benchmarks.medfail.summary:summary", parts)
    assert one == measured("equipoise.studies.redteam_summaries:gates", parts)
