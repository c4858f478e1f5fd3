"""How far judges agree with people and with each other: weighted kappa with an interval over whole recordings.

A mean of two raters is no rater here: each person stands alone, so that people can be held against each other too. Two judges that
agree are not right for that; only people say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from equipoise.boards.judging.criteria import BY_RUBRIC, CriterionForm, Kind
from equipoise.boards.judging.items import ItemScore
from equipoise.boards.judging.labels import Label
from equipoise.errors import InputError
from equipoise.judging.makers import made_by
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics.agreement import cohen_kappa
from equipoise.statistics.bootstrap import RESAMPLES
from equipoise.statistics.estimate import Estimate, Result, undefined

FEWEST_RECORDINGS = 10
"""Recordings below which there is no interval; of a single one there is no kappa either."""

STEPS = 4
"""Parts of a step in which a panel's median can lie: halfway between two judges of whom each may lie halfway between two repeats.
Quadratic weights depend on distances alone, so that finer categories leave kappa of whole values as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(Result):
    """Two raters on the same answers, by one criterion.

    Attributes:
        first: a judge or person.
        second: another.
        people: how many of the two are people.
        rubric: identifier.
        criterion: identifier.
        scale: identifier.
        arm: captions or images.
        setting: single or agents, with the tools.
        n: answers both gave a value.
        recordings: meetings they come from.
        exact: share of equal values; None without answers.
        within_one: share of values at most one step apart; None for a flag or without answers.
        kappa: Cohen's kappa with quadratic weights, unweighted for a flag; undefined when both use one value only.
    """

    first: str
    second: str
    people: int
    rubric: str
    criterion: str
    scale: str
    arm: str
    setting: str
    n: int
    recordings: int
    exact: float | None
    within_one: float | None
    kappa: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreements(Result):
    """Agreement of a run.

    Attributes:
        pairs: judges with people first, then people among themselves, then judges.
        unmatched: labels that no reply of the run goes with.
        ambiguous: labels that several replies go with, since the file does not name system, arm or setting.
    """

    pairs: tuple[Agreement, ...]
    unmatched: int
    ambiguous: int


_Group = tuple[str, str, str, str]
"""Rubric, criterion, arm, setting."""


