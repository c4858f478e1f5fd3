"""Which decisions a reference takes, where nobody has said: settled by judges from the reference alone, once, before any answer is judged.

What is settled stands in board-scope.jsonl and is not settled again: an answer cannot move what it is measured by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from equipoise.boards.judging.criteria import DECISION_KINDS, SCOPE
from equipoise.boards.judging.references import BoardReference
from equipoise.boards.vocabulary import DecisionKind, Scope
from equipoise.errors import InputError
from equipoise.ids import canonical_json, content_hash
from equipoise.outcomes.readers import read_json_lines
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState

SCOPE_FILE = "board-scope.jsonl"

Scopes = Mapping[DecisionKind, Scope | None]


def unsettled(references: Mapping[str, BoardReference]) -> tuple[str, ...]:
    """Items with a decision of which nobody has said whether the reference takes it."""
    return tuple(name for name, item in references.items() if item.references and any(_open(item)))


def _open(item: BoardReference) -> Iterator[DecisionKind]:
    return (kind for kind in DecisionKind if item.scope.get(kind) is None)


def settled_scopes(folder: str | Path) -> dict[str, dict[str, Any]]:
    """What was settled in a run folder, by item; empty when nothing was.

    Raises:
        InputError: a line cannot be read.
    """
    path = Path(folder) / SCOPE_FILE
    if not path.is_file():
        return {}
    found = {}
    for line, record in read_json_lines(path):
        try:
            scope = {
                DecisionKind(name): None if value is None else Scope(value) for name, value in record["scope"].items()
            }
            found[str(record["item"])] = {"scope": scope, "by": str(record["by"]), "hash": str(record["hash"])}
        except (KeyError, ValueError, AttributeError, TypeError) as error:
            message = "not a line of settled scopes; the file is damaged, take a fresh copy of the run"
            raise InputError(message, file=str(path), line=line) from error
    return found


def share_settled(folders: Sequence[str | Path]) -> None:
    """Give every folder what any of them settled, so that an item has one scope for all systems; the first to settle it counts.

    Args:
        folders: run folders of the same items.

    Raises:
        InputError: a line cannot be read.
    """
    known: dict[str, str] = {}
    own = {}
    for folder in folders:
        own[folder] = settled_scopes(folder)
        path = Path(folder) / SCOPE_FILE
        for _, record in read_json_lines(path) if path.is_file() else ():
            known.setdefault(str(record["item"]), canonical_json(record) + "\n")
    for folder, settled in own.items():
        lines = [line for item, line in known.items() if item not in settled]
        if lines:
            with (Path(folder) / SCOPE_FILE).open("a", encoding="utf-8") as file:
                file.writelines(lines)


def with_settled(references: Mapping[str, BoardReference], folder: str | Path) -> dict[str, BoardReference]:
    """The references, with what was settled of decisions of which nothing was known; what the data say stands."""
    settled = settled_scopes(folder)
    filled = dict(references)
    for name in unsettled(references):
        if name in settled:
            one, own = settled[name], references[name]
            scope = {kind: own.scope.get(kind) or one["scope"].get(kind) for kind in DecisionKind}
            digest, by = one["hash"], one["by"]
            if any(own.scope.values()):
                digest, by = content_hash([own.scope_hash, digest]), f"{own.scope_by or 'data set'}; {by}"
            filled[name] = replace(own, scope=scope, scope_hash=digest, scope_by=by)
    return filled


def settle(folder: str | Path, run: Run, references: Mapping[str, BoardReference], judge: str) -> int:
    """Write what a judge or panel said of the references that are not settled yet.

    Args:
        folder: the run folder.
        run: the run, judged by the rubric on scope.
        references: what items are held against.
        judge: whose word counts: the only judge, or the panel.

    Returns:
        Items settled now. An item of which no decision could be read stays open.
    """
    known = settled_scopes(folder)
    replies = {row["reply_id"]: str(row["item"]) for row in run.outcomes.to_pylist()}
    found: dict[str, dict[DecisionKind, Scope | None]] = {}
    for row in run.judgements.to_pylist():
        kind = DECISION_KINDS.get(str(row["criterion"]).removeprefix("scope-"))
        if row["rubric"] == SCOPE and row["judge"] == judge and kind is not None and row["repeat"] == 1:
            value = Scope(row["value"]) if row["state"] == ReplyState.OK and row["value"] else None
            found.setdefault(replies[row["reply_id"]], {}).setdefault(kind, value)
    lines = []
    for name in unsettled(references):
        own = {kind: found.get(name, {}).get(kind) for kind in DecisionKind}
        if name not in known and any(own.values()):
            plain = {kind.value: None if value is None else value.value for kind, value in own.items()}
            digest = content_hash([name, references[name].references[:1], plain, judge])
            lines.append(canonical_json({"item": name, "scope": plain, "by": judge, "hash": digest}) + "\n")
    if lines:
        with (Path(folder) / SCOPE_FILE).open("a", encoding="utf-8") as file:
            file.writelines(lines)
    return len(lines)
