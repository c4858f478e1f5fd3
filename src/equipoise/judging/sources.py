"""Where the texts of items come from: run folders keep replies but not always prompts, so items are read from a file.

A file of items is JSONL or CSV with one item a line: `id` (or `item`, `case_id`), and any text a rubric shows under the
part's name: `prompt`, `system`, `reference` (a text, or a list of alternatives) and so on. A list such as
`critical_actions` holds texts, or objects with `id`, `text` and possibly `weight`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from equipoise.errors import InputError, UsageError
from equipoise.ids import text_hash
from equipoise.judging.material import Entry, JudgeMaterial
from equipoise.judging.rubric import REPLY
from equipoise.outcomes.readers import read_json_lines, read_text

ID_COLUMNS: tuple[str, ...] = ("id", "item", "case_id")
"""Columns that may name the item; the first there is counts."""

REFERENCES_FILE = "references.jsonl"
"""File of a run folder that says what items are held against; it may hold their prompts, or only `prompt_hash`."""


class MaterialSource(Protocol):
    """Gives the texts of a reply and its item."""

    def material_for(self, reply_row: Mapping[str, Any]) -> JudgeMaterial:
        """The texts that belong to a row of the outcomes table.

        Raises:
            InputError: there is no text for its item.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemText:
    """The texts of one item.

    Attributes:
        parts: text by the name of a part; several texts are alternatives.
        lists: entries by the name of a part.
        out_of_scope: criteria declared not to apply before anybody judged.
    """

    parts: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    lists: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    out_of_scope: frozenset[str] = frozenset()


class RepliesOnly:
    """Material without any text of the item; enough for a rubric that shows the reply alone."""

    def material_for(self, reply_row: Mapping[str, Any]) -> JudgeMaterial:
        """The reply alone."""
        return JudgeMaterial(item=str(reply_row["item"]), parts=_reply(reply_row))


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTexts:
    """Texts of items by identifier.

    Attributes:
        items: the texts.
        origin: where they come from, for messages.
        prompt_hashes: hash (`ids.text_hash`) of the prompt that was asked, by item, where the run keeps one.
    """

    items: Mapping[str, ItemText]
    origin: str = "the items"
    prompt_hashes: Mapping[str, str] = field(default_factory=dict)

    def material_for(self, reply_row: Mapping[str, Any]) -> JudgeMaterial:
        """The texts that belong to a row of the outcomes table.

        Raises:
            InputError: the item is not among them, or its prompt is not the one that was asked.
        """
        name = str(reply_row["item"])
        found = self.items.get(name)
        if found is None:
            message = f"{self.origin} has no item {name!r}; name the file of the items that were asked with --data"
            raise InputError(message, field="item")
        wanted = self.prompt_hashes.get(name)
        prompt = found.parts.get("prompt")
        if wanted and isinstance(prompt, str) and text_hash(prompt) != wanted:
            message = (
                f"the prompt of item {name!r} in {self.origin} is not the one that was asked: its hash is "
                f"{text_hash(prompt)}, the run says {wanted}; use the file and revision of the run"
            )
            raise InputError(message, field="prompt")
        return JudgeMaterial(
            item=name,
            parts={**found.parts, **_reply(reply_row)},
            lists=found.lists,
            out_of_scope=found.out_of_scope,
        )


