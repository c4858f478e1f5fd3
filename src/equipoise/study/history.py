"""The history of one assignment: events are only added, and what holds now follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from equipoise.errors import UsageError
from equipoise.study.protocol import CLOSED, OPEN_LISTS, Protocol

LONGEST_TEXT = 10_000
"""Characters of a free text that are kept at most; longer is an error, never cut."""


class EventKind(StrEnum):
    """What a rater did."""

    ANSWER = "answer"
    SKIP = "skip"
    UNDO = "undo"
    LOCK = "lock"
    REOPEN = "reopen"
    IMPORT = "import"


class Standing(StrEnum):
    """Where an assignment stands. Only `complete` carries a label."""

    OPEN = "open"
    PARTIAL = "partial"
    SKIPPED = "skipped"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing a rater did.

    Attributes:
        number: place in the history of the assignment, from 1.
        kind: what it was.
        answers: all answers as they stood after it; empty for a skip, an undo, a lock.
        comment: the comment as it stood after it.
        reason: why, for a skip and a reopening; where from, for an import.
        at: ISO date and time, as given by the caller.
        seconds: seconds since the item was shown; None when not known.
    """

    number: int
    kind: EventKind
    answers: Mapping[str, Any] = field(default_factory=dict)
    comment: str = ""
    reason: str = ""
    at: str = ""
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What holds now.

    Attributes:
        answers: answer by question.
        comment: the comment.
        skipped: the reason of a skip; empty when it is not skipped.
        locked: whether it is final.
        number: number of the last event; 0 without one.
        at: time of the event that set what holds; empty without one.
        seconds: its seconds.
        imported: whether it was taken from a file.
    """

    answers: Mapping[str, Any] = field(default_factory=dict)
    comment: str = ""
    skipped: str = ""
    locked: bool = False
    number: int = 0
    at: str = ""
    seconds: float | None = None
    imported: bool = False

    def standing(self, protocol: Protocol) -> Standing:
        """Where the assignment stands under a protocol."""
        if self.skipped:
            return Standing.SKIPPED
        if not self.answers:
            return Standing.OPEN
        wanted = [protocol.primary.id] if self.imported else _required(protocol, self.answers)
        return Standing.COMPLETE if all(name in self.answers for name in wanted) else Standing.PARTIAL


def fold(events: Sequence[Event]) -> State:
    """What holds after a history.

    An undo takes back the last answer, skip or import that was not taken back yet; a lock is not undone but reopened.

    Args:
        events: in order of their numbers.
    """
    kept: list[Event] = []
    locked, number = False, 0
    for event in events:
        number = event.number
        if event.kind is EventKind.UNDO:
            if kept:
                kept.pop()
        elif event.kind is EventKind.LOCK:
            locked = True
        elif event.kind is EventKind.REOPEN:
            locked = False
        else:
            kept.append(event)
    if not kept:
        return State(locked=locked, number=number)
    last = kept[-1]
    return State(
        answers=dict(last.answers),
        comment=last.comment,
        skipped=last.reason if last.kind is EventKind.SKIP else "",
        locked=locked,
        number=number,
        at=last.at,
        seconds=last.seconds,
        imported=last.kind is EventKind.IMPORT,
    )


def allowed(state: State, kind: EventKind, *, reason: str, protocol: Protocol) -> None:
    """Refuses an event that the state does not allow.

    Raises:
        UsageError: it is locked, there is nothing to undo, a reason is missing, or it is locked before it is complete.
    """
    if state.locked and kind is not EventKind.REOPEN:
        message = "this item is locked; it can be changed only after it is reopened"
        raise UsageError(message)
    if kind is EventKind.REOPEN and not state.locked:
        message = "this item is not locked, so there is nothing to reopen"
        raise UsageError(message)
    if kind in (EventKind.SKIP, EventKind.REOPEN, EventKind.IMPORT) and not reason.strip():
        message = f"expected a reason for this ({kind})"
        raise UsageError(message, field="reason")
    if kind is EventKind.UNDO and not state.at:
        message = "there is nothing to undo"
        raise UsageError(message)
    if kind is EventKind.LOCK and state.standing(protocol) not in (Standing.COMPLETE, Standing.SKIPPED):
        message = "this item is not complete; answer it or skip it with a reason before it is locked"
        raise UsageError(message)


def require_short(*, comment: str, reason: str) -> None:
    """Refuses a comment or a reason that no page takes; a request without the page could otherwise fill the disk.

    Raises:
        UsageError: one has more than `LONGEST_TEXT` characters.
    """
    for field_name, text in (("comment", comment), ("reason", reason)):
        if len(text) > LONGEST_TEXT:
            message = f"expected a {field_name} of at most {LONGEST_TEXT} characters, got {len(text)}"
            raise UsageError(message, field=field_name)


def clean_answers(protocol: Protocol, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The answers as they are stored: known questions, answers they allow, those not asked left out, lists in order.

    Raises:
        UsageError: a question or an answer that does not exist, a wrong type, or a text that is too long.
    """
    known = {question.id: question for question in protocol.questions}
    for name in answers:
        if name not in known:
            message = f"there is no question {name!r}; expected one of {', '.join(known)}"
            raise UsageError(message, field=str(name))
    kept: dict[str, Any] = {}
    for question in protocol.questions:
        if question.id not in answers or not question.asked(kept):
            continue
        value = answers[question.id]
        if question.kind in CLOSED:
            _one_of(question.id, value, question.values)
            kept[question.id] = value
        elif question.kind in OPEN_LISTS:
            if not isinstance(value, list | tuple):
                message = "expected a list of answers"
                raise UsageError(message, field=question.id)
            for part in value:
                _one_of(question.id, part, question.values)
            kept[question.id] = [option for option in question.values if option in value]
        else:
            if not isinstance(value, str) or len(value) > LONGEST_TEXT:
                message = f"expected a text of at most {LONGEST_TEXT} characters"
                raise UsageError(message, field=question.id)
            if value.strip():
                kept[question.id] = value
    return kept


def _required(protocol: Protocol, answers: Mapping[str, Any]) -> list[str]:
    given = dict(answers)
    return [question.id for question in protocol.questions if question.required and question.asked(given)]


def _one_of(name: str, value: Any, options: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in options:
        message = f"{value!r} is no answer; expected one of {', '.join(options)}"
        raise UsageError(message, field=name)
