"""What was given: medication statements, administrations, requests that were carried out, and procedures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from equipoise.cases.formats.fhir import own
from equipoise.cases.formats.fhir.collection import Collection, Entry
from equipoise.cases.formats.fhir.elements import (
    codings,
    end_of,
    extensions,
    items,
    number,
    start_of,
    text,
    value_of,
    words,
)
from equipoise.cases.formats.fhir.medications import is_cancer_therapy, medicine_of, outcome_of
from equipoise.cases.formats.fhir.observations import kind_of
from equipoise.cases.formats.record.builder import CaseBuilder, history_of
from equipoise.cases.formats.record.codes import look_up
from equipoise.cases.formats.record.model import Reason

_NOT_GIVEN = frozenset({"not-taken", "intended", "not-done", "cancelled", "draft", "preparation", "unknown", "on-hold"})
_BY_STATUS = {
    "active": "ongoing",
    "in-progress": "ongoing",
    "completed": "completed",
}
_STARTS = ("effectiveDateTime", "effectivePeriod", "performedDateTime", "performedPeriod", "authoredOn")
_LINES = ("therapielinie", "therapy-line", "line-of-therapy", "therapyline", "therapy-line-number")


def responses(entries: Iterable[Entry], collection: Collection) -> dict[str, str]:
    """Place of a therapy -> outcome, where a response observation says that the disease progressed under it."""
    found: dict[str, str] = {}
    for entry in entries:
        if entry.type != "Observation" or kind_of(entry.resource) != "response":
            continue
        if outcome_of(value_of(entry.resource)) != "progressed":
            continue
        for name in ("focus", "partOf", "basedOn"):
            for reference in items(entry.resource.get(name)):
                target = collection.resolve(reference, entry.resource)
                if target is not None:
                    found[target.place] = "progressed"
    return found


def read_medication(
    entry: Entry,
    collection: Collection,
    builder: CaseBuilder,
    *,
    advice: Mapping[str, str],
    progressed: Mapping[str, str],
) -> None:
    """Read a medicine that was given as a prior therapy.

    Args:
        entry: a MedicationStatement, MedicationAdministration, or MedicationRequest that was carried out.
        collection: for its references.
        builder: takes what is read.
        advice: place of a recommendation -> its id.
        progressed: place of a therapy -> outcome by a response observation.
    """
    resource = entry.resource
    status = text(resource.get("status"))
    marks = own.marks(resource)
    ours = bool(own.identifier_of(resource, own.PRIOR))
    if status == "entered-in-error":
        builder.ignore(entry.place, Reason.ENTERED_IN_ERROR)
        return
    if status in _NOT_GIVEN and not (status == "unknown" and ours):
        builder.ignore(entry.place, Reason.NOT_GIVEN, status)
        return
    found = medicine_of(entry, collection, builder)
    if found is None:
        return
    if not ours and not is_cancer_therapy(entry, found, collection):
        builder.ignore(entry.place, Reason.NOT_A_THERAPY)
        return
    outcome = progressed.get(entry.place) or outcome_of(resource.get("statusReason"))
    if outcome is None and not (entry.type == "MedicationAdministration" and status == "completed"):
        outcome = _BY_STATUS.get(status)
    builder.prior(
        history_of(found),
        entry.place,
        started=start_of(resource, *_STARTS),
        ended=end_of(resource, *_STARTS),
        based_on=_based_on(entry, collection, advice),
        outcome=outcome,
        line=marks.get("line", _line(resource)),
        setting=marks.get("setting"),
    )


def read_procedure(
    entry: Entry,
    collection: Collection,
    builder: CaseBuilder,
    *,
    advice: Mapping[str, str],
    progressed: Mapping[str, str],
) -> None:
    """Read surgery, radiotherapy or a systemic therapy that names its drugs; other procedures are listed as ignored."""
    from equipoise.cases.vocabulary.drugs import read_regimen

    resource = entry.resource
    status = text(resource.get("status"))
    marks = own.marks(resource)
    ours = bool(own.identifier_of(resource, own.PRIOR))
    if status == "entered-in-error":
        builder.ignore(entry.place, Reason.ENTERED_IN_ERROR)
        return
    if status in _NOT_GIVEN and not (status == "unknown" and ours):
        builder.ignore(entry.place, Reason.NOT_GIVEN, status)
        return
    component = next((name for coding in codings(resource.get("code")) if (name := look_up("procedures", coding))), "")
    if not component:
        named = [one.display for one in (*codings(resource.get("usedCode")), *codings(resource.get("code")))]
        for said in (*named, words(resource.get("code")) if ours else ""):
            regimen = read_regimen(said)
            if regimen.components and not regimen.unread:
                component = " + ".join(sorted(regimen.components))
                break
    if not component:
        builder.ignore(entry.place, Reason.NOT_A_THERAPY)
        return
    outcome = progressed.get(entry.place) or outcome_of(resource.get("outcome"), resource.get("statusReason"))
    builder.prior(
        component,
        entry.place,
        started=start_of(resource, *_STARTS),
        ended=end_of(resource, *_STARTS),
        based_on=_based_on(entry, collection, advice),
        outcome=outcome or _BY_STATUS.get(status),
        line=marks.get("line", _line(resource)),
        setting=marks.get("setting"),
    )


def _based_on(entry: Entry, collection: Collection, advice: Mapping[str, str]) -> str:
    for reference in items(entry.resource.get("basedOn")):
        target = collection.resolve(reference, entry.resource)
        if target is not None and target.place in advice:
            return advice[target.place]
    return ""


def _line(resource: Mapping[str, object]) -> int | None:
    for extension in extensions(resource, *_LINES):
        value = number(value_of(extension))
        if value is not None and value == int(value) and 0 < value < 100:
            return int(value)
    return None
