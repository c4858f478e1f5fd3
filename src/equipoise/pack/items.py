"""Fills the items of the standards from stored fields; what is not stored is for a person, with a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from equipoise.pack.catalogue import Item, Stage, Standard, Verified, questions
from equipoise.pack.known import ASKS, FIELDS
from equipoise.pack.tree import Tree


class Status(StrEnum):
    """What became of an item. None of the words says that a standard is kept."""

    FILLED = "filled"
    PERSON = "person"
    NOT_APPLICABLE = "n/a"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackItem:
    """An item of a standard in a pack.

    Attributes:
        standard: our identifier of the standard.
        version: its version.
        id: identifier of the item.
        topic: what it is about, in our words.
        verified: against what the identifier was checked.
        status: filled, person or n/a.
        value: stored values in a line each, by path; those of a person's item are a help.
        reason: why a person is needed, or why it does not apply; empty for a filled item.
        questions: what the person is asked, by key of `form`.
        files: files of the pack behind the values, with their SHA-256.
    """

    standard: str
    version: str
    id: str
    topic: str
    verified: Verified
    status: Status
    value: Mapping[str, str]
    reason: str
    questions: tuple[str, ...]
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One line of the form for people.

    Attributes:
        key: identifier of the question, or path of a field that is not stored.
        text: what is asked.
        items: the items it answers: title of the standard and identifier.
    """

    key: str
    text: str
    items: tuple[tuple[str, str], ...]


def fill(standards: Sequence[Standard], tree: Tree, stage: Stage, hashes: Mapping[str, str]) -> tuple[PackItem, ...]:
    """The items of all standards, in their order.

    Args:
        standards: the standards.
        tree: the stored fields.
        stage: kind of evaluation.
        hashes: SHA-256 by the name of each file of the pack.
    """
    return tuple(_filled(standard, item, tree, stage, hashes) for standard in standards for item in standard.items)


def form(items: Sequence[PackItem], standards: Sequence[Standard]) -> tuple[Question, ...]:
    """The questions that items leave to a person, each once, in a fixed order.

    Args:
        items: the items of a pack.
        standards: the standards they are of.
    """
    titles = {item.id: item.title for item in standards}
    where: dict[str, list[tuple[str, str]]] = {}
    for item in items:
        for key in item.questions:
            where.setdefault(key, []).append((titles[item.standard], item.id))
    asked = {**questions(), **ASKS}
    return tuple(Question(key=key, text=asked[key], items=tuple(where[key])) for key in asked if key in where)


def _filled(standard: Standard, item: Item, tree: Tree, stage: Stage, hashes: Mapping[str, str]) -> PackItem:
    if stage not in standard.stages or item.na:
        made_for = " and ".join(standard.stages)
        reason = item.na or f"this standard is for {made_for}; the runs are an {stage} evaluation"
        return _item(standard, item, Status.NOT_APPLICABLE, {}, reason.replace("an trial", "a trial"), (), {})
    stored = {path: tree.values[path] for path in (*item.needs, *item.also) if path in tree.values}
    missing = tuple(path for path in item.needs if path not in tree.values)
    files = {name: hashes[name] for value in stored.values() for name in value.files}
    value = {path: found.text for path, found in stored.items()}
    if not item.ask and not missing:
        return _item(standard, item, Status.FILLED, value, "", (), files)
    asked = (item.ask,) if item.ask else ()
    reasons = ["a judgement that no run stores"] if item.ask else []
    if missing:
        reasons.append(f"not stored: {', '.join(f'{FIELDS[path]}{_why(tree, path)}' for path in missing)}")
    return _item(standard, item, Status.PERSON, value, "; ".join(reasons), (*asked, *missing), files)


def _why(tree: Tree, path: str) -> str:
    return f" ({tree.reasons[path]})" if path in tree.reasons else ""


def _item(
    standard: Standard,
    item: Item,
    status: Status,
    value: Mapping[str, str],
    reason: str,
    asked: tuple[str, ...],
    files: Mapping[str, str],
) -> PackItem:
    assert status is not Status.PERSON or (
        reason and (asked and all(key in questions() or key in ASKS for key in asked))
    )
    return PackItem(
        standard=standard.id,
        version=standard.version,
        id=item.id,
        topic=item.topic,
        verified=item.verified,
        status=status,
        value=value,
        reason=reason,
        questions=asked,
        files=dict(sorted(files.items())),
    )
