"""Cases of a meeting, cut by rule where somebody opens one.

The rule sees words such as "our first case is" and "the next patient, a woman". It is a beginning for a person to correct, and says when
it has no hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.boards.model import Turn

_OPENS = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|next|last|final|new) (?:case|patient)"
    r"(?: (?:is|presents|concerns|involves|comes|today)\b|\s*[,:.])",
    re.IGNORECASE,
)
_TELLS_BACK = re.compile(r"\b(?:in|like|as in|after|from|than) (?:the|our|my|that)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One case: ids of its first and last turn, and the words that opened it (empty when none did)."""

    first: str
    last: str
    opening: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Segmentation:
    """What a meeting was cut into.

    Attributes:
        cases: in order.
        before: ids of the turns before the first case.
        notes: what a person should look at.
    """

    cases: tuple[Segment, ...]
    before: tuple[str, ...]
    notes: tuple[str, ...]


def segment_cases(turns: Sequence[Turn]) -> Segmentation:
    """Cuts a meeting into cases.

    Without any words that open a case the whole meeting is one, and a note says so; without turns there is none.

    Args:
        turns: in the order spoken, best one for each cue, since a case can open in the middle of a long turn.
    """
    openings = [
        (place, words, start) for place, turn in enumerate(turns) for words, start in [_opening(turn.text)] if words
    ]
    if not openings:
        if not turns:
            return Segmentation(cases=(), before=(), notes=())
        whole = Segment(first=turns[0].id, last=turns[-1].id, opening="")
        note = "no words that open a case were found; the meeting is one case until somebody cuts it"
        return Segmentation(cases=(whole,), before=(), notes=(note,))
    ends = [place - 1 for place, _, _ in openings[1:]] + [len(turns) - 1]
    cases = [
        Segment(first=turns[place].id, last=turns[end].id, opening=words)
        for (place, words, _), end in zip(openings, ends, strict=True)
    ]
    notes = tuple(
        f"turn {turns[place].id} opens a case after {start} characters; what comes before may belong to the case before"
        for place, _, start in openings
        if start > 60
    )
    return Segmentation(cases=tuple(cases), before=tuple(turn.id for turn in turns[: openings[0][0]]), notes=notes)


def _opening(text: str) -> tuple[str, int]:
    """The words that open a case and where they stand; empty when there are none."""
    for found in _OPENS.finditer(text):
        if not _TELLS_BACK.search(text[: found.start()]):
            return found[0], found.start()
    return "", 0
