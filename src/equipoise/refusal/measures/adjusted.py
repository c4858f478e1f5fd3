"""Crude beside adjusted: what remains of a gap when both sides have the same mix, and what was the mix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equipoise.refusal.measures.definitions import Definition
from equipoise.refusal.measures.rates import clustered_rate, observed_mix, stratum_of
from equipoise.refusal.measures.replies import Reply, cluster_column, cluster_labels
from equipoise.statistics import Decomposition, EmptyStratumError, Estimate, kitagawa, standardise
from equipoise.statistics.estimate import Result

By = Literal["system", "group", "benchmark"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedRow(Result):
    """One system (or group) of the composition table.

    Attributes:
        name: the system or group.
        crude: as observed.
        standardised: under the reference mix; None when refused.
        refused: why; empty when it is not.
        reference: what the gap is taken against.
        split: Kitagawa's parts of the gap to the reference; None when refused or for the reference itself.
        split_refused: why there is no split; empty when there is one.
    """

    name: str
    crude: Estimate
    standardised: Estimate | None
    refused: str
    reference: str
    split: Decomposition | None
    split_refused: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompositionTable(Result):
    """Crude and adjusted rates side by side.

    Attributes:
        definition: what is counted.
        by: what the rows are.
        mix: the reference mix, shares that sum to 1.
        rows: one a system or group, in order of name.
    """

    definition: Definition
    by: str
    mix: Mapping[str, float]
    rows: tuple[AdjustedRow, ...]


def composition_table(
    replies: Sequence[Reply],
    definition: Definition,
    *,
    rng: np.random.Generator,
    by: By = "system",
    mix: Mapping[str, float] | None = None,
    resamples: int = 2000,
    level: float = 0.95,
) -> CompositionTable:
    """Direct standardisation of every row to one mix, and Kitagawa's split of its gap to all others together.

    Args:
        replies: replies of several systems, or of one system when rows are groups.
        definition: what is counted.
        rng: random generator.
        by: what the rows are.
        mix: reference share by stratum; that of all items together by default. A stratum in which a row has no
            readable reply is refused for that row, not reweighted.
        resamples: resamples of the split.
        level: coverage aimed at.

    References:
        Kitagawa EM. J Am Stat Assoc 1955;50:1168-1194. doi:10.1080/01621459.1955.10501299
    """
    own = [reply for reply in replies if definition.enters(reply) and getattr(reply, by)]
    declared = dict(mix or observed_mix(own, definition))
    total = sum(declared.values()) or 1.0
    read = [(reply, float(hit)) for reply in own if (hit := definition.occurs(reply)) is not None]
    column = cluster_column(own)
    names = sorted({getattr(reply, by) for reply in own})
    rows = []
    for name in names:
        inside = [(reply, hit) for reply, hit in read if getattr(reply, by) == name]
        others = [(reply, hit) for reply, hit in read if getattr(reply, by) != name]
        standardised, refused = _standardised(inside, declared, column, level)
        split, split_refused = _split(inside, others, column, rng, resamples, level)
        rows.append(
            AdjustedRow(
                name=name,
                crude=clustered_rate(
                    [bool(hit) for _, hit in inside],
                    cluster_labels([reply for reply, _ in inside], column),
                    n_left_out=sum(getattr(reply, by) == name for reply in own) - len(inside),
                    why_left_out="not read",
                    level=level,
                ),
                standardised=standardised,
                refused=refused,
                reference=f"all other {by}s together",
                split=split,
                split_refused=split_refused,
            )
        )
    return CompositionTable(
        definition=definition,
        by=by,
        mix={name: share / total for name, share in declared.items()},
        rows=tuple(rows),
    )


def _standardised(
    read: Sequence[tuple[Reply, float]], mix: Mapping[str, float], column: str, level: float
) -> tuple[Estimate | None, str]:
    strata = [stratum_of(reply) for reply, _ in read]
    strangers = sorted(set(strata) - set(mix))
    if strangers:
        return None, f"replies lie in strata that the mix does not declare: {', '.join(strangers)}"
    if not read:
        return None, "no readable reply"
    try:
        labels = cluster_labels([reply for reply, _ in read], column)
        found = standardise([hit for _, hit in read], strata, mix, level=level, clusters=labels)
    except EmptyStratumError as error:
        return None, error.message
    return found.standardised, ""


def _split(
    inside: Sequence[tuple[Reply, float]],
    others: Sequence[tuple[Reply, float]],
    column: str,
    rng: np.random.Generator,
    resamples: int,
    level: float,
) -> tuple[Decomposition | None, str]:
    labels = [cluster_labels([reply for reply, _ in side], column) for side in (inside, others)]
    if min(len(set(part)) for part in labels) < 2:
        return None, "fewer than two items on one side"
    try:
        return (
            kitagawa(
                [hit for _, hit in inside],
                [stratum_of(reply) for reply, _ in inside],
                [hit for _, hit in others],
                [stratum_of(reply) for reply, _ in others],
                rng=rng,
                resamples=resamples,
                level=level,
                first_clusters=labels[0],
                second_clusters=labels[1],
            ),
            "",
        )
    except EmptyStratumError as error:
        return None, error.message
