"""Content of items in one neutral style: text with its line breaks, objects and lists as tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from equipoise.study.desk.marks import neutral

_DEEPEST = 5
_MOST_COLUMNS = 8
_EMPTY = Markup("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One piece of an item.

    Attributes:
        kind: "text", "pairs" (names and values), "table" or "list".
        html: a text, safe to show.
        names: names of pairs, or columns of a table.
        rows: values of pairs (one row), rows of a table, entries of a list (one row).
    """

    kind: str
    html: Markup = _EMPTY
    names: tuple[str, ...] = ()
    rows: tuple[tuple[Block, ...], ...] = ()


def block(value: Any, *, markdown: bool, depth: int = 0) -> Block:
    """A value of an item as it is shown.

    Args:
        value: any JSON value.
        markdown: whether texts are replies, whose Markdown is brought into one style.
        depth: how deep it lies in another.
    """
    if isinstance(value, str):
        return Block(kind="text", html=neutral(value, markdown=markdown))
    if isinstance(value, bool) or value is None or isinstance(value, int | float):
        told = "not given" if value is None else "yes" if value is True else "no" if value is False else str(value)
        return Block(kind="text", html=neutral(told, markdown=False))
    if depth >= _DEEPEST or not value:
        told = "none" if not value else json.dumps(value, ensure_ascii=False, indent=1)
        return Block(kind="text", html=neutral(told, markdown=False))
    if isinstance(value, Mapping):
        return Block(
            kind="pairs",
            names=tuple(str(name) for name in value),
            rows=(tuple(block(part, markdown=markdown, depth=depth + 1) for part in value.values()),),
        )
    return _list(list(value), markdown, depth)


def _list(values: list[Any], markdown: bool, depth: int) -> Block:
    if all(isinstance(value, Mapping) for value in values):
        names = list(dict.fromkeys(str(name) for value in values for name in value))
        if len(names) <= _MOST_COLUMNS:
            rows = tuple(
                tuple(block(value.get(name, ""), markdown=markdown, depth=depth + 1) for name in names)
                for value in values
            )
            return Block(kind="table", names=tuple(names), rows=rows)
    return Block(kind="list", rows=(tuple(block(value, markdown=markdown, depth=depth + 1) for value in values),))
