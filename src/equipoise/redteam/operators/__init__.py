"""Operators that make mutants of items: pure, seeded, with pre-conditions that give a reason and checks apart from the writers.

An item is a question with options, a conversation with a rubric, or a tumor-board case. Every mutant states its parent, the
operators, their parameters, how the right answer relates to the parent's, what verified that, and what nobody verified. The
published systems they follow: arXiv:2508.00923 (robustness, privacy, bias) and arXiv:2607.18828 (missing information); no
wording of theirs is used.
"""

from __future__ import annotations

from equipoise.redteam.operators.catalogue import OPERATORS, PRIVACY_CHAIN, find_operator
from equipoise.redteam.operators.conflicts import CONFLICTS, compose, conflict_between, conflicting_pairs
from equipoise.redteam.operators.draw import Draw, draw_for
from equipoise.redteam.operators.items import (
    Form,
    Item,
    Option,
    RubricItem,
    Scene,
    Turn,
    case_item,
    choice_item,
    conversation_item,
)
from equipoise.redteam.operators.loop import Coverage, StaticSet, static_set
from equipoise.redteam.operators.mutant import KeyRelation, Mutant, NotApplicable, Reason, Rejected
from equipoise.redteam.operators.operator import Family, Operator, OperatorRefusedError
from equipoise.redteam.operators.proposals import Writer, attempt_with

__all__ = [
    "CONFLICTS",
    "OPERATORS",
    "PRIVACY_CHAIN",
    "Coverage",
    "Draw",
    "Family",
    "Form",
    "Item",
    "KeyRelation",
    "Mutant",
    "NotApplicable",
    "Operator",
    "OperatorRefusedError",
    "Option",
    "Reason",
    "Rejected",
    "RubricItem",
    "Scene",
    "StaticSet",
    "Turn",
    "Writer",
    "attempt_with",
    "case_item",
    "choice_item",
    "compose",
    "conflict_between",
    "conflicting_pairs",
    "conversation_item",
    "draw_for",
    "find_operator",
    "static_set",
]
