"""Holds a run against a protocol: pass, fail or undecided, line by line."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from equipoise.errors import InputError
from equipoise.outcomes.compare import clusters_of, rate_of
from equipoise.outcomes.likeness import unlike
from equipoise.outcomes.measures import Count, by_key, count, only_system
from equipoise.outcomes.protocol import LineModel, Protocol, Unparsed
from equipoise.outcomes.run import Run
from equipoise.statistics import Estimate, Finding, non_inferiority
from equipoise.statistics.estimate import Result, undefined


class Decision(StrEnum):
    """What a line or a gate says."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"


EXIT_CODES: dict[Decision, int] = {Decision.PASS: 0, Decision.FAIL: 1, Decision.UNDECIDED: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class LineResult(Result):
    """One line, decided.

    Attributes:
        id: name of the line.
        decision: pass, fail or undecided.
        reason: why, as a sentence.
        condition: what is asked.
        estimate: the rate (or difference from the baseline) over readable replies, with its interval.
        against: the same with every unreadable reply counted against; None when there is none.
        favourable: the same with every one counted for; None when there is none.
        n_read: readable replies (pairs, with a baseline).
        n_failed: unreadable ones.
        n_clusters: clusters among the readable ones.
        unparsed: what was done with unreadable replies.
    """

    id: str
    decision: Decision
    reason: str
    condition: str
    estimate: Estimate
    against: Estimate | None
    favourable: Estimate | None
    n_read: int
    n_failed: int
    n_clusters: int
    unparsed: Unparsed


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult(Result):
    """A run held against a protocol.

    Attributes:
        decision: fail if a line fails, else undecided if one is, else pass.
        exit_code: 0 pass, 1 fail, 3 undecided.
        lines: the lines, in the order of the protocol.
        protocol: name of the protocol.
        protocol_hash: its content hash.
        named_by_run: whether the run names this protocol as the one fixed beforehand.
        run: identifier of the run.
        system: system of the run.
        baseline: identifier of the baseline run; empty without one.
        warnings: what a reader must know.
    """

    decision: Decision
    exit_code: int
    lines: tuple[LineResult, ...]
    protocol: str
    protocol_hash: str
    named_by_run: bool
    run: str
    system: str
    baseline: str
    warnings: tuple[str, ...]


def gate(
    run: Run,
    protocol: Protocol,
    *,
    baseline: Run | None = None,
    system: str | None = None,
    baseline_system: str | None = None,
    seed: int = 42,
) -> GateResult:
    """Decides every line of a protocol.

    A threshold line passes when the whole interval lies on the right side, fails when all of it lies on the wrong side,
    and is undecided otherwise; so too little data never passes. With `unparsed: bounds` both extremes of the unreadable
    replies must agree. A margin line is a non-inferiority test against the baseline at 1 - level in total.

    Args:
        run: the run.
        protocol: the protocol.
        baseline: run that margin lines compare with.
        system: system of the run; needed when it has several.
        baseline_system: system of the baseline.
        seed: seed of the random generator.

    Returns:
        The decisions.

    Raises:
        InputError: the run is of another benchmark or dataset than the protocol asks for, a margin line without
            baseline, a baseline that is not alike, or a system that is not named or unknown.
    """
    _require(run, protocol, baseline)
    name = only_system(run, system)
    rng = np.random.default_rng(seed)
    lines = []
    for line in protocol.lines:
        unparsed = line.unparsed or protocol.unparsed
        counts = count(run, line.metric.measure(line.id), system=name)
        if line.margin is None:
            lines.append(_threshold(line, counts, protocol, unparsed))
        else:
            assert baseline is not None
            other = count(baseline, line.metric.measure(line.id), system=only_system(baseline, baseline_system))
            pairs = _pairs(by_key(counts, run), by_key(other, baseline))
            lines.append(_margin(line, pairs, protocol, unparsed, rng))
    decisions = {line.decision for line in lines}
    decision = next(item for item in (Decision.FAIL, Decision.UNDECIDED, Decision.PASS) if item in decisions)
    named = run.info.protocol_hash == protocol.hash
    warnings: tuple[str, ...] = ()
    if not named:
        warnings = ("the run does not name this protocol, so nothing shows that it was written beforehand",)
    return GateResult(
        decision=decision,
        exit_code=EXIT_CODES[decision],
        lines=tuple(lines),
        protocol=protocol.name,
        protocol_hash=protocol.hash,
        named_by_run=named,
        run=run.info.run_id,
        system=name,
        baseline="" if baseline is None else baseline.info.run_id,
        warnings=warnings,
    )


def _require(run: Run, protocol: Protocol, baseline: Run | None) -> None:
    for wanted, found, what in (
        (protocol.benchmark, run.info.benchmark, "benchmark"),
        (protocol.dataset_hash, run.info.dataset_hash, "dataset"),
    ):
        if wanted is not None and wanted != found:
            message = f"the protocol is for {what} {wanted!r}, the run is on {found or 'none stated'!r}"
            raise InputError(message, field=what)
    margins = [line.id for line in protocol.lines if line.margin is not None]
    if margins and baseline is None:
        message = f"a baseline run is needed for {', '.join(margins)}"
        raise InputError(message, field="baseline")
    if baseline is not None and (apart := unlike([run, baseline])):
        message = "the baseline is not alike:\n" + "\n".join(apart)
        raise InputError(message, field="baseline")


def _filled(counts: Sequence[Count], value: int) -> list[Count]:
    """The counts with unreadable replies set to a value."""
    return [item if item.value is not None else replace(item, value=value) for item in counts]


def _threshold(line: LineModel, counts: Sequence[Count], protocol: Protocol, unparsed: Unparsed) -> LineResult:
    above = line.at_least is not None
    limit = line.at_least if line.at_least is not None else line.at_most
    assert limit is not None
    read = [item for item in counts if item.value is not None]
    failed = len(counts) - len(read)
    estimate = rate_of(counts, protocol.cluster, level=protocol.level)
    against = favourable = None
    if failed:
        against = rate_of(_filled(counts, 0 if above else 1), protocol.cluster, level=protocol.level)
        favourable = rate_of(_filled(counts, 1 if above else 0), protocol.cluster, level=protocol.level)
    condition = f"rate {'at least' if above else 'at most'} {limit:g}"

    def decide(rate: Estimate) -> Decision:
        if rate.low is None or rate.high is None:
            return Decision.UNDECIDED
        if (rate.low >= limit) if above else (rate.high <= limit):
            return Decision.PASS
        return Decision.FAIL if ((rate.high < limit) if above else (rate.low > limit)) else Decision.UNDECIDED

    decisions = [decide(item) for item in _considered(unparsed, estimate, against, favourable)]
    return _line(line, decisions, condition, estimate, against, favourable, read, failed, protocol, unparsed)


def _pairs(
    own: Mapping[tuple[Hashable, ...], Count], theirs: Mapping[tuple[Hashable, ...], Count]
) -> list[tuple[Count, Count]]:
    return [(item, theirs[key]) for key, item in own.items() if key in theirs]


def _margin(
    line: LineModel,
    pairs: Sequence[tuple[Count, Count]],
    protocol: Protocol,
    unparsed: Unparsed,
    rng: np.random.Generator,
) -> LineResult:
    assert line.margin is not None
    better = bool(line.higher_is_better)
    read = [(a, b) for a, b in pairs if a.value is not None and b.value is not None]
    failed = len(pairs) - len(read)
    good, bad = (1, 0) if better else (0, 1)
    findings: list[tuple[Estimate, Decision]] = []
    cases = [read]
    if failed:
        cases += [
            [(_filled([a], own)[0], _filled([b], theirs)[0]) for a, b in pairs]
            for own, theirs in ((bad, good), (good, bad))
        ]
    for case in cases:
        findings.append(_non_inferior(case, line.margin, better, protocol, rng))
    estimate, against, favourable = (findings[index][0] if index < len(findings) else None for index in range(3))
    considered = {
        "leave-out": findings[:1],
        "unfavourable": findings[1:2] or findings[:1],
        "bounds": findings[1:] or findings[:1],
    }[unparsed]
    condition = f"not {'below' if better else 'above'} the baseline by {line.margin:g} or more"
    assert estimate is not None
    return _line(
        line,
        [decision for _, decision in considered],
        condition,
        estimate,
        against,
        favourable,
        [a for a, _ in read],
        failed,
        protocol,
        unparsed,
    )


def _non_inferior(
    pairs: Sequence[tuple[Count, Count]], margin: float, better: bool, protocol: Protocol, rng: np.random.Generator
) -> tuple[Estimate, Decision]:
    labels = clusters_of([a for a, _ in pairs], protocol.cluster)
    if len(set(labels)) < 2:
        return undefined("fewer than two clusters", n_used=len(pairs)), Decision.UNDECIDED
    result = non_inferiority(
        [a.value or 0 for a, _ in pairs],
        [b.value or 0 for _, b in pairs],
        margin=margin,
        rng=rng,
        higher_is_better=better,
        alpha=(1 - protocol.level) / 2,
        clusters=labels if len(set(labels)) < len(labels) else None,
    )
    decision = {
        Finding.SHOWN: Decision.PASS,
        Finding.REFUTED: Decision.FAIL,
        Finding.NOT_SHOWN: Decision.UNDECIDED,
    }[result.finding]
    return result.difference, decision


def _considered(
    unparsed: Unparsed, estimate: Estimate, against: Estimate | None, favourable: Estimate | None
) -> list[Estimate]:
    """The estimates that must agree."""
    if against is None or favourable is None or unparsed == "leave-out":
        return [estimate]
    return [against] if unparsed == "unfavourable" else [against, favourable]


def _line(
    line: LineModel,
    decisions: Sequence[Decision],
    condition: str,
    estimate: Estimate,
    against: Estimate | None,
    favourable: Estimate | None,
    read: Sequence[Count],
    failed: int,
    protocol: Protocol,
    unparsed: Unparsed,
) -> LineResult:
    clusters = len(set(clusters_of(read, protocol.cluster)))
    decision = decisions[0] if len(set(decisions)) == 1 else Decision.UNDECIDED
    if len(read) < line.minimum_n:
        decision = Decision.UNDECIDED
        reason = f"{len(read)} readable replies, at least {line.minimum_n} are asked for"
    elif clusters < line.minimum_clusters:
        decision = Decision.UNDECIDED
        reason = f"{clusters} clusters, at least {line.minimum_clusters} are asked for"
    elif len(set(decisions)) > 1:
        reason = f"depends on what the {failed} unreadable replies would have been"
    else:
        reason = {
            Decision.PASS: "the whole interval meets the condition",
            Decision.FAIL: "the whole interval misses the condition",
            Decision.UNDECIDED: "the interval lies on both sides of the condition",
        }[decision]
    if failed and unparsed == "leave-out":
        reason += f"; {failed} unreadable replies are left out, as the protocol says"
    return LineResult(
        id=line.id,
        decision=decision,
        reason=reason,
        condition=condition,
        estimate=estimate,
        against=against,
        favourable=favourable,
        n_read=len(read),
        n_failed=failed,
        n_clusters=clusters,
        unparsed=unparsed,
    )
