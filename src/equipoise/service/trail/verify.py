"""Whether the trail still says what it said: every hash is made again, every payload held against its digest."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from equipoise.service.trail.entries import START, Entry, Kind, Receipt, chained
from equipoise.service.trail.store import Trail

MOST_PROBLEMS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What a check found.

    Attributes:
        entries: number of entries.
        payloads: of them, those whose payload is there.
        deleted: of them, those whose payload was taken away and has its tombstone.
        head: the last entry; keep it elsewhere, since a trail that lost its end is whole in itself.
        problems: what is wrong, one sentence each, the first hundred.
    """

    entries: int
    payloads: int
    deleted: int
    head: Receipt
    problems: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "entries": self.entries,
            "payloads": self.payloads,
            "deleted": self.deleted,
            "head": self.head.to_dict(),
            "problems": list(self.problems),
        }


def verify(trail: Trail, *, known: tuple[Receipt, ...] = ()) -> Verified:
    """Check the whole trail.

    Args:
        trail: the trail.
        known: receipts that were kept elsewhere; each has to be found as it is.
    """
    problems: list[str] = []
    payloads = deleted = count = 0
    head, place = START, 0
    wanted = {receipt.seq: receipt.hash for receipt in known}
    deletions: dict[int, list[list[int]]] = {}
    tombstones: list[tuple[int, int]] = []
    for entry in trail.entries():
        count += 1
        for problem in _of_entry(entry, place + 1, head):
            problems.append(problem)
        head, place = entry.hash, entry.seq
        if entry.seq in wanted and not hmac.compare_digest(wanted.pop(entry.seq), entry.hash):
            problems.append(f"entry {entry.seq}: its hash is not the one of the receipt")
        payloads += entry.payload is not None
        if entry.deleted_by:
            deleted += 1
            tombstones.append((entry.seq, entry.deleted_by))
        if entry.fields.get("kind") == Kind.DELETION:
            deletions[entry.seq] = entry.fields.get("facts", {}).get("entries", [])
    problems += [
        f"entry {seq}: its tombstone names entry {by}, which records no deletion of it"
        for seq, by in tombstones
        if not any(first <= seq <= last for first, last in deletions.get(by, []))
    ]
    problems += [f"entry {seq}: there is a receipt for it, and it is not there" for seq in sorted(wanted)]
    return Verified(
        entries=count,
        payloads=payloads,
        deleted=deleted,
        head=Receipt(place, head),
        problems=tuple(problems[:MOST_PROBLEMS]),
    )


def _of_entry(entry: Entry, expected: int, previous: str) -> Iterator[str]:
    if entry.seq != expected:
        yield f"entry {expected}: it is missing; entry {entry.seq} follows"
    elif chained(previous, entry.header) != entry.hash:
        yield f"entry {entry.seq}: the chain breaks here; this entry or the one before it was changed"
    if entry.fields.get("seq") != entry.seq:
        yield f"entry {entry.seq}: it says that it is entry {entry.fields.get('seq')}"
    digest = str(entry.fields.get("payload", ""))
    if entry.payload is not None:
        if entry.deleted_by:
            yield f"entry {entry.seq}: it has a tombstone, and its payload is still there"
        if entry.payload.digest(entry.salt) != digest:
            yield f"entry {entry.seq}: its payload was changed"
    elif digest and not entry.deleted_by:
        yield f"entry {entry.seq}: its payload is gone without a tombstone"
