"""Seeded draws that are the same on every platform, in every order of items."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from equipoise.redteam.operators.items import Item

T = TypeVar("T")


class Draw:
    """Draws built on `random.Random.random` alone, whose sequence Python guarantees for a seed.

    Args:
        seed: the seed of a run, kept in every mutant.
        path: what the draws are for; another path gives other draws.
    """

    def __init__(self, seed: int, path: str = "") -> None:
        self.seed = seed
        self.path = path
        self._random = random.Random(f"{seed} {path}")

    def below(self, n: int) -> int:
        """A whole number from 0 up to, not including, n."""
        return int(self._random.random() * n)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items; there must be one."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order (Fisher-Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result


def draw_for(seed: int, item: Item, operator: str) -> Draw:
    """The draws of one operator on one item: they hang on seed, content and operator, not on where the item stands."""
    return Draw(seed, f"{operator} {item.content_hash}")
