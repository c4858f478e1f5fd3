"""What comes into a study from files: items (cases, replies of a run, rows of a table) and labels given elsewhere."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.errors import InputError, UsageError
from equipoise.ids import bytes_hash
from equipoise.outcomes.readers import parse_json, read_json_lines, read_text
from equipoise.outcomes.run import RUN_FILE, read_run
from equipoise.outcomes.schema import ReplyState
from equipoise.study.blinding import mask
from equipoise.study.history import EventKind
from equipoise.study.raters import add_rater, raters
from equipoise.study.store import Draw, Item, Store

ID_FIELDS: tuple[str, ...] = ("case_id", "item_id", "id", "reply_id", "item", "name")
"""Fields that may name an item, the first that is there counts."""
SOURCES: tuple[str, ...] = ("system", "model", "model_family", "provider")
"""Fields whose values are masked where the reply names them."""
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did.

    Attributes:
        new: entries that were added.
        known: entries that were there with the same content.
        masked: places in replies where the source named itself.
        left_out: entries that were not taken, by reason.
    """

    new: int
    known: int
    masked: int = 0
    left_out: Mapping[str, int]


def import_items(
    store: Store, path: Path, *, at: str, join: Path | None = None, names: Sequence[str] = (), role: str = "main"
) -> Imported:
    """Adds the items of a file to a study, whole or not at all.

    Args:
        store: the study.
        path: JSON lines, a JSON list, CSV with a header, or a run folder, of which every readable reply is an item.
        at: ISO date and time.
        join: JSON lines with more fields of the items of a run, found by the item's id.
        names: further names that are masked in replies.
        role: "main", "training" or "attention".

    Raises:
        UsageError: there is no such file or folder.
        InputError: a record without id, an id given twice, a field of the protocol missing; names file and line.
    """
    records, left_out = _records(path, join)
    shown = store.protocol.items.show
    keyed = {item.item: "training" for item in store.protocol.training}
    keyed |= {item.item: "attention" for item in store.protocol.attention.items}
    items: dict[str, Item] = {}
    masked = 0
    for line, record in records:
        name = _name(record, path, line)
        if name in items:
            message = f"item {name!r} is given twice"
            raise InputError(message, file=str(path), line=line)
        missing = [part for part in shown if part not in record]
        if missing:
            message = f"item {name!r} has no field {missing[0]!r}, which the protocol shows to raters"
            raise InputError(message, file=str(path), line=line, field=missing[0])
        visible = {part: record[part] for part in shown}
        count = 0
        if store.protocol.items.kind == "reply" and isinstance(visible.get("reply"), str):
            done = mask(visible["reply"], [*names, *(str(record[part]) for part in SOURCES if record.get(part))])
            visible["reply"], count = done.text, done.count
        masked += count
        hidden = {part: value for part, value in record.items() if part not in shown and value is not None}
        items[name] = Item(name=name, shown=visible, hidden=hidden, role=keyed.get(name, role), masked=count)
    new, known = store.add_items(items.values(), at=at, origin=_origin(path))
    return Imported(new=new, known=known, masked=masked, left_out=left_out)


def import_labels(
    store: Store,
    path: Path,
    *,
    item: str,
    columns: Mapping[str, str],
    at: str,
    draw: Draw,
    rename: Mapping[str, str] | None = None,
) -> Imported:
    """Adds labels given elsewhere to a study; they are marked as imported in every history.

    The whole file is checked before the first label is added. An import that was cut short is completed by the same call
    again, because a label that is there is left alone.

    Args:
        store: the study; the items must be in it.
        path: CSV with a header, one row an item.
        item: column with the item's id.
        columns: rater's code by column with the labels. A rater who is not there is added.
        at: ISO date and time.
        draw: source of the random ids.
        rename: what a label of the file is called in the protocol.

    Raises:
        UsageError: there is no such file.
        InputError: a column, item or label that does not exist, an item given twice, an item that the same rater labels
            here; names file and line.
    """
    rows = _table(path)
    wanted = [item, *columns]
    lacking = [name for name in wanted if rows and name not in rows[0][1]]
    if lacking:
        message = f"there is no column {lacking[0]!r}; the file has {', '.join(rows[0][1])}"
        raise InputError(message, file=str(path), line=1)
    given, empty = _labels(store, path, rows, item, columns, rename or {})
    for place in store.assignments():
        if place.purpose != "import" and place.repeat == 1 and (place.rater, place.item) in given:
            message = f"item {place.item!r} is in the queue of rater {place.rater!r} here; name the rater of the file otherwise"
            raise InputError(message, file=str(path))
    known_raters = {rater.code for rater in raters(store)}
    for code in columns.values():
        if code not in known_raters:
            add_rater(store, code, at=at)
    store.assign([(rater, name, "import", 1) for rater, name in given], draw=draw, at=at)
    queue = {(found.rater, found.item): found for found in store.assignments() if found.repeat == 1}
    press = f"import-{bytes_hash(path.read_bytes())[:16]}"
    before = store.states()
    known = 0
    for (rater, name), label in given.items():
        place = queue[rater, name]
        if before[place.public].answers.get(store.protocol.primary.id) == label:
            known += 1
            continue
        store.record(
            rater, place.public, EventKind.IMPORT, press=press, at=at,
            answers={store.protocol.primary.id: label}, reason=_origin(path),
        )  # fmt: skip
    left_out = {"no label in the file": empty} if empty else {}
    return Imported(new=len(given) - known, known=known, left_out=left_out)


