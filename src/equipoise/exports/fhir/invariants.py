"""Rules between elements: FHIR's invariants that concern what is written here, and a few of our own.

Names with a number are those of FHIR (https://hl7.org/fhir/R4/, at each resource); the others are explained in their docstrings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from equipoise.exports.fhir.walking import at, codes_at, elements, references

WRITTEN: frozenset[str] = frozenset({
    "Patient", "Device", "Condition", "Observation", "MedicationRequest", "MedicationStatement", "Procedure", "RequestGroup",
    "ServiceRequest", "DetectedIssue", "GuidanceResponse", "Provenance", "OperationOutcome", "Parameters",
})  # fmt: skip
"""Resource types that are written here; a type without rules would pass unseen."""

_ID = re.compile(r"[A-Za-z0-9\-.]{1,64}")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


def _id(resource: Mapping[str, Any]) -> Iterator[str]:
    if "id" in resource and not _ID.fullmatch(str(resource["id"])):
        yield "The id must be 1 to 64 letters, digits, hyphens and points."


def _known_type(resource: Mapping[str, Any]) -> Iterator[str]:
    if resource.get("resourceType") not in WRITTEN:
        yield "The resource is of a type for which there are no rules here."


def _con_5(resource: Mapping[str, Any]) -> Iterator[str]:
    wrong = "entered-in-error" in codes_at(resource, "Condition.verificationStatus")
    if resource.get("resourceType") == "Condition" and "clinicalStatus" in resource and wrong:
        yield "A condition entered in error has no clinical status."


def _obs_6(resource: Mapping[str, Any]) -> Iterator[str]:
    if resource.get("resourceType") == "Observation":
        for owner in (resource, *at(resource, "Observation.component")):
            if "dataAbsentReason" in owner and any(key.startswith("value") for key in owner):
                yield "A reason for the absence of a value stands beside a value."


def _rqg_1(resource: Mapping[str, Any]) -> Iterator[str]:
    if resource.get("resourceType") == "RequestGroup":
        for action in at(resource, "RequestGroup.action"):
            if ("resource" in action) == ("action" in action):
                yield "An action holds either a resource or further actions."


def _drq_1(resource: Mapping[str, Any]) -> Iterator[str]:
    for one in at(resource, "GuidanceResponse.dataRequirement.codeFilter"):
        if ("path" in one) == ("searchParam" in one):
            yield "A code filter has either a path or a search parameter."


def _data_required(resource: Mapping[str, Any]) -> Iterator[str]:
    """Not of FHIR: a response that asks for data and names none helps nobody."""
    if resource.get("status") == "data-required" and not resource.get("dataRequirement"):
        yield "A response that requires data names none."


def _dom_2(resource: Mapping[str, Any]) -> Iterator[str]:
    if any("contained" in one for one in resource.get("contained") or ()):
        yield "A contained resource contains another one."


def _dom_3(resource: Mapping[str, Any]) -> Iterator[str]:
    used = {reference.get("reference") for reference in references(resource)}
    for one in resource.get("contained") or ():
        if f"#{one.get('id')}" not in used:
            yield "A contained resource is not referred to."


def _instant(resource: Mapping[str, Any]) -> Iterator[str]:
    for value in at(resource, "Provenance.recorded"):
        if not _INSTANT.fullmatch(str(value)):
            yield "A time of recording needs seconds and a zone."


def _bdl_7(bundle: Mapping[str, Any]) -> Iterator[str]:
    urls = [entry.get("fullUrl") for entry in bundle.get("entry") or ()]
    if len(set(urls)) < len(urls):
        yield "Two entries have one address."


def _bdl_8(bundle: Mapping[str, Any]) -> Iterator[str]:
    if any("/_history/" in str(entry.get("fullUrl")) for entry in bundle.get("entry") or ()):
        yield "The address of an entry names a version."


OF_RESOURCE: Mapping[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "known-type": _known_type,
    "id": _id,
    "con-5": _con_5,
    "obs-6": _obs_6,
    "rqg-1": _rqg_1,
    "drq-1": _drq_1,
    "data-required-names-data": _data_required,
    "dom-2": _dom_2,
    "dom-3": _dom_3,
    "instant": _instant,
}
"""Name -> what of a resource breaks it."""

OF_BUNDLE: Mapping[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {"bdl-7": _bdl_7, "bdl-8": _bdl_8}
"""Name -> what of a bundle breaks it."""

OF_ELEMENT: Mapping[str, tuple[Callable[[Mapping[str, Any]], bool], str]] = {
    "ele-1": (lambda element: not element.keys() - {"id"}, "An element says nothing."),
    "no-null": (lambda element: None in element.values(), "JSON null stands where an element is left out."),
    "no-empty": (lambda element: "" in element.values(), "An empty text stands where an element is left out."),
    "coding-has-code": (
        lambda element: any(not coding.get("code") for coding in element.get("coding") or ()),
        "A coding names no code.",
    ),
}
"""Name -> whether an element breaks it, and what is wrong then. FHIR allows a coding without code; none is written here."""


def element_problems(resource: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and text of each rule of `OF_ELEMENT` that an element of the resource breaks."""
    for element in elements(resource):
        for name, (breaks, text) in OF_ELEMENT.items():
            if breaks(element):
                yield name, text
