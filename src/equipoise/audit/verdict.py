"""The verdict: a label, its reasons, the evidence for and against, and what would change it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, NamedTuple

SCHEMA_VERSION = "1"
"""Version of the verdict's JSON form; raised when a field changes its meaning or goes."""


class Label(StrEnum):
    """The four labels, in the field's order."""

    SUPPORTED = "Supported"
    PARTIALLY_SUPPORTED = "Partially Supported"
    UNSUPPORTED = "Unsupported"
    INSUFFICIENT_INFORMATION = "Insufficient Information"


LABELS: tuple[str, ...] = tuple(Label)


class Result(StrEnum):
    """What a criterion, or an assertion as a whole, comes to for a case (Kleene's three values)."""

    SATISFIED = "satisfied"
    VIOLATED = "violated"
    UNDETERMINED = "undetermined"


SATISFIED, VIOLATED, UNDETERMINED = Result.SATISFIED, Result.VIOLATED, Result.UNDETERMINED
"""The three results by themselves: asked a hundred times a case, where looking a member up on its class costs more than the comparison."""


class CaveatState(StrEnum):
    """Every caveat is stated one of three ways; silence is not "fine"."""

    FIRES = "fires"
    CLEAR = "clear"
    NOT_ASSESSED = "not-assessed"


class Reason(NamedTuple):
    """Why the label is what it is.

    Attributes:
        code: reason code (docs/semantics.md section 6).
        text: one sentence, fact first, then source.
    """

    code: str
    text: str


class CriterionResult(NamedTuple):
    """One criterion of an assertion, held against the case.

    Attributes:
        role: "requires" or "unless".
        field: field of the Case it reads.
        required: what the source asks for.
        found: what the case documents.
        result: satisfied, violated or undetermined; for "unless", violated means that the exclusion holds.
    """

    role: str
    field: str
    required: str
    found: str
    result: Result


class EvidenceUse(NamedTuple):
    """One assertion as it was used.

    Attributes:
        id: id of the assertion.
        statement: what it says, in one sentence.
        direction: supports, resistance, not-indicated, contraindicated or caution.
        level: A to D.
        result: what it comes to for this case.
        source: title, identifier and date of its main source.
        verified: whether it was checked against a public text that states it.
        criteria: its criteria one by one.
    """

    id: str
    statement: str
    direction: str
    level: str
    result: Result
    source: str
    verified: bool
    criteria: tuple[CriterionResult, ...] = ()


class Caveat(NamedTuple):
    """One caution, held against the case.

    Attributes:
        id: id of the assertion or policy entry.
        name: short name ("ecog-3", "ild", "regimen-unspecific").
        state: fires, clear or not-assessed.
        text: finding, what the source says.
        source: title, identifier and date.
        field: field that is not documented, when it could not be assessed.
    """

    id: str
    name: str
    state: CaveatState
    text: str
    source: str
    field: str = ""


class WhatIf(NamedTuple):
    """One cell of the what-if table.

    Attributes:
        fields: the undocumented fields that are filled in, at most three.
        value: in words, what is filled in, by field.
        patch: the same as elements of the case's JSON form.
        label: the verdict there.
        reasons: reason codes there.
    """

    fields: tuple[str, ...]
    value: Mapping[str, str]
    patch: Mapping[str, Any]
    label: Label
    reasons: tuple[str, ...] = ()


class Gap(NamedTuple):
    """Something undocumented that did not change the label.

    Attributes:
        field: field of the Case.
        text: what could not be checked, and which source speaks of it.
    """

    field: str
    text: str


class Alternative(NamedTuple):
    """A regimen for which a supporting assertion is satisfied or undetermined in this case.

    Attributes:
        regimen: its components, joined by " + ".
        id: id of the assertion.
        level: A to D.
        label: what the audit of it would say.
    """

    regimen: str
    id: str
    level: str
    label: Label


class Span(NamedTuple):
    """Where a value was read.

    Attributes:
        field: field of the Case.
        value: the value as understood.
        path: element of the input.
        text: the words as written.
        start: first character in the note, None for a structured element.
        end: one past the last character.
    """

    field: str
    value: str
    path: str
    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The audit of one recommendation. Compares a documented recommendation with dated sources; not a medical device.

    Attributes:
        case_id: id of the case.
        recommendation_id: id of the recommendation; empty when the case states none.
        recommendation: the recommendation as written.
        regimen: its components, sorted.
        label: one of the four labels.
        abstain: whether a human must decide.
        reasons: why; never empty.
        headline: one fixed sentence, at most 139 characters.
        missing_fields: fields that decide and are not documented.
        what_if: the smallest sets of fields that decide, cell by cell.
        context_gaps: undocumented things that did not change the label.
        evidence: assertions that speak for it, satisfied or undetermined or nearest.
        evidence_against: assertions that speak against it.
        caveats: every caution that concerns the regimen.
        alternatives: what the evidence on file would support instead, when the label is not Supported.
        spans: where each value used was read.
        ignored_fields: elements of the input that were not read.
        policy: id of the policy.
        policy_hash: content hash of the policy.
        evidence_hash: content hash of the evidence base, overlay included.
        case_hash: content hash of the case as read.
        jurisdiction: of which the sources speak ("US").
        as_of: day for which the evidence was read.
        modules_off: modules switched off for an ablation.
        engine_version: version of this package.
        schema_version: version of this form.
    """

    case_id: str
    recommendation_id: str
    recommendation: str
    regimen: tuple[str, ...]
    label: Label
    abstain: bool
    reasons: tuple[Reason, ...]
    headline: str
    missing_fields: tuple[str, ...] = ()
    what_if: tuple[WhatIf, ...] = ()
    context_gaps: tuple[Gap, ...] = ()
    evidence: tuple[EvidenceUse, ...] = ()
    evidence_against: tuple[EvidenceUse, ...] = ()
    caveats: tuple[Caveat, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    spans: tuple[Span, ...] = ()
    ignored_fields: tuple[str, ...] = ()
    policy: str
    policy_hash: str
    evidence_hash: str
    case_hash: str
    jurisdiction: str
    as_of: dt.date
    modules_off: tuple[str, ...] = ()
    engine_version: str
    schema_version: str = SCHEMA_VERSION

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: plain dictionaries, lists, strings; dates as ISO text; fields in a fixed order."""
        return {name: _plain(getattr(self, name)) for name in _VERDICT_FIELDS}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, tuple | list):
        names = getattr(value, "_fields", None)
        if names is not None:
            return {name: _plain(item) for name, item in zip(names, value, strict=True)}
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, dt.date):
        return value.isoformat()
    return {name: _plain(getattr(value, name)) for name in _field_names(type(value))}


def _field_names(cls: type) -> tuple[str, ...]:
    names = _FIELD_NAMES.get(cls)
    if names is None:
        names = _FIELD_NAMES[cls] = tuple(item.name for item in fields(cls))
    return names


_FIELD_NAMES: dict[type, tuple[str, ...]] = {}
_FIRST = ("schema_version", "engine_version")
_VERDICT_FIELDS = (*_FIRST, *(item.name for item in fields(Verdict) if item.name not in _FIRST))
