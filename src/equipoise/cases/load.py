"""Reads files of cases: JSON, JSON lines, CSV and Parquet. One bad case never loses the others."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.cases.formats import case_from_object, known_fields
from equipoise.cases.formats.record.model import Record
from equipoise.cases.model import Case
from equipoise.errors import CaseError, UsageError

MAX_FILE_BYTES = 2 * 1024**3
"""Largest file read as a whole (JSON); JSON lines, CSV and Parquet are streamed."""


@dataclass(frozen=True, slots=True)
class ReadItem:
    """One case of a file, or why it could not be read.

    Attributes:
        place: 1-based place in the file.
        line: 1-based line for line formats; None for others.
        case: the case; None when it could not be read.
        error: what is wrong; None when it could be read.
        case_id: id as far as it is known.
        data: the object as it stands in the file; None when the line is no object. Of a record, the case in the own format.
        record: what a record of a hospital or registry came to; None for a case.
    """

    place: int
    line: int | None
    case: Case | None
    error: CaseError | None
    case_id: str
    data: Any = None
    record: Record | None = None


def read_file(path: str | Path) -> Iterator[ReadItem]:
    """Read a file of cases.

    Args:
        path: ends in .json, .jsonl, .ndjson, .csv or .parquet; any other ending is read as JSON or JSON lines.

    Yields:
        One item a case, in the order of the file.

    Raises:
        UsageError: the file cannot be opened, or is not of the format its ending says.
    """
    file = Path(path)
    name = str(path)
    if not file.exists():
        msg = "no such file"
        raise UsageError(msg, file=name)
    if file.is_dir():
        msg = "expected a file of cases, got a folder"
        raise UsageError(msg, file=name)
    suffix = file.suffix.lower()
    if suffix == ".parquet":
        yield from _items(parquet_rows(file, name), name)
    elif suffix == ".csv":
        yield from _items(_csv_rows(file_bytes(file, name), name), name)
    else:
        yield from read_bytes(file_bytes(file, name), name=name, lines=suffix in (".jsonl", ".ndjson"))


def read_bytes(data: bytes, *, name: str = "-", lines: bool = False) -> Iterator[ReadItem]:
    """Read cases from the bytes of a JSON or JSON-lines document.

    Args:
        data: UTF-8 text.
        name: how to call the document in messages.
        lines: read as JSON lines even if it is one JSON value.

    Raises:
        UsageError: the bytes are not UTF-8 or not JSON.
    """
    if not lines:
        try:
            value = parse_document(data, name)
        except UsageError:
            if not _holds_json_lines(data):
                raise
        else:
            if isinstance(value, Mapping) and isinstance(value.get("cases"), list):
                value = value["cases"]
            objects = value if isinstance(value, list) else [value]
            yield from _items(((place, None, item) for place, item in enumerate(objects, start=1)), name)
            return
    yield from _items(_json_lines(data), name)


def parse_document(data: bytes, name: str) -> Any:
    """One JSON value from bytes; an element that stands twice with two values is an error in its place.

    Args:
        data: UTF-8 text.
        name: how to call the document in messages.

    Raises:
        UsageError: the bytes are not UTF-8 or not JSON.
    """
    text = file_text(data, name)
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        message = f"expected JSON: {error.msg}"
        raise UsageError(message, file=name, line=error.lineno) from None
    except ValueError:
        raise UsageError(_LONG_NUMBER, file=name) from None
    except RecursionError:
        message = "the JSON is nested too deeply"
        raise UsageError(message, file=name) from None


def _once(pairs: list[tuple[str, Any]]) -> Any:
    """An object of JSON, or the error that takes its place when an element stands twice with two values."""
    found = dict(pairs)
    if CaseError in map(type, found.values()):
        return next(value for value in found.values() if type(value) is CaseError)
    if len(found) == len(pairs):
        return found
    for name, value in pairs:
        if found[name] != value:
            return CaseError("the element stands twice in one object, with two values", field=name)
    return found


_LONG_NUMBER = "expected JSON: a number has more digits than can be read"


def _holds_json_lines(data: bytes) -> bool:
    """Whether a document that is no JSON value has a line that is one case: then it is JSON lines, and only its bad lines are lost."""
    rows = [line for line in data.split(b"\n") if line.strip()]
    return len(rows) > 1 and any(row.lstrip().startswith(b"{") and _is_object(row) for row in rows)


def _is_object(row: bytes) -> bool:
    try:
        return isinstance(json.loads(row.decode("utf-8-sig")), dict)
    except (ValueError, RecursionError):
        return False


def file_bytes(file: Path, name: str) -> bytes:
    """What a file holds.

    Args:
        file: the file.
        name: its name in messages.

    Raises:
        UsageError: it is larger than `MAX_FILE_BYTES` or cannot be read.
    """
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            msg = f"the file is larger than {MAX_FILE_BYTES} bytes"
            raise UsageError(msg, file=name)
        return file.read_bytes()
    except OSError as error:
        msg = f"cannot be read: {error.strerror}"
        raise UsageError(msg, file=name) from None


def file_text(data: bytes, name: str) -> str:
    """The text of a file, with or without a byte order mark.

    Args:
        data: what it holds.
        name: its name in messages.

    Raises:
        UsageError: it is not UTF-8; the line is named.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        msg = f"expected UTF-8 text, found the byte 0x{data[error.start]:02x}"
        raise UsageError(msg, file=name, line=line) from None


