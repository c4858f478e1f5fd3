"""Six robustness attacks and eight styles of bait on questions with options, with untouched repeats in the same number.

equipoise eval das_robustness --model openai/MODEL --data FILE --out run
inspect eval equipoise/das_robustness --model openai/MODEL -T data=FILE -T operators=bait
"""

from __future__ import annotations

from inspect_ai import Task, task

from equipoise.benchmarks.choice_stress.adaptive import adaptive_task
from equipoise.benchmarks.choice_stress.plan import BAITS
from equipoise.benchmarks.choice_stress.task import Order, static_task
from equipoise.errors import UsageError
from equipoise.evals.prerequisites import one_line
from equipoise.redteam.operators.catalogue import ROBUSTNESS

OPERATORS: tuple[str, ...] = (*ROBUSTNESS, "none_added", *BAITS)
"""Operators that are asked unless others are named."""

ROUNDS = 5
"""Most rounds of the adaptive loop unless others are asked for; that of the published system."""


@task
def das_robustness(
    data: str | None = None,
    operators: str | list[str] | None = None,
    repeats: int | None = None,
    seed: int = 42,
    limit: int | None = None,
    trials: int = 1,
    loop: str = "static",
    rounds: int | None = None,
    strategist: str | None = None,
    writer: str | None = None,
    download: bool = False,
    allow_changed: bool = False,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Task:
    """Every operator on every question, or in the adaptive loop what a strategist chooses for it.

    Args:
        data: as all that are not named here, as of `choice_stress.task.Order`.
        operators: as above.
        repeats: as above; in the adaptive loop at least the number of rounds, which is the default.
        seed: as above.
        limit: as above.
        trials: as above; 1 in the adaptive loop.
        loop: static or adaptive.
        rounds: most rounds of the adaptive loop; 5 unless said.
        strategist: model that chooses the next attack of the adaptive loop; a seeded policy unless said.
        writer: model that words single attacks of the adaptive loop; templates unless said.
        download: as above.
        allow_changed: as above.
        max_cost: as above; a strategist or writer is not in it.
        price_in: as above.
        price_out: as above.
    """
    with one_line():
        order = Order(
            benchmark="das_robustness", default=OPERATORS, data=data, operators=operators, repeats=repeats, seed=seed, limit=limit,
            trials=trials, download=download, allow_changed=allow_changed, max_cost=max_cost, price_in=price_in, price_out=price_out,
        )  # fmt: skip
        if loop == "adaptive":
            return adaptive_task(
                order, rounds=ROUNDS if rounds is None else rounds, strategist=strategist, writer=writer
            )
        if loop != "static":
            message = f"expected static or adaptive, found {loop!r}"
            raise UsageError(message, field="loop")
        wrong = next(
            (name for name, value in (("rounds", rounds), ("strategist", strategist), ("writer", writer)) if value),
            None,
        )
        if wrong is not None:
            message = "belongs to the adaptive loop; add loop=adaptive"
            raise UsageError(message, field=wrong)
        return static_task(order)
