"""What FHIR R4 demands of the resources that are written here: required bindings, cardinalities, choices, reference types, invariants.

Libraries check the shape of an element and let any code through, so the tables are our own. Source of each row: the page of the
resource at https://hl7.org/fhir/R4/ (for `Observation.status` https://hl7.org/fhir/R4/observation.html, and so on). Only elements
that are written here have a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from equipoise.exports.fhir.walking import Place, at, codes_at, places, references


class Problem(NamedTuple):
    """One rule that a bundle breaks.

    Attributes:
        place: the entry, as its type and 1-based number in the bundle.
        rule: `binding:`, `cardinality:`, `choice:` or `reference-type:` and a path, or `invariant:` and its name.
        text: what is wrong, in one sentence, without a value of the patient.
    """

    place: str
    rule: str
    text: str


class Binding(NamedTuple):
    """A required binding: an element that may hold only these codes.

    Attributes:
        path: resource type and element.
        allowed: every code of the value set; for `dataRequirement.type` the types that are asked for here.
    """

    path: str
    allowed: frozenset[str]


class Cardinality(NamedTuple):
    """An element that must be there, in every element that holds it.

    Attributes:
        path: resource type and element.
    """

    path: str


class Choice(NamedTuple):
    """An element whose name says its type: at most one of its forms may stand.

    Attributes:
        path: resource type and the name without type.
        required: whether one must stand.
    """

    path: str
    required: bool


class Target(NamedTuple):
    """The resource types that a reference may lead to.

    Attributes:
        path: resource type and element.
        allowed: resource types.
    """

    path: str
    allowed: frozenset[str]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_OBSERVATION_STATUS = _set("registered preliminary final amended corrected cancelled entered-in-error unknown")
_REQUEST_STATUS = _set("draft active on-hold revoked completed entered-in-error unknown")
_REQUEST_INTENT = _set("proposal plan directive order original-order reflex-order filler-order instance-order option")

BINDINGS: tuple[Binding, ...] = (
    Binding(
        "Bundle.type",
        _set("document message transaction transaction-response batch batch-response history searchset collection"),
    ),
    Binding("Patient.gender", _set("male female other unknown")),
    Binding("Device.status", _set("active inactive entered-in-error unknown")),
    Binding(
        "Device.deviceName.type",
        _set("udi-label-name user-friendly-name patient-reported-name manufacturer-name model-name other"),
    ),
    Binding("Condition.clinicalStatus", _set("active recurrence relapse inactive remission resolved")),
    Binding(
        "Condition.verificationStatus",
        _set("unconfirmed provisional differential confirmed refuted entered-in-error"),
    ),
    Binding("Observation.status", _OBSERVATION_STATUS),
    Binding(
        "MedicationRequest.status", _set("active on-hold cancelled completed entered-in-error stopped draft unknown")
    ),
    Binding(
        "MedicationRequest.intent",
        _set("proposal plan order original-order reflex-order filler-order instance-order option"),
    ),
    Binding(
        "MedicationStatement.status",
        _set("active completed entered-in-error intended stopped on-hold unknown not-taken"),
    ),
    Binding(
        "Procedure.status",
        _set("preparation in-progress not-done on-hold stopped completed entered-in-error unknown"),
    ),
    Binding("RequestGroup.status", _REQUEST_STATUS),
    Binding("RequestGroup.intent", _REQUEST_INTENT),
    Binding("ServiceRequest.status", _REQUEST_STATUS),
    Binding("ServiceRequest.intent", _REQUEST_INTENT),
    Binding("DetectedIssue.status", _OBSERVATION_STATUS),
    Binding("DetectedIssue.severity", _set("high moderate low")),
    Binding(
        "GuidanceResponse.status", _set("success data-requested data-required in-progress failure entered-in-error")
    ),
    Binding(
        "GuidanceResponse.dataRequirement.type",
        _set("Patient Condition Observation MedicationStatement MedicationRequest Procedure"),
    ),
    Binding("Provenance.entity.role", _set("derivation revision quotation source removal")),
    Binding("OperationOutcome.issue.severity", _set("fatal error warning information")),
    Binding(
        "OperationOutcome.issue.code",
        _set(
            "invalid structure required value invariant security login unknown expired forbidden suppressed processing "
            "not-supported duplicate multiple-matches not-found deleted too-long code-invalid extension too-costly "
            "business-rule conflict transient lock-error no-store exception timeout incomplete throttled informational"
        ),
    ),
)

CARDINALITIES: tuple[Cardinality, ...] = tuple(
    Cardinality(path)
    for path in (
        "Bundle.type",
        "Device.deviceName.name",
        "Device.version.value",
        "Condition.subject",
        "Observation.status",
        "Observation.code",
        "Observation.component.code",
        "MedicationRequest.status",
        "MedicationRequest.intent",
        "MedicationRequest.subject",
        "MedicationStatement.status",
        "MedicationStatement.subject",
        "Procedure.status",
        "Procedure.subject",
        "RequestGroup.status",
        "RequestGroup.intent",
        "ServiceRequest.status",
        "ServiceRequest.intent",
        "ServiceRequest.subject",
        "DetectedIssue.status",
        "GuidanceResponse.status",
        "GuidanceResponse.dataRequirement.type",
        "Provenance.target",
        "Provenance.recorded",
        "Provenance.agent",
        "Provenance.agent.who",
        "Provenance.entity.role",
        "Provenance.entity.what",
        "OperationOutcome.issue",
        "OperationOutcome.issue.severity",
        "OperationOutcome.issue.code",
    )
)

CHOICES: tuple[Choice, ...] = (
    Choice("Observation.value", False),
    Choice("MedicationRequest.medication", True),
    Choice("MedicationStatement.medication", True),
    Choice("GuidanceResponse.module", True),
)

_WHO = _set("Patient Group")

REFERENCES: tuple[Target, ...] = (
    Target("Condition.subject", _WHO),
    Target("Observation.subject", _set("Patient Group Device Location")),
    Target("MedicationRequest.subject", _WHO),
    Target("MedicationStatement.subject", _WHO),
    Target("Procedure.subject", _WHO),
    Target("RequestGroup.subject", _WHO),
    Target("ServiceRequest.subject", _set("Patient Group Location Device")),
    Target("DetectedIssue.patient", _set("Patient")),
    Target("DetectedIssue.author", _set("Practitioner PractitionerRole Device")),
    Target("GuidanceResponse.subject", _WHO),
    Target("GuidanceResponse.performer", _set("Device")),
    Target("GuidanceResponse.reasonReference", _set("Condition Observation DiagnosticReport DocumentReference")),
    Target("GuidanceResponse.evaluationMessage", _set("OperationOutcome")),
    Target("GuidanceResponse.outputParameters", _set("Parameters")),
    Target("Provenance.agent.who", _set("Practitioner PractitionerRole RelatedPerson Patient Device Organization")),
)

WRITTEN: frozenset[str] = frozenset({
    "Patient", "Device", "Condition", "Observation", "MedicationRequest", "MedicationStatement", "Procedure", "RequestGroup",
    "ServiceRequest", "DetectedIssue", "GuidanceResponse", "Provenance", "OperationOutcome", "Parameters",
})  # fmt: skip
"""Resource types that are written here; a type without rows would pass unseen."""


def problems(bundle: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Every rule that a bundle breaks, in the order of its entries.

    Args:
        bundle: a Bundle as JSON.

    Returns:
        Nothing when every rule holds. That is not the same as conformance to FHIR: only elements written here have rules.
    """
    found = list(_resource_problems("Bundle", {key: item for key, item in bundle.items() if key != "entry"}, "Bundle"))
    entries = [entry for entry in bundle.get("entry") or () if isinstance(entry, Mapping)]
    types = {
        str(entry["fullUrl"]): str(entry["resource"].get("resourceType"))
        for entry in entries
        if isinstance(entry.get("fullUrl"), str) and isinstance(entry.get("resource"), Mapping)
    }
    for number, entry in enumerate(entries, start=1):
        resource = entry.get("resource")
        if not isinstance(resource, Mapping):
            found.append(Problem(f"entry {number}", "invariant:entry-has-resource", "The entry holds no resource."))
            continue
        kind = str(resource.get("resourceType"))
        place = f"{kind}, entry {number}"
        found.extend(_resource_problems(kind, resource, place))
        found.extend(_reference_problems(kind, resource, place, types))
        for name, check in INVARIANTS.items():
            if name not in _OF_BUNDLE and name not in _OF_REFERENCES:
                found.extend(Problem(place, f"invariant:{name}", text) for text in check(resource))
    found.extend(
        Problem("Bundle", f"invariant:{name}", text) for name in _OF_BUNDLE for text in INVARIANTS[name](bundle)
    )
    return tuple(found)


