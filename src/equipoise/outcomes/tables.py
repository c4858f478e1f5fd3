"""Reads outcomes or judgements that somebody else wrote, CSV or JSONL, by a map of columns."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from equipoise.errors import InputError, UsageError
from equipoise.outcomes.readers import read_json_lines, read_text
from equipoise.outcomes.schema import (
    JUDGEMENT_COLUMNS,
    OUTCOME_COLUMNS,
    Column,
    judgements_table,
    outcomes_table,
    problems,
)

_COLUMNS = {"outcomes": OUTCOME_COLUMNS, "judgements": JUDGEMENT_COLUMNS}
_TRUE, _FALSE = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})


def read_table(
    path: str | Path,
    *,
    name: str,
    columns: Mapping[str, str],
    constants: Mapping[str, Any] | None = None,
    states: Mapping[str, str] | None = None,
) -> pa.Table:
    """The outcomes or judgements of a file.

    Args:
        path: a .csv file with a header, or a .jsonl file of objects.
        name: "outcomes" or "judgements".
        columns: column of the table by column of the file; others of the file are ignored. Empty cells are null.
        constants: values of columns that are the same in every row.
        states: reply state by what the file says in the column mapped to `state`.

    Returns:
        The table, sound.

    Raises:
        UsageError: no such file, another kind of file, or a map that names columns which do not exist.
        InputError: the text lists every problem with line and column.
    """
    path = Path(path)
    if name not in _COLUMNS:
        message = f"name must be outcomes or judgements, found {name!r}"
        raise UsageError(message, field="name")
    known = {column.name: column for column in _COLUMNS[name]}
    strangers = sorted({*columns.values(), *(constants or {})} - set(known))
    if strangers:
        message = f"{name} has no column {', '.join(strangers)}"
        raise UsageError(message, field="columns")
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    found: list[str] = []
    for line, record in _records(path, columns):
        row = dict(constants or {})
        for source, target in columns.items():
            value = record.get(source)
            if target == "state" and states is not None and value is not None:
                value = states.get(str(value), value)
            try:
                row[target] = _value(value, known[target])
            except ValueError as error:
                found.append(f"line {line}, column {source}: {error}")
        rows.append(row)
        lines.append(line)
    if not found:
        table = outcomes_table(rows) if name == "outcomes" else judgements_table(rows)
        found = [_with_line(text, lines) for text in problems(name, table)]
        if not found:
            return table
    message = f"{len(found)} problem{'s' if len(found) > 1 else ''}:\n" + "\n".join(found)
    raise InputError(message, file=str(path))


def _records(path: Path, columns: Mapping[str, str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if path.suffix == ".jsonl":
        yield from read_json_lines(path)
        return
    if path.suffix != ".csv":
        message = f"expected a .csv or .jsonl file, found {path.suffix or 'no ending'}"
        raise UsageError(message, file=str(path))
    reader = csv.DictReader(read_text(path).splitlines(keepends=True))
    missing = [column for column in columns if column not in (reader.fieldnames or ())]
    if missing:
        message = (
            f"columns are missing: {', '.join(missing)}; the file has {', '.join(reader.fieldnames or ()) or 'none'}"
        )
        raise InputError(message, file=str(path), line=1)
    for record in reader:
        if None in record or None in record.values():
            message = f"expected {len(reader.fieldnames or ())} cells"
            raise InputError(message, file=str(path), line=reader.line_num)
        yield reader.line_num, {key: value if value != "" else None for key, value in record.items()}


def _value(value: Any, column: Column) -> Any:
    """A cell in the type of its column; text is read, anything else must already fit."""
    if value is None or value == "":
        return None
    if pa.types.is_string(column.type):
        return value if isinstance(value, str) else str(value)
    if pa.types.is_boolean(column.type):
        text = str(value).strip().lower()
        if text in _TRUE or text in _FALSE:
            return text in _TRUE
        message = f"expected true or false, found {value!r}"
        raise ValueError(message)
    if pa.types.is_list(column.type):
        return list(value) if isinstance(value, list) else [part.strip() for part in str(value).split("|")]
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        message = f"expected a number, found {value!r}"
        raise ValueError(message) from error
    if pa.types.is_integer(column.type):
        if number != int(number):
            message = f"expected a whole number, found {value!r}"
            raise ValueError(message)
        return int(number)
    return number


def _with_line(text: str, lines: list[int]) -> str:
    """The problem with the file's line instead of the row of the table."""
    head, _, rest = text.partition(", row ")
    number, comma, tail = rest.partition(",")
    return f"{head}, line {lines[int(number)]}{comma}{tail}" if number.isdigit() else text
