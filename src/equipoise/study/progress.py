"""How far a study is, counted in the database: progress, pace by day, attention checks. No label of anybody is in it.

It reads the standing that every event writes, not the histories, so that it stays quick in a large study.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equipoise._optional import require
from equipoise.study import database
from equipoise.study.course import Attention
from equipoise.study.history import EventKind, Standing
from equipoise.study.store import Store

WORK: frozenset[str] = frozenset({"main", "repeat", "attention"})
"""Purposes that must be finished."""
LONGEST_SECONDS = 600.0
"""Seconds that an item counts for at most on one day: a window left open is no work."""
DAYS = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterProgress:
    """How far one person of the study is.

    Attributes:
        code: code.
        role: "rater", "adjudicator" or "coordinator".
        forgotten: whether the personal data were deleted.
        given: items to label, attention items and repeats among them; no training, no imported label.
        complete: items with all answers that are needed.
        skipped: items skipped with a reason.
        partial: items answered in part.
        open: items without an answer.
        locked: items that are final.
        training: training items, all of them.
        trained: training items finished.
        imported: labels that came from a file.
        thirds: disagreements handed to this person.
        left: items that are still to be finished, under the stopping rule.
    """

    code: str
    role: str
    forgotten: bool
    given: int
    complete: int
    skipped: int
    partial: int
    open: int
    locked: int
    training: int
    trained: int
    imported: int
    thirds: int
    left: int

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do; true for a person without items."""
        return self.left == 0

    @property
    def shut(self) -> bool:
        """Whether everything is done and everything done is locked. Who was forgotten labels no more."""
        return self.forgotten or (self.finished and self.locked == self.complete + self.skipped)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayOfWork:
    """What one rater did on one day.

    Attributes:
        rater: code.
        day: ISO date, in the time zone of the stored times (UTC).
        items: items answered or skipped on that day; one that is changed on two days counts on both.
        minutes: minutes on them, as the pages timed it, at most ten an item; 0 when nothing was timed.
    """

    rater: str
    day: str
    items: int
    minutes: float


def progress(store: Store) -> tuple[RaterProgress, ...]:
    """Everybody's progress, in the order in which they came."""
    sa, known = require("sqlalchemy", extra=database.EXTRA), database.tables().tables
    given, events = known["assignments"].c, known["events"].c
    by_standing = sa.select(given.rater, given.purpose, given.standing, sa.func.count()).group_by(
        given.rater, given.purpose, given.standing
    )
    sign = sa.case((events.kind == str(EventKind.LOCK), 1), else_=-1)
    by_lock = (
        sa.select(given.rater, sa.func.sum(sign))
        .join_from(known["events"], known["assignments"], given.id == events.assignment)
        .where(events.kind.in_((str(EventKind.LOCK), str(EventKind.REOPEN))), given.purpose.in_(sorted(WORK)))
        .group_by(given.rater)
    )
    counts: defaultdict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    with store.reading() as connection:
        people = store.rows(connection, "raters")
        for rater, purpose, standing, count in connection.execute(by_standing):
            counts[rater][purpose, standing] += count
        locked = {rater: int(count) for rater, count in connection.execute(by_lock)}
    return tuple(_person(store, row, counts[row["id"]], locked.get(row["id"], 0)) for row in people)


def locked_by_all(rows: Sequence[RaterProgress]) -> bool:
    """Whether every rater has finished and locked what he or she finished, so that nobody can be led by another's label."""
    return all(row.shut for row in rows)


