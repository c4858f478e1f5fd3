"""What an operator works on: a question with options, a conversation with a rubric, or a tumor-board case."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from string import ascii_uppercase
from typing import Any

from equipoise.errors import InputError
from equipoise.ids import canonical_json, content_hash

LETTERS = ascii_uppercase
"""Letters that options may have, in order."""

USER = "user"
"""Role of the person who asks."""


class Form(StrEnum):
    """What kind of item it is."""

    CHOICE = "choice"
    CONVERSATION = "conversation"
    CASE = "case"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of a question.

    Attributes:
        letter: "A", "B" and so on.
        text: as written.
    """

    letter: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of a conversation.

    Attributes:
        role: "system", "user" or "assistant".
        text: as written.
    """

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricItem:
    """One criterion by which a reply is judged.

    Attributes:
        criterion: the criterion as written.
        points: its points; negative when meeting it is bad.
        tags: tags as written.
    """

    criterion: str
    points: float
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a privacy scenario says of itself, so that a request can be disguised without being guessed at.

    Attributes:
        disclosure: the words of the last user turn that spell out what must not be passed on; they stand there once.
        recipient: who would get it, as the turn names them.
        subject: whose information it is; empty when the one who asks speaks of themselves.
        identifiers: planted identifiers of the conversation.
    """

    disclosure: str
    recipient: str
    subject: str = ""
    identifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item.

    Attributes:
        id: identifier, unique in its set.
        form: what kind of item it is.
        question: text of a question with options; empty otherwise.
        options: its options, lettered from A without a gap.
        key: letters of the right options; None when there is no right answer among them, and for other forms.
        turns: turns of a conversation; the last one is the user's.
        rubric: criteria of a conversation.
        scene: what a privacy scenario says of itself; None otherwise.
        case: record of a tumor-board case as canonical JSON, without its reference; empty otherwise.
        tags: tags of the set, as written.
    """

    id: str
    form: Form
    question: str = ""
    options: tuple[Option, ...] = ()
    key: frozenset[str] | None = None
    turns: tuple[Turn, ...] = ()
    rubric: tuple[RubricItem, ...] = ()
    scene: Scene | None = None
    case: str = ""
    tags: tuple[str, ...] = field(default=())

    @property
    def content_hash(self) -> str:
        """Hash of all but the identifier and tags: the same content draws the same mutants, wherever it stands."""
        return content_hash(
            {
                "form": self.form.value,
                "question": self.question,
                "options": [[item.letter, item.text] for item in self.options],
                "key": None if self.key is None else sorted(self.key),
                "turns": [[item.role, item.text] for item in self.turns],
                "rubric": [[item.criterion, item.points, list(item.tags)] for item in self.rubric],
                "scene": None
                if self.scene is None
                else [self.scene.disclosure, self.scene.recipient, self.scene.subject, list(self.scene.identifiers)],
                "case": self.case,
            }
        )

    def record(self) -> dict[str, Any]:
        """The record of a case, as a new dictionary; empty for other forms."""
        return dict(json.loads(self.case)) if self.case else {}

    def text_of(self, letter: str) -> str:
        """Text of the option of that letter.

        Raises:
            InputError: there is none.
        """
        for option in self.options:
            if option.letter == letter:
                return option.text
        message = f"item {self.id!r} has no option {letter!r}"
        raise InputError(message, field="options")


def choice_item(
    item_id: str,
    question: str,
    texts: list[str] | tuple[str, ...],
    key: frozenset[str] | set[str] | str | None,
    *,
    tags: tuple[str, ...] = (),
) -> Item:
    """A question with options lettered from A.

    Args:
        item_id: identifier.
        question: its text.
        texts: texts of the options, in order.
        key: letters of the right ones ("B", or a set); None when there is none.
        tags: tags of the set.

    Raises:
        InputError: the item is not well formed; see `check_item`.
    """
    letters = None if key is None else frozenset(key)
    options = tuple(
        Option(letter=LETTERS[place] if place < len(LETTERS) else "?", text=text) for place, text in enumerate(texts)
    )
    return checked(Item(id=item_id, form=Form.CHOICE, question=question, options=options, key=letters, tags=tags))


def case_item(item_id: str, record: dict[str, Any]) -> Item:
    """A tumor-board case; its reference is left out, so that no operator can read or carry it.

    Raises:
        InputError: the record holds something JSON has no form for.
    """
    try:
        text = canonical_json({name: value for name, value in record.items() if name not in ("reference", "case_id")})
    except (TypeError, ValueError) as error:
        message = f"the record of {item_id!r} cannot be written as JSON ({error})"
        raise InputError(message, field="case") from None
    return checked(Item(id=item_id, form=Form.CASE, case=text))


def conversation_item(
    item_id: str,
    turns: tuple[tuple[str, str], ...] | list[tuple[str, str]],
    rubric: tuple[RubricItem, ...] = (),
    *,
    scene: Scene | None = None,
    tags: tuple[str, ...] = (),
) -> Item:
    """A conversation of (role, text) pairs.

    Raises:
        InputError: the item is not well formed; see `check_item`.
    """
    made = tuple(Turn(role=role, text=text) for role, text in turns)
    return checked(Item(id=item_id, form=Form.CONVERSATION, turns=made, rubric=rubric, scene=scene, tags=tags))


def checked(item: Item) -> Item:
    """The item itself.

    Raises:
        InputError: it is not well formed; see `check_item`.
    """
    problems = check_item(item)
    if problems:
        message = f"item {item.id!r}: {problems[0]}"
        raise InputError(message, field="item")
    return item


def check_item(item: Item) -> tuple[str, ...]:
    """What is wrong with the form of an item; empty when nothing is."""
    problems: list[str] = []
    if not item.id.strip():
        problems.append("the identifier is empty")
    match item.form:
        case Form.CHOICE:
            problems += _choice_problems(item)
        case Form.CONVERSATION:
            if not item.turns or item.turns[-1].role != USER:
                problems.append("expected a conversation whose last turn is the user's")
            if any(not turn.text.strip() for turn in item.turns):
                problems.append("a turn is empty")
        case Form.CASE:
            try:
                value = json.loads(item.case)
            except ValueError:
                value = None
            if not isinstance(value, dict) or not value:
                problems.append("expected the record of a case as a JSON object")
    return tuple(problems)


def _choice_problems(item: Item) -> list[str]:
    problems = []
    letters = [option.letter for option in item.options]
    if not item.question.strip():
        problems.append("the question is empty")
    if not 2 <= len(letters) <= len(LETTERS):
        problems.append(f"expected 2 to {len(LETTERS)} options, found {len(letters)}")
    elif letters != list(LETTERS[: len(letters)]):
        problems.append(f"expected options lettered from A without a gap, found {', '.join(letters)}")
    if any(not option.text.strip() for option in item.options):
        problems.append("the text of an option is empty")
    if item.key is not None and (not item.key or not item.key <= set(letters)):
        problems.append(f"expected a key among the options, found {', '.join(sorted(item.key)) or 'none'}")
    return problems
