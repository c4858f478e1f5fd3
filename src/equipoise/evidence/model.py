"""What an assertion is: a dated, sourced statement about a regimen, with the criteria under which it holds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from equipoise.evidence.criteria import Node


class Direction(StrEnum):
    """What an assertion says of its regimen when its criteria hold."""

    SUPPORTS = "supports"
    RESISTANCE = "resistance"
    NOT_INDICATED = "not-indicated"
    CONTRAINDICATED = "contraindicated"
    CAUTION = "caution"


NEGATIVES: frozenset[Direction] = frozenset({Direction.RESISTANCE, Direction.NOT_INDICATED, Direction.CONTRAINDICATED})
"""Directions that can make a recommendation Unsupported."""

LEVELS: tuple[str, ...] = ("A", "B", "C", "D")
"""A: label, or phase 3 that a label rests on. B: prospective, off-label or single arm. C: case series. D: preclinical."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Where a statement can be read.

    Attributes:
        kind: label, trial, guideline, publication or register.
        title: short title ("Tagrisso prescribing information", "FLAURA").
        id: application or document number; empty when there is none.
        pmid: PubMed identifier; None when there is none.
        nct: ClinicalTrials.gov identifier; empty when there is none.
        date: day of the document; None when not stated.
        url: public address; empty when not stated.
    """

    kind: str
    title: str
    id: str = ""
    pmid: int | None = None
    nct: str = ""
    date: dt.date | None = None
    url: str = ""

    def __str__(self) -> str:
        parts = [self.title]
        if self.pmid is not None:
            parts.append(f"PMID {self.pmid}")
        if self.nct and self.pmid is None:
            parts.append(self.nct)
        if self.date is not None:
            parts.append(self.date.isoformat())
        return ", ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Whether the entry was checked against a public text that states it.

    Attributes:
        verified: True only when it was read.
        text: what was read, or why it is not verified.
        on: day of the reading; None when not verified.
    """

    verified: bool
    text: str
    on: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """One statement of the evidence base.

    Attributes:
        id: stable identifier, never reused.
        regimen: components as alternatives ("carboplatin", "platinum"); empty when `drug_class` is set.
        drug_class: class of which a negative or caution speaks; empty when `regimen` is set.
        direction: what it says.
        level: one of `LEVELS`.
        jurisdiction: "US", "EU" or "any".
        approval: regular, accelerated, off-label or none.
        valid_from: first day on which it holds.
        valid_to: first day on which it no longer holds; None while it does.
        requires: criteria that must hold; an unknown one leaves it undetermined.
        unless: criteria that exclude; an unknown one is a context gap.
        statement: one sentence.
        sources: at least one.
        verification: whether it was read.
        monotherapy: a negative that speaks of single-agent use only.
        not_with: class whose presence in the regimen takes a negative or caution away; empty for none.
        on_target: a resistance variant in the drug's own target.
        overrides: negatives that this supporting assertion answers.
        unknown: what an unknown input does to a caution: note, demote or insufficient.
        name: short name of a caution.
        rechallenge_allowed: no exclusion by progression on the same drug.
        note: remark.
        origin: "nsclc", "overlay" or another source by name.
        regimen_text: the regimen, or the class, in words.
        source_text: the main source in words.
    """

    id: str
    regimen: tuple[str, ...]
    drug_class: str = ""
    direction: Direction
    level: str
    jurisdiction: str
    approval: str
    valid_from: dt.date
    valid_to: dt.date | None
    requires: tuple[Node, ...]
    unless: tuple[Node, ...]
    statement: str
    sources: tuple[Reference, ...]
    verification: Verification
    monotherapy: bool = False
    not_with: str = ""
    on_target: bool = False
    overrides: frozenset[str] = frozenset()
    unknown: str = "note"
    name: str = ""
    rechallenge_allowed: bool = False
    note: str = ""
    origin: str = ""
    regimen_text: str = field(init=False)
    source_text: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "regimen_text", " + ".join(self.regimen) if self.regimen else f"any {self.drug_class}")
        object.__setattr__(self, "source_text", str(self.sources[0]))

    def valid_on(self, day: dt.date) -> bool:
        """Whether it holds on a day."""
        return self.valid_from <= day and (self.valid_to is None or day < self.valid_to)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How far the base claims to be complete for one drug or procedure.

    Attributes:
        drug: canonical component.
        complete_since: by jurisdiction, first day from which every indication is in the base; a jurisdiction that is missing is open.
        no_use: the drug is known from elsewhere and has no use here.
        known_for: tumors it is known from.
        source: where that stands.
    """

    drug: str
    complete_since: Mapping[str, dt.date]
    no_use: bool = False
    known_for: tuple[str, ...] = ()
    source: str = ""

    def complete(self, jurisdiction: str, day: dt.date) -> bool:
        """Whether "nothing matches" means something for this drug, there and then."""
        since = self.complete_since.get(jurisdiction)
        return since is not None and since <= day
