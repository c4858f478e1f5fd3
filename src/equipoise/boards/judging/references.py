"""What the items of a run are held against, as the run folder keeps it in references.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.boards.vocabulary import DecisionKind, Scope
from equipoise.errors import InputError
from equipoise.ids import content_hash
from equipoise.outcomes.readers import read_json_lines

REFERENCES_FILE = "references.jsonl"

_SCOPES: Mapping[str, Scope] = {item.value: item for item in Scope} | {
    "do": Scope.POSITIVE,
    "do-not": Scope.NEGATIVE,
    "silent": Scope.ABSENT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardReference:
    """One item.

    Attributes:
        item: the question or case.
        recording: the meeting; the item's own name when the source has none, so that it is a cluster of its own.
        site: tumor site; empty when not known.
        stratum: question type or site; empty when not known.
        role: whom the question was put to; empty for a board.
        prompt: the text the system was given.
        references: acceptable texts, the recorded one first.
        scope: by decision, whether the reference takes it; None where nobody has said. Empty for a question.
        scope_hash: of the frozen scope; empty without one.
        scope_by: who fixed the scope; empty when the run folder does not say.
        decisions: text of each decision the reference takes.
        acceptable: decisions that would be as good, by kind.
        categories: treatment categories of the recommendation.
    """

    item: str
    recording: str
    site: str = ""
    stratum: str = ""
    role: str = ""
    prompt: str = ""
    references: tuple[str, ...] = ()
    scope: Mapping[DecisionKind, Scope | None] = field(default_factory=dict)
    scope_hash: str = ""
    scope_by: str = ""
    decisions: Mapping[DecisionKind, str] = field(default_factory=dict)
    acceptable: Mapping[DecisionKind, tuple[str, ...]] = field(default_factory=dict)
    categories: tuple[str, ...] = ()

    def in_scope(self, kind: DecisionKind) -> bool | None:
        """Whether the reference takes a decision; None where nobody has said."""
        found = self.scope.get(kind)
        return None if found is None else found is not Scope.ABSENT


def read_references(folder: str | Path) -> dict[str, BoardReference]:
    """The references of a run folder by item.

    Raises:
        InputError: there is no such file, or a line is of another form; with its place.
    """
    path = Path(folder) / REFERENCES_FILE
    if not path.is_file():
        message = "this run keeps nothing to judge against; make it with the tasks specialist_turn or board_simulation"
        raise InputError(message, file=str(path))
    found: dict[str, BoardReference] = {}
    for line, record in read_json_lines(path):
        try:
            reference = reference_of(record)
        except InputError as error:
            raise error.located(file=str(path), line=line) from error
        found[reference.item] = reference
    return found


def reference_of(record: Mapping[str, Any]) -> BoardReference:
    """One line of the file.

    Raises:
        InputError: an element is missing or of another form.
    """
    item = _text(record, "item")
    if not item:
        message = "expected the name of the item"
        raise InputError(message, field="item")
    references = record.get("references") or [record.get("reference") or ""]
    if not isinstance(references, list) or not all(isinstance(text, str) for text in references):
        message = "expected a list of texts"
        raise InputError(message, field="references")
    kinds = {kind: record_scope(record, kind) for kind in DecisionKind} if record.get("scope") else {}
    return BoardReference(
        item=item,
        recording=_text(record, "recording") or item,
        site=_text(record, "site"),
        stratum=_text(record, "stratum"),
        role=_text(record, "role"),
        prompt=_text(record, "prompt"),
        references=tuple(text for text in references if text.strip()),
        scope=kinds,
        scope_hash=_text(record, "scope_hash") or (content_hash([item, references, _plain(kinds)]) if kinds else ""),
        scope_by=_text(record, "scope_by"),
        decisions={
            kind: text for kind, text in _by_kind(record, "decisions").items() if isinstance(text, str) and text
        },
        acceptable={kind: _texts(texts, "acceptable") for kind, texts in _by_kind(record, "acceptable").items()},
        categories=_texts(record.get("categories") or [], "categories"),
    )


def record_scope(record: Mapping[str, Any], kind: DecisionKind) -> Scope | None:
    """The scope of one decision in a record.

    Raises:
        InputError: it is no scope.
    """
    found = _by_kind(record, "scope").get(kind)
    if found is None:
        return None
    if not isinstance(found, str) or found not in _SCOPES:
        message = f"expected one of {', '.join(_SCOPES)}, or null; found {found!r}"
        raise InputError(message, field=f"scope.{kind.value}")
    return _SCOPES[found]


def _by_kind(record: Mapping[str, Any], name: str) -> dict[DecisionKind, Any]:
    value = record.get(name) or {}
    if not isinstance(value, Mapping):
        message = "expected an object by decision"
        raise InputError(message, field=name)
    known = {text: kind for kind in DecisionKind for text in (kind.value, kind.value.replace("_", "-"))}
    strangers = [str(key) for key in value if key not in known]
    if strangers:
        message = f"there is no decision {strangers[0]!r}; known are {', '.join(kind.value for kind in DecisionKind)}"
        raise InputError(message, field=name)
    return {known[key]: item for key, item in value.items()}


def _plain(scope: Mapping[DecisionKind, Scope | None]) -> dict[str, str | None]:
    return {kind.value: None if found is None else found.value for kind, found in scope.items()}


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        message = f"expected a text, found {type(value).__name__}"
        raise InputError(message, field=name)
    return value


def _texts(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        message = "expected a list of texts"
        raise InputError(message, field=name)
    return tuple(text for text in value if text.strip())
