"""Who can ask that payloads go: a period of retention, or a single case."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from equipoise.errors import UsageError
from equipoise.service.trail.entries import Receipt
from equipoise.service.trail.store import Trail


@dataclass(frozen=True, slots=True)
class Deleted:
    """What was taken away.

    Attributes:
        count: number of payloads.
        receipt: where the deletion is recorded; None when there was nothing.
    """

    count: int
    receipt: Receipt | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {"deleted": self.count, "recorded": self.receipt.to_dict() if self.receipt else None}


def retain(trail: Trail, *, days: int, now: dt.datetime, caller: str) -> Deleted:
    """Take away the payloads of entries that are older than a period.

    Args:
        trail: the trail.
        days: length of the period, 1 or more.
        now: the moment from which it is counted back.
        caller: who asks.

    Raises:
        UsageError: the period is shorter than a day.
    """
    if days < 1:
        message = f"expected a period of 1 day or more, got {days}"
        raise UsageError(message, field="--days")
    before = (now - dt.timedelta(days=days)).isoformat()
    seqs = [entry.seq for entry in trail.entries(before=before, payloads=False)]
    return _delete(trail, seqs, now, caller, f"retention: older than {days} days")


def delete_subject(trail: Trail, subject: str, *, now: dt.datetime, caller: str, reason: str) -> Deleted:
    """Take away the payloads of every entry of one case.

    Args:
        trail: the trail.
        subject: pseudonym of the case.
        now: the moment.
        caller: who asks.
        reason: why; stays on the trail.
    """
    seqs = [entry.seq for entry in trail.entries(subject=subject, payloads=False)] if subject else []
    return _delete(trail, seqs, now, caller, reason)


def delete_entries(trail: Trail, seqs: list[int], *, now: dt.datetime, caller: str, reason: str) -> Deleted:
    """Take away the payloads of named entries."""
    return _delete(trail, seqs, now, caller, reason)


def _delete(trail: Trail, seqs: list[int], now: dt.datetime, caller: str, reason: str) -> Deleted:
    receipt = trail.delete_payloads(seqs, at=now.isoformat(), caller=caller, reason=reason)
    if receipt is None:
        return Deleted(0, None)
    return Deleted(int(trail.entry(receipt.seq).fields["facts"]["count"]), receipt)
