"""Stored replies for the exam's meeting: a summary with the exam's planted leaks, and what a model could answer at each stage."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boards.curation.exam import EXAM, read

CASES = ("meeting-c1", "meeting-c2")
LIMITS = (("u0006", "u0040"), ("u0043", "u0064"))

QUESTIONS: Mapping[str, list[dict[str, Any]]] = {
    "meeting-c1": [
        {"utterance": "u0013", "type": "findings_interpretation", "question": "What does the CT of the chest show in the right upper lobe?",
         "quote": "There is a mass of forty-two millimetres in the right upper lobe.", "asked_in": None},
        {"utterance": "u0027", "type": "treatment_recommendation", "question": "Which dose of radiation would you give?",
         "quote": "For the radiation I would give sixty gray in thirty fractions, together with the chemotherapy.", "asked_in": None},
        {"utterance": "u0024", "type": "treatment_recommendation", "question": "Would you give immunotherapy after the radiation?",
         "quote": "With an EGFR mutation I want immunotherapy after the radiation.", "asked_in": None},
    ],
    "meeting-c2": [
        {"utterance": "u0056", "type": "treatment_recommendation", "question": "Has chemotherapy a role in this man?",
         "quote": "There is no role for chemotherapy here.", "asked_in": None},
        {"utterance": "u0058", "type": "next_action_suggestion", "question": "Is a PSMA PET wanted before radiation?",
         "quote": "With a grade group of three I would order a PSMA PET first, to exclude nodes.", "asked_in": "u0057"},
    ],
}  # fmt: skip
"""The third of the first case is no quote: the negation was dropped."""

PLAN = "concurrent chemoradiation with sixty gray, and then osimertinib if she has not progressed"
RADIATION = "If it is negative, radiation with six months of androgen deprivation."
CONCLUSIONS: Mapping[str, dict[str, Any]] = {
    "meeting-c1": {
        "conclusion": "Concurrent chemoradiation with sixty gray, and then osimertinib if she has not progressed. No surgery, and an "
        "echocardiogram before osimertinib.",
        "quotes": [{"utterance": "u0035", "quote": PLAN}],
        "disposition": "decided",
        "decisions": [
            {"kind": "therapy", "scope": "positive", "text": PLAN, "utterance": "u0035", "quote": PLAN},
            {"kind": "surgery", "scope": "negative", "text": "no surgery", "utterance": "u0035", "quote": "No surgery"},
            {"kind": "next_action", "scope": "positive", "text": "an echocardiogram before osimertinib", "utterance": "u0035",
             "quote": "an echocardiogram before osimertinib"},
            {"kind": "clinical_trial", "scope": "absent", "text": "", "utterance": None, "quote": None},
        ],
    },
    "meeting-c2": {
        "conclusion": "PSMA PET first. If it is negative, radiation with six months of androgen deprivation. Surgery stays an "
        "alternative if he changes his mind.",
        "quotes": [{"utterance": "u0061", "quote": f"PSMA PET first. {RADIATION}"}],
        "disposition": "decided",
        "decisions": [
            {"kind": "therapy", "scope": "positive", "text": "radiation with androgen deprivation if the PSMA PET is negative",
             "utterance": "u0061", "quote": RADIATION},
            {"kind": "next_action", "scope": "positive", "text": "PSMA PET first", "utterance": "u0061", "quote": "PSMA PET first."},
        ],
    },
}  # fmt: skip


REVIEWS: Mapping[str, list[dict[str, Any]]] = {
    "meeting-c1": [
        {"id": "q01", "action": "keep", "reason": None, "question": None},
        {"id": "q02", "action": "rephrase", "reason": None, "question": "Which dose of radiation, in how many fractions, would you give?"},
    ],
    "meeting-c2": [
        {"id": "q01", "action": "keep", "reason": None, "question": None},
        {"id": "q02", "action": "drop", "reason": "because", "question": None},
    ],
}  # fmt: skip
OVERREACH: Mapping[str, tuple[str, ...]] = {"meeting-c1": ("caption s4", "s11"), "meeting-c2": ("s03",)}
"""Beside the leaks a caption that tells the plan, and sentences that were presented and must stay."""


def rows() -> list[dict[str, Any]]:
    """One reply a stage and unit, as `--replies` takes them."""
    expected = read("expected.yaml")
    roles = {**expected["roles"], "SPEAKER_01": expected["mislabelled"]["given"]}
    found = [
        ("screen", "meeting", {"case_presentation": True, "confidence": 0.9, "reason": "Two patients are presented."}),
        ("segment", "meeting", {"cases": [{"first": first, "last": last} for first, last in LIMITS]}),
        ("roles", "meeting", {"roles": [{"speaker": name, "role": role, "quote": QUOTES[name]} for name, role in roles.items()]}),
    ]  # fmt: skip
    spoken = {
        "meeting-c1": ["u0006", "u0013", "u0019", "u0021", "u0022", "u0027", "u0033", "u0035"],
        "meeting-c2": ["u0043", "u0048", "u0052", "u0054", "u0056", "u0058", "u0061"],
    }
    for case, item in zip(CASES, expected["summaries"], strict=True):
        sentences = [{"text": one["text"], "utterances": spoken[case]} for one in item["sentences"]]
        ids = {f"s{number:02d}": one["label"] for number, one in enumerate(item["sentences"], start=1)}
        deletions = [
            {"id": name, "words": None, "class": "recommendation", "utterance": None}
            for name, label in ids.items()
            if label == "leak"
        ]
        deletions += [
            {"id": name, "words": None, "class": "restatement", "utterance": None} for name in OVERREACH[case]
        ]
        found.append(("summary", case, {"sections": [{"heading": "Other", "sentences": sentences}]}))
        found.append(("questions", case, {"questions": QUESTIONS[case]}))
        found.append(("conclusion", case, CONCLUSIONS[case]))
        found.append(("review", case, {"reviews": REVIEWS[case]}))
        found.append(("deleak", case, {"deletions": deletions}))
    return [{"stage": stage, "unit": unit, "reply": json.dumps(reply)} for stage, unit, reply in found]


QUOTES: Mapping[str, str] = {
    "SPEAKER_00": "The first patient is",
    "SPEAKER_01": "This is the CT of the chest.",
    "SPEAKER_02": "is not a case for upfront surgery.",
    "SPEAKER_03": "osimertinib can lower the ejection fraction",
    "SPEAKER_04": "The mean lung dose will stay under twenty gray.",
}


def folder_with(place: Path, *, roles: bool = True) -> Path:
    """A folder with the exam's meeting, its slides and, if wanted, the file that puts the mislabelled speaker right."""
    place.mkdir()
    shutil.copy(EXAM / "meeting.vtt", place / "meeting.vtt")
    shutil.copy(EXAM / "slides.json", place / "slides.json")
    if roles:
        shutil.copy(EXAM / "roles_corrected.csv", place / "roles.csv")
    return place
