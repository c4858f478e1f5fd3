"""The results of the statistics: an estimate with its interval, a test with its p value.

Every result is frozen, says how it was made, how many items entered and how many did not and why, and has a JSON form
in which nothing is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np


class Result:
    """Base of all results: the JSON form."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, in the order of the attributes; undefined numbers are null."""
        return {item.name: plain(getattr(self, item.name)) for item in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Result):
    """A number with its interval.

    Attributes:
        estimate: the point estimate; None when undefined.
        low: lower end of the interval; None when undefined.
        high: upper end.
        method: how the interval was made, with its level; why it is undefined when it is.
        n_used: items that entered.
        n_left_out: items that could not enter, such as failed replies.
        why_left_out: why they could not.
        warnings: what a reader must know before using the interval.

    Raises:
        ValueError: a number is NaN or infinite.
    """

    estimate: float | None
    low: float | None
    high: float | None
    method: str
    n_used: int
    n_left_out: int = 0
    why_left_out: str = ""
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _require_finite(self, "estimate", "low", "high")

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval; None when undefined."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def covers(self, value: float) -> bool:
        """Whether the interval holds the value; False when there is no interval."""
        return self.low is not None and self.high is not None and self.low <= value <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisTest(Result):
    """A test of a hypothesis of no difference.

    Attributes:
        p_value: chance of a result at least as extreme if there is no difference; None when undefined.
        statistic: the test statistic; None when the test has none.
        method: which test, one or two sides, exact or approximate.
        n_used: items (pairs, votes) that entered.
        n_left_out: items that could not enter.
        why_left_out: why they could not.
        effect: the difference the test is about, with its interval; None when not asked for.
        smallest_p: the smallest p value the design can give; None when it has no such floor.
        details: further numbers by name.
        warnings: what a reader must know before using the p value.

    Raises:
        ValueError: a number is NaN or infinite.
    """

    p_value: float | None
    statistic: float | None
    method: str
    n_used: int
    n_left_out: int = 0
    why_left_out: str = ""
    effect: Estimate | None = None
    smallest_p: float | None = None
    details: Mapping[str, float | int | None] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _require_finite(self, "p_value", "statistic", "smallest_p")


def undefined(reason: str, *, n_used: int = 0, n_left_out: int = 0, why_left_out: str = "") -> Estimate:
    """An estimate that does not exist, with the reason as its method."""
    return Estimate(
        estimate=None,
        low=None,
        high=None,
        method=f"undefined: {reason}",
        n_used=n_used,
        n_left_out=n_left_out,
        why_left_out=why_left_out,
    )


def plain(value: Any) -> Any:
    """The value in types that JSON has: results become objects, tuples lists, NaN and infinity null."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return [plain(item) for item in items]
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    message = f"a {type(value).__name__} has no JSON form"
    raise TypeError(message)


def check_level(level: float) -> None:
    """Refuses a coverage outside (0, 1)."""
    if not 0 < level < 1:
        message = f"level must lie between 0 and 1, found {level}"
        raise ValueError(message)


def _require_finite(result: Any, *names: str) -> None:
    for name in names:
        value = getattr(result, name)
        if value is not None and not math.isfinite(value):
            message = f"{name} must be a finite number or None, found {value}"
            raise ValueError(message)
