"""The facts of a run folder, one text a line in board-facts.jsonl: taken out once, by whom and under which words, kept for every judge.

A line that says an extraction failed stays there too; the next start asks such a text again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.boards.formats.orchestrator import FactCategory
from equipoise.boards.judging.facts import Fact
from equipoise.errors import InputError
from equipoise.ids import canonical_json, text_hash
from equipoise.outcomes.schema import ReplyState

FACTS_FILE = "board-facts.jsonl"

REFERENCE, REPLY = "reference", "reply"


class FactStore:
    """Facts by text.

    Args:
        folder: the run folder.

    Raises:
        InputError: a line cannot be read.
    """

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder) / FACTS_FILE
        self.lines: dict[tuple[str, str], dict[str, Any]] = {}
        self._whole = 0
        if self.path.is_file():
            data = self.path.read_bytes()
            self._whole = data.rfind(b"\n") + 1
            for number, line in enumerate(data[: self._whole].split(b"\n")[:-1], start=1):
                try:
                    entry = json.loads(line)
                    _facts(entry)
                    self.lines[entry["side"], entry["key"]] = entry
                except (ValueError, KeyError, TypeError) as error:
                    message = "not a line of facts; move the file away to have all facts taken out again"
                    raise InputError(message, file=str(self.path), line=number) from error

    def has(self, side: str, key: str) -> bool:
        """Whether facts are there, or an extraction that is not asked again."""
        entry = self.lines.get((side, key))
        return entry is not None and entry["state"] != ReplyState.ERROR

    def state(self, side: str, key: str) -> str | None:
        """State of the extraction; None when nobody was asked."""
        entry = self.lines.get((side, key))
        return None if entry is None else str(entry["state"])

    def facts(self, side: str, key: str) -> tuple[Fact, ...] | None:
        """The facts; None when there are none to be had, which is not an empty list."""
        entry = self.lines.get((side, key))
        return _facts(entry) if entry is not None and entry["state"] == ReplyState.OK else None

    def add(self, side: str, key: str, facts: Sequence[Fact], *, by: str, form: str, state: ReplyState = ReplyState.OK,
            why: str = "", raw: str = "") -> None:  # fmt: skip
        """Write the facts of one text, at once.

        Args:
            side: reference or reply.
            key: of the text.
            facts: the facts.
            by: the model, or where they were given.
            form: hash of the words it was told; empty without a model.
            state: ok, or why there are none.
            why: the same in words.
            raw: the reply as received.
        """
        entry = {
            "side": side, "key": key, "by": by, "form": form, "state": state.value, "why": why,
            "facts": [[item.id, item.text, item.category.value] for item in facts], "raw": raw,
        }  # fmt: skip
        entry = json.loads(canonical_json(entry).encode("utf-8", "backslashreplace"))
        with self.path.open("r+b" if self.path.is_file() else "w+b") as file:
            file.truncate(self._whole)
            file.seek(self._whole)
            file.write(canonical_json(entry).encode() + b"\n")
            self._whole = file.tell()
        self.lines[side, key] = entry


def text_key(text: str, by: str) -> str:
    """Key of the facts of a text: the text, and who took them out under which words; equal texts have equal facts."""
    return text_hash(canonical_json([text, by]))


def _facts(entry: Mapping[str, Any]) -> tuple[Fact, ...]:
    return tuple(Fact(id=name, text=text, category=FactCategory(kind)) for name, text, kind in entry["facts"])
