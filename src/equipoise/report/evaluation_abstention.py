"""When systems leave the decision to a person, and what answering only when certain would bring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise.benchmarks.openmtb.dataset import BenchmarkCase
from equipoise.benchmarks.openmtb.rates import ABSTENTION
from equipoise.outcomes.item_rates import ItemRate, item_rate
from equipoise.outcomes.measures import Count
from equipoise.outcomes.schema import ReplyState
from equipoise.report.evaluated import System
from equipoise.report.evaluation_contexts import AbstentionRow
from equipoise.report.measured import drawn_rate, shown_item_rate
from equipoise.report.numbers import FEWEST_FOR_A_RATE, Score, listed
from equipoise.report.plots import Figure
from equipoise.report.plots.risk_coverage import MOST_SYSTEMS, Selective, risk_coverage
from equipoise.statistics import NoConfidenceError
from equipoise.statistics import risk_coverage as risk_coverage_of

RESAMPLES = 500
"""Resamples of the area; each sorts all replies anew."""

_HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstention:
    """The section on abstention.

    Attributes:
        rows: the table.
        figures: risk against coverage, at most three systems each.
        absent: who is not drawn and why; empty when all are.
    """

    rows: tuple[AbstentionRow, ...]
    figures: tuple[Figure, ...]
    absent: str


def abstention(systems: Sequence[System], cases: Mapping[str, BenchmarkCase], seed: int) -> Abstention:
    """The section on abstention.

    Args:
        systems: the systems.
        cases: what the items are held against.
        seed: seed of the intervals.
    """
    rows: list[AbstentionRow] = []
    drawn: list[Selective] = []
    reasons: dict[str, list[str]] = {}
    for system in systems:
        found = selective(system, seed)
        rows.append(_row(system, cases, found))
        if isinstance(found, str):
            reasons.setdefault(found, []).append(system.name)
        else:
            drawn.append(found)
    figures = tuple(
        risk_coverage(f"risk-coverage-{place // MOST_SYSTEMS + 1}", drawn[place : place + MOST_SYSTEMS])
        for place in range(0, len(drawn), MOST_SYSTEMS)
    )
    absent = " ".join(f"Not drawn: {listed(names)}; {reason}." for reason, names in reasons.items())
    return Abstention(rows=tuple(rows), figures=figures, absent=absent)


def selective(system: System, seed: int) -> Selective | str:
    """Risk against coverage of a system, or why there is neither a line nor a point.

    Coverage is the share of the readable replies that would be answered if a person took the others, risk the share of
    wrong labels among these. A line needs a certainty with every reply; a system that only says whether it abstains is
    one point.

    Args:
        system: the system.
        seed: seed of the interval of the area.
    """
    read = [row for row in system.rows if row["state"] == ReplyState.OK and row["expected"] is not None]
    left = len(system.rows) - len(read)
    if not read:
        return "no reply of it could be read"
    without = sum(row["confidence"] is None for row in read)
    line, why = _line(read, left, seed), ""
    if line is None:
        why = f"{without} of {len(read)} readable replies state no certainty"
        if not without:
            why = "every reply states the same certainty, which orders nothing"
    said = [row for row in read if row["abstained"] is not None]
    answers = [row for row in said if not row["abstained"]]
    abstains = 0 < len(answers) < len(said)
    if line is None and not abstains:
        how = "it never abstains" if said and len(answers) == len(said) else "it always abstains"
        return f"{why}, and {how if said else 'it does not say whether it abstains'}"
    base = _rate(read, wrong, left)
    coverages, risks, half, area = line or ((), (), None, None)
    return Selective(
        name=system.name,
        coverages=coverages,
        risks=risks,
        base=drawn_rate("selective.base", "wrong, all answered", base),
        half=half,
        answered=drawn_rate("selective.answered", "answered", _rate(said, answered, len(system.rows) - len(said))),
        wrong=drawn_rate(
            "selective.wrong", "wrong among the answered", _rate(answers, wrong, len(system.rows) - len(said))
        ),
        area=area,
        why_no_line=why,
    )


def wrong(row: Mapping[str, Any]) -> bool:
    """Whether the label differs from the reference."""
    return bool(row["label"] != row["expected"])


def answered(row: Mapping[str, Any]) -> bool:
    """Whether the decision is not left to a person."""
    return not row["abstained"]


def _rate(rows: Sequence[Mapping[str, Any]], event: Any, left: int) -> ItemRate:
    counts = [Count((place,), int(event(row)), row) for place, row in enumerate(rows)]
    return item_rate([*counts, *(Count((f"left {place}",), None, {"item": None}) for place in range(left))])


def _line(
    read: Sequence[Mapping[str, Any]], left: int, seed: int
) -> tuple[tuple[float, ...], tuple[float, ...], Any, Score] | None:
    """Coverages and risks from ten replies on, the most certain half, and the area; None without an order."""
    if any(row["confidence"] is None for row in read):
        return None
    items = [row["item"] for row in read]
    if len(set(items)) < 2:
        return None
    try:
        curve = risk_coverage_of(
            [row["confidence"] for row in read],
            [float(not wrong(row)) for row in read],
            rng=np.random.default_rng(seed),
            resamples=RESAMPLES,
            clusters=items if len(set(items)) < len(items) else None,
        )
    except NoConfidenceError:
        return None
    kept = [place for place, share in enumerate(curve.coverages) if round(share * len(read)) >= FEWEST_FOR_A_RATE]
    most = next(round(share * len(read)) for share in curve.coverages if share >= _HALF)
    certain = sorted(read, key=lambda row: -row["confidence"])[:most]
    half = None
    if most < len(read):
        half = drawn_rate("selective.half", f"wrong, the {most} most certain", _rate(certain, wrong, left))
    area = curve.augrc
    score = Score(
        "augrc", "area under the generalised risk-coverage curve", area.estimate, area.low, area.high, area.n_used,
        area.method, left,
    )  # fmt: skip
    return tuple(curve.coverages[place] for place in kept), tuple(curve.risks[place] for place in kept), half, score


def _row(system: System, cases: Mapping[str, BenchmarkCase], found: Selective | str) -> AbstentionRow:
    stated = [
        (row, bool(row["abstained"]), cases[row["item"]].reference.abstain)
        for row in system.rows
        if row["abstained"] is not None and row["item"] in cases
    ]
    left = len(system.rows) - len(stated)
    own = [row | {"hit": asked} for row, does, asked in stated if does]
    asked = [row | {"hit": does} for row, does, wanted in stated if wanted]
    if isinstance(found, str):
        area: Score | str = f"not defined: {found}"
    else:
        area = found.area if found.area is not None else f"not defined: {found.why_no_line}"
    return AbstentionRow(
        system.name,
        system.shown(ABSTENTION),
        shown_item_rate("abstention.precision", _rate(own, _hit, left)),
        shown_item_rate("abstention.recall", _rate(asked, _hit, left)),
        area,
    )


def _hit(row: Mapping[str, Any]) -> bool:
    return bool(row["hit"])
