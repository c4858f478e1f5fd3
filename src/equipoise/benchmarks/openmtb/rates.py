"""The rates of the benchmark as measures over outcome rows, and what several trials of a run come to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.outcomes.item_rates import ItemRate, exact_at_edge, item_rate
from equipoise.outcomes.measures import Measure, count
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics import Estimate, wilson
from equipoise.statistics.estimate import Result

OVER_REFUSAL = Measure(
    id="over_refusal_rate",
    event="label",
    values=("Unsupported",),
    where={"expected": ("Supported", "Partially Supported")},
)
FALSE_APPROVAL = Measure(
    id="false_approval_rate", event="label", values=("Supported",), where={"expected": ("Unsupported",)}
)
WITHOUT_INFORMATION = Measure(
    id="approvals_without_information_rate", event="label", values=("Supported",),
    where={"expected": ("Insufficient Information",)},
)  # fmt: skip
ACCURACY = Measure(id="accuracy", event="correct")
ABSTENTION = Measure(id="abstention_rate", event="abstained")

MEASURES: tuple[Measure, ...] = (OVER_REFUSAL, FALSE_APPROVAL, WITHOUT_INFORMATION, ACCURACY, ABSTENTION)
"""What is counted over all trials, in the order of tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats(Result):
    """All trials of one system.

    Attributes:
        trials: trials a case was to have.
        items: cases.
        replies: replies, in any state.
        rates: each of `MEASURES` over the readable replies of all trials, by its id.
        flips: cases whose readable replies differ in the label / cases with two or more readable replies.
    """

    trials: int
    items: int
    replies: int
    rates: Mapping[str, ItemRate]
    flips: Estimate


def repeats(run: Run, *, system: str | None = None) -> Repeats | None:
    """What several trials come to; None when every case was asked once.

    Args:
        run: the run.
        system: which system; None when the run has one.

    Raises:
        InputError: the run has several systems and none is named, or a system answers the same twice.
    """
    rows = [one.row for one in count(run, Measure(id="asked", event="failed"), system=system)]
    trials = {row["trial"] or 1 for row in rows}
    if len(trials) < 2:
        return None
    return Repeats(
        trials=len(trials),
        items=len({row["item"] for row in rows}),
        replies=len(rows),
        rates={measure.id: item_rate(count(run, measure, system=system)) for measure in MEASURES},
        flips=flip_rate(rows),
    )


def flip_rate(rows: Iterable[Mapping[str, Any]]) -> Estimate:
    """Cases whose readable replies differ in the label / cases with two or more readable replies: Wilson, exact at 0 or all.

    Args:
        rows: rows of one system, the last attempt of each trial.

    Returns:
        0 (the label never changes) to 1; undefined without a case that was read twice. Left out are the other cases.
    """
    labels: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        own = labels[row["item"]]
        if row["state"] == ReplyState.OK and row["label"] is not None:
            own.append(row["label"])
    twice = [found for found in labels.values() if len(found) > 1]
    left = len(labels) - len(twice)
    why = "fewer than two readable replies" if left else ""
    changed = sum(len(set(found)) > 1 for found in twice)
    return exact_at_edge(wilson(changed, len(twice), n_left_out=left, why_left_out=why), len(twice))
