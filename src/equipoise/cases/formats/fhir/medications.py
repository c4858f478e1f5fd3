"""The medicine of a request, statement or administration, and whether it is a cancer therapy at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.cases.formats.fhir.collection import Collection, Entry
from equipoise.cases.formats.fhir.elements import codings, items, objects, text, words
from equipoise.cases.formats.record.builder import CaseBuilder
from equipoise.cases.formats.record.codes import tables
from equipoise.cases.formats.record.medicines import Medicine, medicine
from equipoise.cases.formats.record.model import Reason


def medicine_of(entry: Entry, collection: Collection, builder: CaseBuilder) -> Medicine | None:
    """The medicine of a resource; None, and listed as ignored, when it refers to nothing or names nothing."""
    resource = entry.resource
    reference = resource.get("medicationReference")
    if reference is not None:
        target = collection.resolve(reference, resource, kind="Medication")
        if target is None:
            shown = text(reference.get("display")) if isinstance(reference, Mapping) else ""
            if not shown:
                builder.ignore(entry.place, Reason.DANGLING, "medicationReference")
                return None
            found = medicine((), shown)
        else:
            found = _of_medication(target.resource)
    else:
        concept = resource.get("medicationCodeableConcept")
        found = medicine(codings(concept), words(concept))
    if not found.name:
        builder.ignore(entry.place, Reason.NOT_READABLE, "medication")
        return None
    if found.disagree:
        builder.ignore(entry.place, Reason.CODE_NAME, "medication")
    return found


def _of_medication(resource: Mapping[str, Any]) -> Medicine:
    found = medicine(codings(resource.get("code")), words(resource.get("code")))
    if found.known or found.disagree:
        return found
    inner = [
        medicine(codings(one.get("itemCodeableConcept")), words(one.get("itemCodeableConcept")))
        for one in objects(resource.get("ingredient"))
    ]
    known = sorted({one.name for one in inner if one.known})
    return Medicine(" + ".join(known), True) if known and len(known) == len(inner) else found


def is_cancer_therapy(entry: Entry, found: Medicine, collection: Collection) -> bool:
    """Whether a medicine is read at all: a known cancer drug, one with such an ATC code, or one given for a cancer.

    A record of a hospital lists every medicine; those that no rule knows and that nothing ties to the cancer are left out, and listed.
    """
    if found.known or found.disagree:
        return True
    resource = entry.resource
    target = collection.resolve(resource.get("medicationReference"), resource, kind="Medication")
    concepts = [resource.get("medicationCodeableConcept"), target.resource.get("code") if target is not None else None]
    if any(coding.system == "atc" and coding.code[:3] in ("L01", "L02") for one in concepts for coding in codings(one)):
        return True
    meta = resource.get("meta")
    profiles = " ".join(text(one) for one in items(meta.get("profile") if isinstance(meta, Mapping) else None))
    if any(
        part in profiles for part in ("cancer-related", "systemische-therapie", "systemtherapie", "therapieempfehlung")
    ):
        return True
    return any(
        (condition := collection.resolve(one, resource, kind="Condition")) is not None and condition.type == "Condition"
        and bool({coding.code[:1] for coding in codings(condition.resource.get("code")) if coding.system == "icd10"} & {"C"})
        for one in items(resource.get("reasonReference"))
    )  # fmt: skip


def outcome_of(*concepts: Any) -> str | None:
    """How a therapy ended, by the coded reasons; None when they do not say."""
    rows = tables()["outcomes"]
    for concept in concepts:
        for coding in codings(concept):
            meaning = rows["snomed"].get(coding.code) if coding.system == "snomed" else rows["words"].get(coding.code)
            if meaning:
                return str(meaning)
        said = words(concept).lower()
        if "progress" in said and not any(
            part in said for part in ("no progress", "without progress", "progression-free")
        ):
            return "progressed"
        if any(part in said for part in ("toxic", "not tolerated", "intoleran", "adverse")):
            return "toxicity"
    return None
