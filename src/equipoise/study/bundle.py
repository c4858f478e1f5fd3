"""Exports that travel as one file: the run as a ZIP, the log as a table. The same study gives the same bytes."""

from __future__ import annotations

import csv
import io
import tempfile
import zipfile
from pathlib import Path

from equipoise._optional import require
from equipoise.exports.table import safe_cell
from equipoise.study.database import EXTRA
from equipoise.study.exporting import export_run
from equipoise.study.store import Store

_WHEN = (1980, 1, 1, 0, 0, 0)
"""Time of every file in the ZIP; the true ones stand in run.json."""


def run_zip(store: Store) -> bytes:
    """The labels as a run folder in a ZIP. Its `created_at` is the time of the last change, so that it is no new run."""
    with tempfile.TemporaryDirectory(prefix="equipoise-run-") as scratch:
        folder = export_run(store, Path(scratch) / "run", at=last_change(store))
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for path in sorted(folder.iterdir()):
                entry = zipfile.ZipInfo(f"run/{path.name}", date_time=_WHEN)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes())
    return made.getvalue()


def last_change(store: Store) -> str:
    """ISO date and time of the last label, decision or version of the protocol."""
    sa = require("sqlalchemy", extra=EXTRA)
    with store.reading() as connection:
        times = [
            connection.execute(sa.select(sa.func.max(store.tables[name].c.at))).scalar()
            for name in ("protocols", "events", "decisions")
        ]
    return max(str(time) for time in times if time)


def log_csv(store: Store) -> str:
    """The study's log: who did what when, safe to open in a spreadsheet, with a byte order mark."""
    with store.reading() as connection:
        rows = store.rows(connection, "log")
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(["at", "actor", "what", "detail"])
    for row in rows:
        writer.writerow([safe_cell(str(row[name])) for name in ("at", "actor", "what", "detail")])
    return "\ufeff" + file.getvalue()


def protocol_text(store: Store) -> str:
    """The protocol as it was taken over last, comments included."""
    with store.reading() as connection:
        return str(store.rows(connection, "protocols")[-1]["text"])
