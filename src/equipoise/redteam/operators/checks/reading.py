"""How the checks read texts: folded for comparison, and as words. Their own code, apart from that of the writers."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")


def fold(text: str) -> str:
    """A text for comparison: compatibility form, lower case, one kind of dash, single spaces, no mark at the end."""
    plain = unicodedata.normalize("NFKC", text).translate(_DASHES).casefold()
    return " ".join(plain.split()).strip(" .,;:!?")


def words(text: str) -> list[str]:
    """The words of a text, folded, without the marks around them; numbers keep their point and sign."""
    found = []
    for part in unicodedata.normalize("NFKC", text).translate(_DASHES).casefold().split():
        word = part.strip("()[]{}\"'“”‘’.,;:!?*_#<>|`")
        if word:
            found.append(word)
    return found


def holds(text: str, phrase: str) -> bool:
    """Whether the words of a phrase stand in a text, one after the other."""
    wanted, found = words(phrase), words(text)
    if not wanted:
        return fold(phrase) in fold(text) if phrase.strip() else False
    return any(found[start : start + len(wanted)] == wanted for start in range(len(found) - len(wanted) + 1))


def names(text: str, phrase: str) -> bool:
    """Whether a text names an option: its words stand there, or, of four letters and more, its letters.

    A single letter is no name: "a" stands in every sentence.
    """
    folded = fold(phrase)
    if len(folded) < 2:
        return False
    return holds(text, phrase) or (len(folded) > 3 and folded in fold(text))


def inserted(before: str, after: str) -> str | None:
    """The one block that was put into a text, by words as written; None when anything else changed.

    The block is the shortest middle that is left when the common beginning and end are taken away; white space does
    not count.
    """
    old, new = before.split(), after.split()
    grown = len(new) - len(old)
    if grown <= 0:
        return None
    start = 0
    while start < len(old) and old[start] == new[start]:
        start += 1
    if old[start:] != new[start + grown :]:
        return None
    return " ".join(new[start : start + grown])


def is_subsequence(short: list[str], long: list[str]) -> bool:
    """Whether all elements of one list stand in another in the same order."""
    place = iter(long)
    return all(any(item == other for other in place) for item in short)


def rising(values: list[int]) -> bool:
    """Whether every number is larger than the one before."""
    return all(left < right for left, right in pairwise(values))
