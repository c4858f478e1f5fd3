"""What the evidence on file supports for a patient, whatever was recommended."""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from equipoise.audit.case_parser import read_facts
from equipoise.audit.evidence_verifier import Plan, holds, is_satisfied
from equipoise.audit.verdict import Alternative, Label, Result
from equipoise.cases.facts import TRUE, Facts
from equipoise.cases.formats import case_from_object
from equipoise.cases.model import Case
from equipoise.evidence.criteria import Node, positive_markers
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
    rows: dict[str, Alternative] = {}
    reported = facts.reported()
    for plan in sorted(auditor.ladder(facts.as_of).satisfied(facts), key=_order):
        text = plan.assertion.regimen_text
        if text in rows or plan.components == exclude:
            continue
        choice = auditor.choice(plan, facts.as_of)
        if choice.negatives.hold(facts, reported):
            continue
        rows[text] = choice.weighed if choice.cautions.hold(facts, reported) else choice.clean
        if len(rows) == MAX_ALTERNATIVES:
            break
    return tuple(rows.values())


_order = operator.attrgetter("order")


class Block(NamedTuple):
    """Negatives or cautions of which it is asked whether any holds.

    Attributes:
        markers: names of markers; while none of them is reported, nothing that is marked can hold.
        marked_single: criteria of those that rest on one alone, which asks for a marker.
        marked: others that ask for a marker.
        single: criteria of those that rest on one alone of another kind.
        rest: all others.
    """

    markers: frozenset[str]
    marked_single: tuple[Node, ...]
    marked: tuple[Plan, ...]
    single: tuple[Node, ...]
    rest: tuple[Plan, ...]

    def hold(self, facts: Facts, reported: set[str]) -> bool:
        """Whether any of them is satisfied; `reported` is what the facts report."""
        if _any_true(self.single, facts):
            return True
        if self.rest and any(is_satisfied(plan, facts) for plan in self.rest):
            return True
        if self.markers.isdisjoint(reported):
            return False
        return _any_true(self.marked_single, facts) or any(is_satisfied(plan, facts) for plan in self.marked)


def _any_true(nodes: tuple[Node, ...], facts: Facts) -> bool:
    known = facts.answers
    for node in nodes:
        state = known.get(node.number)
        if state is None:
            state = known[node.number] = node.test(facts)
        if state == TRUE:
            return True
    return False


def block(plans: Iterable[Plan]) -> Block:
    """Sort negatives or cautions by how they are asked; equal criteria are asked once."""
    markers: frozenset[str] = frozenset()
    single: tuple[dict[int, Node], dict[int, Node]] = ({}, {})
    others: tuple[list[Plan], list[Plan]] = ([], [])
    for plan in plans:
        if plan.requires is None:
            continue  # never satisfied
        asked = next((node for node in plan.requires if node.kind == "biomarker"), None)
        if asked is not None:
            markers |= positive_markers(asked)
        if len(plan.requires) == 1 and not plan.unless:
            single[asked is not None][plan.requires[0].number] = plan.requires[0]
        else:
            others[asked is not None].append(plan)
    return Block(
        markers, tuple(single[True].values()), tuple(others[True]), tuple(single[False].values()), tuple(others[False])
    )


class Choice(NamedTuple):
    """A supporting assertion as an alternative, and what is weighed before it is one.

    Attributes:
        clean: the alternative where no caution fires.
        weighed: the alternative where one does.
        negatives: what would rule it out.
        cautions: cautions about its regimen.
    """

    clean: Alternative
    weighed: Alternative
    negatives: Block
    cautions: Block


def choice(plan: Plan, negatives: Iterable[Plan], cautions: Iterable[Plan]) -> Choice:
    """A supporting assertion of the deciding level as an alternative."""
    item = plan.assertion
    clean, weighed = (
        Alternative(item.regimen_text, item.id, item.level, label)
        for label in (Label.SUPPORTED, Label.PARTIALLY_SUPPORTED)
    )
    return Choice(clean, weighed, block(negatives), block(cautions))


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
