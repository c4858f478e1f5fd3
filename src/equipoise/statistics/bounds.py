"""What a rate can be when labels are wrong or replies could not be read: bounds without a model."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.statistics.estimate import Estimate, Result
from equipoise.statistics.proportions import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds(Result):
    """A rate with the smallest and largest value it can have.

    Attributes:
        rate: the rate among what could be used, with its sampling interval.
        low: smallest rate possible; None when nothing can be said.
        high: largest.
        assumption: what the bounds take for granted.
        low_with_sampling: lower bound at the lower end of the sampling interval.
        high_with_sampling: upper bound at its upper end.
    """

    rate: Estimate
    low: float | None
    high: float | None
    assumption: str
    low_with_sampling: float | None
    high_with_sampling: float | None


def missing_reply_bounds(
    events: int,
    n_read: int,
    n_failed: int,
    *,
    why: str = "empty, blocked, truncated, unparsed or failed",
    level: float = 0.95,
) -> Bounds:
    """Best and worst rate over all replies when some could not be read.

    low = events / (n_read + n_failed), high = (events + n_failed) / (n_read + n_failed): none or all of the failed ones
    would have shown the event. With sampling: Wilson ends of both.

    Args:
        events: events among the replies that were read.
        n_read: replies read.
        n_failed: replies that could not be read.
        why: their states.
        level: coverage of the sampling interval.

    Returns:
        Bounds in [0, 1]; None without replies.

    Raises:
        ValueError: counts out of range.

    References:
        Horowitz JL, Manski CF. J Am Stat Assoc 2000;95:77-84. doi:10.1080/01621459.2000.10473902
    """
    rate = wilson(events, n_read, level=level, n_left_out=n_failed, why_left_out=why if n_failed else "")
    worst, best = (
        wilson(events + n_failed, n_read + n_failed, level=level),
        wilson(events, n_read + n_failed, level=level),
    )
    return Bounds(
        rate=rate,
        low=best.estimate,
        high=worst.estimate,
        assumption="a reply that could not be read may or may not have shown the event",
        low_with_sampling=best.low,
        high_with_sampling=worst.high,
    )


def label_validity_bounds(
    events: int, n: int, valid_share: float, *, level: float = 0.95, rate: Estimate | None = None
) -> Bounds:
    """Range of the true rate when only a share of the reference labels is right.

    With share pi of the items truly of the kind they are labelled, an observed rate r lies between
    max(0, (r - (1 - pi)) / pi) and min(1, r / pi): events may sit on the wrongly labelled items or not.

    Args:
        events: events among the labelled items.
        n: labelled items.
        valid_share: share of them whose label is right, above 0, at most 1.
        level: coverage of the sampling interval.
        rate: the same rate with an interval that knows of clusters; Wilson on independent items otherwise.

    Returns:
        Bounds in [0, 1]; None without items.

    Raises:
        ValueError: counts or share out of range.

    References:
        Horowitz JL, Manski CF. Econometrica 1995;63:281-302. doi:10.2307/2951627 (corrupted samples)
    """
    if not 0 < valid_share <= 1:
        message = f"valid_share must lie above 0 and at most 1, found {valid_share}"
        raise ValueError(message)
    rate = wilson(events, n, level=level) if rate is None else rate

    def low(value: float | None) -> float | None:
        return None if value is None else max(0.0, (value - (1 - valid_share)) / valid_share)

    def high(value: float | None) -> float | None:
        return None if value is None else min(1.0, value / valid_share)

    return Bounds(
        rate=rate,
        low=low(rate.estimate),
        high=high(rate.estimate),
        assumption=f"{valid_share:.1%} of the labels are right; which ones is not known",
        low_with_sampling=low(rate.low),
        high_with_sampling=high(rate.high),
    )
