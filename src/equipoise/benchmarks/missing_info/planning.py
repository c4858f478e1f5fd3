"""What the missing-information test asks: untouched items with repeats, and those that lost a named fact or half a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.benchmarks.missing_info.released import BENCHMARK
from equipoise.benchmarks.missing_info.tumor_board import CaseItem, CaseMutant, TumorBoard, tumor_board
from equipoise.ids import canonical_json, content_hash
from equipoise.redteam.operators import Item, Mutant, NotApplicable, Rejected, draw_for
from equipoise.redteam.operators.catalogue import FACT_OF, FACT_OPERATORS, find_operator
from equipoise.redteam.operators.items import Form
from equipoise.redteam.operators.operator import Operator
from equipoise.redteam.plan import Plan, PlannedOperator, StressArm

CUT = "half_turn"
OPERATORS: tuple[Operator, ...] = (*FACT_OPERATORS, find_operator(CUT))
"""Named facts, then the published cut."""

CONVERSATIONS, CASES, NOTES = "conversations", "cases", "notes"
"""Sets of items, as in the column `item_set`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """One thing that is asked.

    Attributes:
        id: identifier of the sample.
        turns: role and text, in order.
        reference: columns of the item.
        times: how often it is asked.
        fact: the fact that was taken away; empty otherwise.
    """

    id: str
    turns: tuple[tuple[str, str], ...]
    reference: Mapping[str, Any]
    times: int = 1
    fact: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan with everything it asks.

    Attributes:
        plan: the plan.
        askings: in order: untouched ones, then by operator.
        dependence: what became of the tumor-board cases and notes, as counts.
    """

    plan: Plan
    askings: tuple[Asking, ...]
    dependence: Mapping[str, Any]


def planned(conversations: Sequence[Item], *, cases: int, repeats: int, seed: int) -> Planned:
    """Everything that is asked, and the denominators.

    Args:
        conversations: conversations with rubrics.
        cases: tumor-board cases that are generated.
        repeats: untouched repeats of each item.
        seed: seed of cases and draws.
    """
    board = tumor_board(cases, seed)
    askings = [_untouched(item, repeats) for item in conversations]
    askings += [
        _untouched_case(item, kind, repeats)
        for kind, found in ((CASES, board.records), (NOTES, board.notes))
        for item in found
    ]
    operators = []
    for operator in OPERATORS:
        made, entry = _operator(operator, conversations, board, seed)
        askings += made
        operators.append(entry)
    items = [*conversations, *(one.item for one in (*board.records, *board.notes))]
    plan = Plan(
        benchmark=BENCHMARK,
        seed=seed,
        items=tuple(item.id for item in items),
        items_hash=content_hash(sorted(item.content_hash for item in items)),
        repeats=repeats,
        operators=tuple(entry for entry in operators if entry.items),
    )
    return Planned(plan=plan, askings=tuple(askings), dependence=board.to_dict())


def _operator(
    operator: Operator, conversations: Sequence[Item], board: TumorBoard, seed: int
) -> tuple[list[Asking], PlannedOperator]:
    fact = FACT_OF.get(operator.id)
    made: list[Asking] = []
    reasons: Counter[str] = Counter(board.reasons.get(operator.id, {}))
    rejected = board.rejected.get(operator.id, 0)
    reach: list[str] = []
    mutants: list[str] = []
    if Form.CONVERSATION in operator.applies_to:
        for item in conversations:
            reach.append(item.id)
            outcome = operator.attempt(item, draw_for(seed, item, operator.id))
            if isinstance(outcome, Mutant):
                mutants.append(item.id)
                turns = tuple((turn.role, turn.text) for turn in outcome.item.turns)
                made.append(_lost(operator, item.id, outcome, turns, CONVERSATIONS, {}))
            elif isinstance(outcome, NotApplicable):
                reasons[outcome.reason.value] += 1
            elif isinstance(outcome, Rejected):
                rejected += 1
    whole = board.notes if operator.id == CUT else board.records if Form.CASE in operator.applies_to else ()
    reach += [one.item.id for one in whole]
    for found in board.mutants.get(operator.id, ()):
        mutants.append(found.parent)
        turns = (("system", found.system), ("user", found.text))
        made.append(
            _lost(operator, found.parent, found.mutant, turns, NOTES if operator.id == CUT else CASES, _said(found))
        )
    return made, PlannedOperator(
        operator=operator.name,
        family=operator.family.value if fact is None else fact.value,
        items=tuple(reach),
        mutants=tuple(mutants),
        not_applicable=dict(reasons),
        rejected=rejected,
    )


def _untouched(item: Item, repeats: int) -> Asking:
    turns = tuple((turn.role, turn.text) for turn in item.turns)
    return Asking(id=item.id, turns=turns, reference=_columns(item.id, CONVERSATIONS), times=repeats + 1)


def _untouched_case(found: CaseItem, kind: str, repeats: int) -> Asking:
    turns = (("system", found.system), ("user", found.text))
    return Asking(id=found.item.id, turns=turns, reference=_columns(found.item.id, kind), times=repeats + 1)


def _columns(family: str, kind: str) -> dict[str, Any]:
    return {"item": family, "item_family": family, "item_set": kind}


def _lost(
    operator: Operator,
    parent: str,
    mutant: Mutant,
    turns: tuple[tuple[str, str], ...],
    kind: str,
    said: Mapping[str, Any],
) -> Asking:
    fact = FACT_OF.get(operator.id)
    reference = {
        "item": f"{parent}/{operator.id}",
        "parent_item": parent,
        "item_family": parent,
        "item_set": kind,
        "arm": StressArm.ATTACKED.value,
        "trial": 1,
        "operator": operator.name,
        "operator_parameters": canonical_json({**mutant.to_dict(), **said}),
        "stratum": operator.family.value if fact is None else fact.value,
    }
    return Asking(
        id=f"{parent}/{operator.id}", turns=turns, reference=reference, fact="" if fact is None else fact.value
    )  # fmt: skip


def _said(found: CaseMutant) -> dict[str, Any]:
    """What the audit says of a case that lost something."""
    return {
        "audit": {
            "standing": found.dependence.standing.value,
            "before": found.dependence.before,
            "after": found.dependence.after,
            "missing_fields": list(found.dependence.missing_fields),
        }
    }
