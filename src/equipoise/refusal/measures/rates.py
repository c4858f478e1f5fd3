"""One rate in all its forms: crude, standardised, corrected for the judge, bounded for labels and unread replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.measures.definitions import Definition, Reads
from equipoise.refusal.measures.replies import Reply, cluster_column, cluster_labels
from equipoise.statistics import (
    Bounds,
    ClusteredVerdicts,
    CorrectedCell,
    EmptyStratumError,
    Estimate,
    cluster_robust_rate,
    correct_cells,
    correct_clustered_cell,
    label_validity_bounds,
    missing_reply_bounds,
    standardise,
    wilson,
)
from equipoise.statistics.estimate import Result, undefined

NO_HUMAN = "no reply of this model and arm has a human label"
PEOPLE = "people read these replies themselves, so there is no classifier to correct"
CALIBRATED_ELSEWHERE = "the human labels are of other prompts"
GUARDED = "a guard withheld some of these replies, and its blocks are no verdicts of the classifier"
NO_MIX = "no reference mix of strata was declared"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRate(Result):
    """A rate of one system, in all its forms.

    Attributes:
        definition: what is counted, out of what.
        system: the system.
        crude: as observed, with an interval over clusters.
        standardised: under the declared mix of strata; None when refused.
        standardised_refused: why there is none; empty when there is one.
        strata: by stratum the declared share, the observed share and the rate.
        corrected: corrected for the errors of the classifier by the human labels of this model and arm; None when
            refused.
        corrected_refused: why there is none; empty when there is one.
        calibration: the cell behind the correction, with bounds that hold without it; None without human labels.
        label_validity: range of the true rate when only a share of the arm's labels is right; None when no share was
            given.
        unread: range over all replies of the arm, those that could not be read counted either way.
        n_used: replies read.
        left_out: replies of the arm that could not be read, by state.
        cluster: column whose equal values are drawn together.
        n_clusters: clusters among the replies read.
    """

    definition: Definition
    system: str
    crude: Estimate
    standardised: Estimate | None
    standardised_refused: str
    strata: Mapping[str, Mapping[str, float | Estimate]]
    corrected: Estimate | None
    corrected_refused: str
    calibration: CorrectedCell | None
    label_validity: Bounds | None
    unread: Bounds
    n_used: int
    left_out: Mapping[str, int]
    cluster: str
    n_clusters: int


def clustered_rate(
    hits: Sequence[bool], clusters: Sequence[str], *, n_left_out: int = 0, why_left_out: str = "", level: float = 0.95
) -> Estimate:
    """Wilson where every cluster holds one reply, cluster-robust where they repeat.

    Args:
        hits: whether the event occurs, a reply.
        clusters: a label a reply.
        n_left_out: replies that could not be read.
        why_left_out: their states.
        level: coverage aimed at.

    Returns:
        Estimate; undefined without replies, and when all are of one cluster, which says nothing about others.

    Raises:
        DependencyError: clusters repeat and the extra `stats` is not installed.
    """
    distinct = len(set(clusters))
    if distinct == len(clusters):
        return wilson(sum(hits), len(hits), level=level, n_left_out=n_left_out, why_left_out=why_left_out)
    if distinct < 2:
        return undefined(
            f"all {len(hits)} replies are of one cluster, which says nothing about others",
            n_used=len(hits),
            n_left_out=n_left_out,
            why_left_out=why_left_out,
        )
    return cluster_robust_rate(
        np.array(hits, dtype=np.float64), clusters, level=level, n_left_out=n_left_out, why_left_out=why_left_out
    )


def measure(
    replies: Sequence[Reply],
    definition: Definition,
    *,
    system: str = "",
    mix: Mapping[str, float] | None = None,
    valid_share: float | None = None,
    level: float = 0.95,
    seed: int = 42,
    resamples: int = 2000,
) -> MeasuredRate:
    """One rate of one system.

    Args:
        replies: replies of one system; those that the definition is not about do not enter.
        definition: what is counted.
        system: name; that of the replies by default.
        mix: reference share by stratum; None gives no standardised rate. A stratum without a readable reply is refused
            with its name, never reweighted.
        valid_share: share of the arm's labels that are right, above 0; None when nobody measured it.
        level: coverage aimed at.
        seed: seed of the interval of the corrected rate, which is drawn where replies come in clusters.
        resamples: its resamples.

    Raises:
        ValueError: the replies are of several systems and no name is given, or valid_share is out of range.
    """
    names = sorted({reply.system for reply in replies})
    if not system and len(names) > 1:
        message = f"expected the replies of one system, found {', '.join(names)}"
        raise ValueError(message)
    own = [reply for reply in replies if definition.enters(reply)]
    column = cluster_column(own)
    read = [(reply, hit) for reply in own if (hit := definition.occurs(reply)) is not None]
    hits = [hit for _, hit in read]
    clusters = cluster_labels([reply for reply, _ in read], column)
    left = _left_out(own, definition)
    failed = sum(left.values())
    why = ", ".join(f"{number} {state}" for state, number in left.items())
    crude = (
        clustered_rate(hits, clusters, n_left_out=failed, why_left_out=why, level=level)
        if own
        else undefined(f"no prompt of the {' or '.join(arm.value for arm in definition.arms)} arm")
    )
    standardised, refused, strata = _standardised(read, clusters, mix, level)
    corrected, not_corrected, cell = _corrected(own, definition, column, level=level, seed=seed, resamples=resamples)
    return MeasuredRate(
        definition=definition,
        system=system or (names[0] if names else ""),
        crude=crude,
        standardised=standardised,
        standardised_refused=refused,
        strata=strata,
        corrected=corrected,
        corrected_refused=not_corrected,
        calibration=cell,
        label_validity=(
            None
            if valid_share is None
            else label_validity_bounds(
                sum(hits), len(hits), valid_share, level=level, rate=crude if crude.estimate is not None else None
            )
        ),
        unread=missing_reply_bounds(sum(hits), len(hits), failed, why=why or "none", level=level),
        n_used=len(hits),
        left_out=left,
        cluster=column,
        n_clusters=len(set(clusters)),
    )


def stratum_of(reply: Reply) -> str:
    """Stratum of a reply: its category, or "all" where the benchmark has none."""
    return reply.stratum or "all"


def observed_mix(replies: Sequence[Reply], definition: Definition) -> dict[str, float]:
    """Distinct items by stratum of a definition's arm, over all systems: the mix of the benchmark itself.

    Args:
        replies: replies of one or more systems.
        definition: says which replies enter.
    """
    items = {(reply.benchmark, reply.item, stratum_of(reply)) for reply in replies if definition.enters(reply)}
    counts = Counter(stratum for _, _, stratum in items)
    return {name: float(counts[name]) for name in sorted(counts)}


def _left_out(own: Sequence[Reply], definition: Definition) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for reply in own:
        if definition.occurs(reply) is None:
            if reply.state is not ReplyState.OK:
                counts[reply.state.value] += 1
            else:
                counts[
                    reply.unread if definition.reads is Reads.REFUSAL else f"no {definition.reads.value} judged"
                ] += 1
    return dict(sorted(counts.items()))


def _standardised(
    read: Sequence[tuple[Reply, bool]], clusters: Sequence[str], mix: Mapping[str, float] | None, level: float
) -> tuple[Estimate | None, str, Mapping[str, Mapping[str, float | Estimate]]]:
    if not mix:
        return None, NO_MIX, {}
    strata = [stratum_of(reply) for reply, _ in read]
    strangers = sorted(set(strata) - set(mix))
    if strangers:
        return None, f"replies lie in strata that the mix does not declare: {', '.join(strangers)}", {}
    if not read:
        return None, "no readable reply", {}
    try:
        found = standardise([float(hit) for _, hit in read], strata, mix, level=level, clusters=clusters)
    except EmptyStratumError as error:
        return None, error.message, {}
    return found.standardised, "", found.strata


def _corrected(
    own: Sequence[Reply], definition: Definition, column: str, *, level: float, seed: int, resamples: int
) -> tuple[Estimate | None, str, CorrectedCell | None]:
    """Corrected by the human labels of the same model and arm; over clusters where replies repeat."""
    if definition.reads is not Reads.REFUSAL:
        return None, "people labelled refusals only", None
    if any(reply.by_people for reply in own):
        return None, PEOPLE, None
    if any(reply.blocked_by for reply in own):
        return None, GUARDED, None
    labelled = [reply for reply in own if reply.human is not None]
    if not labelled:
        return None, NO_HUMAN, None
    human = [float(bool(definition.occurs(reply, refusal=reply.human))) for reply in labelled]
    judge = [_number(definition.occurs(reply)) for reply in labelled]
    every = [_number(definition.occurs(reply)) for reply in own]
    clusters = cluster_labels(own, column)
    if len(set(clusters)) == len(clusters):
        cell = correct_cells({definition.id: (human, judge, every)}, level=level)[0]
    else:
        data = ClusteredVerdicts(
            human=human, judge=judge, label_clusters=cluster_labels(labelled, column), wanted=every, clusters=clusters
        )
        rng = np.random.default_rng(seed)
        cell = correct_clustered_cell(definition.id, data, rng=rng, resamples=resamples, level=level)
    told = other_prompts(own, labelled)
    if cell.corrected is None or not told:
        return cell.corrected, cell.refused, cell
    corrected = replace(cell.corrected, warnings=(*cell.corrected.warnings, *told))
    return corrected, "", replace(cell, corrected=corrected)


def other_prompts(own: Sequence[Reply], labelled: Sequence[Reply]) -> tuple[str, ...]:
    """What the human labels do not speak for: benchmarks, or categories, of which no reply is labelled.

    Args:
        own: replies whose rate is corrected.
        labelled: those with a human label.
    """
    for what, name_of in (("benchmark", _benchmark), ("category", stratum_of)):
        there = {name_of(reply) for reply in labelled}
        missing = sorted({name_of(reply) for reply in own} - there)
        if missing:
            shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
            return (f"{CALIBRATED_ELSEWHERE}: no reply of {what} {shown} has a human label",)
    return ()


def _benchmark(reply: Reply) -> str:
    return reply.benchmark


def _number(hit: bool | None) -> float:
    return float("nan") if hit is None else float(hit)
