"""Tables of the trail and the triggers that keep it append-only, for SQLite and PostgreSQL.

Rows of `trail_entries` and `trail_tombstones` are never changed or deleted. A row of `trail_payloads` is never changed, and can be
deleted only when a tombstone names it. Whoever owns the database can drop a trigger; then the chain of hashes shows it.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, String, Table, Text

VERSION = "1"
"""Version of these tables; a database with another one is refused."""

METADATA = MetaData()
_NUMBER = BigInteger().with_variant(Integer, "sqlite")
"""In SQLite an INTEGER key is the row's own number; any other type would need an index beside it, and twice the writing."""

ENTRIES = Table(
    "trail_entries",
    METADATA,
    Column("seq", _NUMBER, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("at", String(40), nullable=False),
    Column("subject", String(64), nullable=False),
    Column("request", String(64), nullable=False),
    Column("header", Text, nullable=False),
    Column("hash", String(64), nullable=False),
    Index("trail_entries_subject", "subject"),
)
PAYLOADS = Table(
    "trail_payloads",
    METADATA,
    Column("seq", _NUMBER, primary_key=True, autoincrement=False),
    Column("salt", LargeBinary, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("verdicts", LargeBinary, nullable=False),
    Column("more", LargeBinary, nullable=False),
)
TOMBSTONES = Table(
    "trail_tombstones",
    METADATA,
    Column("seq", _NUMBER, primary_key=True, autoincrement=False),
    Column("deleted_by", _NUMBER, nullable=False),
)
META = Table(
    "trail_meta",
    METADATA,
    Column("name", String(32), primary_key=True),
    Column("value", String(64), nullable=False),
)

_NEVER = "the trail is append-only"
_KEPT = "a payload is deleted only by the retention job, which leaves a tombstone"
_ORDER = "an entry follows the last one"
_ONCE = "an entry has one payload"
_NO_TOMBSTONE = "NOT EXISTS (SELECT 1 FROM trail_tombstones WHERE seq = OLD.seq)"
_NOT_NEXT = "NEW.seq <> (SELECT COALESCE(MAX(seq), 0) + 1 FROM trail_entries)"
_TAKEN = "EXISTS (SELECT 1 FROM trail_payloads WHERE seq = NEW.seq) OR EXISTS (SELECT 1 FROM trail_tombstones WHERE seq = NEW.seq)"
_GUARDS: tuple[tuple[str, str, str, str], ...] = (
    ("trail_entries", "UPDATE", "", _NEVER),
    ("trail_entries", "DELETE", "", _NEVER),
    ("trail_entries", "INSERT", _NOT_NEXT, _ORDER),
    ("trail_payloads", "UPDATE", "", _NEVER),
    ("trail_payloads", "DELETE", _NO_TOMBSTONE, _KEPT),
    ("trail_payloads", "INSERT", _TAKEN, _ONCE),
    ("trail_tombstones", "UPDATE", "", _NEVER),
    ("trail_tombstones", "DELETE", "", _NEVER),
)
"""Table, what is done, when it is refused (always when empty), and the words of the refusal."""


def triggers(dialect: str) -> list[str]:
    """Statements that make the triggers; they can be run again.

    Args:
        dialect: sqlite or postgresql.
    """
    return [*_postgres()] if dialect == "postgresql" else [*_sqlite()]


def _sqlite() -> list[str]:
    found = []
    for table, action, when, words in _GUARDS:
        condition = f" WHEN {when}" if when else ""
        found.append(
            f"CREATE TRIGGER IF NOT EXISTS {table}_{action.lower()} BEFORE {action} ON {table}{condition} "
            f"BEGIN SELECT RAISE(ABORT, '{words}'); END"
        )
    return found


def _postgres() -> list[str]:
    found = []
    for table, action, when, words in _GUARDS:
        name = f"{table}_{action.lower()}"
        given = "OLD" if action == "DELETE" else "NEW"
        test = (
            f"IF {when} THEN RAISE EXCEPTION '{words}'; END IF; RETURN {given};"
            if when
            else f"RAISE EXCEPTION '{words}';"
        )
        found += [
            f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {test} END $$",
            f"CREATE OR REPLACE TRIGGER {name} BEFORE {action} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
        ]
    for table in ("trail_entries", "trail_payloads", "trail_tombstones"):
        name = f"{table}_truncate"
        found += [
            f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{_NEVER}'; END $$",
            f"CREATE OR REPLACE TRIGGER {name} BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {name}()",
        ]
    return found
