"""A single model's board and its auditor: what the reply recommends, what the model is told of it once, which reply counts in the end.

Everything is heard, audited and worded as at a board of agents (`equipoise.boards.recommended`, `equipoise.boards.board_audit`). The
model sees the audits in one message after its reply. The last reply that can be read counts: a second one that cannot be read leaves the
first standing. The cases that grade it were written first (`tests/boards/single/reviews.yaml`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from equipoise.audit.verdict import Label
from equipoise.boards.agent_replies import without_thinking
from equipoise.boards.board_audit import BoardAudit
from equipoise.boards.discussion_record import DiscussionRecord, Stop, ToolCall
from equipoise.boards.named_only import NamedOnly
from equipoise.boards.recommended import Hearing, Kind, Recommended, hear
from equipoise.boards.replies import BoardReply, read_board_reply
from equipoise.boards.single_prompts import KEEP, told_again
from equipoise.boards.vocabulary import Role
from equipoise.outcomes.schema import ReplyState

VERSION = "single-review-1"

_LETTERS = re.compile(r"[^a-z]+")
_AUDITOR_SPEAKS = re.compile(r"\b(?:auditor|rule-based check)\b", re.IGNORECASE)


class Second(StrEnum):
    """What became of the second look, where it is no state of a reply that could not be read."""

    NOT_ASKED = "not-asked"
    KEPT = "kept"
    REVISED = "revised"


class Became(StrEnum):
    """What became of a regimen of the first conclusion in the one that counts.

    Kept: it still stands there. Followed: it is gone, and the auditor spoke against it. Other: it is gone or changed although the auditor
    did not speak against it, or a drug of it stands there in another regimen.
    """

    KEPT = "kept"
    FOLLOWED = "followed"
    OTHER = "other"


@dataclass(slots=True, kw_only=True)
class SingleReview:
    """One board of a single model from its first reply to the one that counts.

    Attributes:
        audit: the auditor of the case.
        tells: whether replies are audited and the model told; otherwise it only has tools.
        calls: what the model called, and then every audit.
        tokens: of prompts and replies of all calls.
        uncounted: calls whose provider reported no tokens.
        second: what became of the second look: one of `Second`, or the state of a reply that could not be used.
        why: one line on a call that failed or a limit that ended it; empty without.
    """

    audit: BoardAudit
    tells: bool
    calls: list[ToolCall] = field(default_factory=list)
    tokens: int = 0
    uncounted: int = 0
    second: str = Second.NOT_ASKED.value
    why: str = ""
    _state: str = ""
    _replies: list[dict[str, Any]] = field(default_factory=list)
    _told: str = ""
    _first: tuple[Recommended, ...] = ()
    _last: tuple[Recommended, ...] = ()
    _known: set[str] = field(default_factory=set)
    _auditor_turns: int = 0
    _named: NamedOnly = field(default_factory=NamedOnly)

    def first(self, text: str, state: ReplyState) -> str:
        """Take in the first reply.

        Args:
            text: the reply as received.
            state: what became of the call.

        Returns:
            The message that tells the model what the auditor says; empty when it is not asked again.
        """
        reply = self._taken(text, state)
        if reply is None or not self.tells:
            return ""
        self._first = self._last = _concluded(reply)
        calls, told = self._audited(reply)
        named = self._named.line()
        if not told:
            self.calls += calls
            return ""
        self.calls += [replace(call, told=True) for call in calls]
        self._told = told_again(told, named)
        return self._told

    def again(self, text: str, state: ReplyState) -> bool:
        """Take in the second reply; whether it counts.

        Args:
            text: the reply as received.
            state: what became of the call.
        """
        if state is ReplyState.OK and _LETTERS.sub("", without_thinking(text).casefold()) == KEEP.casefold():
            self._replies.append({"reply": text, "state": state.value, "counts": False})
            self.second = Second.KEPT.value
            return False
        before = self._replies[-1]
        reply = self._taken(text, state)
        if reply is None:
            self.second = str(self._replies[-1]["state"])
            return False
        before["counts"] = False
        self.second = Second.REVISED.value
        self._last = _concluded(reply)
        self.calls += self._audited(reply, only_new=True)[0]
        return True

    def lost(self, why: str) -> None:
        """Note that the call for the second reply came to nothing, so that nobody who answered was told.

        Args:
            why: one line.
        """
        self.second, self.why = ReplyState.ERROR.value, why
        self.calls = [replace(call, told=False) for call in self.calls]

    def record(self) -> DiscussionRecord:
        """What is kept of it."""
        against, open_ = self.audit.standing_of(self._last) if self.tells else ((), ())
        return DiscussionRecord(
            stop=Stop.SINGLE,
            version=VERSION,
            tokens=self.tokens,
            calls_uncounted=self.uncounted,
            tool_calls=tuple(self.calls),
            revised=self.second == Second.REVISED,
            kept_unsupported=against,
            kept_open=open_,
            named_not_audited=self._named.rows() if self.tells else (),
            conclusion_state=self._state or "not-asked",
            audit_basis=self.audit.basis(),
            review=self._review(),
            why=self.why,
        )

    def _review(self) -> dict[str, Any]:
        return {
            "second": self.second,
            "told": self._told,
            "replies": [dict(item) for item in self._replies],
            "became": list(self._became()),
            "auditor_turns": self._auditor_turns,
        }

    def _became(self) -> Iterator[Mapping[str, Any]]:
        """Each regimen of the first conclusion: the verdict, whether it is left to a person, what became of it."""
        now = {item.components for item in self._last}
        drugs = {name for item in self._last for name in item.components}
        for item in self._first:
            verdict = self.audit.verdict(item.text)
            against = verdict is not None and verdict.label is Label.UNSUPPORTED and not verdict.abstain
            if item.components in now:
                became = Became.KEPT
            else:
                became = Became.FOLLOWED if against and not drugs & set(item.components) else Became.OTHER
            yield {
                "regimen": item.text,
                "verdict": "" if verdict is None else str(verdict.label),
                "abstained": True if verdict is None else verdict.abstain,
                "became": became.value,
            }

    def _taken(self, text: str, state: ReplyState) -> BoardReply | None:
        """A reply into the record, which counts as long as it can be read; None when it cannot."""
        reply = read_board_reply(text) if state is ReplyState.OK else None
        if reply is not None and not reply.conclusion:
            state, reply = ReplyState.UNPARSED, None
        self._replies.append({"reply": text, "state": state.value, "counts": reply is not None})
        if reply is not None or not self._state:
            self._state = state.value
        if reply is not None:
            self._auditor_turns = sum(bool(_AUDITOR_SPEAKS.search(turn.speaker)) for turn in reply.turns)
        return reply

    def _audited(self, reply: BoardReply, *, only_new: bool = False) -> tuple[list[ToolCall], list[str]]:
        """Audits of all that a reply recommends, each regimen once, and what there is to tell."""
        calls: list[ToolCall] = []
        told: list[str] = []
        for role, turn, hearing in _heard(reply):
            self._named.hears(role, turn, hearing)
            new = [item for item in hearing.recommended if item.text not in self._known]
            self._known |= {item.text for item in new}
            for item in self.audit.hears(role, turn, new):
                calls.append(replace(item.call, told=False) if only_new else item.call)
                told += [item.text] if item.text else []
        return calls, told


def _heard(reply: BoardReply) -> Iterator[tuple[str, int, Hearing]]:
    """By turn, then of the conclusion: whose it is, its number, what was heard."""
    for number, turn in enumerate(reply.turns, start=1):
        yield turn.role.value, number, hear(turn.text, Kind.TURN)
    yield Role.MODERATOR.value, len(reply.turns) + 1, hear(reply.conclusion, Kind.CONCLUSION)


def _concluded(reply: BoardReply) -> tuple[Recommended, ...]:
    return hear(reply.conclusion, Kind.CONCLUSION).recommended
