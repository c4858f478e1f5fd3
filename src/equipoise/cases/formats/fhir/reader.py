"""Reads FHIR R4 resources into records, one a patient (and board session, where the therapies before it differ)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from equipoise.cases.formats.fhir import advice, own, therapies
from equipoise.cases.formats.fhir.collection import Collection, Entry
from equipoise.cases.formats.fhir.conditions import read_condition
from equipoise.cases.formats.fhir.elements import text
from equipoise.cases.formats.fhir.observations import kind_of, read_observation, usable
from equipoise.cases.formats.fhir.variants import read_regions, read_variant, significance
from equipoise.cases.formats.record.builder import CaseBuilder
from equipoise.cases.formats.record.model import Ignored, Nothing, Reason, Record, first_with

_SUPPORT = frozenset({
    "Patient", "Medication", "Practitioner", "PractitionerRole", "Organization", "Specimen", "Location", "Encounter", "Device",
    "DiagnosticReport", "Substance", "Provenance", "BodyStructure", "EpisodeOfCare", "CareTeam", "Group", "Coverage",
})  # fmt: skip
"""Resources that hold no fact of their own here: they are looked up, or say who, where and when."""
_SHARED = frozenset(
    {"Medication", "Practitioner", "PractitionerRole", "Organization", "Location", "Device", "Substance"}
)


def recognises(value: Any) -> bool:
    """Whether a JSON value is a FHIR resource or bundle."""
    return isinstance(value, Mapping) and isinstance(value.get("resourceType"), str)


def read(documents: Iterable[Any]) -> list[Record]:
    """Read resources and bundles that belong together.

    Args:
        documents: JSON objects; what is no resource is listed as ignored.

    Returns:
        One record a patient in the order of the collection; one without data when nothing speaks of a patient.
    """
    collection = Collection(documents)
    general = list(collection.ignored)
    found: list[Record] = []
    for patient, name, entries in _patients(collection, general):
        found.extend(_record(patient, name, entries, collection))
    if not found:
        return [Record(format="fhir", case_id="", data={}, ignored=tuple(general), nothing=Nothing.NO_PATIENT_DATA)]
    return first_with(found, general)


def _patients(collection: Collection, general: list[Ignored]) -> list[tuple[Entry | None, str, list[Entry]]]:
    """Patients with the resources that speak of them. A resource of a patient who is not there is never given to another one."""
    patients = [entry for entry in collection.entries if entry.type == "Patient"]
    groups: dict[str, tuple[Entry | None, str, list[Entry]]] = {
        entry.place: (entry, own.identifier_of(entry.resource, own.CASE) or entry.id, []) for entry in patients
    }
    homeless: list[Entry] = []
    for entry in collection.entries:
        if entry.type == "Patient" or entry.type in _SHARED:
            continue
        reference = entry.resource.get("subject") or entry.resource.get("patient")
        if reference is None:
            homeless.append(entry)
            continue
        target = collection.resolve(reference, entry.resource, kind="Patient")
        if target is not None and target.place in groups:
            groups[target.place][2].append(entry)
        elif patients:
            general.append(Ignored(place=entry.place, reason=Reason.OTHER_PATIENT))
        else:
            key = _named(reference)
            groups.setdefault(key, (None, key.rpartition("/")[2], []))[2].append(entry)
    if len(groups) == 1:
        next(iter(groups.values()))[2].extend(homeless)
    elif not groups and any(entry.type not in _SUPPORT for entry in homeless):
        groups[""] = (None, "", homeless)
    else:
        general.extend(
            Ignored(place=entry.place, reason=Reason.NO_SUBJECT) for entry in homeless if entry.type not in _SUPPORT
        )
    return list(groups.values())


def _named(reference: Any) -> str:
    if isinstance(reference, Mapping):
        identifier = reference.get("identifier")
        inner = text(identifier.get("value")) if isinstance(identifier, Mapping) else ""
        return text(reference.get("reference")) or inner
    return text(reference)


def _record(patient: Entry | None, name: str, entries: list[Entry], collection: Collection) -> list[Record]:
    builder = CaseBuilder("fhir", name)
    if patient is not None:
        _person(patient, builder)
    places = advice.read_advice(entries, collection, builder)
    builder.arrange([entry.place for entry in entries])
    progressed = therapies.responses(entries, collection)
    usable_observations = [entry for entry in entries if entry.type == "Observation" and usable(entry, builder)]
    _genomics(usable_observations, collection, builder)
    for entry in entries:
        if entry.type == "Condition":
            read_condition(entry, builder)
        elif entry.type == "Observation":
            if entry in usable_observations and kind_of(entry.resource) not in ("variant", "region"):
                read_observation(entry, builder)
        elif entry.type in ("MedicationStatement", "MedicationAdministration") or (
            entry.type == "MedicationRequest" and entry.place not in places and advice.is_given(entry)
        ):
            therapies.read_medication(entry, collection, builder, advice=places, progressed=progressed)
        elif entry.type == "Procedure":
            therapies.read_procedure(entry, collection, builder, advice=places, progressed=progressed)
        elif (
            entry.place not in places
            and entry.type not in _SUPPORT
            and entry.type not in ("MedicationRequest", "RequestGroup", "CarePlan")
        ):
            builder.ignore(entry.place, Reason.TYPE_NOT_READ, entry.type)
    return builder.records()


def _person(patient: Entry, builder: CaseBuilder) -> None:
    gender = text(patient.resource.get("gender"))
    if gender in ("female", "male"):
        builder.say("sex", gender, patient.place)
    born = text(patient.resource.get("birthDate"))
    if born[:4].isdigit():
        builder.born, builder.age_place = born, patient.place


def _genomics(observations: list[Entry], collection: Collection, builder: CaseBuilder) -> None:
    kinds = [(entry, kind_of(entry.resource)) for entry in observations]
    ranked = significance([entry for entry, kind in kinds if kind == "implication"], collection)
    reported: set[str] = set()
    for entry, kind in kinds:
        if kind == "variant":
            reported |= read_variant(entry, builder, ranked)
    read_regions([entry for entry, kind in kinds if kind == "region"], builder, reported)
