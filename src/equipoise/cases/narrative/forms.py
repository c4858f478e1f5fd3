"""Forms of a note of the same length, so that places agree: folded, and without leaders and emphasis."""

from __future__ import annotations

import re

_FLAT = str.maketrans({
    "\u2013": "-", "\u2014": "-", "\u2011": "-", "\u2212": "-", "\u2010": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2019": "'",
    "\u2018": "'", "\t": " ", "\r": " ", "\u201c": '"', "\u201d": '"', "\u2265": "\u2265", "\u2192": "\u2192",
})  # fmt: skip


def flat(text: str) -> str:
    """Lower case with plain dashes, quotes and spaces, of the same length, so that places agree."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(one if len(one := char.lower()) == 1 else char for char in text)
    return low.translate(_FLAT)


_DOTS = re.compile(r"\.{4,}")
_TABLE_ROW = re.compile(r"(?m)^[^\n;]{0,60};(?=\S)[^\n;]{1,80};(?=\S)[^\n]{0,200}$")


def plain(text: str) -> str:
    """The text with leaders, emphasis and table separators made plain, of the same length: dotted leaders become a colon."""
    if "...." in text:
        text = _DOTS.sub(
            lambda one: (" " if text[one.end() : one.end() + 2].strip()[:1] == ":" else ":") + " " * (len(one[0]) - 1),
            text,
        )
    if "**" in text or "__" in text:
        text = text.replace("**", "  ").replace("__", "  ")
    if ";" in text:
        text = _TABLE_ROW.sub(lambda one: one[0].replace(";", " "), text)
    return text
