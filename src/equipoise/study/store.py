"""A study's database: items, assignments, and the histories of what raters did."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise._optional import require
from equipoise.errors import InputError, UpstreamError, UsageError
from equipoise.ids import canonical_json, content_hash
from equipoise.study import database
from equipoise.study.history import Event, EventKind, Standing, State, allowed, clean_answers, fold, require_short
from equipoise.study.protocol import Protocol, load_protocol

Draw = Callable[[int], str]
"""Gives a random text of so many bytes, such as `secrets.token_urlsafe`; an argument, so that tests can fix it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing to label.

    Attributes:
        name: its id in the source; raters never see it.
        shown: what a rater sees, by field, in the protocol's order.
        hidden: everything else, by field.
        role: "main", "training" or "attention".
        masked: places where the source named itself.
    """

    name: str
    shown: Mapping[str, Any]
    hidden: Mapping[str, Any] = field(default_factory=dict)
    role: str = "main"
    masked: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """An item in a rater's queue.

    Attributes:
        rater: the rater's code.
        item: name of the item.
        public: the random id under which this rater, and nobody else, meets the item.
        position: place in the queue, from 1.
        repeat: 1, and 2 where the rater meets the item again.
        purpose: "training", "main", "attention", "repeat", "third" (decides a disagreement) or "import".
    """

    rater: str
    item: str
    public: str
    position: int
    repeat: int
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An item where it stands in a queue; for the view, which hides what a rater may not see.

    Attributes:
        item: the item.
        state: the rater's own answers.
        purpose: what the item is for.
        place: place in the queue, from 1.
        total: items in the queue.
        done: items complete or skipped.
    """

    item: Item
    state: State
    purpose: str
    place: int
    total: int
    done: int


_NO_SUCH_ITEM = "there is no such item in this queue"
_NOT_IN_QUEUE = ("import", "third")
_AT_ONCE = 500
_FINISHED = (str(Standing.COMPLETE), str(Standing.SKIPPED))


