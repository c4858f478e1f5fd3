"""What looks like an identifier in a scrubbed text: shown to a reader, never changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from equipoise.boards.curation.identifiers.codes import PUBLIC
from equipoise.boards.curation.identifiers.model import LeftOver, Replacement
from equipoise.boards.curation.identifiers.words import EPONYMS, NOT_NAMES, STATES
from equipoise.boards.measures.treatments import drugs_in
from equipoise.redteam.privacy.words import EPONYM_NOUNS, FUNCTION_WORDS, GIVEN_NAMES, ORDINARY

_CAPITAL = re.compile(r"(?<![\w'.-])[A-Z\u00c0-\u00de][a-z\u00df-\u00ff]{2,}(?![\w-])")
_DIGITS = re.compile(r"(?<![\w.])\d{6,}(?![\w.]*\d)")
_AT_START = re.compile(r"(?:^|[.!?:;\]\n\"(]\s*|[\u2022*-] )$")
_LOW_GIVEN = re.compile(r"(?<![\w-])[a-z]{3,}(?![\w-])")


def find_left_over(
    name: str, text: str, replaced: Sequence[Replacement], texts: Mapping[str, str]
) -> Iterator[LeftOver]:
    """Words with a capital that nothing explains, common given names, and long numbers, outside of what was replaced.

    Args:
        name: id of the text.
        text: the scrubbed text.
        replaced: all replacements.
        texts: all scrubbed texts; a word that also stands there in small letters is an ordinary one.
    """
    done = [(item.start, item.end) for item in replaced if item.text == name]
    low = {word for other in texts.values() for word in re.findall(r"(?<!\w)[a-z]+(?!\w)", other)}

    def free(start: int, end: int) -> bool:
        return not any(start < last and first < end for first, last in done)

    for found in _CAPITAL.finditer(text):
        word = found.group().casefold()
        given = word in GIVEN_NAMES and word not in ORDINARY
        begins = _AT_START.search(text[: found.start()]) is not None
        if (
            not free(*found.span())
            or _explained(found.group())
            or (word in low and not given)
            or (begins and not given)
        ):
            continue
        reason = "a common given name" if given else "a word with a capital that no list explains"
        yield LeftOver(text=name, start=found.start(), end=found.end(), reason=reason)
    for found in _LOW_GIVEN.finditer(text):
        word = found.group()
        if word in GIVEN_NAMES and word not in ORDINARY and word not in FUNCTION_WORDS and free(*found.span()):
            yield LeftOver(text=name, start=found.start(), end=found.end(), reason="a common given name")
    public = [found.span() for found in PUBLIC.finditer(text)]
    for found in _DIGITS.finditer(text):
        if free(*found.span()) and not any(first <= found.start() < last for first, last in public):
            yield LeftOver(text=name, start=found.start(), end=found.end(), reason="a long number")


def _explained(word: str) -> bool:
    low = word.casefold()
    return (
        low in EPONYMS
        or low in NOT_NAMES
        or low in STATES
        or low in FUNCTION_WORDS
        or low in EPONYM_NOUNS
        or bool(drugs_in(word))
    )
