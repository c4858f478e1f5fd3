"""Everything a stress test on questions with options came to, of one system; and the gap between clean and attacked figures."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from equipoise.errors import InputError
from equipoise.outcomes.run import Run
from equipoise.redteam.measures.adaptive import AdaptiveResult, adaptive_result
from equipoise.redteam.measures.operators import OperatorResult, family_results, operator_results
from equipoise.redteam.measures.order import OrderResult, order_result
from equipoise.redteam.measures.rates import Rate, clustered, rate_of_read
from equipoise.redteam.measures.replies import Replies, Reply, replies_of
from equipoise.statistics.estimate import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Robustness(Result):
    """What a run came to.

    Attributes:
        system: what answered.
        benchmark: identifier of the task.
        plan_hash: hash of the plan, which fixes every denominator.
        items_hash: hash of the untouched items.
        items: number of untouched items.
        clean: right first replies to untouched items / those read.
        repeats: right untouched repeats / those read; None without repeats.
        operators: one result an operator; empty for a run of the adaptive loop alone.
        families: the same pooled by family.
        order: equivalence under shuffles; None without them.
        adaptive: worst case of the adaptive loop, to be shown apart from single attacks; None without one.
    """

    system: str
    benchmark: str
    plan_hash: str
    items_hash: str
    items: int
    clean: Rate
    repeats: Rate | None
    operators: tuple[OperatorResult, ...]
    families: tuple[OperatorResult, ...]
    order: OrderResult | None
    adaptive: AdaptiveResult | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap(Result):
    """What a benchmark hides: accuracy on clean items, under single attacks, and in the worst of k rounds.

    The three are not of one kind: the last is a worst case over k tries, so its distance to the others holds luck too; what k
    untouched tries do is `adaptive_control`.

    Attributes:
        system: what answered.
        clean: right first replies to untouched items / those read, of the static run.
        static: right replies to single attacks / those read, over all operators, items drawn together.
        adaptive: items right on the untouched question and in every round / items of which that is known; None without an
            adaptive run.
        adaptive_control: items right on the untouched question and in every one of k untouched repeats / items of which
            that is known.
        rounds: k; 0 without an adaptive run.
    """

    system: str
    clean: Rate
    static: Rate
    adaptive: Rate | None
    adaptive_control: Rate | None
    rounds: int


def robustness(run: Run, *, system: str | None = None, seed: int = 42) -> Robustness:
    """All measures of a run.

    Args:
        run: run of `medqa_order` or `das_robustness`.
        system: which system; the only one by default.
        seed: seed of the intervals.

    Raises:
        InputError: the run keeps no plan, or holds several systems and none is named.
    """
    replies = replies_of(run, system)
    rng = np.random.default_rng(seed)
    static = not replies.rounds
    repeats = [reply for item in replies.plan.items for reply in replies.repeats.get(item, ())]
    return Robustness(
        system=replies.system,
        benchmark=replies.plan.benchmark,
        plan_hash=replies.plan.plan_hash,
        items_hash=replies.plan.items_hash,
        items=len(replies.plan.items),
        clean=_clean(replies),
        repeats=_share(repeats, rng) if repeats else None,
        operators=operator_results(replies, rng) if static else (),
        families=family_results(replies, rng) if static else (),
        order=order_result(replies, rng) if static else None,
        adaptive=adaptive_result(replies, rng, _invalid(run, replies.system)),
    )


def benchmarking_gap(static: Run, adaptive: Run | None = None, *, system: str | None = None, seed: int = 42) -> Gap:
    """Clean, static and adaptive accuracy of one system on the same items.

    Args:
        static: run of the static loop.
        adaptive: run of the adaptive loop; None without one.
        system: which system; the only one by default.
        seed: seed of the intervals.

    Raises:
        InputError: the runs are of other items or systems.
    """
    rng = np.random.default_rng(seed)
    one = replies_of(static, system)
    attacked = [reply for group in one.attacked.values() for reply in group]
    wanted = sum(len(item.mutants) for item in one.plan.operators) * one.trials
    worst = control = None
    rounds = 0
    if adaptive is not None:
        two = replies_of(adaptive, system)
        if (two.system, two.plan.items_hash) != (one.system, one.plan.items_hash):
            message = "the two runs are of different systems or items"
            raise InputError(message, field="runs")
        rounds = two.rounds
        found = adaptive_result(two, rng)
        if found is not None:
            worst, control = (_survived(rate, found) for rate in (found.fooled, found.control))
    return Gap(
        system=one.system,
        clean=_clean(one),
        static=_share(attacked, rng, wanted),
        adaptive=worst,
        adaptive_control=control,
        rounds=rounds,
    )


def _survived(rate: Rate, found: AdaptiveResult) -> Rate:
    """Items right on the untouched question and never wrong after it."""
    kept = rate.out_of - rate.events
    return rate_of_read(kept, rate.out_of + found.clean_wrong, rate.failed + found.clean_not_read)


def _clean(replies: Replies) -> Rate:
    read = [right for item in replies.plan.items if (right := replies.clean_right(item)) is not None]
    return rate_of_read(sum(read), len(read), len(replies.plan.items) - len(read))


def _share(replies: Iterable[Reply], rng: np.random.Generator, wanted: int | None = None) -> Rate:
    every = list(replies)
    read = [reply for reply in every if reply.right is not None]
    hits = [bool(reply.right) for reply in read]
    failed = (len(every) if wanted is None else wanted) - len(read)
    return rate_of_read(sum(hits), len(hits), failed, clustered(hits, [reply.item for reply in read], rng, failed))


def _invalid(run: Run, system: str) -> int:
    """Choices of a strategist that were not valid, as the rounds keep them."""
    rows = run.outcomes.select(["system", "arm", "operator_parameters"]).to_pylist()
    return sum(
        int(json.loads(row["operator_parameters"]).get("invalid_choices", 0))
        for row in rows
        if row["system"] == system and row["arm"] == "adaptive" and row["operator_parameters"]
    )
