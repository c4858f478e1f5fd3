"""Near-duplicates: exact Jaccard similarity of letter shingles, the same result whatever the order of the rows.

Texts are folded (NFKC, case, punctuation, spaces) and cut into runs of `SHINGLE` letters. Two texts are alike when
|A and B| / |A or B| reaches the threshold. Candidates come from prefix filtering, which misses no pair: with shingles
sorted by rarity, two sets of similarity t share one among the first |A| - ceil(t |A|) + 1 of each.

References:
    Broder AZ. On the resemblance and containment of documents. 1997. doi:10.1109/SEQUEN.1997.666900
    Chaudhuri S, Ganti V, Kaushik R. A primitive operator for similarity joins. 2006. doi:10.1109/ICDE.2006.9
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

SHINGLE = 5
"""Letters of a shingle."""

_GAP = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """What a text that is left out resembles.

    Attributes:
        representative: place of the text that is kept.
        similarity: Jaccard similarity, threshold to 1.
    """

    representative: int
    similarity: float


def folded(text: str) -> str:
    """The text without what does not tell two texts apart: form of characters, case, punctuation, spaces."""
    return _GAP.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def shingles(text: str) -> frozenset[str]:
    """Runs of `SHINGLE` letters of the folded text; a shorter text is its own shingle, an empty one has none."""
    plain = folded(text)
    if len(plain) <= SHINGLE:
        return frozenset({plain} if plain else ())
    return frozenset(plain[place : place + SHINGLE] for place in range(len(plain) - SHINGLE + 1))


def similarity(first: str, second: str) -> float:
    """Jaccard similarity of two texts, 0 to 1; 0 when either is empty."""
    return _jaccard(shingles(first), shingles(second))


def near_duplicates(texts: Sequence[str], threshold: float) -> dict[int, Likeness]:
    """Texts that resemble one that is kept, by place, each with the kept text it resembles most.

    The texts are gone through in the order given: one that resembles none kept so far is kept. Give them in an order
    that does not depend on the rows of a file, such as that of their hashes.

    Args:
        texts: the texts, those to prefer first.
        threshold: smallest similarity of a near-duplicate, above 0 and at most 1.

    Raises:
        ValueError: a threshold out of range.
    """
    if not 0 < threshold <= 1:
        message = f"threshold must be above 0 and at most 1, found {threshold}"
        raise ValueError(message)
    sets = [shingles(text) for text in texts]
    rarity = Counter(shingle for one in sets for shingle in one)
    index: dict[str, list[int]] = {}
    result: dict[int, Likeness] = {}
    for place, one in enumerate(sets):
        if not one:
            continue
        first = sorted(one, key=lambda item: (rarity[item], item))
        prefix = first[: len(first) - math.ceil(threshold * len(first) - 1e-9) + 1]
        candidates = {other for shingle in prefix for other in index.get(shingle, ())}
        best: tuple[float, int] | None = None
        for other in candidates:
            value = _jaccard(one, sets[other])
            if value >= threshold and (best is None or (value, -other) > (best[0], -best[1])):
                best = (value, other)
        if best is not None:
            result[place] = Likeness(representative=best[1], similarity=best[0])
            continue
        for shingle in prefix:
            index.setdefault(shingle, []).append(place)
    return result


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    both = len(first & second)
    either = len(first) + len(second) - both
    return both / either if either else 0.0
