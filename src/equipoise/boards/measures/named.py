"""Which drugs an answer names that a reference names too: names alone, whatever is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.boards.measures.treatments import drugs_in
from equipoise.statistics.estimate import Result

VERSION = "named-drugs-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDrugs(Result):
    """Drugs of an answer beside those of its references.

    Attributes:
        recall: share of a reference's drugs that the answer names, 0 to 1, of the reference with the highest; None when none names a drug.
        missing: drugs of that reference that the answer does not name.
        others: drugs the answer names and no reference does.
        version: of this measure.
    """

    recall: float | None
    missing: tuple[str, ...]
    others: tuple[str, ...]
    version: str = VERSION


def named_drugs(answer: str, references: Sequence[str]) -> NamedDrugs:
    """Drugs of an answer beside those of acceptable references.

    It sees names, not decisions: "no osimertinib" names osimertinib. A reference that names no drug is left out.

    Args:
        answer: the text.
        references: acceptable texts.
    """
    own = drugs_in(answer)
    sets = [found for found in map(drugs_in, references) if found]
    others = tuple(sorted(own - frozenset().union(*sets)))
    if not sets:
        return NamedDrugs(recall=None, missing=(), others=others)
    best = max(sets, key=lambda found: len(found & own) / len(found))
    return NamedDrugs(recall=len(best & own) / len(best), missing=tuple(sorted(best - own)), others=others)
