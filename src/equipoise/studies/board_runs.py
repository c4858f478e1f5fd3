"""A run folder of a board task as the audit reads it: replies, what each item is held against, and its discussion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from equipoise.boards.discussion_record import DISCUSSION_KEY, DiscussionRecord
from equipoise.errors import InputError
from equipoise.outcomes.readers import read_json_lines
from equipoise.outcomes.run import Run, read_run

REFERENCES = "references.jsonl"


@dataclass(frozen=True, kw_only=True)
class BoardPart:
    """One task put to one system in one setting.

    Attributes:
        name: name of the test in the protocol.
        system: the system as the protocol names it; a task may add its setting to the name in the rows.
        folder: its run folder.
        run: its run.
        references: what the run folder keeps of each item, by item.
    """

    name: str
    system: str
    folder: Path
    run: Run
    references: Mapping[str, Mapping[str, Any]]

    @cached_property
    def rows(self) -> tuple[Mapping[str, Any], ...]:
        """Rows of the outcomes."""
        return tuple(self.run.outcomes.to_pylist())

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the task recorded of itself."""
        logs: Any = self.run.info.arguments.get("logs") or ({},)
        found: Mapping[str, Any] = logs[0]
        return found

    def reference(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the item of a row is held against; empty when the folder keeps nothing of it."""
        return self.references.get(str(row["item"]), {})

    def discussion(self, row: Mapping[str, Any]) -> DiscussionRecord | None:
        """The record of the discussion behind a reply; None for a single model, and for repeats after the first.

        Raises:
            InputError: what is kept is no such record.
        """
        found = self.reference(row).get(DISCUSSION_KEY)
        if not isinstance(found, Mapping) or (row.get("trial") or 1) > 1:
            return None
        return DiscussionRecord.from_dict(found)


def read_board_part(name: str, system: str, folder: Path) -> BoardPart:
    """A part from its run folder.

    Args:
        name: name of the test.
        system: the system as the protocol names it.
        folder: the run folder.

    Raises:
        InputError: the folder cannot be read.
    """
    kept = folder / REFERENCES
    if not kept.is_file():
        message = "this run folder keeps nothing of its items; make it again with equipoise suite board"
        raise InputError(message, file=str(kept))
    references = {str(record.get("item")): record for _, record in read_json_lines(kept)}
    return BoardPart(name=name, system=system, folder=folder, run=read_run(folder), references=references)
