"""How the writers take texts apart: sentences, the final question, and a place for one more sentence."""

from __future__ import annotations

import re
from dataclasses import replace

from equipoise.redteam.operators.items import USER, Form, Item, Turn

_ABBREVIATIONS = frozenset(
    "dr mr mrs ms st vs e.g i.e approx no fig inc jr sr prof dept resp u.s a.m p.m q.d b.i.d t.i.d".split()
)
_BOUNDARY = re.compile(r"(?<=[.!?])[\"')\]”’]*(\s+)(?=\S)|(\s*\n+\s*)")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Beginning and end of every sentence, without the white space between them; lines end sentences too."""
    spans: list[tuple[int, int]] = []
    start = 0
    for found in _BOUNDARY.finditer(text):
        space = 1 if found.group(1) is not None else 2
        end, after = found.start(space), found.end(space)
        if space == 1 and not _ends(text, start, end, after):
            continue
        if text[start:end].strip():
            spans.append(_tight(text, start, end))
        start = after
    if text[start:].strip():
        spans.append(_tight(text, start, len(text)))
    return spans


def _ends(text: str, start: int, end: int, after: int) -> bool:
    """Whether a mark ends a sentence: not after an abbreviation or an initial (of a name at the beginning or after a title).

    A small letter may follow: people write like that. It does not end one after a single letter ("E. coli").
    """
    parts = text[start:end].split()
    last = parts[-1].rstrip("\"')]”’")
    if last.endswith("."):
        word = last.rstrip(".").lstrip("(").lower()
        titled = len(parts) == 1 or parts[-2].endswith(".")
        if text[after].islower() and (len(word) == 1 or "." in word):
            return False
        if word in _ABBREVIATIONS or (titled and len(word) == 1 and word.isalpha() and last[0].isupper()):
            return False
    return True


def _tight(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order."""
    return [text[start:end] for start, end in sentence_spans(text)]


def before_last_sentence(text: str, addition: str) -> str:
    """The text with a sentence put before its last one."""
    spans = sentence_spans(text)
    place = spans[-1][0] if spans else 0
    return f"{text[:place]}{addition} {text[place:]}"


def spoken(item: Item) -> str:
    """The text an operator speaks into: the question, or the last turn of the user."""
    return item.question if item.form is Form.CHOICE else item.turns[-1].text


def respoken(item: Item, text: str) -> Item:
    """The item with that text changed."""
    if item.form is Form.CHOICE:
        return replace(item, question=text)
    return replace(item, turns=(*item.turns[:-1], Turn(role=USER, text=text)))


def folded(text: str) -> str:
    """Lower case and single spaces, for comparison."""
    return " ".join(text.lower().split()).rstrip(" .")
