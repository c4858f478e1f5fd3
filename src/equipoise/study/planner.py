"""How many items a narrower interval needs, from the interval there is."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from equipoise.statistics import Estimate
from equipoise.statistics.estimate import Result

TARGETS: tuple[float, ...] = (0.15, 0.10, 0.05)
"""Half-widths that are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPlan(Result):
    """Items with labels of at least two raters for a wanted half-width.

    Attributes:
        measure: "kappa", or "alpha" where kappa is not defined, and "percent".
        half_width: the wanted half-width.
        items: items needed in all, if raters agree as they do now; None without an interval to start from.
        now: half-width now; None without an interval.
    """

    measure: str
    half_width: float
    items: int | None
    now: float | None


def plan_items(kappa: Estimate, percent: Estimate, alpha: Estimate | None = None) -> tuple[ItemPlan, ...]:
    """Items needed, by the rule that the half-width falls with the square root of the items.

    It holds for about equal agreement and prevalence, and for items that are drawn as the present ones were.
    """
    made = []
    chance = ("alpha", alpha) if kappa.estimate is None and alpha is not None else ("kappa", kappa)
    for measure, found in (chance, ("percent", percent)):
        now = found.half_width
        for target in TARGETS:
            items = ceil(found.n_used * (now / target) ** 2 - 1e-9) if now else None
            made.append(ItemPlan(measure=measure, half_width=target, items=items, now=now))
    return tuple(made)
