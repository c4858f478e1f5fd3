"""Does a model answer otherwise when only the order of the options changes, and does it notice that nothing is right any more?

equipoise eval medqa_order --model openai/MODEL --data FILE --out run
inspect eval equipoise/medqa_order --model openai/MODEL -T data=FILE
"""

from __future__ import annotations

from inspect_ai import Task, task

from equipoise.benchmarks.choice_stress.task import Order, static_task
from equipoise.evals.prerequisites import one_line

OPERATORS: tuple[str, ...] = ("option_order", "answer_negation", "context_removal", "answer_removal")
"""Operators that are asked unless others are named: shuffles, and the follow-ups of arXiv:2607.18828."""

MARGIN = 0.05
"""Largest difference in accuracy that does not matter, unless another is given before the run; the published one."""


@task
def medqa_order(
    data: str | None = None,
    operators: str | list[str] | None = None,
    repeats: int | None = None,
    seed: int = 42,
    limit: int | None = None,
    trials: int = 1,
    margin: float = MARGIN,
    download: bool = False,
    allow_changed: bool = False,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Task:
    """Untouched questions and repeats, shuffles of the options, and questions that have lost what settles them.

    Arguments as of `choice_stress.task.Order`; every trial draws another order.
    """
    with one_line():
        return static_task(
            Order(
                benchmark="medqa_order", default=OPERATORS, data=data, operators=operators, repeats=repeats, seed=seed, limit=limit,
                trials=trials, margin=margin, download=download, allow_changed=allow_changed, max_cost=max_cost, price_in=price_in,
                price_out=price_out,
            )
        )  # fmt: skip
