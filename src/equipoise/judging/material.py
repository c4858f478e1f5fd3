"""What a judge is shown of one item and reply, and the questions this makes of a rubric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from equipoise.errors import InputError
from equipoise.judging.rubric import Criterion, Rubric


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a list that criteria are asked of, such as a critical action.

    Attributes:
        id: identifier within the item.
        text: the entry.
        weight: factor of the points of its value; may be negative.
    """

    id: str
    text: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeMaterial:
    """The texts of one item and reply.

    Attributes:
        item: identifier of the item, for messages; the judge does not see it.
        parts: text by the name of a part ("prompt", "reply", "reference"); several texts stand for alternatives.
        lists: entries by the name of a part ("critical_actions").
        out_of_scope: criteria, named as in the tables, that were declared not to apply before anybody judged; they are
            not asked and become rows out of scope.
    """

    item: str
    parts: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    lists: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    out_of_scope: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question as it is asked of one item.

    Attributes:
        key: its name in the judge's reply, made of plain letters whatever the item says.
        name: its name in the tables: the criterion, or "criterion:entry".
        criterion: the criterion of the rubric.
        place: number of the entry it is asked of, from 1; 0 for a question on the whole.
        weight: factor of the points.
    """

    key: str
    name: str
    criterion: Criterion
    place: int = 0
    weight: float = 1.0


def questions(rubric: Rubric, material: JudgeMaterial) -> tuple[Asked, ...]:
    """The questions of a rubric on one item, in the order of the rubric, those out of scope left out.

    Raises:
        InputError: two entries of a list share an identifier, or one has none.
    """
    found: list[Asked] = []
    for criterion in rubric.criteria:
        if not criterion.each:
            found.append(Asked(key=criterion.id, name=criterion.id, criterion=criterion))
            continue
        entries = material.lists.get(criterion.each, ())
        names = [entry.id for entry in entries]
        if len(set(names)) < len(names) or not all(names):
            message = f"item {material.item!r}: the entries of {criterion.each} need identifiers of their own"
            raise InputError(message, field=criterion.each)
        found += [
            Asked(
                key=f"{criterion.id}-{place}",
                name=f"{criterion.id}:{entry.id}",
                criterion=criterion,
                place=place,
                weight=entry.weight,
            )
            for place, entry in enumerate(entries, start=1)
        ]
    return tuple(item for item in found if item.name not in material.out_of_scope)


def require_parts(rubric: Rubric, material: JudgeMaterial) -> None:
    """Check that an item has what the rubric shows.

    Raises:
        InputError: a part that is not optional is missing or empty.
    """
    for part in rubric.sees:
        if part.optional:
            continue
        if not _texts(material.parts.get(part.part, "")) and not material.lists.get(part.part):
            message = f"item {material.item!r} has no text for {part.part!r} ({part.called}), which rubric {rubric.id} shows the judge"
            raise InputError(message, field=part.part)


def _texts(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text for text in ((value,) if isinstance(value, str) else value) if text.strip())
