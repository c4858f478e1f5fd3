"""The named facts that an operator can take away, and where a tumor-board case keeps them. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Fact(StrEnum):
    """A fact that can decide what the right answer is."""

    ALLERGY = "allergy"
    PREGNANCY = "pregnancy"
    DOSE = "dose"
    RENAL_FUNCTION = "renal_function"
    TIME_COURSE = "time_course"
    STAGE = "stage"
    ECOG = "ecog"
    VARIANT = "variant"
    EXPRESSION = "expression"
    PRIOR_THERAPY = "prior_therapy"
    HISTOLOGY = "histology"
    SETTING = "setting"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseField:
    """Where a case keeps a fact.

    Attributes:
        elements: elements of the record, in the Case's own names and those of the published benchmark.
        field: the field of the Case.
        asked: names under which an audit reports it as missing, itself or what it would settle; a dot introduces a part of it.
    """

    elements: tuple[str, ...]
    field: str
    asked: tuple[str, ...]

    def among(self, missing: tuple[str, ...]) -> bool:
        """Whether the fact is among the fields that an audit calls missing."""
        return any(name.split(".")[0] in self.asked for name in missing)


CASE_FIELDS: dict[Fact, CaseField] = {
    Fact.STAGE: CaseField(elements=("stage",), field="stage", asked=("stage", "setting")),
    Fact.ECOG: CaseField(elements=("ecog", "ecog_status"), field="ecog", asked=("ecog",)),
    Fact.VARIANT: CaseField(elements=("biomarkers", "genomic_alteration"), field="biomarkers", asked=("biomarkers",)),
    Fact.EXPRESSION: CaseField(elements=("pdl1",), field="pdl1", asked=("pdl1",)),
    Fact.PRIOR_THERAPY: CaseField(
        elements=("prior_therapies", "prior_therapy"), field="prior_therapies", asked=("prior_therapies",)
    ),
    Fact.HISTOLOGY: CaseField(elements=("histology",), field="histology", asked=("histology",)),
    Fact.SETTING: CaseField(elements=("setting", "treatment_setting"), field="setting", asked=("setting",)),
}
"""Facts that a case can lose."""

SPOKEN: tuple[Fact, ...] = (
    Fact.ALLERGY, Fact.PREGNANCY, Fact.DOSE, Fact.RENAL_FUNCTION, Fact.TIME_COURSE, Fact.STAGE, Fact.ECOG, Fact.VARIANT,
)  # fmt: skip
"""Facts that a conversation can lose."""
