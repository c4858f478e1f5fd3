"""The trail in a database: append a group of entries and have them on disk, read them, take payloads away.

SQLite by default (write-ahead log, every commit synced), PostgreSQL by its address. One statement of each kind, in SQL that both know.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

from sqlalchemy import Connection, Engine, Row, create_engine, event, insert, select, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from equipoise.errors import ConfigurationError, UpstreamError, UsageError
from equipoise.service.trail.entries import START, Draft, Entry, Kind, Payload, Receipt, chained, ranges
from equipoise.service.trail.schema import ENTRIES, META, METADATA, PAYLOADS, TOMBSTONES, VERSION, triggers

_PAGE = 500
_LOG_PAGES = 8192
"""Pages of the write-ahead log (32 MiB) after which it begins anew, over the same place on disk."""

_PACKED = 1
"""Level of zlib: the quickest."""


class Trail:
    """An open trail.

    Args:
        url: address of the database, as SQLAlchemy writes it.
        make: whether the tables are made when they are not there.
        steady: it is written to all the time, and somebody calls `checkpoint` every second or so; otherwise SQLite moves its log into the
            database while a caller waits.

    Raises:
        ConfigurationError: the address or the database is not one of a trail.
        UpstreamError: the database cannot be reached.
    """

    def __init__(self, url: str, *, make: bool = True, steady: bool = False) -> None:
        try:
            self._engine: Engine = create_engine(url, pool_pre_ping=not url.startswith("sqlite"))
        except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
            message = (
                f"the address of the trail is not one of a database that is installed here ({type(error).__name__})"
            )
            raise ConfigurationError(message) from None
        self.dialect = self._engine.dialect.name
        if self.dialect not in ("sqlite", "postgresql"):
            message = f"the trail can be kept in SQLite or PostgreSQL, not in {self.dialect}"
            raise ConfigurationError(message)
        if self.dialect == "sqlite":
            event.listen(self._engine, "connect", _prepare_steady if steady else _prepare_sqlite)
            event.listen(self._engine, "begin", _begin_sqlite)
        self._reader = self._engine.execution_options(reading=True)
        try:
            self._open(make=make)
        except SQLAlchemyError as error:
            message = f"the trail cannot be opened ({type(error).__name__})"
            raise UpstreamError(message) from error

    def _open(self, *, make: bool) -> None:
        with self._engine.begin() as connection:
            if make:
                METADATA.create_all(connection)
                for statement in triggers(self.dialect):
                    connection.execute(text(statement))
            stored = connection.execute(select(META.c.value).where(META.c.name == "version")).scalar()
            if stored is None:
                connection.execute(insert(META).values(name="version", value=VERSION))
            elif stored != VERSION:
                message = f"the trail is of version {stored}; this package reads {VERSION}"
                raise ConfigurationError(message)

    def __enter__(self) -> Trail:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    # --- append --------------------------------------------------------------------------------------------------------------

    def append(self, drafts: Sequence[Draft]) -> list[Receipt]:
        """Put entries at the end, in one transaction; when this returns they are on disk.

        Raises:
            UpstreamError: the database did not take them; none of them is there.
        """
        try:
            with self._engine.begin() as connection:
                return self._append(connection, drafts)
        except SQLAlchemyError as error:
            message = f"the trail cannot be written ({type(error).__name__})"
            raise UpstreamError(message) from error

    def _append(self, connection: Connection, drafts: Sequence[Draft]) -> list[Receipt]:
        if self.dialect == "postgresql":
            connection.execute(text("SET LOCAL synchronous_commit = on"))
            connection.execute(text("LOCK TABLE trail_entries IN SHARE ROW EXCLUSIVE MODE"))
        seq, head = _head(connection)
        rows: list[dict[str, Any]] = []
        payloads: list[dict[str, Any]] = []
        receipts: list[Receipt] = []
        for draft in drafts:
            seq += 1
            header = draft.header(seq)
            head = chained(head, header)
            rows.append(
                {
                    "seq": seq,
                    "kind": draft.kind.value,
                    "at": draft.at,
                    "subject": draft.subject,
                    "request": draft.request,
                    "header": header,
                    "hash": head,
                }
            )
            if draft.payload is not None:
                payloads.append(
                    {
                        "seq": seq,
                        "salt": draft.salt,
                        "content": zlib.compress(draft.payload.case, _PACKED),
                        "verdicts": zlib.compress(draft.payload.verdicts, _PACKED),
                        "more": zlib.compress(draft.payload.more, _PACKED),
                    }
                )
            receipts.append(Receipt(seq, head))
        if rows:
            connection.execute(insert(ENTRIES), rows)
        if payloads:
            connection.execute(insert(PAYLOADS), payloads)
        return receipts

    # --- read ----------------------------------------------------------------------------------------------------------------

    def head(self) -> Receipt:
        """The last entry; number 0 for an empty trail."""
        with self._reader.connect() as connection:
            return Receipt(*_head(connection))

    def entries(
        self,
        *,
        after: int = 0,
        subject: str = "",
        request: str = "",
        kind: str = "",
        since: str = "",
        before: str = "",
        limit: int | None = None,
        payloads: bool = True,
    ) -> Iterator[Entry]:
        """Entries in their order.

        Args:
            after: only later numbers.
            subject: only of this pseudonym.
            request: only of this request.
            kind: only of this kind.
            since: only from this moment on, ISO 8601.
            before: only before this moment.
            limit: at most so many; None for all.
            payloads: whether what can be taken away is read too.
        """
        left = limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(_PAGE, left)
            columns = [ENTRIES.c.seq, ENTRIES.c.header, ENTRIES.c.hash, TOMBSTONES.c.deleted_by]
            joined = ENTRIES.outerjoin(TOMBSTONES, ENTRIES.c.seq == TOMBSTONES.c.seq)
            if payloads:
                columns += [PAYLOADS.c.salt, PAYLOADS.c.content, PAYLOADS.c.verdicts, PAYLOADS.c.more]
                joined = joined.outerjoin(PAYLOADS, ENTRIES.c.seq == PAYLOADS.c.seq)
            query = select(*columns).select_from(joined).where(ENTRIES.c.seq > after)
            for column, value in ((ENTRIES.c.subject, subject), (ENTRIES.c.request, request), (ENTRIES.c.kind, kind)):
                if value:
                    query = query.where(column == value)
            if since:
                query = query.where(ENTRIES.c.at >= since)
            if before:
                query = query.where(ENTRIES.c.at < before)
            with self._reader.connect() as connection:
                rows = connection.execute(query.order_by(ENTRIES.c.seq).limit(size)).all()
            for row in rows:
                yield _entry(row, payloads=payloads)
            if len(rows) < size:
                return
            after = rows[-1].seq
            left = None if left is None else left - len(rows)

    def entry(self, seq: int) -> Entry:
        """One entry.

        Raises:
            UsageError: there is none with that number.
        """
        found = next(self.entries(after=seq - 1, limit=1), None)
        if found is None or found.seq != seq:
            message = f"the trail has no entry {seq}"
            raise UsageError(message)
        return found

    # --- take away -----------------------------------------------------------------------------------------------------------

    def delete_payloads(self, seqs: Sequence[int], *, at: str, caller: str, reason: str) -> Receipt | None:
        """Take payloads away and leave tombstones: what stays is the header, which holds no patient data, so that the chain still holds.

        Args:
            seqs: numbers of entries; those without a payload are passed over.
            at: when.
            caller: who.
            reason: why.

        Returns:
            Where the deletion itself is recorded; None when there was nothing to delete.

        Raises:
            UpstreamError: the database did not do it; nothing is deleted.
        """
        try:
            with self._engine.begin() as connection:
                present: list[int] = []
                for start in range(0, len(seqs), _PAGE):
                    part = list(seqs[start : start + _PAGE])
                    present += (
                        connection.execute(select(PAYLOADS.c.seq).where(PAYLOADS.c.seq.in_(part))).scalars().all()
                    )
                if not present:
                    return None
                facts = {"reason": reason, "entries": ranges(present), "count": len(present)}
                draft = Draft(kind=Kind.DELETION, at=at, caller=caller, facts=facts)
                receipt = self._append(connection, [draft])[0]
                connection.execute(
                    insert(TOMBSTONES), [{"seq": seq, "deleted_by": receipt.seq} for seq in sorted(present)]
                )
                for start in range(0, len(present), _PAGE):
                    part = present[start : start + _PAGE]
                    connection.execute(PAYLOADS.delete().where(PAYLOADS.c.seq.in_(part)))
        except SQLAlchemyError as error:
            message = f"nothing was deleted: the trail cannot be written ({type(error).__name__})"
            raise UpstreamError(message) from error
        if self.dialect == "sqlite":
            self._checkpoint()
        return receipt

    def checkpoint(self) -> None:
        """Move the write-ahead log of SQLite into the database without keeping writers waiting, and begin it anew when it has grown.

        Raises:
            UpstreamError: the database did not do it; the entries are on disk all the same.
        """
        if self.dialect != "sqlite":
            return
        try:
            pages = self._pragma("wal_checkpoint(PASSIVE)")[1]
            if pages > _LOG_PAGES:
                self._pragma("wal_checkpoint(RESTART)")
        except (SQLAlchemyError, sqlite3.Error) as error:
            message = f"the log of the trail cannot be moved into the database ({type(error).__name__})"
            raise UpstreamError(message) from error

    def _checkpoint(self) -> None:
        """Bring the write-ahead log into the file and empty it, so that no deleted payload stays in it."""
        self._pragma("wal_checkpoint(TRUNCATE)")

    def _pragma(self, name: str) -> tuple[int, int, int]:
        raw = self._engine.raw_connection()
        try:
            found: tuple[int, int, int] = raw.driver_connection.execute(f"PRAGMA {name}").fetchone()  # type: ignore[union-attr]
        finally:
            raw.close()
        return found


def _head(connection: Connection) -> tuple[int, str]:
    row = connection.execute(select(ENTRIES.c.seq, ENTRIES.c.hash).order_by(ENTRIES.c.seq.desc()).limit(1)).first()
    return (row.seq, row.hash) if row is not None else (0, START)


def _entry(row: Row[Any], *, payloads: bool) -> Entry:
    there = payloads and row.salt is not None
    try:
        fields = json.loads(row.header)
    except ValueError:
        fields = {}
    return Entry(
        seq=row.seq,
        header=row.header,
        fields=fields if isinstance(fields, dict) else {},
        hash=row.hash,
        payload=Payload(*(_unpacked(part) for part in (row.content, row.verdicts, row.more))) if there else None,
        salt=bytes(row.salt) if there else b"",
        deleted_by=row.deleted_by or 0,
    )


def _unpacked(data: bytes) -> bytes:
    try:
        return zlib.decompress(data)
    except zlib.error:
        return b""


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "fullfsync=ON",
        "busy_timeout=10000",
        "secure_delete=ON",
        "recursive_triggers=ON",
        "trusted_schema=OFF",
        "temp_store=MEMORY",
    ):
        connection.execute(f"PRAGMA {pragma}").fetchall()


def _prepare_steady(connection: Any, record: Any) -> None:
    _prepare_sqlite(connection, record)
    connection.execute("PRAGMA wal_autocheckpoint=0").fetchall()


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes the lock at once, so that nobody writes between its look at the end and its entry; a reader takes none."""
    reading = connection.get_execution_options().get("reading")
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
