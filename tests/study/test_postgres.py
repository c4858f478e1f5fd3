"""A study in PostgreSQL: the same histories, queues, counts and decisions, on a server of the test (Debian's postgresql)."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from equipoise.errors import UsageError
from equipoise.study.adjudication import decisions, disagreements
from equipoise.study.analysis import analyse
from equipoise.study.bundle import run_zip
from equipoise.study.exporting import study_run
from equipoise.study.history import EventKind
from equipoise.study.itemlist import item_rows
from equipoise.study.meeting import decide_together, meeting_list
from equipoise.study.planning import assign_all
from equipoise.study.progress import locked_by_all, pace, progress
from equipoise.study.queues import changed, lock_all
from equipoise.study.raters import add_rater, forget, make_link, rater_of_link
from equipoise.study.reveal import reveal, unfinished
from equipoise.study.shipped import template
from equipoise.study.store import Item, create_store, open_store
from equipoise.study.thirds import hand_out, third_queue, third_view
from equipoise.study.view import next_public, rater_view

pytestmark = pytest.mark.full
AT = "2026-11-30T12:00:00+00:00"
SURE = {"reason": "evidence-supports", "harm": "no", "confidence": "sure"}


@pytest.fixture(scope="module")
def server():
    """Address of an empty server; it refuses to run as root, so root hands it to the user postgres."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    bin_ = found[-1].parent if found else Path(shutil.which("initdb") or pytest.fail("install postgresql")).parent
    user = "postgres" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="equipoise-study-") as name, socket.socket() as one:
        folder = Path(name)
        if user:
            shutil.chown(folder, user)
        one.bind(("127.0.0.1", 0))
        port = str(one.getsockname()[1])
        one.close()
        make = [bin_ / "initdb", "-D", folder / "data", "-A", "trust", "-U", "study"]
        subprocess.run(make, user=user, check=True, capture_output=True, cwd=folder)
        process = subprocess.Popen(
            [bin_ / "postgres", "-D", folder / "data", "-p", port, "-c", "listen_addresses=127.0.0.1",
             "-c", f"unix_socket_directories={folder}"],
            user=user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder,
        )  # fmt: skip
        url = f"postgresql+psycopg://study@127.0.0.1:{port}/postgres"
        try:
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
        finally:
            process.send_signal(signal.SIGINT)  # ends also with connections open
            process.wait(timeout=30)


@pytest.fixture
def url(server):
    engine = create_engine(server)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return server


def begun(url, by="consensus"):
    store = create_store(url, template("four-label").text.replace("by: consensus", f"by: {by}"), at=AT)
    shown = {"patient_summary": "text", "proposed_therapy": "invented"}
    store.add_items((Item(name=f"case-{n}", shown=shown) for n in range(12)), at=AT, origin="made up")
    for code in ("a", "b"):
        add_rater(store, code, at=AT)
    add_rater(store, "judge", at=AT, role="adjudicator")
    numbers = iter(range(10_000))
    assign_all(store, draw=lambda _: f"p{next(numbers)}", at=AT)
    return store


@pytest.fixture
def store(url):
    with begun(url) as made:
        yield made


def label(store, rater, values=("Supported",)):
    for number, given in enumerate(sorted(store.assignments(rater), key=lambda one: (one.item, one.repeat))):
        answers = SURE | {"label": values[number % len(values)]}
        store.record(rater, given.public, EventKind.ANSWER, press="1", at=AT, answers=answers, seconds=30.0)
    lock_all(store, rater, press="lock", at=AT)


def test_a_study_goes_from_queues_to_a_report(store, url):
    first = next_public(store, "a")
    assert rater_view(store, "a", first).place == 1
    label(store, "a")
    assert (set(unfinished(store)), reveal(store).shown) == ({"b"}, False)
    label(store, "b", ("Supported", "Unsupported"))
    rows = {row.code: row for row in progress(store)}
    assert (rows["a"].complete, rows["a"].locked, rows["a"].left) == (13, 13, 0)
    assert locked_by_all(progress(store))
    assert [(day.rater, day.items, day.minutes) for day in pace(store, as_of="2026-11-30")] == [
        ("a", 13, 6.5),
        ("b", 13, 6.5),
    ]
    assert len(changed(store, "a", offset=0, most=50)) == 13
    apart = disagreements(store)
    assert len(apart) > 0
    assert item_rows(store, apart=True)[1] == len(apart)
    assert item_rows(store, contains="CASE-1")[1] == 3
    public = meeting_list(store)[0].public
    decide_together(store, public, "Supported", code="slip", reason="x", agreed=["a"], at=AT, after=0)
    assert len(decisions(store)) == 1
    assert analyse(study_run(store, at=AT), store.protocol).disagreed == len(apart)
    assert run_zip(store) == run_zip(store)
    with open_store(url) as again:
        assert again.states() == store.states()


def test_a_third_rater_decides(url):
    with begun(url, "third-rater") as store:
        label(store, "a")
        label(store, "b", ("Supported", "Unsupported"))
        done = hand_out(store, draw=lambda _: f"t{len(third_queue(store, 'judge'))}-{os.urandom(4).hex()}", at=AT)
        queue = third_queue(store, "judge")
        assert (done.new, done.left) == (len(queue), 0)
        assert len(third_view(store, "judge", queue[0].public).sides) == 2


@pytest.mark.parametrize("table", ["events", "decisions", "protocols", "log"])
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "UPDATE {} SET at = 'now'"])
def test_the_server_refuses_to_change_a_history(store, table, statement):
    label(store, "a")
    label(store, "b", ("Supported", "Unsupported"))
    decide_together(store, meeting_list(store)[0].public, "Supported", code="slip", reason="x", agreed=[], at=AT)
    with pytest.raises(Exception, match=f"rows of {table} are only added"), store.transaction() as connection:
        connection.exec_driver_sql(statement.format(table))


def test_presses_at_the_same_moment_leave_one_whole_history(store):
    public = store.assignments("a")[0].public

    def press(number):
        try:
            answers = SURE | {"label": "Supported" if number % 2 else "Unsupported"}
            store.record("a", public, EventKind.ANSWER, press=f"press-{number}", at=AT, answers=answers)
        except UsageError as error:
            return error.field
        return "kept"

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(press, range(24)))
    numbers = [event.number for event in store.history("a", public)]
    assert numbers == list(range(1, told.count("kept") + 1))
    assert set(told) <= {"kept", "after"}
    assert told.count("kept") >= 1


def test_a_person_is_forgotten_and_the_labels_stay(store):
    label(store, "a")
    token = make_link(store, "a", draw=lambda _: "token", at=AT)
    assert rater_of_link(store, token, at=AT) == "a"
    forget(store, "a", at=AT)
    assert rater_of_link(store, token, at=AT) is None
    assert next(row for row in progress(store) if row.code == "a").complete == 13