def _labels(
    store: Store,
    path: Path,
    rows: Sequence[tuple[int, Mapping[str, Any]]],
    item: str,
    columns: Mapping[str, str],
    rename: Mapping[str, str],
) -> tuple[dict[tuple[str, str], str], int]:
    options = store.protocol.primary.values
    names = {found.name for found in store.items()}
    given: dict[tuple[str, str], str] = {}
    seen: dict[str, int] = {}
    empty = 0
    for line, row in rows:
        name = row[item]
        if name not in names:
            message = f"item {name!r} is not in the study; import the items first"
            raise InputError(message, file=str(path), line=line, field=item)
        if name in seen:
            message = f"item {name!r} was labelled on line {seen[name]} already"
            raise InputError(message, file=str(path), line=line, field=item)
        seen[name] = line
        for column, rater in columns.items():
            label = rename.get(row[column], row[column])
            if not label.strip():
                empty += 1
                continue
            if label not in options:
                message = (
                    f"{row[column]!r} is no answer to {store.protocol.primary.id!r}; expected one of "
                    f"{', '.join(options)}; rename it with --rename {row[column]!r}=LABEL"
                )
                raise InputError(message, file=str(path), line=line, field=column)
            given[rater, name] = label
    return given, empty


def _records(path: Path, join: Path | None) -> tuple[list[tuple[int, dict[str, Any]]], dict[str, int]]:
    if path.is_dir():
        return _replies(path, join)
    if path.suffix.lower() == ".csv":
        return _table(path), {}
    if path.suffix.lower() == ".json":
        value = parse_json(read_text(path), file=str(path))
        if not isinstance(value, list) or not all(isinstance(record, dict) for record in value):
            message = "expected a list of objects"
            raise InputError(message, file=str(path))
        return list(enumerate(value, start=1)), {}
    return list(read_json_lines(path)), {}


def _replies(path: Path, join: Path | None) -> tuple[list[tuple[int, dict[str, Any]]], dict[str, int]]:
    """Every readable reply of a run, with the fields of its item; the others counted by what became of them."""
    if not (path / RUN_FILE).is_file():
        message = f"there is no run here: {RUN_FILE} is missing"
        raise UsageError(message, file=str(path))
    more: dict[str, dict[str, Any]] = {}
    for line, record in () if join is None else read_json_lines(join):
        more[_name(record, join, line)] = record
    records, left_out = [], Counter[str]()
    for line, row in enumerate(read_run(path).outcomes.to_pylist(), start=1):
        if row["state"] != ReplyState.OK or not row["reply"]:
            left_out[row["state"] if row["state"] != ReplyState.OK else "reply not kept"] += 1
            continue
        if join is not None and row["item"] not in more:
            message = f"item {row['item']!r} of the run is not in {join.name}"
            raise InputError(message, file=str(join))
        record = {name: value for name, value in more.get(row["item"], {}).items() if name not in ID_FIELDS}
        kept = {name: value for name, value in row.items() if value is not None}
        records.append((line, {**record, **kept, "id": row["reply_id"]}))
    return records, dict(left_out)


def _table(path: Path) -> list[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    rows = []
    try:
        heads = reader.fieldnames or []
        if len(set(heads)) != len(heads):
            message = "a column is named twice"
            raise InputError(message, file=str(path), line=1)
        for row in reader:
            if None in row or None in row.values():
                message = f"expected {len(heads)} cells, as in the header"
                raise InputError(message, file=str(path), line=reader.line_num)
            rows.append((reader.line_num, dict(row)))
    except csv.Error as error:
        message = f"not readable CSV ({error})"
        raise InputError(message, file=str(path), line=reader.line_num) from error
    return rows


def _name(record: Mapping[str, Any], path: Path | None, line: int) -> str:
    for field in ("id", *ID_FIELDS) if "reply_id" in record else ID_FIELDS:
        value = record.get(field)
        if isinstance(value, str) and value.strip():
            if len(value) > LONGEST_NAME:
                message = f"an id has at most {LONGEST_NAME} characters"
                raise InputError(message, file=str(path), line=line, field=field)
            return value
    message = f"expected an id in one of {', '.join(ID_FIELDS)}"
    raise InputError(message, file=str(path), line=line)


def _origin(path: Path) -> str:
    """Name and hash of what was read; never the folder it lies in."""
    data = (path / RUN_FILE if path.is_dir() else path).read_bytes()
    return f"{path.name}, sha256 {bytes_hash(data)[:16]}"
