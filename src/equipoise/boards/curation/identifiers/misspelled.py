"""A name that was found, where a recogniser wrote it with one letter wrong, or a possessive without its apostrophe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from equipoise.boards.curation.identifiers.names import Person
from equipoise.boards.curation.identifiers.vocabulary import NAMELIKE, plain, sort_of

FEWEST_LETTERS = 6
"""Letters of a name that is looked for with one of them wrong; two shorter names are too often one letter apart."""
_WORD = re.compile(r"[^\W\d_]{4,}")


def find_misspelled(persons: Sequence[Person], texts: Mapping[str, str]) -> Iterator[tuple[str, int, int, Person, str]]:
    """Text, first character, one past the last, the person, and the word of the name that is meant.

    Only words that no list of English or medicine knows; the first letter has to be right.
    """
    parts: dict[str, tuple[Person, str]] = {}
    for who in persons:
        for word in (*who.given, *who.surname.split()):
            if sort_of(word) in NAMELIKE and len(plain(word)) > 3:
                parts.setdefault(plain(word), (who, word))
    if not parts:
        return
    meant: dict[str, tuple[Person, str] | None] = {}
    for name, text in texts.items():
        for found in _WORD.finditer(text):
            low = plain(found.group())
            if low not in meant:
                meant[low] = _meant(low, parts)
            if (one := meant[low]) is not None:
                yield (name, *found.span(), *one)


def _meant(word: str, parts: Mapping[str, tuple[Person, str]]) -> tuple[Person, str] | None:
    if word in parts or sort_of(word) not in NAMELIKE:
        return None
    if word[-1] == "s" and word[:-1] in parts:
        return parts[word[:-1]]
    return next(
        (found for part, found in parts.items() if len(part) >= FEWEST_LETTERS and _one_apart(word, part)), None
    )


def _one_apart(one: str, two: str) -> bool:
    """Whether one letter put in, left out, changed, or two neighbors swapped make the same word."""
    if one[0] != two[0] or abs(len(one) - len(two)) > 1:
        return False
    same = 0
    while same < min(len(one), len(two)) and one[same] == two[same]:
        same += 1
    left, right = one[same:], two[same:]
    swapped = len(left) > 1 and left[:2] == right[:2][::-1] and left[2:] == right[2:]
    return left[1:] == right or left == right[1:] or left[1:] == right[1:] or swapped
