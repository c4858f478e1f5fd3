"""A small study with two raters."""

import itertools

import pytest

from equipoise.study.raters import add_rater
from equipoise.study.shipped import template
from equipoise.study.store import Item, create_store

AT = "2026-11-30T12:00:00+00:00"


def drawer():
    """Ids that can be told apart and followed."""
    numbers = itertools.count(1)
    return lambda size: f"id{next(numbers)}-{size}"


@pytest.fixture
def store(tmp_path):
    with create_store(tmp_path / "study.sqlite", template("four-label").text, at=AT) as made:
        yield made


@pytest.fixture
def filled(store):
    items = [
        Item(name=f"case-{number}", shown={"patient_summary": f"text {number}"}, hidden={"label": "Supported"})
        for number in range(4)
    ]
    store.add_items(items, at=AT, origin="made up")
    for code in ("a", "b"):
        add_rater(store, code, at=AT)
    turns = [(code, item.name, "main", 1) for code in ("a", "b") for item in items]
    store.assign(turns, draw=drawer(), at=AT)
    return store
