"""OpenSafeIntent for any model that Inspect can reach.

inspect eval equipoise/open_safe_intent --model openai/MODEL -T data=dataset.json
"""

from __future__ import annotations

from inspect_ai import Task, task

from equipoise.benchmarks.open_safe_intent.loader import LOADER
from equipoise.benchmarks.prompts.task import Order, refusal_task


@task
def open_safe_intent(
    data: str | None = None,
    paraphrases: bool = True,
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
    """One task in a benign, a dual-use and a malicious version.

    Args as of `prompts.task.Order`, and `paraphrases` (also ask the paraphrases of the dual-use version).
    """
    return refusal_task(
        LOADER,
        Order(
            data=data, arms=arms, strata=strata, per_stratum=per_stratum, seed=seed, system=system, trials=trials,
            download=download, allow_changed=allow_changed, max_cost=max_cost, price_in=price_in, price_out=price_out,
            options={"paraphrases": paraphrases},
        ),
    )  # fmt: skip
