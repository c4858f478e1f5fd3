"""What every written resource shares: addresses from content, references, codings."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.cases.formats.fhir.own import FIELD
from equipoise.ids import canonical_json

_SPACE = uuid.UUID("6f2c1e0e-6a1c-5d1b-9c55-1f6f0d8a7b21")
"""Name space of the addresses. Any fixed value does; it only keeps them apart from those of other programs."""

LOINC = "http://loinc.org"
SNOMED = "http://snomed.info/sct"
HGNC = "http://www.genenames.org/geneId"
ATC = "http://www.whocc.no/atc"
UCUM = "http://unitsofmeasure.org"


def address(*parts: Any) -> str:
    """A `urn:uuid:` that depends on nothing but its parts (UUID version 5 of their canonical JSON)."""
    return f"urn:uuid:{uuid.uuid5(_SPACE, canonical_json(list(parts)))}"


def entry(url: str, resource: Mapping[str, Any], *, id: str = "") -> dict[str, Any]:
    """An entry of a bundle; elements that are None, empty texts, lists and objects are left out.

    Args:
        url: full address.
        resource: the resource, its type first.
        id: the resource's id; the end of the address when empty.
    """
    kind = resource["resourceType"]
    whole = {"resourceType": kind, "id": id or url.removeprefix("urn:uuid:"), **resource}
    return {"fullUrl": url, "resource": _without_nothing(whole)}


def _without_nothing(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: kept for key, item in value.items() if not _nothing(kept := _without_nothing(item))}
    if isinstance(value, list | tuple):
        return [kept for item in value if not _nothing(kept := _without_nothing(item))]
    return value


def _nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def ref(url: str) -> dict[str, str]:
    """A reference to an entry."""
    return {"reference": url}


def concept(text: str = "", *codings: tuple[str, str, str]) -> dict[str, Any]:
    """A CodeableConcept.

    Args:
        text: in words.
        codings: system, code and name each; a name may be empty.
    """
    rows: list[dict[str, str]] = [
        {"system": system, "code": code, **({"display": name} if name else {})} for system, code, name in codings
    ]
    return {"coding": rows, "text": text}


def mark(name: str, value: Any) -> dict[str, Any]:
    """One of our extensions: a field of the case that the resource has no element for."""
    kind = "valueInteger" if isinstance(value, int) and not isinstance(value, bool) else "valueString"
    return {"url": f"{FIELD}:{name}", kind: value}


def marks(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Our extensions for every value that is stated; a sequence becomes one each."""
    found: list[dict[str, Any]] = []
    for name, value in values.items():
        if isinstance(value, Sequence) and not isinstance(value, str):
            found.extend(mark(name, item) for item in value)
        elif value is not None and value != "":
            found.append(mark(name, value))
    return found
