"""Questions about one rater's queue that are answered without reading it whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise._optional import require
from equipoise.ids import canonical_json
from equipoise.study.database import EXTRA
from equipoise.study.history import EventKind, Standing
from equipoise.study.store import Store

FINISHED = (str(Standing.COMPLETE), str(Standing.SKIPPED))


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """The items beside one item of a queue.

    Attributes:
        before: random id of the item before; None at the first.
        after: random id of the item after; None at the last.
    """

    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One item of a queue, in a list.

    Attributes:
        public: random id.
        place: place in the queue, from 1.
        standing: where it stands.
        at: time of the last change; empty without one.
        locked: whether it is final.
    """

    public: str
    place: int
    standing: Standing
    at: str
    locked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a rater is.

    Attributes:
        total: items of the queue.
        done: items complete or skipped.
        locked: items that are final.
        ended: whether the end that the protocol fixed is reached.
    """

    total: int
    done: int
    locked: int
    ended: bool


def neighbours(store: Store, rater: str, place: int) -> Neighbours:
    """The items before and after a place of a queue.

    Args:
        store: the study.
        rater: code.
        place: place in the queue, from 1, counted as raters see it.
    """
    sa, given = require("sqlalchemy", extra=EXTRA), store.tables["assignments"]
    start = max(0, place - 2)
    query = sa.select(given.c.public).where(_own(store, rater)).order_by(given.c.position).offset(start).limit(3)
    with store.reading() as connection:
        found = list(connection.execute(query).scalars())
    own = place - 1 - start
    return Neighbours(before=found[own - 1] if own else None, after=found[own + 1] if own + 1 < len(found) else None)


def last_changed(store: Store, rater: str, *, most: int) -> tuple[Entry, ...]:
    """The items that the rater changed last, the last one first; locked ones are left out."""
    found = _entries(store, rater, by_change=True, offset=0, most=most)
    return tuple(found)


def changed(store: Store, rater: str, *, offset: int, most: int) -> tuple[Entry, ...]:
    """Items that the rater has touched, in the order of the queue; locked ones are with them."""
    return tuple(_entries(store, rater, by_change=False, offset=offset, most=most))


def progress(store: Store, rater: str) -> Progress:
    """How far a rater is."""
    sa, given = require("sqlalchemy", extra=EXTRA), store.tables["assignments"]
    finished = sa.case((given.c.standing.in_(FINISHED), 1), else_=0)
    with store.reading() as connection:
        total, done = connection.execute(
            sa.select(sa.func.count(), sa.func.sum(finished)).where(_own(store, rater))
        ).one()
        locked = connection.execute(
            sa.select(sa.func.count()).select_from(given).where(_own(store, rater), _locked(store))
        ).scalar()
    wanted, done = store.protocol.stopping.labels, int(done or 0)
    ended = total > 0 and (done >= total or (wanted is not None and done >= wanted))
    return Progress(total=int(total), done=done, locked=int(locked or 0), ended=ended)


def press_number(store: Store, rater: str, public: str, press: str) -> int | None:
    """Number of the event that a press made in the history of an item; None when it made none."""
    sa, given, events = require("sqlalchemy", extra=EXTRA), store.tables["assignments"], store.tables["events"]
    query = (
        sa.select(events.c.number)
        .join(given, given.c.id == events.c.assignment)
        .where(_own(store, rater), given.c.public == public, events.c.press == press)
    )
    with store.reading() as connection:
        number = connection.execute(query).scalar()
    return None if number is None else int(number)


def lock_all(store: Store, rater: str, *, press: str, at: str) -> int:
    """Makes all finished items of a rater final, together or not at all. A press that is sent twice counts once.

    Returns:
        Number of items that were made final by this call.
    """
    sa, given, events = require("sqlalchemy", extra=EXTRA), store.tables["assignments"], store.tables["events"]
    last = sa.select(sa.func.coalesce(sa.func.max(events.c.number), 0)).where(events.c.assignment == given.c.id)
    query = sa.select(given.c.id, last.scalar_subquery()).where(
        _own(store, rater), given.c.standing.in_(FINISHED), ~_locked(store)
    )
    empty: Mapping[str, Any] = {
        "kind": str(EventKind.LOCK), "answers": canonical_json({}), "comment": "", "reason": "", "at": at,
        "seconds": None, "press": press, "protocol": store.protocol.hash,
    }  # fmt: skip
    with store.transaction() as connection:
        found = connection.execute(query).all()
        store.add(connection, "events", [{**empty, "assignment": number, "number": end + 1} for number, end in found])
    return len(found)


def _own(store: Store, rater: str) -> Any:
    sa, given, people = require("sqlalchemy", extra=EXTRA), store.tables["assignments"], store.tables["raters"]
    known = sa.select(people.c.id).where(people.c.code == rater).scalar_subquery()
    return sa.and_(given.c.rater == known, given.c.purpose.not_in(("import", "third")))


def _locked(store: Store) -> Any:
    """Whether the last lock or reopening of an assignment is a lock."""
    sa, given, events = require("sqlalchemy", extra=EXTRA), store.tables["assignments"], store.tables["events"]
    kind = (
        sa.select(events.c.kind)
        .where(events.c.assignment == given.c.id, events.c.kind.in_((str(EventKind.LOCK), str(EventKind.REOPEN))))
        .order_by(events.c.number.desc())
        .limit(1)
        .scalar_subquery()
    )
    return sa.func.coalesce(kind, "") == str(EventKind.LOCK)


def _entries(store: Store, rater: str, *, by_change: bool, offset: int, most: int) -> list[Entry]:
    sa, given, events = require("sqlalchemy", extra=EXTRA), store.tables["assignments"], store.tables["events"]
    other = given.alias()
    place = (
        sa.select(sa.func.count())
        .where(other.c.rater == given.c.rater, other.c.purpose.not_in(("import", "third")))
        .where(other.c.position <= given.c.position)
        .correlate(given)
        .scalar_subquery()
    )
    end = (
        sa.select(sa.func.max(events.c.id)).where(events.c.assignment == given.c.id).correlate(given).scalar_subquery()
    )
    at = (
        sa.select(events.c.at)
        .where(events.c.assignment == given.c.id)
        .order_by(events.c.number.desc())
        .limit(1)
        .correlate(given)
        .scalar_subquery()
    )
    locked = sa.case((_locked(store), 1), else_=0)
    query = sa.select(given.c.public, place, given.c.standing, at, locked).where(_own(store, rater), end.is_not(None))
    query = query.where(~_locked(store)).order_by(end.desc()) if by_change else query.order_by(given.c.position)
    with store.reading() as connection:
        found = connection.execute(query.offset(offset).limit(most)).all()
    return [
        Entry(public=public, place=int(number), standing=Standing(standing), at=when or "", locked=bool(final))
        for public, number, standing, when, final in found
    ]
