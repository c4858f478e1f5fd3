"""docs/exports.md names what the code holds: formats, columns, what is not carried, codes of our own."""

from __future__ import annotations

import re
from pathlib import Path

from equipoise.cases.formats.fhir import own
from equipoise.cli.exports import FORMATS
from equipoise.exports.fhir.audit import SEVERITY
from equipoise.exports.fhir.roundtrip import _WITHOUT_FORM
from equipoise.exports.table import COLUMNS

PAGE = (Path(__file__).parents[2] / "docs" / "exports.md").read_text(encoding="utf-8")


def test_every_format_is_in_the_page():
    assert re.findall(r"^\| `([a-z]+)` \|", PAGE.partition("## FHIR")[0], re.MULTILINE) == list(FORMATS)


def test_the_columns_are_those_of_the_table():
    part = PAGE.partition("Columns, in this order: ")[2].partition("\n\n")[0]
    assert re.findall(r"`([a-z_]+)`", part) == [column.name for column in COLUMNS]


def test_what_is_never_carried_is_named():
    named = PAGE.partition("Not carried")[2].partition("What was written is read back")[0]
    assert all(f"`{field}`" in named for field in _WITHOUT_FORM)


def test_systems_and_severities_are_those_of_the_code():
    for system in (own.CASE, own.RECOMMENDATION, own.FIELD):
        assert f"`{system}`" in PAGE
    assert {value for value in SEVERITY.values() if value} == {"moderate", "low"}
