"""What is recommended: medication requests, request groups for combinations, care plans. Each is audited on its own.

A request that is proposed, planned, or ordered and still active is a recommendation; one that was completed or stopped was given.
Orders of one day, or of one group, are one regimen: a feed orders carboplatin and pemetrexed one by one. An `option` without the group
that it belongs to is part of a combination nobody sees, and is not audited as if it were the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from equipoise.cases.formats.fhir import own
from equipoise.cases.formats.fhir.collection import Collection, Entry
from equipoise.cases.formats.fhir.elements import codings, extensions, number, objects, start_of, text, value_of, words
from equipoise.cases.formats.fhir.medications import is_cancer_therapy, medicine_of
from equipoise.cases.formats.record.builder import CaseBuilder, regimen_of
from equipoise.cases.formats.record.medicines import Medicine, medicine
from equipoise.cases.formats.record.model import Reason

PROPOSALS = frozenset({"proposal", "plan", "option"})
_OPEN = frozenset({"active", "draft", "on-hold", "completed", "unknown", ""})
_ALTERNATIVES = frozenset({"any", "exactly-one", "at-most-one", "one-or-more"})
_GRADES = (
    "empfehlung-evidenzgraduierung",
    "therapieempfehlung-evidenzgraduierung",
    "evidenzgraduierung",
    "evidenzgrad",
)
_PUBLICATIONS = ("evidenzgraduierung-publikation", "publikation")
_PRIORITIES = ("empfehlung-prioritaet", "therapieempfehlung-prioritaet", "prioritaet")


def is_given(entry: Entry) -> bool:
    """Whether a MedicationRequest speaks of a therapy that was given: an order that is completed or stopped."""
    intent, status = text(entry.resource.get("intent")), text(entry.resource.get("status"))
    return intent not in PROPOSALS and status in ("completed", "stopped")


def read_advice(entries: Sequence[Entry], collection: Collection, builder: CaseBuilder) -> dict[str, str]:
    """Read every recommendation of one patient.

    Returns:
        Place of a resource -> id of the recommendation that it is part of.
    """
    places: dict[str, str] = {}
    for entry in entries:
        if entry.type == "RequestGroup":
            _group(entry, collection, builder, places)
        elif entry.type == "ServiceRequest" and "kind" in own.marks(entry.resource):
            _other(entry, builder, places)
    requests = [entry for entry in entries if entry.type == "MedicationRequest" and entry.place not in places]
    for entry in entries:
        if entry.type == "CarePlan":
            requests.extend(_plan(entry, collection, builder, places))
    orders: dict[str, list[tuple[Entry, Medicine]]] = {}
    for entry in requests:
        if entry.place in places or is_given(entry):
            continue
        found = _request(entry, collection, builder)
        if found is None:
            continue
        intent = text(entry.resource.get("intent"))
        if intent == "option":
            builder.miss(entry.place)
            builder.ignore(entry.place, Reason.DANGLING, "the combination that it is an option of")
        elif intent in PROPOSALS:
            _recommend([(entry, found)], entry, builder, places)
        elif is_cancer_therapy(entry, found, collection):
            orders.setdefault(_session(entry), []).append((entry, found))
        else:
            builder.ignore(entry.place, Reason.NOT_A_THERAPY)
    for parts in orders.values():
        _recommend(parts, parts[0][0], builder, places)
    return places


def _other(entry: Entry, builder: CaseBuilder, places: dict[str, str]) -> None:
    """A trial, or something that is neither drug nor trial, as this project writes it; other service requests are not read."""
    name = own.identifier_of(entry.resource, own.RECOMMENDATION) or entry.id
    places[entry.place] = name
    said = {"id": name, "text": words(entry.resource.get("code")), **own.marks(entry.resource)}
    builder.recommend(said, entry.place, issued=start_of(entry.resource, "authoredOn"))


def _session(entry: Entry) -> str:
    group = entry.resource.get("groupIdentifier")
    value = text(group.get("value")) if isinstance(group, Mapping) else ""
    return value or text(entry.resource.get("authoredOn"))[:10] or entry.place


def _request(entry: Entry, collection: Collection, builder: CaseBuilder) -> Medicine | None:
    resource = entry.resource
    status = text(resource.get("status"))
    if resource.get("doNotPerform") is True:
        builder.ignore(entry.place, Reason.DO_NOT_PERFORM)
        return None
    if status not in _OPEN:
        builder.ignore(
            entry.place, Reason.ENTERED_IN_ERROR if status == "entered-in-error" else Reason.NOT_GIVEN, status
        )
        return None
    found = medicine_of(entry, collection, builder)
    if found is None:
        builder.miss(entry.place)
    return found


def _recommend(
    parts: Sequence[tuple[Entry, Medicine]], head: Entry, builder: CaseBuilder, places: dict[str, str]
) -> None:
    name = own.identifier_of(head.resource, own.RECOMMENDATION) or head.id
    entry = {
        "id": name,
        "regimen": regimen_of([found for _, found in parts]),
        **_claims([head.resource]),
        **own.marks(head.resource),
    }
    for one, _ in parts:
        places[one.place] = name
    builder.recommend(entry, head.place, issued=start_of(head.resource, "authoredOn"))


def _group(entry: Entry, collection: Collection, builder: CaseBuilder, places: dict[str, str]) -> None:
    resource = entry.resource
    status = text(resource.get("status"))
    if status not in _OPEN:
        builder.ignore(
            entry.place, Reason.ENTERED_IN_ERROR if status == "entered-in-error" else Reason.NOT_GIVEN, status
        )
        for request in _requests(objects(resource.get("action")), collection, resource):
            if request is not None:
                places[request.place] = entry.id
        return
    stated = own.identifier_of(resource, own.RECOMMENDATION) or entry.id
    places[entry.place] = stated
    regimens = list(_regimens(objects(resource.get("action")), collection, resource))
    for number_, requests in enumerate(regimens, start=1):
        name = stated if len(regimens) == 1 else f"{stated}#{number_}"
        medicines: list[Medicine] = []
        whole = True
        for request in requests:
            if request is None:
                whole = False
                builder.ignore(entry.place, Reason.DANGLING, "action.resource")
                continue
            places[request.place] = name
            found = _request(request, collection, builder)
            whole = whole and found is not None
            if found is not None:
                medicines.append(found)
        if not whole or not medicines:
            builder.miss(entry.place, instead_of=[request.place for request in requests if request is not None])
            continue
        claims = {
            **_claims([resource, *(request.resource for request in requests if request is not None)]),
            **own.marks(resource),
        }
        day = start_of(resource, "authoredOn") or max(
            (start_of(request.resource, "authoredOn") for request in requests if request is not None), default=""
        )
        builder.recommend({"id": name, "regimen": regimen_of(medicines), **claims}, entry.place, issued=day)


def _regimens(
    actions: Sequence[Mapping[str, Any]], collection: Collection, owner: Mapping[str, Any]
) -> Iterator[list[Entry | None]]:
    """The combinations that a group of actions means: one, or one for each alternative."""
    choice = [
        action for action in actions if text(action.get("selectionBehavior")) in _ALTERNATIVES and action.get("action")
    ]
    if not choice:
        whole = list(_requests(actions, collection, owner))
        if whole:
            yield whole
        return
    fixed = list(_requests([action for action in actions if action not in choice], collection, owner))
    for action in choice:
        for one in objects(action.get("action")):
            yield fixed + list(_requests([one], collection, owner))


def _requests(
    actions: Iterable[Mapping[str, Any]], collection: Collection, owner: Mapping[str, Any]
) -> Iterator[Entry | None]:
    for action in actions:
        inner = objects(action.get("action"))
        if inner:
            yield from _requests(inner, collection, owner)
        if action.get("resource") is not None:
            found = collection.resolve(action["resource"], owner, kind="MedicationRequest")
            yield found if found is not None and found.type == "MedicationRequest" else None


def _plan(entry: Entry, collection: Collection, builder: CaseBuilder, places: dict[str, str]) -> Iterator[Entry]:
    """Requests that a care plan holds itself; its other activities become recommendations here."""
    resource = entry.resource
    if text(resource.get("status")) in ("entered-in-error", "revoked"):
        builder.ignore(entry.place, Reason.NOT_GIVEN, text(resource.get("status")))
        return
    for number_, activity in enumerate(objects(resource.get("activity")), start=1):
        reference = activity.get("reference")
        detail = activity.get("detail")
        if reference is not None:
            target = collection.resolve(reference, resource, kind="MedicationRequest")
            if target is None:
                builder.miss(entry.place)
                builder.ignore(entry.place, Reason.DANGLING, "activity.reference")
            elif target.place.startswith("contained") and target.type == "MedicationRequest":
                yield Entry(
                    place=f"{entry.place}, {target.place}", type=target.type, id=target.id, resource=target.resource
                )
            elif target.type not in ("MedicationRequest", "RequestGroup"):
                builder.ignore(target.place, Reason.TYPE_NOT_READ, target.type)
        elif isinstance(detail, Mapping):
            _detail(f"{entry.id}#{number_}", detail, entry, collection, builder)


def _detail(name: str, detail: Mapping[str, Any], entry: Entry, collection: Collection, builder: CaseBuilder) -> None:
    status = text(detail.get("status"))
    if detail.get("doNotPerform") is True:
        builder.ignore(entry.place, Reason.DO_NOT_PERFORM)
        return
    if status in ("cancelled", "stopped", "entered-in-error"):
        builder.ignore(entry.place, Reason.NOT_GIVEN, f"activity {status}")
        return
    concept = detail.get("productCodeableConcept")
    reference = detail.get("productReference")
    if reference is not None:
        target = collection.resolve(reference, entry.resource, kind="Medication")
        concept = target.resource.get("code") if target is not None else None
        if concept is None:
            builder.miss(entry.place)
            builder.ignore(entry.place, Reason.DANGLING, "activity.detail.productReference")
            return
    found = medicine(codings(concept), words(concept))
    if not found.name:
        builder.ignore(entry.place, Reason.TYPE_NOT_READ, "activity without a medicine")
        return
    if found.disagree:
        builder.ignore(entry.place, Reason.CODE_NAME, "activity.detail.product")
    builder.recommend(
        {"id": name, "regimen": found.name}, entry.place, issued=start_of(entry.resource, "created", "period")
    )


def _claims(resources: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Claimed level, citations and rank, from the extensions of either generation; the first statement of a level or rank counts."""
    level = ""
    priority: int | None = None
    citations: list[str] = []
    for resource in resources:
        for extension in extensions(resource, *_GRADES):
            rows = codings(value_of(extension))
            main = [row for row in rows if "zusatzverweis" not in row.system] or rows
            level = level or next((row.code for row in main if row.code), "")
        for extension in extensions(resource, *_PRIORITIES):
            value = number(value_of(extension))
            if priority is None and value is not None and value == int(value):
                priority = int(value)
        for extension in extensions(resource, *_PUBLICATIONS):
            citation = _citation(value_of(extension))
            if citation and citation not in citations:
                citations.append(citation)
    return {"level": level, "citations": citations, "priority": priority}


def _citation(value: Any) -> str:
    if isinstance(value, Mapping):
        system, number_ = text(value.get("system")).lower(), text(value.get("value"))
        if "pubmed" in system:
            return f"PMID:{number_}"
        return f"https://doi.org/{number_}" if "doi.org" in system and number_ and "doi.org" not in number_ else number_
    return text(value)
