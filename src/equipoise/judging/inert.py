"""Outside text as a judge may see it: readable, and without anything that acts on a program or a chat template."""

from __future__ import annotations

import re
import unicodedata

_MARKS = re.compile(
    r"<(?=[|\uff5c])|<(?=/?(?:s|bos|eos|pad|start_of_turn|end_of_turn|start_header_id|end_header_id)>)"
    r"|<(?=</?SYS>>)|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
)
"""Where a mark begins by which chat templates divide turns; a tokenizer may take it for the end of a message."""

_HIDDEN = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_JOINERS = frozenset("\u200c\u200d")
"""Written in several scripts and in composed emoji; they change no direction and hide nothing."""


def inert(text: str) -> str:
    """The text with control and invisible characters as code points and marks of chat templates broken by a space.

    Everything else, HTML included, stays as it was written: to a judge it is text.

    Args:
        text: any text.
    """
    plain = text.replace("\r\n", "\n")
    shown = "\n".join(line if line.isprintable() else _shown(line) for line in plain.split("\n"))
    return _MARKS.sub(lambda found: found[0] + " ", shown)


def _shown(line: str) -> str:
    return "".join(char if _plain(char) else f"\\u{ord(char):04x}" for char in line)


def _plain(char: str) -> bool:
    if char in _HIDDEN:
        return False
    return char == "\t" or char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs"
