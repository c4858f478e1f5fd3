"""Module 3: every retrieved assertion, criterion by criterion, against the facts of the case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from equipoise.audit.policy import Policy
from equipoise.audit.verdict import Result
from equipoise.cases.facts import FALSE, TRUE, Facts
from equipoise.evidence.criteria import Leaf, Node, positive_markers, prune, test_of
from equipoise.evidence.model import NEGATIVES, Assertion, Direction
from equipoise.evidence.regimens import Match

Test = Callable[[Facts], int]


@dataclass(frozen=True, slots=True)
class Check:
    """One criterion of an assertion, ready to run: its test and the criterion as the policy leaves it."""

    test: Test
    node: Node


@dataclass(frozen=True, slots=True)
class Plan:
    """An assertion under a policy.

    Attributes:
        assertion: the assertion.
        requires: criteria that count; None when the policy ignores one without which a negative or caution says nothing.
        unless: exclusions that count.
        targeted: whether it asks for a biomarker to be present.
    """

    assertion: Assertion
    requires: tuple[Check, ...] | None
    unless: tuple[Check, ...]
    targeted: bool


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An assertion held against a case.

    Attributes:
        plan: the assertion under the policy.
        result: satisfied, violated or undetermined.
        violated: criteria that fail, and exclusions that hold.
        unknown: required criteria that cannot be decided.
        gaps: exclusions that cannot be decided.
        match: how the recommendation fits the regimen, for supporting assertions.
    """

    plan: Plan
    result: Result
    violated: tuple[tuple[str, Node], ...] = ()
    unknown: tuple[Node, ...] = ()
    gaps: tuple[Node, ...] = ()
    match: Match = Match.EXACT

    @property
    def assertion(self) -> Assertion:
        """The assertion itself."""
        return self.plan.assertion


def make_plan(assertion: Assertion, policy: Policy) -> Plan:
    """Compile an assertion under a policy.

    A criterion that the policy ignores drops out of a supporting assertion. A negative or a caution that rests on one says nothing
    under that policy, unless the policy includes the caution by name.
    """
    ignored = policy.criteria.ignore
    named = policy.caveats.include != "all" and assertion.name in policy.caveats.include
    if assertion.direction is Direction.CAUTION and named:
        ignored = frozenset()
    requires: list[Check] | None = []
    for node in assertion.requires:
        kept = prune(node, ignored)
        if kept is not node and assertion.direction is not Direction.SUPPORTS and _differs(kept, node):
            requires = None
            break
        if kept is not None and requires is not None:
            requires.append(Check(test_of(kept), kept))
    unless = tuple(Check(test_of(kept), kept) for kept in (prune(node, ignored) for node in assertion.unless) if kept is not None)
    targeted = any(positive_markers(node) for node in assertion.requires)
    return Plan(assertion, tuple(requires) if requires is not None else None, unless, targeted)


def _differs(kept: Node | None, node: Node) -> bool:
    return kept is None or kept != node


def evaluate(plan: Plan, facts: Facts, match: Match = Match.EXACT) -> Evaluation:
    """Hold one assertion against a case.

    Args:
        plan: the assertion under the policy.
        facts: the case.
        match: how the recommendation fits the regimen.
    """
    if plan.requires is None:
        return Evaluation(plan, Result.VIOLATED)
    violated: list[tuple[str, Node]] = []
    unknown: list[Node] = []
    gaps: list[Node] = []
    for check in plan.requires:
        state = check.test(facts)
        if state == TRUE:
            continue
        if state == FALSE:
            violated.append(("requires", check.node))
        else:
            unknown.append(check.node)
    for check in plan.unless:
        state = check.test(facts)
        if state == FALSE:
            continue
        if state == TRUE:
            violated.append(("unless", check.node))
        else:
            gaps.append(check.node)
    if violated:
        result = Result.VIOLATED
    elif unknown:
        result = Result.UNDETERMINED
    else:
        result = Result.SATISFIED
    return Evaluation(plan, result, tuple(violated), tuple(unknown), tuple(gaps), match)


def taken_on_trust(plan: Plan, match: Match = Match.EXACT) -> Evaluation:
    """The evaluation of an assertion whose criteria nobody checks (this module off)."""
    negative = plan.assertion.direction in NEGATIVES or plan.assertion.direction is Direction.CAUTION
    return Evaluation(plan, Result.VIOLATED if negative else Result.SATISFIED, match=match)


_TARGET = Leaf("biomarker", "biomarkers", "the listed drug of the reported alteration", frozenset(), lambda facts: FALSE)
"""What an untargeted regimen fails on under a policy that asks for concordance of alteration and drug."""


def without_target(item: Evaluation) -> Evaluation:
    """The evaluation of an untargeted regimen where the reported alteration has a listed drug, under such a policy."""
    return Evaluation(item.plan, Result.VIOLATED, (*item.violated, ("requires", _TARGET)), item.unknown, item.gaps, item.match)


def holds(plan: Plan, facts: Facts) -> Result:
    """Only the result, stopping at the first criterion that fails: for scanning many assertions."""
    if plan.requires is None:
        return Result.VIOLATED
    result = Result.SATISFIED
    for check in plan.requires:
        state = check.test(facts)
        if state == FALSE:
            return Result.VIOLATED
        if state != TRUE:
            result = Result.UNDETERMINED
    for check in plan.unless:
        if check.test(facts) == TRUE:
            return Result.VIOLATED
    return result
