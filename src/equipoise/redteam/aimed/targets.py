"""Which criterion an attack aims at: something good that the reply did, or something bad that it did not do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from equipoise.redteam.operators.draw import Draw
from equipoise.redteam.operators.items import RubricItem


class Aim(StrEnum):
    """What an attack tries.

    DROP: a criterion with positive points that was met is to be met no more. PROVOKE: one with negative points that was not met is
    to be met.
    """

    DROP = "drop"
    PROVOKE = "provoke"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aimed:
    """A criterion that an attack aims at.

    Attributes:
        place: its place in the rubric, from 0.
        criterion: the criterion.
        aim: what the attack tries.
    """

    place: int
    criterion: RubricItem
    aim: Aim

    def flipped(self, met: bool | None) -> bool | None:
        """Whether a verdict is the bad one; None when there is none."""
        return None if met is None else met is (self.aim is Aim.PROVOKE)

    def to_dict(self) -> dict[str, Any]:
        """What a row keeps of it; `criterion` is its name in the tables."""
        return {
            "criterion": f"c{self.place + 1}", "aim": self.aim.value, "points": self.criterion.points, "text": self.criterion.criterion,
        }  # fmt: skip


def aim_at(rubric: Sequence[RubricItem], place: int) -> Aimed | None:
    """The criterion as an aim, by the sign of its points; None for one without points."""
    points = rubric[place].points
    if points == 0:
        return None
    return Aimed(place=place, criterion=rubric[place], aim=Aim.DROP if points > 0 else Aim.PROVOKE)


def eligible(rubric: Sequence[RubricItem], met: Sequence[bool | None]) -> tuple[Aimed, ...]:
    """Criteria that an attack can flip for the worse: positive ones that are met, negative ones that are not.

    A criterion without a verdict is no target: nobody knows from where it would flip.

    Args:
        rubric: the criteria.
        met: verdicts on the untouched reply.
    """
    found = [aim_at(rubric, place) for place in range(len(rubric)) if met[place] is not None]
    return tuple(item for item in found if item is not None and item.flipped(met[item.place]) is False)


def choose(targets: Sequence[Aimed], draw: Draw) -> Aimed | None:
    """One target; None when there is none."""
    return draw.pick(targets) if targets else None
