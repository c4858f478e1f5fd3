"""What an entry of the trail is, and how the chain of hashes runs through it."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from equipoise.ids import canonical_json

START = "0" * 64
"""What stands before the first entry."""

SALT_BYTES = 16


class Kind(StrEnum):
    """What an entry records."""

    AUDIT = "audit"
    FEEDBACK = "feedback"
    ACCESS = "access"
    DELETION = "deletion"


@dataclass(frozen=True, slots=True)
class Payload:
    """The part of an entry that holds patient data and can be taken away.

    Attributes:
        case: the case as audited, as JSON.
        verdicts: the verdicts as given, as JSON; a replay has to give these bytes again.
        more: what was asked, id of the case, cards or feedback, as JSON.
    """

    case: bytes = b""
    verdicts: bytes = b""
    more: bytes = b""

    def digest(self, salt: bytes) -> str:
        """What stands for it in the chain. The salt goes with the payload, so that nobody can guess it back from the digest."""
        parts = b"".join(hashlib.sha256(part).digest() for part in (self.case, self.verdicts, self.more))
        return hashlib.sha256(salt + parts).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An entry before it has its place.

    Attributes:
        kind: what it records.
        at: when, ISO 8601 in UTC.
        caller: id of the key, or who ran the command.
        request: id of the request.
        subject: pseudonym of the case; empty when none.
        facts: versions, hashes, labels, reasons: never patient data, since they stay.
        payload: what can be taken away; None when there is nothing.
        salt: random bits of the digest.
    """

    kind: Kind
    at: str
    caller: str
    request: str = ""
    subject: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    payload: Payload | None = None
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(SALT_BYTES))

    def header(self, seq: int) -> str:
        """The part of the entry that stays, as canonical JSON; the chain runs over this text."""
        return canonical_json(
            {
                "seq": seq,
                "at": self.at,
                "kind": self.kind.value,
                "caller": self.caller,
                "request": self.request,
                "subject": self.subject,
                "facts": dict(self.facts),
                "payload": self.payload.digest(self.salt) if self.payload is not None else "",
            }
        )


@dataclass(frozen=True, slots=True)
class Receipt:
    """Where an entry stands: a caller that keeps it can show later that the trail was not rewritten.

    Attributes:
        seq: its number, from 1.
        hash: hash of the chain up to it.
    """

    seq: int
    hash: str

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {"seq": self.seq, "hash": self.hash}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry as it is kept.

    Attributes:
        seq: its number.
        header: the part that stays, as the chain hashed it.
        fields: the same, read.
        hash: hash of the chain up to it.
        payload: what can be taken away; None when there is none or it was taken.
        salt: of the payload's digest.
        deleted_by: number of the entry that records the deletion; 0 while nothing was deleted.
    """

    seq: int
    header: str
    fields: Mapping[str, Any]
    hash: str
    payload: Payload | None = None
    salt: bytes = b""
    deleted_by: int = 0


def chained(previous: str, header: str) -> str:
    """Hash of the chain after an entry."""
    return hashlib.sha256(f"{previous}\n{header}".encode()).hexdigest()


def ranges(numbers: list[int]) -> list[list[int]]:
    """Sorted numbers as [first, last] of each unbroken run."""
    found: list[list[int]] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found
