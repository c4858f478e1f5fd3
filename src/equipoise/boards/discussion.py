"""A moderated discussion as a state machine: who speaks next, who stands where, when it stops, and what is reported of it.

The machine calls no model and reads no clock. It is told what the moderator asked for and what a specialist said, and answers who speaks
next or why it is over. The rules below have a version; scripted boards written before them hold it to them
(`tests/boards/agents/stops.yaml`). The failures it guards against follow MedAgentAudit (arXiv:2510.10185): early consensus, a suppressed
minority, repetition. The rules are ours, and whether they hold a board up too long or too short has not been studied.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from equipoise.boards.discussion_record import DiscussionRecord, Stop
from equipoise.boards.measures.treatments import doses_in, drugs_in, fields_of
from equipoise.boards.vocabulary import TARGET_ROLES, Role
from equipoise.errors import UsageError
from equipoise.outcomes.schema import ReplyState

__all__ = [
    "DEFAULT_ROLES",
    "VERSION",
    "Block",
    "Call",
    "Discussion",
    "DiscussionRecord",
    "Entry",
    "Limits",
    "Position",
    "Proposal",
    "Said",
    "Stop",
    "content_words",
    "roles_named",
    "same_proposal",
]

VERSION = "discussion-1"
CONCLUSION_SHARE = 0.2
"""Part of the token budget kept for the conclusion."""

STALE_ROUNDS = 2
NEW_WORDS, NEW_SHARE, SHORTEST = 3, 0.2, 4
"""A new argument has this many content words that nobody said before, which are this share of its content words; a content word has
four letters or more."""

SAME_PROPOSAL = 0.5
"""Least share of common words at which two proposals with the same treatments are one."""

DEFAULT_ROLES: tuple[Role, ...] = (
    Role.RADIOLOGIST, Role.PATHOLOGIST, Role.MOLECULAR_PATHOLOGIST, Role.SURGEON, Role.RADIATION_ONCOLOGIST, Role.MEDICAL_ONCOLOGIST,
)  # fmt: skip
"""A panel that is the same for every case, so that the roles of the recorded discussion are not given away."""


class Position(StrEnum):
    """What a turn says of a proposal."""

    AGREE = "agree"
    DISAGREE = "disagree"


class Block(StrEnum):
    """Why a call for consensus was not followed, in the order in which it is asked."""

    TOO_FEW_SPEAKERS = "too-few-speakers"
    NO_PROPOSAL = "no-proposal"
    NO_MAJORITY = "no-majority"
    UNANSWERED_DISSENT = "unanswered-dissent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a discussion may take.

    Attributes:
        max_turns: most calls of specialists, readable or not; 1 or more.
        max_tokens: most tokens of prompts and replies together, those of the moderator and the conclusion included; None for no limit.
        min_speakers: roles that must have spoken before a consensus; more than the board has means all of them.
    """

    max_turns: int = 24
    max_tokens: int | None = None
    min_speakers: int = 4

    def __post_init__(self) -> None:
        for name in ("max_turns", "max_tokens", "min_speakers"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                message = f"{name}: expected a whole number, 1 or more; found {value!r}"
                raise UsageError(message, field=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a moderator's reply asks for.

    Attributes:
        next: the role to speak; None when it asks for none that is on the board.
        conclude: whether it calls for the conclusion.
        words: what it says to the board; may be empty.
        state: ok, or why there is nothing to read.
    """

    next: Role | None = None
    conclude: bool = False
    words: str = ""
    state: ReplyState = ReplyState.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What became of a call of a specialist.

    Attributes:
        words: what was said; empty unless the state is ok.
        proposal: what it proposes to decide; empty without.
        position: what it says of a proposal; None when it says nothing.
        about: number of that proposal; None for the latest.
        state: ok, or why there are no words.
    """

    words: str = ""
    proposal: str = ""
    position: Position | None = None
    about: int | None = None
    state: ReplyState = ReplyState.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One turn of the transcript.

    Attributes:
        role: a role of the vocabulary, or AUDITOR_ROLE, which is no person.
        text: the words.
    """

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Something to decide on, as first worded.

    Attributes:
        number: from 1, as the board is shown it.
        role: who made it.
        text: the wording.
    """

    number: int
    role: Role
    text: str


@dataclass(slots=True)
class _Stance:
    proposal: int
    backs: bool
    since: int


@dataclass(slots=True)
class Discussion:
    """One discussion while it goes on.

    Attributes:
        roles: who is on the board, in the fixed order.
        limits: what it may take.
        stop: why it is over; None while it goes on.
        speaker: who speaks next; None before the moderator was heard.
        entries: the transcript: readable turns, words of the moderator, what the auditor told.
        proposals: in the order made.
    """

    roles: tuple[Role, ...]
    limits: Limits
    stop: Stop | None = None
    speaker: Role | None = None
    entries: list[Entry] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)
    turns: int = 0
    tokens: int = 0
    fallbacks: int = 0
    blocked: list[Block] = field(default_factory=list)
    empty: list[dict[str, str | int]] = field(default_factory=list)
    _stances: dict[Role, _Stance] = field(default_factory=dict)
    _spoke: dict[Role, int] = field(default_factory=dict)
    _asked: dict[Role, int] = field(default_factory=dict)
    _heard: set[str] = field(default_factory=set)
    _last: Role | None = None
    _failed: int = 0
    _stale: int = 0

    def __post_init__(self) -> None:
        strange = [role for role in self.roles if role not in TARGET_ROLES]
        if not self.roles or strange or len(set(self.roles)) < len(self.roles):
            message = (
                "roles: expected different specialists, one or more; the moderator is always there and not among them"
            )
            raise UsageError(message, field="roles")

    # --- what the caller does ----------------------------------------------------------------------------------------------------

    def ready(self) -> bool:
        """Whether another call may be made; asked before each. Stops the discussion when the budget for it is used."""
        most = self.limits.max_tokens
        if self.stop is None and most is not None and self.tokens >= most * (1 - CONCLUSION_SHARE):
            self.stop = Stop.TOKEN_BUDGET
        return self.stop is None

    @property
    def may_conclude(self) -> bool:
        """Whether there is something to conclude from, and tokens to do it."""
        most = self.limits.max_tokens
        return bool(self._spoke) and self.stop is not Stop.FAILED and (most is None or self.tokens < most)

    def used(self, tokens: int) -> None:
        """Count the tokens of a call, prompt and reply."""
        self.tokens += tokens

    def moderated(self, call: Call) -> None:
        """Follow the moderator: the next speaker, or the end."""
        if call.state is not ReplyState.OK:
            self.empty.append({"role": Role.MODERATOR.value, "turn": self.place, "state": call.state.value})
        if call.words:
            self.entries.append(Entry(role=Role.MODERATOR.value, text=call.words))
        if call.conclude:
            why = self.block()
            if why is None:
                self.stop, self.speaker = Stop.CONSENSUS, None
            else:
                self.blocked.append(why)
                self.speaker = self._after(why)
        elif call.next in self.roles:
            self.speaker = call.next
        else:
            self.fallbacks += 1
            if self._of_one_mind():
                self.stop, self.speaker = Stop.CONSENSUS, None
            else:
                self.speaker = self._following()

    def said(self, said: Said) -> None:
        """Take in what the speaker said, or why there was nothing."""
        role = self.speaker
        if role is None:
            message = "nobody has the floor"
            raise UsageError(message)
        self.turns += 1
        self._last, self.speaker = role, None
        self._asked[role] = self._asked.get(role, 0) + 1
        if said.state is not ReplyState.OK or not said.words.strip():
            state = said.state if said.state is not ReplyState.OK else ReplyState.EMPTY
            self.empty.append({"role": role.value, "turn": self.place, "state": state.value})
            self._failed += 1
        else:
            self._failed = 0
            self.entries.append(Entry(role=role.value, text=said.words))
            new = self._take_stance(role, said)
            new = self._new_argument(said.words) or new
            self._spoke[role] = self.turns
            self._stale = 0 if new else self._stale + 1
        if self._failed >= len(self.roles):
            self.stop = Stop.FAILED
        elif self._stale >= STALE_ROUNDS * len(self.roles):
            self.stop = Stop.STALEMATE
        elif self.turns >= self.limits.max_turns:
            self.stop = Stop.TURN_LIMIT

    # --- what is known of it ---------------------------------------------------------------------------------------------------------

    @property
    def place(self) -> int:
        """Number the next turn of the transcript will have."""
        return len(self.entries) + 1

    @property
    def silent(self) -> tuple[Role, ...]:
        """Roles without a readable turn."""
        return tuple(role for role in self.roles if role not in self._spoke)

    @property
    def standing(self) -> Proposal | None:
        """The proposal with most roles behind it, the later of equal ones; None without any."""
        if not self.proposals:
            return None
        return max(self.proposals, key=lambda item: (len(self.backers(item)), item.number))

    def backers(self, proposal: Proposal) -> tuple[Role, ...]:
        """Roles behind a proposal."""
        return tuple(
            role
            for role in self.roles
            if (one := self._stances.get(role)) is not None and one.backs and one.proposal == proposal.number
        )

    @property
    def dissent(self) -> tuple[Role, ...]:
        """Roles against the standing proposal, or behind another."""
        standing = self.standing
        if standing is None:
            return ()
        return tuple(
            role
            for role in self.roles
            if (one := self._stances.get(role)) is not None and one.backs != (one.proposal == standing.number)
        )

    def block(self) -> Block | None:
        """Why the board may not conclude by consensus now; None when it may."""
        if len(self._spoke) < min(self.limits.min_speakers, len(self.roles)):
            return Block.TOO_FEW_SPEAKERS
        standing = self.standing
        if standing is None:
            return Block.NO_PROPOSAL
        dissent = self.dissent
        if len(self.backers(standing)) <= len(dissent):
            return Block.NO_MAJORITY
        if any(not self._answered(role) for role in dissent):
            return Block.UNANSWERED_DISSENT
        return None

    def record(self) -> DiscussionRecord:
        """What is reported of the discussion so far; the part of tools and conclusion is added by who knows it."""
        standing = self.standing
        return DiscussionRecord(
            version=VERSION,
            stop=self.stop or Stop.FAILED,
            roles=tuple(role.value for role in self.roles),
            turns=self.turns,
            silent_roles=tuple(role.value for role in self.silent),
            empty=tuple(self.empty),
            tokens=self.tokens,
            consensus_blocked=len(self.blocked),
            blocked=tuple(item.value for item in self.blocked),
            fallbacks=self.fallbacks,
            proposals=tuple(item.text for item in self.proposals),
            standing="" if standing is None else standing.text,
            dissent=tuple(role.value for role in self.dissent),
        )

    # --- rules -------------------------------------------------------------------------------------------------------------------------

    def _take_stance(self, role: Role, said: Said) -> bool:
        """Whether a proposal is new or the role changed its position."""
        if said.proposal.strip():
            known = next((item for item in self.proposals if same_proposal(item.text, said.proposal)), None)
            if known is None:
                known = Proposal(number=len(self.proposals) + 1, role=role, text=said.proposal.strip())
                self.proposals.append(known)
            return self._stand(role, known.number, backs=True)
        if said.position is None or not self.proposals:
            return False
        number = len(self.proposals) if said.about is None else said.about
        if not 1 <= number <= len(self.proposals):
            return False
        return self._stand(role, number, backs=said.position is Position.AGREE)

    def _stand(self, role: Role, proposal: int, *, backs: bool) -> bool:
        before = self._stances.get(role)
        if before is not None and (before.proposal, before.backs) == (proposal, backs):
            return False
        self._stances[role] = _Stance(proposal, backs, self.turns)
        return True

    def _new_argument(self, text: str) -> bool:
        own = content_words(text)
        new = own - self._heard
        self._heard |= own
        return len(new) >= NEW_WORDS and len(new) >= NEW_SHARE * len(own)

    def _answered(self, role: Role) -> bool:
        since = self._stances[role].since
        return any(turn > since for other, turn in self._spoke.items() if other is not role)

    def _of_one_mind(self) -> bool:
        """All spoke, and all back the standing proposal."""
        standing = self.standing
        return standing is not None and not self.silent and self.backers(standing) == self.roles

    def _following(self) -> Role:
        if self._last is None:
            return self.roles[0]
        return self.roles[(self.roles.index(self._last) + 1) % len(self.roles)]

    def _after(self, why: Block) -> Role:
        """Who speaks after a blocked call for consensus."""
        if why is Block.TOO_FEW_SPEAKERS:
            return min(self.silent, key=lambda role: self._asked.get(role, 0))
        standing = self.standing
        if why is Block.UNANSWERED_DISSENT and standing is not None and standing.role not in self.dissent:
            return standing.role
        return self._following()


_NOT = re.compile(r"\b(?:no|not|never|without|against|withhold|omit|skip|defer|stop|avoid)\b")
_WORD = re.compile(r"[a-z][a-z-]+")


def content_words(text: str) -> set[str]:
    """Words of four letters or more, in lower case."""
    return {word for word in _WORD.findall(text.casefold()) if len(word) >= SHORTEST}


def same_proposal(one: str, other: str) -> bool:
    """Whether two wordings propose the same: same treatments, same words of negation in number, half of the words in common.

    Args:
        one: a wording.
        other: another.
    """
    if _treatments(one) != _treatments(other):
        return False
    words = [set(_WORD.findall(text.casefold())) for text in (one, other)]
    both = words[0] | words[1]
    return not both or len(words[0] & words[1]) >= SAME_PROPOSAL * len(both)


def _treatments(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str], int]:
    kinds = frozenset(field.value for _, field in fields_of(text))
    return drugs_in(text), doses_in(text), kinds, len(_NOT.findall(text.casefold()))


def roles_named(names: Sequence[str] | str | None) -> tuple[Role, ...]:
    """The roles of names, in any spelling; `DEFAULT_ROLES` without names.

    Raises:
        UsageError: a name is no role a question can be put to.
    """
    from equipoise.boards.vocabulary import role_of

    if not names:
        return DEFAULT_ROLES
    listed = names.split(",") if isinstance(names, str) else list(names)
    found = []
    for name in listed:
        role = role_of(name)
        if role is None or role not in TARGET_ROLES:
            message = f"roles: expected some of {', '.join(TARGET_ROLES)}; found {name!r}"
            raise UsageError(message, field="roles")
        found.append(role)
    return tuple(dict.fromkeys(found))
