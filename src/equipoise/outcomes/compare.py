"""Two runs on the same items: rates, paired differences with intervals, paired tests, adjusted for their number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import InputError
from equipoise.outcomes.likeness import differences, unlike
from equipoise.outcomes.measures import COLUMNS, Count, Measure, by_key, count, only_system
from equipoise.outcomes.run import Run
from equipoise.statistics import (
    Estimate,
    HypothesisTest,
    benjamini_hochberg,
    cluster_robust_rate,
    holm,
    mcnemar,
    missing_reply_bounds,
    paired_rate_difference,
    permutation_did,
    wilson,
)
from equipoise.statistics.bounds import Bounds
from equipoise.statistics.estimate import Result, undefined

Adjustment = Literal["holm", "benjamini-hochberg"]

WHY_FAILED = "empty, blocked, truncated, unparsed, failed or not stated"

DEFAULT_MEASURES: tuple[Measure, ...] = (
    Measure(id="accuracy", event="correct"),
    Measure(id="abstention_rate", event="abstained"),
    Measure(id="failed_rate", event="failed"),
)
"""Compared unless the caller names others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRate(Result):
    """One measure in both runs.

    Attributes:
        measure: name of the measure.
        stratum: stratum it is restricted to; empty for all.
        first: rate in the first run over its own readable replies.
        second: rate in the second run.
        first_bounds: the same with its unreadable replies counted either way.
        second_bounds: the same of the second.
        difference: first less second over replies both read.
        test: paired test of no difference.
        p_adjusted: p value adjusted for the number of tests of its kind; None when undefined.
        first_only: replies with the event in the first run only.
        second_only: in the second only.
    """

    measure: str
    stratum: str
    first: Estimate
    second: Estimate
    first_bounds: Bounds
    second_bounds: Bounds
    difference: Estimate
    test: HypothesisTest
    p_adjusted: float | None
    first_only: int
    second_only: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Result):
    """Two runs compared.

    Attributes:
        first: run and system of the first.
        second: run and system of the second.
        rates: the measures over all items; p values adjusted by `adjustment` over these.
        by_stratum: accuracy-like measures by stratum, a screen: p values adjusted by Benjamini-Hochberg.
        adjustment: how the p values of `rates` are adjusted.
        cluster: column whose values were drawn together; empty when every item is its own.
        unpaired: replies of one run without counterpart in the other.
        unlike: differences between the runs that had to be allowed.
        differs: other differences, such as the prompt or the policy.
        seed: seed of the random generator.
    """

    first: Mapping[str, str]
    second: Mapping[str, str]
    rates: tuple[ComparedRate, ...]
    by_stratum: tuple[ComparedRate, ...]
    adjustment: str
    cluster: str
    unpaired: Mapping[str, int]
    unlike: tuple[str, ...]
    differs: tuple[str, ...]
    seed: int


def compare(
    first: Run,
    second: Run,
    *,
    measures: Sequence[Measure] = DEFAULT_MEASURES,
    first_system: str | None = None,
    second_system: str | None = None,
    cluster: str | None = None,
    adjustment: Adjustment = "holm",
    allow_unlike: bool = False,
    seed: int = 42,
) -> Comparison:
    """Compares two runs reply by reply.

    Replies belong together when item, conversation, turn, round and trial are equal. One reply an item and no cluster
    column: exact McNemar. Otherwise replies of an item (or cluster) are averaged and the test flips their signs.

    Args:
        first: one run.
        second: the other.
        measures: what is compared; those for which a run has no reply are left out.
        first_system: system of the first run; needed when it has several.
        second_system: system of the second run.
        cluster: column of the outcomes whose equal values are drawn together.
        adjustment: of the p values of the measures: Holm for confirmatory questions, Benjamini-Hochberg for a screen.
        allow_unlike: compare although benchmark, dataset, references, labels, judges or rubrics differ. Prompts may
            differ; they are named in `differs`.
        seed: seed of the random generator.

    Returns:
        The comparison.

    Raises:
        InputError: the runs differ in what must agree, a system is not named or unknown, the column does not exist, or
            no reply of one run has a counterpart in the other.
    """
    found = unlike([first, second], prompts=False)
    if found and not allow_unlike:
        message = "the runs are not alike:\n" + "\n".join(found)
        raise InputError(message)
    if cluster is not None and cluster not in COLUMNS:
        message = f"there is no column {cluster!r}"
        raise InputError(message, field="cluster")
    if adjustment not in ("holm", "benjamini-hochberg"):
        message = f"expected holm or benjamini-hochberg, found {adjustment!r}"
        raise InputError(message, field="adjustment")
    names = (only_system(first, first_system), only_system(second, second_system))
    rng = np.random.default_rng(seed)
    rates, strata = [], []
    unpaired = {"first": 0, "second": 0}
    for measure in measures:
        one, two = count(first, measure, system=names[0]), count(second, measure, system=names[1])
        if not one or not two:
            continue
        shared = by_key(one, first).keys() & by_key(two, second).keys()
        if not shared:
            message = f"{measure.id}: no reply of one run answers the same as a reply of the other"
            raise InputError(message)
        unpaired["first"] = max(unpaired["first"], len({item.key for item in one} - shared))
        unpaired["second"] = max(unpaired["second"], len({item.key for item in two} - shared))
        rates.append(_compared(measure, "", one, two, cluster, rng))
        if measure.event == "correct":
            strata += _strata(measure, one, two, cluster, rng)
    adjust = holm if adjustment == "holm" else benjamini_hochberg
    return Comparison(
        first={"run": first.info.run_id, "system": names[0]},
        second={"run": second.info.run_id, "system": names[1]},
        rates=_adjusted(rates, adjust),
        by_stratum=_adjusted(strata, benjamini_hochberg),
        adjustment=adjustment,
        cluster=cluster or "",
        unpaired=unpaired,
        unlike=found,
        differs=differences([first, second], prompts=True),
        seed=seed,
    )


