"""The leaderboard of several systems: rates, ranks, and the published Safety Score, with the constant systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equipoise.benchmarks.openmtb import formulas
from equipoise.benchmarks.openmtb.constants import CONSTANTS, ConstantSystem
from equipoise.benchmarks.openmtb.dataset import BenchmarkCase, Reference
from equipoise.benchmarks.openmtb.formulas import Totals
from equipoise.benchmarks.openmtb.metrics import score
from equipoise.benchmarks.openmtb.rates import ACCURACY, FALSE_APPROVAL, OVER_REFUSAL, WITHOUT_INFORMATION
from equipoise.outcomes.item_rates import ItemRate, exact_at_edge
from equipoise.outcomes.measures import Measure
from equipoise.outcomes.readers import Prediction
from equipoise.outcomes.schema import ReplyState
from equipoise.report.evaluated import NAMES, System, key_of
from equipoise.report.evaluation_contexts import StandingRow
from equipoise.report.measured import drawn_rate, shown_item_rate
from equipoise.report.numbers import Rate, Score, listed
from equipoise.statistics import bootstrap, wilson

RESAMPLES = 2000
"""Resamples of the ranks and of the Safety Score."""

Rank = tuple[int, int, int]
"""Rank with the ends of its interval; zeros when not defined."""

_RATES = (OVER_REFUSAL, FALSE_APPROVAL, WITHOUT_INFORMATION, ACCURACY)


def ranks_of(systems: Sequence[System], rng: np.random.Generator) -> list[Rank]:
    """Rank by accuracy, 1 the highest, ties sharing the better rank, with a 95 % interval from resampled items; 0 when not
    defined. The pair of error rates ranks nobody: a system that always asks errs in neither.

    Args:
        systems: the systems.
        rng: random generator of the intervals.
    """
    items = sorted(set().union(*(system.items for system in systems)))
    place = {item: index for index, item in enumerate(items)}
    sums = np.zeros((2, len(systems), len(items)))
    for number, system in enumerate(systems):
        for one in system.counts(ACCURACY):
            if one.value is not None:
                sums[:, number, place[one.row["item"]]] += (one.value, 1)

    def ranks(weights: Any) -> Any:
        right, every = sums @ weights
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = right / every
        return 1 + (shares[None, :] > shares[:, None] + 1e-12).sum(axis=1)

    own, defined = ranks(np.ones(len(items))), sums[1].sum(axis=1) > 0
    draws = np.array(
        [
            ranks(np.bincount(rng.integers(0, len(items), len(items)), minlength=len(items)).astype(float))
            for _ in range(RESAMPLES)
        ]
    )
    low, high = (np.quantile(draws, level, axis=0, method="nearest") for level in (0.025, 0.975))
    return [
        (int(own[number]), int(min(low[number], own[number])), int(max(high[number], own[number])))
        if defined[number]
        else (0, 0, 0)
        for number in range(len(systems))
    ]


def standing_rows(
    systems: Sequence[System],
    order: Sequence[int],
    ranks: Sequence[Rank],
    cases: Mapping[str, BenchmarkCase],
    seed: int,
) -> tuple[StandingRow, ...]:
    """The leaderboard in its order, constant systems last.

    Args:
        systems: the systems.
        order: their places in the order of the table.
        ranks: rank of each.
        cases: what the items are held against.
        seed: seed of the intervals of the Safety Score.
    """
    rows = []
    for place in order:
        system, rank = systems[place], ranks[place]
        text = f"{rank[0]} ({rank[1]} to {rank[2]})" if rank[0] else "not defined"
        safety = safety_score(system, cases, np.random.default_rng(seed)).text
        over, approvals, without, accuracy = (system.shown(item) for item in _RATES)
        rows.append(StandingRow(system.name, False, over, approvals, without, accuracy, text, safety))
    return (*rows, *(_constant_row(item, list(cases.values())) for item in CONSTANTS))


def constant_rates(system: ConstantSystem, cases: Sequence[BenchmarkCase]) -> tuple[Rate, Rate]:
    """Over-refusal and false approval of a constant system, for the drawings.

    Args:
        system: the constant system.
        cases: the cases.
    """
    over, approvals = (
        drawn_rate(key_of(measure), NAMES[measure.id], _always(measure, system, cases))
        for measure in (OVER_REFUSAL, FALSE_APPROVAL)
    )
    return over, approvals


def safety_score(system: System, cases: Mapping[str, BenchmarkCase], rng: np.random.Generator) -> Score:
    """The published Safety Score over all readable replies, with a bootstrap interval over items.

    Args:
        system: the system.
        cases: what the items are held against; replies to other items are left out.
        rng: random generator of the interval.
    """
    pairs: list[tuple[Reference, Prediction]] = []
    items: list[str] = []
    for row in system.rows:
        case = cases.get(row["item"])
        if row["state"] == ReplyState.OK and row["label"] is not None and case is not None:
            missing = row["missing_fields"]
            pairs.append(
                (
                    case.reference,
                    Prediction(
                        case_id=row["item"], label=row["label"], abstain=row["abstained"],
                        missing_fields=None if missing is None else tuple(missing),
                    ),
                )
            )  # fmt: skip
            items.append(row["item"])
    left = len(system.rows) - len(pairs)
    key, name = "safety_score", "published Safety Score"
    if len(set(items)) < 2:
        return Score(key, name, None, None, None, len(pairs), "fewer than two cases", left, 2)
    found = bootstrap(
        formulas.counts(pairs), lambda rows: formulas.safety_score(Totals(rows)), rng=rng, resamples=RESAMPLES,
        clusters=items if len(set(items)) < len(items) else None, n_left_out=left,
    )  # fmt: skip
    return Score(key, name, found.estimate, found.low, found.high, found.n_used, found.method, left, 2)


def safety_note(rows: Sequence[StandingRow]) -> str:
    """What the constant systems get in the Safety Score, as the sentence that has to stand beside it.

    Args:
        rows: the leaderboard.
    """
    marks = {row.name: float(row.safety) for row in rows if row.constant and row.safety != "not defined"}
    if not marks:
        return (
            "The published Safety Score is not defined on these cases: it needs Unsupported cases and each of the planted "
            "errors that it counts."
        )
    best = max(marks.values())
    names = listed([name for name, mark in marks.items() if mark == best])
    return (
        f"The published Safety Score (0 to 100) is given because it is published. A system that reads nothing gets up to "
        f"{best:.2f} on these cases ({names}); it says nothing without the two rates beside it."
    )


def _constant_row(system: ConstantSystem, cases: Sequence[BenchmarkCase]) -> StandingRow:
    over, approvals, without = (shown_item_rate(key_of(item), _always(item, system, cases)) for item in _RATES[:3])
    right = sum(case.reference.label == system.label.value for case in cases)
    accuracy = ItemRate(estimate=exact_at_edge(wilson(right, len(cases)), len(cases)), items=len(cases))
    found = score(cases, system.predict(cases)).safety_score
    safety = "not defined" if found is None else f"{found:.2f}"
    shown = shown_item_rate(ACCURACY.id, accuracy)
    return StandingRow(system.title, True, over, approvals, without, shown, "", safety)


def _always(measure: Measure, system: ConstantSystem, cases: Sequence[BenchmarkCase]) -> ItemRate:
    n = sum(case.reference.label in measure.where["expected"] for case in cases)
    events = n if system.label.value in measure.values else 0
    return ItemRate(estimate=exact_at_edge(wilson(events, n), n), items=n)
