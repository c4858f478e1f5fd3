"""One form of a text for matching, as long as the text itself, so that a place in one is the same place in the other."""

from __future__ import annotations

_SAME_LENGTH = {
    **dict.fromkeys("\u2018\u2019\u201b\u02bc\u2032\u00b4\uff07", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2212\ufe63\uff0d", "-"),
    **dict.fromkeys("\u2013\u2014\u2015", "\u2014"),
    **dict.fromkeys(
        "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t", " "
    ),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", " "),
    **dict.fromkeys("\r\u2028\u2029\u0085\x0b\x0c", "\n"),
    "\u2026": ".",
    **{
        chr(0xFF01 + offset): chr(0x21 + offset)
        for offset in range(94)
        if chr(0xFF01 + offset) not in "\uff02\uff07\uff0d"
    },
}
_TABLE = str.maketrans(_SAME_LENGTH)
INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u061c\u180e\u2061\u2062\u2063\u2064")
"""Characters that show nothing and that no word is made of."""


def plain(text: str) -> str:
    """The text with one sort of quotation mark, apostrophe, dash and space; same length, case kept."""
    return text if text.isascii() and "\t" not in text and "\r" not in text else text.translate(_TABLE)


def lowered(text: str) -> str:
    """The text in lower case; a letter whose lower case is longer than one character is kept, so the length stays."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(char if len(char.lower()) != 1 else char.lower() for char in text)
