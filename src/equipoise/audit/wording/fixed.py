"""What every verdict says in the same words, and the words that none of our own strings uses."""

from __future__ import annotations

STANDING_LINE = (
    "Compares a documented recommendation with dated sources. It does not examine the patient, choose treatment,"
    " or replace the board. Read the sources."
)
"""What every verdict page says once, in its footer."""

NOT_A_DEVICE = "Equipoise is research software and not a medical device."
"""Said once wherever a verdict is shown to a reader."""

AVOID: tuple[str, ...] = (
    "safe", "unsafe", "recommended by", "approved by", "endorsed", "endorses", "should", "must", "give", "stop",
    "no evidence", "confirmed", "proven", "guarantees", "guaranteed", "eligible", "ineligible", "contraindicated",
    "guideline-concordant", "ai thinks", "confident", "confidence", "failed", "clinician error", "physician error",
    "best model", "winner", "passed",
)  # fmt: skip
"""Lower-case words and phrases, matched whole, that our own strings do not use; quotes of an input or a source may."""
