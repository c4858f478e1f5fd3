"""Stage 4: who has which role. A person's file always wins; the model's proposal stands beside it, and a difference is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.boards.curation.answers import entries, plain, read_answer
from equipoise.boards.curation.project import Recording
from equipoise.boards.curation.prompts import Prompt, fenced
from equipoise.boards.curation.quotes import QuoteState, check_quote
from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.roles import role_lines
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
from equipoise.boards.curation.stages.rows import Row, between, by, joined, turn_row
from equipoise.boards.curation.transcripts import UNKNOWN
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role, role_of
from equipoise.errors import InputError

OF_EACH = 1_500
"""Characters of a speaker that are shown."""

LABELS: Mapping[str, Role] = {
    "surgery": Role.SURGEON,
    "oncology": Role.MEDICAL_ONCOLOGIST,
    "medical oncology": Role.MEDICAL_ONCOLOGIST,
    "radiation oncology": Role.RADIATION_ONCOLOGIST,
    "radiology": Role.RADIOLOGIST,
    "pathology": Role.PATHOLOGIST,
    "molecular pathology": Role.MOLECULAR_PATHOLOGIST,
    "genetics": Role.GENETIC_COUNSELOR,
    "chair": Role.MODERATOR,
}
"""Names of departments that stand as labels of speakers; the names of the roles are read too."""


def label_role(label: str) -> Role | None:
    """The role that a speaker's label names; None when it names none."""
    return role_of(label) or LABELS.get(" ".join(label.replace("_", " ").split()).casefold())


def user(prompt: Prompt, cues: Sequence[Row]) -> str:
    """What is asked about a recording."""
    parts = []
    for speaker, rows in by(cues, "speaker").items():
        if speaker != UNKNOWN:
            text = "\n".join(row["text"] for row in rows)
            parts.append(f"SPEAKER {speaker}\n{text[:OF_EACH]}")
    return prompt.filled(material=fenced("speakers", "\n\n".join(parts)))


def read(unit: str, text: str, said: Mapping[str, Sequence[str]]) -> Read:
    """A reply: a role for each speaker, each with words of that speaker.

    An unknown speaker or role is left out, and so is a role whose quote the speaker did not say, or a speaker with two roles.

    Args:
        unit: the recording.
        text: the reply.
        said: what each speaker of the transcript said.
    """
    answer = read_answer(text, main="roles")
    if answer.value is None:
        return unreadable(unit, answer.why)
    given = answer.value["roles"]
    if isinstance(given, Mapping) and not {"speaker", "role"} <= set(given):
        given = [{"speaker": speaker, "role": role} for speaker, role in given.items()]
    rows: dict[str, Mapping[str, Any]] = {}
    rejects = []
    known = {plain(label).casefold(): label for label in said if label != UNKNOWN}
    for item in entries(given):
        label = known.get(plain(item.get("speaker")).casefold(), "")
        role = role_of(plain(item.get("role")))
        quote = plain(item.get("quote"))
        reason = None
        if not label:
            reason = Reason.UNKNOWN_SPEAKER
        elif role is None:
            reason = Reason.UNKNOWN_ROLE
        elif quote and not _said(quote, said[label]):
            reason = Reason.QUOTE_ABSENT
        elif label in rows and rows[label]["role"] != role.value:
            del rows[label]
            known = {name: other for name, other in known.items() if other != label}
            reason = Reason.DUPLICATE
        if reason is not None or role is None:
            value = {"speaker": plain(item.get("speaker"))[:60], "role": plain(item.get("role"))[:60]}
            rejects.append(
                Reject(
                    unit=unit,
                    item=label,
                    reason=reason or Reason.UNKNOWN_ROLE,
                    detail=_FAULTS.get(reason, ""),
                    value=value,
                )
            )
        else:
            rows[label] = {"speaker": label, "role": role.value, "quote": quote}
    why = "" if rows else "no speaker of the transcript was given a role of the list, with words of that speaker"
    return Read(rows=tuple(rows.values()), rejects=tuple(rejects), usable=bool(rows), why=why)


_FAULTS: Mapping[Reason | None, str] = {
    Reason.UNKNOWN_SPEAKER: "the transcript has no such speaker",
    Reason.UNKNOWN_ROLE: "there is no such role",
    Reason.QUOTE_ABSENT: "the speaker did not say these words",
    Reason.DUPLICATE: "one speaker with two roles; neither counts",
}


def _said(quote: str, texts: Sequence[str]) -> bool:
    turn = Turn(id="all", speaker="", role=Role.UNKNOWN, text=" ".join(texts))
    return check_quote(quote, [turn]).state in (QuoteState.VERBATIM, QuoteState.SPACING_OR_CASE)


