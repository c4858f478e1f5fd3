"""RefusalBench for any model that Inspect can reach.

inspect eval equipoise/refusalbench --model openai/MODEL -T data=FOLDER
"""

from __future__ import annotations

from inspect_ai import Task, task

from equipoise.benchmarks.prompts.task import Order, refusal_task
from equipoise.benchmarks.refusalbench.loader import LOADER


@task
def refusalbench(
    data: str | None = None,
    arms: str | list[str] | None = None,
    strata: str | list[str] | None = None,
    per_stratum: int | None = None,
    seed: int = 42,
    system: str | None = None,
    trials: int = 1,
    download: bool = False,
    allow_changed: bool = False,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Task:
    """Matched triples of protein-design prompts. Arguments as of `prompts.task.Order`."""
    return refusal_task(
        LOADER,
        Order(
            data=data, arms=arms, strata=strata, per_stratum=per_stratum, seed=seed, system=system, trials=trials,
            download=download, allow_changed=allow_changed, max_cost=max_cost, price_in=price_in, price_out=price_out,
        ),
    )  # fmt: skip
