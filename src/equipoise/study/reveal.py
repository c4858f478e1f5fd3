"""When agreement may be seen: not while anybody still labels, unless it is unblinded, which is written down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from equipoise.errors import UsageError
from equipoise.study.progress import progress
from equipoise.study.store import Store

UNBLIND, LOOK = "unblind", "look"
"""Entries of the log: an unblinding with its reason, and a look at the agreement while raters still label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unblinding:
    """An unblinding as the log has it.

    Attributes:
        at: ISO date and time.
        actor: who did it.
        reason: why.
    """

    at: str
    actor: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveal:
    """Whether agreement may be seen now.

    Attributes:
        shown: whether it may.
        why: why not, in words; empty when it may because all raters have finished.
        left: items still to be finished by rater.
        unblinded: unblindings, the first one first.
    """

    shown: bool
    why: str
    left: Mapping[str, int]
    unblinded: tuple[Unblinding, ...]


def unfinished(store: Store) -> dict[str, int]:
    """Items that are neither complete nor skipped, by rater; a rater who is done is not in it.

    Under the stopping rule `labels` a rater is done with that many finished items.
    """
    return {row.code: row.left for row in progress(store) if row.left}


def reveal(store: Store) -> Reveal:
    """Whether agreement may be seen now, in the browser: when the protocol allows it, or after an unblinding."""
    left = unfinished(store)
    with store.reading() as connection:
        found = tuple(
            Unblinding(at=row["at"], actor=row["actor"], reason=str(json.loads(row["detail"])["reason"]))
            for row in store.rows(connection, "log", what=UNBLIND)
        )
    why = _why_not(store, left)
    return Reveal(shown=not why or bool(found), why=why, left=left, unblinded=found)


def unblind(store: Store, *, reason: str, at: str, actor: str) -> None:
    """Lets agreement be seen from now on, for a reason that is logged with who still labels.

    Raises:
        UsageError: no reason.
    """
    if not reason.strip():
        message = "expected the reason of the unblinding; it is written into the study's log"
        raise UsageError(message, field="reason")
    left = unfinished(store)
    with store.transaction() as connection:
        store.log(connection, at=at, actor=actor, what=UNBLIND, detail={"reason": reason, "unfinished": left})


def note_look(store: Store, *, at: str, actor: str) -> None:
    """Writes down a look at the agreement, if raters still label: how often it was looked at belongs in a report."""
    left = unfinished(store)
    if left:
        with store.transaction() as connection:
            store.log(connection, at=at, actor=actor, what=LOOK, detail={"unfinished": left})


def require_revealed(store: Store, *, at: str, unblind: str = "") -> None:
    """Lets agreement be seen if the protocol allows it now, or if it is unblinded with a reason, which is logged.

    Raises:
        UsageError: it may not be seen yet.
    """
    left = unfinished(store)
    why = _why_not(store, left)
    if not why:
        return
    if unblind.strip():
        with store.transaction() as connection:
            detail = {"reason": unblind, "unfinished": left}
            store.log(connection, at=at, actor="coordinator", what=UNBLIND, detail=detail)
        return
    message = f"{why}; export the labels, or see it now with --unblind REASON, which is written into the study's log"
    raise UsageError(message)


def _why_not(store: Store, left: Mapping[str, int]) -> str:
    if store.protocol.reveal == "never":
        return "the protocol never shows agreement here"
    if left:
        told = ", ".join(f"{rater} {count}" for rater, count in left.items())
        return f"raters still have items to label ({told})"
    return ""
