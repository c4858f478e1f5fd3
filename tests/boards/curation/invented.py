"""Invented recordings of all formats, and honest replies to every stage, to be spoiled by a test."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Line = tuple[str, str]

PATIENTS = (("Maeve", "Brannigan"), ("José", "Muñoz"), ("Anneliese", "Größmann"), ("Pádraig", "O'Shaughnessy"), ("Ilse", "Hölscher"),
            ("Marek", "Lindqvist"))  # fmt: skip
SITES = (
    ("right upper lobe", "EGFR", "osimertinib"),
    ("left breast", "HER2", "trastuzumab"),
    ("sigmoid colon", "KRAS", "panitumumab"),
)
OPENINGS = ("first", "next", "last")


def spoken(number: int, cases: int = 1) -> list[Line]:
    """What is said in a meeting: a greeting, and seven utterances a case."""
    lines = [("SPEAKER_00", "Good morning everybody, welcome to the board.")]
    for place in range(cases):
        given, surname = PATIENTS[(number + place) % len(PATIENTS)]
        site, gene, drug = SITES[(number + place) % len(SITES)]
        age, size, dose = 50 + 3 * number + place, 20 + 2 * number + place, 40 + 2 * number
        lines += [
            ("SPEAKER_00", f"The {OPENINGS[place]} patient is Mr. {surname}, {age} years old, record number MRN {4400000 + 10 * number}."),
            ("SPEAKER_01", f"The CT shows a mass of {size} millimeters in the {site} without any distant disease that I can see."),
            ("SPEAKER_02", f"Histology is an adenocarcinoma, and the panel found a {gene} alteration in the sample of {given} {surname}."),
            ("SPEAKER_00", "What would you offer?"),
            ("SPEAKER_03", f"I would not operate here. I would offer radiation with {dose} gray and then {drug}, "
                           "unless the heart is weak."),
            ("SPEAKER_01", f"I agree with that. An echocardiogram should be done before {drug} is started, if we can."),
            ("SPEAKER_00", f"So the plan is radiation with {dose} gray and then {drug}, no surgery, and an echocardiogram first."),
        ]  # fmt: skip
    return lines


def stamp(seconds: float, sign: str = ".") -> str:
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole % 3600 // 60:02d}:{whole % 60:02d}{sign}{round((seconds - whole) * 1000):03d}"


def vtt(lines: Sequence[Line], *, step: float = 4.0, end: str = "\n", bom: bool = False, hours: bool = True) -> bytes:
    rows = ["WEBVTT", ""]
    for place, (speaker, text) in enumerate(lines):
        first, last = (stamp(step * one)[0 if hours else 3 :] for one in (place, place + 1))
        rows += [f"{first} --> {last}", f"<v {speaker}>{text}", ""]
    return (("\ufeff" if bom else "") + end.join(rows)).encode()


def srt(lines: Sequence[Line]) -> bytes:
    rows = []
    for place, (speaker, text) in enumerate(lines):
        first, last = (stamp(4.0 * one, ",") for one in (place, place + 1))
        rows += [str(place + 1), f"{first} --> {last}", f"[{speaker}]: <i>{text}</i>", ""]
    return "\r\n".join(rows).encode()


def whisperx(lines: Sequence[Line]) -> bytes:
    rows = [
        {"start": 4.0 * place, "end": 4.0 * place + 4, "text": f" {text}", "speaker": speaker,
         "words": [{"word": word} for word in text.split()]}
        for place, (speaker, text) in enumerate(lines)
    ]  # fmt: skip
    return json.dumps({"segments": rows}, ensure_ascii=False).encode()


def honest(name: str, number: int, cases: int = 1) -> list[dict[str, Any]]:
    """A sound reply to every stage, as `--replies` takes them."""
    rows: list[tuple[str, str, Any]] = [
        ("screen", name, {"case_presentation": True, "confidence": 0.9, "reason": "Patients are presented."}),
        ("segment", name, {"cases": [{"first": f"u{7 * place + 2:04d}", "last": f"u{7 * place + 8:04d}"} for place in range(cases)]}),
        ("roles", name, {"roles": [
            {"speaker": "SPEAKER_00", "role": "moderator", "quote": "welcome to the board"},
            {"speaker": "SPEAKER_01", "role": "radiologist", "quote": "The CT shows a mass"},
            {"speaker": "SPEAKER_02", "role": "pathologist", "quote": "Histology is an adenocarcinoma"},
            {"speaker": "SPEAKER_03", "role": "medical oncologist", "quote": "I would not operate here."}]}),
    ]  # fmt: skip
    for place in range(cases):
        rows += [(stage, f"{name}-c{place + 1}", reply) for stage, reply in _case(number, place).items()]
    return [{"stage": stage, "unit": unit, "reply": json.dumps(reply)} for stage, unit, reply in rows]


def _case(number: int, place: int) -> dict[str, Any]:
    site, gene, drug = SITES[(number + place) % len(SITES)]
    age, size, dose = 50 + 3 * number + place, 20 + 2 * number + place, 40 + 2 * number
    ids = [f"u{7 * place + 2 + item:04d}" for item in range(7)]
    plan = f"radiation with {dose} gray and then {drug}"
    sentences = {
        "Demographics": (f"A patient {age} years old.", ids[0]),
        "Imaging": (f"CT shows a mass of {size} mm in the {site}.", ids[1]),
        "Histopathology": (f"Adenocarcinoma with a {gene} alteration.", ids[2]),
        "Other": (f"The board recommends {plan}.", ids[6]),
    }
    return {
        "summary": {"sections": [{"heading": name, "sentences": [{"text": text, "utterances": [turn]}]}
                                 for name, (text, turn) in sentences.items()]},
        "questions": {"questions": [
            {"utterance": ids[4], "type": "treatment_recommendation", "question": "Which treatment would you offer this patient?",
             "quote": f"I would offer {plan}, unless the heart is weak.", "asked_in": ids[3]},
            {"utterance": ids[1], "type": "findings_interpretation", "question": "What does the imaging show?",
             "quote": f"The CT shows a mass of {size} millimeters in the {site}"}]},
        "review": {"reviews": [{"id": "q01", "action": "keep"}, {"id": "q02", "action": "keep"}]},
        "conclusion": {
            "conclusion": f"{plan.capitalize()}, no surgery, and an echocardiogram first.",
            "quotes": [{"utterance": ids[6], "quote": f"So the plan is {plan}, no surgery, and an echocardiogram first."}],
            "disposition": "decided",
            "decisions": [
                {"kind": "therapy", "scope": "positive", "text": plan, "utterance": ids[6], "quote": plan},
                {"kind": "surgery", "scope": "negative", "text": "no surgery", "utterance": ids[6], "quote": "no surgery"},
                {"kind": "next_action", "scope": "positive", "text": "an echocardiogram first", "utterance": ids[6],
                 "quote": "an echocardiogram first"},
                {"kind": "clinical_trial", "scope": "absent"}]},
        "deleak": {"deletions": [{"id": "s04", "words": None, "class": "recommendation", "utterance": ids[6]}]},
    }  # fmt: skip


FORMATS: tuple[tuple[str, str, int, Callable[[Sequence[Line]], bytes]], ...] = (
    ("morning", ".vtt", 2, lambda lines: vtt(lines, end="\r\n", bom=True, hours=False)),
    ("klinik-süd", ".srt", 1, srt),
    ("whisper", ".json", 3, whisperx),
    ("plain", ".vtt", 2, vtt),
    ("old-mac", ".vtt", 1, lambda lines: vtt(lines, end="\r")),
    ("Brannigan_Maeve", ".vtt", 2, vtt),
)
"""Name, ending, number of cases and writer of six recordings."""


def recordings(folder: Path, *, names: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Writes the six recordings, or those named, into a new folder, and returns honest replies to all stages."""
    folder.mkdir()
    replies = []
    for number, (name, ending, cases, write) in enumerate(FORMATS):
        if not names or name in names:
            (folder / f"{name}{ending}").write_bytes(write(spoken(number, cases)))
            replies += honest(name, number, cases)
    return replies


def spoiled(replies: list[dict[str, Any]], stage: str, change: Callable[[dict[str, Any]], Any]) -> list[dict[str, Any]]:
    """The replies with those of one stage changed."""
    found = []
    for row in replies:
        if row["stage"] == stage:
            new = change(json.loads(row["reply"]))
            row = {**row, "reply": new if isinstance(new, str) else json.dumps(new)}
        found.append(row)
    return found
