"""Reader for the field names of the OpenMTB-Audit benchmark (non-small cell lung cancer throughout).

Its `profile_key` and its reference elements are never read; `patient_summary` repeats the fields as text. Elements of the own format
are read beside them, and every other element is named in `Case.ignored_fields`: a therapy history under another name must not vanish.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from equipoise.cases.formats.own import read_case
from equipoise.cases.model import Case, Documented, Source, Status
from equipoise.cases.narrative.reader import read_note
from equipoise.cases.vocabulary.histology import NSCLC
from equipoise.errors import CaseError

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


SUMMARY = "patient_summary"
"""Element that holds the case as text."""

NOT_READ: frozenset[str] = frozenset({
    "case_type", "error_type", "ground_truth_therapy", "missing_fields", "profile_key", "should_abstain", "smoking", "support_label",
    SUMMARY,
})  # fmt: skip
"""Elements of a published record that are left alone: the reference, what gives it away, and what decides nothing."""


def own_fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """The elements of an object under the names of the own format; the first documented one of two that mean the same."""
    own: dict[str, Any] = {"tumor": "NSCLC"}
    for key, name in NAMES.items():
        if key in data and own.get(name) is None:
            own[name] = data[key]
    for key, value in data.items():
        if key not in NAMES and key not in NOT_READ and own.get(key) is None:
            own[key] = value
    return own


def read(data: Mapping[str, Any], *, default_id: str = "") -> Case:
    """Build a case from those names.

    Raises:
        CaseError: an element cannot be read; the message names the field of the Case.
    """
    return read_case(own_fields(data), default_id=default_id)


def read_summary(data: Mapping[str, Any], *, default_id: str = "") -> Case:
    """Build a case from the summary alone; no other element of the record is looked at, except its identifier.

    The tumor is the format's own, as in `read`.

    Raises:
        CaseError: the summary is not text.
    """
    summary = data.get(SUMMARY)
    if not isinstance(summary, str):
        msg = f"expected the summary as text, got {summary!r}"
        raise CaseError(msg, field=SUMMARY)
    stated = data.get("case_id")
    case = read_note(summary, case_id=str(stated) if isinstance(stated, str | int) and stated != "" else default_id)
    if case.unsupported_language or case.tumor.known:
        return case
    return replace(case, tumor=Documented(Status.VALUE, NSCLC, sources=(Source(SUMMARY),)))


def summary_fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """The summary under the name of the own format."""
    return {"case_id": data.get("case_id"), "tumor": NSCLC, "text": data.get(SUMMARY)}
