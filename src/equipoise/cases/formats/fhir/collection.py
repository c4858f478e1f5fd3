"""The resources of a bundle, a folder or NDJSON lines, and how they refer to each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.cases.formats.fhir.elements import items, objects, text
from equipoise.cases.formats.record.model import Ignored, Reason
from equipoise.ids import content_hash

_DEFINITIONS = frozenset({
    "CodeSystem", "StructureDefinition", "ValueSet", "ConceptMap", "ImplementationGuide", "CapabilityStatement", "SearchParameter",
    "NamingSystem", "OperationDefinition", "Questionnaire", "PlanDefinition", "ActivityDefinition", "Library",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One resource of the collection.

    Attributes:
        place: type and id, or the number of the entry.
        type: resource type.
        id: the resource's id, or the end of its full address.
        resource: the JSON object.
        url: full address; empty when there is none.
    """

    place: str
    type: str
    id: str
    resource: Mapping[str, Any]
    url: str = ""


class Collection:
    """Resources with an index of references: by id, full address, identifier, contained resource.

    Args:
        documents: resources and bundles, in order.
    """

    def __init__(self, documents: Iterable[Any]) -> None:
        self.entries: list[Entry] = []
        self.ignored: list[Ignored] = []
        self._index: dict[str, Entry] = {}
        self._hashes: dict[str, set[str]] = {}
        for number, document in enumerate(documents, start=1):
            self._document(document, f"resource {number}", "")

    def _document(self, value: Any, place: str, url: str) -> None:
        if not isinstance(value, Mapping):
            self._ignore(place, Reason.WRONG_TYPE, "resource")
            return
        kind = value.get("resourceType")
        if not isinstance(kind, str) or not kind:
            self._ignore(place, Reason.NO_RESOURCE_TYPE)
        elif kind == "Bundle":
            self._bundle(value)
        elif kind in _DEFINITIONS:
            self._ignore(f"{kind}/{text(value.get('id'))}", Reason.DEFINITION)
        else:
            self._add(kind, value, place, url)

    def _bundle(self, bundle: Mapping[str, Any]) -> None:
        entries = bundle.get("entry")
        if entries is not None and not isinstance(entries, list):
            self._ignore("Bundle.entry", Reason.WRONG_TYPE)
        for number, entry in enumerate(items(entries), start=1):
            place = f"entry {number}"
            if not isinstance(entry, Mapping):
                self._ignore(place, Reason.WRONG_TYPE)
            elif entry.get("resource") is None:
                self._ignore(place, Reason.NO_RESOURCE)
            else:
                self._document(entry["resource"], place, text(entry.get("fullUrl")))

    def _add(self, kind: str, resource: Mapping[str, Any], place: str, url: str) -> None:
        stated = text(resource.get("id"))
        key = f"{kind}/{stated}" if stated else url
        mark = _mark(resource)
        if key:
            seen = self._hashes.setdefault(key, set())
            if mark in seen:
                self._ignore(key if stated else place, Reason.DUPLICATE)
                return
            if seen:
                self._ignore(key, Reason.DUPLICATE_ID)
            seen.add(mark)
        short = url.rstrip("/").rpartition("/")[2].rpartition(":")[2]
        entry = Entry(
            place=f"{kind}/{stated}" if stated else f"{kind}, {place}",
            type=kind,
            id=stated or short or place,
            resource=resource,
            url=url,
        )
        self.entries.append(entry)
        for name in (f"{kind}/{stated}" if stated else "", url, f"{kind}/{short}" if short else ""):
            if name:
                self._index.setdefault(name, entry)
        for identifier in objects(resource.get("identifier")):
            value = text(identifier.get("value"))
            if value:
                self._index.setdefault(f"{kind}?identifier={text(identifier.get('system'))}|{value}", entry)

    def _ignore(self, place: str, reason: Reason, detail: str = "") -> None:
        self.ignored.append(Ignored(place=place, reason=reason, detail=detail))

    def resolve(self, reference: Any, owner: Mapping[str, Any] | None = None, *, kind: str = "") -> Entry | None:
        """The resource that a reference means; None when the collection does not hold it.

        Args:
            reference: the Reference, or its text.
            owner: resource in which it stands, for contained resources.
            kind: resource type, for references by identifier.
        """
        if isinstance(reference, Mapping):
            found = self._by_text(text(reference.get("reference")), owner)
            if found is not None:
                return found
            identifier = reference.get("identifier")
            if isinstance(identifier, Mapping):
                name = text(reference.get("type")) or kind
                value = f"{text(identifier.get('system'))}|{text(identifier.get('value'))}"
                return self._index.get(f"{name}?identifier={value}")
            return None
        return self._by_text(text(reference), owner)

    def _by_text(self, address: str, owner: Mapping[str, Any] | None) -> Entry | None:
        if not address:
            return None
        if address.startswith("#"):
            for inner in objects((owner or {}).get("contained")):
                if text(inner.get("id")) == address[1:]:
                    kind = text(inner.get("resourceType"))
                    return Entry(place=f"contained {kind}/{address[1:]}", type=kind, id=address[1:], resource=inner)
            return None
        clean = address.partition("/_history/")[0]
        found = self._index.get(clean)
        if found is not None:
            return found
        parts = clean.rstrip("/").split("/")
        return self._index.get("/".join(parts[-2:])) if len(parts) > 2 else None


def _mark(resource: Mapping[str, Any]) -> str:
    try:
        return content_hash(dict(resource))
    except (TypeError, ValueError):
        return repr(resource)
