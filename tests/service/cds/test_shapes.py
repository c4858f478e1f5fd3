"""The published shapes: what the specification shows is taken, each change of `refused.json` is refused at its place."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from equipoise.service.cds.discovery import discovery
from equipoise.service.cds.shapes import problems, schema

FIXTURES = Path(__file__).parent / "fixtures"
REMOVED = "__removed__"
REFUSED = json.loads((FIXTURES / "refused.json").read_text(encoding="utf-8"))


def shape_of(name):
    if name == "discovery.json":
        return "discovery"
    return next(shape for shape in ("request", "response", "feedback") if shape in name)


def fixture(name):
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def changed(value, changes):
    value = copy.deepcopy(value)
    for path, new in changes.items():
        *way, last = path.split(".")
        at = value
        for part in way:
            at = at[int(part)] if isinstance(at, list) else at[part]
        if new == REMOVED:
            del at[last]
        else:
            at[int(last) if isinstance(at, list) else last] = new
    return value


@pytest.mark.parametrize("name", sorted(path.name for path in FIXTURES.glob("*.json") if path.name != "refused.json"))
def test_what_the_specification_shows_is_taken(name):
    assert problems(shape_of(name), fixture(name)) == []


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: f"{row['shape']}: {row['why']}")
def test_a_change_that_breaks_a_rule_is_refused_at_its_place(row):
    found = problems(row["shape"], changed(fixture(row["base"]), row["set"]))
    assert row["at"] in [place for place, _ in found]
    assert all(words for _, words in found)


def test_every_shape_has_something_that_is_refused():
    assert {row["shape"] for row in REFUSED} == {"request", "response", "feedback"}


def test_the_schema_is_one_and_our_own_discovery_keeps_it():
    Draft202012Validator.check_schema(schema())
    assert problems("discovery", discovery()) == []


def test_prefetch_asks_with_plain_reads_and_searches_only():
    for one in discovery()["services"]:
        for template in one["prefetch"].values():
            assert template.count("{{context.patientId}}") == 1
            assert ":" not in template.split("?")[0]
