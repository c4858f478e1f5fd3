"""Audited cases of every label, by the shipped evidence."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import Verdict
from equipoise.cases.formats.own import read_case
from equipoise.cases.model import Case

AS_OF = dt.date(2026, 11, 30)
DATA: dict[str, Any] = {
    "case_id": "demo-1",
    "tumor": "NSCLC",
    "histology": "adenocarcinoma",
    "stage": "IVB",
    "ecog": 1,
    "brain_mets": True,
    "prior_therapies": "none",
    "biomarkers": ["EGFR L858R", {"name": "ALK fusion", "status": "absent"}],
    "recommendations": [
        {"id": "r1", "regimen": "osimertinib"},
        {"id": "r2", "regimen": "alectinib"},
        {"id": "r3", "regimen": "sotorasib"},
        {"id": "r4", "regimen": "amivantamab + carboplatin + pemetrexed"},
        {"id": "r5", "kind": "trial", "text": "NCT00000000"},
    ],
}
OPEN: dict[str, Any] = {
    "case_id": "demo-2",
    "tumor": "NSCLC",
    "stage": "IV",
    "ecog": 3,
    "recommendations": ["osimertinib", "sotorasib"],
}


def audited(data: dict[str, Any]) -> tuple[Case, tuple[Verdict, ...]]:
    case = read_case(data)
    return case, Auditor(as_of=AS_OF).audit(case)


@pytest.fixture(scope="session")
def decided() -> tuple[Case, tuple[Verdict, ...]]:
    """A case with five recommendations: supported, unsupported, and one that is no drug."""
    return audited(DATA)


@pytest.fixture(scope="session")
def undecided() -> tuple[Case, tuple[Verdict, ...]]:
    """A case that lacks what decides."""
    return audited(OPEN)
