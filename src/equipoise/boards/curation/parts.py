"""A text in sentences and words, with their places: what deletions and leaks are looked at in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from equipoise.boards.measures.treatments import with_digits

_ABBREVIATION = re.compile(
    r"(?:\b(?i:dr|mr|mrs|ms|prof|st|vs|approx|cf|al|e\.g|i\.e|fig|resp)|(?<![A-Za-z0-9])[A-Z])\.$"
)
_END = re.compile(r"[.!?][\"')\]]*(?=\s)")
_WORD = re.compile(r"\w+(?:[-'\u2019./]\w+)*|[^\w\s]")
_HEADING = re.compile(r"\[[^\[\]\n]{1,80}\]|[A-Z][A-Za-z /]{1,40}:")
_FUNCTION = frozenset(
    """
    a an the of in on at to for from with without by and or but as is are was were be been being has have had this that these those it
    its she he they we you i her his their our my your who which there here then than so if not no nor do does did can could would
    will should may might must also very now per into over under about after before during until while us them him me what when
    patient case
    """.split()
)
FRAME = frozenset(
    """
    plan plann planned recommend recommended recommendation propos suggest advis agree agreed decid decision decided board tumor tumour
    consensus conclud conclusion start started begin began receiv receive receive undergo give given giv proceed offer treat treatment
    treated therapy next due indicat indicated schedul scheduled candidate refer referred intend consider considered team discuss
    discussed meet meeting further new
    """.split()
)
"""Words that frame a decision and say nothing of what was decided."""


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence or a heading, by its place in the text."""

    start: int
    end: int
    text: str

    @property
    def heading(self) -> bool:
        """A bracketed heading, or a label alone on its line."""
        return _HEADING.fullmatch(self.text) is not None


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a sign, by its place in the text."""

    start: int
    end: int
    text: str

    @property
    def word(self) -> bool:
        """Whether it is a word or a number."""
        return self.text[0].isalnum()


def sentences(text: str) -> tuple[Part, ...]:
    """The sentences and headings of a text, in order, without the white space between them.

    A line ends a sentence. So does a stop before white space, except after a few abbreviations and after a single capital.
    """
    found = []
    for line in re.finditer(r"[^\n\r]+", text):
        begin = line.start()
        heading = re.match(r"\s*\[[^\[\]\n]{1,80}\]", line.group())
        if heading is not None:
            found.append((begin, begin + heading.end()))
            begin += heading.end()
        for stop in _END.finditer(text, begin, line.end()):
            if _ABBREVIATION.search(text, max(begin, stop.start() - 12), stop.start() + 1):
                continue
            found.append((begin, stop.end()))
            begin = stop.end()
        found.append((begin, line.end()))
    return tuple(_trimmed(text, start, end) for start, end in found if text[start:end].strip())


def _trimmed(text: str, start: int, end: int) -> Part:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    return Part(start, start + len(piece), piece)


def tokens(text: str, offset: int = 0) -> tuple[Token, ...]:
    """Words and signs of a text, their places counted from `offset`."""
    return tuple(Token(found.start() + offset, found.end() + offset, found.group()) for found in _WORD.finditer(text))


def stem(word: str) -> str:
    """A word without its commonest English endings, so that "resected" and "resection" meet."""
    word = word.casefold()
    for ending in ("ations", "ation", "ions", "ion", "ings", "ing", "als", "al", "ies", "ed", "es", "s", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= (3 if ending in ("ing", "ed", "s") else 4):
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=8192)
def content(text: str) -> frozenset[str]:
    """Stems of the words that say something: no function words, no frame of a decision; numbers in digits."""
    words = re.findall(r"[a-z0-9]+(?:[-.][a-z0-9]+)*", with_digits(text))
    stems = {stem(word) for word in words if word not in _FUNCTION and word not in FRAME}
    return frozenset(item for item in stems if item not in FRAME and (len(item) > 1 or item.isdigit()))


def overlap(wanted: frozenset[str], found: frozenset[str]) -> float:
    """Share of the wanted words that are found, 0 to 1; 0 when none is wanted."""
    return len(wanted & found) / len(wanted) if wanted else 0.0
