"""What a record came to: the facts found, the entries ignored, and why there is nothing to audit when there is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any


class Nothing(StrEnum):
    """Why a record that could be read gives nothing to audit."""

    NO_RECOMMENDATION = "no-recommendation"
    UNRESOLVED = "recommendation-unresolved"
    NO_PATIENT_DATA = "no-patient-data"


NOTHING_TEXT: Mapping[Nothing, str] = {
    Nothing.NO_RECOMMENDATION: "The record holds no recommendation. `equipoise options` lists what the evidence would support.",
    Nothing.UNRESOLVED: "The record points to a recommendation that it does not hold, or that cannot be read; see what was ignored.",
    Nothing.NO_PATIENT_DATA: "The file was read, and nothing in it speaks of a patient.",
}
"""One sentence a reason."""


class Reason(StrEnum):
    """Why an entry of a record was not read."""

    BENIGN = "benign"
    CODE_NAME = "code-and-name-disagree"
    COPY_NUMBER = "copy-number-without-call"
    DANGLING = "dangling-reference"
    DEFINITION = "definition"
    DO_NOT_PERFORM = "do-not-perform"
    DRIVER = "driver-not-specific"
    DUPLICATE = "duplicate"
    DUPLICATE_ID = "duplicate-id"
    ENTERED_IN_ERROR = "entered-in-error"
    FOLLOWS = "follows-recommendation"
    GERMLINE = "germline"
    IMPLICATION = "implication"
    MARKER = "marker-not-read"
    NOT_A_THERAPY = "not-a-therapy"
    NO_CALL = "no-call"
    NO_DATE = "no-date"
    NO_RESOURCE = "no-resource"
    NO_RESOURCE_TYPE = "no-resource-type"
    NO_SUBJECT = "no-subject"
    NOT_FINAL = "not-final"
    NOT_GIVEN = "not-given"
    NOT_READABLE = "not-readable"
    OTHER_PATIENT = "other-patient"
    OTHER_TUMOR = "other-tumor"
    OUT_OF_RANGE = "out-of-range"
    SILENT = "silent"
    SUPERSEDED = "superseded"
    TYPE_NOT_READ = "type-not-read"
    UNKNOWN_CODE = "unknown-code"
    WRONG_TYPE = "wrong-type"


REASON_TEXT: Mapping[Reason, str] = {
    Reason.BENIGN: "reported as benign or likely benign",
    Reason.CODE_NAME: "the code and the name beside it mean different things",
    Reason.COPY_NUMBER: "a copy number or low-level gain that is not called an amplification",
    Reason.DANGLING: "refers to something that the record does not hold",
    Reason.DEFINITION: "defines a format, says nothing of a patient",
    Reason.DO_NOT_PERFORM: "asks that a therapy is not given",
    Reason.DRIVER: "a gene without the alteration; no variant is inferred from a gene",
    Reason.DUPLICATE: "the same entry once more",
    Reason.DUPLICATE_ID: "a second entry under one id, read as a second statement",
    Reason.ENTERED_IN_ERROR: "marked as entered in error",
    Reason.FOLLOWS: "given after the recommendation, so not prior to it",
    Reason.GERMLINE: "a germline variant",
    Reason.IMPLICATION: "an interpretation of a variant, no fact of the patient",
    Reason.MARKER: "a marker that no evidence on file reads, or without a result",
    Reason.NOT_A_THERAPY: "not a cancer therapy",
    Reason.NO_CALL: "neither present nor absent is stated",
    Reason.NO_DATE: "needs a date that the record does not give",
    Reason.NO_RESOURCE: "an entry without a resource",
    Reason.NO_RESOURCE_TYPE: "a resource without its type",
    Reason.NO_SUBJECT: "does not say of which patient it speaks",
    Reason.NOT_FINAL: "not a final result",
    Reason.NOT_GIVEN: "planned, cancelled or not taken",
    Reason.NOT_READABLE: "a value that cannot be read",
    Reason.OTHER_PATIENT: "speaks of another patient",
    Reason.OTHER_TUMOR: "read for lung cancer only",
    Reason.OUT_OF_RANGE: "a value that cannot be",
    Reason.SILENT: "a silent change",
    Reason.SUPERSEDED: "an earlier value; a later one is read",
    Reason.TYPE_NOT_READ: "an element that no criterion reads",
    Reason.UNKNOWN_CODE: "a code that is in no table here",
    Reason.WRONG_TYPE: "not of the type that the format demands",
}
"""What each reason means, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """One entry that was not read, or not read as it stands.

    Attributes:
        place: where it is: type and id, or the path in the file. Never a value of the patient.
        reason: coded reason.
        detail: code or element concerned, empty when there is none.
    """

    place: str
    reason: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One fact as it was read.

    Attributes:
        field: field of the case.
        value: what was read, in the words of the own format.
        place: where it stands in the record.
    """

    field: str
    value: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What one record came to.

    Attributes:
        format: fhir, dnpm, bwhc, cbioportal or variants.
        case_id: the patient's id in the record.
        data: the case in the own format (docs/semantics.md section 1).
        found: facts in the order of the record.
        ignored: entries that were not read, each with its reason.
        nothing: why there is nothing to audit; None when there is.
        missed: places that point to a recommendation which cannot be audited, because the record does not hold the whole of it.
    """

    format: str
    case_id: str
    data: Mapping[str, Any]
    found: tuple[Found, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    nothing: Nothing | None = None
    missed: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON: what was found, what was ignored, why there is nothing to audit."""
        return {
            "format": self.format,
            "found": [{"field": item.field, "value": item.value, "place": item.place} for item in self.found],
            "ignored": [
                {"place": item.place, "reason": item.reason.value, "detail": item.detail} for item in self.ignored
            ],
            "missed_recommendations": list(self.missed),
            "nothing": None
            if self.nothing is None
            else {"code": self.nothing.value, "text": NOTHING_TEXT[self.nothing]},
        }


def first_with(records: Sequence[Record], ignored: Sequence[Ignored]) -> list[Record]:
    """The records with what was ignored of the whole file listed in the first of them."""
    if not records or not ignored:
        return list(records)
    return [replace(records[0], ignored=(*ignored, *records[0].ignored)), *records[1:]]
