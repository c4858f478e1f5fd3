"""The analysis that the protocol fixed, from the outcomes of an exported study.

Agreement stands beside what it rests on: prevalence, the share that agrees, and where disagreement sits. Training, attention
and repeated items enter no agreement. An item without a label is left out and counted, never scored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from equipoise.outcomes.run import Run
from equipoise.statistics import Estimate, cohen_kappa, fleiss_kappa, gwet_ac1, krippendorff_alpha, percent_agreement
from equipoise.statistics.estimate import Result, undefined
from equipoise.study.comparison import Against, Prevalence, against, prevalence
from equipoise.study.course import Attention, Course, attention, courses
from equipoise.study.places import Place, places
from equipoise.study.planner import ItemPlan, plan_items
from equipoise.study.protocol import CLOSED, Protocol, Question
from equipoise.study.ratings import Ratings, ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(Result):
    """How far one rater is.

    Attributes:
        rater: code.
        given: items given.
        labelled: items with a label.
        left_out: items without one (open, half answered or skipped).
        median_seconds: median seconds on a labelled item; None when not known.
    """

    rater: str
    given: int
    labelled: int
    left_out: int
    median_seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(Result):
    """How far raters agree on one question or one label.

    Attributes:
        name: the question, or the label held against all others.
        share: share of labels that are this one, over all raters and items; None for a question.
        percent: share of pairs of labels that agree.
        kappa: Cohen's kappa of two raters, Fleiss' of more; weighted as the protocol says.
        ac1: Gwet's AC1.
        alpha: Krippendorff's alpha; ordinal for a scale.
        raters: raters that enter.
    """

    name: str
    share: float | None
    percent: Estimate
    kappa: Estimate
    ac1: Estimate
    alpha: Estimate
    raters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion(Result):
    """Two raters against each other.

    Attributes:
        first: the rater of the rows.
        second: the rater of the columns.
        rows: items by label of the first and of the second, in the order of the protocol.
        kappa: Cohen's kappa of the two.
    """

    first: str
    second: str
    rows: tuple[tuple[int, ...], ...]
    kappa: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAnalysis(Result):
    """Everything the protocol asked for.

    Attributes:
        name: id of the study.
        title: its title.
        question: what it is to find out.
        primary: the question that is the result.
        labels: its answers, in order.
        positive: the answers whose share is given as the prevalence.
        protocol_hash: hash of the protocol the labels were given under.
        dataset_hash: hash of the items.
        versions: versions of the protocol, the first one first.
        items: items that were given to raters.
        shared: items with at least two labels.
        disagreed: items on which two raters differ.
        decided: items with a decision.
        progress: by rater.
        overall: agreement on the primary question.
        by_label: agreement on each label against all others.
        by_question: agreement on every other question with one answer.
        confusions: every pair of raters.
        where: where disagreement concentrates.
        courses: raters over time, and against themselves.
        attention: attention items by rater.
        against: raters, decisions and other systems against the reference and the consensus.
        prevalence: share of the labels that count, as seen and corrected.
        plan: items needed for narrower intervals.
        level: coverage of the intervals.
        seed: seed of the resamples.
        resamples: number of resamples.
        notes: what a reader must know.
    """

    name: str
    title: str
    question: str
    primary: str
    labels: tuple[str, ...]
    positive: tuple[str, ...]
    protocol_hash: str
    dataset_hash: str
    versions: tuple[dict[str, Any], ...]
    items: int
    shared: int
    disagreed: int
    decided: int
    progress: tuple[Progress, ...]
    overall: Agreement
    by_label: tuple[Agreement, ...]
    by_question: tuple[Agreement, ...]
    confusions: tuple[Confusion, ...]
    where: tuple[Place, ...]
    courses: tuple[Course, ...]
    attention: tuple[Attention, ...]
    against: tuple[Against, ...]
    prevalence: tuple[Prevalence, ...]
    plan: tuple[ItemPlan, ...]
    level: float
    seed: int
    resamples: int
    notes: tuple[str, ...]


def analyse(run: Run, protocol: Protocol, *, others: Sequence[Run] = ()) -> StudyAnalysis:
    """The analysis of an exported study.

    Args:
        run: the export.
        protocol: the protocol it was exported under.
        others: runs of models or agents on the same items.

    Raises:
        InputError: the export is not of this protocol, or an item was answered twice by one system.
    """
    found = ratings(run, protocol)
    labels = protocol.primary.values
    overall = _agreement(protocol, found, protocol.primary.id, found.table(), labels, ordered=_ordered(protocol))
    shared = found.shared()
    disagreed = [item for item in shared if found.disagreed(item)]
    return StudyAnalysis(
        name=protocol.name,
        title=protocol.title,
        question=protocol.question,
        primary=protocol.primary.text,
        labels=labels,
        positive=tuple(protocol.analysis.positive),
        protocol_hash=protocol.hash,
        dataset_hash=run.info.dataset_hash,
        versions=tuple(dict(version) for version in run.info.arguments.get("protocol_versions", ())),
        items=len(found.items),
        shared=len(shared),
        disagreed=len(disagreed),
        decided=len(found.decided),
        progress=tuple(_progress(found, rater) for rater in found.raters),
        overall=overall,
        by_label=tuple(_one_label(protocol, found, label) for label in labels),
        by_question=tuple(_question(protocol, found, run, item.id) for item in _secondary(protocol, run)),
        confusions=tuple(_confusion(protocol, found, *pair) for pair in combinations(found.raters, 2)),
        where=places(found, protocol),
        courses=courses(found, protocol),
        attention=attention(found, protocol),
        against=against(found, protocol, others),
        prevalence=prevalence(found, protocol, others),
        plan=plan_items(overall.kappa, overall.percent, overall.alpha),
        level=protocol.analysis.level,
        seed=protocol.analysis.seed,
        resamples=protocol.analysis.resamples,
        notes=_notes(protocol, found, shared),
    )


def _ordered(protocol: Protocol) -> bool:
    return protocol.primary.kind == "scale"


def _secondary(protocol: Protocol, run: Run) -> list[Question]:
    """The other questions with one answer that anybody answered."""
    answered = set(run.judgements.column("criterion").to_pylist())
    return [
        item
        for item in protocol.questions
        if item.kind in CLOSED and item.id != protocol.primary.id and item.id in answered
    ]


def _progress(found: Ratings, rater: str) -> Progress:
    given = found.given[rater]
    labelled = [item for item in given if (rater, item) in found.labels]
    seconds = [found.seconds[rater, item] for item in labelled if (rater, item) in found.seconds]
    return Progress(
        rater=rater,
        given=len(given),
        labelled=len(labelled),
        left_out=len(given) - len(labelled),
        median_seconds=float(np.median(seconds)) if seconds else None,
    )


def _agreement(
    protocol: Protocol,
    found: Ratings,
    name: str,
    given: Sequence[Sequence[str | None]],
    options: Sequence[str],
    *,
    ordered: bool,
    share: float | None = None,
) -> Agreement:
    plan = protocol.analysis
    table: Any = given
    clusters = [found.cluster[item] for item in found.items] if plan.cluster else None
    if len(found.raters) < 2:
        none = undefined("one rater", n_left_out=len(table), why_left_out="no second rater")
        return Agreement(
            name=name, share=share, percent=none, kappa=none, ac1=none, alpha=none, raters=len(found.raters)
        )
    same: dict[str, Any] = {"clusters": clusters, "resamples": plan.resamples, "level": plan.level}
    weights = plan.weights if ordered else "none"
    two = len(found.raters) == 2

    def kappa(rng: np.random.Generator) -> Estimate:
        if two:
            first, second = ([row[place] for row in table] for place in (0, 1))
            return cohen_kappa(first, second, rng=rng, weights=weights, categories=options, **same)
        return fleiss_kappa(table, rng=rng, **same)

    return Agreement(
        name=name,
        share=share,
        percent=_safely(lambda: percent_agreement(table, rng=_rng(protocol), **same)),
        kappa=_safely(lambda: kappa(_rng(protocol))),
        ac1=_safely(lambda: gwet_ac1(table, rng=_rng(protocol), categories=options, **same)),
        alpha=_safely(
            lambda: krippendorff_alpha(
                table, rng=_rng(protocol), categories=options, measure="ordinal" if ordered else "nominal", **same
            )
        ),
        raters=len(found.raters),
    )


def _safely(make: Callable[[], Estimate]) -> Estimate:
    """A coefficient; with a single cluster it has no interval and is told as undefined, not raised."""
    try:
        return make()
    except ValueError as error:
        return undefined(str(error))


def _rng(protocol: Protocol) -> np.random.Generator:
    """The same draws for every coefficient, so that adding one changes no other."""
    return np.random.default_rng(protocol.analysis.seed)


def _one_label(protocol: Protocol, found: Ratings, label: str) -> Agreement:
    other = f"not {label}"
    table = [[None if mark is None else label if mark == label else other for mark in row] for row in found.table()]
    marks = [mark for row in table for mark in row if mark is not None]
    share = marks.count(label) / len(marks) if marks else None
    return _agreement(protocol, found, label, table, (label, other), ordered=False, share=share)


def _question(protocol: Protocol, found: Ratings, run: Run, name: str) -> Agreement:
    reply = {row["reply_id"]: (row["system"], row["item"], row["item_set"]) for row in found.rows}
    given = {reply[row["reply_id"]]: row["value"] for row in run.judgements.to_pylist() if row["criterion"] == name}
    by = {(rater, item): value for (rater, item, purpose), value in given.items() if purpose in ("main", "import")}
    table = [[by.get((rater, item)) for rater in found.raters] for item in found.items]
    question = protocol.find(name)
    return _agreement(protocol, found, name, table, question.values, ordered=question.kind == "scale")


def _confusion(protocol: Protocol, found: Ratings, first: str, second: str) -> Confusion:
    options = protocol.primary.values
    rows = [[0] * len(options) for _ in options]
    pairs = [(one, two) for one, two in found.table((first, second)) if one is not None and two is not None]
    for one, two in pairs:
        rows[options.index(one)][options.index(two)] += 1
    plan = protocol.analysis
    kappa = _safely(
        lambda: cohen_kappa(
            [pair[0] for pair in pairs], [pair[1] for pair in pairs], rng=_rng(protocol), categories=options,
            weights=plan.weights if _ordered(protocol) else "none", resamples=plan.resamples, level=plan.level,
        )
    )  # fmt: skip
    return Confusion(first=first, second=second, rows=tuple(map(tuple, rows)), kappa=kappa)


def _notes(protocol: Protocol, found: Ratings, shared: Sequence[str]) -> tuple[str, ...]:
    notes = []
    if protocol.items.aid == "facts-by-rule":
        notes.append("raters saw facts read by rule from the text beside it (the arm facts-by-rule of the protocol)")
    if len(found.raters) > 2:
        notes.append("kappa is Fleiss' kappa, on the items that every rater labelled; it is not weighted")
    open_items = sum(found.disagreed(item) and item not in found.decided for item in shared)
    if open_items:
        notes.append(
            f"items that raters disagree on and nobody decided: {open_items}; they have no consensus and enter no figure "
            "that needs one"
        )
    imported = {row["system"] for row in found.rows if row["item_set"] == "import"}
    if imported:
        notes.append(
            f"labels taken from a file: {', '.join(sorted(imported))}; how these raters were blinded and in which order "
            "they worked is not known here"
        )
    return tuple(notes)
