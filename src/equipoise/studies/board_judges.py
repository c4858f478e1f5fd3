"""How far the judges of boards can be trusted: their failures, agreement with each other, with clinicians and with themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from equipoise.boards.judging.criteria import Kind
from equipoise.judging.makers import made_by
from equipoise.statistics import cohen_kappa
from equipoise.statistics.estimate import Estimate, Result, undefined
from equipoise.studies.board_scores import FEWEST_RECORDINGS, RESAMPLES, SEED, Table, Value, generator

Key = tuple[str, str, str, str, str, int]
"""Benchmark, arm, setting, system, item and trial: one reply, whoever judges it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCount(Result):
    """What a judge gave under one criterion.

    Attributes:
        benchmark: specialist_turn or board_simulation.
        criterion: identifier of the criterion.
        judge: judge, panel or clinician.
        asked: replies it was to judge.
        read: of those, replies with a value.
        failures: the others by state.
        repeated: replies with two readable repeats or more.
        same: of those, replies whose repeats are all equal.
    """

    benchmark: str
    criterion: str
    judge: str
    asked: int
    read: int
    failures: Mapping[str, int]
    repeated: int
    same: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(Result):
    """Two judges on the same replies.

    Attributes:
        benchmark: specialist_turn or board_simulation.
        criterion: identifier of the criterion.
        scale: identifier of the scale.
        first: a judge.
        second: another judge, or a clinician.
        clinician: whether the second is a clinician.
        replies: replies both gave a whole value.
        exact: of those, with the same value.
        within_one: of those, at most one step apart.
        shift: mean of the first less the second, in points; None without replies.
        kappa: Cohen's kappa, weighted by the square of the distance where the values have an order of more than two.
    """

    benchmark: str
    criterion: str
    scale: str
    first: str
    second: str
    clinician: bool
    replies: int
    exact: int
    within_one: int
    shift: float | None
    kappa: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinship(Result):
    """A judge and a system of the same maker.

    Attributes:
        judge: the judge.
        system: the system.
        maker: the maker they share; empty when the maker of either is not known.
    """

    judge: str
    system: str
    maker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated(Result):
    """Answers of one system to the same items, asked again.

    Attributes:
        benchmark: specialist_turn or board_simulation.
        stage: arm and setting.
        system: the system.
        criterion: what was scored.
        judge: judge or panel; empty without one.
        items: items with two scored replies or more.
        same: of those, items whose replies all have the same points.
        spread: mean over items of the standard deviation within an item (n - 1), in points; None without items.
        widest: largest difference within an item, in points.
    """

    benchmark: str
    stage: str
    system: str
    criterion: str
    judge: str
    items: int
    same: int
    spread: float | None
    widest: float | None


def judge_counts(found: Sequence[Table]) -> tuple[JudgeCount, ...]:
    """What each judge gave, by benchmark and criterion; measures without a judge are left out."""
    grouped: dict[tuple[str, str, str], list[Value]] = defaultdict(list)
    for table in found:
        if table.measure.judge:
            own = [item for item in table.values if item.failure != "reply" and not item.category]
            grouped[table.place.benchmark, table.measure.criterion, table.measure.judge] += own
    rows = []
    for (benchmark, criterion, judge), values in sorted(grouped.items()):
        repeated = [item for item in values if len(item.repeats) > 1]
        rows.append(
            JudgeCount(
                benchmark=benchmark,
                criterion=criterion,
                judge=judge,
                asked=len(values),
                read=sum(item.points is not None for item in values),
                failures=dict(sorted(Counter(item.state for item in values if item.points is None).items())),
                repeated=len(repeated),
                same=sum(len(set(item.repeats)) == 1 for item in repeated),
            )
        )
    return tuple(rows)


