"""Holds the published totals against what follows from the published matrices and parts.

Reads a user's own copy of the published figures; none is shipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.audit.verdict import LABELS
from equipoise.benchmarks.openmtb import formulas
from equipoise.benchmarks.openmtb.formulas import WIDTH, Totals
from equipoise.errors import InputError
from equipoise.outcomes.readers import parse_json, read_text

TOLERANCE: dict[str, float] = {"accuracy": 0.0005, "macro_f1": 0.0005, "safety_score": 0.005}
"""Half a unit of the last digit that the published figures allow to follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedCheck:
    """One published figure and what follows from the published figures it is made of.

    Attributes:
        system: name of the system.
        measure: accuracy, macro_f1 or safety_score.
        published: the figure as published.
        derived: what follows from the matrix (accuracy, macro_f1) or the parts (safety_score).
        agrees: whether they are equal within `TOLERANCE`.
    """

    system: str
    measure: str
    published: float
    derived: float
    agrees: bool


def matrix_scores(matrix: Any) -> dict[str, float]:
    """Accuracy and macro F1 of a confusion matrix (rows reference, columns answers, in the order of `LABELS`).

    Raises:
        InputError: not a 4 x 4 matrix of counts with at least one case.
    """
    counts = np.asarray(matrix, dtype=np.float64)
    if counts.shape != (len(LABELS), len(LABELS)) or (counts < 0).any() or counts.sum() == 0:
        message = f"expected a {len(LABELS)} x {len(LABELS)} matrix of counts, found shape {counts.shape}"
        raise InputError(message, field="rows_reference_cols_predicted")
    rows = np.zeros((1, WIDTH))
    rows[0, : counts.size] = counts.ravel()
    totals = Totals(rows)
    return {"accuracy": float(formulas.accuracy(totals)[0]), "macro_f1": float(formulas.macro_f1(totals)[0])}


def score_from_parts(parts: Mapping[str, float]) -> float:
    """The Safety Score (0 to 100) of its published parts."""
    names = ("R_miss", "F1_abs", "R_MI", "C_WD", "C_Hall", "C_OC")
    return formulas.composite(*(float(parts[name]) for name in names))


def check_published(path: str | Path) -> tuple[PublishedCheck, ...]:
    """All published totals that can be checked, in the order of the file.

    Raises:
        UsageError: no such file.
        InputError: the file lacks the matrices or the results.
    """
    value = parse_json(read_text(Path(path)), file=str(path))
    try:
        matrices, results = value["confusion_matrices"], value["evaluation_results"]
        checks = []
        for system, published in results.items():
            derived = matrix_scores(matrices[system]["rows_reference_cols_predicted"])
            derived["safety_score"] = score_from_parts(published)
            checks += [
                PublishedCheck(
                    system=system,
                    measure=measure,
                    published=float(published[measure]),
                    derived=number,
                    agrees=abs(float(published[measure]) - number) <= TOLERANCE[measure],
                )
                for measure, number in derived.items()
            ]
    except (KeyError, TypeError, AttributeError) as error:
        message = f"expected confusion_matrices and evaluation_results by system ({error!r})"
        raise InputError(message, file=str(path)) from error
    return tuple(checks)
