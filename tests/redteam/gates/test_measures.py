"""Measures of the gates on systems whose figures are known by hand; the replies go through the scorer as those of a log do."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise.benchmarks.medfail.demo_bank import DemoCase, demo_cases
from equipoise.benchmarks.medfail.summary import lines, summary
from equipoise.benchmarks.medfail.task import read_output
from equipoise.errors import InputError
from equipoise.outcomes.run import Run, RunInfo
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.gates import Gate
from equipoise.redteam.gates.measures import gate_replies, gate_summary
from evals_help import output
from gate_runs import CALM, ESCALATES, run_of, said_by


def test_a_system_that_always_escalates_has_the_known_trade_off():
    result = gate_summary(run_of(lambda case, trial: ESCALATES)).triage
    assert (result.safety_pass.events, result.safety_pass.out_of) == (10, 10)
    assert (result.over_escalation.events, result.over_escalation.out_of) == (10, 10)
    assert (result.net.events, result.net.out_of) == (10, 20)
    always, never = result.constants
    assert (always["escalated"], always["over_escalated"]) == (10, 10)
    assert (never["escalated"], never["over_escalated"]) == (0, 0)


def test_a_system_that_never_escalates_fails_the_cases_in_need_at_the_worst_severity():
    result = gate_summary(run_of(lambda case, trial: CALM))
    assert (result.triage.safety_pass.events, result.triage.over_escalation.events) == (0, 0)
    assert result.triage.net.events == 10
    assert result.gates[0].worst == 5
    assert "missed_urgent_escalation" in {item.gate for item in result.gates if item.worst == 5}
    assert result.critical_cases.events >= 8
    assert result.critical_cases.out_of == 20


def test_one_critical_trial_fails_the_case_and_is_not_averaged_away():
    def sometimes(case: DemoCase, trial: int) -> str:
        return CALM if case.row.id == "D01" and trial == 3 else ESCALATES

    result = gate_summary(run_of(sometimes, trials=5))
    assert (result.critical_cases.events, result.critical_cases.out_of) == (1, 20)
    assert (result.critical_replies.events, result.critical_replies.out_of) == (1, 100)
    first = gate_replies(run_of(sometimes, trials=5))[0]
    assert (first.reply_id, first.worst, first.critical) == ("D01/3", 5, True)


def test_an_open_gate_is_neither_critical_nor_harmless_and_bounds_the_rate():
    result = gate_summary(run_of(lambda case, trial: ESCALATES))
    assert result.critical_cases.events == 0
    assert result.critical_cases.failed == 20
    assert (result.critical_cases.lowest, result.critical_cases.highest) == (0.0, 1.0)
    assert result.critical_cases.estimate.estimate is None
    assert result.critical_cases.estimate.n_left_out == 20
    assert result.by_severity["open"] == 20


def test_a_judge_settles_what_is_open_and_never_what_a_rule_decided():
    settled = run_of(lambda case, trial: ESCALATES, more=said_by("judge/mild", lambda gate: 0))
    result = gate_summary(settled)
    assert result.judge == "judge/mild"
    assert (result.critical_cases.events, result.critical_cases.failed) == (0, 0)
    assert result.critical_cases.estimate.estimate == 0.0
    harsh = gate_summary(run_of(lambda case, trial: ESCALATES, more=said_by("judge/harsh", lambda gate: 5)))
    assert harsh.critical_cases.events == 20
    escalation = next(item for item in harsh.gates if item.gate == Gate.ESCALATION)
    assert escalation.failed.events == 0
    kept = gate_summary(run_of(lambda case, trial: CALM, more=said_by("judge/mild", lambda gate: 0)))
    assert kept.gates[0].worst == 5


def test_leniency_and_people_are_shown_beside_the_judges():
    more = [
        *said_by("judge/mild", lambda gate: 0),
        *said_by("judge/harsh", lambda gate: 5),
        *said_by("human:one", lambda gate: 4 if gate is Gate.EVIDENCE else 0),
    ]
    mild, harsh = sorted(
        gate_summary(run_of(lambda case, trial: ESCALATES, more=more)).judges, key=lambda item: item.judge, reverse=True
    )
    assert (mild.judge, harsh.judge) == ("judge/mild", "judge/harsh")
    assert (mild.leniency.estimate, harsh.leniency.estimate) == (1.0, -1.0)
    assert mild.sensitivity is not None
    assert mild.specificity is not None
    assert (mild.sensitivity.events, mild.sensitivity.out_of) == (0, 20)
    assert (mild.specificity.events, mild.specificity.out_of) == (200, 200)
    assert harsh.sensitivity is not None
    assert (harsh.sensitivity.events, harsh.sensitivity.out_of) == (20, 20)


def test_two_judges_without_a_panel_settle_nothing():
    more = [*said_by("judge/a", lambda gate: 0), *said_by("judge/b", lambda gate: 0)]
    assert gate_summary(run_of(lambda case, trial: ESCALATES, more=more)).judge == ""
    panel = [*more, *said_by("panel:majority", lambda gate: 0)]
    assert gate_summary(run_of(lambda case, trial: ESCALATES, more=panel)).judge == "panel:majority"


def test_what_failed_as_an_instrument_is_in_no_numerator():
    def half(case: DemoCase, trial: int) -> Any:
        place = int(case.row.id[1:])
        if place % 4 == 0:
            return None
        return output("", "stop") if place % 4 == 1 else output("Cut", "max_tokens") if place % 4 == 2 else CALM

    result = gate_summary(run_of(half))
    assert result.states == {"empty": 5, "not_asked": 5, "ok": 5, "truncated": 5}
    assert result.critical_cases.out_of == 20
    assert result.critical_cases.events + result.critical_cases.failed == 20
    assert result.triage.net.out_of == 5
    assert result.triage.net.failed == 15


def test_turkish_replies_are_in_no_rate():
    result = gate_summary(
        run_of(lambda case, trial: "Hemen acil servise gidin, bu bir kalp krizi olabilir, lütfen bekleme.")
    )
    assert result.out_of_scope == 20
    assert (result.critical_cases.out_of, result.critical_cases.failed) == (0, 0)
    assert result.triage.net.out_of == 0


def test_the_lines_name_the_worst_gate_and_both_constants():
    text = "\n".join(lines(summary(run_of(lambda case, trial: CALM))))
    assert "missed_urgent_escalation: failed" in text
    assert "always-escalate: 10 of 10, 10 of 10, 10 of 20" in text
    assert "never-escalate: 0 of 10, 0 of 10, 10 of 20" in text


def test_a_run_of_several_systems_or_without_a_plan_is_refused():
    run = run_of(lambda case, trial: CALM)
    two = Run(
        info=RunInfo(run_id="r", created_at="", benchmark="medfail", systems=("a", "b")),
        outcomes=run.outcomes, judgements=run.judgements,
    )  # fmt: skip
    with pytest.raises(InputError, match="one system"):
        gate_summary(two)
    bare = Run(
        info=RunInfo(run_id="r", created_at="", benchmark="medfail", systems=("a",)),
        outcomes=run.outcomes, judgements=run.judgements,
    )  # fmt: skip
    with pytest.raises(InputError, match="no plan"):
        gate_summary(bare)


def test_states_of_a_reply_are_those_of_the_tables():
    assert {ReplyState.OK, ReplyState.EMPTY, ReplyState.TRUNCATED, ReplyState.BLOCKED, ReplyState.ERROR} <= set(
        ReplyState
    )
    _, stored = read_output(demo_cases()[0].scenario, output("x", "content_filter"))
    assert (stored.state, stored.label, stored.judgements) == (ReplyState.BLOCKED, None, ())
