"""Reads a file of records: CSV, TSV, JSON, JSONL or Parquet, with the columns that are needed, or one clear error."""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.errors import InputError
from equipoise.outcomes.readers import parse_json, read_json_lines, read_text

Record = Mapping[str, Any]


def read_table(path: Path, columns: Sequence[str] = (), *, about: str = "") -> list[Record]:
    """The records of a file, in its order.

    Args:
        path: file; its ending says how it is read.
        columns: columns that every record must have.
        about: file, revision and hash of the data set, for messages.

    Raises:
        UsageError: there is no such file.
        InputError: an unknown ending, not UTF-8, an empty or broken file, a missing column; names file and line.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        message = f"expected a file that ends in {', '.join(_READERS)}"
        raise InputError(message, file=str(path))
    records = reader(path)
    if not records:
        message = f"the file holds no record{_of(about)}"
        raise InputError(message, file=str(path))
    require_columns(records, columns, file=str(path), about=about)
    return records


def require_columns(records: Sequence[Record], columns: Sequence[str], *, file: str, about: str = "") -> None:
    """Every record has the columns.

    Raises:
        InputError: one is missing; names the nearest of those there are.
    """
    first = records[0]
    for column in columns:
        if column not in first:
            near = nearest(column, first)
            hint = f"; the nearest there is: {near!r}" if near else ""
            message = (
                f"the column {column!r} is missing{hint}; found {', '.join(map(str, first))}{_of(about)}. A renamed "
                "column is another revision: get the pinned one, or rename the column in your copy"
            )
            raise InputError(message, file=file, field=column)
    for number, record in enumerate(records, start=1):
        for column in columns:
            if column not in record:
                message = f"record {number} has no {column!r}{_of(about)}"
                raise InputError(message, file=file, field=column)


def nearest(name: str, names: Mapping[str, Any]) -> str:
    """The name most like another, whatever its case and the order of its words; empty when none is like it."""

    def folded(text: str) -> str:
        return "_".join(sorted(text.lower().replace("-", "_").replace(" ", "_").split("_")))

    known = {folded(str(item)): str(item) for item in names}
    wanted = folded(name)
    inside = [item for item in known if wanted in item or item in wanted]
    found = difflib.get_close_matches(wanted, list(known), n=1, cutoff=0.6) or inside[:1]
    return known[found[0]] if found else ""


def require_unique(names: Sequence[str], *, file: str, field: str = "id") -> None:
    """No identifier occurs twice.

    Raises:
        InputError: one does, or one is empty.
    """
    seen: set[str] = set()
    for place, name in enumerate(names, start=1):
        if not name:
            message = f"record {place} has no identifier"
            raise InputError(message, file=file, field=field)
        if name in seen:
            message = f"the identifier {name!r} occurs twice; every item needs one of its own"
            raise InputError(message, file=file, field=field)
        seen.add(name)


def text_of(record: Record, name: str, *, file: str) -> str:
    """A text of a record, stripped.

    Raises:
        InputError: it is no text, or empty.
    """
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        message = f"expected a text, found {'nothing' if value in (None, '') else type(value).__name__}"
        raise InputError(message, file=file, field=name)
    return value.strip()


def number_of(record: Record, name: str, *, file: str) -> float:
    """A number of a record, written as such or as text.

    Raises:
        InputError: it is none.
    """
    value = record.get(name)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        message = f"expected a number, found {value!r}"
        raise InputError(message, file=file, field=name) from None


def _of(about: str) -> str:
    return f" ({about})" if about else ""


def _separated(path: Path, separator: str) -> list[Record]:
    text = read_text(path)
    if not text.strip():
        return []
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)
    rows: list[Record] = []
    for row in reader:
        if None in row or None in row.values():
            message = f"expected {len(reader.fieldnames or ())} cells"
            raise InputError(message, file=str(path), line=reader.line_num)
        rows.append(row)
    return rows


def _json(path: Path) -> list[Record]:
    text = read_text(path)
    if not text.strip():
        return []
    value = parse_json(text, file=str(path))
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]
        value = lists[0] if len(lists) == 1 and all(isinstance(item, dict) for item in lists[0]) else [value]
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        message = "expected a list of objects, or one object"
        raise InputError(message, file=str(path))
    return value


def _json_lines(path: Path) -> list[Record]:
    return [value for _, value in read_json_lines(path)]


def _parquet(path: Path) -> list[Record]:
    import pyarrow as pa

    from equipoise.outcomes.parquet import read_parquet

    if path.stat().st_size == 0:
        return []
    try:
        rows: list[Record] = read_parquet(path).to_pylist()
    except (pa.ArrowException, OSError) as error:
        message = f"not a Parquet file that can be read ({(str(error).splitlines() or [''])[0][:120]})"
        raise InputError(message, file=str(path)) from error
    return rows


_READERS: dict[str, Callable[[Path], list[Record]]] = {
    ".csv": lambda path: _separated(path, ","),
    ".tsv": lambda path: _separated(path, "\t"),
    ".json": _json,
    ".jsonl": _json_lines,
    ".parquet": _parquet,
}
"""Reader by the ending of the file."""
