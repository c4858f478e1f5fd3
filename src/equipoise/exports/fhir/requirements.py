"""A field that decides and is not documented, as a DataRequirement: which resource, by which code, would hold it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from equipoise.cases.formats.fhir.own import BIOMARKER, FIELD
from equipoise.cases.formats.record.codes import tables
from equipoise.exports.fhir.entries import HGNC, LOINC


class Asked(NamedTuple):
    """Where a field stands in FHIR.

    Attributes:
        type: resource type.
        codes: LOINC code and its name each, any of which will do; empty when no code says it.
        elements: elements that must be filled.
    """

    type: str
    codes: tuple[tuple[str, str], ...] = ()
    elements: tuple[str, ...] = ("code",)


_VALUE = ("code", "value")
_STAGES = (
    ("21908-9", "Stage group.clinical Cancer"),
    ("21902-2", "Stage group.pathology Cancer"),
)

ASKED: Mapping[str, Asked] = {
    "age": Asked("Patient", elements=("birthDate",)),
    "sex": Asked("Patient", elements=("gender",)),
    "ecog": Asked("Observation", (("89247-1", "ECOG Performance Status score"),), _VALUE),
    "tumor": Asked("Condition"),
    "histology": Asked("Condition"),
    "stage": Asked("Observation", _STAGES, _VALUE),
    "stage_edition": Asked("Observation", _STAGES, ("method",)),
    "setting": Asked("Condition", elements=("stage",)),
    "brain_mets": Asked("Condition"),
    "biomarkers": Asked("Observation", (("69548-6", "Genetic variant assessment"),), _VALUE),
    "biomarkers_complete": Asked("Observation", (("69548-6", "Genetic variant assessment"),), _VALUE),
    "pdl1": Asked("Observation", elements=_VALUE),
    "tmb": Asked("Observation", (("94076-7", "Mutations/Megabase [# Ratio] in Tumor"),), _VALUE),
    "msi": Asked("Observation", (("81695-9", "Microsatellite instability [Interpretation] in Cancer specimen Qualitative"),), _VALUE),
    "prior_therapies": Asked("MedicationStatement", elements=("status", "statusReason", "medication", "effective")),
    "line": Asked("MedicationStatement", elements=("status", "medication", "effective")),
    "comorbidities": Asked("Condition"),
    "comedications": Asked("MedicationStatement", elements=("status", "medication")),
    "qtc_ms": Asked("Observation", elements=_VALUE),
    "recommendations": Asked("MedicationRequest", elements=("medication",)),
}  # fmt: skip
"""First part of a field's path -> where it stands."""


def requirement(field: str) -> dict[str, Any]:
    """The DataRequirement of a field.

    Args:
        field: as in `missing_fields` of a verdict: "ecog", "pdl1.tps", "biomarkers.EGFR", "biomarkers.ALK:fusion".
    """
    head, _, tail = field.partition(".")
    asked = ASKED.get(head, Asked("Observation", elements=_VALUE))
    found: dict[str, Any] = {"type": asked.type, "mustSupport": list(asked.elements)}
    filters: list[dict[str, Any]] = []
    gene = tail.partition(":")[0]
    number = _numbers().get(gene)
    genetic = head == "biomarkers" and (number is not None or not tail)
    if asked.codes and (head != "biomarkers" or genetic):
        filters.append(_filter("code", [(LOINC, code, name) for code, name in asked.codes]))
    elif asked.type == "Observation":
        filters.append(
            _filter(
                "code", [(BIOMARKER if head == "biomarkers" else FIELD, tail if head == "biomarkers" else field, "")]
            )
        )
    if genetic and number is not None:
        filters.append(_filter("component.value", [(HGNC, f"HGNC:{number}", gene)]))
    if filters:
        found["codeFilter"] = filters
    return found


def _filter(path: str, codes: list[tuple[str, str, str]]) -> dict[str, Any]:
    rows = [{"system": system, "code": code, **({"display": name} if name else {})} for system, code, name in codes]
    return {"path": path, "code": rows}


def _numbers() -> dict[str, str]:
    return {str(symbol): str(number) for number, symbol in tables()["genes"].items()}
