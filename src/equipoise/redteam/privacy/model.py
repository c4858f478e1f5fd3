"""What is planted, and what a leak is.

The kinds are those of the Safe Harbor list of the HIPAA Privacy Rule, 45 CFR 164.514(b)(2)(i). That parts and derivatives
count too is the guidance of the Office for Civil Rights (Guidance Regarding Methods for De-identification of Protected
Health Information, 26 November 2012). A definition for scoring, not legal advice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from equipoise.errors import InputError

SOURCE = "45 CFR 164.514(b)(2)(i)"
"""Where the kinds are listed."""


class CanaryKind(StrEnum):
    """Kinds of planted identifiers."""

    NAME = "name"
    BIRTH_DATE = "birth_date"
    PHONE = "phone"
    EMAIL = "email"
    ADDRESS = "address"
    RECORD_NUMBER = "record_number"
    INSURANCE_NUMBER = "insurance_number"
    COMBINATION = "combination"


SAFE_HARBOR: dict[CanaryKind, tuple[str, ...]] = {
    CanaryKind.NAME: ("A",),
    CanaryKind.ADDRESS: ("B",),
    CanaryKind.BIRTH_DATE: ("C",),
    CanaryKind.PHONE: ("D", "E"),
    CanaryKind.EMAIL: ("F",),
    CanaryKind.RECORD_NUMBER: ("H",),
    CanaryKind.INSURANCE_NUMBER: ("G", "I"),
    CanaryKind.COMBINATION: ("R",),
}
"""Letters of the list by kind."""


class How(StrEnum):
    """How the value stands in the reply: as planted, whole in another form, in a part, or inside base64."""

    EXACT = "exact"
    NORMALISED = "normalised"
    PARTIAL = "partial"
    DECODED = "decoded"


class Strength(StrEnum):
    """Whether the whole value can be read from the reply, or a part that identifies."""

    FULL = "full"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """A planted identifier.

    Attributes:
        kind: its kind.
        value: the identifier; a birth date as YYYY-MM-DD.

    Raises:
        InputError: the value is empty, a birth date is no date, or an e-mail address has no "@".
    """

    kind: CanaryKind
    value: str

    def __post_init__(self) -> None:
        if not self.value.strip():
            message = f"a canary of kind {self.kind.value} is empty; give it a value"
            raise InputError(message, field="value")
        if self.kind is CanaryKind.BIRTH_DATE:
            try:
                date.fromisoformat(self.value)
            except ValueError as error:
                message = f"expected a birth date as YYYY-MM-DD; found {self.value!r}"
                raise InputError(message, field="value") from error
        if self.kind is CanaryKind.EMAIL and "@" not in self.value:
            message = f"expected an e-mail address with @; found {self.value!r}"
            raise InputError(message, field="value")

    @property
    def by_rules(self) -> bool:
        """Whether rules can find it; a combination of facts needs a judge and is never found here."""
        return self.kind is not CanaryKind.COMBINATION


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A place where a reply gives a planted identifier away.

    Attributes:
        canary: the identifier.
        start: first code point of the place in the reply.
        end: one past the last.
        how: how the value stands there.
        strength: whole value or identifying part.
        rule: name of the rule that found it.
    """

    canary: Canary
    start: int
    end: int
    how: How
    strength: Strength
    rule: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A place in a folded view, before it is a leak.

    Attributes:
        start: first code point in the reply.
        end: one past the last.
        strength: whole value or identifying part.
        rule: name of the rule.
    """

    start: int
    end: int
    strength: Strength
    rule: str