def _resource_problems(kind: str, resource: Mapping[str, Any], place: str) -> Iterator[Problem]:
    for binding in BINDINGS:
        if binding.path.startswith(f"{kind}."):
            for code in codes_at(resource, binding.path):
                if code not in binding.allowed:
                    yield Problem(
                        place, f"binding:{binding.path}", f"{binding.path} holds a code outside its value set."
                    )
    for rule in CARDINALITIES:
        if rule.path.startswith(f"{kind}."):
            for owner, name in places(resource, rule.path):
                if owner.get(name) in (None, "", [], {}):
                    yield Problem(place, f"cardinality:{rule.path}", f"{rule.path} is required.")
    for choice in CHOICES:
        type_, _, stem = choice.path.partition(".")
        if type_ == kind:
            forms = [key for key in resource if re.fullmatch(rf"{stem}[A-Z]\w*", key)]
            if len(forms) > 1 or (choice.required and not forms):
                yield Problem(
                    place, f"choice:{choice.path}", f"{choice.path}[x] must stand once, not {len(forms)} times."
                )


def _reference_problems(
    kind: str, resource: Mapping[str, Any], place: str, types: Mapping[str, str]
) -> Iterator[Problem]:
    inner = {
        f"#{one.get('id')}": str(one.get("resourceType"))
        for one in resource.get("contained") or ()
        if isinstance(one, Mapping)
    }
    known = {**types, **inner}
    for reference in references(resource):
        if "reference" in reference and reference["reference"] not in known:
            yield Problem(place, "invariant:reference-resolves", "A reference leads to nothing in the bundle.")
    for target in REFERENCES:
        if not target.path.startswith(f"{kind}."):
            continue
        for reference in at(resource, target.path):
            found = known.get(str(reference.get("reference"))) if isinstance(reference, Mapping) else None
            if found is not None and found not in target.allowed:
                yield Problem(place, f"reference-type:{target.path}", f"{target.path} may not lead to a {found}.")


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


