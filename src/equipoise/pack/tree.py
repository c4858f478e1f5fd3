"""Stored values by the path of their field, each with the files of the pack it was read from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.errors import InternalError
from equipoise.pack.known import FIELDS
from equipoise.report.inert import inert

MOST_CHARACTERS = 240
"""Characters of a value in a table; the whole value stands in pack.json."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A stored value.

    Attributes:
        path: path of its field.
        value: the value, in types that JSON has.
        text: the value in a line.
        files: files of the pack it was read from.
    """

    path: str
    value: Any
    text: str
    files: tuple[str, ...]


@dataclass(slots=True)
class Tree:
    """All fields of a pack.

    Attributes:
        values: what is stored, by path.
        reasons: why a field is not stored, by path, where more is known than that no run says it.
    """

    values: dict[str, Stored] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def put(self, path: str, value: Any, files: Iterable[str], *, text: str = "") -> None:
        """Store a value; None and empty values are not stored.

        Args:
            path: path of a known field.
            value: the value.
            files: files of the pack it was read from.
            text: the value in a line; made from the value when empty.

        Raises:
            InternalError: no such field is known, or no file holds the value.
        """
        if path not in FIELDS:
            message = f"there is no field {path!r}"
            raise InternalError(message)
        if value is None or value in ("", [], {}, ()):
            return
        names = tuple(dict.fromkeys(files))
        if not names:
            message = f"field {path!r} has a value and no file"
            raise InternalError(message)
        self.values[path] = Stored(path=path, value=value, text=cut(text or told(value)), files=names)

    def put_runs(self, path: str, by_run: Mapping[str, Any], files: Mapping[str, str]) -> None:
        """Store what runs say: one value when they agree, else one a run; a run that says nothing leaves it unstored.

        Args:
            path: path of a known field.
            by_run: value by the name of the run in the pack.
            files: file of the value by the name of the run.
        """
        silent = [name for name, value in by_run.items() if value is None or value in ("", [], {}, ())]
        if silent:
            if len(silent) < len(by_run):
                self.reasons[path] = f"not recorded by run {', '.join(_number(name) for name in silent)}"
            return
        values = list(by_run.values())
        same = all(value == values[0] for value in values)
        text = "" if same else "; ".join(f"run {_number(name)}: {told(value)}" for name, value in by_run.items())
        self.put(path, values[0] if same else dict(by_run), [files[name] for name in by_run], text=text)

    def get(self, path: str) -> Stored | None:
        """What is stored under a path."""
        return self.values.get(path)


def _number(name: str) -> str:
    """Number of a run in the pack, from the name of its folder."""
    return name.rpartition("/")[2].partition("-")[0]


def told(value: Any) -> str:
    """A value in a line.

    Args:
        value: any value that JSON has.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {told(item)}" for name, item in value.items())
    if isinstance(value, Sequence):
        if value and isinstance(value[0], Mapping):
            return f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
        return ", ".join(told(item) for item in value)
    return json.dumps(value)


def cut(text: str, most: int = MOST_CHARACTERS) -> str:
    """A text in one harmless line of at most so many characters, with a note of what was cut.

    Args:
        text: any text.
        most: characters kept.
    """
    line = inert(" ".join(text.split()))
    return line if len(line) <= most else f"{line[:most]} ... ({len(line) - most} more characters)"
