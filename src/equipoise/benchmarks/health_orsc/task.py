"""Health-ORSC-Bench for any model that Inspect can reach.

inspect eval equipoise/health_orsc --model openai/MODEL -T data=FOLDER
"""

from __future__ import annotations

from inspect_ai import Task, task

from equipoise.benchmarks.health_orsc.loader import LOADER
from equipoise.benchmarks.prompts.task import Order, refusal_task


@task
def health_orsc(
    data: str | None = None,
    files: str = "hard",
    seeds: bool = False,
    by: str = "category",
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
    """Benign health questions rewritten from toxic seeds, by difficulty.

    Args as of `prompts.task.Order`, and `files` (easy, medium, hard, or several joined by "+"), `seeds` (also ask the seeds),
    `by` (strata by category, tier or category+tier).
    """
    return refusal_task(
        LOADER,
        Order(
            data=data, arms=arms, strata=strata, per_stratum=per_stratum, seed=seed, system=system, trials=trials,
            download=download, allow_changed=allow_changed, max_cost=max_cost, price_in=price_in, price_out=price_out,
            options={"files": files, "seeds": seeds, "by": by},
        ),
    )  # fmt: skip