class Store:
    """The database of one study. Made by `create` and `open_store`; close it, or use it in a `with`.

    Attributes:
        protocol: the protocol as it stands last.
    """

    def __init__(self, engine: Any, protocol: Protocol) -> None:
        self._sa = require("sqlalchemy", extra=database.EXTRA)
        self._engine = engine
        self._tables = database.tables().tables
        self.protocol = protocol

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the connections back."""
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """A connection whose changes are on disk when the block ends, or were never made."""
        sa = self._sa
        try:
            with self._engine.begin() as connection:
                yield connection
        except (sa.exc.OperationalError, sa.exc.DatabaseError) as error:
            if isinstance(error, sa.exc.IntegrityError):
                raise
            message = f"the database does not take this: {error.orig}"
            raise UpstreamError(message) from error

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """A connection that only reads: it sees one state of the data and waits for no writer."""
        sa = self._sa
        try:
            with self._engine.connect().execution_options(**{database.READING: True}) as connection, connection.begin():
                yield connection
        except sa.exc.DatabaseError as error:
            message = f"the database cannot be read: {error.orig}"
            raise UpstreamError(message) from error

    @property
    def tables(self) -> Mapping[str, Any]:
        """The tables by name, for questions that are asked elsewhere in this package."""
        return dict(self._tables)

    def settle(self) -> None:
        """Takes what was deleted out of the files of the database, where it is SQLite."""
        database.settle(self._engine)

    def rows(self, connection: Any, table: str, **where: Any) -> list[dict[str, Any]]:
        """Rows of a table with these values, in the order in which they came."""
        found = self._tables[table]
        query = self._sa.select(found).order_by(next(iter(found.primary_key.columns)))
        for name, value in where.items():
            query = query.where(found.c[name] == value)
        return [dict(row) for row in connection.execute(query).mappings()]

    def add(self, connection: Any, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Adds rows."""
        if rows:
            connection.execute(self._sa.insert(self._tables[table]), [dict(row) for row in rows])

    def one(self, connection: Any, table: str, **where: Any) -> dict[str, Any] | None:
        """The one row with these values; None without one."""
        found = self.rows(connection, table, **where)
        return found[0] if found else None

    def change(self, connection: Any, table: str, row: int, **values: Any) -> None:
        """Changes a row; the histories refuse it."""
        found = self._tables[table]
        connection.execute(self._sa.update(found).where(found.c.id == row).values(**values))

    def remove(self, connection: Any, table: str, **where: Any) -> None:
        """Deletes rows; the histories refuse it."""
        found = self._tables[table]
        query = self._sa.delete(found)
        for name, value in where.items():
            query = query.where(found.c[name] == value)
        connection.execute(query)

    def log(self, connection: Any, *, at: str, actor: str, what: str, detail: Mapping[str, Any]) -> None:
        """Writes down what the coordinator or the desk did."""
        self.add(connection, "log", [{"at": at, "actor": actor, "what": what, "detail": canonical_json(detail)}])

    def amend(self, text: str, *, reason: str, at: str) -> Protocol:
        """A new version of the protocol beside the old ones.

        Raises:
            ConfigurationError: it is no protocol.
            UsageError: no reason, although labels were given under the old one.
        """
        changed = load_protocol(text)
        with self.transaction() as connection:
            if not reason.strip() and self.rows(connection, "events"):
                message = "labels were given under the old protocol; expected a reason for the change"
                raise UsageError(message, field="reason")
            self.add(connection, "protocols", [{"hash": changed.hash, "text": text, "reason": reason, "at": at}])
            for row in self.rows(connection, "assignments"):
                state = fold([_event(found) for found in self._events(connection, row["id"])])
                if str(state.standing(changed)) != row["standing"]:
                    self.change(connection, "assignments", row["id"], standing=str(state.standing(changed)))
        self.protocol = changed
        return changed

    def refresh(self) -> bool:
        """Takes over a protocol that another process has amended; whether there was one."""
        found = self._tables["protocols"]
        with self.reading() as connection:
            row = connection.execute(self._sa.select(found.c.hash, found.c.text).order_by(found.c.id.desc())).first()
        if row is None or row[0] == self.protocol.hash:
            return False
        self.protocol = load_protocol(row[1])
        return True

    def versions(self) -> list[dict[str, Any]]:
        """All versions of the protocol, the first one first: hash, reason, time."""
        with self.reading() as connection:
            return [
                {"hash": row["hash"], "reason": row["reason"], "at": row["at"]}
                for row in self.rows(connection, "protocols")
            ]

    def add_items(self, items: Iterable[Item], *, at: str, origin: str) -> tuple[int, int]:
        """Adds items; one that is there with the same content is left alone.

        Returns:
            Numbers of items that are new, and that were there.

        Raises:
            InputError: an item is there with another content; nothing is added.
        """
        new: list[dict[str, Any]] = []
        known = 0
        with self.transaction() as connection:
            there = {row["name"]: row["hash"] for row in self.rows(connection, "items")}
            for item in items:
                mark = content_hash([dict(item.shown), dict(item.hidden), item.role])
                if item.name in there:
                    if there[item.name] != mark:
                        message = f"item {item.name!r} is in the study with another content; give it another id"
                        raise InputError(message)
                    known += 1
                    continue
                there[item.name] = mark
                shown, hidden = json.dumps(dict(item.shown), ensure_ascii=False), canonical_json(dict(item.hidden))
                new.append(
                    {"name": item.name, "role": item.role, "shown": shown, "hidden": hidden, "hash": mark}
                    | {"masked": item.masked}
                )
            self.add(connection, "items", new)
            masked = sum(int(row["masked"]) for row in new)
            counts = {"new": len(new), "known": known, "masked": masked, "origin": origin}
            self.log(connection, at=at, actor="coordinator", what="items", detail=counts)
        return len(new), known

    def items(self) -> tuple[Item, ...]:
        """All items, in the order of their import."""
        with self.reading() as connection:
            found = self.rows(connection, "items")
        return tuple(_item(row) for row in found)

    def items_hash(self) -> str:
        """Content hash of all items, whatever their order."""
        with self.reading() as connection:
            return content_hash(sorted([row["name"], row["hash"]] for row in self.rows(connection, "items")))

    def assign(self, turns: Sequence[tuple[str, str, str, int]], *, draw: Draw, at: str) -> int:
        """Adds items to the end of raters' queues, each under a random id of its own.

        Args:
            turns: rater, item, purpose, repeat; in the order of the queues. What is assigned already is left alone.
            draw: source of the random ids.
            at: ISO date and time.

        Returns:
            Number of assignments that are new.

        Raises:
            UsageError: a rater or item that does not exist.
        """
        with self.transaction() as connection:
            raters = {row["code"]: row["id"] for row in self.rows(connection, "raters")}
            items = {row["name"]: row["id"] for row in self.rows(connection, "items")}
            ends: defaultdict[int, int] = defaultdict(int)
            there = set()
            for row in self.rows(connection, "assignments"):
                there.add((row["rater"], row["item"], row["repeat"]))
                ends[row["rater"]] = max(ends[row["rater"]], row["position"])
            new = []
            for rater, item, purpose, repeat in turns:
                if rater not in raters or item not in items:
                    message = f"there is no {'rater' if rater not in raters else 'item'} "
                    message += repr(rater if rater not in raters else item)
                    raise UsageError(message)
                key = (raters[rater], items[item], repeat)
                if key in there:
                    continue
                there.add(key)
                ends[key[0]] += 1
                names = {"rater": key[0], "item": key[1], "repeat": repeat}
                new.append(
                    {
                        **names,
                        "public": draw(12),
                        "position": ends[key[0]],
                        "purpose": purpose,
                        "standing": str(Standing.OPEN),
                    }
                )
            self.add(connection, "assignments", new)
            self.log(connection, at=at, actor="coordinator", what="assign", detail={"new": len(new)})
        return len(new)

    def assignments(self, rater: str | None = None) -> tuple[Assignment, ...]:
        """Assignments, by rater and place in the queue; of one rater, or of all."""
        with self.reading() as connection:
            raters = {row["id"]: row["code"] for row in self.rows(connection, "raters")}
            ids = [number for number, code in raters.items() if rater in (None, code)]
            found = self.rows(connection, "assignments", **({} if rater is None else {"rater": ids[0]})) if ids else []
            names = self._tables["items"].c
            items = {number: name for number, name in connection.execute(self._sa.select(names.id, names.name))}  # noqa: C416
        given = [
            Assignment(
                rater=raters[row["rater"]],
                item=items[row["item"]],
                **{name: row[name] for name in ("public", "position", "repeat", "purpose")},
            )
            for row in found
        ]
        return tuple(sorted(given, key=lambda item: (item.rater, item.position)))

    def item(self, name: str) -> Item | None:
        """One item; None when it is not there."""
        with self.reading() as connection:
            row = self.one(connection, "items", name=name)
        return None if row is None else _item(row)

    def record(
        self,
        rater: str,
        public: str,
        kind: EventKind,
        *,
        press: str,
        at: str,
        answers: Mapping[str, Any] | None = None,
        comment: str = "",
        reason: str = "",
        seconds: float | None = None,
        after: int | None = None,
    ) -> State:
        """Adds one event to a history; when this returns, it is on disk.

        A press that is sent twice (double click, retry after a lost answer) counts once.

        Args:
            rater: code of the rater who did it; the assignment must be his or hers.
            public: random id of the assignment.
            kind: what was done.
            press: id of this press, chosen by the sender, unique in the assignment.
            at: ISO date and time.
            answers: all answers as they stand after it.
            comment: the comment as it stands after it.
            reason: reason of a skip or reopening.
            seconds: seconds since the item was shown.
            after: number of the last event the sender knew; None does not compare.

        Returns:
            What holds now.

        Raises:
            UsageError: no such assignment of this rater, the state does not allow it, an answer that does not exist, a
                text that is too long, or the item was changed elsewhere after `after`.
        """
        require_short(comment=comment, reason=reason)
        clean = clean_answers(self.protocol, answers or {}) if kind in (EventKind.ANSWER, EventKind.IMPORT) else {}
        try:
            with self.transaction() as connection:
                place = self._own(connection, rater, public)
                events = self._events(connection, place)
                if any(row["press"] == press for row in events):
                    return fold([_event(row) for row in events])
                state = fold([_event(row) for row in events])
                if after is not None and after != state.number:
                    message = "this item was changed in another window; look at it again before you change it"
                    raise UsageError(message, field="after")
                allowed(state, kind, reason=reason, protocol=self.protocol)
                row = {"assignment": place, "number": state.number + 1, "kind": str(kind), "comment": comment}
                row |= {"answers": canonical_json(clean), "reason": reason, "at": at, "seconds": seconds}
                row |= {"press": press, "protocol": self.protocol.hash}
                self.add(connection, "events", [row])
                state = fold([_event(found) for found in (*events, row)])
                self.change(connection, "assignments", place, standing=str(state.standing(self.protocol)))
                return state
        except self._sa.exc.IntegrityError as error:
            message = "this item was changed elsewhere at the same moment; look at it again"
            raise UsageError(message, field="after") from error

    def history(self, rater: str, public: str) -> tuple[Event, ...]:
        """Everything the rater did with one item, the first first.

        Raises:
            UsageError: no such assignment of this rater.
        """
        with self.reading() as connection:
            return tuple(_event(row) for row in self._events(connection, self._own(connection, rater, public)))

    def states(self, rater: str | None = None) -> dict[str, State]:
        """What holds now, by the random id of the assignment, of one rater or of all; one without an event is open."""
        by: defaultdict[int, list[Event]] = defaultdict(list)
        events, given = self._tables["events"], self._tables["assignments"]
        with self.reading() as connection:
            ids = None if rater is None else [row["id"] for row in self.rows(connection, "raters", code=rater)]
            query = self._sa.select(events).order_by(events.c.number)
            wanted = self._sa.select(given.c.id, given.c.public)
            if ids is not None:
                wanted = wanted.where(given.c.rater.in_(ids))
                query = query.join(given, given.c.id == events.c.assignment).where(given.c.rater.in_(ids))
            found = connection.execute(wanted).all()
            for row in connection.execute(query).mappings():
                by[row["assignment"]].append(_event(row))
        return {public: fold(by[number]) for number, public in found}

    def states_of(self, assignments: Sequence[int]) -> dict[int, State]:
        """What holds now for these assignments, by their numbers in the database."""
        by: defaultdict[int, list[Event]] = defaultdict(list)
        events = self._tables["events"]
        with self.reading() as connection:
            for start in range(0, len(assignments), _AT_ONCE):
                part = list(assignments[start : start + _AT_ONCE])
                query = self._sa.select(events).where(events.c.assignment.in_(part)).order_by(events.c.number)
                for row in connection.execute(query).mappings():
                    by[row["assignment"]].append(_event(row))
        return {number: fold(by[number]) for number in assignments}

    def place(self, rater: str, public: str) -> Place:
        """Where an item stands in the queue of its rater, without reading the queue.

        Raises:
            UsageError: no such item in this queue; the same for an item of somebody else and for none.
        """
        sa, given = self._sa, self._tables["assignments"]
        with self.reading() as connection:
            number = self._own(connection, rater, public)
            row = self.one(connection, "assignments", id=number) or {}
            if row["purpose"] in _NOT_IN_QUEUE:
                raise UsageError(_NO_SUCH_ITEM)
            own = sa.and_(given.c.rater == row["rater"], given.c.purpose.not_in(_NOT_IN_QUEUE))
            before = sa.case((given.c.position <= row["position"], 1), else_=0)
            finished = sa.case((given.c.standing.in_(_FINISHED), 1), else_=0)
            query = sa.select(sa.func.count(), sa.func.sum(before), sa.func.sum(finished)).where(own)
            total, place, done = connection.execute(query).one()
            state = fold([_event(event) for event in self._events(connection, number)])
            item = _item(self.one(connection, "items", id=row["item"]) or {})
        return Place(item=item, state=state, purpose=row["purpose"], place=place, total=total, done=done)

    def first_open(self, rater: str) -> tuple[str | None, int]:
        """Random id of the first item of a queue that is neither complete nor skipped, and the number of those that are."""
        sa, given, people = self._sa, self._tables["assignments"], self._tables["raters"]
        own = sa.and_(
            given.c.rater == sa.select(people.c.id).where(people.c.code == rater).scalar_subquery(),
            given.c.purpose.not_in(_NOT_IN_QUEUE),
        )
        with self.reading() as connection:
            finished = given.c.standing.in_(_FINISHED)
            done = connection.execute(sa.select(sa.func.count()).select_from(given).where(own, finished)).scalar()
            query = sa.select(given.c.public).where(own, ~finished).order_by(given.c.position).limit(1)
            return connection.execute(query).scalar(), int(done or 0)

    def _own(self, connection: Any, rater: str, public: str) -> int:
        known = self.one(connection, "raters", code=rater)
        row = None if known is None else self.one(connection, "assignments", public=public, rater=known["id"])
        if row is None:
            raise UsageError(_NO_SUCH_ITEM)
        return int(row["id"])

    def _events(self, connection: Any, assignment: int) -> list[dict[str, Any]]:
        return sorted(self.rows(connection, "events", assignment=assignment), key=lambda row: row["number"])


