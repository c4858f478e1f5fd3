"""What a stage is, what it is given, what it hands back, and how it asks a model: once, and once more when nothing could be used."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.boards.curation.asker import NOBODY, Asker, Got
from equipoise.boards.curation.project import Project
from equipoise.boards.curation.prompts import AGAIN, Prompt
from equipoise.boards.curation.reasons import Reason
from equipoise.outcomes.schema import ReplyState

TRIES = 2
"""Times a model is asked: a reply of which nothing can be used is asked for once more."""

_STATE_REASONS: Mapping[ReplyState, Reason] = {
    ReplyState.ERROR: Reason.MODEL_ERROR,
    ReplyState.BLOCKED: Reason.MODEL_BLOCKED,
    ReplyState.TRUNCATED: Reason.MODEL_TRUNCATED,
    ReplyState.EMPTY: Reason.MODEL_EMPTY,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """Something that was left out, or not done.

    Attributes:
        unit: the recording or case.
        reason: why, from the closed list.
        item: what of it (an utterance, a question, a line of a file); empty for all of it.
        detail: more, in this package's words.
        value: what was refused, as the model or file had it; None where nothing can be shown.
    """

    unit: str
    reason: Reason
    item: str = ""
    detail: str = ""
    value: Any = None

    def to_row(self, stage: str) -> dict[str, Any]:
        """A row of the reject list."""
        row = {
            "stage": stage,
            "unit": self.unit,
            "item": self.item,
            "reason": self.reason.value,
            "detail": self.detail,
        }
        return row if self.value is None else row | {"value": self.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a reply gave after every check.

    Attributes:
        rows: what was accepted, in the form of the stage.
        rejects: what was not.
        usable: whether anything can be used; when not, the model is asked once more.
        why: what was wrong, for the second try, in this package's words.
    """

    rows: tuple[Mapping[str, Any], ...] = ()
    rejects: tuple[Reject, ...] = ()
    usable: bool = True
    why: str = ""


