"""Kinds of identifiers, what was replaced by what, and what was left.

The kinds are those of the Safe Harbor list, 45 CFR 164.514(b)(2)(i), read in the text of the Code of Federal Regulations. A
definition for this program, not legal advice: a shifted date still is a date, so `dates="year"` is the mode that follows the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from equipoise.ids import content_hash
from equipoise.statistics.estimate import Result


class IdentifierKind(StrEnum):
    """What kind of identifier stood there."""

    PATIENT = "name of a patient or relative"
    CLINICIAN = "name of a clinician"
    TOWN = "town"
    HOSPITAL = "hospital"
    EMPLOYER = "employer or school"
    ADDRESS = "address"
    DATE = "date"
    AGE = "age over 89"
    PHONE = "telephone or fax number"
    EMAIL = "e-mail address"
    SOCIAL_SECURITY = "social security number"
    NUMBER = "record, account, licence or device number"
    WEB = "web address"
    NETWORK = "network address"
    OTHER = "given identifier"


SAFE_HARBOR: Mapping[IdentifierKind, tuple[str, ...]] = {
    IdentifierKind.PATIENT: ("A",),
    IdentifierKind.CLINICIAN: (),
    IdentifierKind.TOWN: ("B",),
    IdentifierKind.HOSPITAL: ("B", "R"),
    IdentifierKind.EMPLOYER: ("R",),
    IdentifierKind.ADDRESS: ("B",),
    IdentifierKind.DATE: ("C",),
    IdentifierKind.AGE: ("C",),
    IdentifierKind.PHONE: ("D", "E"),
    IdentifierKind.EMAIL: ("F",),
    IdentifierKind.SOCIAL_SECURITY: ("G",),
    IdentifierKind.NUMBER: ("H", "I", "J", "K", "L", "M"),
    IdentifierKind.WEB: ("N",),
    IdentifierKind.NETWORK: ("O",),
    IdentifierKind.OTHER: ("R",),
}
"""Letters of the list by kind. Clinicians are not on it unless they are relatives or employers; prints and pictures (P, Q) are not text."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place that identifies, before it is replaced.

    Attributes:
        start: first character.
        end: one past the last.
        kind: what it is.
        key: the value in one form, so that the same value gets the same surrogate.
        rule: name of the rule that found it.
        new: what replaces it; empty for a numbered tag.
    """

    start: int
    end: int
    kind: IdentifierKind
    key: str
    rule: str
    new: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """One replacement. It does not hold what stood there.

    Attributes:
        text: id of the text.
        start: first character in the new text.
        end: one past the last.
        kind: what it was.
        rule: what found it.
    """

    text: str
    start: int
    end: int
    kind: IdentifierKind
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOver:
    """A place in a new text that looks like an identifier and was left; a reader decides.

    Attributes:
        text: id of the text.
        start: first character in the new text.
        end: one past the last.
        reason: why it is shown.
    """

    text: str
    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Surrogate:
    """A key entry: what stood there, and what stands there now. Identifies persons; keep it apart from the texts."""

    kind: IdentifierKind
    original: str
    surrogate: str


NOT_EVERYTHING = (
    "Rules over words. They do not find every identifier: names without a cue, misheard names, and facts that identify together stay. "
    "A person must read the texts before they leave the hospital."
)
"""Stands in every report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrubReport(Result):
    """What was replaced and what was left; it holds no identifier.

    Attributes:
        texts: number of texts.
        counts: replacements by kind, every kind named.
        persons: surrogate names by kind, each with how often it was put in.
        replaced: every replacement, by text and place.
        left: what looks like an identifier and was left.
        dates: "shift" or "year".
        ambiguous_dates: dates such as 04/05/2021 whose order was not certain.
        notes: what a reader should know.
        version: of the rules.
        warning: that the rules do not find everything.
    """

    texts: int
    counts: Mapping[str, int]
    persons: Mapping[str, Mapping[str, int]]
    replaced: tuple[Replacement, ...]
    left: tuple[LeftOver, ...]
    dates: str
    ambiguous_dates: int
    notes: tuple[str, ...]
    version: str
    warning: str = NOT_EVERYTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrubResult:
    """Scrubbed texts.

    Attributes:
        texts: by id, in the order given.
        surrogates: the key; write it apart with `write_key`.
        report: what was done, without an identifier.
        shift_days: by how much dates were moved; 0 in the mode "year". It belongs to the key.
    """

    texts: Mapping[str, str]
    surrogates: tuple[Surrogate, ...]
    report: ScrubReport
    shift_days: int

    @property
    def hash(self) -> str:
        """Content hash of the new texts and the version of the rules."""
        return content_hash([self.report.version, dict(self.texts)])
