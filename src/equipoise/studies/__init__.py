"""Published studies, reproduced from their released rows: published figure, own figure, difference, what to add.

Reads only files under the data directory it is given; ships none of them.
"""

from __future__ import annotations

from pathlib import Path

from equipoise.errors import UsageError
from equipoise.studies import iatrobench, missing_info, openmtb, refusalbench, xstest
from equipoise.studies.base import DataFile, Follows, Reproduction, Row, Source, Study, run_study
from equipoise.studies.runs import study_run

STUDIES: tuple[Study, ...] = (
    openmtb.STUDY,
    missing_info.STUDY,
    xstest.STUDY,
    iatrobench.STUDY,
    refusalbench.STUDY,
)
"""In the order of the reports."""

SEED = 42
"""Seed unless the caller says otherwise."""


def study(study_id: str) -> Study:
    """The study of an identifier.

    Raises:
        UsageError: there is none; the text lists those there are.
    """
    for item in STUDIES:
        if item.id == study_id:
            return item
    message = f"there is no study {study_id!r}; there are {', '.join(item.id for item in STUDIES)}"
    raise UsageError(message)


def reproduce(study_id: str, data: str | Path, *, seed: int = SEED) -> Reproduction:
    """Reproduces a study from the files under a data directory.

    Args:
        study_id: identifier of the study.
        data: directory with one folder a study (`Study.folder`).
        seed: seed of the random generator; the same seed gives the same rows.

    Returns:
        The rows, with the hashes of the files read.

    Raises:
        UsageError: there is no such study, or a file is missing; the text says where to get it.
        InputError: a file is of another form.
    """
    return run_study(study(study_id), data, seed=seed)


__all__ = [
    "SEED",
    "STUDIES",
    "DataFile",
    "Follows",
    "Reproduction",
    "Row",
    "Source",
    "Study",
    "reproduce",
    "study",
    "study_run",
]
