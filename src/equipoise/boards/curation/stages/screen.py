"""Stage 2: is a recording a presentation of cases? A person's word (`screen.yaml`: recording: keep or drop) counts before the model's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.boards.curation.answers import plain, read_answer
from equipoise.boards.curation.own_files import read_yaml
from equipoise.boards.curation.project import Project
from equipoise.boards.curation.prompts import Prompt, fenced
from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.stages.base import (
    Done,
    Read,
    Reject,
    Stage,
    Work,
    ask_units,
    repaired,
    unasked,
    unreadable,
)
from equipoise.boards.curation.stages.rows import Row, by
from equipoise.errors import InputError

FIRST, SAMPLED, LONGEST = 40, 40, 12_000
"""Cues from the start that are shown, cues spread over the rest, characters at most."""


def user(prompt: Prompt, cues: Sequence[Row]) -> str:
    """What is asked about a recording."""
    rest = cues[FIRST:]
    step = max(1, len(rest) // SAMPLED)
    sample = [*cues[:FIRST], *rest[::step]]
    text = "\n".join(f"{row['id']} | {row['text']}" for row in sample)
    return prompt.filled(material=fenced("transcript", text[:LONGEST]))


def read(unit: str, text: str) -> Read:
    """A reply: whether it is a presentation, how sure, why."""
    answer = read_answer(text, main="case_presentation")
    if answer.value is None:
        return unreadable(unit, answer.why)
    said, sure = answer.value["case_presentation"], answer.value.get("confidence")
    if not isinstance(said, bool):
        return unreadable(unit, "case_presentation is neither true nor false")
    if not isinstance(sure, int | float) or isinstance(sure, bool) or not 0 <= sure <= 1:
        return unreadable(unit, "confidence is no number from 0 to 1")
    row = {"case_presentation": said, "confidence": sure, "why": plain(answer.value.get("reason"))}
    return Read(rows=(row,))


async def run(work: Work) -> Done:
    """Screens every recording; one that cannot be screened goes on, and says so."""
    recordings = [row["recording"] for row in work.rows("read/recordings")]
    cues = by(work.rows("read/cues"), "recording")
    rejects: list[Reject] = []
    notes: list[str] = []
    person = _person(work.project, recordings, rejects, notes)
    assert work.prompt is not None
    prompt = work.prompt
    outcomes = await ask_units(
        work, {name: user(prompt, cues[name]) for name in recordings if name not in person}, read
    )
    kept: list[dict[str, Any]] = []
    for name in recordings:
        if name in person:
            if person[name]:
                kept.append({"recording": name, "by": "person", "confidence": None, "why": ""})
            else:
                rejects.append(Reject(unit=name, reason=Reason.DROPPED_BY_PERSON, detail="screen.yaml says drop"))
            continue
        outcome = outcomes[name]
        rejects.extend(outcome.rejects)
        found = outcome.read.rows[0] if outcome.read else None
        if found is None:
            kept.append({"recording": name, "by": "nobody", "confidence": None, "why": ""})
        elif found["case_presentation"]:
            kept.append({"recording": name, "by": "model", "confidence": found["confidence"], "why": found["why"]})
        else:
            detail = "the model says so; write keep for it into screen.yaml when it is one"
            rejects.append(Reject(unit=name, reason=Reason.NOT_A_CASE_PRESENTATION, detail=detail, value=found["why"]))
    unscreened = sum(row["by"] == "nobody" for row in kept)
    if unscreened:
        notes.append(f"{unscreened} recordings went on without being screened")
    return Done(
        tables={"screened": kept},
        rejects=rejects,
        notes=[*notes, *repaired(outcomes)],
        open=unasked(outcomes),
        unit="recordings",
        entered=len(recordings),
        kept=len(kept),
    )


def _person(project: Project, recordings: Sequence[str], rejects: list[Reject], notes: list[str]) -> Mapping[str, bool]:
    if project.screen is None:
        return {}
    found = {}
    try:
        value = read_yaml(project.screen)
        if not isinstance(value, dict):
            message = "expected lines of the form recording: keep"
            raise InputError(message)
    except InputError:
        detail = "expected lines of the form recording: keep, or drop"
        rejects.append(Reject(unit=project.screen.name, reason=Reason.FILE_UNREADABLE, detail=detail))
        notes.append(f"{project.screen.name} cannot be read, and nothing of it was taken: {detail}")
        return {}
    for place, (name, word) in enumerate(value.items(), start=1):
        if str(name) in recordings and word in ("keep", "drop"):
            found[str(name)] = word == "keep"
        else:
            detail = "expected the name of a recording, and keep or drop"
            item = f"entry {place}"
            rejects.append(Reject(unit=project.screen.name, item=item, reason=Reason.FILE_UNREADABLE, detail=detail))
            notes.append(f"{project.screen.name}, {item} was not taken: {detail}")
    return found


STAGE = Stage(
    number=2,
    id="screen",
    version="2",
    inputs=("read/cues", "read/recordings"),
    run=run,
    prompt="screen",
    files=lambda project: [project.screen] if project.screen else [],
)
