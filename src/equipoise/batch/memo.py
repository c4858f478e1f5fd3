"""Inputs that differ in nothing but their id: recognised by their bytes, answered once.

A line of JSON lines is cut at the value of its `case_id`; what is left is the name under which its answer is remembered. Whether the
answer holds for another id is not assumed but shown by the desk that answers (`Desk._around`); where it cannot be shown, the next
line with that name is answered by itself. A name holds one NUL byte in the place of the id, and a line that has a NUL byte of its
own (it is no JSON) gets no name, so that no two inputs share a name by accident.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from equipoise.batch.desk import SENTINEL, Answer, Line

_ID = re.compile(rb'"case_id"[ \t]*:[ \t]*"([!#-\[\]-~]{1,200})"')
"""An id of printable ASCII without spaces, quotes and backslashes: it means the same in JSON, in canonical JSON and in a case."""

_PLAIN_ID = re.compile(r"[!#-\[\]-~]{1,200}", re.ASCII)


class Slot:
    """The place of an answer that may still be on its way.

    Attributes:
        payload: the first input with this name.
        case_id: its id, where the name leaves an id out; otherwise None.
        answer: what it comes to; None until it is known.
    """

    __slots__ = ("answer", "case_id", "payload")

    def __init__(self, payload: Any, case_id: str | None) -> None:
        self.payload = payload
        self.case_id = case_id
        self.answer: Answer | None = None


Name = bytes | str
"""Under which an answer is remembered."""


def line_name(raw: bytes) -> tuple[Name | None, str | None, int, int]:
    """The name of a line, the id that the name leaves out, and where the id stands; no name for a line that is no JSON anyway.

    Args:
        raw: bytes of the line.
    """
    if b"\x00" in raw:
        return None, None, -1, -1
    found = _ID.search(raw)
    if found is None:
        return raw, None, -1, -1
    start, end = found.span(1)
    return b"%b\x00%b" % (raw[:start], raw[end:]), raw[start:end].decode(), start, end


def object_name(value: Mapping[str, Any]) -> tuple[Name | None, str | None]:
    """The name of an object, and the id that the name leaves out; no name for what JSON has no form for.

    Args:
        value: the object.
    """
    stated = value.get("case_id")
    plain = type(stated) is str and _PLAIN_ID.fullmatch(stated) is not None
    try:
        name = json.dumps({**value, "case_id": SENTINEL} if plain else value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None, None
    return (f"\x00{name}", stated) if plain else (name, None)


def question(payload: Any) -> Any:
    """What a desk is asked for a payload: a line knows where its id stands."""
    if type(payload) is not bytes:
        return payload
    _, _, start, end = line_name(payload)
    return Line(payload, start, end)


class Memo:
    """Slots by name, the older half forgotten when they take too much room.

    Attributes:
        slots: the slots, oldest first.
    """

    def __init__(self, max_bytes: int) -> None:
        """Start with nothing.

        Args:
            max_bytes: roughly how much may be held, names, canonical JSON and rows together.
        """
        self._max_bytes = max_bytes
        self._held = 0
        self.slots: dict[Name, Slot] = {}

    def put(self, name: Name, slot: Slot) -> None:
        """Remember a slot."""
        self._held += 3 * len(name) + _ROOM
        self.slots[name] = slot
        if self._held > self._max_bytes:
            for old in list(self.slots)[: len(self.slots) // 2]:
                del self.slots[old]
            self._held = sum(3 * len(kept) + _ROOM for kept in self.slots)


_ROOM = 1500
"""Bytes that the rows of one answer take, roughly."""
