"""A study with hostile texts and telling names, its desk, and browsers that are signed in."""

import datetime as dt
import itertools
import re
from html import unescape

import pytest
import yaml
from starlette.testclient import TestClient

from equipoise.study.desk.app import desk_app
from equipoise.study.desk.settings import DeskSettings
from equipoise.study.history import EventKind
from equipoise.study.raters import add_rater
from equipoise.study.shipped import template
from equipoise.study.store import Item, create_store

AT = "2026-11-30T12:00:00+00:00"
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e=1+1"
SURE = {"reason": "evidence-supports", "harm": "no", "confidence": "sure"}


class Desk:
    """A study, its desk, and a browser for each person."""

    def __init__(self, store, settings):
        numbers = itertools.count(1)
        self.store = store
        self.draw = lambda size: f"drawn{next(numbers):04d}{'x' * size}"
        self.now = dt.datetime(2026, 12, 1, 9, 0, tzinfo=dt.UTC)
        self.app = desk_app(store, settings, clock=lambda: self.now, draw=self.draw)

    def browser(self, code=None):
        browser = TestClient(self.app, follow_redirects=False)
        if code is not None:
            browser.cookies.set("desk", self.app.state.desk.sessions.open(code, self.now))
        return browser

    def log(self, what):
        with self.store.reading() as connection:
            return [row for row in self.store.rows(connection, "log") if row["what"] == what]

    def label_all(self, rater, values, *, lock=True):
        """The rater labels the queue in the order of the items, and makes it final."""
        for given, value in zip(
            sorted(self.store.assignments(rater), key=lambda one: one.item), itertools.cycle(values), strict=False
        ):
            answers = SURE | {"label": value, "rationale": f"{HOSTILE} said of {value}"}
            if value == "Insufficient Information":
                answers["missing"] = ["ecog"]
            more = {"answers": answers, "comment": f"{HOSTILE} comment", "seconds": 42.0}
            self.store.record(rater, given.public, EventKind.ANSWER, press="1", at="2026-12-01T08:00:00+00:00", **more)
            if lock:
                self.store.record(rater, given.public, EventKind.LOCK, press="2", at="2026-12-01T08:30:00+00:00")


def csrf(browser):
    """The form token of a session."""
    return unescape(re.search(r'name="csrf" value="([^"]*)"', browser.get("/desk/settings").text)[1])


@pytest.fixture
def send():
    """Sends a form with the token of the session."""

    def sent(browser, path, files=None, **fields):
        return browser.post(path, data={"csrf": csrf(browser), **fields}, files=files)

    return sent


@pytest.fixture
def make(tmp_path):
    """Makes a desk; with `by` the decider of disagreements."""
    opened = []

    def made(*, by="consensus", items=6, change=None, settings=None, people=True):
        value = yaml.safe_load(template("four-label").text)
        value["order"] |= {"repeats": 0.0}
        value["adjudication"] = {"rule": "any-difference", "by": by}
        value |= change or {}
        store = create_store(tmp_path / f"study-{len(opened)}.sqlite", yaml.safe_dump(value), at=AT)
        opened.append(store)
        shown = {"patient_summary": f"Case {HOSTILE}", "proposed_therapy": "invented"}
        rows = [Item(name=f"SOURCE-{n}", shown=shown, hidden={"label": "REFERENCE"}) for n in range(items)]
        store.add_items(rows, at=AT, origin="made up")
        add_rater(store, "chief", at=AT, role="coordinator")
        desk = Desk(store, settings or DeskSettings())
        if people:
            for code in ("ann", "bob"):
                add_rater(store, code, at=AT)
            for code in ("judge-x", "judge-y"):
                add_rater(store, code, at=AT, role="adjudicator")
            turns = [(code, row.name, "main", 1) for code in ("ann", "bob") for row in rows]
            store.assign(turns, draw=desk.draw, at=AT)
        return desk

    yield made
    for store in opened:
        store.close()


@pytest.fixture
def desk(make):
    """Two raters who have not begun; decided by consensus."""
    return make()


@pytest.fixture
def done(make):
    """Two raters who have finished and differ on three of six items; decided by consensus."""
    return finished(make())


@pytest.fixture
def thirds(make):
    """The same, decided by a third rater."""
    return finished(make(by="third-rater"))


def finished(desk):
    desk.label_all("ann", ["Supported"])
    desk.label_all("bob", ["Supported", "Unsupported"])
    return desk
