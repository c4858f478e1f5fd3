"""Whether a short question is in English, as far as its letters and small words tell."""

from __future__ import annotations

import re

from equipoise.cases.narrative.language import foreign_language

_ENGLISH = frozenset(
    "the a an of to in on at by for from with without and or but if not no is are was were be been do does did can could"
    " should would will may might must have has had i you he she it we they my your his her its our their me him them this"
    " that these those what which who whom whose when where why how as than then about into after before during between"
    " there here any some all more most other such so because while give tell write explain describe list help make get use".split()
)
"""Small words of English; a text of several words without one of them is not taken for English."""

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_LEAST_WORDS = 6
_FOREIGN_LETTERS = 0.2


def is_english(text: str) -> bool:
    """Whether a text passes for English; one of fewer than six words does unless its letters are of another script.

    Args:
        text: a question or a reply.
    """
    letters = [char for char in text if char.isalpha()]
    if not letters:
        return False
    if sum(not char.isascii() for char in letters) > _FOREIGN_LETTERS * len(letters):
        return False
    words = _WORD.findall(text.lower().replace("\u2019", "'"))
    if len(words) >= _LEAST_WORDS and not _ENGLISH.intersection(words):
        return False
    if foreign_language(text):
        return False
    small = sum(word in _ENGLISH for word in words)
    return len(words) < _LEAST_WORDS or small * 12 >= len(words)