def rate_of(counts: Sequence[Count], cluster: str | None, *, level: float = 0.95) -> Estimate:
    """Rate over the readable replies: Wilson, or cluster-robust when a cluster column is named or items repeat.

    Args:
        counts: replies under a measure.
        cluster: column whose equal values belong together; a reply without value is its own cluster.
        level: coverage aimed at.
    """
    read = [item for item in counts if item.value is not None]
    failed = len(counts) - len(read)
    why = WHY_FAILED if failed else ""
    hits = sum(item.value or 0 for item in read)
    labels = clusters_of(read, cluster)
    if len(set(labels)) == len(labels):
        return wilson(hits, len(read), level=level, n_left_out=failed, why_left_out=why)
    if len(set(labels)) < 2:
        return undefined(
            "all replies are of one cluster, which says nothing about others",
            n_used=len(read),
            n_left_out=failed,
            why_left_out=why,
        )
    return cluster_robust_rate(
        [item.value or 0 for item in read], labels, level=level, n_left_out=failed, why_left_out=why
    )


def clusters_of(counts: Sequence[Count], cluster: str | None) -> list[str]:
    """A cluster label a reply: the column's value, else the item."""
    labels = []
    for item in counts:
        value = None if cluster is None else item.row[cluster]
        labels.append(f"item\t{item.row['item']}" if value is None else f"{cluster}\t{value}")
    return labels


def _compared(
    measure: Measure,
    stratum: str,
    one: Sequence[Count],
    two: Sequence[Count],
    cluster: str | None,
    rng: np.random.Generator,
) -> ComparedRate:
    other = {item.key: item for item in two}
    pairs = [(item, other[item.key]) for item in one if item.key in other]
    read = [(a, b) for a, b in pairs if a.value is not None and b.value is not None]
    values = np.array([[a.value or 0, b.value or 0] for a, b in read], dtype=np.float64).reshape(len(read), 2)
    labels = clusters_of([a for a, _ in read], cluster)
    left = len(pairs) - len(read)
    first_only = int(((values[:, 0] == 1) & (values[:, 1] == 0)).sum())
    second_only = int(((values[:, 0] == 0) & (values[:, 1] == 1)).sum())
    repeats = len(set(labels)) < len(labels)
    if repeats and len(set(labels)) < 2:
        why = "all replies are of one cluster, which says nothing about others"
        difference = undefined(why, n_used=len(read), n_left_out=left)
        test = HypothesisTest(p_value=None, statistic=None, method=f"undefined: {why}", n_used=len(read))
    else:
        difference = paired_rate_difference(
            values[:, 0],
            values[:, 1],
            rng=rng,
            clusters=labels if repeats else None,
            n_left_out=left,
            why_left_out="one of the two could not be read" if left else "",
        )
        test = _by_cluster(values, labels, rng) if repeats else mcnemar(first_only, second_only)
    return ComparedRate(
        measure=measure.id,
        stratum=stratum,
        first=rate_of(one, cluster),
        second=rate_of(two, cluster),
        first_bounds=_bounds(one),
        second_bounds=_bounds(two),
        difference=difference,
        test=test,
        p_adjusted=None,
        first_only=first_only,
        second_only=second_only,
    )


def _by_cluster(values: NDArray[np.float64], labels: list[str], rng: np.random.Generator) -> HypothesisTest:
    index = np.unique(np.array(labels), return_inverse=True)[1]
    sizes = np.bincount(index)
    first, second = (np.bincount(index, weights=values[:, column]) / sizes for column in (0, 1))
    return permutation_did(first, second, paired=True, rng=rng)


def _bounds(counts: Sequence[Count]) -> Bounds:
    read = [item.value for item in counts if item.value is not None]
    return missing_reply_bounds(sum(read), len(read), len(counts) - len(read), why=WHY_FAILED)


def _strata(
    measure: Measure, one: Sequence[Count], two: Sequence[Count], cluster: str | None, rng: np.random.Generator
) -> list[ComparedRate]:
    names = sorted({str(item.row["stratum"]) for item in (*one, *two) if item.row["stratum"] is not None})
    compared = []
    for name in names:
        parts = [[item for item in side if item.row["stratum"] == name] for side in (one, two)]
        if parts[0] and parts[1]:
            compared.append(_compared(measure, name, parts[0], parts[1], cluster, rng))
    return compared if len(names) > 1 else []


def _adjusted(
    rates: Sequence[ComparedRate], adjust: Callable[[Sequence[float]], tuple[float, ...]]
) -> tuple[ComparedRate, ...]:
    defined = {index: rate.test.p_value for index, rate in enumerate(rates) if rate.test.p_value is not None}
    values = dict(zip(defined, adjust(list(defined.values())), strict=True))
    return tuple(replace(rate, p_adjusted=values.get(index)) for index, rate in enumerate(rates))
