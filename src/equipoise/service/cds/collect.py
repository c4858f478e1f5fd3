"""From a request to the resources that the FHIR reader takes: what was prefetched is the patient, what is drafted is the recommendation.

Three things are settled here that the hooks leave open:
- drafts of one session without a date and without a group are one regimen, as orders of one day are;
- an order of a cancer drug that is active already is a therapy under way, not one more recommendation; the same drug among the
  drafts is a renewal and not a therapy before it;
- data that are only partly there are refused (412), since a documented history is read as the whole history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.cases.formats.fhir.elements import codings, objects, text, words
from equipoise.cases.formats.record.medicines import medicine
from equipoise.service.cds.discovery import NEEDED
from equipoise.service.problems import refuse

_ORDERS = ("MedicationRequest", "RequestGroup")
_SESSION = "orders of one session"
_UNDER_WAY = frozenset({"active", "on-hold"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What the reader gets.

    Attributes:
        documents: resources, the drafts last.
        asked: ids of the drafts for which a card may come.
        places: the same as "Type/id".
    """

    documents: tuple[Mapping[str, Any], ...]
    asked: frozenset[str]
    places: frozenset[str]


def collect(request: Mapping[str, Any]) -> Collected:
    """Arrange a request that keeps its shape.

    Args:
        request: a request of order-select or order-sign.

    Raises:
        RefusedError: a selection names no draft (400), or needed data are not there (412).
    """
    context = request["context"]
    drafts = [_of_patient(one, context["patientId"]) for one in _resources(context["draftOrders"]) if _is_order(one)]
    if not drafts:
        return Collected(documents=(), asked=frozenset(), places=frozenset())
    drafts = _grouped(drafts)
    selected = _selected(context, drafts) if request["hook"] == "order-select" else drafts
    if not selected:
        return Collected(documents=(), asked=frozenset(), places=frozenset())
    known = _prefetched(request.get("prefetch") or {})
    sessions = {_session(one) for one in selected}
    asked = [one for one in drafts if _session(one) in sessions]
    documents = [*_history(known, drafts), *drafts]
    return Collected(
        documents=tuple(documents),
        asked=frozenset(text(one.get("id")) for one in asked),
        places=frozenset(f"{one['resourceType']}/{text(one.get('id'))}" for one in asked),
    )


def _is_order(resource: Mapping[str, Any]) -> bool:
    return resource.get("resourceType") in _ORDERS


def _resources(value: Any) -> Iterator[Mapping[str, Any]]:
    """The resources of a bundle, or the resource itself."""
    if not isinstance(value, Mapping):
        return
    if value.get("resourceType") != "Bundle":
        yield value
        return
    for entry in objects(value.get("entry")):
        resource = entry.get("resource")
        if isinstance(resource, Mapping):
            yield resource


def _of_patient(resource: Mapping[str, Any], patient: str) -> Mapping[str, Any]:
    """A draft that names no patient is for the one of the context; one for somebody else is refused."""
    own = patient.removeprefix("Patient/")
    subject = resource.get("subject")
    if subject is None:
        return {**resource, "subject": {"reference": f"Patient/{own}"}}
    reference = text(subject.get("reference")) if isinstance(subject, Mapping) else ""
    if "Patient/" in reference and reference.partition("/_history/")[0].rpartition("/")[2] != own:
        raise refuse(400, "holds an order for another patient than the one of the context", field="context.draftOrders")
    return resource


