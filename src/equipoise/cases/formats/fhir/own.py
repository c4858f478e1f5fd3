"""Codes of this project in a FHIR resource: what a case holds and no standard code says. Written by `equipoise.exports`, read here.

They stand beside standard codes, never in their place where there is one. Another system may ignore them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.cases.formats.fhir.elements import codings, number, objects, text, value_of

CASE = "urn:x-equipoise:case"
"""System of the identifier that holds a case's id."""
RECOMMENDATION = "urn:x-equipoise:recommendation"
"""System of the identifier that holds a recommendation's id."""
PRIOR = "urn:x-equipoise:prior-therapy"
"""System of the identifier of a prior therapy: its place in the history. It was given for the cancer, whatever its name and status."""
FIELD = "urn:x-equipoise:case-field"
"""Code system of the fields of a case (docs/semantics.md section 1), and, with a colon and a name behind it, address of an extension."""
BIOMARKER = "urn:x-equipoise:biomarker"
"""Code system of normalised biomarker names (`EGFR:exon19del`; docs/semantics.md section 3)."""
TUMOR = "urn:x-equipoise:tumor"
"""Code system of the tumors of the vocabulary."""

FIELDS: frozenset[str] = frozenset({
    "as_of", "age", "sex", "ecog", "histology", "stage", "setting", "brain_mets", "biomarkers_complete", "pdl1.tps", "pdl1.tc", "pdl1.ic",
    "tmb", "msi", "qtc_ms",
})  # fmt: skip
"""Fields that an Observation under `FIELD` may state; `comorbidities.NAME`, `comedications.NAME` and `prior_therapies` too."""


def code_of(concept: Any, system: str) -> str:
    """The code of one of our systems in a concept; empty when it has none."""
    return next((coding.code for coding in codings(concept) if coding.system == system and coding.code), "")


def identifier_of(resource: Mapping[str, Any], system: str) -> str:
    """The identifier of one of our systems; empty when there is none."""
    return next(
        (text(one.get("value")) for one in objects(resource.get("identifier")) if text(one.get("system")) == system), ""
    )


def marks(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Our extensions of a resource by name; one that stands several times is a list."""
    found: dict[str, Any] = {}
    for one in objects(resource.get("extension")):
        address = text(one.get("url"))
        if not address.startswith(f"{FIELD}:"):
            continue
        name, value = address.rpartition(":")[2], value_of(one)
        if name == "citations":
            found.setdefault(name, []).append(value)
        else:
            found[name] = value
    return found


def stated(resource: Mapping[str, Any]) -> Any:
    """The value of an Observation under `FIELD`, as the own format writes it; None when there is none."""
    value = value_of(resource)
    if isinstance(value, Mapping) and "low" in value:
        ends = [number(one.get("value")) for one in objects([value.get("low"), value.get("high")])]
        return f"{ends[0]:g}-{ends[1]:g}" if len(ends) == 2 and None not in ends else None
    if isinstance(value, Mapping):
        amount = number(value.get("value"))
        return None if amount is None else f"{text(value.get('comparator'))}{amount:g}"
    return value
