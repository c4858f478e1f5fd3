"""The form of the hand-labelled replies: fields, ids, classes, and the counts their README states."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from equipoise.refusal.terms import Refusal

FIXTURES = Path(__file__).parent / "fixtures"
FIELDS = ["id", "prompt", "reply", "expected", "kind", "why"]
FILES = {
    name: prefix for name, prefix in (("replies", "reply"), ("near", "near")) if (FIXTURES / f"{name}.jsonl").exists()
}
ORDER = [refusal.value for refusal in Refusal]


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def stated() -> dict[str, list[int]]:
    """The tables of the README: first cell, then its eight numbers."""
    table: dict[str, list[int]] = {}
    for line in (FIXTURES / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        if len(cells) == 9 and all(cell.isdigit() for cell in cells[1:]):
            table[cells[0]] = [int(cell) for cell in cells[1:]]
    return table


@pytest.mark.parametrize(("name", "prefix"), FILES.items())
def test_rows_have_the_stated_fields_and_running_ids(name: str, prefix: str) -> None:
    for number, row in enumerate(rows(name), start=1):
        assert list(row) == FIELDS
        assert row["id"] == f"{prefix}-{number:03d}"
        assert row["expected"] in ORDER
        assert all(value.strip() for value in row.values()), row["id"]


def test_no_exchange_stands_twice() -> None:
    seen = Counter((row["prompt"], row["reply"]) for name in FILES for row in rows(name))
    assert [exchange for exchange, times in seen.items() if times > 1] == []


def test_the_readme_states_the_counts_of_the_files() -> None:
    counted: dict[str, list[int]] = {}
    data = [rows(name) for name in FILES]
    for kind in ["all", *sorted({row["kind"] for part in data for row in part})]:
        numbers: list[int] = []
        for part in data:
            classes = Counter(row["expected"] for row in part if kind in ("all", row["kind"]))
            numbers += [*(classes[label] for label in ORDER), sum(classes.values())]
        counted[kind] = numbers
    table = stated()
    lengths = [table.pop(name) for name in list(table) if name not in counted]
    width = 4 * len(FILES)
    assert {name: row[:width] for name, row in table.items() if any(row[:width])} == {
        name: row for name, row in counted.items() if any(row)
    }
    assert [sum(column) for column in zip(*lengths, strict=True)][:width] == counted["all"]
