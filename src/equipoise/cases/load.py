"""Reads files of cases: JSON, JSON lines, CSV and Parquet. One bad case never loses the others."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.cases.formats import case_from_object
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
    """

    place: int
    line: int | None
    case: Case | None
    error: CaseError | None
    case_id: str


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
        yield from _items(_parquet_rows(file, name), name)
    elif suffix == ".csv":
        yield from _items(_csv_rows(_bytes(file, name), name), name)
    else:
        yield from read_bytes(_bytes(file, name), name=name, lines=suffix in (".jsonl", ".ndjson"))


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
        text = _decode(data, name)
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            rows = [line for line in text.splitlines() if line.strip()]
            if len(rows) < 2 or not rows[0].lstrip().startswith("{") or not _is_json(rows[0]):
                message = f"expected JSON: {error.msg}"
                raise UsageError(message, file=name, line=error.lineno) from None
            lines = True
        except RecursionError:
            msg = "the JSON is nested too deeply"
            raise UsageError(msg, file=name) from None
        else:
            if isinstance(value, Mapping) and isinstance(value.get("cases"), list):
                value = value["cases"]
            objects = value if isinstance(value, list) else [value]
            yield from _items(((place, None, item) for place, item in enumerate(objects, start=1)), name)
            return
    yield from _items(_json_lines(data), name)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return False
    return True


def _bytes(file: Path, name: str) -> bytes:
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            msg = f"the file is larger than {MAX_FILE_BYTES} bytes"
            raise UsageError(msg, file=name)
        return file.read_bytes()
    except OSError as error:
        msg = f"cannot be read: {error.strerror}"
        raise UsageError(msg, file=name) from None


def _decode(data: bytes, name: str) -> str:
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
        try:
            yield place, number, json.loads(raw.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            yield place, number, CaseError(f"expected UTF-8 text, found the byte 0x{raw[error.start]:02x}")
        except json.JSONDecodeError as error:
            yield place, number, CaseError(f"expected one JSON object a line: {error.msg} at column {error.colno}")
        except RecursionError:
            yield place, number, CaseError("the JSON is nested too deeply")


def _csv_rows(data: bytes, name: str) -> Iterator[tuple[int, int | None, Any]]:
    reader = csv.DictReader(io.StringIO(_decode(data, name), newline=""))
    if not reader.fieldnames:
        msg = "expected a header line with the names of the fields"
        raise UsageError(msg, file=name, line=1)
    place = 0
    try:
        for row in reader:
            place += 1
            if None in row:
                yield place, reader.line_num, CaseError("the line has more cells than the header")
                continue
            yield place, reader.line_num, {key: _cell(value) for key, value in row.items() if value not in (None, "")}
    except csv.Error as error:
        msg = f"expected CSV: {error}"
        raise UsageError(msg, file=name, line=reader.line_num) from None


def _cell(value: str) -> Any:
    text = value.strip()
    if text[:1] in "[{":
        try:
            return json.loads(text)
        except (json.JSONDecodeError, RecursionError):
            return value
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return value


def _parquet_rows(file: Path, name: str) -> Iterator[tuple[int, int | None, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file)
        place = 0
        for batch in table.iter_batches(batch_size=1024):
            for row in batch.to_pylist():
                place += 1
                yield (
                    place,
                    None,
                    {
                        key: _cell(value) if isinstance(value, str) else value
                        for key, value in row.items()
                        if value is not None
                    },
                )
    except (pa.ArrowInvalid, OSError) as error:
        msg = f"expected a Parquet file: {error}"
        raise UsageError(msg, file=name) from None


def _items(rows: Iterable[tuple[int, int | None, Any]], name: str) -> Iterator[ReadItem]:
    for place, line, value in rows:
        default_id = f"case-{place}"
        if isinstance(value, CaseError):
            yield ReadItem(place, line, None, _located(value, name, line), default_id)
            continue
        stated = value.get("case_id") if isinstance(value, Mapping) else None
        case_id = (
            str(stated)
            if isinstance(stated, str | int) and not isinstance(stated, bool) and stated != ""
            else default_id
        )
        try:
            case = case_from_object(value, default_id=default_id)
        except CaseError as error:
            yield ReadItem(place, line, None, _located(error, name, line), case_id)
        else:
            yield ReadItem(place, line, case, None, case.case_id)


def _located(error: CaseError, name: str, line: int | None) -> CaseError:
    return CaseError(
        error.message, file=error.file or name, line=error.line if error.line is not None else line, field=error.field
    )
