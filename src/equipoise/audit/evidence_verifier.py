"""Module 3: every retrieved assertion, criterion by criterion, against the facts of the case."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.audit.policy import Policy
from equipoise.audit.verdict import Result
from equipoise.cases.facts import FALSE, TRUE, Facts
from equipoise.evidence.criteria import Leaf, Node, positive_markers, prune
from equipoise.evidence.model import NEGATIVES, Assertion, Direction
from equipoise.evidence.regimens import Match


@dataclass(frozen=True, slots=True)
class Plan:
    """An assertion under a policy.

    Attributes:
        assertion: the assertion.
        requires: criteria that count; None when the policy ignores one without which a negative or caution says nothing.
        unless: exclusions that count.
        targeted: whether it asks for a biomarker to be present.
        reads: every field that its result depends on.
        components: the regimen as a set.
    """

    assertion: Assertion
    requires: tuple[Node, ...] | None
    unless: tuple[Node, ...]
    targeted: bool
    reads: frozenset[str]
    components: frozenset[str]


@dataclass(slots=True, eq=False)
class Evaluation:
    """An assertion held against a case. Made once and not changed.

    Attributes:
        plan: the assertion under the policy.
        result: satisfied, violated or undetermined.
        violated: criteria that fail, and exclusions that hold, each with its role.
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
    pruned = [prune(node, ignored) for node in assertion.requires]
    requires: tuple[Node, ...] | None = tuple(sorted((node for node in pruned if node is not None), key=_selectivity))
    if assertion.direction is not Direction.SUPPORTS and any(
        kept != node for kept, node in zip(pruned, assertion.requires, strict=True)
    ):
        requires = None
    unless = tuple(kept for kept in (prune(node, ignored) for node in assertion.unless) if kept is not None)
    targeted = any(positive_markers(node) for node in assertion.requires)
    reads = frozenset().union(*(node.reads for node in (*(requires or ()), *unless)))
    return Plan(assertion, requires, unless, targeted, reads, frozenset(assertion.regimen))


_ORDER = ("biomarker", "setting", "line", "histology", "pdl1")


def _selectivity(node: Node) -> tuple[int, int]:
    """Criteria that exclude most cases come first; the order changes no result."""
    return (_ORDER.index(node.kind) if node.kind in _ORDER else len(_ORDER), node.number)


_NOT_VIOLATED: tuple[tuple[str, Node], ...] = ()


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
    known = facts.answers
    for node in plan.requires:
        state = known.get(node.number)
        if state is None:
            state = node.state(facts)
        if state == TRUE:
            continue
        if state == FALSE:
            violated.append(("requires", node))
        else:
            unknown.append(node)
    for node in plan.unless:
        state = known.get(node.number)
        if state is None:
            state = node.state(facts)
        if state == FALSE:
            continue
        if state == TRUE:
            violated.append(("unless", node))
        else:
            gaps.append(node)
    if violated:
        return Evaluation(plan, Result.VIOLATED, tuple(violated), tuple(unknown), tuple(gaps), match)
    if unknown:
        return Evaluation(plan, Result.UNDETERMINED, _NOT_VIOLATED, tuple(unknown), tuple(gaps), match)
    return Evaluation(plan, Result.SATISFIED, _NOT_VIOLATED, (), tuple(gaps), match)


def taken_on_trust(plan: Plan, match: Match = Match.EXACT) -> Evaluation:
    """The evaluation of an assertion whose criteria nobody checks (this module off)."""
    negative = plan.assertion.direction in NEGATIVES or plan.assertion.direction is Direction.CAUTION
    return Evaluation(plan, Result.VIOLATED if negative else Result.SATISFIED, match=match)


LISTED_DRUG = Leaf(
    "biomarker", "biomarkers", "the listed drug of the reported alteration", frozenset(), lambda facts: FALSE
)
"""What an untargeted regimen fails on under a policy that asks for concordance of alteration and drug."""


def without_target(item: Evaluation) -> Evaluation:
    """The evaluation of an untargeted regimen where the reported alteration has a listed drug, under such a policy."""
    return Evaluation(
        item.plan, Result.VIOLATED, (*item.violated, ("requires", LISTED_DRUG)), item.unknown, item.gaps, item.match
    )


def holds(plan: Plan, facts: Facts) -> Result:
    """Only the result, stopping at the first criterion that fails: for scanning many assertions."""
    if plan.requires is None:
        return Result.VIOLATED
    result = Result.SATISFIED
    for node in plan.requires:
        state = node.state(facts)
        if state == FALSE:
            return Result.VIOLATED
        if state != TRUE:
            result = Result.UNDETERMINED
    for node in plan.unless:
        if node.state(facts) == TRUE:
            return Result.VIOLATED
    return result


def is_satisfied(plan: Plan, facts: Facts) -> bool:
    """Whether every criterion that counts holds, stopping at the first that does not."""
    if plan.requires is None:
        return False
    known = facts.answers
    for node in plan.requires:
        state = known.get(node.number)
        if state is None:
            state = node.state(facts)
        if state != TRUE:
            return False
    return all(node.state(facts) != TRUE for node in plan.unless)


class Rung:
    """A tree over the required criteria of many assertions: a branch whose criterion does not hold is not walked."""

    __slots__ = ("branches", "by_marker", "plans")

    def __init__(self) -> None:
        self.branches: dict[Node, Rung] = {}
        self.by_marker: dict[str, list[tuple[Node, Rung]]] = {}
        self.plans: list[Plan] = []

    def add(self, plan: Plan) -> None:
        """Put an assertion at the end of the path of its criteria."""
        rung = self
        for node in plan.requires or ():
            following = rung.branches.get(node)
            if following is None:
                following = rung.branches[node] = Rung()
                if isinstance(node, Leaf) and node.kind == "biomarker":
                    for name in sorted(node.payload):
                        rung.by_marker.setdefault(name, []).append((node, following))
            rung = following
        rung.plans.append(plan)

    def seal(self) -> Rung:
        """Leave branches that ask for a marker to the index of markers; call once, when all assertions are in."""
        for following in self.branches.values():
            following.seal()
        indexed = {node for rows in self.by_marker.values() for node, _ in rows}
        self.branches = {node: following for node, following in self.branches.items() if node not in indexed}
        return self

    def satisfied(self, facts: Facts) -> list[Plan]:
        """Assertions whose criteria all hold."""
        found: list[Plan] = []
        known = facts.answers
        present = facts.reported()
        open_rungs = [self]
        while open_rungs:
            rung = open_rungs.pop()
            for plan in rung.plans:
                for node in plan.unless:
                    if node.state(facts) == TRUE:
                        break
                else:
                    found.append(plan)
            for node, branch in rung.branches.items():
                state = known.get(node.number)
                if state is None:
                    state = node.state(facts)
                if state == TRUE:
                    open_rungs.append(branch)
            if rung.by_marker:
                matched: dict[int, Rung] = {}
                for name in present:
                    for node, branch in rung.by_marker.get(name, ()):
                        if node.number not in matched and node.state(facts) == TRUE:
                            matched[node.number] = branch
                open_rungs.extend(matched.values())
        return found
