"""CSV and Parquet: the same columns and values, nothing that a spreadsheet would compute, nothing left out."""

from __future__ import annotations

import csv
import io
from typing import Any

import pyarrow.parquet as pq
import pytest

from equipoise.exports.table import COLUMNS, SEPARATOR, safe_cell, to_csv, to_parquet

UNREAD = {"case_id": "bad", "line": 3, "field": "ecog", "error": "expected 0 to 4"}


@pytest.fixture
def rows(decided, undecided) -> list[dict[str, Any]]:
    return [*(verdict.to_dict() for verdict in (*decided[1], *undecided[1])), UNREAD]


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_both_forms_have_the_same_columns_and_say_the_same(rows, tmp_path):
    file = tmp_path / "v.parquet"
    to_parquet(rows, file)
    stored = pq.read_table(file)
    said = read_csv(to_csv(rows))
    assert stored.column_names == list(said[0]) == [column.name for column in COLUMNS]
    assert len(said) == stored.num_rows == len(rows)
    for one, two in zip(stored.to_pylist(), said, strict=True):
        for column in COLUMNS:
            value = one[column.name]
            flat = "" if value is None else SEPARATOR.join(value) if column.kind == "list" else str(value)
            assert two[column.name] == (flat.lower() if column.kind == "flag" else flat)


def test_the_columns_hold_what_the_verdict_says(decided):
    _, verdicts = decided
    row = read_csv(to_csv([verdicts[3].to_dict()]))[0]
    assert row["regimen"] == "amivantamab; carboplatin; pemetrexed"
    assert row["label"] == "Unsupported"
    assert row["abstain"] == "false"
    assert row["reason_codes"].split(SEPARATOR) == [str(reason.code) for reason in verdicts[3].reasons]
    assert row["evidence_hash"] == verdicts[3].evidence_hash


def test_an_input_that_could_not_be_read_has_no_label(rows):
    last = read_csv(to_csv(rows))[-1]
    assert last["error"] == "expected 0 to 4"
    assert last["label"] == ""
    assert last["abstain"] == ""


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "\uff1d1", "\u200b=1", "\u202e=1"],
)
def test_a_formula_becomes_text(text, decided):
    assert safe_cell(text).startswith("'")
    row = {**decided[1][0].to_dict(), "case_id": text, "recommendation": text, "regimen": [text]}
    cells = read_csv(to_csv([row]))[0]
    assert all(cells[name].startswith("'") for name in ("case_id", "recommendation", "regimen"))


def test_what_is_no_formula_stays(decided):
    for text in ("osimertinib", "a=b", "EGFR L858R", "it's", "100 %", "a-1"):
        assert safe_cell(text) == text


def test_no_cell_breaks_a_line_or_turns_its_direction(decided):
    row = {**decided[1][0].to_dict(), "recommendation": 'a"b,\nc\u202ed\x1b[31m'}
    text = to_csv([row])
    assert text.count("\r\n") == 2
    assert text.removeprefix("\ufeff").replace("\r\n", "").isprintable()
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert read_csv(text)[0]["recommendation"] == 'a"b, c d [31m'


def test_half_of_a_surrogate_pair_does_not_break_a_file(decided, tmp_path):
    row = {**decided[1][0].to_dict(), "recommendation": "x\ud800y"}
    to_parquet([row], tmp_path / "v.parquet")
    assert pq.read_table(tmp_path / "v.parquet")["recommendation"].to_pylist() == ["x?y"]
    to_csv([row]).encode("utf-8")


def test_no_verdicts_are_a_table_without_rows(tmp_path):
    to_parquet([], tmp_path / "v.parquet")
    assert pq.read_table(tmp_path / "v.parquet").num_rows == 0
    assert to_csv([]).count("\r\n") == 1
