"""The page of tumor-board runs as JSON: rates and comparisons as numbers, and every table as it is printed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from equipoise.benchmarks.openmtb.rates import ACCURACY, FALSE_APPROVAL, OVER_REFUSAL, WITHOUT_INFORMATION
from equipoise.outcomes.compare import DEFAULT_MEASURES
from equipoise.outcomes.measures import Measure
from equipoise.outcomes.run import Run
from equipoise.report.evaluated import System, key_of, systems_of
from equipoise.report.evaluation import compared_systems, reply_states
from equipoise.report.evaluation_contexts import EvaluationPage
from equipoise.report.plots import Figure

MEASURES: tuple[Measure, ...] = (
    OVER_REFUSAL,
    FALSE_APPROVAL,
    WITHOUT_INFORMATION,
    *(measure for measure in DEFAULT_MEASURES if measure.id != ACCURACY.id),
    ACCURACY,
)
"""Rates of a system, both failure modes first."""


def evaluation_json(runs: Sequence[Run], page: EvaluationPage, *, seed: int = 42) -> dict[str, Any]:
    """The content of a page.

    Args:
        runs: the runs of the page.
        page: the page.
        seed: seed of its intervals; the comparisons are made again with it, and are the same.

    Returns:
        `systems` (replies by state, rates with intervals and items), `pairs` (paired differences), and `tables`: each part
        of the page with the texts it prints, drawings as the tables that stand under them.
    """
    systems = systems_of(runs)
    info = runs[0].info
    pairs = [
        {"first_system": one.name, "second_system": two.name, **found.to_dict()}
        for one, two, found in compared_systems(systems, seed)
    ]
    return {
        "benchmark": info.benchmark,
        "dataset_hash": info.dataset_hash,
        "seed": seed,
        "report_id": page.report_id,
        "sentence": page.sentence,
        "systems": [_system(system) for system in systems],
        "pairs": pairs,
        "tables": {item.name: printed(getattr(page, item.name)) for item in fields(page)},
    }


def _system(system: System) -> dict[str, Any]:
    return {
        "system": system.name,
        "run": system.run.info.run_id,
        "items": len(system.items),
        "replies": len(system.rows),
        "states": reply_states(system),
        "rates": {key_of(measure): system.rate(measure).to_dict() for measure in MEASURES},
    }


def printed(value: Any) -> Any:
    """A part of a page in types that JSON has; a drawing becomes its table, a rate carries the text that is printed.

    Args:
        value: a field of the page, or a part of one.

    Raises:
        TypeError: a type that no page has.
    """
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Figure):
        rows = [[cell.text for cell in row] for row in value.rows]
        return {"title": value.title, "head": list(value.head), "rows": rows, "note": value.note}
    if isinstance(value, Mapping):
        return {str(key): printed(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [printed(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        found = {item.name: printed(getattr(value, item.name)) for item in fields(value)}
        text = getattr(value, "text", None)
        return {**found, "text": text} if isinstance(text, str) else found
    message = f"a {type(value).__name__} has no JSON form"
    raise TypeError(message)
