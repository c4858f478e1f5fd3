"""Prior therapies as MedicationStatement and Procedure."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from equipoise.cases.formats.fhir import own
from equipoise.cases.model import Case, Outcome, PriorTherapy, Status
from equipoise.cases.vocabulary._data import vocabulary
from equipoise.cases.vocabulary.drugs import lexicon
from equipoise.exports.fhir import facts
from equipoise.exports.fhir.entries import ATC, SNOMED, concept, marks

_ATC = re.compile(r"ATC:([A-Z0-9]+)")
_STATUS: Mapping[Outcome, str] = {
    Outcome.PROGRESSED: "stopped",
    Outcome.TOXICITY: "stopped",
    Outcome.COMPLETED: "completed",
    Outcome.ONGOING: "active",
    Outcome.UNKNOWN: "unknown",
}
_PROCEDURE_STATUS = {"active": "in-progress"}
_REASONS: Mapping[Outcome, tuple[str, str]] = {
    Outcome.PROGRESSED: ("419835002", "Tumor progression"),
    Outcome.TOXICITY: ("75478009", "Toxicity"),
}
_PROCEDURES: Mapping[str, tuple[str, str]] = {
    "radiotherapy": ("108290001", "Radiation oncology AND/OR radiotherapy"),
}


@functools.cache
def _codes() -> dict[str, str]:
    return {
        str(row["name"]): found[1]
        for row in vocabulary("drugs")
        if (found := _ATC.search(str(row.get("source", "")))) is not None
    }


def atc_of(name: str) -> str:
    """The ATC code of a drug of the vocabulary; empty when it has none there."""
    return _codes().get(name, "")


def is_drug(name: str) -> bool:
    """Whether a component is one drug, not a procedure or a group."""
    found = lexicon().drugs.get(name)
    return found is not None and found.kind == "drug"


def resources(case: Case, subject: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Field of the case and resource, for every course, or for the statement that there was none."""
    if case.prior_therapies.status is Status.ABSENT:
        yield "prior_therapies", facts.stated("prior_therapies", "none", "No prior systemic therapy", subject)
    for place, item in enumerate(case.prior_therapies.value or (), start=1):
        yield "prior_therapies", _course(place, item, subject)


def _course(place: int, item: PriorTherapy, subject: Mapping[str, str]) -> dict[str, Any]:
    status = _STATUS[item.outcome]
    ended = _REASONS.get(item.outcome)
    reason = concept("", (SNOMED, *ended)) if ended else None
    common: dict[str, Any] = {
        "identifier": [{"system": own.PRIOR, "value": str(place)}],
        "extension": marks({"line": item.line, "setting": facts.setting_words(item.setting)}),
        "subject": subject,
    }
    period = {"end": item.ended.isoformat()} if item.ended else None
    names = sorted(item.drugs)
    if names in (["radiotherapy"], ["surgery"]) and not item.unread:
        known = _PROCEDURES.get(names[0])
        return {
            "resourceType": "Procedure",
            **common,
            "status": _PROCEDURE_STATUS.get(status, status),
            "statusReason": reason,
            "code": concept(names[0], *([(SNOMED, *known)] if known else [])),
            "note": _note(item, names[0]),
            "performedPeriod": period,
        }
    text = " + ".join([*names, *item.unread])
    atc = atc_of(names[0]) if len(names) == 1 and not item.unread else ""
    return {
        "resourceType": "MedicationStatement",
        **common,
        "status": status,
        "statusReason": [reason] if reason else None,
        "medicationCodeableConcept": concept(text, (ATC, atc, names[0])) if atc else concept(text),
        "effectivePeriod": period,
        "note": _note(item, text),
    }


def _note(item: PriorTherapy, text: str) -> list[dict[str, str]] | None:
    """The course in the words of the record, where they say more than its name."""
    return [{"text": item.source.text}] if item.source.text != text else None
