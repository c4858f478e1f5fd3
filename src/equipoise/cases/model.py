"""What a case is: a patient, a tumor, findings, a history and recommendations, each with what is known of it.

Every field is `Documented`: a value, absent (looked for, not there), unknown (not documented) or conflicting (documented twice,
differently). A value that a source gives only as a range stays a set or an interval. Nothing is ever defaulted.
Conventions: docs/semantics.md sections 1-3. The small parts of which a case holds dozens are named tuples, the rest frozen dataclasses.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Status(StrEnum):
    """What is known of a field."""

    VALUE = "value"
    ABSENT = "absent"
    UNKNOWN = "unknown"
    CONFLICTING = "conflicting"


class FindingStatus(StrEnum):
    """What the record says of one biomarker."""

    PRESENT = "present"
    ABSENT = "absent"
    UNCERTAIN = "uncertain"
    NOT_TESTED = "not_tested"
    PENDING = "pending"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """How a prior therapy ended."""

    PROGRESSED = "progressed"
    COMPLETED = "completed"
    TOXICITY = "toxicity"
    ONGOING = "ongoing"
    UNKNOWN = "unknown"


class RecommendationKind(StrEnum):
    """What is recommended: a regimen of drugs or local therapy, a trial, or something that is neither."""

    REGIMEN = "regimen"
    TRIAL = "trial"
    OTHER = "other"


SETTINGS: tuple[str, ...] = ("neoadjuvant", "adjuvant", "chemoradiation", "consolidation", "advanced", "metastatic")
"""The situations for which therapy is proposed; meaning in docs/semantics.md section 2."""

STAGES: tuple[str, ...] = (
    "0", "IA1", "IA2", "IA3", "IB", "IIA", "IIB", "IIIA", "IIIB", "IIIC", "IVA", "IVB",
)  # fmt: skip
"""AJCC stage groups of lung cancer, 8th edition (the 9th has the same names)."""

HISTOLOGIES: tuple[str, ...] = ("adenocarcinoma", "squamous", "large-cell", "adenosquamous", "sarcomatoid")
"""Histologies of NSCLC that a source distinguishes; NOS is the set of all of them."""

CONDITIONS: tuple[str, ...] = (
    "ild", "autoimmune", "transplant", "hsct", "hemoptysis", "vte",
    "cyp3a-inducer", "cyp3a-inhibitor", "ppi", "steroids",
)  # fmt: skip
"""Comorbidities and co-medications that a caveat reads."""


class Interval(NamedTuple):
    """A closed interval of what a number can be; both ends belong to it.

    Attributes:
        low: smallest possible value, in the unit of the field.
        high: largest possible value; equal to `low` for an exact value.
    """

    low: float
    high: float

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.low:g}"
        if self.high == float("inf"):
            return f">= {self.low:g}"
        return f"{self.low:g} to {self.high:g}"


class Source(NamedTuple):
    """Where a value stands in what was handed over.

    Attributes:
        field: path of the element, in the names of the format that was read ("pdl1.tps", "biomarkers[0]").
        text: the words read, as written.
        start: first character of the words in the note, in code points; None when the source is a field.
        end: one past the last character.
    """

    field: str
    text: str = ""
    start: int | None = None
    end: int | None = None


class Documented(NamedTuple, Generic[T]):
    """What is known of one field.

    Attributes:
        status: value, absent, unknown or conflicting.
        value: the value when the status is `VALUE`; otherwise None.
        stated: the statements that disagree, as written, when the status is `CONFLICTING`.
        sources: where it was read.
    """

    status: Status
    value: T | None = None
    stated: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()

    @property
    def known(self) -> bool:
        """Whether there is a value or a documented absence."""
        return self.status is Status.VALUE or self.status is Status.ABSENT


UNKNOWN: Documented[None] = Documented(Status.UNKNOWN)


def unknown() -> Documented[Any]:
    """An unknown field of any type."""
    return UNKNOWN


class Finding(NamedTuple):
    """One biomarker finding of the record.

    Attributes:
        gene: gene symbol (HGNC) or family ("NTRK").
        name: the most specific normalised name, `GENE:alteration`.
        names: every name the finding establishes when present: itself and its classes.
        kind: variant, fusion, amplification, expression, loss, transformation or other.
        status: what the record says of it.
        specific: True when one alteration is named; False for "EGFR mutation positive" and the like.
        possible: for a finding that is one of several ("mutation or amplification"): the names it may be; otherwise empty.
        assay: test and specimen as written, empty when not stated.
        date: day of the result; None when not stated.
        source: where it was read.
    """

    gene: str
    name: str
    names: frozenset[str]
    kind: str
    status: FindingStatus
    specific: bool = True
    possible: frozenset[str] = frozenset()
    assay: str = ""
    date: dt.date | None = None
    source: Source = Source("biomarkers")


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorTherapy:
    """One line or course of prior therapy.

    Attributes:
        drugs: canonical components (drugs, `radiotherapy`, `surgery`).
        unread: words of the entry that no vocabulary knows.
        outcome: how it ended.
        setting: settings it was given in; None when not stated.
        line: line number for advanced disease; None when not stated.
        ended: day of the last dose; None when not stated.
        source: where it was read.
    """

    drugs: frozenset[str]
    unread: tuple[str, ...] = ()
    outcome: Outcome = Outcome.UNKNOWN
    setting: frozenset[str] | None = None
    line: int | None = None
    ended: dt.date | None = None
    source: Source = Source("prior_therapies")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """One recommendation of the board.

    Attributes:
        id: the record's identifier, or its 1-based place as text.
        text: the recommendation as written.
        kind: regimen, trial or something else.
        components: canonical drugs and procedures; empty when nothing could be read.
        unspecific: components that name only a group (`platinum`, `chemotherapy`).
        unread: words that no vocabulary knows.
        setting: settings the recommendation itself names; None when it names none.
        line: intended line of therapy; None when not stated.
        level: claimed level of evidence, as written; empty when none is claimed.
        citations: cited sources, as written.
        certainty: claimed certainty, as written.
        priority: rank among the recommendations; None when not stated.
        alternative_of: id of the recommendation it replaces; empty when none.
        action: what is to be done with it, when a note says so: start, continue, switch, add or rechallenge; otherwise empty.
        source: where it was read.
    """

    id: str
    text: str
    kind: RecommendationKind = RecommendationKind.REGIMEN
    components: frozenset[str] = frozenset()
    unspecific: frozenset[str] = frozenset()
    unread: tuple[str, ...] = ()
    setting: frozenset[str] | None = None
    line: int | None = None
    level: str = ""
    citations: tuple[str, ...] = ()
    certainty: str = ""
    priority: int | None = None
    alternative_of: str = ""
    action: str = ""
    source: Source = Source("recommendations")


@dataclass(frozen=True, slots=True, kw_only=True)
class PDL1:
    """PD-L1 expression by scoring scale, each a percentage from 0 to 100.

    Attributes:
        tps: tumor proportion score (22C3, 28-8, SP263).
        tc: tumor cells (SP142).
        ic: immune cells (SP142).
    """

    tps: Documented[Interval] = field(default_factory=unknown)
    tc: Documented[Interval] = field(default_factory=unknown)
    ic: Documented[Interval] = field(default_factory=unknown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A patient's case as a board has it, with its recommendations.

    Attributes:
        case_id: the record's identifier.
        as_of: day for which the case asks; None leaves it to the caller.
        age: years.
        sex: "female", "male" or as written.
        ecog: the ECOG grades it can be.
        tumor: entity code, "NSCLC" for every non-small cell lung cancer.
        histology: subset of `HISTOLOGIES`.
        stage: subset of `STAGES`.
        stage_edition: edition of AJCC / UICC; None when not stated.
        setting: subset of `SETTINGS`.
        brain_mets: ABSENT, or a subset of {"treated", "untreated"}.
        findings: biomarker findings in the order of the record.
        biomarkers_complete: the record says that a comprehensive panel found nothing else.
        pdl1: PD-L1 by scale.
        tmb: mutations per megabase.
        msi: "high" or "stable".
        prior_therapies: ABSENT when none was given; otherwise the courses in order.
        conditions: comorbidities and co-medications by name (`CONDITIONS`).
        qtc_ms: QTc in milliseconds.
        recommendations: in the order of the record.
        unsupported_language: name of the language when a note is not in English; empty otherwise.
        instructions: text in the record that is addressed to software; it changes nothing and is reported.
        ignored_fields: elements of the input that were not read.
        content_hash: hash of what was handed over, independent of the order of fields; empty when built in code.
    """

    case_id: str
    as_of: dt.date | None = None
    age: Documented[Interval] = field(default_factory=unknown)
    sex: Documented[str] = field(default_factory=unknown)
    ecog: Documented[frozenset[int]] = field(default_factory=unknown)
    tumor: Documented[str] = field(default_factory=unknown)
    histology: Documented[frozenset[str]] = field(default_factory=unknown)
    stage: Documented[frozenset[str]] = field(default_factory=unknown)
    stage_edition: int | None = None
    setting: Documented[frozenset[str]] = field(default_factory=unknown)
    brain_mets: Documented[frozenset[str]] = field(default_factory=unknown)
    findings: tuple[Finding, ...] = ()
    biomarkers_complete: bool = False
    pdl1: PDL1 = PDL1()
    tmb: Documented[Interval] = field(default_factory=unknown)
    msi: Documented[str] = field(default_factory=unknown)
    prior_therapies: Documented[tuple[PriorTherapy, ...]] = field(default_factory=unknown)
    conditions: Mapping[str, Documented[bool]] = field(default_factory=dict)
    qtc_ms: Documented[Interval] = field(default_factory=unknown)
    recommendations: tuple[Recommendation, ...] = ()
    unsupported_language: str = ""
    instructions: tuple[Source, ...] = ()
    ignored_fields: tuple[str, ...] = ()
    content_hash: str = ""
