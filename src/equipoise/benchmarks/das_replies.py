"""What the tasks on privacy, bias and hallucination share: the state of a reply, and judges' rows as stored readings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from inspect_ai.model import ModelOutput

from equipoise.evals.stress_rows import Reading
from equipoise.judging.rows import Row
from equipoise.judging.rubric import Rubric
from equipoise.judging.scorer import STOPS
from equipoise.outcomes.schema import ReplyState


def state_of(output: ModelOutput) -> ReplyState:
    """What became of a reply, before anything of it is read."""
    if output.error:
        return ReplyState.ERROR
    stop = STOPS.get(str(output.stop_reason)) if output.choices else None
    if stop is not None:
        return stop
    return ReplyState.OK if output.completion.strip() else ReplyState.EMPTY


def readings_of(rows: Iterable[Row], rubric: Rubric) -> list[Reading]:
    """Rows of judges as a score keeps them; the rubric's hash stands in the version."""
    return [
        Reading(
            judge=row["judge"], rubric=row["rubric"], criterion=row["criterion"], scale=row["scale"], value=row["value"],
            points=row["points"], version=f"{rubric.version} {rubric.hash}", state=ReplyState(row["state"]),
        )
        for row in rows
    ]  # fmt: skip


def facts_of(benchmark: str, **facts: Any) -> dict[str, Any]:
    """The metadata of a stress task, under the key by which logs are read."""
    from equipoise.evals.logs import FACTS
    from equipoise.evals.stress_rows import KIND

    return {FACTS: {"kind": KIND, "benchmark": benchmark, **facts}}


def listed(value: str | Sequence[str] | None) -> list[str]:
    """The entries of a list, or of a text with commas."""
    parts = value.split(",") if isinstance(value, str) else list(value or ())
    return [part.strip() for part in parts if part.strip()]
