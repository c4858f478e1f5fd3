"""How a shortened text lies in the longer one: which sentences were kept, trimmed or removed, and whether anything else happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.boards.curation.parts import Part, Token, sentences, tokens


@dataclass(frozen=True, slots=True)
class Kept:
    """A sentence that stands in both texts.

    Attributes:
        before: the sentence as it was.
        after: the sentence as it is.
        runs: places in the words of `before` that were taken out, as half-open ranges; empty when it is untouched.
    """

    before: Part
    after: Part
    runs: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Where the sentences of `after` come from.

    Attributes:
        kept: in order.
        removed: sentences and headings of `before` that are gone.
        strangers: sentences of `after` that are no shortened sentence of `before` in its place.
    """

    kept: tuple[Kept, ...]
    removed: tuple[Part, ...]
    strangers: tuple[Part, ...]


def align(before: str, after: str) -> Alignment:
    """Puts every sentence of `after` to one of `before`, in order: the most sentences, then the fewest trimmed."""
    old, new = sentences(before), sentences(after)
    words = [[token.text for token in tokens(part.text)] for part in old]
    others = [[token.text for token in tokens(part.text)] for part in new]
    costs = [[_cost(words[i], others[j], old[i].text == new[j].text) for j in range(len(new))] for i in range(len(old))]
    best: list[list[tuple[int, int]]] = [[(0, 0)] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            options = [best[i + 1][j], best[i][j + 1]]
            cost = costs[i][j]
            if cost is not None:
                matched, trimmed = best[i + 1][j + 1]
                options.append((matched + 1, trimmed - cost))
            best[i][j] = max(options)
    kept, removed, strangers = [], [], []
    i = j = 0
    while i < len(old) and j < len(new):
        cost = costs[i][j]
        if cost is not None and best[i][j] == (best[i + 1][j + 1][0] + 1, best[i + 1][j + 1][1] - cost):
            kept.append(Kept(old[i], new[j], runs_of(words[i], others[j])))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            removed.append(old[i])
            i += 1
        else:
            strangers.append(new[j])
            j += 1
    return Alignment(tuple(kept), (*removed, *old[i:]), (*strangers, *new[j:]))


def _cost(old: Sequence[str], new: Sequence[str], same: bool) -> int | None:
    """0 for an untouched sentence, 1 and more for a trimmed one, None when it is neither."""
    if same:
        return 0
    return 1 + len(old) - len(new) if len(new) <= len(old) and is_subsequence(new, old) else None


def is_subsequence(few: Sequence[str], many: Sequence[str]) -> bool:
    """Whether all of the few stand among the many in their order."""
    rest = iter(many)
    return all(word in rest for word in few)


def runs_of(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """The fewest runs of words whose removal makes `new` of `old`; the earliest of equal ways.

    Args:
        old: words.
        new: words, a subsequence of `old`.
    """
    if len(old) == len(new):
        return ()
    gone = len(old) - len(new)
    for start in range(len(new) + 1):
        if list(old[:start]) + list(old[start + gone :]) == list(new):
            return ((start, start + gone),)
    return _several(old, new)


def _several(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Fewest runs, by dynamic programming; state: words of `old` and `new` used, and whether the last was kept."""
    worst = len(old) + 1
    rows, columns = len(old), len(new)
    fewest = [[[worst, worst] for _ in range(columns + 1)] for _ in range(rows + 1)]
    fewest[rows][columns] = [0, 0]
    for i in range(rows - 1, -1, -1):
        for j in range(columns, -1, -1):
            keep = fewest[i + 1][j + 1][0] if j < columns and old[i] == new[j] else worst
            drop = fewest[i + 1][j][1]
            fewest[i][j] = [min(keep, drop + 1), min(keep, drop)]
    found: list[tuple[int, int]] = []
    i = j = dropping = 0
    while i < rows:
        keep = fewest[i + 1][j + 1][0] if j < columns and old[i] == new[j] else worst
        if keep <= fewest[i + 1][j][1] + (1 - dropping):
            i, j, dropping = i + 1, j + 1, 0
            continue
        if dropping:
            found[-1] = (found[-1][0], i + 1)
        else:
            found.append((i, i + 1))
        i, dropping = i + 1, 1
    return tuple(found)


def words_of(part: Part) -> tuple[Token, ...]:
    """The words of a sentence with their places in its text's file."""
    return tokens(part.text, part.start)