def _json_lines(data: bytes) -> Iterator[tuple[int, int | None, Any]]:
    place = 0
    for number, raw in enumerate(data.split(b"\n"), start=1):
        if not raw.strip():
            continue
        place += 1
        yield place, number, line_value(raw)


def line_value(raw: bytes) -> Any:
    """The JSON value of one line, or the error that takes its place.

    Args:
        raw: the line, UTF-8.
    """
    try:
        return json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_once)
    except UnicodeDecodeError as error:
        return CaseError(f"expected UTF-8 text, found the byte 0x{raw[error.start]:02x}")
    except json.JSONDecodeError as error:
        return CaseError(f"expected one JSON object a line: {error.msg} at column {error.colno}")
    except ValueError:
        return CaseError(_LONG_NUMBER)
    except RecursionError:
        return CaseError("the JSON is nested too deeply")


def _csv_rows(data: bytes, name: str) -> Iterator[tuple[int, int | None, Any]]:
    lines = list(io.StringIO(file_text(data, name), newline=""))
    header, start = csv_record(lines, 0)
    if isinstance(header, CaseError) or known_fields().isdisjoint(header):
        msg = "expected a header line with the names of the fields, separated by commas"
        raise UsageError(msg, file=name, line=1)
    place = 0
    while start < len(lines):
        line = start + 1
        row, start = csv_record(lines, start)
        if isinstance(row, list) and not row:
            continue
        place += 1
        if isinstance(row, CaseError):
            yield place, line, row
        elif len(row) > len(header):
            yield place, line, CaseError("the line has more cells than the header")
        else:
            yield place, line, {key: csv_cell(value) for key, value in zip(header, row, strict=False) if value != ""}


def csv_record(lines: list[str], start: int) -> tuple[list[str] | CaseError, int]:
    """The record that starts at a line, and where the next one starts; a record that is never closed ends with its first line."""
    reader = csv.reader((lines[place] for place in range(start, len(lines))), strict=True)
    try:
        return next(reader, []), start + max(reader.line_num, 1)
    except csv.Error as error:
        return CaseError(f"expected CSV: {error}"), start + 1


def csv_cell(value: str) -> Any:
    """What a cell holds: JSON when it begins like a list or object, true or false, otherwise its text."""
    text = value.strip()
    if text[:1] in "[{":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return value
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return value


def parquet_rows(file: Path, name: str) -> Iterator[tuple[int, int | None, Any]]:
    """Place, no line, and object of every row of a Parquet file; empty cells are left out, JSON in text cells is read.

    Raises:
        UsageError: it is not one.
    """
    import pyarrow as pa

    from equipoise.outcomes.parquet import open_parquet

    try:
        table = open_parquet(file)
        place = 0
        for batch in table.iter_batches(batch_size=1024, use_threads=False):
            for row in batch.to_pylist():
                place += 1
                yield (
                    place,
                    None,
                    {
                        key: csv_cell(value) if isinstance(value, str) else value
                        for key, value in row.items()
                        if value is not None
                    },
                )
    except (pa.ArrowInvalid, OSError) as error:
        msg = f"expected a Parquet file: {error}"
        raise UsageError(msg, file=name) from None


def read_objects(objects: Iterable[Any], *, name: str = "-") -> Iterator[ReadItem]:
    """Read cases that are objects already.

    Args:
        objects: JSON objects of any known format.
        name: how to call them in messages.
    """
    return _items(((place, None, item) for place, item in enumerate(objects, start=1)), name)


def _items(rows: Iterable[tuple[int, int | None, Any]], name: str) -> Iterator[ReadItem]:
    for place, line, value in rows:
        default_id = f"case-{place}"
        if isinstance(value, CaseError):
            yield ReadItem(place, line, None, _located(value, name, line), default_id)
            continue
        stated = value.get("case_id") if isinstance(value, Mapping) else None
        case_id = (
            str(stated).encode(errors="replace").decode()
            if isinstance(stated, str | int) and not isinstance(stated, bool) and stated != ""
            else default_id
        )
        try:
            case = case_from_object(value, default_id=default_id)
        except CaseError as error:
            yield ReadItem(place, line, None, _located(error, name, line), case_id, value)
        else:
            yield ReadItem(place, line, case, None, case.case_id, value)


def _located(error: CaseError, name: str, line: int | None) -> CaseError:
    return CaseError(
        error.message, file=error.file or name, line=error.line if error.line is not None else line, field=error.field
    )
