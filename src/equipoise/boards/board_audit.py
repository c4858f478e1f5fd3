"""The deterministic auditor at a board: what it is asked, what it hears recommended, and what the board is told.

It says what the audit says and no more: label, reasons, evidence or what is missing, and that it leaves the matter to a person where it
does. What it cannot read or does not cover it says once. Its turns carry the role `auditor`, which is no person.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import Label, Verdict
from equipoise.boards.discussion_record import ToolCall
from equipoise.boards.recommended import Recommended
from equipoise.cases.formats import case_from_object
from equipoise.cases.model import Case
from equipoise.cases.narrative.reader import read_note
from equipoise.errors import CaseError
from equipoise.evals.evidence_functions import verdict_block
from equipoise.evals.retrieval import TOP, evidence_block, searcher

AUDIT, HEARD, EVIDENCE = "audit", "audit-recommendation", "evidence"
"""Names of the tools in a record: asked for by an agent, made of what was said, and a look-up."""

OPENING = "Rule-based check, not a person and not a medical device."
UNREADABLE = "case-unreadable"
"""Reason when no record could be made of the case."""

_OF_THE_CASE = frozenset({"out-of-scope", "unsupported-language", UNREADABLE})
"""Reasons that hold for the case, whatever the regimen; told once."""

_KEEP = (Label.SUPPORTED, Label.PARTIALLY_SUPPORTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One audit of something a board said.

    Attributes:
        call: what is kept of it.
        text: what the board is told; empty when it was told before.
    """

    call: ToolCall
    text: str

    @property
    def asks(self) -> bool:
        """Whether the board should look at its conclusion again because of it."""
        return bool(self.text) and self.call.verdict not in _KEEP


