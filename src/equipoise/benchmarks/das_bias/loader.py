"""The form of a bias set, JSONL or CSV, its reader, and the set of this package.

An item is a clinical question with options and one key, in which `{patient}` stands where the person is named. `warranted` lists the
identity labels under which another answer would be clinically right: there a changed answer is no bias.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from equipoise.errors import InputError, UsageError
from equipoise.ids import content_hash
from equipoise.outcomes.readers import read_json_lines, read_text
from equipoise.redteam.operators import OPERATORS, Family, Item, choice_item

BENCHMARK = "das_bias"
SHIPPED = "items.jsonl"
PLACEHOLDER = "{patient}"
PATIENT = "The patient"
"""What stands for the placeholder in the untouched item; the identity follows as a sentence of its own."""

COLUMNS: tuple[str, ...] = ("id", "topic", "question", "options", "key", "warranted", "source")
OPTIONAL: tuple[str, ...] = ("why_warranted", "reviewed")
SEPARATOR = "|"
"""Between the entries of `options` and `warranted` in a CSV file."""

LABELS: tuple[str, ...] = tuple(item.id.split(".", 1)[1] for item in OPERATORS if item.family is Family.IDENTITY)
"""Identity labels of the operators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasItem:
    """One item.

    Attributes:
        item: question, options and key.
        topic: field of medicine, for reports.
        warranted: labels under which a changed answer is clinically warranted.
        why_warranted: why; empty without any.
        source: where the key can be looked up.
        reviewed: whether a clinician has checked it.
    """

    item: Item
    topic: str
    warranted: frozenset[str]
    why_warranted: str
    source: str
    reviewed: bool


def load(path: str | Path | None = None) -> tuple[BiasItem, ...]:
    """The items of this package, or of a file.

    Args:
        path: .jsonl or .csv file; the packaged set by default.

    Raises:
        UsageError: there is no such file, or it has another ending.
        InputError: an element is missing, unknown or wrong; names file, line and element.
    """
    if path is None:
        with as_file(files("equipoise.benchmarks.das_bias").joinpath(SHIPPED)) as own:
            return _read(own, SHIPPED)
    return _read(Path(path), str(path))


def items_hash(items: Sequence[BiasItem]) -> str:
    """Hash over contents and warranted labels, in order."""
    return content_hash([[item.item.id, item.item.content_hash, sorted(item.warranted)] for item in items])


def _read(path: Path, file: str) -> tuple[BiasItem, ...]:
    found: list[BiasItem] = []
    lines: dict[str, int] = {}
    for line, record in _records(path, file):
        try:
            item = build(record)
        except InputError as error:
            raise error.located(file=file, line=line) from None
        if item.item.id in lines:
            message = f"the identifier {item.item.id!r} already stands on line {lines[item.item.id]}"
            raise InputError(message, file=file, line=line, field="id")
        lines[item.item.id] = line
        found.append(item)
    if not found:
        message = "expected at least one item"
        raise InputError(message, file=file)
    return tuple(found)


def _records(path: Path, file: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if path.suffix == ".jsonl":
        yield from read_json_lines(path)
        return
    if path.suffix != ".csv":
        message = f"expected a .jsonl or .csv file, found {path.suffix or 'no ending'}"
        raise UsageError(message, file=file)
    reader = csv.DictReader(read_text(path).splitlines(keepends=True))
    names = list(reader.fieldnames or ())
    wrong = [name for name in COLUMNS if name not in names] or [
        name for name in names if name not in (*COLUMNS, *OPTIONAL)
    ]
    if wrong:
        message = f"column {wrong[0]!r} is missing or unknown; expected {', '.join(COLUMNS)}, and if you like {', '.join(OPTIONAL)}"
        raise InputError(message, file=file, line=1)
    for row in reader:
        if None in row or None in row.values():
            message = f"expected {len(names)} cells"
            raise InputError(message, file=file, line=reader.line_num)
        yield reader.line_num, _from_cells(row, file, reader.line_num)


def _from_cells(row: Mapping[str, str], file: str, line: int) -> dict[str, Any]:
    record: dict[str, Any] = dict(row)
    for name in ("options", "warranted"):
        record[name] = [part.strip() for part in row[name].split(SEPARATOR) if part.strip()]
    if "reviewed" in row:
        said = row["reviewed"].strip().lower()
        if said not in ("true", "false", ""):
            message = f"expected true or false, found {row['reviewed']!r}"
            raise InputError(message, file=file, line=line, field="reviewed")
        record["reviewed"] = said == "true"
    return record


def build(record: Mapping[str, Any]) -> BiasItem:
    """One item of a record.

    Raises:
        InputError: an element is missing, unknown or wrong.
    """
    wrong = [name for name in COLUMNS if name not in record] or sorted(set(record) - {*COLUMNS, *OPTIONAL})
    if wrong:
        message = f"element {wrong[0]!r} is missing or unknown; expected {', '.join(COLUMNS)}, and if you like {', '.join(OPTIONAL)}"
        raise InputError(message, field=wrong[0])
    for name in ("id", "topic", "question", "key", "source"):
        if not isinstance(record[name], str) or not record[name].strip():
            message = f"expected a text, found {record[name]!r}"
            raise InputError(message, field=name)
    if record["question"].count(PLACEHOLDER) != 1:
        message = f"expected {PLACEHOLDER} exactly once, where the person is named"
        raise InputError(message, field="question")
    options = _texts(record["options"], "options")
    labels = _texts(record["warranted"], "warranted")
    unknown = [label for label in labels if label not in LABELS]
    if unknown:
        message = f"there is no label {unknown[0]!r}; expected some of {', '.join(LABELS)}"
        raise InputError(message, field="warranted")
    why = record.get("why_warranted", "")
    if not isinstance(why, str) or bool(labels) is not bool(why.strip()):
        message = "expected a reason where a label is warranted, and none otherwise"
        raise InputError(message, field="why_warranted")
    reviewed = record.get("reviewed", False)
    if not isinstance(reviewed, bool):
        message = f"expected true or false, found {reviewed!r}"
        raise InputError(message, field="reviewed")
    question = record["question"].replace(PLACEHOLDER, PATIENT)
    if len(record["key"].strip()) != 1:
        message = f"expected one letter, found {record['key']!r}"
        raise InputError(message, field="key")
    item = choice_item(record["id"].strip(), question, options, record["key"].strip().upper(), tags=(record["topic"],))
    return BiasItem(
        item=item, topic=record["topic"], warranted=frozenset(labels), why_warranted=why, source=record["source"],
        reviewed=reviewed,
    )  # fmt: skip


def _texts(value: Any, name: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        message = f"expected a list of texts, found {value!r}"
        raise InputError(message, field=name)
    return value
