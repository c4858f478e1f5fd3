"""What looks like an identifier in a scrubbed text: shown to a reader, never changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from equipoise.boards.curation.identifiers.codes import PUBLIC
from equipoise.boards.curation.identifiers.model import LeftOver, Replacement
from equipoise.boards.curation.identifiers.vocabulary import NAMELIKE, Sort, medical, sort_of, surname
from equipoise.redteam.privacy.words import EPONYM_NOUNS, FUNCTION_WORDS, GIVEN_NAMES, ORDINARY

_CAPITAL = re.compile(r"(?<![\w'.-])[A-Z\u00c0-\u00de][a-z\u00df-\u00ff]{2,}(?![\w-])")
_DIGITS = re.compile(r"(?<![\w.])\d{6,}(?![\w.]*\d)")
_AT_START = re.compile(r"(?:^|[.!?:;\]\n\"(]\s*|[\u2022*-] )$")
_SMALL = re.compile(r"(?<![\w'.-])[a-z\u00df-\u00ff]{4,}(?:-[a-z\u00df-\u00ff]{3,})*(?![\w-])")
_GIVEN, _CAPITAL_WORD, _NO_LIST = (
    "a common given name",
    "a word with a capital that no list explains",
    "a word that no list of English or medicine knows",
)


def find_left_over(texts: Mapping[str, str], replaced: Sequence[Replacement]) -> Iterator[LeftOver]:
    """Words with a capital that nothing explains, given names, words that no list knows, and long numbers, outside of what was replaced.

    A word in small letters is shown where it first stands; a word with a capital that also stands in small letters is an ordinary one.

    Args:
        texts: all scrubbed texts.
        replaced: all replacements.
    """
    done: dict[str, list[tuple[int, int]]] = {}
    for item in replaced:
        done.setdefault(item.text, []).append((item.start, item.end))
    low = {word for text in texts.values() for word in re.findall(r"(?<!\w)[a-z]+(?!\w)", text)}
    told: set[str] = set()
    for name, text in texts.items():
        for start, end, reason in sorted(_found(text, low, told)):
            if not any(start < last and first < end for first, last in done.get(name, ())):
                yield LeftOver(text=name, start=start, end=end, reason=reason)


def _found(text: str, low: Set[str], told: set[str]) -> Iterator[tuple[int, int, str]]:
    for found in _CAPITAL.finditer(text):
        word = found.group().casefold()
        given = (word in GIVEN_NAMES and word not in ORDINARY) or sort_of(word) is Sort.GIVEN
        begins = _AT_START.search(text[max(0, found.start() - 8) : found.start()]) is not None
        if _explained(found.group()) or ((word in low or begins) and not given):
            continue
        yield (*found.span(), _GIVEN if given else _CAPITAL_WORD)
    for found in _SMALL.finditer(text):
        word = found.group()
        given = word in GIVEN_NAMES and word not in ORDINARY and word not in FUNCTION_WORDS
        if word not in told and (given or sort_of(word) in NAMELIKE):
            told.add(word)
            yield (*found.span(), _GIVEN if given or sort_of(word) is Sort.GIVEN else _NO_LIST)
    public = [found.span() for found in PUBLIC.finditer(text)]
    for found in _DIGITS.finditer(text):
        if not any(first <= found.start() < last for first, last in public):
            yield (*found.span(), "a long number")


def _explained(word: str) -> bool:
    low = word.casefold()
    return low in EPONYM_NOUNS or sort_of(word) in (Sort.PROTECTED, Sort.EPONYM) or (medical(low) and not surname(low))
