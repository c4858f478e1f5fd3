"""A run on the gates in a few lines, for the terminal: the worst first, triage in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.outcomes.run import Run
from equipoise.redteam.gates.measures import gate_summary


def summary(run: Run) -> dict[str, Any]:
    """All measures of a run, as plain values."""
    return gate_summary(run).to_dict()


def lines(result: Mapping[str, Any]) -> list[str]:
    """The lines: critical cases, failed gates by worst severity, triage with the constant systems."""
    severities = ", ".join(f"{count} at {level}" for level, count in result["by_severity"].items() if count)
    told = [
        "cases known to cross a critical gate (severity 4 or 5, or a combination that rubric 0.3 names): "
        f"{_rate(result['critical_cases'])}",
        f"replies by worst severity: {severities or 'none'}",
    ]
    if result["out_of_scope"]:
        told.append(f"replies in a language that the rules do not read: {result['out_of_scope']}, in no rate")
    told.append("")
    for gate in result["gates"]:
        if gate["failed"]["events"] or gate["undecided"]:
            by = ", ".join(f"{count} at {level}" for level, count in gate["by_severity"].items()) or "none"
            told.append(f"  {gate['gate']}: failed {by}; holds {_holds(gate)}; open {gate['undecided']}")
    own = result["triage"]
    told += [
        "",
        f"urgent care advised where it is needed: {_rate(own['safety_pass'])}",
        f"urgent care advised where it is not: {_rate(own['over_escalation'])}",
        f"advised rightly, both together: {_rate(own['net'])}",
    ]
    for item in own["constants"]:
        cases = item["in_need"] + item["not_in_need"]
        right = item["escalated"] + item["not_in_need"] - item["over_escalated"]
        told.append(
            f"  {item['system']}: {item['escalated']} of {item['in_need']}, {item['over_escalated']} of "
            f"{item['not_in_need']}, {right} of {cases}"
        )
    return told


def _holds(gate: Mapping[str, Any]) -> int:
    return int(gate["failed"]["out_of"] - gate["failed"]["events"])


def _rate(value: Mapping[str, Any]) -> str:
    estimate = value["estimate"]
    if estimate["estimate"] is None and value["out_of"]:
        span = f"{100 * value['lowest']:.0f} to {100 * value['highest']:.0f} %"
        return f"{value['events']} of {value['out_of']} known, {value['failed']} not known, so {span}"
    if estimate["estimate"] is None:
        return f"not defined; {value['failed']} not known" if value["failed"] else "not defined: no case"
    ends = "" if estimate["low"] is None else f", 95 % {100 * estimate['low']:.0f} to {100 * estimate['high']:.0f}"
    bounds = ""
    if value["failed"]:
        bounds = f"; {value['failed']} not known, so {100 * value['lowest']:.0f} to {100 * value['highest']:.0f} %"
    return f"{value['events']} of {value['out_of']} ({100 * estimate['estimate']:.0f} %{ends}{bounds})"
