"""The trail in PostgreSQL: the same chain, triggers and deletion, on a server that the test starts (Debian's package postgresql)."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from equipoise.service.trail.entries import Draft, Kind, Payload
from equipoise.service.trail.retention import delete_subject
from equipoise.service.trail.store import Trail
from equipoise.service.trail.verify import verify

pytestmark = pytest.mark.full
NOW = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def programs():
    """Folder of the server's programs, the newest version."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if found:
        return found[-1].parent
    return Path(shutil.which("initdb") or pytest.fail("install Debian's package postgresql")).parent


@pytest.fixture(scope="module")
def server():
    """Address of an empty database; the server refuses to run as root, so root hands it to the user postgres."""
    with tempfile.TemporaryDirectory(prefix="equipoise-postgres-") as name:
        folder = Path(name)
        user = "postgres" if os.geteuid() == 0 else None
        if user:
            shutil.chown(folder, user)
        yield from running_server(folder, user)


def running_server(folder, user):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    bin_ = programs()
    data = folder / "data"
    subprocess.run(
        [bin_ / "initdb", "-D", data, "-A", "trust", "-U", "trail"],
        user=user,
        check=True,
        capture_output=True,
        cwd=folder,
    )
    process = subprocess.Popen(
        [bin_ / "postgres", "-D", data, "-p", str(port), "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}"],
        user=user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder,
    )  # fmt: skip
    url = f"postgresql+psycopg://trail@127.0.0.1:{port}/postgres"
    for _ in range(200):
        try:
            engine = create_engine(url)
            with engine.connect():
                break
        except SQLAlchemyError:
            time.sleep(0.1)
        finally:
            engine.dispose()
    yield url
    process.terminate()
    process.wait(timeout=30)


@pytest.fixture
def trail(server):
    engine = create_engine(server)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    with Trail(server) as opened:
        yield opened


def draft(subject="s"):
    payload = Payload(case=b"{}", verdicts=b"[]", more=b"{}")
    return Draft(kind=Kind.AUDIT, at=NOW.isoformat(), caller="k", subject=subject, payload=payload)


def test_entries_follow_each_other_from_two_writers(trail, server):
    with Trail(server) as other:
        receipts = [(trail if number % 2 else other).append([draft(), draft()])[-1] for number in range(10)]
    found = verify(trail, known=tuple(receipts))
    assert (found.entries, found.problems) == (20, ())


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE trail_entries SET header = 'x'",
        "DELETE FROM trail_entries",
        "TRUNCATE trail_entries",
        "UPDATE trail_payloads SET content = ''",
        "DELETE FROM trail_payloads",
        "INSERT INTO trail_entries SELECT seq + 7, kind, at, subject, request, header, hash FROM trail_entries WHERE seq = 1",
        "DELETE FROM trail_tombstones",
    ],
)
def test_the_database_refuses_to_change_what_is_there(trail, server, statement):
    trail.append([draft(), draft("anna")])
    delete_subject(trail, "anna", now=NOW, caller="me", reason="x")
    engine = create_engine(server)
    with pytest.raises(SQLAlchemyError), engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()
    assert verify(trail).problems == ()


def test_a_deletion_takes_the_payload_and_keeps_the_chain(trail):
    trail.append([draft("anna"), draft("bert")])
    assert delete_subject(trail, "anna", now=NOW, caller="me", reason="x").count == 1
    found = verify(trail)
    assert (found.payloads, found.deleted, found.problems) == (1, 1, ())
