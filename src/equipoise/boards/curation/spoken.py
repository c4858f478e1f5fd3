"""Numbers of a text, in digits and as they are spoken: "sixty-eight", "eleven point two", "one hundred and five"."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)?|\d+(?:[.,]\d+)?")
_SMALL = {
    word: place
    for place, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * place
    for place, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_WORD = re.compile(r"[a-z]+|[^a-z\s-]", re.IGNORECASE)


def numbers(text: str, *, parts: bool = False) -> frozenset[str]:
    """The numbers of a text as digits, with a point for decimals.

    Args:
        text: the text.
        parts: also the parts of numbers of several words ("one hundred and five": 105, 1, 100, 5), to look a number up in.
    """
    found = {match.replace(",", ".") for match in _DIGITS.findall(text)}
    words = [word.casefold() for word in _WORD.findall(text)]
    place = 0
    while place < len(words):
        value, taken = _spoken(words, place)
        if taken:
            found.add(value)
            if parts:
                found.update(str(_value(word)) for word in words[place : place + taken] if _value(word) is not None)
        place += max(1, taken)
    return frozenset(found)


def _value(word: str) -> int | None:
    return _SMALL.get(word, _TENS.get(word, 100 if word == "hundred" else None))


def _below_hundred(words: list[str], place: int) -> tuple[int, int]:
    """Value and number of words of a number under a hundred that begins here; no words when there is none."""
    if place >= len(words):
        return 0, 0
    word = words[place]
    if word in _SMALL:
        return _SMALL[word], 1
    if word not in _TENS:
        return 0, 0
    after = words[place + 1] if place + 1 < len(words) else ""
    return (_TENS[word] + _SMALL[after], 2) if 0 < _SMALL.get(after, 0) < 10 else (_TENS[word], 1)


def _spoken(words: list[str], place: int) -> tuple[str, int]:
    value, taken = _below_hundred(words, place)
    if not taken:
        return "", 0
    if words[place + taken : place + taken + 1] == ["hundred"]:
        value, taken = value * 100, taken + 1
        joined = taken + (words[place + taken : place + taken + 1] == ["and"])
        rest, more = _below_hundred(words, place + joined)
        if more:
            value, taken = value + rest, joined + more
    if words[place + taken : place + taken + 1] == ["point"]:
        digits, end = "", place + taken + 1
        while end < len(words) and words[end] in _SMALL:
            digits += str(_SMALL[words[end]])
            end += 1
        if digits:
            return f"{value}.{digits}", end - place
    return str(value), taken
