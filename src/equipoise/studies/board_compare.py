"""Which boards can be told apart: paired differences on the same items, Holm's adjustment, and the places they leave open.

Systems are compared within one benchmark, arm and setting; arms and settings of one system beside each other; every system with the
constants. Each of the three is a family of its own for Holm. The test flips the sign of whole recordings, since questions of one meeting
are not independent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from equipoise.boards.judging.criteria import ALIGNMENT, BOARD, EQUIVALENCE, TEXT, TURN
from equipoise.statistics import holm, paired_rate_difference, permutation_did
from equipoise.statistics.estimate import Estimate, Result, undefined
from equipoise.studies.board_scores import FEWEST_RECORDINGS, RESAMPLES, SEED, Table, generator

ALPHA = 0.05
LEADING: Mapping[str, tuple[tuple[str, str], ...]] = {
    TURN: ((EQUIVALENCE, "equivalence"), (TEXT, "rouge-l")),
    BOARD: ((ALIGNMENT, "alignment"), (TEXT, "rouge-l")),
}
"""The measure that comparisons are made on, the first one that was taken; words alone where nobody judged."""

FAMILIES: tuple[str, ...] = ("systems", "arms and settings", "constants")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair(Result):
    """Two boards on the same items.

    Attributes:
        family: systems, arms and settings, or constants.
        benchmark: specialist_turn or board_simulation.
        stage: arm and setting both share; empty where they differ in it.
        criterion: what was compared.
        scale: its scale.
        judge: judge or panel; empty without one.
        first: name of the one.
        second: name of the other.
        difference: first less second, failed replies at the lowest points, with an interval over recordings.
        p_value: of the sign-flip test over recordings; None when it was not made.
        adjusted_p: by Holm within the family of its benchmark and criterion.
        pairs: how many tests the adjustment is over.
        recordings: recordings of the common items.
        higher: the name of the higher one; empty when they cannot be separated.
        why: why no test was made; empty when one was.
    """

    family: str
    benchmark: str
    stage: str
    criterion: str
    scale: str
    judge: str
    first: str
    second: str
    difference: Estimate
    p_value: float | None
    adjusted_p: float | None = None
    pairs: int = 0
    recordings: int
    higher: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed(Result):
    """The place of a system in its stage.

    Attributes:
        benchmark: specialist_turn or board_simulation.
        stage: arm and setting.
        system: the system.
        low: the best place it can have.
        high: the worst place it can have.
        of: systems in the stage, constants left out.
    """

    benchmark: str
    stage: str
    system: str
    low: int
    high: int
    of: int


def leading(found: Iterable[Table], benchmark: str, main: Mapping[str, str]) -> tuple[Table, ...]:
    """The tables of the measure that comparisons are made on; empty when none of them was taken.

    Args:
        found: all tables.
        benchmark: which benchmark.
        main: by rubric, the judge the main figures are of.
    """
    own = [table for table in found if table.place.benchmark == benchmark]
    for rubric, criterion in LEADING.get(benchmark, ()):
        wanted = main.get(rubric, "")
        taken = [
            table
            for table in own
            if (table.measure.rubric, table.measure.criterion, table.measure.judge) == (rubric, criterion, wanted)
        ]
        if taken:
            return tuple(sorted(taken, key=_reading_order))
    return ()


def _reading_order(table: Table) -> tuple[str, bool, str, bool, str]:
    place = table.place
    return place.arm, place.setting != "single", place.setting, place.constant, place.system


def compared(found: Sequence[Table], *, seed: int = SEED) -> tuple[Pair, ...]:
    """Every pair of tables of one measure, in families.

    Args:
        found: tables of one benchmark and measure.
        seed: seed of intervals and tests.
    """
    pairs: dict[str, list[Pair]] = {family: [] for family in FAMILIES}
    for one, two in combinations(found, 2):
        family = _family(one, two)
        if family:
            pairs[family].append(_pair(family, one, two, seed))
    return tuple(pair for family in FAMILIES for pair in _adjusted(pairs[family]))


def placed(found: Sequence[Table], pairs: Sequence[Pair]) -> tuple[Placed, ...]:
    """The places of the systems of each stage: between one more than those surely above, and all but those surely below.

    Args:
        found: tables of one benchmark and measure.
        pairs: their comparisons.
    """
    stages: dict[str, list[str]] = defaultdict(list)
    for table in found:
        if not table.place.constant:
            stages[stage_words(table)].append(table.place.system)
    rows = []
    for stage, systems in stages.items():
        tests = [pair for pair in pairs if (pair.family, pair.stage) == ("systems", stage) and pair.higher]
        for system in systems:
            above = sum(system in (pair.first, pair.second) and pair.higher != system for pair in tests)
            below = sum(pair.higher == system for pair in tests)
            rows.append(
                Placed(
                    benchmark=found[0].place.benchmark,
                    stage=stage,
                    system=system,
                    low=1 + above,
                    high=len(systems) - below,
                    of=len(systems),
                )
            )
    return tuple(rows)


def stage_words(table: Table) -> str:
    """Arm and setting of a table: "captions, agents+evidence"."""
    return f"{table.place.arm}, {table.place.setting}"


def item_means(table: Table) -> dict[str, tuple[float, str]]:
    """Mean over trials, failed replies at the lowest points, and recording, by item; items without any judgement are absent."""
    values: dict[str, list[float]] = defaultdict(list)
    recordings = {}
    for item in table.values:
        if item.floored is not None and not item.category:
            values[item.item].append(item.floored)
            recordings[item.item] = item.recording
    return {item: (sum(own) / len(own), recordings[item]) for item, own in values.items()}


def _family(one: Table, two: Table) -> str:
    first, second = one.place, two.place
    if first.system == second.system:
        return "" if first.constant else "arms and settings"
    if first.constant and second.constant:
        return ""
    if first.constant or second.constant:
        constant = first if first.constant else second
        other = second if first.constant else first
        return "constants" if constant.arm == other.arm else ""
    return "systems" if first.stage == second.stage else ""


def _names(family: str, one: Table, two: Table) -> tuple[str, str]:
    if family == "systems":
        return one.place.system, two.place.system
    names = [
        table.place.system if table.place.constant else f"{table.place.system}, {stage_words(table)}"
        for table in (one, two)
    ]
    return names[0], names[1]


def _pair(family: str, one: Table, two: Table, seed: int) -> Pair:
    if family == "constants" and one.place.constant:
        one, two = two, one
    first, second = item_means(one), item_means(two)
    common = [item for item in first if item in second]
    alone = len(set(first) ^ set(second))
    recordings = [first[item][1] for item in common]
    count = len(set(recordings))
    left, right = ([own[item][0] for item in common] for own in (first, second))
    names = _names(family, one, two)
    measure, place = one.measure, one.place
    name = [family, *place.stage, measure.rubric, measure.criterion, measure.judge, *names]
    meetings = "1 recording" if count == 1 else f"{count} recordings"
    why = "" if count >= FEWEST_RECORDINGS else f"{meetings}, at least {FEWEST_RECORDINGS} are needed"
    why = why if common else "no item was scored for both"
    p_value = None
    if why:
        difference = _without_interval(left, right, why, alone)
    else:
        difference = paired_rate_difference(
            left,
            right,
            rng=generator(seed, name),
            clusters=np.array(recordings, dtype=object),
            resamples=RESAMPLES,
            n_left_out=alone,
            why_left_out="not scored for both" if alone else "",
        )
        p_value = _flip_test(left, right, recordings, generator(seed, [*name, "test"]))
    return Pair(
        family=family,
        benchmark=place.benchmark,
        stage=stage_words(one) if family == "systems" else "",
        criterion=measure.criterion,
        scale=measure.scale,
        judge=measure.judge,
        first=names[0],
        second=names[1],
        difference=difference,
        p_value=p_value,
        recordings=count,
        why=why,
    )


def _without_interval(left: Sequence[float], right: Sequence[float], why: str, alone: int) -> Estimate:
    words = "not scored for both" if alone else ""
    if not left:
        return undefined("no item was scored for both", n_left_out=alone, why_left_out=words)
    mean = sum(one - two for one, two in zip(left, right, strict=True)) / len(left)
    return Estimate(
        estimate=mean,
        low=None,
        high=None,
        method=f"no interval: {why}",
        n_used=len(left),
        n_left_out=alone,
        why_left_out=words,
    )


def _flip_test(
    left: Sequence[float], right: Sequence[float], recordings: Sequence[str], rng: np.random.Generator
) -> float | None:
    """Two-sided p of the sum of differences when the sign of each recording's own sum is flipped at random."""
    names = sorted(set(recordings))
    place = {name: number for number, name in enumerate(names)}
    sums = np.zeros((2, len(names)))
    for one, two, recording in zip(left, right, recordings, strict=True):
        sums[0, place[recording]] += one
        sums[1, place[recording]] += two
    return permutation_did(sums[0], sums[1], paired=True, rng=rng).p_value


def _adjusted(pairs: Sequence[Pair]) -> list[Pair]:
    tested = [pair for pair in pairs if pair.p_value is not None]
    by_pair = dict(
        zip(map(id, tested), holm([pair.p_value for pair in tested if pair.p_value is not None]), strict=True)
    )
    found = []
    for pair in pairs:
        adjusted = by_pair.get(id(pair))
        gap = pair.difference.estimate or 0.0
        clear = adjusted is not None and adjusted <= ALPHA and gap != 0
        found.append(
            replace(
                pair,
                adjusted_p=adjusted,
                pairs=len(tested),
                higher=(pair.first if gap > 0 else pair.second) if clear else "",
            )
        )
    return found
