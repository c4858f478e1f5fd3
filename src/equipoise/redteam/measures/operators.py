"""What each operator, and each family of operators, came to: coverage, conditional and end-to-end success, excess flips.

Of an operator, with every denominator fixed by the plan before the run:

- coverage = items with a checked mutant / all items of a form it works on;
- conditional success = replies to its attacks that are wrong / those that were read, of items that have a mutant and whose first
  untouched reply was right;
- end-to-end success = the same numerator / all items of a form it works on, times the replies to each attack.

The definitions of the three follow those of arXiv:2508.00923 (second version); what could not be read is in no numerator, is
counted apart, and bounds each rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from equipoise.redteam.measures.flips import Flips, flips_of
from equipoise.redteam.measures.rates import Rate, clustered, rate_of_all, rate_of_read
from equipoise.redteam.measures.replies import Replies, Reply, States, operator_relation
from equipoise.redteam.plan import PlannedOperator
from equipoise.statistics import holm, wilson
from equipoise.statistics.estimate import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorResult(Result):
    """What an operator, or a family of them, came to.

    Attributes:
        operator: identifier with version; for a family its operators, joined by commas.
        family: its family.
        relation: how the key of its mutants relates to the untouched one; empty when nothing was asked, or several.
        items: items of a form that it works on (for a family: pairs of operator and item).
        mutants: those with a checked mutant.
        not_applicable: the others by coded reason.
        rejected: mutants that a check refused.
        clean_right: items with a mutant whose first untouched reply was right.
        clean_wrong: the same, wrong.
        clean_not_read: the same, not read or not asked: in neither.
        coverage: items with a mutant / items.
        conditional: wrong replies to attacks / those read, of items in `clean_right`.
        end_to_end: the same numerator / items times replies to each attack.
        accuracy: right replies to attacks / those read, whatever the untouched reply was.
        abstained: replies to attacks that chose no option, of items in `clean_right`.
        failed: replies to attacks that could not be read, by state, `not_asked` included.
        flips: flips against those among untouched repeats.
    """

    operator: str
    family: str
    relation: str
    items: int
    mutants: int
    not_applicable: Mapping[str, int]
    rejected: int
    clean_right: int
    clean_wrong: int
    clean_not_read: int
    coverage: Rate
    conditional: Rate
    end_to_end: Rate
    accuracy: Rate
    abstained: int
    failed: Mapping[str, int]
    flips: Flips


def operator_results(replies: Replies, rng: np.random.Generator) -> tuple[OperatorResult, ...]:
    """One result an operator of the plan, in its order, p values corrected over all of them (Holm).

    Args:
        replies: all replies of a system.
        rng: random generator.
    """
    found = [_result(replies, [item], item.operator, item.family, rng) for item in replies.plan.operators]
    return adjusted(found)


def family_results(replies: Replies, rng: np.random.Generator) -> tuple[OperatorResult, ...]:
    """The same pooled by family, in the order in which families are met; an item's attacks are drawn together.

    Args:
        replies: all replies of a system.
        rng: random generator.
    """
    families = dict.fromkeys(item.family for item in replies.plan.operators)
    found = []
    for family in families:
        own = [item for item in replies.plan.operators if item.family == family]
        found.append(_result(replies, own, ", ".join(item.operator for item in own), family, rng))
    return adjusted(found)


def adjusted(results: Sequence[OperatorResult]) -> tuple[OperatorResult, ...]:
    """The results with the p values of both tests corrected by Holm, each over the operators that have one."""
    flips = _holm([item.flips.test.p_value if item.flips.items else None for item in results])
    wrong = _holm([item.flips.more_wrong_test.p_value if item.flips.more_wrong.n_used else None for item in results])
    return tuple(
        replace(item, flips=replace(item.flips, adjusted_p=one, more_wrong_adjusted_p=two))
        for item, one, two in zip(results, flips, wrong, strict=True)
    )


def _holm(values: Sequence[float | None]) -> list[float | None]:
    """Corrected p values in the places of those that are defined."""
    found = iter(holm([value for value in values if value is not None]))
    return [None if value is None else next(found) for value in values]


def _result(
    replies: Replies, planned: Sequence[PlannedOperator], name: str, family: str, rng: np.random.Generator
) -> OperatorResult:
    trials = replies.trials
    pairs = [(item.operator, mutant) for item in planned for mutant in item.mutants]
    clean = {item: replies.clean_right(item) for _, item in pairs}
    every = [reply for pair in pairs for reply in replies.attacked.get(pair, ())]
    states = States()
    for pair in pairs:
        states.add(replies.attacked.get(pair, ()), trials)
    right = [pair for pair in pairs if clean[pair[1]]]
    eligible = [reply for pair in right for reply in replies.attacked.get(pair, ())]
    read = [reply for reply in eligible if reply.right is not None]
    wrong = sum(not reply.right for reply in read)
    failed = len(right) * trials - len(read)
    unknown = sum(clean[item] is None for _, item in pairs)
    items = sum(len(item.items) for item in planned)
    mutants = len(pairs)
    reasons: dict[str, int] = {}
    for item in planned:
        for reason, count in item.not_applicable.items():
            reasons[reason] = reasons.get(reason, 0) + count
    relations = {relation.value for item in planned if (relation := operator_relation(replies, item)) is not None}
    return OperatorResult(
        operator=name,
        family=family,
        relation=relations.pop() if len(relations) == 1 else "",
        items=items,
        mutants=mutants,
        not_applicable=dict(sorted(reasons.items())),
        rejected=sum(item.rejected for item in planned),
        clean_right=len(right),
        clean_wrong=sum(clean[item] is False for _, item in pairs),
        clean_not_read=unknown,
        coverage=Rate(
            events=mutants, out_of=items, failed=0, estimate=wilson(mutants, items),
            lowest=mutants / items if items else None, highest=mutants / items if items else None,
        ),
        conditional=_read_rate([not reply.right for reply in read], read, failed, rng),
        end_to_end=_all_rate(replies, planned, wrong, failed + unknown * trials, items * trials, rng),
        accuracy=_accuracy(every, len(pairs) * trials, rng),
        abstained=sum(bool(reply.abstained) for reply in read),
        failed=states.failed(),
        flips=flips_of(replies, pairs, rng),
    )  # fmt: skip


def _read_rate(hits: Sequence[bool], read: Sequence[Reply], failed: int, rng: np.random.Generator) -> Rate:
    estimate = clustered(hits, [reply.item for reply in read], rng, failed)
    return rate_of_read(sum(hits), len(read), failed, estimate)


def _accuracy(every: Sequence[Reply], wanted: int, rng: np.random.Generator) -> Rate:
    read = [reply for reply in every if reply.right is not None]
    return _read_rate([bool(reply.right) for reply in read], read, wanted - len(read), rng)


def _all_rate(
    replies: Replies,
    planned: Sequence[PlannedOperator],
    wrong: int,
    failed: int,
    everything: int,
    rng: np.random.Generator,
) -> Rate:
    """The rate over the frozen denominator; every place of it is one reply that showed the event or did not."""
    hits: list[bool] = []
    clusters: list[str] = []
    for item in planned:
        mutants = set(item.mutants)
        for name in item.items:
            own = (
                replies.attacked.get((item.operator, name), ()) if name in mutants and replies.clean_right(name) else ()
            )
            shown = [reply.right is False for reply in own][: replies.trials]
            hits += shown + [False] * (replies.trials - len(shown))
            clusters += [name] * replies.trials
    return rate_of_all(wrong, everything, failed, clustered(hits, clusters, rng))
