"""The result of every estimate with an interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its interval.

    Attributes:
        estimate: the point estimate; None when undefined.
        low: lower end of the interval; None when undefined.
        high: upper end.
        method: how the interval was made, with its level; why it is undefined when it is.
        n_used: items that entered.
        n_left_out: items that could not enter, such as failed replies.
    """

    estimate: float | None
    low: float | None
    high: float | None
    method: str
    n_used: int
    n_left_out: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; undefined numbers are null."""
        return {
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "method": self.method,
            "n_used": self.n_used,
            "n_left_out": self.n_left_out,
        }
