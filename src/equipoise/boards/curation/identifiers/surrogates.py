"""Invented names and numbered tags, the same for the same value."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence

from equipoise.boards.curation.identifiers.model import IdentifierKind
from equipoise.boards.curation.identifiers.names import Person
from equipoise.boards.curation.identifiers.words import GIVEN, SURNAME_ENDS, SURNAME_STARTS
from equipoise.redteam.privacy.fold import folded

_TAGS: dict[IdentifierKind, str] = {
    IdentifierKind.TOWN: "town",
    IdentifierKind.HOSPITAL: "hospital",
    IdentifierKind.EMPLOYER: "employer",
    IdentifierKind.ADDRESS: "address",
    IdentifierKind.PHONE: "telephone number",
    IdentifierKind.EMAIL: "e-mail address",
    IdentifierKind.SOCIAL_SECURITY: "social security number",
    IdentifierKind.NUMBER: "number",
    IdentifierKind.WEB: "web address",
    IdentifierKind.NETWORK: "network address",
    IdentifierKind.OTHER: "identifier",
}
_PIECE = re.compile(r"[^\W\d_]+(?:[-'\u2019][^\W\d_]{2,})*")


class Surrogates:
    """What stands for what in one recording."""

    def __init__(self, rng: random.Random, texts: Sequence[str]) -> None:
        present = {word.casefold() for text in texts for word in re.findall(r"[^\W\d_]+", text)}
        self._given = [name for name in GIVEN if name.casefold() not in present]
        rng.shuffle(self._given)
        self._surnames = {}
        for group, ends in SURNAME_ENDS.items():
            made = [start + end for start in SURNAME_STARTS for end in ends if (start + end).casefold() not in present]
            rng.shuffle(made)
            self._surnames[group] = made
        self._parts: dict[tuple[IdentifierKind, str, str], str] = {}
        self._tags: dict[tuple[IdentifierKind, str], int] = {}
        self._used_given = 0

    def register(self, persons: Iterable[Person]) -> None:
        """Draws a surrogate for every part of every name, in their order, so that the texts' order does not matter."""
        for who in persons:
            for place, given in enumerate(who.given):
                self._part(who.kind, "given", given, place)
            if who.surname:
                self._part(who.kind, "surname", who.surname)

    def _part(self, kind: IdentifierKind, half: str, word: str, place: int = 0) -> str:
        key = (kind, half, folded(word))
        if key not in self._parts:
            if half == "given":
                if len(word.rstrip(".")) == 1:
                    self._parts[key] = "Q"
                else:
                    number, at = divmod(self._used_given, max(len(self._given), 1))
                    name = self._given[at] if self._given else "Person"
                    self._parts[key] = name if not number else f"{name}{number + 1}"
                    self._used_given += 1
            else:
                group = "clinician" if kind is IdentifierKind.CLINICIAN else "patient"
                made = self._surnames[group]
                self._parts[key] = made.pop() if made else f"Person{len(self._parts)}"
        return self._parts[key]

    def name(self, who: Person, text: str, start: int, end: int) -> str:
        """The surrogate of a name in the form that stands in the text: the same halves, the same case."""
        form = text[start:end]
        given = [(folded(word), self._part(who.kind, "given", word)) for word in who.given]
        surname = self._part(who.kind, "surname", who.surname) if who.surname else ""
        if who.surname and _plain(form) == _plain(who.surname):
            return _like(form, surname)
        for word, made in given:
            if _plain(form) == _plain(word):
                return _like(form, made)
        parts = {_plain(word): made for word, made in given} | {_plain(word): surname for word in who.surname.split()}
        pieces = _PIECE.findall(form)
        out: list[str] = []
        for piece in pieces:
            bare = piece.removesuffix("'s").removesuffix("\u2019s")
            stands = parts.get(_plain(piece)) or parts.get(_plain(bare)) or ""
            if not stands and len(piece) == 1 and given and piece.casefold() == given[0][0][0]:
                stands = given[0][1][0]
            if not stands:
                return _like(form, " ".join(item for item in (*(made for _, made in given), surname) if item))
            if not out or out[-1] != _like(piece, stands):
                out.append(_like(piece, stands))
        if "," in form and len(out) == 2:
            return f"{out[0]}, {out[1]}"
        return " ".join(item + "." if len(item) == 1 and "." in form else item for item in out)

    def misspelled(self, who: Person, word: str, form: str) -> str:
        """The surrogate of one word of a name that stands in the text with a letter wrong, or without its apostrophe."""
        half = "surname" if who.surname and _plain(word) in map(_plain, who.surname.split()) else "given"
        made = self._part(who.kind, half, who.surname if half == "surname" else word)
        return _like(form, made)

    def tag(self, kind: IdentifierKind, key: str) -> str:
        """A numbered tag, such as "[town 1]"."""
        number = self._tags.setdefault((kind, key), 1 + sum(known is kind for known, _ in self._tags))
        return f"[{_TAGS[kind]} {number}]"


def _plain(text: str) -> str:
    return re.sub(r"[^a-z]", "", folded(text))


def _like(form: str, made: str) -> str:
    """The surrogate in the case of what it replaces."""
    if form.islower():
        return made.lower()
    letters = [char for char in form if char.isalpha()]
    return made.upper() if len(letters) > 2 and form.isupper() else made