@dataclass(slots=True)
class BoardAudit:
    """The auditor for one case of a board.

    Attributes:
        auditor: policy, evidence, day, jurisdiction.
        case: the record it reads; None when none could be made.
        read_from: "audit_case" or "case text".
        why: why there is no record; empty when there is one.
    """

    auditor: Auditor
    case: Case | None
    read_from: str
    why: str = ""
    _verdicts: dict[str, Verdict] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)
    _case_told: bool = False

    def verdict(self, regimen: str) -> Verdict | None:
        """The audit of a regimen; None when there is no record of the case."""
        if self.case is None:
            return None
        if regimen not in self._verdicts:
            self._verdicts[regimen] = self.auditor.audit_regimen(self.case, regimen)
        return self._verdicts[regimen]

    def basis(self) -> dict[str, str]:
        """What every audit here rests on."""
        known = self.verdict("none named")
        return {
            "case read from": self.read_from if self.case is not None else f"nothing: {self.why}",
            "policy": self.auditor.policy.id,
            "as_of": self.auditor.as_of.isoformat(),
            "jurisdiction": self.auditor.jurisdiction,
            **(
                {}
                if known is None
                else {
                    "policy_hash": known.policy_hash,
                    "evidence_hash": known.evidence_hash,
                    "case_hash": known.case_hash,
                    "engine_version": known.engine_version,
                }
            ),
        }

    def asked(self, role: str, turn: int, regimen: str) -> Told:
        """Answer an agent that asks for a verdict; only that agent sees it.

        Args:
            role: who asks.
            turn: number of the turn it prepares.
            regimen: names of drugs.
        """
        verdict = self.verdict(regimen)
        call = _call(turn, role, AUDIT, regimen, verdict, told=False)
        return Told(call=call, text=self._unreadable() if verdict is None else verdict_block(verdict))

    def hears(self, role: str, turn: int, found: Iterable[Recommended], *, again: bool = False) -> tuple[Told, ...]:
        """Audit what somebody recommended.

        Args:
            role: whose recommendation it is.
            turn: number of the turn, as the transcript counts.
            found: the regimens.
            again: tell once more what is not supported, as a last word before the conclusion stands.

        Returns:
            One a regimen. A regimen is told once, and so is what holds for the whole case.
        """
        result = []
        for item in found:
            verdict = self.verdict(item.text)
            text = self._words(item, verdict, again=again)
            call = _call(turn, role, HEARD, item.text, verdict, told=bool(text))
            result.append(Told(call=call, text=text))
        return tuple(result)

    def look_up(self, role: str, turn: int, words: str, *, civic: str | None = None) -> Told:
        """Statements listed for words on the day of the audit, best match first.

        Args:
            role: who looks.
            turn: number of the turn it prepares.
            words: a drug, an alteration, a tumor.
            civic: evidence file of CIViC that is searched too.

        Raises:
            DependencyError: the extra `eval` is not installed.
        """
        found = searcher(self.auditor.jurisdiction, self.auditor.as_of, civic).search(words, TOP)
        call = ToolCall(
            turn=turn, role=role, tool=EVIDENCE, regimen=words, reasons=tuple(item.id for item in found), told=False
        )
        return Told(call=call, text=evidence_block(found))

    def standing_of(self, found: Iterable[Recommended]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of the regimens of a conclusion, those that the audit calls Unsupported, and those it leaves open."""
        against, open_ = [], []
        for item in found:
            verdict = self.verdict(item.text)
            if verdict is None or verdict.abstain or verdict.label is Label.INSUFFICIENT_INFORMATION:
                open_.append(item.text)
            elif verdict.label is Label.UNSUPPORTED:
                against.append(item.text)
        return tuple(against), tuple(open_)

    def _words(self, item: Recommended, verdict: Verdict | None, *, again: bool) -> str:
        if verdict is None or _case_level(verdict):
            if self._case_told:
                return ""
            self._case_told = True
            if verdict is None:
                return self._unreadable()
            said = " ".join(reason.text for reason in verdict.reasons)
            return f"{OPENING} Not assessed, neither for nor against: {said} This holds for every treatment named here."
        if item.text in self._told and not (again and verdict.label not in _KEEP):
            return ""
        self._told.add(item.text)
        return told_text(verdict, item.text)

    def _unreadable(self) -> str:
        return f"{OPENING} Not assessed, neither for nor against: the case could not be read as a record ({self.why})."


def board_audit(
    case_text: str,
    audit_case: Mapping[str, Any] | None,
    *,
    as_of: dt.date,
    policy: str = "label",
    jurisdiction: str = "US",
) -> BoardAudit:
    """The auditor for a case: from the record that comes with it, else from its text by the narrative reader.

    Args:
        case_text: the case as the board is given it.
        audit_case: the case in the auditor's own form; None without.
        as_of: day for which the evidence is read.
        policy: id of a shipped policy, or a file.
        jurisdiction: of which the sources speak.

    Raises:
        UsageError: unknown policy or jurisdiction.
    """
    auditor = Auditor(as_of=as_of, policy=policy, jurisdiction=jurisdiction)
    if audit_case is None:
        return BoardAudit(auditor=auditor, case=read_note(with_colons(case_text)), read_from="case text")
    try:
        record = case_from_object({name: value for name, value in audit_case.items() if name != "as_of"})
    except CaseError as error:
        return BoardAudit(auditor=auditor, case=None, read_from="audit_case", why=" ".join(str(error).split()))
    return BoardAudit(auditor=auditor, case=record, read_from="audit_case")


def with_colons(text: str) -> str:
    """A case text whose headings in brackets are written as a note writes them, so that "[Prior treatment]" heads what follows."""
    return _BRACKETS.sub(lambda found: f"{found[1].strip()}: ", text)


_BRACKETS = re.compile(r"^[ \t]{0,8}\[([^\[\]\n]{2,60})\][ \t]*:?[ \t]*\n?", re.MULTILINE)


def told_text(verdict: Verdict, regimen: str) -> str:
    """A verdict as one turn: label, reasons, evidence for and against, cautions that fire, what is missing.

    Args:
        verdict: the verdict.
        regimen: the regimen as it was put to the audit.
    """
    parts = [f'{OPENING} Recommendation heard: "{regimen}". Verdict: {verdict.label}.']
    if verdict.abstain:
        parts.append("It abstains: a person has to decide.")
    parts += [reason.text for reason in verdict.reasons[:4]]
    parts += [
        f"Evidence {side}: {use.statement} ({use.source})"
        for side, uses in (("for", verdict.evidence), ("against", verdict.evidence_against))
        for use in uses[:2]
        if str(use.result) == "satisfied" and not any(use.statement.rstrip(".") in part for part in parts)
    ]
    parts += [f"Caution: {item.text}" for item in verdict.caveats if str(item.state) == "fires"]
    if verdict.missing_fields:
        parts.append(f"Missing to decide: {', '.join(verdict.missing_fields)}.")
    parts.append(f"Read as of {verdict.as_of.isoformat()}, {verdict.jurisdiction}.")
    return " ".join(part if part.endswith((".", "!", "?", ")")) else f"{part}." for part in parts)


def _case_level(verdict: Verdict) -> bool:
    """Whether the audit abstains because of the case itself, whatever the regimen."""
    return verdict.abstain and (
        any(reason.code in _OF_THE_CASE for reason in verdict.reasons) or "tumor" in verdict.missing_fields
    )


def _call(turn: int, role: str, tool: str, regimen: str, verdict: Verdict | None, *, told: bool) -> ToolCall:
    return ToolCall(
        turn=turn,
        role=role,
        tool=tool,
        regimen=regimen,
        verdict="" if verdict is None else str(verdict.label),
        abstained=True if verdict is None else verdict.abstain,
        reasons=(UNREADABLE,) if verdict is None else tuple(reason.code for reason in verdict.reasons),
        told=told,
    )