async def run(work: Work) -> Done:
    """Labels every speaker of every recording that holds a case, and joins the turns of the cases."""
    cases = by(work.rows("segment/cases"), "recording")
    cues = by(work.rows("read/cues"), "recording")
    said = {
        name: {label: [row["text"] for row in rows] for label, rows in sorted(by(cues[name], "speaker").items())}
        for name in cases
    }
    speakers = {name: list(found) for name, found in said.items()}
    assert work.prompt is not None
    prompt = work.prompt
    rejects: list[Reject] = []
    named = [name for name in cases if any(label != UNKNOWN for label in speakers[name])]
    outcomes = await ask_units(
        work, {name: user(prompt, cues[name]) for name in named}, lambda unit, text: read(unit, text, said[unit])
    )
    rows: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    notes: list[str] = []
    for name, limits in cases.items():
        person = _person(work.project.recording(name), speakers[name], rejects, notes)
        found = outcomes[name].read if name in outcomes else None
        rejects.extend(outcomes[name].rejects if name in outcomes else ())
        proposals = {row["speaker"]: Role(row["role"]) for row in (found.rows if found else ())}
        roles: dict[str, Role] = {}
        for label in speakers[name]:
            role, whose = _role(label, person, proposals)
            roles[label] = role
            hint = proposals.get(label) or label_role(label)
            differs = whose == "person" and hint is not None and hint not in (role, Role.UNKNOWN)
            if differs:
                notes.append(
                    f"{name}: one speaker is {role.value} in your file, and {hint} by "
                    f"{'the model' if label in proposals else 'the label'}; yours was taken, look at {work.folder.name}/roles.jsonl"
                )
            rows.append(
                {
                    "recording": name,
                    "speaker": label,
                    "role": role.value,
                    "by": whose,
                    "proposal": proposals[label].value if label in proposals else None,
                    "label": found_label.value if (found_label := label_role(label)) else None,
                    "differs": differs,
                }
            )
        for case in limits:
            inside = between(cues[name], case["first"], case["last"])
            turns.extend(turn_row(case["case"], turn) for turn in joined(inside, roles))
    without = sum(row["by"] == "nobody" for row in rows)
    if without:
        notes.append(
            f"{without} of {len(rows)} speakers have no role; nothing is asked of them until somebody names one"
        )
    return Done(
        tables={"roles": rows, "turns": turns},
        rejects=rejects,
        notes=[*notes, *repaired(outcomes)],
        open=unasked(outcomes),
        unit="speakers",
        entered=len(rows),
        kept=len(rows) - without,
    )


def _role(label: str, person: Mapping[str, Role], proposals: Mapping[str, Role]) -> tuple[Role, str]:
    if label in person:
        return person[label], "person"
    if label == UNKNOWN:
        return Role.UNKNOWN, "nobody"
    if proposals.get(label, Role.UNKNOWN) is not Role.UNKNOWN:
        return proposals[label], "model"
    named = label_role(label)
    return (named, "label") if named is not None else (Role.UNKNOWN, "nobody")


def _person(item: Recording, speakers: Sequence[str], rejects: list[Reject], notes: list[str]) -> Mapping[str, Role]:
    """Roles of the person's file; a line that cannot be used is named, and the others count."""
    if item.roles is None:
        return {}
    found: dict[str, Role] = {}
    try:
        pairs = list(role_lines(item.roles))
    except InputError:
        detail = "expected lines of the form speaker: role (YAML), or columns speaker and role (CSV), in UTF-8"
        rejects.append(Reject(unit=item.name, item=item.roles.name, reason=Reason.FILE_UNREADABLE, detail=detail))
        notes.append(f"{item.roles.name} cannot be read, and nothing of it was taken: {detail}")
        return {}
    for place, speaker, name in pairs:
        role = role_of(name) if isinstance(name, str) else None
        reason, detail = None, ""
        if speaker not in speakers:
            reason, detail = Reason.UNKNOWN_SPEAKER, "the transcript has no such speaker"
        elif role is None:
            reason, detail = Reason.UNKNOWN_ROLE, f"the roles are {', '.join(item.value for item in Role)}"
        elif speaker in found:
            reason, detail = Reason.DUPLICATE, "the speaker is already there; the first role counts"
        if reason is not None or role is None:
            value = {"speaker": speaker[:60], "role": str(name)[:60]}
            rejects.append(
                Reject(unit=item.name, item=place, reason=reason or Reason.UNKNOWN_ROLE, detail=detail, value=value)
            )
            notes.append(f"{place} was not taken: {detail}")
        else:
            found[speaker] = role
    return found


STAGE = Stage(
    number=4,
    id="roles",
    version="2",
    inputs=("read/cues", "segment/cases"),
    run=run,
    prompt="roles",
    files=lambda project: [path for item in project.recordings for path in item.files("roles")],
)
