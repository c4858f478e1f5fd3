"""Reader for the field names of the OpenMTB-Audit benchmark (non-small cell lung cancer throughout).

Its `profile_key` and its reference elements are never read; `patient_summary` repeats the fields as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.cases.formats.own import read_case
from equipoise.cases.model import Case

NAMES: dict[str, str] = {
    "case_id": "case_id",
    "as_of": "as_of",
    "genomic_alteration": "biomarkers",
    "proposed_therapy": "recommendations",
    "stage": "stage",
    "ecog": "ecog",
    "ecog_status": "ecog",
    "prior_therapy": "prior_therapies",
    "histology": "histology",
    "pdl1": "pdl1",
    "brain_mets": "brain_mets",
    "treatment_setting": "setting",
    "age": "age",
    "sex": "sex",
}
"""Element of that format -> field of the Case."""

MARKS: frozenset[str] = frozenset({"proposed_therapy", "genomic_alteration"})
"""Elements by which the format is recognised."""


def own_fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """The elements of an object under the names of the own format; the first documented one of two that mean the same."""
    own: dict[str, Any] = {"tumor": "NSCLC"}
    for key, name in NAMES.items():
        if key in data and own.get(name) is None:
            own[name] = data[key]
    return own


def read(data: Mapping[str, Any], *, default_id: str = "") -> Case:
    """Build a case from those names.

    Raises:
        CaseError: an element cannot be read; the message names the field of the Case.
    """
    return read_case(own_fields(data), default_id=default_id)
