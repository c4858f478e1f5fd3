"""Inputs that differ in nothing but their id: recognised by their bytes, answered once.

A line of JSON lines is cut at the value of its `case_id`; what is left is the name under which its answer is remembered. Whether the
answer holds for another id is not assumed but shown, once a name (`Slot.holds`); where it cannot be shown, the next input with that
name is answered by itself. A name holds one NUL byte in the place of the id, and a line that has a NUL byte of its own (it is no
JSON) gets no name, so that no two inputs share a name by accident.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from equipoise.batch.desk import Answer
from equipoise.cases.load import line_value
from equipoise.ids import canonical_json, text_hash

_ID = re.compile(rb'"case_id"[ \t]*:[ \t]*"([!#-\[\]-~]{1,200})"')
"""An id of printable ASCII without spaces, quotes and backslashes: it means the same in JSON, in canonical JSON and in a case."""

_PLAIN_ID = re.compile(r"[!#-\[\]-~]{1,200}", re.ASCII)


_SENTINEL = "equipoise-stand-in-for-a-case-id"
"""Stands for the id while it is shown that the id is the only thing in which two inputs differ."""


class Slot:
    """The place of an answer that may still be on its way.

    Attributes:
        payload: the first input with this name, until it is answered.
        case_id: its id, where the name leaves an id out; otherwise None.
        answer: what it comes to; None until it is known.
        before: canonical JSON up to the id, once it is shown that the answer holds for any id; before that, empty.
        after: canonical JSON after the id.
    """

    __slots__ = ("_failed", "after", "answer", "before", "case_id", "payload")

    def __init__(self, payload: Any, case_id: str | None) -> None:
        self.payload = payload
        self.case_id = case_id
        self.answer: Answer | None = None
        self.before = b""
        self.after = b""
        self._failed = False

    def holds(self, payload: Any, case_id: str | None) -> bool:
        """Whether the answer holds for another input with this name, which differs in its id and, as is shown here, in nothing else.

        The input is read with a stand-in for its id. That must be an object whose `case_id` is the stand-in, and the canonical JSON of
        it, with the id of the first input in its place, must have the hash of the first case as it was read. So both inputs are this
        one object but for the id, and an id of printable ASCII reads as it stands in all of them.

        Args:
            payload: the other input.
            case_id: its id.
        """
        if self.before:
            return case_id is not None
        if self._failed or case_id is None:
            return False
        self._failed = not self._show(payload)
        return not self._failed

    def _show(self, payload: Any) -> bool:
        answer = self.answer
        if answer is None or self.case_id is None or answer.case_id != self.case_id or not answer.case_hash:
            return False
        if type(payload) is bytes:
            _, _, start, end = line_name(payload)
            twin = line_value(payload[:start] + _SENTINEL.encode() + payload[end:])
        else:
            twin = {**payload, "case_id": _SENTINEL}
        if not isinstance(twin, dict) or twin.get("case_id") != _SENTINEL:
            return False
        try:
            before, found, after = canonical_json(twin).partition(f'"case_id":"{_SENTINEL}"')
        except (TypeError, ValueError):
            return False
        if not found or _SENTINEL in before + after:
            return False
        if text_hash(f'{before}"case_id":"{self.case_id}"{after}') != answer.case_hash:
            return False
        self.before, self.after = f'{before}"case_id":"'.encode(), f'"{after}'.encode()
        return True


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
        name = json.dumps({**value, "case_id": _SENTINEL} if plain else value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None, None
    return (f"\x00{name}", stated) if plain else (name, None)


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
        self._held += 2 * len(name) + _ROOM
        self.slots[name] = slot
        if self._held > self._max_bytes:
            for old in list(self.slots)[: len(self.slots) // 2]:
                del self.slots[old]
            self._held = sum(2 * len(kept) + _ROOM for kept in self.slots)


_ROOM = 900
"""Bytes that the rows of one answer take, roughly; the name and the canonical JSON take as much as the input each."""
