"""What the readers of replies share: reasoning and fences are taken off, placeholders are known, sentences are counted.

A reply is untrusted text: every pattern is bounded, and no more than `LONGEST` characters are read.
"""

from __future__ import annotations

import json
import re
from typing import Any

LONGEST = 400_000
"""Characters of a reply that are read."""

TAG = re.compile(
    r"<[ \t]{0,3}(/?)[ \t]{0,3}(discussion|conclusion|turn|thinking|think|reasoning)[ \t]{0,3}(\d{0,6})[ \t]{0,3}>",
    re.IGNORECASE,
)
"""A tag of the output contract, or of a block of reasoning."""

_REASONING = frozenset({"think", "thinking", "reasoning"})
_BRACKETED = re.compile(r"\[[^\[\]]*\]")
_ANGLED = re.compile(r"<[^<>]*>")
_END = re.compile(r"[.!?]+[\"')\]\u2019\u201d]{0,3}(?=\s|$)")
_COMPLETE = re.compile(r"[.!?][\"')\]\u2019\u201d]{0,3}$")
_PLACEHOLDERS = frozenset({"string", "text", "answer", "your answer", "conclusion", "none", "null", "n/a"})


class TwiceError(ValueError):
    """An object names an element twice."""


def bare(text: str) -> tuple[str, list[str]]:
    """A reply without its reasoning and without a code fence around the whole, and what was taken off.

    A block of reasoning that does not end takes everything after its beginning with it; one that has lost its beginning takes
    everything before its end.
    """
    problems: list[str] = []
    if len(text) > LONGEST:
        text, problems = text[:LONGEST], [f"longer than {LONGEST} characters; the rest is not read"]
    text, reasoned = _without_reasoning(text)
    if reasoned:
        problems.append(reasoned)
    text = text.strip()
    if text.startswith("```"):
        first, _, rest = text.partition("\n")
        if first.rstrip("`").strip("`").strip().isalnum() or not first.strip("` "):
            text = rest.strip().removesuffix("```").strip()
            problems.append("in a code fence")
    return text, problems


def _without_reasoning(text: str) -> tuple[str, str]:
    kept: list[str] = []
    place, depth, found = 0, 0, ""
    for match in TAG.finditer(text):
        if match[2].lower() not in _REASONING:
            continue
        found = "a block of reasoning"
        if match[1]:
            if depth == 0:
                kept = []  # its beginning is lost
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                kept.append(text[place : match.start()])
            depth += 1
        place = match.end()
    if depth:
        return "".join(kept), "a block of reasoning that does not end"
    kept.append(text[place:])
    return "".join(kept), found


def flat(text: str) -> str:
    """The words with single spaces between them."""
    return " ".join(text.split())


def same(text: str) -> str:
    """What two texts have in common that differ in spacing or case alone."""
    return flat(text).casefold()


def is_placeholder(text: str) -> bool:
    """Whether a text only repeats a template: in brackets, without a letter, or the word of the template."""
    plain = flat(text).strip()
    return (
        not any(character.isalpha() for character in plain)
        or plain.casefold() in _PLACEHOLDERS
        or _BRACKETED.fullmatch(plain) is not None
        or _ANGLED.fullmatch(plain) is not None
    )


def sentences(text: str) -> int:
    """About how many sentences a text has: ends of sentences that space or nothing follows."""
    return len(_END.findall(text))


def ends_whole(text: str) -> bool:
    """Whether a text ends with the end of a sentence."""
    return _COMPLETE.search(text.rstrip()) is not None


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a JSON text.

    Raises:
        TwiceError: it names an element twice.
    """
    result: dict[str, Any] = {}
    for name, value in pairs:
        key = name.strip().lower()
        if key in result:
            raise TwiceError(key)
        result[key] = value
    return result


def load_object(text: str) -> dict[str, Any] | None:
    """The object that a whole text is, keys in lower case; None when it is none.

    Raises:
        TwiceError: an object names an element twice.
    """
    try:
        value = json.loads(text, object_pairs_hook=once, strict=False)
    except TwiceError:
        raise
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
