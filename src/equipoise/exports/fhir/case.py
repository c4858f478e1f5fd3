"""A case as FHIR R4 resources that this project's own reader reads back, and the list of what it would not.

Standard elements and codes where there are any; a field that has none is an Observation, or an extension, under our own code system
(`equipoise.cases.formats.fhir.own`). What was written is read back at once: a field that comes back differently is named in
`not_carried`, so that nothing is lost in silence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from equipoise.cases.formats import case_from_object
from equipoise.cases.formats.fhir import own, reader
from equipoise.cases.model import Case, Recommendation, RecommendationKind
from equipoise.errors import CaseError
from equipoise.exports.fhir import facts, history
from equipoise.exports.fhir.entries import ATC, address, concept, entry, marks, ref
from equipoise.exports.fhir.roundtrip import NotCarried, differences


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A case as entries of a bundle.

    Attributes:
        patient: address of the patient.
        entries: entries in order, the patient first.
        recommendations: id of a recommendation -> address of its resource.
        by_field: field of the case -> addresses of the resources that hold it.
        not_carried: fields that the reader would not read back as they are.
    """

    patient: str
    entries: tuple[Mapping[str, Any], ...]
    recommendations: Mapping[str, str] = field(default_factory=dict)
    by_field: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    not_carried: tuple[NotCarried, ...] = ()

    def places(self, name: str) -> tuple[str, ...]:
        """Addresses of the resources that hold a field, or the part of it that a path names."""
        found = self.by_field.get(name, ())
        if found or "." not in name:
            return found or tuple(
                url for key, urls in self.by_field.items() if key.startswith(f"{name}.") for url in urls
            )
        return self.by_field.get(name.partition(":")[0], ())


def case_bundle(case: Case) -> tuple[dict[str, Any], tuple[NotCarried, ...]]:
    """A case as a bundle of type collection, and what of it the bundle does not carry.

    Args:
        case: any case; its words as written are kept where FHIR has a place for them.
    """
    written = write_case(case)
    name = address("case", case.case_id, case.content_hash).removeprefix("urn:uuid:")
    return _bundle(name, written.entries), written.not_carried


def write_case(case: Case) -> Written:
    """A case as entries, read back once to see what they carry."""
    base = [case.case_id, case.content_hash]
    patient = address("patient", base)
    rows: list[tuple[str, dict[str, Any]]] = [("patient", facts.patient(case))]
    subject = ref(patient)
    rows.extend(facts.resources(case, subject))
    rows.extend(history.resources(case, subject))
    entries: list[dict[str, Any]] = []
    by_field: dict[str, list[str]] = {}
    for number, (name, resource) in enumerate(rows):
        url = patient if not number else address(base, number, name)
        entries.append(entry(url, resource, id=_id(case.case_id) if not number else ""))
        by_field.setdefault(name, []).append(url)
    recommended: dict[str, str] = {}
    for number, item in enumerate(case.recommendations):
        made = list(_recommendation(item, subject, address(base, "recommendation", number)))
        entries.extend(made)
        recommended[item.id] = made[-1]["fullUrl"]
    written = Written(
        patient=patient,
        entries=tuple(entries),
        recommendations=recommended,
        by_field={name: tuple(urls) for name, urls in by_field.items()},
    )
    return replace(written, not_carried=_lost(case, written))


def _bundle(name: str, entries: tuple[Mapping[str, Any], ...]) -> dict[str, Any]:
    return {"resourceType": "Bundle", "id": name, "type": "collection", "entry": list(entries)}


def _id(case_id: str) -> str:
    """The case's id where FHIR can hold it as the id of a resource; else empty, and only the identifier holds it."""
    plain = all(char.isascii() and (char.isalnum() or char in "-.") for char in case_id)
    return case_id if plain and 0 < len(case_id) <= 64 else ""


def _lost(case: Case, written: Written) -> tuple[NotCarried, ...]:
    records = reader.read([_bundle("read-back", written.entries)])
    if len(records) != 1:
        return (NotCarried("case", f"reads back as {len(records)} cases"),)
    try:
        back = case_from_object(dict(records[0].data), default_id=records[0].case_id)
    except CaseError as error:
        return (NotCarried(error.field or "case", "cannot be read back"),)
    return differences(case, back)


def _recommendation(item: Recommendation, subject: Mapping[str, str], url: str) -> Iterator[dict[str, Any]]:
    """The resources of one recommendation; the last one stands for it."""
    common = {
        "identifier": [{"system": own.RECOMMENDATION, "value": item.id}],
        "extension": marks(
            {
                "line": item.line,
                "setting": facts.setting_words(item.setting),
                "level": item.level,
                "citations": item.citations,
                "certainty": item.certainty,
                "priority": item.priority,
                "alternative_of": item.alternative_of,
                "kind": None if item.kind is RecommendationKind.REGIMEN else item.kind.value,
            }
        ),
        "status": "active",
        "intent": "proposal",
        "subject": subject,
    }
    if item.kind is not RecommendationKind.REGIMEN:
        yield entry(url, {"resourceType": "ServiceRequest", **common, "code": concept(item.text or item.kind.value)})
        return
    drugs = sorted(item.components)
    coded = len(drugs) > 1 and not item.unspecific and not item.unread and all(map(history.is_drug, drugs))
    if not coded:
        single = len(drugs) == 1 and not item.unread
        named = medicine(drugs[0] if single else item.text, item.text)
        yield entry(
            url,
            {
                "resourceType": "MedicationRequest",
                **common,
                "medicationCodeableConcept": named,
                "note": [{"text": item.text}] if item.text != named["text"] else None,
            },
        )
        return
    parts = []
    for number, name in enumerate(drugs):
        part = address(url, number, name)
        parts.append(part)
        yield entry(
            part,
            {
                "resourceType": "MedicationRequest",
                "status": "active",
                "intent": "option",
                "medicationCodeableConcept": medicine(name, name),
                "subject": subject,
            },
        )
    yield entry(
        url,
        {
            "resourceType": "RequestGroup",
            **common,
            "action": [{"resource": ref(part)} for part in parts],
            "note": [{"text": item.text}] if item.text else None,
        },
    )


def medicine(name: str, words: str) -> dict[str, Any]:
    """A medicine as a concept: its ATC code where the vocabulary has one, and its name.

    Args:
        name: canonical name, or words that name several.
        words: as written, which stand as text where there is no code.
    """
    code = history.atc_of(name)
    return concept(name, (ATC, code, name)) if code else concept(words or name)
