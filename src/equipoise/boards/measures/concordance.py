"""Category concordance: whether an answer is of a category the board's recommendation has.

Source of the rules: dpsailab/gi-tumorboard-gpt5-persona, `classification_criteria.md`, commit 4fe79e1: any category the board recommended
counts, and of a sequence its first step.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a text recommends, by category.

    Attributes:
        first: what it recommends first; None when it recommends nothing.
        step: category of the first treatment of a multistep plan; None for another, or when not known.
        also: everything it recommends.
    """

    first: TreatmentCategory | None
    step: TreatmentCategory | None = None
    also: frozenset[TreatmentCategory] = frozenset()

    @property
    def leading(self) -> frozenset[TreatmentCategory]:
        """The first recommendation; of a multistep plan its first step too."""
        own = {self.first, self.step if self.first is TreatmentCategory.MULTISTEP else None}
        return frozenset(item for item in own if item is not None)

    @property
    def all(self) -> frozenset[TreatmentCategory]:
        """Everything it recommends, with the first step of a multistep plan."""
        return self.leading | self.also


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanMatch:
    """How two plans compare.

    Attributes:
        first: whether the reply's first recommendation is one of the board's.
        any: whether anything the reply recommends is.
    """

    first: bool
    any: bool


def plan_concordance(reply: Plan, reference: Collection[TreatmentCategory]) -> PlanMatch | None:
    """Whether a reply recommends what the board did; None where the board recommends nothing.

    A reply that recommends nothing where the board did is not concordant.

    Args:
        reply: what the reply recommends.
        reference: categories of the board, first steps of multistep plans among them where they are known.
    """
    known = frozenset(reference)
    if not known:
        return None
    return PlanMatch(first=bool(reply.leading & known), any=bool(reply.all & known))
