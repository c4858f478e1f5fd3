"""Where disagreement concentrates: between which labels, in which strata, on which references, with which missing field, why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from equipoise.statistics import Estimate, wilson
from equipoise.statistics.estimate import Result
from equipoise.study.protocol import Protocol
from equipoise.study.ratings import Ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(Result):
    """One group of items, and how often raters differ there.

    Attributes:
        kind: "line" between two labels, "reference", "error type", "stratum", "missing field", or "decision", which is the
            reason code of the decisions.
        name: which.
        disagreed: items of it on which raters differ.
        items: items of it with at least two labels; for a line, all items with a disagreement; for a decision, all
            decisions with a reason code.
        rate: disagreed / items with a Wilson interval.
    """

    kind: str
    name: str
    disagreed: int
    items: int
    rate: Estimate


def places(found: Ratings, protocol: Protocol) -> tuple[Place, ...]:
    """Where raters differ, kind by kind, the most frequent first.

    Args:
        found: the labels.
        protocol: gives the order of the labels and the coverage of the intervals.
    """
    shared = found.shared()
    level = protocol.analysis.level
    disagreed = [item for item in shared if found.disagreed(item)]
    lines: Counter[str] = Counter()
    for item in disagreed:
        present = set(found.of(item).values())
        lines.update(f"{one} / {two}" for one, two in combinations(protocol.primary.values, 2) if {one, two} <= present)
    made = [_place("line", name, count, len(disagreed), level) for name, count in lines.items()]
    fields: dict[str, set[str]] = {}
    for (rater, item), names in found.missing.items():
        if rater in found.raters:
            for name in names:
                fields.setdefault(name, set()).add(item)
    groups: tuple[tuple[str, Mapping[str, Iterable[str]]], ...] = (
        ("reference", _turned(found.reference)),
        ("error type", {} if _same(found) else _turned(found.error)),
        ("stratum", _turned(found.stratum)),
        ("missing field", fields),
    )
    for kind, members in groups:
        for name, items in members.items():
            inside = [item for item in shared if item in set(items)]
            if inside:
                made.append(_place(kind, name, sum(found.disagreed(item) for item in inside), len(inside), level))
    codes = Counter(found.codes.values())
    made += [_place("decision", code, count, codes.total(), level) for code, count in codes.items()]
    order = ("line", "reference", "error type", "stratum", "missing field", "decision")
    return tuple(sorted(made, key=lambda place: (order.index(place.kind), -place.disagreed, place.name)))


def _place(kind: str, name: str, disagreed: int, items: int, level: float) -> Place:
    return Place(kind=kind, name=name, disagreed=disagreed, items=items, rate=wilson(disagreed, items, level=level))


def _same(found: Ratings) -> bool:
    """Whether the strata are the error types, which would then stand there twice."""
    return all(found.stratum.get(item) == name for item, name in found.error.items())


def _turned(values: Mapping[str, str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for item, name in values.items():
        groups.setdefault(name, []).append(item)
    return groups
