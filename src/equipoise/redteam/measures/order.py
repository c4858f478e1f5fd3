"""Whether accuracy stays the same when only the order of the options changes: equivalence by two one-sided tests.

The published test of this kind (arXiv:2607.18828) asks the same questions before and after a shuffle and calls a model
equivalent when the 90 % interval of the difference lies inside the margin. The margin is fixed before the run, by the task.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.redteam.measures.flips import partner
from equipoise.redteam.measures.replies import Replies
from equipoise.statistics import HypothesisTest, MarginResult, equivalence, mcnemar
from equipoise.statistics.estimate import Result

OPERATOR = "option_order"
"""Operator of shuffles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderResult(Result):
    """Shuffled against untouched order.

    Attributes:
        items: items of which the untouched reply and at least one shuffled one were read.
        left_out: items with a shuffle that lack one of them.
        clean: share right in the untouched order, 0 to 1; None without items.
        shuffled: mean share right over the shuffles of an item.
        equivalence: shuffled minus untouched held against the margin.
        repeats: untouched repeats minus untouched first replies held against the same margin: what noise alone does. None
            without repeats.
        test: exact McNemar test of the first shuffle and the untouched reply.
    """

    items: int
    left_out: int
    clean: float | None
    shuffled: float | None
    equivalence: MarginResult
    repeats: MarginResult | None
    test: HypothesisTest


def order_result(replies: Replies, rng: np.random.Generator) -> OrderResult | None:
    """Equivalence under shuffles; None for a run without them, or without a margin fixed beforehand.

    Args:
        replies: all replies of a system.
        rng: random generator.
    """
    margin = replies.facts.get("margin")
    planned = [item for item in replies.plan.operators if item.operator.split("@")[0] == OPERATOR]
    if not planned or margin is None:
        return None
    first: list[float] = []
    second: list[float] = []
    repeated: list[tuple[float, float]] = []
    only_clean = only_shuffled = 0
    for item in planned[0].mutants:
        before = replies.clean_right(item)
        shuffled = [reply for reply in replies.attacked.get((planned[0].operator, item), ()) if reply.right is not None]
        if before is None or not shuffled:
            continue
        first.append(sum(bool(reply.right) for reply in shuffled) / len(shuffled))
        second.append(float(before))
        only_clean += before and not shuffled[0].right
        only_shuffled += bool(shuffled[0].right) and not before
        again = [reply for reply in replies.repeats.get(item, ()) if reply.right is not None]
        if again:
            repeated.append((float(bool(partner(shuffled[0], again).right)), float(before)))
    return OrderResult(
        items=len(first),
        left_out=len(planned[0].mutants) - len(first),
        clean=sum(second) / len(second) if second else None,
        shuffled=sum(first) / len(first) if first else None,
        equivalence=equivalence(first, second, margin=float(margin), rng=rng),
        repeats=equivalence([one for one, _ in repeated], [two for _, two in repeated], margin=float(margin), rng=rng)
        if repeated
        else None,
        test=mcnemar(only_clean, only_shuffled),
    )