def agreements(found: Sequence[Table], clinicians: Collection[str] = (), *, seed: int = SEED) -> tuple[Agreement, ...]:
    """Every two judges on the replies both gave a value, by benchmark and criterion; clinicians stand second.

    A panel is not compared with the judges it is made of. Shares of facts have no categories and are left out.

    Args:
        found: all tables.
        clinicians: names of the raters who are people.
        seed: seed of the intervals.
    """
    grouped: dict[tuple[str, str, str, str], dict[str, dict[Key, Value]]] = defaultdict(lambda: defaultdict(dict))
    for table in found:
        measure = table.measure
        if measure.judge and measure.kind is not Kind.SHARE:
            own = grouped[table.place.benchmark, measure.rubric, measure.criterion, measure.scale][measure.judge]
            for item in table.values:
                if item.points is not None:
                    own[*table.place.stage, table.place.system, item.item, item.trial] = item
    rows = []
    for (benchmark, rubric, criterion, scale), judges in sorted(grouped.items()):
        order = sorted(judges, key=lambda name: (name in clinicians, name))
        for first, second in combinations(order, 2):
            people = second in clinicians
            if not people and "panel:" in (first[:6], second[:6]):
                continue
            rng = generator(seed, [benchmark, rubric, criterion, scale, first, second])
            rows.append(_agreement(benchmark, criterion, scale, first, second, people, judges, rng))
    return tuple(rows)


def _agreement(
    benchmark: str,
    criterion: str,
    scale: str,
    first: str,
    second: str,
    people: bool,
    judges: Mapping[str, Mapping[Key, Value]],
    rng: np.random.Generator,
) -> Agreement:
    pairs = [
        (int(one.points), int(two.points), one)
        for key, one in judges[first].items()
        if (two := judges[second].get(key)) is not None
        and one.points is not None
        and two.points is not None
        and one.points.is_integer()
        and two.points.is_integer()
    ]
    gaps = [one - two for one, two, _ in pairs]
    return Agreement(
        benchmark=benchmark,
        criterion=criterion,
        scale=scale,
        first=first,
        second=second,
        clinician=people,
        replies=len(pairs),
        exact=sum(gap == 0 for gap in gaps),
        within_one=sum(abs(gap) <= 1 for gap in gaps),
        shift=sum(gaps) / len(gaps) if gaps else None,
        kappa=_kappa(pairs, rng),
    )


def _kappa(pairs: Sequence[tuple[int, int, Value]], rng: np.random.Generator) -> Estimate:
    if not pairs:
        return undefined("no reply has a value of both")
    ends = pairs[0][2].lowest, pairs[0][2].highest
    recordings = [value.recording for _, _, value in pairs]
    clustered = len(set(recordings)) >= FEWEST_RECORDINGS
    found = cohen_kappa(
        [one for one, _, _ in pairs],
        [two for _, two, _ in pairs],
        rng=rng,
        weights="quadratic",
        categories=range(int(min(ends)), int(max(ends)) + 1),
        clusters=np.array(recordings, dtype=object) if clustered else None,
        resamples=RESAMPLES,
    )
    if clustered or found.estimate is None:
        return found
    why = f"no interval: {len(set(recordings))} recordings, at least {FEWEST_RECORDINGS} are needed"
    return Estimate(estimate=found.estimate, low=None, high=None, method=why, n_used=found.n_used)


def kinships(found: Sequence[Table], clinicians: Collection[str] = ()) -> tuple[Kinship, ...]:
    """Judges and the systems they judged that are of one maker, or whose maker nothing tells; a panel stands for its judges.

    Args:
        found: all tables.
        clinicians: names of the raters who are people.
    """
    met = {
        (table.measure.judge, table.place.system)
        for table in found
        if table.measure.judge not in ("", *clinicians)
        and not table.measure.judge.startswith("panel:")
        and not table.place.constant
    }
    rows = []
    for judge, system in sorted(met):
        one, two = made_by(judge), made_by(system)
        shared = sorted(one.makers & two.makers)
        if shared or not one.known or not two.known:
            rows.append(Kinship(judge=judge, system=system, maker=" and ".join(shared)))
    return tuple(rows)


def repeats_of(found: Sequence[Table]) -> tuple[Repeated, ...]:
    """How far answers to the same item differ from run to run; empty when every item was asked once."""
    rows = []
    for table in found:
        points: dict[str, list[float]] = defaultdict(list)
        for item in table.values:
            if item.points is not None and not item.category:
                points[item.item].append(item.points)
        often = [own for own in points.values() if len(own) > 1]
        if often:
            rows.append(
                Repeated(
                    benchmark=table.place.benchmark,
                    stage=f"{table.place.arm}, {table.place.setting}",
                    system=table.place.system,
                    criterion=table.measure.criterion,
                    judge=table.measure.judge,
                    items=len(often),
                    same=sum(len(set(own)) == 1 for own in often),
                    spread=float(np.mean([np.std(own, ddof=1) for own in often])),
                    widest=max(max(own) - min(own) for own in often),
                )
            )
    return tuple(rows)
