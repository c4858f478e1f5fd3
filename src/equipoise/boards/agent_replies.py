"""Reads what a moderator and a specialist answer, and writes the discussion in the one tagged form.

An agent's words are data: tags in them are broken before anything is written, so that nobody can write another's turn or the conclusion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from equipoise.boards.discussion import Call, Entry, Position, Said
from equipoise.boards.measures.process import measure_discussion
from equipoise.boards.model import Turn
from equipoise.boards.vocabulary import Role, role_of
from equipoise.outcomes.schema import ReplyState

LONGEST = 6_000
"""Characters of one turn that are kept; more is cut, with a mark."""

_THINKING = re.compile(r"<\s*(think|thinking|reasoning)\s*>.*?<\s*/\s*\1\s*>", re.DOTALL | re.IGNORECASE)
_OPEN_THINKING = re.compile(r"<\s*(?:think|thinking|reasoning)\s*>.*\Z", re.DOTALL | re.IGNORECASE)
_LATE_END = re.compile(r"\A.*<\s*/\s*(?:think|thinking|reasoning)\s*>", re.DOTALL | re.IGNORECASE)
_MARK = r"^[ \t>*_#-]{0,6}"
_NEXT = re.compile(
    _MARK + r"next[ \t*_]{0,3}:[ \t*_\[\"']{0,4}([A-Za-z][A-Za-z _-]{2,40}?)[\]\"'*_.! \t]{0,5}$",
    re.MULTILINE | re.IGNORECASE,
)
_CONCLUDE = re.compile(_MARK + r"conclude[*_.! \t]{0,5}$", re.MULTILINE | re.IGNORECASE)
_PROPOSAL = re.compile(_MARK + r"proposal[ \t*_]{0,3}:[ \t*_]{0,3}(.*)$", re.MULTILINE | re.IGNORECASE)
_POSITION = re.compile(
    _MARK + r"position[ \t*_]{0,3}:[ \t*_\[\"']{0,4}(agree|disagree|none)\b(?:[^\n0-9]{0,30}([0-9]{1,3}))?.*$",
    re.MULTILINE | re.IGNORECASE,
)
_NOTHING = frozenset({"", "none", "n/a", "no proposal", "-", "nothing"})
_TAGS = re.compile(r"<(?=\s*/?\s*(?:turn|discussion|conclusion|think|thinking|reasoning)\b)", re.IGNORECASE)


def without_thinking(text: str) -> str:
    """The reply without blocks of reasoning; one that never ends takes the rest with it."""
    return _LATE_END.sub("", _OPEN_THINKING.sub("", _THINKING.sub("", text)))


def said_line(text: str) -> str:
    """Words as one line of a transcript: no tags of the form, no line breaks, at most `LONGEST` characters."""
    line = " ".join(_TAGS.sub("\u2039", text).split())
    return line if len(line) <= LONGEST else line[:LONGEST].rstrip() + " [cut]"


def read_call(text: str, roles: Sequence[Role]) -> Call:
    """What a moderator's reply asks for: a line `NEXT: role`, or `CONCLUDE`; a reply that is a role's name alone counts.

    A reply that asks for two things, or for nobody on the board, asks for nothing. Other lines are its words to the board.

    Args:
        text: the reply.
        roles: who is on the board.
    """
    plain = without_thinking(text)
    named = {role_of(name) for name in _NEXT.findall(plain)}
    conclude = bool(_CONCLUDE.search(plain))
    rest = said_line(_NEXT.sub("", _CONCLUDE.sub("", plain)))
    if not named and not conclude and (alone := role_of(plain.strip(" \t\r\n.*\"'[]"))) in roles:
        return Call(next=alone)
    if len(named) + conclude != 1:
        return Call(words=rest)
    role = next(iter(named), None)
    return Call(next=role if role in roles else None, conclude=conclude, words=rest)


def read_said(text: str, role: Role) -> Said:
    """What a specialist's reply says: words, a line `PROPOSAL: ...`, a line `POSITION: agree 1`, `disagree 1` or `none`.

    Words such as "I disagree" without such a line count as disagreement; nothing but the line counts as agreement. Of two proposals, or
    two different positions, none counts: nobody but their author knows which holds.

    Args:
        text: the reply.
        role: who said it.
    """
    plain = without_thinking(text)
    words = said_line(_PROPOSAL.sub("", _POSITION.sub("", plain)))
    proposals = {said_line(found).strip(" *_") for found in _PROPOSAL.findall(plain)}
    proposals = {found for found in proposals if found.casefold().strip(".") not in _NOTHING}
    positions = {(kind.casefold(), number) for kind, number in _POSITION.findall(plain)}
    if not words:
        words = said_line(plain)
    if not words:
        return Said(state=ReplyState.EMPTY if not text.strip() else ReplyState.UNPARSED)
    proposal = proposals.pop() if len(proposals) == 1 else ""
    position, about = None, None
    if len(positions) == 1:
        kind, number = positions.pop()
        position = None if kind == "none" else Position(kind)
        about = int(number) if number and position is not None else None
    elif not positions and disagrees(words, role):
        position = Position.DISAGREE
    return Said(words=words, proposal=proposal, position=position, about=about)


def disagrees(words: str, role: Role) -> bool:
    """Whether words speak against something, by the rules of the process measures."""
    turn = Turn(id="t", speaker=role.value, role=role, text=words)
    return bool(measure_discussion((turn,), "").dissent)


def shown(said: Said) -> str:
    """The words with proposal and position in brackets, as the transcript has them."""
    extra = [f"[Proposal: {said.proposal}]"] if said.proposal and said.proposal not in said.words else []
    if said.position is not None:
        extra.append(f"[Position: {said.position.value}{'' if said.about is None else f' {said.about}'}]")
    return " ".join([said.words, *extra])


def write_board(entries: Sequence[Entry], conclusion: str) -> str:
    """The discussion as a single model would write it; without a conclusion there is no conclusion block.

    Args:
        entries: the turns.
        conclusion: the text; empty when there is none.
    """
    turns = [
        f"<turn {number}> {entry.role.title()}: {said_line(entry.text)}" for number, entry in enumerate(entries, 1)
    ]
    lines = ["<discussion>", *turns, "</discussion>"]
    if conclusion.strip():
        lines.append(f"<conclusion>{said_line(conclusion)}</conclusion>")
    return "\n".join(lines)
