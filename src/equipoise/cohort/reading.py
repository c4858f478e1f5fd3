"""Reads what `equipoise cohort` is given: one item a patient, and one a sample where the records know samples."""

from __future__ import annotations

from pathlib import Path

from equipoise.cases.formats.record.model import Nothing
from equipoise.cases.load import ReadItem
from equipoise.cases.record_files import read_path, read_samples
from equipoise.errors import UsageError


def read_cohort(path: str | Path, form: str = "auto") -> tuple[list[ReadItem], list[tuple[ReadItem, str]]]:
    """Read a study folder, one of its tables, or any file or folder of cases or records.

    Args:
        path: file or folder.
        form: one of the formats of `equipoise audit`.

    Returns:
        The patients, each once, and the samples with the id of their patient (none where the records name no samples).

    Raises:
        UsageError: it cannot be read, or holds no patient.
    """
    patients = _once([item for item in read_path(path, form) if not _nobody(item)])
    study = any(item.record is not None and item.record.format == "cbioportal" for item in patients)
    samples = read_samples(path) if study else []
    if not any(item.case is not None for item in patients):
        message = "expected at least one patient: a cBioPortal study folder or table, or a file of cases or records"
        raise UsageError(message, file=str(path))
    return patients, samples


def _nobody(item: ReadItem) -> bool:
    """Whether a record speaks of no patient."""
    return item.record is not None and item.record.nothing is Nothing.NO_PATIENT_DATA


def _once(items: list[ReadItem]) -> list[ReadItem]:
    """One item a patient: of a record with several board sessions (`ID`, `ID/2`), the one with the longest history."""
    kept: dict[str, ReadItem] = {}
    for item in items:
        whose, _, number = item.case_id.rpartition("/")
        again = item.record is not None and number.isdecimal() and whose in kept
        name = whose if again else item.case_id
        if not again or _courses(item) > _courses(kept[name]):
            kept[name] = item
    return list(kept.values())


def _courses(item: ReadItem) -> int:
    return len(item.case.prior_therapies.value or ()) if item.case is not None else -1
