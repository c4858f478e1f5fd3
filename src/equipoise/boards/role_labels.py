"""Which of the roles a speaker's label names, as models and transcripts write it.

Only specialties that are a role under another name are mapped; every other clinician is `other`.
"""

from __future__ import annotations

import re

from equipoise.boards.vocabulary import Role, role_of

_SIGNS = re.compile(r"[*_\[\]`#\"]+")
_PARENTHESES = re.compile(r"\(([^()]{1,60})\)")
_NOT_DOCTORS = re.compile(r"\bspeech\b")
_ENDINGS: tuple[tuple[str, Role], ...] = (
    ("molecular pathologist", Role.MOLECULAR_PATHOLOGIST),
    ("molecular pathology", Role.MOLECULAR_PATHOLOGIST),
    ("medical oncologist", Role.MEDICAL_ONCOLOGIST),
    ("medical oncology", Role.MEDICAL_ONCOLOGIST),
    ("radiation oncologist", Role.RADIATION_ONCOLOGIST),
    ("radiation oncology", Role.RADIATION_ONCOLOGIST),
    ("surgical oncologist", Role.SURGEON),
    ("surgical oncology", Role.SURGEON),
    ("surgeon", Role.SURGEON),
    ("surgery", Role.SURGEON),
    ("radiologist", Role.RADIOLOGIST),
    ("radiology", Role.RADIOLOGIST),
    ("pathologist", Role.PATHOLOGIST),
    ("pathology", Role.PATHOLOGIST),
    ("genetic counselor", Role.GENETIC_COUNSELOR),
    ("genetic counsellor", Role.GENETIC_COUNSELOR),
    ("clinical trial specialist", Role.CLINICAL_TRIAL_SPECIALIST),
    ("clinical trials specialist", Role.CLINICAL_TRIAL_SPECIALIST),
    ("nurse navigator", Role.NURSE_NAVIGATOR),
    ("patient navigator", Role.NURSE_NAVIGATOR),
    ("moderator", Role.MODERATOR),
    ("chair", Role.MODERATOR),
    ("chairperson", Role.MODERATOR),
)
"""Ends of labels, the longer before the shorter that it holds."""


def role_from_label(label: str) -> Role:
    """The role a label names; `unknown` for an empty one, `other` for one that names none.

    A label may carry a name beside the role ("Dr. Lee (Surgeon)", "Surgeon (Dr. Lee)") and marks of formatting.
    """
    plain = " ".join(_SIGNS.sub(" ", label).split())
    if not plain:
        return Role.UNKNOWN
    outside = " ".join(_PARENTHESES.sub(" ", plain).split())
    for text in (plain, outside, *_PARENTHESES.findall(plain)):
        found = _named(text)
        if found is not None:
            return found
    return Role.OTHER


def _named(text: str) -> Role | None:
    found = role_of(text)
    if found is not None:
        return found
    lowered = " ".join(text.replace("-", " ").replace("_", " ").split()).casefold()
    if _NOT_DOCTORS.search(lowered):
        return None
    return next((role for ending, role in _ENDINGS if lowered.endswith(ending)), None)
