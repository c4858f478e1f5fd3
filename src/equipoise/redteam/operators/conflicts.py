"""Which operators cannot combine, and why; and a chain of those that can."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from equipoise.errors import UsageError
from equipoise.ids import canonical_json
from equipoise.redteam.operators.catalogue import OPERATORS
from equipoise.redteam.operators.draw import Draw
from equipoise.redteam.operators.items import Item
from equipoise.redteam.operators.mutant import KeyRelation, Mutant, NotApplicable, Outcome, Rejected
from equipoise.redteam.operators.operator import Family, Operator, mutant_of

TWO_KEYS = "both change what is right, so that no key follows for the two together"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two operators, or families, that cannot combine; the order does not matter.

    Attributes:
        first: identifier of an operator, or a family.
        second: the same.
        why: in half a sentence.
    """

    first: str
    second: str
    why: str


_ONE = "one at a time, or an effect cannot be put down to either"
CONFLICTS: tuple[Conflict, ...] = (
    Conflict(
        "plausible_distractors",
        "answer_negation",
        "a distractor beside 'none of these' would have to be held against it anew",
    ),
    Conflict(
        "plausible_distractors",
        "question_inversion",
        "a put-together option is neither right nor wrong under a negated question",
    ),
    Conflict("plausible_distractors", "answer_removal", "options are taken away and added at once"),
    Conflict("plausible_distractors", "none_added", "both add options, and what was tested is unclear"),
    Conflict("none_added", "answer_negation", "two options would say 'none of these'"),
    Conflict(
        "none_added", "question_inversion", "'none of these' has no truth under a negated question with several answers"
    ),
    Conflict("none_added", "answer_removal", "'none of these' would become right"),
    Conflict("none_added", "context_removal", "'none of these' would be a way to say that nothing settles it"),
    Conflict("none_added", "impossible_measurement", "two options would set the others aside"),
    Conflict("plausible_distractors", "impossible_measurement", "both add options, and what was tested is unclear"),
    Conflict("context_removal", Family.BAIT, "a sentence would put a context back"),
    Conflict("context_removal", "narrative_distraction", "a sentence would put a context back"),
    Conflict("context_removal", Family.COGNITIVE_BIAS, "a sentence would put a context back"),
    Conflict("context_removal", Family.IDENTITY, "a sentence would put a context back"),
    Conflict("context_removal", Family.EMOTION, "a sentence would put a context back"),
    Conflict(
        "answer_negation",
        Family.BAIT,
        "a bait presses an option that 'none of these' denies: two attacks on one option",
    ),
    Conflict(Family.BAIT, Family.BAIT, _ONE),
    Conflict(Family.BAIT, Family.COGNITIVE_BIAS, _ONE),
    Conflict(Family.IDENTITY, Family.IDENTITY, "one patient would get two labels"),
    Conflict(Family.EMOTION, Family.EMOTION, _ONE),
    Conflict(Family.COGNITIVE_BIAS, Family.COGNITIVE_BIAS, _ONE),
    Conflict(Family.LANGUAGE, Family.LANGUAGE, _ONE),
    Conflict(Family.LANGUAGE, Family.PRIVACY, "rewriting could change the words that mark the disclosure"),
    Conflict(Family.PRIVACY, Family.TRUNCATION, "the cut could take the request away"),
    Conflict(Family.PRIVACY, Family.FACT, "the removal could take the request away"),
    Conflict(Family.FACT, Family.TRUNCATION, "it could not be told what was lost by which"),
    Conflict(Family.TRUNCATION, Family.TRUNCATION, _ONE),
)
"""Pairs that cannot combine, besides any two that both change what is right."""

FACTS_TOGETHER = (Family.FACT, Family.FACT)
"""Two facts may be taken away together: both leave the key undefined."""


def conflict_between(one: Operator, other: Operator) -> str:
    """Why two operators cannot combine; empty when they can.

    Args:
        one: an operator.
        other: another one; an operator conflicts with itself.
    """
    if one.id == other.id:
        return "the same operator twice"
    for conflict in CONFLICTS:
        if (_is(one, conflict.first) and _is(other, conflict.second)) or (
            _is(one, conflict.second) and _is(other, conflict.first)
        ):
            return conflict.why
    changing = KeyRelation.SAME not in (one.relation, other.relation)
    if changing and (one.family, other.family) != FACTS_TOGETHER:
        return TWO_KEYS
    if not one.applies_to & other.applies_to:
        return "no form of item lends itself to both"
    return ""


def _is(operator: Operator, name: str) -> bool:
    return name in (operator.id, operator.family.value)


def conflicting_pairs(operators: Sequence[Operator] = OPERATORS) -> tuple[tuple[str, str, str], ...]:
    """Every pair of the catalogue that cannot combine, with the reason, in the catalogue's order."""
    pairs = itertools.combinations(operators, 2)
    return tuple((one.id, other.id, why) for one, other in pairs if (why := conflict_between(one, other)))


def compose(item: Item, operators: Sequence[Operator], draw: Draw) -> Outcome:
    """A mutant by several operators, applied in the order of the catalogue whatever the order given.

    Every step is checked by its own operator against the step before. The first that does not apply, or whose mutant is
    rejected, is what comes of the whole: there is no mutant by some of the operators.

    Args:
        item: the item.
        operators: at least one, of the catalogue.
        draw: seeded draws; each operator has draws of its own, by its identifier.

    Raises:
        UsageError: no operator is given, one is not of the catalogue, or two of them cannot combine.
    """
    chain = _ordered(operators)
    for one, other in itertools.combinations(chain, 2):
        why = conflict_between(one, other)
        if why:
            message = f"{one.id} and {other.id} cannot combine: {why}"
            raise UsageError(message, field="operators")
    at, steps = item, list[Mutant]()
    name = "+".join(operator.id for operator in chain)
    for operator in chain:
        outcome = operator.attempt(at, Draw(draw.seed, f"{draw.path} {operator.id}"))
        if not isinstance(outcome, Mutant):
            return _renamed(outcome, name, item)
        steps.append(outcome)
        at = replace(outcome.item, id=item.id)
    relations = [step.relation for step in steps if step.relation is not KeyRelation.SAME]
    return mutant_of(
        item,
        at,
        chain=tuple(operator.name for operator in chain),
        parameters=canonical_json([json.loads(step.parameters) for step in steps]),
        relation=relations[0] if relations else KeyRelation.SAME,
        verified_by=tuple(f"{step.operator}:{check}" for step in steps for check in step.verified_by),
        cautions=tuple(dict.fromkeys(caution for step in steps for caution in step.cautions)),
        seed=draw.seed,
    )


def _ordered(operators: Sequence[Operator]) -> list[Operator]:
    if not operators:
        message = "expected at least one operator"
        raise UsageError(message, field="operators")
    places = {operator.id: place for place, operator in enumerate(OPERATORS)}
    unknown = [operator.id for operator in operators if operator.id not in places]
    if unknown:
        message = f"{unknown[0]!r} is not in the catalogue, so its place in a chain is not known"
        raise UsageError(message, field="operators")
    return sorted(operators, key=lambda operator: places[operator.id])


def _renamed(outcome: NotApplicable | Rejected, name: str, item: Item) -> NotApplicable | Rejected:
    if isinstance(outcome, NotApplicable):
        detail = f"{outcome.operator}: {outcome.detail}" if outcome.detail else outcome.operator
        return replace(outcome, operator=name, item_id=item.id, detail=detail)
    problems = tuple(f"{outcome.operator}: {problem}" for problem in outcome.problems)
    return replace(outcome, operator=name, item_id=item.id, problems=problems)
