"""Raters, decisions, models and agents against the reference, the consensus and each rater; and what share of labels counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.errors import InputError
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics import CorrectionRefusedError, Estimate, calibrate, cohen_kappa, rogan_gladen, wilson
from equipoise.statistics.estimate import Result, undefined
from equipoise.study.protocol import Protocol
from equipoise.study.ratings import Ratings

REFERENCE, CONSENSUS, DECIDED = "reference", "consensus", "adjudicated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Against(Result):
    """One source of labels against another, on the items that have both.

    Attributes:
        system: whose labels.
        kind: "rater", "decision" or "system".
        basis: what they are held against: "reference", "consensus" or the code of a rater.
        percent: share that is equal.
        kappa: Cohen's kappa, unweighted.
    """

    system: str
    kind: str
    basis: str
    percent: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Prevalence(Result):
    """The share of labels that count, such as Unsupported.

    Attributes:
        system: whose labels.
        seen: the share as given, with a Wilson interval.
        corrected: the share corrected for the system's errors against the consensus; None for raters, whose labels are
            the measure.
        refused: why it was not corrected; empty when it was, and for raters.
    """

    system: str
    seen: Estimate
    corrected: Estimate | None
    refused: str


@dataclass(frozen=True, slots=True)
class _Answers:
    labels: Mapping[str, str]
    unread: int


def against(found: Ratings, protocol: Protocol, others: Sequence[Run] = ()) -> tuple[Against, ...]:
    """Every source of labels against every basis that is independent of it.

    A rater is held against the reference, not against the consensus, which contains the rater's own label.
    """
    consensus = found.consensus()
    made = []
    for rater in found.raters:
        own = {item: label for (code, item), label in found.labels.items() if code == rater}
        made += _pairs(protocol, rater, "rater", own, {REFERENCE: found.reference})
    if found.decided:
        made += _pairs(protocol, DECIDED, "decision", found.decided, {REFERENCE: found.reference})
    if consensus:
        made += _pairs(protocol, CONSENSUS, "decision", consensus, {REFERENCE: found.reference})
    for name, answers in _systems(others, protocol).items():
        bases = {REFERENCE: found.reference, CONSENSUS: consensus}
        for rater in found.raters:
            bases[rater] = {item: label for (code, item), label in found.labels.items() if code == rater}
        made += _pairs(protocol, name, "system", answers.labels, bases)
    return tuple(made)


def prevalence(found: Ratings, protocol: Protocol, others: Sequence[Run] = ()) -> tuple[Prevalence, ...]:
    """Shares of the labels that count; empty when the protocol names none."""
    positive = set(protocol.analysis.positive)
    if not positive:
        return ()
    level = protocol.analysis.level
    consensus = found.consensus()
    made = []
    for rater in found.raters:
        marks = [label for (code, _), label in found.labels.items() if code == rater]
        left = len(found.given[rater]) - len(marks)
        made.append(_seen(rater, marks, positive, level, left))
    if consensus:
        made.append(_seen(CONSENSUS, list(consensus.values()), positive, level, len(found.items) - len(consensus)))
    if found.reference:
        made.append(_seen(REFERENCE, list(found.reference.values()), positive, level, 0))
    for name, answers in _systems(others, protocol).items():
        seen = _seen(name, list(answers.labels.values()), positive, level, answers.unread)
        both = [item for item in consensus if item in answers.labels]
        human = [float(consensus[item] in positive) for item in both]
        judged = [float(answers.labels[item] in positive) for item in both]
        corrected, refused = None, ""
        try:
            corrected = rogan_gladen(
                sum(label in positive for label in answers.labels.values()), len(answers.labels), calibrate(human, judged),
                level=level, n_left_out=answers.unread, why_left_out="not read" if answers.unread else "",
            )  # fmt: skip
        except CorrectionRefusedError as error:
            refused = str(error)
        made.append(Prevalence(system=name, seen=seen.seen, corrected=corrected, refused=refused))
    return tuple(made)


def _seen(name: str, marks: Sequence[str], positive: set[str], level: float, left: int) -> Prevalence:
    why = "no label" if left else ""
    rate = wilson(sum(mark in positive for mark in marks), len(marks), level=level, n_left_out=left, why_left_out=why)
    return Prevalence(system=name, seen=rate, corrected=None, refused="")


def _pairs(
    protocol: Protocol, system: str, kind: str, own: Mapping[str, str], bases: Mapping[str, Mapping[str, str]]
) -> list[Against]:
    plan = protocol.analysis
    made = []
    for basis, labels in bases.items():
        known = {item: label for item, label in labels.items() if label in protocol.primary.values}
        both = [item for item in known if item in own]
        if not labels or not both:
            continue
        left = len(labels) - len(both) if basis != REFERENCE else sum(item not in known for item in own)
        why = "no label on both sides" if left else ""
        one, two = [own[item] for item in both], [known[item] for item in both]
        same = sum(first == second for first, second in zip(one, two, strict=True))
        try:
            kappa = cohen_kappa(
                one, two, rng=np.random.default_rng(plan.seed), categories=protocol.primary.values,
                resamples=plan.resamples, level=plan.level,
            )  # fmt: skip
        except ValueError as error:
            kappa = undefined(str(error), n_left_out=len(both))
        percent = wilson(same, len(both), level=plan.level, n_left_out=left, why_left_out=why)
        made.append(Against(system=system, kind=kind, basis=basis, percent=percent, kappa=kappa))
    return made


def _systems(others: Sequence[Run], protocol: Protocol) -> dict[str, _Answers]:
    """Answers of every system of other runs; a label the protocol does not have counts as not read, like a failed reply."""
    found: dict[str, _Answers] = {}
    for run in others:
        by: dict[str, dict[str, str]] = {}
        unread: dict[str, int] = {}
        for row in run.outcomes.to_pylist():
            name = row["system"]
            labels = by.setdefault(name, {})
            if row["state"] != ReplyState.OK or row["label"] not in protocol.primary.values:
                unread[name] = unread.get(name, 0) + 1
                continue
            if row["item"] in labels:
                message = f"{name} answered item {row['item']!r} more than once; give a run with one answer an item"
                raise InputError(message)
            labels[row["item"]] = row["label"]
        for name, labels in by.items():
            shown = name if name not in found else f"{name} ({run.info.run_id})"
            found[shown] = _Answers(labels, unread.get(name, 0))
    return found