def _prefetched(prefetch: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    missing = [name for name in NEEDED if name not in prefetch]
    if missing:
        message = (
            f"the prefetch keys {', '.join(missing)} are needed and not there; send null where there is no such data"
        )
        raise refuse(412, message, field=f"prefetch.{missing[0]}")
    found: list[Mapping[str, Any]] = []
    for name, value in prefetch.items():
        if value is None:
            continue
        if isinstance(value, Mapping) and any(
            text(link.get("relation")) == "next" for link in objects(value.get("link"))
        ):
            raise refuse(412, "a page of this search is missing; all of it is needed", field=f"prefetch.{name}")
        for resource in _resources(value):
            if resource.get("resourceType") == "OperationOutcome":
                severe = any(
                    text(issue.get("severity")) in ("error", "fatal") for issue in objects(resource.get("issue"))
                )
                if severe or not objects(resource.get("issue")):
                    raise refuse(412, "the client could not fetch these data", field=f"prefetch.{name}")
                continue
            found.append(resource)
    return found


def _grouped(drafts: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The drafts, those without a date and a group in one group."""
    group = {"groupIdentifier": {"value": _SESSION}}
    if not any(_session(one) == "" for one in drafts):
        return drafts
    return [
        {**one, **group} if one["resourceType"] == "MedicationRequest" and not _group(one) else one for one in drafts
    ]


def _group(order: Mapping[str, Any]) -> str:
    group = order.get("groupIdentifier")
    return text(group.get("value")) if isinstance(group, Mapping) else ""


def _session(order: Mapping[str, Any]) -> str:
    if order["resourceType"] == "RequestGroup" or text(order.get("intent")) in ("proposal", "plan"):
        return f"{order['resourceType']}/{text(order.get('id'))}"
    return _group(order) or text(order.get("authoredOn"))[:10]


def _selected(context: Mapping[str, Any], drafts: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    by_place = {f"{one['resourceType']}/{text(one.get('id'))}": one for one in drafts}
    every = {f"{one.get('resourceType')}/{text(one.get('id'))}" for one in _resources(context["draftOrders"])}
    wanted = [_place(name, every) for name in context["selections"]]
    lost = next((number for number, name in enumerate(wanted) if name not in every), None)
    if lost is not None:
        raise refuse(400, "names no resource of draftOrders", field=f"context.selections.{lost}")
    return [by_place[name] for name in wanted if name in by_place]


def _place(name: str, known: set[str]) -> str:
    """A selection as "Type/id"; a client may leave the type out."""
    if "/" in name:
        return "/".join(name.split("/")[-2:])
    return next((place for place in known if place.partition("/")[2] == name), name)


def _history(known: list[Mapping[str, Any]], drafts: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The patient as prefetched; orders under way as therapies, proposals and drafts of others left out."""
    named = {text(one.get("id")) for one in drafts}
    medications = {f"Medication/{text(one.get('id'))}": one for one in known if one.get("resourceType") == "Medication"}
    renewed = {_name(one, medications) for one in drafts} - {""}
    for resource in known:
        if resource.get("resourceType") in ("CarePlan", "RequestGroup"):
            continue
        if resource.get("resourceType") != "MedicationRequest" or text(resource.get("status")) in (
            "completed",
            "stopped",
        ):
            if resource.get("resourceType") != "MedicationRequest" or text(resource.get("intent")) not in (
                "proposal",
                "plan",
                "option",
            ):
                yield resource
            continue
        under_way = text(resource.get("status")) in _UNDER_WAY and text(resource.get("intent")) not in (
            "proposal",
            "plan",
            "option",
        )
        if not under_way or text(resource.get("id")) in named or _name(resource, medications) in renewed:
            continue
        kept = {key: value for key, value in resource.items() if key not in ("intent", "groupIdentifier", "authoredOn")}
        start = {"effectivePeriod": {"start": resource["authoredOn"]}} if text(resource.get("authoredOn")) else {}
        yield {**kept, **start, "resourceType": "MedicationStatement", "status": "active"}


def _name(order: Mapping[str, Any], medications: Mapping[str, Mapping[str, Any]]) -> str:
    concept = order.get("medicationCodeableConcept")
    reference = order.get("medicationReference")
    if isinstance(reference, Mapping):
        address = text(reference.get("reference"))
        inner = {f"#{text(one.get('id'))}": one for one in objects(order.get("contained"))}
        target = inner.get(address) or medications.get("/".join(address.split("/")[-2:]))
        if target is None:
            return text(reference.get("display")).lower()
        concept = target.get("code")
    return medicine(codings(concept), words(concept)).name.lower()