def create_store(place: str | Path, text: str, *, at: str) -> Store:
    """A new database with the first version of a protocol.

    Raises:
        ConfigurationError: it is no protocol.
        UsageError: there is a study in the database.
        UpstreamError: the database cannot be made.
    """
    protocol = load_protocol(text)
    engine = database.connect(place)
    sa = require("sqlalchemy", extra=database.EXTRA)
    try:
        if "facts" in sa.inspect(engine).get_table_names():
            message = "there is a study in this database"
            raise UsageError(message, file=str(place))
    except sa.exc.OperationalError as error:
        message = f"the database cannot be opened: {error.orig}"
        raise UpstreamError(message) from error
    meta = database.tables()
    database.create(engine, meta)
    store = Store(engine, protocol)
    with store.transaction() as connection:
        store.add(connection, "facts", [{"name": "schema", "value": database.SCHEMA}])
        store.add(connection, "protocols", [{"hash": protocol.hash, "text": text, "reason": "", "at": at}])
    return store


def open_store(place: str | Path) -> Store:
    """The database of a study that is there.

    Raises:
        UsageError: there is none.
        UpstreamError: it cannot be read, or is of another version.
    """
    if "://" not in str(place) and not Path(place).is_file():
        message = "there is no study here; begin one with `equipoise study init`"
        raise UsageError(message, file=str(place))
    sa = require("sqlalchemy", extra=database.EXTRA)
    engine = database.connect(place)
    known = database.tables().tables
    try:
        with engine.begin() as connection:
            version = connection.execute(sa.select(known["facts"].c.value)).scalar()
            query = sa.select(known["protocols"].c.text).order_by(known["protocols"].c.id.desc())
            text = connection.execute(query).scalar()
        database.complete(engine)
    except sa.exc.DatabaseError as error:
        message = f"{place}: this is no database of a study ({error.orig})"
        raise UpstreamError(message) from error
    if version != database.SCHEMA or text is None:
        message = f"{place}: the database is of version {version!r}; this package reads {database.SCHEMA!r}"
        raise UpstreamError(message)
    return Store(engine, load_protocol(text))


def _item(row: Mapping[str, Any]) -> Item:
    return Item(
        name=row["name"],
        shown=json.loads(row["shown"]),
        hidden=json.loads(row["hidden"]),
        role=row["role"],
        masked=row["masked"],
    )


def _event(row: Mapping[str, Any]) -> Event:
    return Event(
        number=row["number"],
        kind=EventKind(row["kind"]),
        answers=json.loads(row["answers"]),
        comment=row["comment"],
        reason=row["reason"],
        at=row["at"],
        seconds=row["seconds"],
    )
