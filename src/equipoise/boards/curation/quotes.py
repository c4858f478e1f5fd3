"""Whether a quote stands in the transcript, word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from equipoise.boards.model import Turn

_SIGNS = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-"})


class QuoteState(StrEnum):
    """What was found of a quote."""

    VERBATIM = "verbatim"
    SPACING_OR_CASE = "only spacing, case or quotation marks differ"
    OTHER_TURN = "in another turn"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteCheck:
    """The state of a quote, and the turn it was found in (empty when it was not)."""

    state: QuoteState
    turn: str


def check_quote(quote: str, turns: Sequence[Turn], *, turn: str | None = None) -> QuoteCheck:
    """Looks for a quote in the turns.

    A quote may not begin or end inside a word, so that "resectable" is no quote of "unresectable". A quote can be verbatim and still turn
    the meaning round by what it leaves out; this is not seen.

    Args:
        quote: the words; blank ones are absent.
        turns: where to look.
        turn: id of the turn it is said to come from; None for any.
    """
    exact = _pattern(quote.strip())
    loose = _pattern(_loose(quote))
    if exact is None or loose is None:
        return QuoteCheck(state=QuoteState.ABSENT, turn="")
    own = [item for item in turns if turn is None or item.id == turn]
    for item in own:
        if exact.search(item.text):
            return QuoteCheck(state=QuoteState.VERBATIM, turn=item.id)
    for item in own:
        if loose.search(_loose(item.text)):
            return QuoteCheck(state=QuoteState.SPACING_OR_CASE, turn=item.id)
    for item in turns:
        if loose.search(_loose(item.text)):
            return QuoteCheck(state=QuoteState.OTHER_TURN, turn=item.id)
    return QuoteCheck(state=QuoteState.ABSENT, turn="")


def _pattern(words: str) -> re.Pattern[str] | None:
    if not words:
        return None
    start = r"(?<!\w)" if re.match(r"\w", words) else ""
    end = r"(?!\w)" if re.search(r"\w$", words) else ""
    return re.compile(start + re.escape(words) + end)


def _loose(text: str) -> str:
    return " ".join(text.translate(_SIGNS).casefold().split())
