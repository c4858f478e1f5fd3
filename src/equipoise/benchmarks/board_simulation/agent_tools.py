"""What an agent of a board may call: a look-up of statements, and the deterministic auditor for the patient in question."""

from __future__ import annotations

from inspect_ai.tool import Tool, ToolDef

from equipoise.boards.board_audit import BoardAudit
from equipoise.boards.discussion_record import ToolCall

TOOLS: tuple[str, ...] = ("none", "evidence", "auditor")
"""No tools; look-ups in the evidence base; look-ups and the auditor."""


def board_tools(
    audit: BoardAudit, tools: str, role: str, turn: int, calls: list[ToolCall], *, civic: str | None = None
) -> list[Tool]:
    """The tools of one turn.

    Args:
        audit: the auditor of the case, with its day and jurisdiction; the caller cannot change them.
        tools: one of `TOOLS`.
        role: who may call them.
        turn: number of the turn that is prepared.
        calls: where what was called is kept.
        civic: evidence file of CIViC that is searched too.
    """

    async def search_evidence(query: str) -> str:
        """Find published statements about therapies by words, such as a drug and an alteration.

        Args:
            query: words to look for, for instance "osimertinib EGFR T790M".
        """
        found = audit.look_up(role, turn, query, civic=civic)
        calls.append(found.call)
        return found.text

    async def audit_regimen(regimen: str) -> str:
        """Ask the rule-based auditor for its verdict on a regimen for the patient in question.

        Args:
            regimen: names of the drugs, joined by "+".
        """
        told = audit.asked(role, turn, regimen)
        calls.append(told.call)
        return told.text

    offered = {"none": (), "evidence": (search_evidence,), "auditor": (search_evidence, audit_regimen)}[tools]
    return [ToolDef(execute).as_tool() for execute in offered]
