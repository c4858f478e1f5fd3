"""docs/batch.md says what happens: its example, its columns, its limits."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

from equipoise.batch import desk, run
from equipoise.batch.rows import COLUMNS, FIXED, JUDGED, STATED, Judged, Row, stated_cells
from equipoise.batch.run import run_batch
from equipoise.batch.settings import Settings
from equipoise.cases.load import MAX_FILE_BYTES

TEXT = (Path(__file__).parents[2] / "docs" / "batch.md").read_text(encoding="utf-8")


def block_with(first: str) -> list[str]:
    """The lines of the indented block that begins with a text."""
    lines = TEXT[TEXT.index(f"    {first}") :].split("\n")
    found = []
    for line in lines:
        if line and not line.startswith("    "):
            break
        found.append(line.removeprefix("    "))
    return "\n".join(found).strip("\n").split("\n")


def test_the_example_gives_what_is_printed(tmp_path):
    source = tmp_path / "cohort.csv"
    source.write_text("\n".join(block_with("case_id,tumor")[:7]) + "\n", encoding="utf-8")
    done = run_batch(source, tmp_path / "out", Settings(as_of=dt.date(2026, 11, 1)), write="csv")
    assert block_with("6 cases, 5 recommendations") == done.text.rstrip("\n").split("\n")
    rows = (tmp_path / "out" / "part-00000.csv").read_text(encoding="utf-8").splitlines()
    shown = block_with("place,line,case_id")
    without = re.compile(
        r"[0-9a-f]{16},[0-9a-f]{16},US,[^,]*$"
    )  # hashes of policy and evidence, and the version, change with them
    assert [without.sub("", line) for line in shown] == [without.sub("", rows[place]) for place in (0, 1, 2, 6)]
    assert rows[1].split(",")[21] == rows[2].split(",")[21] != ""


def test_every_column_is_explained():
    table = TEXT[TEXT.index("## Out") : TEXT.index("A case that cannot be read")]
    assert set(
        re.findall(
            r"`([a-z_]+)`", " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
        )
    ) == {column.name for column in COLUMNS}


def test_the_limits_are_those_of_the_code():
    assert f"{run.PART_CASES:,} cases a part" in TEXT
    assert run.MEMO_BYTES == 384 * 1024**2
    assert "about 0.4 GB, and 0.1 GB a process" in TEXT
    assert desk.MAX_KEYS == 100_000
    assert "at most 2 GiB" in TEXT
    assert MAX_FILE_BYTES == 2 * 1024**3


def test_the_columns_of_a_judgement_are_its_fields_in_order():
    assert tuple(column.name for column in JUDGED) == Judged._fields
    assert {column.name for column in (*JUDGED, *STATED)} | {"place", "line", "case_id", "case_hash", *FIXED} == {
        column.name for column in COLUMNS
    }
    assert len(stated_cells(Row("ok"))) == len(STATED)
