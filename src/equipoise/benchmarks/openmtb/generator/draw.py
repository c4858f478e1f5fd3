"""Random draws that give the same result on every platform and Python version."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Draws built on `random.Random.random` alone, whose sequence Python guarantees for a seed.

    Args:
        seed: an integer or text.
    """

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self._random.random() < probability

    def whole(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self._random.random() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.whole(0, len(items) - 1)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order (Fisher-Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.whole(0, last)
            result[last], result[other] = result[other], result[last]
        return result

    def number(self) -> float:
        """A number from 0 up to, not including, 1."""
        return self._random.random()
