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
        The patients, and the samples with the id of their patient (none where the records name no samples).

    Raises:
        UsageError: it cannot be read, or holds no patient.
    """
    patients = [item for item in read_path(path, form) if not _nobody(item)]
    study = any(item.record is not None and item.record.format == "cbioportal" for item in patients)
    samples = read_samples(path) if study else []
    if not any(item.case is not None for item in patients):
        message = "expected at least one patient: a cBioPortal study folder or table, or a file of cases or records"
        raise UsageError(message, file=str(path))
    return patients, samples


def _nobody(item: ReadItem) -> bool:
    """Whether a record speaks of no patient."""
    return item.record is not None and item.record.nothing is Nothing.NO_PATIENT_DATA
