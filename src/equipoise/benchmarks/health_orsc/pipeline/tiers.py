"""Tiers by number of refusing models, and what selection on a model's own replies does to its rate.

An item's tier is read off the count r of models that refuse it. With u replies that cannot be read the count lies from r
to r + u: the tier is undecided unless every count in between falls in one tier.

A model that helped to define a tier is then scored on items chosen by its own replies. Beside its rate on a tier stands
its rate on the tier made by the other models with the same bounds; the difference is the selection effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.benchmarks.health_orsc.pipeline.terms import OUTSIDE_TIERS, UNDECIDED_TIER
from equipoise.statistics.bootstrap import bootstrap
from equipoise.statistics.estimate import Estimate, undefined
from equipoise.statistics.proportions import wilson

Bounds = Mapping[str, tuple[int, int]]
"""Fewest and most refusing models by tier, both included."""

STATEMENT = (
    "Items of a tier were chosen because so many of these models refused them. A refusal rate on a tier is conditional on"
    " that choice: it says nothing on how often a model refuses health questions, and a model among those that"
    " chose is scored on its own replies."
)
"""Stands wherever a rate on a tier is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The selection effect of one model on one tier.

    Attributes:
        model: the model.
        tier: the tier.
        with_itself: its refusal rate on items of the tier made by all models.
        without_itself: its refusal rate on items of the tier made by the others, with the same bounds.
        difference: the first minus the second, families drawn together.
    """

    model: str
    tier: str
    with_itself: Estimate
    without_itself: Estimate
    difference: Estimate

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "model": self.model,
            "tier": self.tier,
            "with_itself": self.with_itself.to_dict(),
            "without_itself": self.without_itself.to_dict(),
            "difference": self.difference.to_dict(),
        }


def tier_of(refused: int, unreadable: int, bounds: Bounds) -> str:
    """The tier of an item: a name, "undecided", or "outside".

    Args:
        refused: models that refuse it.
        unreadable: models whose reply cannot be read.
        bounds: the tiers.
    """
    found = possible_tiers(refused, unreadable, bounds)
    return found.pop() if len(found) == 1 else UNDECIDED_TIER


def possible_tiers(refused: int, unreadable: int, bounds: Bounds) -> set[str]:
    """Every tier an item could be in, whatever the unreadable replies would have said.

    Args:
        refused: models that refuse it.
        unreadable: models whose reply cannot be read.
        bounds: the tiers.
    """
    return {_tier(count, bounds) for count in range(refused, refused + unreadable + 1)}


def _tier(count: int, bounds: Bounds) -> str:
    return next((name for name, (low, high) in bounds.items() if low <= count <= high), OUTSIDE_TIERS)


def selection_effects(
    refused: NDArray[np.float64], models: Sequence[str], families: Sequence[str], bounds: Bounds, *, seed: int
) -> list[Effect]:
    """The selection effect of every model on every tier.

    Args:
        refused: shape (items, models): 1 refused, 0 not, NaN for a reply that cannot be read.
        models: names of the models.
        families: family of each item.
        bounds: the tiers.
        seed: seed of the intervals.

    Returns:
        By tier, then model. A rate is undefined on a tier without items; the difference has no interval when all items
        of the two tiers are of one family. Items whose tier is undecided, and replies that cannot be read, are left out.
    """
    counts, unread = np.nansum(refused, axis=1), np.isnan(refused).sum(axis=1)
    together = np.array([tier_of(int(r), int(u), bounds) for r, u in zip(counts, unread, strict=True)], dtype=object)
    result = []
    for name in bounds:
        for place, model in enumerate(models):
            own = refused[:, place]
            read = ~np.isnan(own)
            others = np.array(
                [
                    tier_of(int(r - (own[item] == 1)), int(u - (not read[item])), bounds)
                    for item, (r, u) in enumerate(zip(counts, unread, strict=True))
                ],
                dtype=object,
            )
            result.append(
                _effect(
                    model, name, own, read, together == name, others == name, np.asarray(families, dtype=object), seed
                )
            )
    return result


def _effect(
    model: str,
    tier: str,
    own: NDArray[np.float64],
    read: NDArray[np.bool_],
    inside: NDArray[np.bool_],
    inside_others: NDArray[np.bool_],
    families: NDArray[Any],
    seed: int,
) -> Effect:
    value = np.where(read, own, 0.0)
    first, second = inside & read, inside_others & read
    rows = np.column_stack([first, first * value, second, second * value]).astype(np.float64)
    entered = first | second

    def statistic(totals: NDArray[np.float64]) -> NDArray[np.float64]:
        return _over(totals[:, 1], totals[:, 0]) - _over(totals[:, 3], totals[:, 2])

    if not first.any() or not second.any():
        difference = undefined("a tier without items that can be read", n_used=int(entered.sum()))
    elif len(set(families[entered])) < 2:
        difference = undefined("all items are of one family", n_used=int(entered.sum()))
    else:
        difference = bootstrap(
            rows[entered], statistic, rng=np.random.default_rng(seed), clusters=families[entered], resamples=2000
        )
    return Effect(
        model=model,
        tier=tier,
        with_itself=_rate(value, first, inside),
        without_itself=_rate(value, second, inside_others),
        difference=difference,
    )


def _rate(value: NDArray[np.float64], used: NDArray[np.bool_], inside: NDArray[np.bool_]) -> Estimate:
    left = int((inside & ~used).sum())
    return wilson(
        int(value[used].sum()),
        int(used.sum()),
        n_left_out=left,
        why_left_out="replies that cannot be read" if left else "",
    )


def _over(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    result = np.full(above.shape, np.nan)
    np.divide(above, below, out=result, where=below > 0)
    return result