class PromptLike(Protocol):
    """An item as the refusal benchmarks have it (`equipoise.benchmarks.prompts.item.PromptItem`)."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def prompt(self) -> str: ...  # noqa: D102
    @property
    def system(self) -> str: ...  # noqa: D102
    @property
    def critical_actions(self) -> tuple[Any, ...]: ...  # noqa: D102


def from_items(items: Iterable[PromptLike], *, origin: str = "the items") -> ItemTexts:
    """The texts of items that a benchmark's loader has read; a text "reference" among their facts is shown too.

    Args:
        items: items with id, prompt, system and critical actions.
        origin: where they come from, for messages.
    """
    found = {}
    for item in items:
        parts: dict[str, str | tuple[str, ...]] = {"prompt": item.prompt, "system": item.system}
        reference = getattr(item, "facts", {}).get("reference")
        if isinstance(reference, str):
            parts["reference"] = reference
        entries = tuple(Entry(id=action.id, text=action.text) for action in item.critical_actions)
        found[item.id] = ItemText(parts=parts, lists={"critical_actions": entries} if entries else {})
    return ItemTexts(items=found, origin=origin)


def read_items(path: str | Path, *, columns: Mapping[str, str] | None = None) -> ItemTexts:
    """The texts of a file of items.

    Args:
        path: a .jsonl or .csv file.
        columns: column of the file by the name used here ("prompt": "question"), for files with other names.

    Raises:
        UsageError: no such file, or one of another kind.
        InputError: a line without an identifier, an item twice, or an element of another form; with file and line.
    """
    path = Path(path)
    items: dict[str, ItemText] = {}
    for line, record in _records(path):
        named = _renamed(record, columns or {}, path, line)
        name = next((str(named[key]) for key in ID_COLUMNS if named.get(key) not in (None, "")), "")
        if not name:
            message = f"no identifier; expected one of the columns {', '.join(ID_COLUMNS)}"
            raise InputError(message, file=str(path), line=line)
        if name in items:
            message = f"item {name!r} stands there twice"
            raise InputError(message, file=str(path), line=line, field="id")
        try:
            items[name] = item_text(named)
        except InputError as error:
            raise error.located(file=str(path), line=line) from error
    return ItemTexts(items=items, origin=path.name)


def run_items(folder: Path) -> ItemTexts | None:
    """The texts a run folder itself holds; None when it holds no prompt."""
    path = folder / REFERENCES_FILE
    if not path.is_file():
        return None
    items = {}
    for line, record in read_json_lines(path):
        name = next((str(record[key]) for key in ID_COLUMNS if record.get(key) not in (None, "")), "")
        if name and isinstance(record.get("prompt"), str):
            try:
                items[name] = item_text(record)
            except InputError as error:
                raise error.located(file=str(path), line=line) from error
    return ItemTexts(items=items, origin=REFERENCES_FILE) if items else None


def prompt_hashes(folder: Path) -> dict[str, str]:
    """Hash of the prompt by item, where a run folder keeps it; empty when it does not."""
    path = folder / REFERENCES_FILE
    if not path.is_file():
        return {}
    found = {}
    for _, record in read_json_lines(path):
        name = next((str(record[key]) for key in ID_COLUMNS if record.get(key) not in (None, "")), "")
        if name and isinstance(record.get("prompt_hash"), str):
            found[name] = str(record["prompt_hash"])
    return found


def item_text(record: Mapping[str, Any]) -> ItemText:
    """The texts of one record.

    Raises:
        InputError: a list holds something else than texts and entries.
    """
    parts: dict[str, str | tuple[str, ...]] = {}
    lists: dict[str, tuple[Entry, ...]] = {}
    scope = record.get("out_of_scope") or ()
    if not isinstance(scope, list | tuple) or not all(isinstance(name, str) for name in scope):
        message = "expected a list of criteria"
        raise InputError(message, field="out_of_scope")
    for name, value in record.items():
        if name in (*ID_COLUMNS, "out_of_scope", REPLY):
            continue
        if isinstance(value, str):
            parts[name] = value
        elif isinstance(value, list) and value:
            if name == "reference" and all(isinstance(item, str) for item in value):
                parts[name] = tuple(value)
            elif all(isinstance(item, str) or (isinstance(item, Mapping) and "text" in item) for item in value):
                lists[name] = tuple(_entry(item, place, name) for place, item in enumerate(value, start=1))
    return ItemText(parts=parts, lists=lists, out_of_scope=frozenset(scope))


def _entry(value: Any, place: int, name: str) -> Entry:
    if isinstance(value, str):
        return Entry(id=str(place), text=value)
    weight = value.get("weight", 1.0)
    if not isinstance(value["text"], str) or isinstance(weight, bool) or not isinstance(weight, int | float):
        message = f"entry {place}: expected a text, and a number as its weight"
        raise InputError(message, field=name)
    return Entry(id=str(value.get("id") or place), text=value["text"], weight=float(weight))


def _reply(row: Mapping[str, Any]) -> dict[str, str | tuple[str, ...]]:
    text = row.get("reply")
    return {REPLY: text} if isinstance(text, str) and text else {}


def _records(path: Path) -> Iterable[tuple[int, Mapping[str, Any]]]:
    if path.suffix == ".jsonl":
        return read_json_lines(path)
    if path.suffix != ".csv":
        message = f"expected a .jsonl or .csv file of items, found {path.suffix or 'no ending'}"
        raise UsageError(message, file=str(path))
    return _csv(path)


def _csv(path: Path) -> Iterable[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(read_text(path).splitlines(keepends=True))
    for record in reader:
        if None in record or None in record.values():
            message = f"expected {len(reader.fieldnames or ())} cells"
            raise InputError(message, file=str(path), line=reader.line_num)
        yield reader.line_num, {name: _cell(name, text) for name, text in record.items()}


def _cell(name: str, text: str) -> Any:
    """A cell; a JSON list in any column but the prompt's is a list, any other text is that text."""
    if name == "prompt" or not text.startswith("["):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, list) else text


def _renamed(record: Mapping[str, Any], columns: Mapping[str, str], path: Path, line: int) -> Mapping[str, Any]:
    for column in columns.values():
        if column not in record:
            message = f"there is no column {column!r}; there are {', '.join(map(str, record))}"
            raise InputError(message, file=str(path), line=line)
    renamed = {ours: record[theirs] for ours, theirs in columns.items()}
    return {**{name: value for name, value in record.items() if name not in columns.values()}, **renamed}
