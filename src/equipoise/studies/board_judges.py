"""How far the judges of boards can be trusted: their failures, their makers, their repeats, and answers asked again.

Agreement with people and with each other is `equipoise.boards.judging.agreement`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.judging.makers import MadeBy, made_by
from equipoise.statistics.estimate import Result
from equipoise.studies.board_scores import Table, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCount(Result):
    """What a judge gave under one criterion.

    Attributes:
        benchmark: specialist_turn or board_simulation.
        criterion: identifier of the criterion.
        judge: judge or panel.
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
        if not values:
            continue
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


def kinships(found: Sequence[Table], given: Mapping[str, str] | None = None) -> tuple[Kinship, ...]:
    """Judges and the systems they judged that are of one maker, or whose maker nothing tells; a panel stands for its judges.

    Args:
        found: all tables.
        given: maker by name of a model, with or without its provider, as told by the user.
    """
    met = {
        (table.measure.judge, table.place.system)
        for table in found
        if table.measure.judge and not table.measure.judge.startswith("panel:") and not table.place.constant
    }
    rows = []
    for judge, system in sorted(met):
        one, two = _made_by(judge, given or {}), _made_by(system, given or {})
        shared = sorted(one.makers & two.makers)
        if shared or not one.known or not two.known:
            rows.append(Kinship(judge=judge, system=system, maker=" and ".join(shared)))
    return tuple(rows)


def _made_by(name: str, given: Mapping[str, str]) -> MadeBy:
    short = name.partition("/")[2]
    return made_by(name, given={name: given[short], **given} if short in given else given)


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
