"""Module 3: every retrieved assertion, criterion by criterion, against the facts of the case."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from equipoise.audit.policy import Policy
from equipoise.audit.verdict import SATISFIED, UNDETERMINED, VIOLATED, Result
from equipoise.cases.facts import FALSE, TRUE, UNKNOWN, Facts
from equipoise.evidence.criteria import Leaf, Node, leaves, positive_markers, prune
from equipoise.evidence.model import NEGATIVES, Assertion, Direction
from equipoise.evidence.regimens import Match


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """An assertion under a policy.

    Attributes:
        assertion: the assertion.
        requires: criteria that count; None when the policy ignores one without which a negative or caution says nothing.
        unless: exclusions that count.
        targeted: whether it asks for a biomarker to be present.
        reads: every field that its result depends on.
        components: the regimen as a set.
        rank: level, whether nobody has read it, and id: better ones first.
        order: place among alternatives: those that ask for a marker first, then by id.
        quick: nothing but the result and the open criteria matters for a verdict, so that the first criterion that fails settles it.
        results: what a quick plan comes to, by the answer of its only criterion (UNKNOWN, TRUE, and FALSE from behind); the first of
            them is no use to a plan of several criteria, which differ in what is open.
    """

    assertion: Assertion
    requires: tuple[Node, ...] | None
    unless: tuple[Node, ...]
    targeted: bool
    reads: frozenset[str]
    components: frozenset[str]
    rank: tuple[str, bool, str]
    order: tuple[bool, str]
    quick: bool = False
    results: tuple[Evaluation, ...] = dataclasses.field(default=(), init=False)

    def __post_init__(self) -> None:
        single = self.requires if self.requires is not None and len(self.requires) == 1 else ()
        results = (
            Evaluation(self, UNDETERMINED, (), single),
            Evaluation(self, SATISFIED),
            Evaluation(self, VIOLATED, tuple([("requires", node) for node in single])),
        )
        object.__setattr__(self, "results", results)


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
    rank = (assertion.level, not assertion.verification.verified, assertion.id)
    # Asking for the line of therapy can find a conflict in the record, so that nothing may be left unasked where it stands.
    lines = any(leaf.kind == "line" for node in requires or () for leaf in leaves(node))
    quick = assertion.direction is not Direction.SUPPORTS and not unless and not lines
    return Plan(
        assertion,
        requires,
        unless,
        targeted,
        reads,
        frozenset(assertion.regimen),
        rank,
        (not targeted, assertion.id),
        quick,
    )


_ORDER = ("biomarker", "setting", "line", "histology", "pdl1")


def _selectivity(node: Node) -> tuple[int, int]:
    """Criteria that exclude most cases come first; the order changes no result."""
    return (_ORDER.index(node.kind) if node.kind in _ORDER else len(_ORDER), node.number)


def evaluate(plan: Plan, facts: Facts, match: Match = Match.EXACT) -> Evaluation:
    """Hold one assertion against a case.

    Args:
        plan: the assertion under the policy.
        facts: the case.
        match: how the recommendation fits the regimen.
    """
    if plan.requires is None:
        return Evaluation(plan, VIOLATED)
    violated: tuple[tuple[str, Node], ...] = ()
    unknown: tuple[Node, ...] = ()
    gaps: tuple[Node, ...] = ()
    known = facts.answers
    for node in plan.requires:
        state = known.get(node.number)
        if state is None:
            state = known[node.number] = node.test(facts)
        if state == TRUE:
            continue
        if state == FALSE:
            violated += (("requires", node),)
        else:
            unknown += (node,)
    for node in plan.unless:
        state = known.get(node.number)
        if state is None:
            state = known[node.number] = node.test(facts)
        if state == FALSE:
            continue
        if state == TRUE:
            violated += (("unless", node),)
        else:
            gaps += (node,)
    result = VIOLATED if violated else UNDETERMINED if unknown else SATISFIED
    return Evaluation(plan, result, violated, unknown, gaps, match)


def weigh(plan: Plan, facts: Facts) -> Evaluation:
    """Hold a negative or a caution against a case: the same result as `evaluate`, with less detail where it fails.

    Most of them fail, on their first criterion, and a verdict shows no criteria of a negative that does not hold.

    Args:
        plan: the assertion under the policy.
        facts: the case.
    """
    if not plan.quick or plan.requires is None:
        return evaluate(plan, facts)
    known = facts.answers
    unknown: list[Node] | None = None
    for node in plan.requires:
        state = known.get(node.number)
        if state is None:
            state = known[node.number] = node.test(facts)
        if state == TRUE:
            continue
        if state == FALSE:
            return plan.results[FALSE]
        if unknown is None:
            unknown = [node]
        else:
            unknown.append(node)
    if unknown is None:
        return plan.results[TRUE]
    return plan.results[UNKNOWN] if len(plan.requires) == 1 else Evaluation(plan, UNDETERMINED, (), tuple(unknown))


def taken_on_trust(plan: Plan, match: Match = Match.EXACT) -> Evaluation:
    """The evaluation of an assertion whose criteria nobody checks (this module off)."""
    negative = plan.assertion.direction in NEGATIVES or plan.assertion.direction is Direction.CAUTION
    return Evaluation(plan, VIOLATED if negative else SATISFIED, match=match)


LISTED_DRUG = Leaf(
    "biomarker", "biomarkers", "the listed drug of the reported alteration", frozenset(), lambda facts: FALSE
)
"""What an untargeted regimen fails on under a policy that asks for concordance of alteration and drug."""


def without_target(item: Evaluation) -> Evaluation:
    """The evaluation of an untargeted regimen where the reported alteration has a listed drug, under such a policy."""
    return Evaluation(
        item.plan, VIOLATED, (*item.violated, ("requires", LISTED_DRUG)), item.unknown, item.gaps, item.match
    )


def holds(plan: Plan, facts: Facts) -> Result:
    """Only the result, stopping at the first criterion that fails: for scanning many assertions."""
    if plan.requires is None:
        return VIOLATED
    result = SATISFIED
    for node in plan.requires:
        state = node.state(facts)
        if state == FALSE:
            return VIOLATED
        if state != TRUE:
            result = UNDETERMINED
    for node in plan.unless:
        if node.state(facts) == TRUE:
            return VIOLATED
    return result


def is_satisfied(plan: Plan, facts: Facts) -> bool:
    """Whether every criterion that counts holds, stopping at the first that does not."""
    if plan.requires is None:
        return False
    known = facts.answers
    for node in plan.requires:
        state = known.get(node.number)
        if state is None:
            state = known[node.number] = node.test(facts)
        if state != TRUE:
            return False
    return not plan.unless or all(node.state(facts) != TRUE for node in plan.unless)


class Rung:
    """A tree over the required criteria of many assertions: a branch whose criterion does not hold is not walked."""

    __slots__ = ("_nodes", "branches", "by_marker", "plans")

    def __init__(self) -> None:
        self._nodes: dict[Node, Rung] = {}
        self.branches: tuple[tuple[int, Node, Rung], ...] = ()
        self.by_marker: dict[str, list[tuple[int, Node, Rung]]] = {}
        self.plans: list[Plan] = []

    def add(self, plan: Plan) -> None:
        """Put an assertion at the end of the path of its criteria."""
        rung = self
        for node in plan.requires or ():
            following = rung._nodes.get(node)
            if following is None:
                following = rung._nodes[node] = Rung()
                if isinstance(node, Leaf) and node.kind == "biomarker":
                    for name in sorted(node.payload):
                        rung.by_marker.setdefault(name, []).append((node.number, node, following))
            rung = following
        rung.plans.append(plan)

    def seal(self) -> Rung:
        """Leave branches that ask for a marker to the index of markers; call once, when all assertions are in."""
        for following in self._nodes.values():
            following.seal()
        indexed = {number for rows in self.by_marker.values() for number, _, _ in rows}
        self.branches = tuple(
            [(node.number, node, rung) for node, rung in self._nodes.items() if node.number not in indexed]
        )
        return self

    def satisfied(self, facts: Facts) -> list[Plan]:
        """Assertions whose criteria all hold."""
        found: list[Plan] = []
        known = facts.answers
        present = facts.reported()
        open_rungs = [self]
        for rung in open_rungs:  # grows while it is walked
            for plan in rung.plans:
                for node in plan.unless:
                    state = known.get(node.number)
                    if state is None:
                        state = known[node.number] = node.test(facts)
                    if state == TRUE:
                        break
                else:
                    found.append(plan)
            for number, node, branch in rung.branches:
                state = known.get(number)
                if state is None:
                    state = known[number] = node.test(facts)
                if state == TRUE:
                    open_rungs.append(branch)
            if rung.by_marker:
                asked: set[int] = set()
                for name in present & rung.by_marker.keys():
                    for number, node, branch in rung.by_marker[name]:
                        if number not in asked:
                            asked.add(number)
                            if node.state(facts) == TRUE:
                                open_rungs.append(branch)
        return found
