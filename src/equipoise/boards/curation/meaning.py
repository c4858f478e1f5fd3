"""Whether taking words out of a sentence turns its meaning round. Rules over English words; in doubt they say that it does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from equipoise.boards.curation.parts import Token

_FORWARD = frozenset("no without suspected suspicious possible possibly probable probably likely unlikely questionable presumed potential "
                     "equivocal only if unless except apparent apparently borderline almost nearly".split())  # fmt: skip
"""Words that reach forward: what follows them, up to the next sign, conjunction or preposition of place or time, goes with them."""
_WHOLE = frozenset("not never cannot nor neither may might could denies denied denying negative absent excluded exclude excludes declined "
                   "refused contraindicated unremarkable free ruled lacks lacked failed nobody none".split())  # fmt: skip
"""Words that belong to their whole clause."""
_NEGATORS = frozenset(
    "no not never without nor neither cannot denies denied negative absent excluded declined refused lacks none".split()
)
_SIGNS = frozenset(",;:()[]\u2013\u2014.!?")
_JOINS = frozenset("and but or because although though while whereas so which who then yet".split())
_PLACES = frozenset("on in at with after during before since by".split())
_UNITS = frozenset(
    "% percent mg g cm mm gy gray ml cc months month weeks week years year days day of x fractions cycles lines to mmol".split()
)
_BOUNDS = frozenset(
    "< > \u2264 \u2265 ~ less more than least most up about approximately under over below above".split()
)
_HANGING_END = frozenset("and or but with for of to the a an is was are were be been being not no on in at by after if has have had will "
                         "without from as than that which who because planned".split())  # fmt: skip
_HANGING_START = frozenset("of for by to is was are were be been than that which who has have had , ; : ) -".split())
_LITTLE = frozenset("a an the any of for in on was were is are be been has had have".split())


def changed(words: Sequence[Token], runs: Sequence[tuple[int, int]]) -> bool:
    """Whether the runs taken out of a sentence may have changed what the rest says.

    True for a negation or a word of doubt taken without what it governs, for one that now governs something else, for a number without its
    unit or bound, for two clauses joined in their middles, and for a sentence that ends or begins in the air.

    Args:
        words: words and signs of the sentence.
        runs: half-open ranges of what was taken out, in order, without overlap.
    """
    low = [word.text.casefold() for word in words]
    gone = {place for start, end in runs for place in range(start, end)}
    kept = [place for place in range(len(low)) if place not in gone]
    return (
        any(_loose(low, place, gone) for place in sorted(gone))
        or any(_reaches_elsewhere(low, place, gone) for place in kept)
        or any(_number(low, start, end) or _joins_clauses(low, start, end) for start, end in runs)
        or _hangs(low, kept, gone)
    )


def _negator(word: str) -> bool:
    return word in _NEGATORS or word.endswith(("n't", "n\u2019t"))


def _loose(low: Sequence[str], place: int, gone: set[int]) -> bool:
    """A negation or a word of doubt that went, while what it governs stayed."""
    word = low[place]
    if word in _FORWARD:
        end = _until(low, place, _SIGNS | _JOINS | _PLACES)
        return end == place + 1 or not all(item in gone for item in range(place, end))
    if word in _WHOLE or _negator(word):
        start, end = _clause(low, place)
        return not all(item in gone for item in range(start, end))
    return False


def _until(low: Sequence[str], place: int, stops: frozenset[str]) -> int:
    return next((item for item in range(place + 1, len(low)) if low[item] in stops), len(low))


def _clause(low: Sequence[str], place: int) -> tuple[int, int]:
    """First and one past the last word of the clause around a place, its signs and conjunctions left out."""
    start = next((item + 1 for item in range(place - 1, -1, -1) if low[item] in _SIGNS | _JOINS), 0)
    return start, _until(low, place, _SIGNS | _JOINS)


def _reaches_elsewhere(low: Sequence[str], place: int, gone: set[int]) -> bool:
    """A negation or a word of doubt that stayed, and now stands before or after another word."""
    word = low[place]
    if not (word in _FORWARD or word in _WHOLE or _negator(word)):
        return False
    after = next((item for item in range(place + 1, len(low)) if low[item] not in _LITTLE), None)
    start, _ = _clause(low, place)
    before = next((item for item in range(place - 1, start - 1, -1) if low[item] not in _LITTLE), None)
    follows = after is not None and low[after] not in _SIGNS | _JOINS and after in gone
    precedes = word not in _FORWARD and before is not None and before in gone
    return follows or precedes


def _number(low: Sequence[str], start: int, end: int) -> bool:
    """A number without its unit or bound, or a unit or bound without its number."""
    before = low[start - 1] if start else ""
    after = low[end] if end < len(low) else ""
    first, last = low[start], low[end - 1]
    return (
        (before[:1].isdigit() and first in _UNITS)
        or (last[:1].isdigit() and after in _UNITS)
        or (last in _BOUNDS and after[:1].isdigit())
        or (before in _BOUNDS and first[:1].isdigit())
    )


def _joins_clauses(low: Sequence[str], start: int, end: int) -> bool:
    """The run begins in the middle of one clause and ends in the middle of another."""
    edge = _SIGNS | _JOINS
    inner = [item for item in range(start, end) if low[item] in edge]
    if not inner:
        return False
    begins = start == 0 or low[start] in edge or low[start - 1] in edge
    ends = end == len(low) or low[end] in edge or low[end - 1] in edge
    return not (begins or ends)


def _hangs(low: Sequence[str], kept: Sequence[int], gone: set[int]) -> bool:
    """What is left begins or ends in the air where something was taken."""
    body = [place for place in kept if low[place] not in ".!?"]
    if not body:
        return False
    first, last = body[0], body[-1]
    ends = last + 1 in gone and (low[last] in _HANGING_END or low[last] in ",;:(")
    starts = first - 1 in gone and low[first] in _HANGING_START
    doubled = any(
        low[left] in ",;:" and low[right] in ",;:.!?" and right - left > 1
        for left, right in pairwise(kept)
    )
    return ends or starts or doubled
