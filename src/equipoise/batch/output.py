"""Writes one part of a batch whole, or leaves what was there: Parquet, CSV that no spreadsheet computes, or JSON lines."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.batch.rows import COLUMNS, FIXED, FLAG, JUDGED, LIST, NUMBER, STATED, Column, Judged, Row, stated_cells
from equipoise.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

FORMATS: tuple[str, ...] = ("parquet", "csv", "jsonl")
"""What a batch writes."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings that a spreadsheet takes for a formula, full-width forms among them."""


def schema() -> pa.Schema:
    """The Arrow schema of a part; the help of each column stands in its metadata."""
    import pyarrow as pa

    kinds = {"text": pa.string(), FLAG: pa.bool_(), NUMBER: pa.int64(), LIST: pa.list_(pa.string())}
    return pa.schema([pa.field(column.name, kinds[column.kind], metadata={"help": column.help}) for column in COLUMNS])


def table_of(
    places: Sequence[int],
    lines: Sequence[int | None],
    ids: Sequence[str],
    hashes: Sequence[str],
    rows: Sequence[Row],
    indices: Sequence[int],
    fixed: Mapping[str, Any],
) -> pa.Table:
    """Rows of a part as a table: what is shared is written down once and taken by its index.

    Args:
        places: by row, place of the case.
        lines: by row, line of the case.
        ids: by row, id of the case.
        hashes: by row, hash of the case.
        rows: distinct rows.
        indices: by row, which of the distinct rows it is.
        fixed: what holds for all rows, by column.
    """
    import pyarrow as pa

    whole = schema()
    known: dict[Judged, int] = {}
    of_row = [known.setdefault(row.judged, len(known)) for row in rows]
    at = pa.array(indices, pa.int64())
    stated = _columns(STATED, [stated_cells(row) for row in rows], whole).take(at)
    judged = _columns(JUDGED, list(known), whole).take(pa.array(of_row, pa.int64()).take(at))
    own: dict[str, Any] = {
        "place": pa.array(places, pa.int64()),
        "line": pa.array(lines, pa.int64()),
        "case_id": pa.array(ids, pa.string()),
        "case_hash": pa.array(hashes, pa.string()),
        **{name: pa.repeat(pa.scalar(str(fixed[name])), len(indices)) for name in FIXED},
    }
    for taken in (stated, judged):
        own.update(zip(taken.column_names, taken.columns, strict=True))
    return pa.table([own[head.name] for head in COLUMNS], schema=whole)


def _columns(heads: Sequence[Column], rows: Sequence[tuple[Any, ...]], whole: pa.Schema) -> pa.Table:
    import pyarrow as pa

    cells = list(zip(*rows, strict=True)) or [()] * len(heads)
    return pa.table(
        [pa.array(column, type=whole.field(head.name).type) for head, column in zip(heads, cells, strict=True)],
        names=[head.name for head in heads],
    )


def part_bytes(table: pa.Table, form: str) -> bytes:
    """A table in the form in which it is written; equal tables give equal bytes.

    Args:
        table: of `table_of`.
        form: one of `FORMATS`.
    """
    return _WRITERS[form](table)


def _parquet(table: pa.Table) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table.combine_chunks(), sink, compression="zstd")
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _csv(table: pa.Table) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([head.name for head in COLUMNS])
    writer.writerows(zip(*[_csv_column(table.column(head.name)) for head in COLUMNS], strict=True))
    return file.getvalue().encode()


def _csv_column(column: pa.ChunkedArray) -> list[str]:
    """The cells of a column; each distinct text is made safe once."""
    known: dict[Any, str] = {}
    cells: list[str] = []
    for value in column.to_pylist():
        key = tuple(value) if isinstance(value, list) else value
        cell = known.get(key)
        if cell is None:
            cell = known[key] = _csv_cell(value)
        cells.append(cell)
    return cells


def _csv_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return safe_cell("; ".join(value) if isinstance(value, list) else value)


def safe_cell(text: str) -> str:
    """The text as a cell that no spreadsheet computes: control characters become spaces, a beginning of a formula gets an apostrophe."""
    plain = text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)
    return f"'{plain}" if plain.lstrip(" ").startswith(_FORMULA) or text.startswith(_FORMULA) else plain


def _jsonl(table: pa.Table) -> bytes:
    encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
    return "".join([f"{encode(row)}\n" for row in table.to_pylist()]).encode()


_WRITERS: dict[str, Callable[[pa.Table], bytes]] = {"parquet": _parquet, "csv": _csv, "jsonl": _jsonl}


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole: under another name first, to the disk, then renamed.

    Raises:
        UsageError: it cannot be written.
    """
    scratch = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with scratch.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        scratch.replace(path)
    except OSError as error:
        message = f"cannot be written: {error.strerror}"
        raise UsageError(message, file=str(path)) from None
