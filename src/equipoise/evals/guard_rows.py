"""A guard's rulings as judgements of the replies, and the name of a model behind a guard as a system of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from inspect_ai.log import EvalLog, EvalSample

from equipoise.evals.guard_reading import PLACES, PROVIDER, RUBRIC, Form, Ruling, guard_hash, guarded_name
from equipoise.evals.guards import RECORD
from equipoise.evals.rows import judgement
from equipoise.outcomes.schema import ReplyState

GUARD = "guard"
"""Rubric of the rows; the criterion adds the place: guard:input, guard:output."""

_FAILED = re.compile(r"guard (\S+) failed on the (input|output):")
"""How a sample that ended in a guard's failure begins its message."""


def is_guarded(log: EvalLog) -> bool:
    """Whether the model of a log stands behind a guard."""
    return log.eval.model.startswith(f"{PROVIDER}/") and bool((log.eval.model_args or {}).get("guard"))


def plain_model(log: EvalLog) -> str:
    """The model that answers, without the guard before it."""
    return log.eval.model.removeprefix(f"{PROVIDER}/") if is_guarded(log) else str(log.eval.model)


def model_name(log: EvalLog) -> str:
    """The model as a system: by its name, or behind its guard."""
    if not is_guarded(log):
        return str(log.eval.model)
    given = log.eval.model_args
    return guarded_name(
        plain_model(log),
        str(given["guard"]),
        str(given.get("guard_on", "both")),
        str(given.get("guard_form", Form.PROMPTED)),
        str(given.get("guard_rubric", RUBRIC)),
    )


def guard_facts(log: EvalLog) -> dict[str, Any]:
    """What a run states of the guard; nothing without one."""
    if not is_guarded(log):
        return {}
    given = log.eval.model_args
    form = Form(str(given.get("guard_form", Form.PROMPTED)))
    return {
        "guard": str(given["guard"]),
        "guard_on": str(given.get("guard_on", "both")),
        "guard_form": form.value,
        "guard_hash": guard_hash(form, str(given.get("guard_rubric", RUBRIC))),
    }


def guard_judgements(log: EvalLog, sample: EvalSample, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rulings on a sample, one a place that was ruled on; a failure is a state and no ruling.

    Args:
        log: the log.
        sample: the sample.
        row: its row of the outcomes.
    """
    if not is_guarded(log):
        return []
    facts = guard_facts(log)
    record = (sample.output.metadata or {}).get(RECORD) or {}
    found = []
    for item in record.get("rulings") or ():
        ok = item["ruling"] != Ruling.UNREAD
        found.append(_row(row, facts, item["place"], item["ruling"] if ok else None,
                          ReplyState.OK if ok else ReplyState.UNPARSED))  # fmt: skip
    failed = _FAILED.search(sample.error.message) if sample.error is not None else None
    if failed is not None and failed[1] == facts["guard"] and not found:
        if failed[2] == "output" and "input" in PLACES[facts["guard_on"]]:
            found.append(_row(row, facts, "input", Ruling.PASS.value, ReplyState.OK))
        found.append(_row(row, facts, failed[2], None, ReplyState.ERROR))
    return found


def _row(
    row: Mapping[str, Any], facts: Mapping[str, Any], place: str, value: str | None, state: ReplyState
) -> dict[str, Any]:
    return judgement(
        row, judge=str(facts["guard"]), rubric=GUARD, criterion=f"{GUARD}:{place}", scale="guard-ruling",
        value=value, version=str(facts["guard_hash"]), state=state,
    )  # fmt: skip
