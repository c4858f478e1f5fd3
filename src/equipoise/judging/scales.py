"""A scale: the values a judge may give, in order, each with its definition and points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from equipoise.ids import content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleValue:
    """One value of a scale.

    Attributes:
        value: as it stands in the tables; an integer is written in digits.
        definition: when it is given; empty between the defined ends of a long scale.
        points: points in the scale's own unit; None without any.
    """

    value: str
    definition: str
    points: float | None = None


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The values a judge may give.

    Attributes:
        id: identifier; two scales with the same words and other ranges have other identifiers.
        values: the values, from the lowest to the highest where the scale is ordered.
        ordered: whether the order means more or less of one thing; only then there is a median.
        integers: whether the values are whole numbers.
    """

    id: str
    values: tuple[ScaleValue, ...]
    ordered: bool
    integers: bool = False

    @cached_property
    def by_value(self) -> Mapping[str, ScaleValue]:
        """The values by name."""
        return {item.value: item for item in self.values}

    @cached_property
    def ranks(self) -> Mapping[str, int]:
        """Place of each value in the order, from 0."""
        return {item.value: place for place, item in enumerate(self.values)}

    @cached_property
    def hash(self) -> str:
        """Content hash of the scale: identifier, values, definitions, points, order."""
        return content_hash(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The scale as plain JSON values."""
        return {
            "id": self.id,
            "ordered": self.ordered,
            "integers": self.integers,
            "values": [[item.value, item.definition, item.points] for item in self.values],
        }
