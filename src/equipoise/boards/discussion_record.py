"""What is kept of a discussion beside its words: why it stopped, who was silent, what failed, what the auditor was asked and told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from equipoise.errors import InputError

DISCUSSION_KEY = "discussion"
"""Where a sample's metadata and its reference line keep the record."""

AUDITOR_ROLE = "auditor"
"""Stands where a turn has its role, when the deterministic auditor told the board something. It is no person."""


class Stop(StrEnum):
    """Why a discussion is over; `SINGLE` says that one model wrote it whole, so that nothing stopped it."""

    CONSENSUS = "consensus"
    TURN_LIMIT = "turn-limit"
    TOKEN_BUDGET = "token-budget"
    STALEMATE = "stalemate"
    FAILED = "failed"
    SINGLE = "single"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A look-up or an audit.

    Attributes:
        turn: number of the turn of the transcript it belongs to; the conclusion is one past the last. 0 for what a single model calls
            before it writes.
        role: who called the tool, or whose recommendation was audited; "moderator" for a draft conclusion, "model" for a single model.
        tool: "audit" (asked for by an agent), "audit-recommendation" (made of what was said) or "evidence".
        regimen: the regimen as understood; for a look-up the words looked for.
        verdict: the auditor's label; empty for a look-up.
        abstained: whether the auditor leaves it to a person; None for a look-up.
        reasons: reason codes of the verdict; for a look-up the ids found.
        told: whether the board was told, in a turn of its own or, where one model plays all, in the message after its reply; what an agent
            asked for only that agent sees.
    """

    turn: int
    role: str
    tool: str
    regimen: str
    verdict: str = ""
    abstained: bool | None = None
    reasons: tuple[str, ...] = ()
    told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscussionRecord:
    """A discussion in figures.

    Attributes:
        stop: why it is over.
        version: of the rules.
        roles: who was on the board, moderator left out, in the fixed order.
        turns: calls of specialists, readable or not.
        silent_roles: roles without a readable turn.
        empty: calls without words, each with role, turn (the number it would have had in the transcript) and state.
        tokens: tokens of prompts and replies of all calls, as the providers report them.
        calls_uncounted: calls whose provider reported no tokens; they are estimated at four characters a token.
        tool_calls: look-ups and audits, in order.
        consensus_blocked: calls for consensus that were not followed.
        blocked: the reason of each.
        fallbacks: calls of the moderator that named no role of the board, or failed; the fixed order decided.
        proposals: in the order made, as first worded.
        standing: the proposal with most roles behind it at the end; empty without any.
        dissent: roles against it at the end.
        lost_dissent: of those, the roles the conclusion does not mention, after one request to repair it.
        repaired: whether the conclusion was asked for again because it left dissent out.
        revised: whether it was asked for again because of what the auditor told.
        kept_unsupported: regimens of the final conclusion that the auditor calls Unsupported.
        kept_open: regimens of the final conclusion on which it abstains or lacks information; that speaks neither for nor against them.
        named_not_audited: drugs named that no audit of this board looked at, each time with turn, role, drugs and why ("history",
            "rejected", "question", "not recognised as recommended"); nothing is said for or against them. Empty without the auditor.
        conclusion_state: what became of the call for the conclusion; "not-asked" when there was none.
        audit_basis: what audits were made on: where the case was read, policy, day, jurisdiction, hashes; empty without tools.
        review: the second look of a single model (`equipoise.boards.single_review`): what it was told, every reply it sent, which one
            counts, what became of its recommendations; empty for a board of agents.
        why: one line on the last call that failed, or on the limit that cut the board off; empty without.
    """

    stop: Stop
    version: str = ""
    roles: tuple[str, ...] = ()
    turns: int = 0
    silent_roles: tuple[str, ...] = ()
    empty: tuple[Mapping[str, str | int], ...] = ()
    tokens: int = 0
    calls_uncounted: int = 0
    tool_calls: tuple[ToolCall, ...] = ()
    consensus_blocked: int = 0
    blocked: tuple[str, ...] = ()
    fallbacks: int = 0
    proposals: tuple[str, ...] = ()
    standing: str = ""
    dissent: tuple[str, ...] = ()
    lost_dissent: tuple[str, ...] = ()
    repaired: bool = False
    revised: bool = False
    kept_unsupported: tuple[str, ...] = ()
    kept_open: tuple[str, ...] = ()
    named_not_audited: tuple[Mapping[str, Any], ...] = ()
    conclusion_state: str = "not-asked"
    audit_basis: Mapping[str, str] = field(default_factory=dict)
    review: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: plain values, fields in their order."""
        return {item.name: _plain(getattr(self, item.name)) for item in fields(self)}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> DiscussionRecord:
        """The record of a JSON form; elements of a later version that are not known here are left out.

        Raises:
            InputError: no known stop, or an element of the wrong kind.
        """
        known = {item.name: value[item.name] for item in fields(cls) if item.name in value}
        try:
            known["stop"] = Stop(value["stop"])
            calls = {item.name for item in fields(ToolCall)}
            known["tool_calls"] = tuple(
                ToolCall(**{name: _tuple(part) for name, part in row.items() if name in calls})
                for row in value.get("tool_calls") or ()
            )
            known["empty"] = tuple(dict(row) for row in value.get("empty") or ())
            known["named_not_audited"] = tuple(
                {name: _tuple(part) for name, part in row.items()} for row in value.get("named_not_audited") or ()
            )
            return cls(**{name: _tuple(part) for name, part in known.items()})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            message = f"expected the record of a discussion, found something else ({type(error).__name__})"
            raise InputError(message, field=DISCUSSION_KEY) from error


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    if isinstance(value, ToolCall):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, StrEnum) else value
