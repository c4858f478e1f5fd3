"""Reads the one option that a reply names, strictly: what is not plain is unread, never a wrong answer.

In this order: an object with "answer"; an announced letter ("Answer: B", "the answer is B", "Option B"; a final answer counts
alone); a letter alone; a letter with the text of its option; the text of one option alone. Two letters, a letter with another option's
text, a denial or a part of an option's text are unread.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from equipoise.redteam.operators import Option

READER_VERSION = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceReading:
    """What was read.

    Attributes:
        letter: the option; None when unread.
        how: which step found it; empty when none did.
    """

    letter: str | None
    how: str = ""


_ANNOUNCED = re.compile(
    r"\b(?P<final>final\s+)?(?:answer|option|choice)(?:\s+is)?\s*[:=]?\s*[*_`\"]*\(?(?P<letter>[A-Z])\)?(?![A-Za-z0-9'’])"
    r"(?P<more>\s*(?:,|/|or|and|oder|&)\s*\(?[A-Z]\)?(?![A-Za-z0-9'’]))?"
)
_ALONE = re.compile(r"\(?([A-Za-z])\)?[.:)]?")
_LETTER_TEXT = re.compile(r"\(?([A-Z])[.:)]\)?\s+(.+)", re.DOTALL)


def read_choice(reply: str, options: tuple[Option, ...]) -> ChoiceReading:
    """The option that a reply names.

    Args:
        reply: the whole reply.
        options: the options.
    """
    letters = {option.letter for option in options}
    texts = {_folded(option.text): option.letter for option in options}
    plain = re.sub(r"[*_`]+", "", reply).strip()
    for how, letter in ((how, step) for how, step in _steps(plain, texts) if step is not None):
        return ChoiceReading(letter=letter, how=how) if letter in letters else ChoiceReading(letter=None)
    return ChoiceReading(letter=None)


def _steps(plain: str, texts: dict[str, str]) -> list[tuple[str, str | None]]:
    alone = _ALONE.fullmatch(plain)
    return [
        ("object", _of_object(plain)),
        ("announced", _announced(plain)),
        ("letter", alone.group(1).upper() if alone else None),
        ("letter and text", _letter_and_text(plain, texts)),
        ("text", texts.get(_folded(plain))),
    ]


def _of_object(plain: str) -> str | None:
    try:
        value = json.loads(plain)
    except (ValueError, RecursionError):
        return None
    answer = value.get("answer") if isinstance(value, dict) else None
    return answer.strip().upper() if isinstance(answer, str) else None


def _announced(plain: str) -> str | None:
    """The announced letter; "?" when several are, None when none is."""
    text = re.sub(r"\b(?:Final|FINAL)(?=\s+[Aa]nswer)", "final", plain)
    text = re.sub(r"\b(Answer|ANSWER|Option|OPTION|Choice|CHOICE|IS)\b", lambda found: found[0].lower(), text)
    found = list(_ANNOUNCED.finditer(text))
    finals = [item for item in found if item["final"]]
    kept = finals or found
    if any(item["more"] for item in kept) or len({item["letter"] for item in kept}) > 1:
        return "?"
    return kept[0]["letter"] if kept else None


def _letter_and_text(plain: str, texts: dict[str, str]) -> str | None:
    found = _LETTER_TEXT.fullmatch(plain)
    if found is None:
        return None
    first = _folded(found.group(2).split("\n", 1)[0])
    other = texts.get(first)
    if other is not None:
        return found.group(1) if other == found.group(1) else "?"
    return None


def _folded(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(" .")
