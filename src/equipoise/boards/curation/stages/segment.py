"""Stage 3: cuts a recording into cases. A person's limits count before the model's, and the model's before those of the rule.

Whatever limits are proposed, they have to be utterances that exist, in order, without overlap. When the model's cannot be used, the rule of
`curation.segment` cuts, and the case says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.boards.curation.answers import entries, read_answer, same_id
from equipoise.boards.curation.own_files import read_yaml
from equipoise.boards.curation.project import Recording
from equipoise.boards.curation.prompts import Prompt, fenced
from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.segment import segment_cases
from equipoise.boards.curation.stages.base import (
    Done,
    Outcome,
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
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role
from equipoise.errors import InputError


def user(prompt: Prompt, cues: Sequence[Row]) -> str:
    """What is asked about a recording."""
    text = "\n".join(f"{row['id']} | {row['speaker']} | {row['text']}" for row in cues)
    return prompt.filled(material=fenced("transcript", text))


def read(unit: str, text: str, ids: Sequence[str]) -> Read:
    """A reply: limits of the cases.

    A case with a limit that does not exist is left out. Cases that overlap or run backwards make all limits unusable, since one would
    take what belongs to another.

    Args:
        unit: the recording.
        text: the reply.
        ids: utterances of the recording, in order.
    """
    answer = read_answer(text, main="cases")
    if answer.value is None:
        return unreadable(unit, answer.why)
    return check_limits(unit, entries(answer.value["cases"]), ids)


def check_limits(unit: str, cases: Sequence[Mapping[str, Any]], ids: Sequence[str]) -> Read:
    """Limits as they were proposed, checked against the utterances that exist."""
    place = {name: number for number, name in enumerate(ids)}
    rows: list[Mapping[str, Any]] = []
    rejects: list[Reject] = []
    last = -1
    for number, case in enumerate(cases, start=1):
        first, end = same_id(case.get("first"), place), same_id(case.get("last"), place)
        value = {"first": str(case.get("first"))[:40], "last": str(case.get("last"))[:40]}
        if not first or not end:
            rejects.append(_reject(unit, number, Reason.LIMITS_UNKNOWN, value))
            continue
        if place[end] < place[first]:
            return _refused(_reject(unit, number, Reason.LIMITS_REVERSED, value))
        if place[first] <= last:
            return _refused(_reject(unit, number, Reason.LIMITS_OVERLAP, value))
        last = place[end]
        rows.append({"first": first, "last": end})
    if not rows:
        why = rejects[0].detail if rejects else "no case was named"
        found = rejects or [Reject(unit=unit, reason=Reason.NO_CASE, detail=why)]
        return Read(rejects=tuple(found), usable=False, why=why)
    return Read(rows=tuple(rows), rejects=tuple(rejects))


_FAULTS: Mapping[Reason, str] = {
    Reason.LIMITS_UNKNOWN: "a limit is no utterance of the transcript",
    Reason.LIMITS_REVERSED: "a case ends before it begins",
    Reason.LIMITS_OVERLAP: "cases overlap, or do not stand in order",
}


def _reject(unit: str, number: int, reason: Reason, value: Any) -> Reject:
    return Reject(unit=unit, item=f"case {number}", reason=reason, detail=_FAULTS[reason], value=value)


def _refused(reject: Reject) -> Read:
    return Read(rejects=(reject,), usable=False, why=reject.detail)


async def run(work: Work) -> Done:
    """Cuts every recording that passed the screen."""
    names = [row["recording"] for row in work.rows("screen/screened")]
    cues = by(work.rows("read/cues"), "recording")
    ids = {name: [row["id"] for row in cues[name]] for name in names}
    assert work.prompt is not None
    prompt = work.prompt
    rejects: list[Reject] = []
    notes: list[str] = []
    person = {
        name: found for name in names if (found := _person(work.project.recording(name), ids[name], rejects, notes))
    }
    outcomes = await ask_units(
        work,
        {name: user(prompt, cues[name]) for name in names if name not in person},
        lambda unit, text: read(unit, text, ids[unit]),
    )
    rows: list[dict[str, Any]] = []
    for name in names:
        limits, by_whom, openings, more = _limits(name, cues[name], person, outcomes)
        rejects.extend(outcomes[name].rejects if name in outcomes else ())
        notes.extend(f"{name}: {note}" for note in more)
        where = {row["id"]: number for number, row in enumerate(cues[name])}
        for number, (limit, opening) in enumerate(zip(limits, openings, strict=True), start=1):
            inside = cues[name][where[limit["first"]] : where[limit["last"]] + 1]
            rows.append(
                {
                    "case": f"{name}-c{number}",
                    "recording": name,
                    "first": limit["first"],
                    "last": limit["last"],
                    "start": inside[0]["start"],
                    "end": max(row["end"] for row in inside),
                    "cues": len(inside),
                    "by": by_whom,
                    "opening": opening,
                }
            )
    return Done(
        tables={"cases": rows},
        rejects=rejects,
        notes=[*notes, *repaired(outcomes)],
        open=unasked(outcomes),
        unit="recordings",
        entered=len(names),
        kept=len({row["recording"] for row in rows}),
    )


def _limits(
    name: str, cues: Sequence[Row], person: Mapping[str, Read], outcomes: Mapping[str, Outcome]
) -> tuple[Sequence[Mapping[str, Any]], str, list[str], list[str]]:
    """Limits, who drew them, the words that opened each case by the rule, and notes."""
    rule = segment_cases(
        [Turn(id=row["id"], speaker=row["speaker"], role=Role.UNKNOWN, text=row["text"]) for row in cues]
    )
    found = person.get(name) or (outcomes[name].read if name in outcomes else None)
    if found is None:
        limits = [{"first": case.first, "last": case.last} for case in rule.cases]
        return limits, "rule", [case.opening for case in rule.cases], list(rule.notes)
    notes = []
    if len(rule.cases) != len(found.rows) and any(case.opening for case in rule.cases):
        notes.append(f"{len(found.rows)} cases were taken, the rule finds {len(rule.cases)}; look at the limits")
    return found.rows, "person" if name in person else "model", [""] * len(found.rows), notes


def _person(item: Recording, ids: Sequence[str], rejects: list[Reject], notes: list[str]) -> Read | None:
    """Limits of the person's file; a case whose limits are wrong is named, and the others count."""
    if item.cases is None:
        return None
    detail = "expected a list of cases with first and last, ids of utterances in order"
    try:
        value = read_yaml(item.cases)
    except InputError:
        rejects.append(Reject(unit=item.name, item=item.cases.name, reason=Reason.FILE_UNREADABLE, detail=detail))
        notes.append(f"{item.cases.name} cannot be read, and nothing of it was taken: {detail}")
        return None
    found = check_limits(item.name, entries(value.get("cases") if isinstance(value, dict) else value), ids)
    rejects.extend(found.rejects)
    notes.extend(f"{item.cases.name}: {one.item or 'all'} was not taken: {one.detail}" for one in found.rejects)
    if found.usable:
        return found
    rejects.append(Reject(unit=item.name, item=item.cases.name, reason=Reason.FILE_UNREADABLE, detail=detail))
    return None


STAGE = Stage(
    number=3,
    id="segment",
    version="2",
    inputs=("read/cues", "screen/screened"),
    run=run,
    prompt="segment",
    files=lambda project: [path for item in project.recordings for path in item.files("cases")],
)
