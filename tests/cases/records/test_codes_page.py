"""The page of codes names every code of the table once, with what it is read as, and a source or that there is none."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from equipoise.cases.formats.record.codes import tables

PAGE = Path(__file__).parents[3] / "docs" / "record-codes.md"
DIVIDED = ("observations", "values", "tumors", "histologies", "comorbidities", "outcomes", "procedures")
FLAT = ("metastases_icd10", "editions", "components", "change_types")
OWN_WORDS = ("words", "dnpm")
"""Codes of a registry's own format, which are words."""


def of_table() -> set[tuple[str, str, str]]:
    rows: Any = tables()
    found = {
        (name, f"{code}/3" if system == "icdo" else str(code), str(meaning))
        for name in DIVIDED
        for system, codes in rows[name].items()
        if system not in OWN_WORDS
        for code, meaning in codes.items()
    }
    return found | {(name, str(code), str(meaning)) for name in FLAT for code, meaning in rows[name].items()}


def of_page() -> list[tuple[str, str, str, str, str]]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if re.match(r"\| \w+ \| [\w -]+ \| `", line)
    ]
    return [(row[0], row[2].strip("`"), row[3], row[4], row[5]) for row in rows]


def test_every_code_stands_in_the_page_and_no_other():
    found = [(table, code, meaning) for table, code, meaning, _, _ in of_page()]
    assert set(found) == of_table()
    assert len(found) == len(set(found))


def test_every_row_has_a_source_or_says_that_there_is_none():
    keys = set(re.findall(r"^\| ([\w-]+) \| [^|]+ \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)) - {"key"}
    for _, code, _, name, source in of_page():
        assert source in keys | {"not verified"}, code
        assert (name == "") == (source == "not verified") or source == "not verified", code


def test_the_counts_of_the_page_are_those_of_its_rows():
    sources = [row[4] for row in of_page()]
    said = re.search(r"(\d+) codes: (\d+) found in a guide,\s+catalogue or value set, (\d+) only seen in public code, (\d+) not verified",
                     PAGE.read_text(encoding="utf-8"))  # fmt: skip
    assert said
    seen, open_ = sources.count("seen"), sources.count("not verified")
    assert tuple(map(int, said.groups())) == (len(sources), len(sources) - seen - open_, seen, open_)
