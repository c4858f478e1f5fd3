"""The case, the note and the day of the service's tests; all invented."""

from __future__ import annotations

import datetime as dt

TODAY = dt.date(2026, 11, 1)
CASE = {
    "case_id": "patient-4711",
    "tumor": "NSCLC",
    "histology": "adenocarcinoma",
    "stage": "IVB",
    "setting": "metastatic",
    "ecog": 1,
    "biomarkers": ["EGFR L858R"],
    "prior_therapies": [],
    "recommendations": ["osimertinib"],
}
NOTE = (
    "62-year-old woman, stage IVB lung adenocarcinoma, ECOG 1. EGFR L858R detected. No prior systemic therapy.\n"
    "Recommendation: osimertinib."
)