def agreements(
    scores: Iterable[ItemScore],
    labels: Sequence[Label] = (),
    *,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Agreements:
    """How far raters agree, pair by pair; of a judge the first repeat counts, and panels are no pair with their own judges.

    Args:
        scores: of a run.
        labels: of people.
        rng: random generator of the intervals.
        resamples: number of resamples.
        level: coverage aimed at.

    Raises:
        InputError: a person labelled one answer twice by one criterion.
    """
    kept = [item for item in scores if item.repeat == 1 and item.judge and _form(item) is not None]
    votes: dict[_Group, dict[str, dict[str, float]]] = {}
    clusters: dict[str, str] = {}
    for item in kept:
        clusters[item.reply_id] = item.recording
        if item.points is not None:
            group = (item.rubric, item.criterion, item.arm, item.setting)
            votes.setdefault(group, {}).setdefault(item.judge, {})[item.reply_id] = item.points
    people, unmatched, ambiguous = _labelled(kept, labels, votes)
    pairs = []
    for group, by_rater in votes.items():
        names = sorted(by_rater, key=lambda name: (name not in people, name))
        for first, second in combinations(names, 2):
            if first not in people and "panel:" in first + second:
                continue
            pair = _pair(first, second, group, by_rater, clusters, people, rng, resamples, level)
            pairs.append(pair)
    order = {1: 0, 2: 1, 0: 2}
    return Agreements(
        pairs=tuple(sorted(pairs, key=lambda item: order[item.people])), unmatched=unmatched, ambiguous=ambiguous
    )


def _labelled(
    kept: Sequence[ItemScore], labels: Sequence[Label], votes: dict[_Group, dict[str, dict[str, float]]]
) -> tuple[frozenset[str], int, int]:
    """Labels put among the votes; the names of people, and how many labels go with no reply or with several."""
    replies: dict[tuple[str, str], dict[str, ItemScore]] = {}
    for item in kept:
        if item.reply_state == ReplyState.OK:
            for name in (item.item, item.reply_id):
                replies.setdefault((name, item.criterion), {})[item.reply_id] = item
    people, unmatched, ambiguous = set(), 0, 0
    for label in labels:
        found = [
            item
            for item in replies.get((label.item, label.criterion), {}).values()
            if label.system in ("", item.system) and label.arm in ("", item.arm) and label.setting in ("", item.setting)
        ]
        if len(found) != 1:
            unmatched += not found
            ambiguous += len(found) > 1
            continue
        item, name = found[0], f"person:{label.rater}"
        people.add(name)
        group = (item.rubric, item.criterion, item.arm, item.setting)
        own = votes.setdefault(group, {}).setdefault(name, {})
        if item.reply_id in own:
            message = f"rater {label.rater!r} labelled {label.item!r} twice by {label.criterion}"
            raise InputError(message, field="item")
        own[item.reply_id] = label.points
    return frozenset(people), unmatched, ambiguous


def _pair(
    first: str, second: str, group: _Group, by_rater: dict[str, dict[str, float]], clusters: dict[str, str],
    people: frozenset[str], rng: np.random.Generator, resamples: int, level: float,
) -> Agreement:  # fmt: skip
    form = next(item for item in BY_RUBRIC[group[0]] if item.criterion == group[1])
    both = [reply for reply in by_rater[first] if reply in by_rater[second]]
    left = [by_rater[first][reply] for reply in both]
    right = [by_rater[second][reply] for reply in both]
    meetings = [clusters[reply] for reply in both]
    flag = form.kind is Kind.FLAG
    apart = [abs(a - b) for a, b in zip(left, right, strict=True)]
    return Agreement(
        first=first, second=second, people=(first in people) + (second in people), rubric=group[0], criterion=group[1],
        scale=form.scale, arm=group[2], setting=group[3], n=len(both), recordings=len(set(meetings)),
        exact=sum(item == 0 for item in apart) / len(apart) if apart else None,
        within_one=sum(item <= 1 for item in apart) / len(apart) if apart and not flag else None,
        kappa=_kappa(left, right, form, meetings, rng, resamples, level),
    )  # fmt: skip


def _kappa(
    left: list[float], right: list[float], form: CriterionForm, meetings: list[str], rng: np.random.Generator,
    resamples: int, level: float,
) -> Estimate:  # fmt: skip
    count = len(set(meetings))
    if count < 2:
        words = "1 recording: two are needed" if count else "no reply has a value of both"
        return undefined(words, n_used=len(left))
    low, high = sorted((form.lowest, form.highest))
    steps = 1 if all(value == int(value) for value in (*left, *right)) else STEPS
    found = cohen_kappa(
        left, right, rng=rng, weights="none" if form.kind is Kind.FLAG else "quadratic",
        categories=[value / steps for value in range(int(low) * steps, int(high) * steps + 1)], clusters=meetings,
        resamples=resamples, level=level,
    )  # fmt: skip
    if count < FEWEST_RECORDINGS and found.estimate is not None:
        why = f"no interval: {count} recordings, at least {FEWEST_RECORDINGS} are needed"
        return replace(found, low=None, high=None, method=why)
    return found


def _form(item: ItemScore) -> CriterionForm | None:
    """The form of a score that has whole values."""
    return next(
        (
            form
            for form in BY_RUBRIC.get(item.rubric, ())
            if form.criterion == item.criterion and form.kind is not Kind.SHARE
        ),
        None,
    )


def family_warnings(scores: Iterable[ItemScore], *, makers: dict[str, str] | None = None) -> tuple[str, ...]:
    """Judges that judged replies of models of their own maker, and models and judges whose maker is not known; one sentence each.

    Args:
        scores: of a run; only those with a judge count.
        makers: maker by name, as told by the user.
    """
    pairs = dict.fromkeys(
        (item.judge, item.system)
        for item in scores
        if item.judge and item.points is not None and not item.judge.startswith("panel:")
    )
    found: dict[str, None] = {}
    for judge, system in sorted(pairs):
        own, subject = made_by(judge, given=makers), made_by(system, given=makers)
        for name, made in ((judge, own), (system, subject)):
            if not made.known:
                found[f"maker of {name} not known: whether a judge is of the same house cannot be said"] = None
        if own.makers & subject.makers:
            found[
                f"{judge} judged {system}, of the same maker ({subject.text}): judges may favour replies of their own house"
            ] = None
    return tuple(found)
