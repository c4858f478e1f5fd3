"""The words of the reports; the sentences of a verdict itself are those of the audit and only handed on."""

from __future__ import annotations

import re
from collections.abc import Mapping

from equipoise.audit.wording import (
    ABSTAINING,
    AVOID,
    NOT_A_DEVICE,
    STANDING_LINE,
    abstention,
    field_words,
    headline,
    readable,
    reason_sentence,
)

__all__ = [
    "ABSTAINING",
    "AVOID",
    "BADGES",
    "NOT_A_DEVICE",
    "RESULTS",
    "STANDING_LINE",
    "abstention",
    "abstention_line",
    "avoided",
    "field_words",
    "headline",
    "readable",
    "reason_sentence",
    "usually_in",
]

BADGES: Mapping[str, str] = {
    "Supported": "supported",
    "Partially Supported": "partially",
    "Unsupported": "unsupported",
    "Insufficient Information": "insufficient",
}
"""Key of the badge of each label: its icon, border and colour."""

RESULTS: Mapping[str, str] = {"satisfied": "met", "violated": "not met", "undetermined": "unknown"}
"""What a criterion comes to, in words."""

_USUALLY_IN: Mapping[str, str] = {
    "age": "registration data",
    "sex": "registration data",
    "ecog": "oncology clinic note",
    "tumor": "pathology report",
    "histology": "pathology report",
    "stage": "staging summary, imaging or surgical report",
    "setting": "board minutes, staging summary",
    "brain_mets": "report of the brain imaging",
    "biomarkers": "molecular pathology report",
    "biomarkers_complete": "molecular pathology report",
    "pdl1": "pathology report (immunohistochemistry)",
    "tmb": "molecular pathology report",
    "msi": "molecular pathology report",
    "prior_therapies": "treatment summary, medication history",
    "conditions": "problem list, medication list",
    "comorbidities": "problem list",
    "comedications": "medication list",
    "qtc_ms": "electrocardiogram",
    "recommendations": "board minutes",
}


def usually_in(field: str) -> str:
    """Where a field of the Case is usually documented; empty when we do not know.

    Args:
        field: path of the field.
    """
    return (
        _USUALLY_IN.get(field)
        or _USUALLY_IN.get(field.partition(".")[0])
        or ("" if ":" not in field else _USUALLY_IN["biomarkers"])
    )


def abstention_line(sentence: str) -> str:
    """The second line of a verdict, from the sentence of its reason.

    Args:
        sentence: a reason as a sentence, with a capital letter and a full stop.
    """
    first, second = sentence[:1], sentence[1:2]
    start = first.lower() if not second.isupper() and not second.isdigit() and second != "-" else first
    return f"Equipoise does not decide this: {start}{sentence[1:]}"


_AVOIDED = re.compile(rf"(?<![\w-])(?:{'|'.join(re.escape(word) for word in AVOID)})(?![\w-])", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"\n]*"|“[^”\n]*”')


def avoided(text: str) -> list[str]:
    """Words of the avoid list in a text of ours, in order; what stands in double quotes is a quotation and does not
    count.

    Args:
        text: any text.
    """
    return [found[0].lower() for found in _AVOIDED.finditer(_QUOTED.sub('""', text))]
