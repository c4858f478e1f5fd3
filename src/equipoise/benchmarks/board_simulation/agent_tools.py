"""What a board may call, agents or a single model: a look-up of statements, and the deterministic auditor for the patient in question."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from inspect_ai.tool import Tool, ToolDef, ToolError

from equipoise.benchmarks.board_samples import CASE_KEY
from equipoise.boards.board_audit import BoardAudit, board_audit
from equipoise.boards.discussion_record import ToolCall
from equipoise.errors import UsageError

TOOLS: tuple[str, ...] = ("none", "evidence", "auditor")
"""No tools; look-ups in the evidence base; look-ups and the auditor."""


def day_of(tools: str, as_of: str | None) -> dt.date | None:
    """The day of the tools; None without tools.

    Raises:
        UsageError: no such tools, or no day for them.
    """
    if tools not in TOOLS:
        message = f"expected one of {', '.join(TOOLS)}; found {tools!r}"
        raise UsageError(message, field="tools")
    if tools == "none":
        return None
    try:
        return dt.date.fromisoformat(str(as_of))
    except ValueError:
        message = "the tools read the evidence of a day: give as_of as year-month-day, for instance 2026-06-01"
        raise UsageError(message, field="as_of") from None


def audit_of(metadata: Mapping[str, Any], text: str, *, day: dt.date, policy: str, jurisdiction: str) -> BoardAudit:
    """The auditor for the case of a sample.

    Args:
        metadata: of the sample.
        text: the case as the board is given it, where the metadata keep none.
        day: for which the evidence is read.
        policy: of the auditor.
        jurisdiction: of which the sources speak.

    Raises:
        UsageError: unknown policy or jurisdiction.
    """
    known = metadata.get(CASE_KEY) or {}
    return board_audit(
        str(known.get("text") or text), known.get("audit_case"), as_of=day, policy=policy, jurisdiction=jurisdiction
    )


def board_tools(
    audit: BoardAudit,
    tools: str,
    role: str,
    turn: int,
    calls: list[ToolCall],
    *,
    civic: str | None = None,
    most: int | None = None,
) -> list[Tool]:
    """The tools of one turn.

    Args:
        audit: the auditor of the case, with its day and jurisdiction; the caller cannot change them.
        tools: one of `TOOLS`.
        role: who may call them.
        turn: number of the turn that is prepared.
        calls: where what was called is kept.
        civic: evidence file of CIViC that is searched too.
        most: calls that may stand in `calls`; one more is answered with that. None for no limit of its own.
    """

    def require_one() -> None:
        if most is not None and len(calls) >= most:
            message = "No calls are left. Answer now, in the form you were asked for."
            raise ToolError(message)

    async def search_evidence(query: str) -> str:
        """Find published statements about therapies by words, such as a drug and an alteration.

        Args:
            query: words to look for, for instance "osimertinib EGFR T790M".
        """
        require_one()
        found = audit.look_up(role, turn, query, civic=civic)
        calls.append(found.call)
        return found.text

    async def audit_regimen(regimen: str) -> str:
        """Ask the rule-based auditor for its verdict on a regimen for the patient in question.

        Args:
            regimen: names of the drugs, joined by "+".
        """
        require_one()
        told = audit.asked(role, turn, regimen)
        calls.append(told.call)
        return told.text

    offered = {"none": (), "evidence": (search_evidence,), "auditor": (search_evidence, audit_regimen)}[tools]
    return [ToolDef(execute).as_tool() for execute in offered]
