"""Reads the user's own seed files, each in its own layout, by a map of columns.

Forms: CSV and TSV with a header; JSON lines; JSON (a list of objects or texts, or an object of lists, whose keys become
the column `key`); plain text, one seed a line. A row that cannot be read is kept as a reject, never skipped unseen.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.benchmarks.health_orsc.pipeline.config import SeedFile
from equipoise.errors import InputError, UsageError
from equipoise.ids import content_hash
from equipoise.outcomes.readers import parse_json, read_text

_SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".txt": "txt"}
_USUAL = ("text", "prompt", "goal", "question", "Behavior", "behavior", "instruction", "query")
"""Columns that are tried when none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a seed file.

    Attributes:
        source: id of the file in the configuration.
        place: place of the file in the configuration, from 0.
        row: number of the row in the file, from 1.
        text: the text; empty when there is none.
        source_id: the file's own id; empty without one.
        category: the file's own category; empty without one.
        problem: why the row cannot be read; empty when it can.
    """

    source: str
    place: int
    row: int
    text: str = ""
    source_id: str = ""
    category: str = ""
    problem: str = ""


def read_seeds(spec: SeedFile, place: int, path: Path) -> Iterator[Row]:
    """Rows of a seed file, in its order.

    Args:
        spec: what the configuration says of it.
        place: its place in the configuration.
        path: the file.

    Raises:
        UsageError: there is no such file, its form cannot be told, or it lacks a column that is named.
        InputError: it is not UTF-8, or not in its form at all.
    """
    form = spec.format if spec.format != "auto" else _SUFFIXES.get(path.suffix.lower(), "")
    if not form:
        message = f"its form cannot be told from the suffix {path.suffix!r}; give format: csv, tsv, jsonl, json or txt"
        raise UsageError(message, file=str(path))
    text = read_text(path)
    records = list(_RECORDS[form](text, str(path)))
    columns = _columns(spec, [value for _, value, _ in records if value is not None], str(path))
    for number, value, problem in records:
        base: dict[str, Any] = {"source": spec.id, "place": place, "row": number}
        if value is None:
            yield Row(**base, problem=problem)
            continue
        cells = {name: _cell(value, column) for name, column in columns.items()}
        if cells.get("text") is None:
            yield Row(**base, problem=f"column {columns['text']!r} holds no text")
            continue
        yield Row(
            **base,
            text=_clean(cells["text"] or ""),
            source_id=cells.get("id") or "",
            category=cells.get("category") or "",
        )


def seed_id(folded: str) -> str:
    """Identifier of a seed by its folded text: the same in every file and order."""
    return f"seed-{content_hash(folded)}"


def _columns(spec: SeedFile, values: list[Mapping[str, Any]], file: str) -> dict[str, str]:
    present = {key for value in values for key in value}
    columns: dict[str, str] = {str(name): column for name, column in spec.columns.items()}
    if "text" not in columns:
        usual = [name for name in _USUAL if name in present]
        if values and not usual:
            message = f"name the column of the text under columns; the file has {_listed(present)}"
            raise UsageError(message, file=file, field=f"seeds.{spec.id}.columns")
        columns["text"] = usual[0] if usual else _USUAL[0]
    for name, column in columns.items():
        if values and column not in present and column.split(".")[0] not in present:
            message = f"there is no column {column!r}; the file has {_listed(present)}"
            raise UsageError(message, file=file, field=f"seeds.{spec.id}.columns.{name}")
    return columns


def _listed(names: set[str]) -> str:
    return ", ".join(repr(name) for name in sorted(names)[:12]) or "none"


def _cell(value: Mapping[str, Any], column: str) -> str | None:
    """The text under a column, dots going into objects; None when there is none."""
    found: Any = value.get(column)
    if column not in value:
        found = value
        for part in column.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return None
    return str(found)


def _clean(text: str) -> str:
    return " ".join(text.split())


Record = tuple[int, Mapping[str, Any] | None, str]
"""Number, value and problem of a row."""


def _separated(text: str, file: str, delimiter: str) -> Iterator[Record]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        head = [name.strip() for name in next(reader, [])]
        if len(set(head)) != len(head):
            message = "two columns have the same name"
            raise InputError(message, file=file, line=1)
        number = 0
        for cells in reader:
            if not cells:
                continue
            number += 1
            if len(cells) != len(head):
                yield number, None, f"{len(cells)} cells, the header has {len(head)} (line {reader.line_num})"
            else:
                yield number, dict(zip(head, cells, strict=True)), ""
    except csv.Error as error:
        message = f"not readable as {'CSV' if delimiter == ',' else 'TSV'} ({error})"
        raise InputError(message, file=file, line=reader.line_num) from error


def _csv(text: str, file: str) -> Iterator[Record]:
    yield from _separated(text, file, ",")


def _tsv(text: str, file: str) -> Iterator[Record]:
    yield from _separated(text, file, "\t")


def _jsonl(text: str, file: str) -> Iterator[Record]:
    del file
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield number, None, "not JSON"
            continue
        yield _record(number, value)


def _json(text: str, file: str) -> Iterator[Record]:
    value = parse_json(text, file=file)
    if isinstance(value, Mapping) and value and all(isinstance(item, list) for item in value.values()):
        value = [
            {**item, "key": key} if isinstance(item, Mapping) else {"text": item, "key": key}
            for key, items in value.items()
            for item in items
        ]
    if not isinstance(value, list):
        message = "expected a list, or an object of lists"
        raise InputError(message, file=file)
    for number, item in enumerate(value, start=1):
        yield _record(number, item)


def _txt(text: str, file: str) -> Iterator[Record]:
    del file
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, {"text": line}, ""


def _record(number: int, value: Any) -> Record:
    if isinstance(value, str):
        return number, {"text": value}, ""
    if isinstance(value, Mapping):
        return number, value, ""
    return number, None, "neither an object nor a text"


_RECORDS = {"csv": _csv, "tsv": _tsv, "jsonl": _jsonl, "json": _json, "txt": _txt}