def pace(store: Store, *, as_of: str, days: int = DAYS) -> tuple[DayOfWork, ...]:
    """Items and minutes by rater and day, by code and then by day. It says how a study goes, not who is quicker.

    Args:
        store: the study.
        as_of: ISO date of the last day.
        days: how many days, the last one included.
    """
    sa, known = require("sqlalchemy", extra=database.EXTRA), database.tables().tables
    given, events, people = known["assignments"].c, known["events"].c, known["raters"].c
    last = dt.date.fromisoformat(as_of)
    first = (last - dt.timedelta(days=days - 1)).isoformat()
    after = (last + dt.timedelta(days=1)).isoformat()
    day = sa.func.substr(events.at, 1, 10).label("day")
    touched = (
        sa.select(events.assignment, day, sa.func.max(sa.func.coalesce(events.seconds, 0.0)).label("seconds"))
        .where(events.at >= first, events.at < after, events.kind.in_((str(EventKind.ANSWER), str(EventKind.SKIP))))
        .group_by(events.assignment, day)
        .subquery()
    )
    counted = sa.case((touched.c.seconds > LONGEST_SECONDS, LONGEST_SECONDS), else_=touched.c.seconds)
    query = (
        sa.select(people.code, touched.c.day, sa.func.count(), sa.func.sum(counted))
        .join_from(touched, known["assignments"], given.id == touched.c.assignment)
        .join(known["raters"], people.id == given.rater)
        .group_by(people.code, touched.c.day)
    )
    with store.reading() as connection:
        found = [
            DayOfWork(rater=code, day=name, items=int(items), minutes=float(seconds) / 60)
            for code, name, items, seconds in connection.execute(query)
        ]
    return tuple(sorted(found, key=lambda row: (row.rater, row.day)))


def day_table(found: Sequence[DayOfWork], *, as_of: str, days: int = DAYS) -> tuple[tuple[str, int, float], ...]:
    """Day, items and minutes of all raters together; every day stands in it, also one without work."""
    last = dt.date.fromisoformat(as_of)
    names = [(last - dt.timedelta(days=back)).isoformat() for back in reversed(range(days))]
    return tuple(
        (name, sum(row.items for row in found if row.day == name), sum(row.minutes for row in found if row.day == name))
        for name in names
    )


def attention_checks(store: Store) -> tuple[Attention, ...]:
    """Every rater on the attention items, as the report counts them; empty without such items."""
    protocol = store.protocol
    expected = {
        item.item: item.expected[protocol.primary.id]
        for item in protocol.attention.items
        if protocol.primary.id in item.expected
    }
    if not expected:
        return ()
    with store.reading() as connection:
        items = {row["id"]: row["name"] for row in store.rows(connection, "items", role="attention")}
        people = {row["id"]: row["code"] for row in store.rows(connection, "raters")}
        rows = [
            row
            for row in store.rows(connection, "assignments", purpose="attention")
            if items.get(row["item"]) in expected
        ]
    working = {row.code for row in progress(store) if row.given or row.imported}
    states = store.states_of([row["id"] for row in rows])
    made = []
    for code in sorted(working):
        own = [row for row in rows if people[row["rater"]] == code]
        labels = [
            (items[row["item"]], states[row["id"]].answers[protocol.primary.id])
            for row in own
            if states[row["id"]].standing(protocol) is Standing.COMPLETE
        ]
        right = sum(label == expected[name] for name, label in labels)
        below = right / len(labels) < protocol.attention.at_least if labels else None
        made.append(Attention(rater=code, right=right, answered=len(labels), given=len(own), told_apart=below))
    return tuple(made)


def _person(store: Store, row: dict[str, Any], counts: Counter[tuple[str, str]], locked: int) -> RaterProgress:
    def total(purposes: frozenset[str], *standings: Standing) -> int:
        wanted = {str(standing) for standing in standings or Standing}
        return sum(count for (purpose, standing), count in counts.items() if purpose in purposes and standing in wanted)

    training = frozenset({"training"})
    complete, skipped = total(WORK, Standing.COMPLETE), total(WORK, Standing.SKIPPED)
    left = total(WORK, Standing.OPEN, Standing.PARTIAL)
    wanted = store.protocol.stopping.labels
    if wanted is not None:
        left = min(left, max(0, wanted - complete - skipped))
    return RaterProgress(
        code=row["code"],
        role=row["role"],
        forgotten=row["forgotten_at"] is not None,
        given=total(WORK),
        complete=complete,
        skipped=skipped,
        partial=total(WORK, Standing.PARTIAL),
        open=total(WORK, Standing.OPEN),
        locked=locked,
        training=total(training),
        trained=total(training, Standing.COMPLETE, Standing.SKIPPED),
        imported=total(frozenset({"import"})),
        thirds=total(frozenset({"third"})),
        left=left,
    )
