"""Words of a text as lower-case tokens, and a longest-match table over them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")

_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?")
_SPLIT = re.compile(r"[a-z]+|[0-9]+")


def fold(text: str) -> str:
    """The text in lower case without accents and compatibility forms ("ﬁ", full-width letters); may change its length."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char)).lower()


def words(text: str) -> list[str]:
    """Runs of letters and digits, folded; everything else separates."""
    return _WORD.findall(fold(text))


class PhraseTable(Generic[T]):
    """Finds the longest known phrase at each place of a token list.

    A phrase is known by its words and also written as one word ("T-DXd" and "TDXd", "AZD9291" and "AZD-9291").
    """

    def __init__(self) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], T]]] = {}
        self._owner: dict[tuple[str, ...], T] = {}

    def add(self, phrase: str, value: T) -> None:
        """Make a phrase known.

        Raises:
            ValueError: the phrase already means something else, or holds no word.
        """
        tokens = tuple(words(phrase))
        if not tokens:
            message = f"a vocabulary entry holds no word: {phrase!r}"
            raise ValueError(message)
        joined = "".join(tokens)
        split = tuple(_SPLIT.findall(joined)) if len(tokens) == 1 else tokens
        for form in {tokens, (joined,), split}:
            self._put(form, value, phrase)

    def _put(self, form: tuple[str, ...], value: T, phrase: str) -> None:
        known = self._owner.get(form)
        if known is not None:
            if known != value:
                message = f"{phrase!r} is listed twice in the vocabulary, as {known!r} and as {value!r}"
                raise ValueError(message)
            return
        self._owner[form] = value
        entries = self._by_first.setdefault(form[0], [])
        entries.append((form, value))
        entries.sort(key=lambda entry: -len(entry[0]))

    def firsts(self, keep: Callable[[T], bool] | None = None) -> frozenset[str]:
        """First words of the known phrases, of those whose value `keep` accepts."""
        if keep is None:
            return frozenset(self._by_first)
        return frozenset(word for word, entries in self._by_first.items() if any(keep(value) for _, value in entries))

    def match(self, tokens: list[str], place: int) -> tuple[T, int] | None:
        """The value of the longest phrase that starts at `place`, and how many tokens it takes; None when there is none."""
        entries = self._by_first.get(tokens[place])
        if entries is None:
            return None
        for form, value in entries:
            size = len(form)
            if size == 1 or tuple(tokens[place : place + size]) == form:
                return value, size
        return None

    def extend(self, phrases: Iterable[str], value: T) -> None:
        """Make several phrases known under one value."""
        for phrase in phrases:
            self.add(phrase, value)
