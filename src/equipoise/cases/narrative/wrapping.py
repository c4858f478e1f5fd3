"""Words that a line end cuts in two, put together again in a text of the same length."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left, bisect_right
from functools import cache

from equipoise.cases.model import Source
from equipoise.cases.vocabulary.biomarkers import catalogue
from equipoise.cases.vocabulary.drugs import lexicon

_CUT = re.compile(r"(?<![A-Za-z-])([A-Za-z]{2,20})-[ \t\r]*\n[ \t]*([a-z]{2,20})(?![a-z-])")
_HEADS = frozenset(
    "first second third fourth one two three non pre post anti wild long short high low well double single full half self cross follow "
    "check in on off up down large small co over re tumor tumour drug platinum chemo".split()
)
_TAILS = frozenset(
    "line type cell positive negative treated naive directed targeted free term grade level dose based induced related up wide risk old "
    "year month week day dependent mutant mutated rearranged amplified driven like agent drug therapy".split()
)


@cache
def _drug_words() -> frozenset[str]:
    return frozenset(lexicon().table.firsts(lambda entry: entry.role == "component"))


def _whole(head: str, tail: str) -> str:
    """A word from its halves: with its hyphen when both halves are words that a hyphen joins."""
    first, drugs = head.lower(), _drug_words()
    if first + tail in drugs:
        return head + tail
    compound = first in _HEADS or tail in _TAILS or first in catalogue().spellings or (first in drugs and tail in drugs)
    return f"{head}-{tail}" if compound else head + tail


def rejoined(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text with words whole that "-" and a line end had cut, of the same length, and the spans that were changed.

    A changed span holds the word behind spaces, so that every place outside it stays where it was.
    """
    if "-" not in text or "\n" not in text:
        return text, ()
    spans: list[tuple[int, int]] = []

    def put(match: re.Match[str]) -> str:
        spans.append(match.span())
        return _whole(match[1], match[2]).rjust(len(match[0]))

    return _CUT.sub(put, text), tuple(spans)


def within(source: Source, spans: tuple[tuple[int, int], ...]) -> Source:
    """A source whose edges lie at the edges of the words that were put together."""
    if source.start is None or source.end is None:
        return source
    start, end = source.start, source.end
    place = bisect_right(spans, (start, sys.maxsize)) - 1
    if place >= 0 and start < spans[place][1]:
        start = spans[place][0]
    place = bisect_left(spans, (end,)) - 1
    if place >= 0 and end <= spans[place][1]:
        end = spans[place][1]
    return source if (start, end) == (source.start, source.end) else Source(source.field, source.text, start, end)
