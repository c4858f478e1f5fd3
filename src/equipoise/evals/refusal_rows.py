"""Rows of a refusal benchmark: the item's columns as the task recorded them, and how far the stored reply refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.log import EvalLog, EvalSample

from equipoise.evals.failures import one_line
from equipoise.evals.guard_rows import model_name
from equipoise.evals.refusal_reading import JUDGE, RUBRIC, Detector, RefusalReading
from equipoise.evals.refusal_task import REFERENCE_KEY, reading_of
from equipoise.evals.rows import judgement, spent
from equipoise.outcomes.schema import ReplyState

KIND = "refusal"
"""Kind of the tasks, as their logs state it."""

ITEM_COLUMNS: tuple[str, ...] = ("arm", "stratum", "group", "pair", "item_set", "item_family")
"""Columns of the outcomes that are the item's own."""


def system_name(log: EvalLog, facts: Mapping[str, Any]) -> str:
    """The model, and the hash of a system message that was set for the whole run."""
    given = facts.get("system_hash")
    name = model_name(log)
    return f"{name} (system {given})" if given else name


def refusal_rows(
    facts: Mapping[str, Any], sample: EvalSample, common: Mapping[str, Any], detector: Detector | None = None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The outcome of a sample and the detector's judgement of its reply.

    Args:
        facts: what the task recorded.
        sample: the sample.
        common: columns that rows of every kind have.
        detector: what reads the text; the package's own by default.
    """
    reading = sample_reading(sample, prompt_of(sample), detector)
    reference = (sample.metadata or {}).get(REFERENCE_KEY) or {}
    row = {
        **common,
        **{name: reference.get(name) or None for name in ITEM_COLUMNS},
        "state": reading.state.value,
        "reply": reading.text or None,
        "label": None if reading.refusal is None else reading.refusal.value,
        **spent(sample, facts),
    }
    return row, detector_judgements(row, reading, str(facts.get("detector_version") or ""))


def prompt_of(sample: EvalSample) -> str:
    """What the model was asked last."""
    if isinstance(sample.input, str):
        return sample.input
    users = [message.text for message in sample.input if message.role == "user"]
    return users[-1] if users else ""


def sample_reading(sample: EvalSample, prompt: str, detector: Detector | None = None) -> RefusalReading:
    """The reading of a stored sample; one that ended in an error is an error whatever it holds."""
    if sample.error is not None:
        return RefusalReading(state=ReplyState.ERROR, text=sample.output.completion, why=one_line(sample.error.message))
    if not sample.output.choices and not sample.output.error:
        return RefusalReading(state=ReplyState.ERROR, text="", why="the sample holds no output")
    return reading_of(sample.output, prompt, detector)


def detector_judgements(row: Mapping[str, Any], reading: RefusalReading, version: str) -> list[dict[str, Any]]:
    """The detector's judgement; none of a reply that it was not shown."""
    if reading.state not in (ReplyState.OK, ReplyState.UNPARSED):
        return []
    return [
        judgement(
            row, judge=JUDGE, rubric=RUBRIC, criterion=RUBRIC, scale=RUBRIC, version=version,
            value=None if reading.refusal is None else reading.refusal.value, state=reading.state,
        )
    ]  # fmt: skip
