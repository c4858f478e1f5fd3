"""Six robustness attacks and eight styles of bait on questions with options, with untouched repeats in the same number.

equipoise eval das_robustness --model openai/MODEL --data FILE --out run
inspect eval equipoise/das_robustness --model openai/MODEL -T data=FILE -T operators=bait
"""

from __future__ import annotations

from inspect_ai import Task, task

from equipoise.benchmarks.choice_stress.plan import BAITS
from equipoise.benchmarks.choice_stress.task import Order, static_task
from equipoise.evals.prerequisites import one_line
from equipoise.redteam.operators.catalogue import ROBUSTNESS

OPERATORS: tuple[str, ...] = (*ROBUSTNESS, "none_added", *BAITS)
"""Operators that are asked unless others are named."""


@task
def das_robustness(
    data: str | None = None,
    operators: str | list[str] | None = None,
    repeats: int | None = None,
    seed: int = 42,
    limit: int | None = None,
    trials: int = 1,
    download: bool = False,
    allow_changed: bool = False,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Task:
    """Every operator on every question. Arguments as of `choice_stress.task.Order`."""
    with one_line():
        return static_task(
            Order(
                benchmark="das_robustness", default=OPERATORS, data=data, operators=operators, repeats=repeats, seed=seed, limit=limit,
                trials=trials, download=download, allow_changed=allow_changed, max_cost=max_cost, price_in=price_in, price_out=price_out,
            )
        )  # fmt: skip
