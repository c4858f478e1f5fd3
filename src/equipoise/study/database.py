"""The tables of a study and the connection to them: SQLite by default, another database by its URL.

What raters did is only ever added: in SQLite and PostgreSQL a trigger refuses to change or delete a row of the histories,
whoever asks. The SQL is portable; every test runs on SQLite, and the course of a study on a PostgreSQL server too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from equipoise._optional import require
from equipoise.errors import DependencyError, UpstreamError, UsageError

SCHEMA = "1"
"""Version of the tables."""
EXTRA = "study"
APPEND_ONLY: tuple[str, ...] = ("protocols", "events", "decisions", "log")
"""Tables whose rows are never changed and never deleted."""
DESK_TABLES: tuple[str, ...] = ("sessions", "preferences")
"""Tables that only the desk in the browser uses: who is signed in, and how a rater wants to see the page."""
READING = "equipoise_reading"
"""Execution option of a connection that only reads."""
BUSY_SECONDS = 30
"""How long a writer waits for another."""


def url_of(place: str | Path) -> str:
    """The URL of a database: a URL as it is, anything else as a SQLite file."""
    return str(place) if "://" in str(place) else f"sqlite:///{Path(place).absolute()}"


def connect(place: str | Path) -> Any:
    """The engine of a database. An acknowledged commit is on disk: SQLite runs with WAL and synchronous=FULL.

    Raises:
        DependencyError: SQLAlchemy, or the driver of the URL, is not installed.
        UsageError: the URL is none.
    """
    sa = require("sqlalchemy", extra=EXTRA)
    url = url_of(place)
    try:
        engine = sa.create_engine(url)
    except ModuleNotFoundError as error:
        message = (
            f"the driver {error.name} of this database is not installed; install it with: pip install {error.name}"
        )
        raise DependencyError(message) from error
    except sa.exc.NoSuchModuleError as error:
        message = f"no database of this kind is known: {url.split(':', 1)[0]}"
        raise UsageError(message) from error
    except sa.exc.ArgumentError as error:
        message = "not the URL of a database; expected for example postgresql+psycopg://host/name"
        raise UsageError(message) from error
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # this package begins transactions itself, so that a reader cannot turn writer
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "secure_delete=ON",
        f"busy_timeout={1000 * BUSY_SECONDS}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Any) -> None:
    """Readers do not wait for a writer, nor a writer for them; a writer takes the lock at once, so that none turns back."""
    reading = connection.get_execution_options().get(READING)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def settle(engine: Any) -> None:
    """Writes SQLite's log into the file and empties it, so that what was deleted is in neither."""
    if engine.dialect.name != "sqlite":
        return
    connection = engine.raw_connection()
    try:
        connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


def tables() -> Any:
    """The tables, as SQLAlchemy metadata."""
    sa = require("sqlalchemy", extra=EXTRA)
    meta = sa.MetaData()
    column, text, number = sa.Column, sa.Text, sa.Integer

    def key() -> Any:
        return column("id", number, primary_key=True, autoincrement=True)

    def refers(name: str, to: str, *, nullable: bool = False) -> Any:
        return column(name, number, sa.ForeignKey(f"{to}.id"), nullable=nullable, index=True)

    def needed(name: str, **more: Any) -> Any:
        return column(name, text, nullable=False, **more)

    sa.Table("facts", meta, column("name", sa.String(80), primary_key=True), needed("value"))
    sa.Table("protocols", meta, key(), needed("hash"), needed("text"), needed("reason"), needed("at"))
    sa.Table(
        "items", meta, key(),
        column("name", sa.String(200), nullable=False, unique=True),
        needed("role"), needed("shown"), needed("hidden"), needed("hash"), column("masked", number, nullable=False),
    )  # fmt: skip
    sa.Table(
        "raters", meta, key(),
        column("code", sa.String(80), nullable=False, unique=True), needed("role"), needed("at"), column("forgotten_at", text),
    )  # fmt: skip
    sa.Table(
        "persons", meta, key(), refers("rater", "raters"), needed("name"), needed("contact"), needed("password"),
        sa.UniqueConstraint("rater"),
    )  # fmt: skip
    sa.Table(
        "links", meta, key(), refers("rater", "raters"), column("token", sa.String(64), nullable=False, unique=True),
        needed("at"), needed("until"),
    )  # fmt: skip
    sa.Table(
        "assignments", meta, key(), refers("rater", "raters"), refers("item", "items"),
        column("public", sa.String(40), nullable=False, unique=True),
        column("position", number, nullable=False), column("repeat", number, nullable=False), needed("purpose"), needed("standing"),
        sa.UniqueConstraint("rater", "item", "repeat"),
        sa.Index("assignments_queue", "rater", "position", "purpose", "standing", "public"),
    )  # fmt: skip
    sa.Table(
        "events", meta, key(), refers("assignment", "assignments"), column("number", number, nullable=False),
        needed("kind"), needed("answers"), needed("comment"), needed("reason"), needed("at"), column("seconds", sa.Float),
        column("press", sa.String(80), nullable=False), needed("protocol"),
        sa.UniqueConstraint("assignment", "number"), sa.UniqueConstraint("assignment", "press"),
        sa.Index("events_kind", "kind", "assignment"), sa.Index("events_course", "at", "kind", "assignment", "seconds"),
    )  # fmt: skip
    sa.Table(
        "decisions", meta, key(), refers("item", "items"), needed("value"), needed("reason"), needed("by"),
        needed("agreed"), needed("rationales"), needed("at"),
    )  # fmt: skip
    sa.Table("log", meta, key(), needed("at"), needed("actor"), needed("what"), needed("detail"))
    sa.Table(
        "sessions", meta, key(), refers("rater", "raters"), column("token", sa.String(64), nullable=False, unique=True),
        needed("at"), needed("seen"), needed("until"),
    )  # fmt: skip
    sa.Table("preferences", meta, key(), refers("rater", "raters"), needed("value"), sa.UniqueConstraint("rater"))
    return meta


def complete(engine: Any) -> None:
    """Makes the tables of the desk where a study was begun before there was one; everything else stays as it is."""
    sa = require("sqlalchemy", extra=EXTRA)
    there = set(sa.inspect(engine).get_table_names())
    meta = tables()
    lacking = [meta.tables[name] for name in DESK_TABLES if name not in there]
    if lacking:
        with engine.begin() as connection:
            meta.create_all(connection, tables=lacking)


def create(engine: Any, meta: Any) -> None:
    """Makes the tables and the triggers that keep histories whole."""
    sa = require("sqlalchemy", extra=EXTRA)
    try:
        with engine.begin() as connection:
            meta.create_all(connection)
            for statement in _triggers(engine.dialect.name):
                connection.execute(sa.text(statement))  # escapes the % of PL/pgSQL for the driver
    except sa.exc.OperationalError as error:
        message = f"the database cannot be made: {error.orig}"
        raise UpstreamError(message) from error


def _triggers(dialect: str) -> list[str]:
    if dialect == "sqlite":
        return [
            f"CREATE TRIGGER {table}_{verb.lower()} BEFORE {verb} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are only added'); END"
            for table in APPEND_ONLY
            for verb in ("UPDATE", "DELETE")
        ]
    if dialect == "postgresql":
        body = (
            "CREATE FUNCTION only_added() RETURNS trigger LANGUAGE plpgsql AS "
            "$$BEGIN RAISE EXCEPTION 'rows of % are only added', TG_TABLE_NAME; END$$"
        )
        made = (
            f"CREATE TRIGGER {table}_kept BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION only_added()"
            for table in APPEND_ONLY
        )
        return [body, *made]
    return []
