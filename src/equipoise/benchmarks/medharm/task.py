"""MedHarm for any model that Inspect can reach.

inspect eval equipoise/medharm --model openai/MODEL -T data=FILE
"""

from __future__ import annotations

from inspect_ai import Task, task

from equipoise.benchmarks.medharm.loader import LOADER
from equipoise.benchmarks.prompts.task import Order, refusal_task


@task
def medharm(
    data: str | None = None,
    columns: str | dict[str, str] | None = None,
    arm: str = "harmful",
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
    """High-risk medical queries from the researcher's own file.

    Args as of `prompts.task.Order`, and `columns` (which of the file's columns is which: "prompt=query,category=topic") and
    `arm` (of items whose file names none).
    """
    return refusal_task(
        LOADER,
        Order(
            data=data, arms=arms, strata=strata, per_stratum=per_stratum, seed=seed, system=system, trials=trials,
            download=download, allow_changed=allow_changed, max_cost=max_cost, price_in=price_in, price_out=price_out,
            options={"columns": columns, "arm": arm},
        ),
    )  # fmt: skip
