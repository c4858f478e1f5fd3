"""What the service says of itself: its two services and the data that each needs at every call."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from equipoise.cases.formats.record.codes import tables

_PATIENT = "{{context.patientId}}"
_SYSTEMS = {"loinc": "http://loinc.org", "snomed": "http://snomed.info/sct"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One service of the discovery document.

    Attributes:
        id: last part of its address.
        hook: when it is called.
        title: short name.
        description: what it does.
    """

    id: str
    hook: str
    title: str
    description: str


SERVICES: tuple[Service, ...] = (
    Service(
        id="equipoise-order-select",
        hook="order-select",
        title="Equipoise: evidence for the selected cancer drug",
        description="Compares a selected cancer drug with dated sources and sends a card when they do not support it, support it with"
        " points to weigh, or when a fact is missing that decides. Not a medical device.",
    ),
    Service(
        id="equipoise-order-sign",
        hook="order-sign",
        title="Equipoise: evidence for the cancer drugs of this session",
        description="Compares the cancer drugs of an ordering session, taken together as one regimen, with dated sources and sends a card"
        " when they do not support it, support it with points to weigh, or when a fact is missing that decides. Not a medical device.",
    ),
)
"""In the order of the discovery document."""

NEEDED: tuple[str, ...] = ("patient", "conditions", "observations", "statements", "requests", "procedures")
"""Prefetch keys; each has to be there, with null when the client has no such data: half a history would be read as the whole."""

USAGE = (
    "All prefetch keys are needed at every call (null when there is no such data) and no page of a search may be missing: the service"
    " calls no FHIR server, and a history that is half there would be read as the whole. Else it answers 412."
    " Other tumors than non-small cell lung cancer are not assessed and get no card."
)


@functools.cache
def observation_codes() -> str:
    """Codes of the observations that are read, as one FHIR search value."""
    rows = tables()["observations"]
    return ",".join(f"{_SYSTEMS[name]}|{code}" for name in _SYSTEMS for code in rows[name])


def prefetch() -> dict[str, str]:
    """Prefetch templates by key; plain reads and searches, as the specification asks for."""
    return {
        "patient": f"Patient/{_PATIENT}",
        "conditions": f"Condition?patient={_PATIENT}",
        "observations": f"Observation?patient={_PATIENT}&code={observation_codes()}",
        "statements": f"MedicationStatement?patient={_PATIENT}",
        "requests": f"MedicationRequest?patient={_PATIENT}",
        "procedures": f"Procedure?patient={_PATIENT}",
    }


def discovery() -> dict[str, Any]:
    """The discovery document."""
    return {
        "services": [
            {
                "hook": one.hook,
                "title": one.title,
                "description": one.description,
                "id": one.id,
                "prefetch": prefetch(),
                "usageRequirements": USAGE,
            }
            for one in SERVICES
        ]
    }


def service_of(identifier: str) -> Service | None:
    """The service of an id."""
    return next((one for one in SERVICES if one.id == identifier), None)
