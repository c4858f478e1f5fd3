"""Stage 1: reads the transcripts. A broken cue is left out and named by its place; a broken file costs no other."""

from __future__ import annotations

import re
from typing import Any
from unicodedata import normalize

from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.stages.base import Done, Reject, Stage, Work
from equipoise.boards.curation.transcripts import UNKNOWN, read_transcript
from equipoise.errors import InputError
from equipoise.ids import text_hash

_COMMON = frozenset(
    "the of and to in a is that it was for with on we she he i this no not but there are be have has".split()
)
"""Words that make up more than a fifth of spoken English."""
_ENOUGH, _SHARE = 40, 0.1


def foreign(text: str) -> bool:
    """Whether a text of some length holds too few of the commonest English words to be English."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return len(words) >= _ENOUGH and sum(word in _COMMON for word in words) < _SHARE * len(words)


async def run(work: Work) -> Done:
    """Reads every transcript of the folder."""
    cues: list[dict[str, Any]] = []
    recordings: list[dict[str, Any]] = []
    rejects: list[Reject] = []
    notes: list[str] = []
    seen: dict[str, str] = {}
    for item in work.project.recordings:
        try:
            loaded = read_transcript(item.transcript)
        except InputError as error:
            detail = f"{error.message} (line {error.line})" if error.line else error.message
            rejects.append(Reject(unit=item.name, reason=Reason.TRANSCRIPT_UNREADABLE, detail=detail))
            continue
        for problem in loaded.problems:
            place = f"line {problem.line}" if problem.line else problem.field or ""
            if place:
                rejects.append(Reject(unit=item.name, item=place, reason=Reason.CUE_UNREADABLE, detail=problem.message))
        if not loaded.items:
            detail = "there is no cue that could be read"
            rejects.append(Reject(unit=item.name, reason=Reason.TRANSCRIPT_EMPTY, detail=detail))
            continue
        spoken = text_hash(" ".join(" ".join(cue.text.casefold() for cue in loaded.items).split()))
        if spoken in seen:
            detail = f"what is said is the same, word for word, as in {seen[spoken]}"
            rejects.append(Reject(unit=item.name, reason=Reason.SAME_TRANSCRIPT, detail=detail))
            continue
        seen[spoken] = item.name
        notes.extend(f"{item.name}: {note}" for note in loaded.notes)
        if foreign(" ".join(cue.text for cue in loaded.items)):
            notes.append(
                f"{item.name}: does not look like English; the rules for numbers, negations, leaks and identifiers know English "
                "only, so its cases and its names need a person"
            )
        cues.extend(
            {
                "recording": item.name,
                "id": f"u{place:04d}",
                "speaker": normalize("NFC", cue.speaker),
                "start": cue.start,
                "end": cue.end,
                "text": normalize("NFC", cue.text),
            }
            for place, cue in enumerate(loaded.items, start=1)
        )
        recordings.append(
            {
                "recording": item.name,
                "file": item.transcript.name,
                "sha256": loaded.sha256,
                "cues": len(loaded.items),
                "unnamed": sum(cue.speaker == UNKNOWN for cue in loaded.items),
                "speakers": sorted({normalize("NFC", cue.speaker) for cue in loaded.items}),
                "unreadable": len(loaded.problems),
            }
        )
    return Done(
        tables={"cues": cues, "recordings": recordings},
        rejects=rejects,
        notes=notes,
        unit="recordings",
        entered=len(work.project.recordings),
        kept=len(recordings),
    )


STAGE = Stage(
    number=1,
    id="read",
    version="2",
    inputs=(),
    run=run,
    files=lambda project: [item.transcript for item in project.recordings],
)
