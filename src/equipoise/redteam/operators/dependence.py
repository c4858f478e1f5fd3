"""Whether an item now hangs on a fact that was taken away: by the audit for cases, by the rubric for conversations."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from equipoise.redteam.operators.checks.facts import mentions
from equipoise.redteam.operators.items import Item
from equipoise.redteam.operators.mutant import Reason, Refused
from equipoise.redteam.operators.named_facts import CASE_FIELDS, Fact

if TYPE_CHECKING:
    from equipoise.audit import Auditor
    from equipoise.audit.verdict import Verdict

POLICY = "label"
"""Policy of the audit that is asked."""

RUBRIC_CAUTION = "No criterion of the rubric names the fact: that a good answer depends on it was not shown."


class Standing(StrEnum):
    """What became of a case that lost something.

    OPEN_BEFORE: its parent was undetermined already. UNDERDETERMINED: it was decided and is not any more, and the audit's
    what-if table names fields that would decide it. SAME: decided as before. OTHERWISE: decided, but differently.
    UNRESOLVED: not decided any more, and no field is named that would decide it.
    """

    OPEN_BEFORE = "open_before"
    UNDERDETERMINED = "underdetermined"
    SAME = "same"
    OTHERWISE = "otherwise"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """What the audit says of a case before and after.

    Attributes:
        standing: what became of it.
        before: label of the parent.
        after: label of the mutant.
        missing_fields: fields that would decide the mutant now.
        names_the_fact: whether the field of the fact is among them; None when no fact was named.
    """

    standing: Standing
    before: str
    after: str
    missing_fields: tuple[str, ...]
    names_the_fact: bool | None = None


@lru_cache(maxsize=8)
def _auditor(as_of: dt.date) -> Auditor:
    from equipoise.audit import Auditor

    return Auditor(as_of=as_of, policy=POLICY)


def audited(record: dict[str, Any], regimen: str = "") -> Verdict | None:
    """The audit of a case's first recommendation, or of a regimen that is asked for apart; None when the case names no day.

    Raises:
        CaseError: the record cannot be read as a case.
    """
    from equipoise.cases.formats import case_from_object

    case = case_from_object(record)
    if case.as_of is None:
        return None
    auditor = _auditor(case.as_of)
    return auditor.audit_regimen(case, regimen) if regimen else auditor.audit(case)[0]


def compared(before: Verdict, after: Verdict, fact: Fact | None = None) -> Dependence:
    """What became of a case, from the two verdicts."""
    from equipoise.audit.verdict import Label

    open_label = Label.INSUFFICIENT_INFORMATION
    if before.label is open_label:
        standing = Standing.OPEN_BEFORE
    elif after.label is open_label:
        standing = Standing.UNDERDETERMINED if after.what_if and after.missing_fields else Standing.UNRESOLVED
    else:
        standing = Standing.SAME if after.label is before.label else Standing.OTHERWISE
    return Dependence(
        standing=standing,
        before=before.label.value,
        after=after.label.value,
        missing_fields=after.missing_fields,
        names_the_fact=None if fact is None else CASE_FIELDS[fact].among(after.missing_fields),
    )


def case_depends(fact: Fact, parent: Item, mutant: Item) -> Refused | tuple[str, ...]:
    """Refuses unless the audit decided the parent, does not decide the mutant, and names the fact's field as what would."""
    before, after = audited(parent.record()), audited(mutant.record())
    if before is None or after is None:
        return Refused(Reason.NO_DAY, "the case names no day for which evidence is read")
    found = compared(before, after, fact)
    if found.standing is not Standing.UNDERDETERMINED:
        return Refused(
            Reason.FACT_DOES_NOT_DECIDE, f"{found.standing.value}: {found.before} before, {found.after} after"
        )
    if not found.names_the_fact:
        fields = ", ".join(found.missing_fields)
        return Refused(Reason.FACT_DOES_NOT_DECIDE, f"what would decide it now is {fields}, not the fact alone")
    return ()


def rubric_depends(fact: Fact, parent: Item, mutant: Item) -> tuple[str, ...]:
    """A caution unless a criterion of the rubric names the fact."""
    named = any(mentions(fact, item.criterion) for item in parent.rubric)
    return () if named else (RUBRIC_CAUTION,)
