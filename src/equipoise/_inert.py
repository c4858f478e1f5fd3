"""Text from outside, made harmless before it is shown: the invisible becomes a visible code point."""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, the terminal's escape among them; tab and line feed stay
    "\u00ad\u061c\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # zero width, direction, separators
    "\ud800-\udfff"  # lone surrogates, which no file can hold
    "\U000e0000-\U000e007f"  # tags
    "]"
)


def inert(text: str) -> str:
    """The text with every control, direction and zero-width character as a visible code point such as "⟨U+202E⟩".

    Tabs and line feeds stay. Escaping for HTML is a separate step, done by the template engine and by the plots.

    Args:
        text: any text.
    """
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def hidden(text: str) -> bool:
    """Whether the text still holds a character that `inert` would replace."""
    return _UNSEEN.search(text) is not None
