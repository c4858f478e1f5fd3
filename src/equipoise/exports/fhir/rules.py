"""What FHIR R4 demands of the resources that are written here: required bindings, cardinalities, choices, reference types, invariants.

Libraries check the shape of an element and let any code through, so the tables are our own. Source of each row: the page of the
resource at https://hl7.org/fhir/R4/ (for `Observation.status` https://hl7.org/fhir/R4/observation.html, and so on). Only elements
that are written here have a row.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from equipoise.exports.fhir.invariants import OF_BUNDLE, OF_ELEMENT, OF_RESOURCE, element_problems
from equipoise.exports.fhir.walking import at, codes_at, places, references


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

INVARIANTS: tuple[str, ...] = (*OF_RESOURCE, *OF_ELEMENT, *OF_BUNDLE, "entry-has-resource", "reference-resolves")
"""Names of every invariant; the last two are checked where the whole bundle is at hand."""


class _Rules(NamedTuple):
    """The rows that concern one resource type."""

    bindings: tuple[Binding, ...]
    cardinalities: tuple[Cardinality, ...]
    choices: tuple[Choice, ...]
    references: tuple[Target, ...]


@functools.cache
def _of_type(kind: str) -> _Rules:
    start = f"{kind}."
    return _Rules(
        tuple(rule for rule in BINDINGS if rule.path.startswith(start)),
        tuple(rule for rule in CARDINALITIES if rule.path.startswith(start)),
        tuple(rule for rule in CHOICES if rule.path.startswith(start)),
        tuple(rule for rule in REFERENCES if rule.path.startswith(start)),
    )


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
        for name, check in OF_RESOURCE.items():
            found.extend(Problem(place, f"invariant:{name}", text) for text in check(resource))
        found.extend(Problem(place, f"invariant:{name}", text) for name, text in element_problems(resource))
    for name, check in OF_BUNDLE.items():
        found.extend(Problem("Bundle", f"invariant:{name}", text) for text in check(bundle))
    return tuple(found)


def _resource_problems(kind: str, resource: Mapping[str, Any], place: str) -> Iterator[Problem]:
    rules = _of_type(kind)
    for binding in rules.bindings:
        if not binding.allowed.issuperset(codes_at(resource, binding.path)):
            yield Problem(place, f"binding:{binding.path}", f"{binding.path} holds a code outside its value set.")
    for rule in rules.cardinalities:
        for owner, name in places(resource, rule.path):
            if owner.get(name) in (None, "", [], {}):
                yield Problem(place, f"cardinality:{rule.path}", f"{rule.path} is required.")
    for choice in rules.choices:
        stem = choice.path.partition(".")[2]
        forms = [key for key in resource if key.startswith(stem) and key[len(stem) : len(stem) + 1].isupper()]
        if len(forms) > 1 or (choice.required and not forms):
            yield Problem(place, f"choice:{choice.path}", f"{choice.path}[x] must stand once, not {len(forms)} times.")


def _reference_problems(
    kind: str, resource: Mapping[str, Any], place: str, types: Mapping[str, str]
) -> Iterator[Problem]:
    inner = {
        f"#{one.get('id')}": str(one.get("resourceType"))
        for one in resource.get("contained") or ()
        if isinstance(one, Mapping)
    }
    for reference in references(resource):
        if reference["reference"] not in types and reference["reference"] not in inner:
            yield Problem(place, "invariant:reference-resolves", "A reference leads to nothing in the bundle.")
    for target in _of_type(kind).references:
        for reference in at(resource, target.path):
            address = str(reference.get("reference")) if isinstance(reference, Mapping) else ""
            found = types.get(address) or inner.get(address)
            if found is not None and found not in target.allowed:
                yield Problem(place, f"reference-type:{target.path}", f"{target.path} may not lead to a {found}.")
