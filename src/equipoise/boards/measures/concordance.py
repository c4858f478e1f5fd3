"""Category concordance: whether an answer is of a category the board's recommendation has.

Source of the rule: dpsailab/gi-tumorboard-gpt5-persona, `classification_criteria.md`: any category the board recommended counts.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from equipoise.boards.vocabulary import TreatmentCategory


class Match(StrEnum):
    """What a comparison of categories came to."""

    CONCORDANT = "concordant"
    DISCORDANT = "discordant"
    UNCLASSIFIED = "unclassified"
    NO_REFERENCE = "no reference"


def category_concordance(answer: TreatmentCategory | None, reference: Collection[TreatmentCategory]) -> Match:
    """Whether the answer's category is one of the reference's.

    Args:
        answer: None when nobody classified it; then it is neither concordant nor discordant.
        reference: categories of the board's recommendation; empty when there is none.
    """
    if not reference:
        return Match.NO_REFERENCE
    if answer is None:
        return Match.UNCLASSIFIED
    return Match.CONCORDANT if answer in reference else Match.DISCORDANT
