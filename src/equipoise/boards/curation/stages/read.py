"""Stage 1: reads the transcripts. A broken cue is left out and named by its place; a broken file costs no other."""

from __future__ import annotations

from typing import Any

from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.stages.base import Done, Reject, Stage, Work
from equipoise.boards.curation.transcripts import UNKNOWN, read_transcript
from equipoise.errors import InputError


async def run(work: Work) -> Done:
    """Reads every transcript of the folder."""
    cues: list[dict[str, Any]] = []
    recordings: list[dict[str, Any]] = []
    rejects: list[Reject] = []
    notes: list[str] = list(work.project.notes)
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
        if loaded.sha256 in seen:
            detail = f"the file is the same, byte for byte, as that of {seen[loaded.sha256]}"
            rejects.append(Reject(unit=item.name, reason=Reason.SAME_TRANSCRIPT, detail=detail))
            continue
        seen[loaded.sha256] = item.name
        notes.extend(f"{item.name}: {note}" for note in loaded.notes)
        cues.extend(
            {
                "recording": item.name,
                "id": f"u{place:04d}",
                "speaker": cue.speaker,
                "start": cue.start,
                "end": cue.end,
                "text": cue.text,
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
                "speakers": sorted({cue.speaker for cue in loaded.items}),
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
    version="1",
    inputs=(),
    run=run,
    files=lambda project: [item.transcript for item in project.recordings],
)