def _elements(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
        for item in value.values():
            yield from _elements(item)
    elif isinstance(value, list):
        for item in value:
            yield from _elements(item)


def _ele_1(resource: Mapping[str, Any]) -> Iterator[str]:
    for element in _elements(resource):
        if not element.keys() - {"id"}:
            yield "An element says nothing."


def _no_null(resource: Mapping[str, Any]) -> Iterator[str]:
    for element in _elements(resource):
        if any(item is None for item in element.values()):
            yield "JSON null stands where an element is left out."


def _no_empty(resource: Mapping[str, Any]) -> Iterator[str]:
    for element in _elements(resource):
        if any(item == "" for item in element.values()):
            yield "An empty text stands where an element is left out."


def _coding(resource: Mapping[str, Any]) -> Iterator[str]:
    """Not of FHIR, which allows it: a coding that is written here names a code and its system."""
    for element in _elements(resource):
        for coding in element.get("coding") or ():
            if not coding.get("code"):
                yield "A coding names no code."


def _bdl_7(bundle: Mapping[str, Any]) -> Iterator[str]:
    urls = [entry.get("fullUrl") for entry in bundle.get("entry") or ()]
    if len(set(urls)) < len(urls):
        yield "Two entries have one address."


def _bdl_8(bundle: Mapping[str, Any]) -> Iterator[str]:
    if any("/_history/" in str(entry.get("fullUrl")) for entry in bundle.get("entry") or ()):
        yield "The address of an entry names a version."


def _elsewhere(resource: Mapping[str, Any]) -> Iterator[str]:
    """Checked where the whole bundle is at hand."""
    return iter(())


INVARIANTS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
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
    "ele-1": _ele_1,
    "no-null": _no_null,
    "no-empty": _no_empty,
    "coding-has-code": _coding,
    "bdl-7": _bdl_7,
    "bdl-8": _bdl_8,
    "entry-has-resource": _elsewhere,
    "reference-resolves": _elsewhere,
}
"""Name of an invariant -> what of a resource (or bundle) breaks it. Names with a number are those of FHIR."""

_OF_BUNDLE = ("bdl-7", "bdl-8")
_OF_REFERENCES = ("entry-has-resource", "reference-resolves")

__all__ = [
    "BINDINGS", "CARDINALITIES", "CHOICES", "INVARIANTS", "REFERENCES", "WRITTEN", "Binding", "Cardinality", "Choice", "Place",
    "Problem", "Target", "problems",
]  # fmt: skip
