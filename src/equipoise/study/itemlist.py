"""Items with their standing, a page at a time, for the coordinator: counts only, never one label beside another."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Literal

from equipoise._optional import require
from equipoise.errors import UsageError
from equipoise.study.adjudication import apart as differing
from equipoise.study.adjudication import decisions
from equipoise.study.database import EXTRA
from equipoise.study.history import EventKind, Standing
from equipoise.study.store import Store
from equipoise.study.thirds import require_open

Outcome = Literal["hidden", "one label", "agree", "differ", "decided"]
"""What became of an item; hidden until every rater has finished and locked, or the study was unblinded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """One item.

    Attributes:
        name: its id in the source.
        role: "main", "training" or "attention".
        masked: places where the source named itself.
        given: raters who have it in their queue, a repeat counted once more.
        complete: of those, with a label.
        skipped: skipped with a reason.
        partial: answered in part.
        open: without an answer.
        locked: final.
        imported: labels from a file.
        outcome: what became of it.
    """

    name: str
    role: str
    masked: int
    given: int
    complete: int
    skipped: int
    partial: int
    open: int
    locked: int
    imported: int
    outcome: Outcome


def item_rows(
    store: Store, *, offset: int = 0, most: int = 50, contains: str = "", apart: bool = False
) -> tuple[tuple[ItemRow, ...], int]:
    """A page of items in the order of the import, and how many there are in all.

    Args:
        store: the study.
        offset: items before the page.
        most: items of the page.
        contains: only items whose name holds this text, in any case.
        apart: only items on which raters differ.

    Raises:
        UsageError: `apart`, while outcomes are hidden.
    """
    sa, items, given, events = (
        require("sqlalchemy", extra=EXTRA),
        *(store.tables[n] for n in ("items", "assignments", "events")),
    )
    outcomes = _outcomes(store)
    if apart and outcomes is None:
        message = "outcomes are hidden until every rater has finished and locked"
        raise UsageError(message)
    where = [sa.func.lower(items.c.name).contains(contains.lower(), autoescape=True)] if contains else []
    chosen = sa.select(items.c.id, items.c.name, items.c.role, items.c.masked).where(*where).order_by(items.c.id)
    counted = sa.select(sa.func.count()).select_from(items).where(*where)
    sign = sa.case((events.c.kind == str(EventKind.LOCK), 1), else_=-1)
    with store.reading() as connection:
        if apart and outcomes is not None:  # not as a condition of the query, whose number of values is limited
            every = [row for row in connection.execute(chosen) if outcomes.get(row[1]) in ("differ", "decided")]
            total, page = len(every), every[offset : offset + most]
        else:
            total = int(connection.execute(counted).scalar() or 0)
            page = list(connection.execute(chosen.offset(offset).limit(most)))
        ids = [row[0] for row in page]
        counts: defaultdict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
        for number, purpose, standing, count in connection.execute(
            sa.select(given.c.item, given.c.purpose, given.c.standing, sa.func.count())
            .where(given.c.item.in_(ids))
            .group_by(given.c.item, given.c.purpose, given.c.standing)
        ):
            counts[number][
                "import" if purpose == "import" else "third" if purpose == "third" else "work", standing
            ] += count
        locks = connection.execute(
            sa.select(given.c.item, sa.func.sum(sign))
            .join_from(given, events, events.c.assignment == given.c.id)
            .where(given.c.item.in_(ids), events.c.kind.in_((str(EventKind.LOCK), str(EventKind.REOPEN))))
            .group_by(given.c.item)
        ).all()
    locked = {number: int(count) for number, count in locks}
    rows = []
    for number, name, role, masked in page:
        found = counts[number]
        work = {standing: found["work", str(standing)] for standing in Standing}
        rows.append(
            ItemRow(
                name=name,
                role=role,
                masked=masked,
                given=sum(work.values()),
                complete=work[Standing.COMPLETE],
                skipped=work[Standing.SKIPPED],
                partial=work[Standing.PARTIAL],
                open=work[Standing.OPEN],
                locked=locked.get(number, 0),
                imported=sum(count for (purpose, _), count in found.items() if purpose == "import"),
                outcome="hidden" if outcomes is None else outcomes.get(name, "one label"),
            )
        )
    return tuple(rows), total


def count_items(store: Store) -> int:
    """Items of the study, training and attention items among them."""
    sa = require("sqlalchemy", extra=EXTRA)
    with store.reading() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(store.tables["items"])).scalar() or 0)


def _outcomes(store: Store) -> dict[str, Outcome] | None:
    """What became of the items with two labels or more; None while it is hidden."""
    try:
        require_open(store)
    except UsageError:
        return None
    sa, items, given = require("sqlalchemy", extra=EXTRA), store.tables["items"], store.tables["assignments"]
    labels = (
        sa.select(items.c.name)
        .join_from(items, given, given.c.item == items.c.id)
        .where(given.c.repeat == 1, given.c.purpose.in_(("main", "import")), given.c.standing == str(Standing.COMPLETE))
        .group_by(items.c.name)
        .having(sa.func.count() > 1)
    )
    with store.reading() as connection:
        found: dict[str, Outcome] = dict.fromkeys(connection.execute(labels).scalars(), "agree")
    found |= dict.fromkeys(differing(store), "differ")
    found |= {made.item: "decided" for made in decisions(store)}
    return found
