"""A small study with its desk, and people who sign in to it."""

import datetime as dt
import itertools
import re
from html import unescape

import pytest
import yaml
from starlette.testclient import TestClient

from equipoise.study.desk.app import desk_app
from equipoise.study.desk.settings import DeskSettings
from equipoise.study.raters import add_rater
from equipoise.study.shipped import template
from equipoise.study.store import Item, create_store

AT = "2026-11-30T12:00:00+00:00"
PASSWORD = "correct horse battery"
COMPLETE = {
    "answer.label": "Supported",
    "answer.reason": "evidence-supports",
    "answer.harm": "no",
    "answer.confidence": "sure",
}


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.now = dt.datetime(2026, 12, 1, 9, 0, tzinfo=dt.UTC)

    def __call__(self):
        return self.now

    def pass_(self, **what):
        self.now += dt.timedelta(**what)


class Desk:
    """A study, its desk, and one browser for each person."""

    def __init__(self, store, clock, settings):
        numbers = itertools.count(1)
        self.store = store
        self.clock = clock
        self.draw = lambda size: f"drawn-{next(numbers):04d}-{'x' * size}"
        self.app = desk_app(store, settings, clock=clock, draw=self.draw)

    def browser(self, **more):
        return TestClient(self.app, **more)

    def signed_in(self, code, **more):
        browser = self.browser(**more)
        answer = browser.post("/enter", data={"code": code, "password": PASSWORD}, follow_redirects=False)
        assert answer.status_code == 303
        return browser


def hidden(page, name):
    """Value of a hidden field of a page."""
    return unescape(re.search(rf'name="{name}" value="([^"]*)"', page)[1])


def token(browser):
    """The form token of a session, from a page that everybody has."""
    return hidden(browser.get("/desk/settings").text, "csrf")


def protocol(name="four-label", **changes):
    """Text of a shipped protocol, with parts replaced."""
    return yaml.safe_dump({**yaml.safe_load(template(name).text), **changes}, allow_unicode=True)


@pytest.fixture
def make(tmp_path):
    """Makes a desk: text of the protocol, items, and how it is run."""
    opened = []

    def made(text=None, items=None, settings=None, turns=None):
        clock = Clock()
        store = create_store(tmp_path / f"study-{len(opened)}.sqlite", text or protocol(), at=AT)
        opened.append(store)
        items = items or [
            Item(
                name=f"secret-name-{number}",
                shown={"patient_summary": f"Invented patient {number}.", "proposed_therapy": f"Invented drug {number}"},
                hidden={"label": "Unsupported", "model": "hidden-model-name"},
            )
            for number in range(4)
        ]
        store.add_items(items, at=AT, origin="made up")
        for code, role in (("ann", "rater"), ("bob", "rater"), ("third", "adjudicator"), ("chief", "coordinator")):
            add_rater(store, code, at=AT, role=role, password=PASSWORD, salt=bytes(range(16)))
        desk = Desk(store, clock, settings or DeskSettings())
        turns = turns or [(code, item.name, "main", 1) for code in ("ann", "bob") for item in items]
        store.assign(turns, draw=desk.draw, at=AT)
        return desk

    yield made
    for store in opened:
        store.close()


@pytest.fixture
def desk(make):
    return make()


@pytest.fixture
def ann(desk):
    return desk.signed_in("ann")