def unreadable(unit: str, why: str) -> Read:
    """A reply that holds no answer."""
    return Read(rejects=(Reject(unit=unit, reason=Reason.REPLY_UNREADABLE, detail=why),), usable=False, why=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one unit.

    Attributes:
        read: the reply that counts; None when none can be used.
        rejects: what was left out, of the try that counts, or of all tries when none does.
        asked: whether there was a reply at all, a failed one included.
        tries: number of replies.
    """

    read: Read | None
    rejects: tuple[Reject, ...]
    asked: bool
    tries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a stage is given.

    Attributes:
        project: the folder.
        tables: rows by name of the table, as `STAGE/TABLE`.
        prompt: its prompt; None for a stage that asks nobody.
        asker: gets replies; None for a stage that asks nobody.
        seed: of the splits.
        seed_before: seed of the run before; None when there is none on record.
        secret: number that surrogates are drawn from; empty for stages that draw none.
        folder: where the stage writes.
    """

    project: Project
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    prompt: Prompt | None
    asker: Asker | None
    seed: int
    folder: Path
    seed_before: int | None = None
    secret: str = ""

    def rows(self, name: str) -> Sequence[Mapping[str, Any]]:
        """Rows of a table."""
        return self.tables[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a stage hands back.

    Attributes:
        tables: rows by name of the table.
        rejects: what was left out.
        unit: what is counted, in the plural.
        entered: how many came in.
        kept: how many go on.
        open: units that were not asked, or of which the call failed.
        notes: what a person should look at, without a word of what was said.
        texts: further files by name.
    """

    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    unit: str
    entered: int
    kept: int
    rejects: Sequence[Reject] = ()
    open: int = 0
    notes: Sequence[str] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage.

    Attributes:
        number: its place, from 1.
        id: its name.
        version: raised with every change of what it does.
        inputs: tables it reads, as `STAGE/TABLE`.
        run: does it.
        prompt: name of its prompt; empty for a stage that asks nobody.
        files: files of the project it reads.
        secret: whether it draws surrogates.
        seeded: whether it draws splits.
    """

    number: int
    id: str
    version: str
    inputs: tuple[str, ...]
    run: Callable[[Work], Awaitable[Done]]
    prompt: str = ""
    files: Callable[[Project], Iterable[Path]] = lambda project: ()
    secret: bool = False
    seeded: bool = False

    @property
    def folder(self) -> str:
        """Name of its folder."""
        return f"{self.number:02d}-{self.id}"


async def ask_units(work: Work, users: Mapping[str, str], read: Callable[[str, str], Read]) -> dict[str, Outcome]:
    """Ask about each unit; what goes wrong with one touches no other.

    Args:
        work: what the stage was given.
        users: what is asked, by unit.
        read: reads the reply to a unit: unit and text in, what was accepted out.
    """
    outcomes = await asyncio.gather(*(_ask_unit(work, unit, user, read) for unit, user in users.items()))
    return dict(zip(users, outcomes, strict=True))


async def _ask_unit(work: Work, unit: str, user: str, read: Callable[[str, str], Read]) -> Outcome:
    assert work.asker is not None
    assert work.prompt is not None
    rejects: list[Reject] = []
    asked = user
    for attempt in range(1, TRIES + 1):
        got = await work.asker.get(unit, attempt, work.prompt.system, asked)
        if got.state is None:
            rejects.append(Reject(unit=unit, reason=Reason.NOT_ASKED, detail=got.why))
            return Outcome(read=None, rejects=tuple(rejects), asked=attempt > 1, tries=attempt - 1)
        found = _read(unit, got, read)
        if found.usable:
            return Outcome(read=found, rejects=found.rejects, asked=True, tries=attempt)
        rejects.extend(found.rejects)
        if got.state in (ReplyState.ERROR, ReplyState.BLOCKED, ReplyState.TRUNCATED):
            return Outcome(read=None, rejects=tuple(rejects), asked=True, tries=attempt)
        asked = f"{user}\n\n{AGAIN.format(why=found.why)}"
    return Outcome(read=None, rejects=tuple(rejects), asked=True, tries=TRIES)


def _read(unit: str, got: Got, read: Callable[[str, str], Read]) -> Read:
    if got.state is not ReplyState.OK:
        reason = _STATE_REASONS.get(got.state or ReplyState.ERROR, Reason.REPLY_UNREADABLE)
        why = got.why or f"the reply is {got.state}"
        return Read(rejects=(Reject(unit=unit, reason=reason, detail=why),), usable=False, why=why)
    try:
        return read(unit, got.text)
    except Exception as error:
        why = f"the reply could not be read ({type(error).__name__})"
        return Read(rejects=(Reject(unit=unit, reason=Reason.STAGE_FAILED, detail=why),), usable=False, why=why)


def repaired(outcomes: Mapping[str, Outcome]) -> tuple[str, ...]:
    """Notes on units whose second reply was used, and on calls that failed or were not paid for; empty when there are none."""
    count = sum(item.read is not None and item.tries > 1 for item in outcomes.values())
    notes = [f"{count} of {len(outcomes)} replies could be used only at the second try"] if count else []
    failed = Counter(
        reject.detail
        for item in outcomes.values()
        if item.read is None
        for reject in item.rejects
        if reject.reason is Reason.MODEL_ERROR or (reject.reason is Reason.NOT_ASKED and reject.detail != NOBODY)
    )
    return (*notes, *(f"{times} calls gave no reply: {detail}" for detail, times in sorted(failed.items())))


def unasked(outcomes: Mapping[str, Outcome]) -> int:
    """Number of units without any reply: they were not asked, or the call failed. Another run asks them."""
    return sum(
        not item.asked or (item.read is None and any(one.reason is Reason.MODEL_ERROR for one in item.rejects))
        for item in outcomes.values()
    )
