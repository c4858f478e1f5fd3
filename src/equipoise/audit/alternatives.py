"""What the evidence on file supports for a patient, whatever was recommended."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from equipoise.audit.case_parser import read_facts
from equipoise.audit.evidence_verifier import Plan, holds, is_satisfied
from equipoise.audit.verdict import Alternative, Label, Result
from equipoise.cases.facts import Facts
from equipoise.cases.formats import case_from_object
from equipoise.cases.model import Case
from equipoise.evidence.model import Assertion, Direction

if TYPE_CHECKING:
    from equipoise.audit.pipeline import Auditor

MAX_ALTERNATIVES = 8
"""Most alternatives listed in a verdict."""


def satisfied(auditor: Auditor, facts: Facts, *, exclude: frozenset[str] = frozenset()) -> tuple[Alternative, ...]:
    """Regimens for which a verified supporting assertion at the deciding level is satisfied and no negative holds.

    Args:
        auditor: policy, evidence, jurisdiction.
        facts: the case.
        exclude: components of the regimen that was recommended.

    Returns:
        At most `MAX_ALTERNATIVES`, targeted ones first, then by id; Partially Supported where a caution fires.
    """
    found = auditor.ladder(facts.as_of).satisfied(facts)
    rows: dict[str, Alternative] = {}
    for plan in sorted(found, key=_order):
        item = plan.assertion
        if plan.components == exclude or item.regimen_text in rows:
            continue
        if any(is_satisfied(negative, facts) for negative in auditor.answers_to(plan, facts.as_of)):
            continue
        weighed = any(is_satisfied(caution, facts) for caution in auditor.cautions_on(plan, facts.as_of))
        label = Label.PARTIALLY_SUPPORTED if weighed else Label.SUPPORTED
        rows[item.regimen_text] = Alternative(item.regimen_text, item.id, item.level, label)
        if len(rows) == MAX_ALTERNATIVES:
            break
    return tuple(rows.values())


def _order(plan: Plan) -> tuple[bool, str]:
    return (not plan.targeted, plan.assertion.id)


def options(auditor: Auditor, case: Case | Mapping[str, Any]) -> tuple[Alternative, ...]:
    """The board's first question: what would be supported for this patient.

    Args:
        auditor: policy, evidence, jurisdiction and day.
        case: a case, or the JSON object of one; its recommendations are not read.

    Returns:
        Every regimen with a supporting assertion that is not violated, with the label its audit gives and the deciding assertion:
        Supported first, then Partially Supported, then Insufficient Information. Unsupported ones are left out.
    """
    if not isinstance(case, Case):
        case = case_from_object(case)
    as_of: dt.date = case.as_of or auditor.as_of
    facts = read_facts(case, None, as_of=as_of, reading=auditor.policy.reading)
    regimens: dict[str, Assertion] = {}
    for item in auditor.evidence.active(auditor.jurisdiction, as_of):
        if (
            item.direction is Direction.SUPPORTS
            and item.regimen_text not in regimens
            and holds(auditor.plan(item), facts) is not Result.VIOLATED
        ):
            regimens[item.regimen_text] = item
    rows: list[Alternative] = []
    for text, item in regimens.items():
        verdict = auditor.audit_regimen(case, text)
        if verdict.label is Label.UNSUPPORTED:
            continue
        deciding = verdict.evidence[0] if verdict.evidence else None
        rows.append(
            Alternative(
                text, deciding.id if deciding else item.id, deciding.level if deciding else item.level, verdict.label
            )
        )
    order = {Label.SUPPORTED: 0, Label.PARTIALLY_SUPPORTED: 1, Label.INSUFFICIENT_INFORMATION: 2}
    return tuple(sorted(rows, key=lambda row: (order[row.label], row.level, row.regimen)))
