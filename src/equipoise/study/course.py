"""Raters over time and against themselves: drift by thirds of a queue, repeats, attention items."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from equipoise.statistics import Estimate, HypothesisTest, wilson
from equipoise.statistics.estimate import Result
from equipoise.study.protocol import Protocol
from equipoise.study.ratings import Ratings

THIRDS = 3
FEWEST_PER_THIRD = 5
"""Labels of a third below which drift is not assessed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course(Result):
    """One rater over time.

    Attributes:
        rater: code.
        thirds: share of items on which all raters agree in the first, second and last third of the queue. Empty when the
            order is not known or the labels are few.
        shares: share of each label by third, in the order of the protocol.
        first_and_last: Fisher's exact test of the first against the last third; None when not assessed.
        repeated: share of items labelled twice that got the same label twice.
        why_not: why drift was not assessed; empty when it was.
    """

    rater: str
    thirds: tuple[Estimate, ...]
    shares: tuple[tuple[float, ...], ...]
    first_and_last: HypothesisTest | None
    repeated: Estimate
    why_not: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention(Result):
    """One rater on the items whose answer is plain.

    Attributes:
        rater: code.
        right: right answers.
        answered: attention items answered.
        given: attention items given.
        told_apart: whether the share right is below what the protocol asks; None without an answer. Such a rater stays in
            all figures and is named.
    """

    rater: str
    right: int
    answered: int
    given: int
    told_apart: bool | None


def courses(found: Ratings, protocol: Protocol) -> tuple[Course, ...]:
    """Every rater over time."""
    return tuple(_course(found, protocol, rater) for rater in found.raters)


def attention(found: Ratings, protocol: Protocol) -> tuple[Attention, ...]:
    """Every rater on the attention items; empty without such items.

    Only the primary question is compared, because the outcomes carry it.
    """
    expected = {
        item.item: item.expected[protocol.primary.id]
        for item in protocol.attention.items
        if protocol.primary.id in item.expected
    }
    made = []
    for rater in found.raters if expected else ():
        rows = [
            row
            for row in found.rows
            if row["system"] == rater and row["item_set"] == "attention" and row["item"] in expected
        ]
        answered = [row for row in rows if row["label"] is not None]
        right = sum(row["label"] == expected[row["item"]] for row in answered)
        below = right / len(answered) < protocol.attention.at_least if answered else None
        made.append(Attention(rater=rater, right=right, answered=len(answered), given=len(rows), told_apart=below))
    return tuple(made)


def _course(found: Ratings, protocol: Protocol, rater: str) -> Course:
    repeated = _repeated(found, protocol, rater)
    order = sorted(
        (item for item in found.given[rater] if (rater, item) in found.turn and (rater, item) in found.labels),
        key=lambda item: found.turn[rater, item],
    )
    compared = [item for item in order if len(found.of(item)) > 1]
    why = ""
    if not order:
        why = "the order in which the labels were given is not known"
    elif len(compared) < THIRDS * FEWEST_PER_THIRD:
        why = f"fewer than {THIRDS * FEWEST_PER_THIRD} items with a second label"
    if why:
        return Course(rater=rater, thirds=(), shares=(), first_and_last=None, repeated=repeated, why_not=why)
    size = len(order)
    parts = [order[size * part // THIRDS : size * (part + 1) // THIRDS] for part in range(THIRDS)]
    counts = [_agreed(found, part) for part in parts]
    shares = tuple(
        tuple(sum(found.labels[rater, item] == label for item in part) / len(part) for label in protocol.primary.values)
        for part in parts
    )
    return Course(
        rater=rater,
        thirds=tuple(wilson(agreed, n, level=protocol.analysis.level) for agreed, n in counts),
        shares=shares,
        first_and_last=_fisher(counts[0], counts[-1]),
        repeated=repeated,
        why_not="",
    )


def _agreed(found: Ratings, items: list[str]) -> tuple[int, int]:
    """Items on which every other rater gave the same label, and items with another rater. Items, so that they are apart."""
    compared = [item for item in items if len(found.of(item)) > 1]
    return sum(not found.disagreed(item) for item in compared), len(compared)


def _repeated(found: Ratings, protocol: Protocol, rater: str) -> Estimate:
    again = {
        row["item"]: row["label"]
        for row in found.rows
        if row["system"] == rater and row["item_set"] == "repeat" and row["label"] is not None
    }
    both = [item for item in again if (rater, item) in found.labels]
    same = sum(found.labels[rater, item] == again[item] for item in both)
    return wilson(same, len(both), level=protocol.analysis.level, n_left_out=len(again) - len(both))


def _fisher(first: tuple[int, int], last: tuple[int, int]) -> HypothesisTest:
    """Two-sided exact test of two shares, by the sum of all tables that are no more probable than the seen one."""
    (a, n1), (b, n2) = first, last
    total, hits = n1 + n2, a + b
    low, high = max(0, hits - n2), min(hits, n1)
    weight = {x: comb(n1, x) * comb(n2, hits - x) for x in range(low, high + 1)}
    p = sum(value for value in weight.values() if value <= weight[a]) / comb(total, hits)
    return HypothesisTest(
        statistic=b / n2 - a / n1 if n1 and n2 else 0.0, p_value=min(1.0, p), method="Fisher's exact test", n_used=total
    )
