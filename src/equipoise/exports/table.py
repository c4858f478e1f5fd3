"""Verdicts as one table: one row a recommendation, one for an input that could not be read. CSV and Parquet have the same columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Row = Mapping[str, Any]
"""`Verdict.to_dict()`, or an object with `case_id` and `error` for an input that could not be read."""


class Column(NamedTuple):
    """One column.

    Attributes:
        name: its head.
        kind: text, flag, or list of texts.
        value: from a row; None where it has none.
        help: what it holds, for the documents.
    """

    name: str
    kind: str
    value: Callable[[Row], Any]
    help: str


def _plain(name: str) -> Callable[[Row], Any]:
    return lambda row: row.get(name)


def _ids(name: str, part: str) -> Callable[[Row], list[str]]:
    return lambda row: [str(item[part]) for item in row.get(name, ())]


def _first(part: str) -> Callable[[Row], Any]:
    return lambda row: row["evidence"][0][part] if row.get("evidence") else None


COLUMNS: tuple[Column, ...] = (
    Column("case_id", "text", _plain("case_id"), "id of the case"),
    Column("recommendation_id", "text", _plain("recommendation_id"), "id of the recommendation"),
    Column("recommendation", "text", _plain("recommendation"), "as written"),
    Column("regimen", "list", _plain("regimen"), "its components"),
    Column("label", "text", _plain("label"), "one of the four labels; empty when the input could not be read"),
    Column("abstain", "flag", _plain("abstain"), "whether a person must decide"),
    Column("headline", "text", _plain("headline"), "the verdict in one sentence"),
    Column("reason_codes", "list", _ids("reasons", "code"), "why"),
    Column("missing_fields", "list", _plain("missing_fields"), "fields that decide and are not documented"),
    Column(
        "caveats",
        "list",
        lambda row: [str(item["name"]) for item in row.get("caveats", ()) if item["state"] == "fires"],
        "cautions that apply",
    ),
    Column("evidence", "list", _ids("evidence", "id"), "assertions that speak for it, the deciding one first"),
    Column("evidence_level", "text", _first("level"), "level of the first of them"),
    Column("evidence_source", "text", _first("source"), "its source"),
    Column("evidence_against", "list", _ids("evidence_against", "id"), "assertions that speak against it"),
    Column("as_of", "text", _plain("as_of"), "day for which the evidence was read"),
    Column("jurisdiction", "text", _plain("jurisdiction"), "of which the sources speak"),
    Column("policy", "text", _plain("policy"), "id of the policy"),
    Column("policy_hash", "text", _plain("policy_hash"), "content hash of the policy"),
    Column("evidence_hash", "text", _plain("evidence_hash"), "content hash of the evidence base"),
    Column("case_hash", "text", _plain("case_hash"), "content hash of the case as read"),
    Column("engine_version", "text", _plain("engine_version"), "version of this package"),
    Column("error", "text", _plain("error"), "what is wrong with an input that could not be read"),
)
"""In the order in which they stand."""

SEPARATOR = "; "
"""Between the items of a list in a cell of CSV."""

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings that a spreadsheet takes for a formula, full-width forms among them."""
_MARK = "'"


def safe_cell(text: str) -> str:
    """Text as a cell that no spreadsheet computes.

    Args:
        text: any text. Control characters, and characters that turn the direction of writing, become spaces; what begins like a formula
            gets an apostrophe before it, which stays in the file.
    """
    plain = "".join(char if char.isprintable() else " " for char in text)
    return _MARK + plain if text.startswith(_STARTS) or plain.lstrip(" ").startswith(_STARTS) else plain


def to_csv(rows: Sequence[Row]) -> str:
    """The table as CSV with a byte order mark, by which spreadsheets know UTF-8; every cell is safe to open."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([column.name for column in COLUMNS])
    writer.writerows([_cell(column, column.value(row)) for column in COLUMNS] for row in rows)
    return "\ufeff" + file.getvalue()


def _cell(column: Column, value: Any) -> str:
    if value is None:
        return ""
    if column.kind == "flag":
        return "true" if value else "false"
    return safe_cell(SEPARATOR.join(map(str, value)) if column.kind == "list" else str(value))


def to_parquet(rows: Sequence[Row], path: Path) -> None:
    """The table as a Parquet file, lists as lists; cells are as they are, since nothing computes them.

    Args:
        rows: verdicts.
        path: where to write; the folder must exist.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"text": pa.string(), "flag": pa.bool_(), "list": pa.list_(pa.string())}
    schema = pa.schema([pa.field(column.name, kinds[column.kind]) for column in COLUMNS])
    arrays = [pa.array([_value(column, row) for row in rows], type=kinds[column.kind]) for column in COLUMNS]
    scratch = path.with_name(f".{path.name}.part")
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), scratch)
    scratch.replace(path)


def _value(column: Column, row: Row) -> Any:
    value = column.value(row)
    if value is None or column.kind == "flag":
        return value
    return [_text(item) for item in value] if column.kind == "list" else _text(str(value))


def _text(value: Any) -> str:
    """Text that UTF-8 can hold: half of a surrogate pair becomes a question mark."""
    return str(value).encode("utf-8", "replace").decode("utf-8")
