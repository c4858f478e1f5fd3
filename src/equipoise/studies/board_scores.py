"""Means of board scores: one a system, setting, criterion and judge, over all items or over one role, type, site or category.

Everything is computed from `ItemScore`. Repeats of a judge become one value a reply. A reply that failed and a judge that failed have no
value: the mean is given floored (replies that failed in form at the lowest points; calls that failed and failed judgements left out), over
scores alone, and between the worst and the best it could be. Arms, settings, scales and judges never meet in one mean.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.boards.judging.criteria import BOARD, BY_RUBRIC, TURN, Kind
from equipoise.boards.judging.items import NOT_ASKED, SCOPE_UNKNOWN, ItemScore
from equipoise.errors import InputError
from equipoise.ids import content_hash
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics import bounded_mean
from equipoise.statistics.estimate import Estimate, Result

SEED = 42
FEWEST_RECORDINGS = 10
"""Recordings below which a mean has no interval and no test is made."""
ENOUGH_ITEMS = 100
"""Items below which the field calls a cell underpowered (arXiv:2609.32810)."""
RESAMPLES = 4_000
CALL_FAILED = ReplyState.ERROR.value
"""State of a reply that never came: a failed instrument, which says nothing of the system and is never floored."""

CONSTANTS: tuple[str, ...] = ("equipoise/board-defer", "equipoise/board-silent")
"""Systems that read nothing; every score stands beside theirs."""

BENCHMARKS: Mapping[str, str] = {TURN: "Specialist Turn", BOARD: "Board Simulation"}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Place:
    """Where a score belongs; scores of two places never meet in one mean.

    Attributes:
        benchmark: specialist_turn or board_simulation.
        arm: captions or images.
        setting: single or agents, with the tools.
        system: what answered.
    """

    benchmark: str
    arm: str
    setting: str
    system: str

    @property
    def stage(self) -> tuple[str, str, str]:
        """Benchmark, arm and setting: what a ranking is made within."""
        return self.benchmark, self.arm, self.setting

    @property
    def constant(self) -> bool:
        """Whether the system reads nothing."""
        return self.system in CONSTANTS


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Measure:
    """What is measured, and by whom.

    Attributes:
        rubric: identifier of the rubric; text for measures over words.
        criterion: identifier of the criterion.
        scale: identifier of the scale.
        rubric_hash: content hash of the rubric.
        judge: judge or panel; empty without one.
    """

    rubric: str
    criterion: str
    scale: str
    rubric_hash: str
    judge: str

    @property
    def kind(self) -> Kind:
        """What the criterion asks; a score for one that is not in the catalogue."""
        known = [item.kind for item in BY_RUBRIC.get(self.rubric, ()) if item.criterion == self.criterion]
        return known[0] if known else Kind.SCORE


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One reply under one measure, repeats of the judge put together.

    Attributes:
        item: question or case.
        recording: the meeting.
        trial: repeat of the reply.
        reply_id: the reply.
        role: whom the question was put to; empty for a board.
        stratum: question type or site.
        site: tumor site.
        category: category of facts; empty for all of them.
        points: mean over the judge's readable repeats; None for a failure.
        floored: points, or the lowest where the reply failed in form; None where its call or the judge failed.
        failure: "", "reply" or "judge".
        state: state of the reply, or of the judge where the judge failed.
        lowest: points of the worst value.
        highest: points of the best value.
        repeats: readable points of the judge, in the order of its repeats.
    """

    item: str
    recording: str
    trial: int
    reply_id: str
    role: str
    stratum: str
    site: str
    category: str
    points: float | None
    floored: float | None
    failure: str
    state: str
    lowest: float
    highest: float
    repeats: tuple[float, ...]

    def at(self, end: float) -> float:
        """Points, or what a failure would have at one end."""
        return end if self.points is None else self.points


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMean(Result):
    """A mean with what it rests on.

    Attributes:
        benchmark: specialist_turn or board_simulation.
        arm: captions or images.
        setting: single or agents, with the tools.
        system: what answered.
        rubric: identifier of the rubric.
        criterion: identifier of the criterion.
        kind: score, flag, decision or share.
        scale: identifier of the scale.
        judge: judge or panel; empty without one.
        by: "", role, question type, site or category.
        value: which of them; empty for all items.
        lowest: points of the worst value.
        highest: points of the best value.
        floored: mean with replies that failed in form at the worst value; calls that failed and failed judgements are left out.
        scored_only: mean over scores alone.
        worst: mean with every failure at the worst value; None without a reply in scope.
        best: mean with every failure at the best value; None without a reply in scope.
        in_scope: replies that count.
        scored: of those, replies with points.
        failed_replies: of those, replies that failed.
        failed_judgements: of those, judgements that failed or were not made.
        out_of_scope: replies the criterion does not apply to.
        scope_unknown: replies of which nobody said whether it applies.
        items: items behind the replies in scope.
        recordings: recordings they come from.
        underpowered: whether fewer than `ENOUGH_ITEMS` items have a value in the floored mean.
    """

    benchmark: str
    arm: str
    setting: str
    system: str
    rubric: str
    criterion: str
    kind: str
    scale: str
    judge: str
    by: str
    value: str
    lowest: float
    highest: float
    floored: Estimate
    scored_only: Estimate
    worst: float | None
    best: float | None
    in_scope: int
    scored: int
    failed_replies: int
    failed_judgements: int
    out_of_scope: int
    scope_unknown: int
    items: int
    recordings: int
    underpowered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The values of one place under one measure.

    Attributes:
        place: where they belong.
        measure: what was measured.
        values: those in scope, in the order of items and trials.
        out_of_scope: replies the criterion does not apply to.
        scope_unknown: replies of which nobody said whether it applies.
    """

    place: Place
    measure: Measure
    values: tuple[Value, ...]
    out_of_scope: int = 0
    scope_unknown: int = 0


def tables(rows: Iterable[ItemScore]) -> tuple[Table, ...]:
    """The scores by place and measure, in the order of their names.

    Raises:
        InputError: two ends for one scale, or two different scores for the same repeat.
    """
    grouped: dict[tuple[Place, Measure], dict[tuple[str, int, str], list[ItemScore]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for row in rows:
        place = Place(benchmark=row.benchmark, arm=row.arm, setting=row.setting, system=row.system)
        measure = Measure(
            rubric=row.rubric,
            criterion=row.criterion,
            scale=row.scale,
            rubric_hash=row.rubric_hash,
            judge=row.judge,
        )
        grouped[place, measure][row.item, row.trial, row.category].append(row)
    return tuple(_table(place, measure, grouped[place, measure]) for place, measure in sorted(grouped))


def _table(place: Place, measure: Measure, replies: Mapping[tuple[str, int, str], Sequence[ItemScore]]) -> Table:
    ends = {(row.lowest, row.highest) for own in replies.values() for row in own}
    if len(ends) > 1:
        message = f"scale {measure.scale} of {measure.rubric} has more than one pair of ends: {sorted(ends)}"
        raise InputError(message, field="scale")
    values, out, unknown = [], 0, 0
    for key in sorted(replies):
        own = replies[key]
        repeats = [row.repeat for row in own]
        if len(set(repeats)) < len(repeats):
            message = f"item {key[0]!r}, trial {key[1]} has two scores of one repeat under {measure.criterion}"
            raise InputError(message, field="repeat")
        counted = [row for row in own if row.in_scope]
        if all(row.judge_state == SCOPE_UNKNOWN for row in own):
            unknown += not key[2]
        elif not counted:
            out += not key[2]
        else:
            values.append(_value(counted))
    return Table(place=place, measure=measure, values=tuple(values), out_of_scope=out, scope_unknown=unknown)


def _value(rows: Sequence[ItemScore]) -> Value:
    first = min(rows, key=lambda row: row.repeat)
    read = tuple(row.points for row in sorted(rows, key=lambda row: row.repeat) if row.points is not None)
    points = sum(read) / len(read) if read else None
    failure = "" if read else "reply" if first.reply_state != "ok" else "judge"
    states = [row.judge_state for row in rows if row.judge_state not in ("ok", NOT_ASKED)]
    return Value(
        item=first.item,
        recording=first.recording,
        trial=first.trial,
        reply_id=first.reply_id,
        role=first.role,
        stratum=first.stratum,
        site=first.site,
        category=first.category,
        points=points,
        floored=points if read else first.lowest if failure == "reply" and first.reply_state != CALL_FAILED else None,
        failure=failure,
        state=first.reply_state if failure != "judge" else next(iter(states), "error"),
        lowest=first.lowest,
        highest=first.highest,
        repeats=read,
    )


def mean_of(table: Table, *, by: str = "", value: str = "", seed: int = SEED) -> BoardMean:
    """The mean of a table, over all its items or those of one role, type, site or category.

    Args:
        table: the values.
        by: "", role, question type, site or category.
        value: which of them.
        seed: seed of the interval; each cell draws from its own generator, so that no cell moves another.
    """
    part = [item for item in table.values if group_of(item, table.place.benchmark, by) == value]
    if not by:
        part = [item for item in table.values if not item.category]
    ends = (table.values[0].lowest, table.values[0].highest) if table.values else (0.0, 1.0)
    floored = [(item.floored, item.recording) for item in part if item.floored is not None]
    scored = [(item.points, item.recording) for item in part if item.points is not None]
    failed_replies = sum(item.failure == "reply" for item in part)
    failed_judgements = sum(item.failure == "judge" for item in part)
    lost = sum(item.floored is None for item in part)
    items = len({item.item for item in part})
    return BoardMean(
        benchmark=table.place.benchmark,
        arm=table.place.arm,
        setting=table.place.setting,
        system=table.place.system,
        rubric=table.measure.rubric,
        criterion=table.measure.criterion,
        kind=table.measure.kind.value,
        scale=table.measure.scale,
        judge=table.measure.judge,
        by=by,
        value=value,
        lowest=ends[0],
        highest=ends[1],
        floored=_estimate(floored, ends, _generator(seed, table, by, value), lost, "call or judgement failed"),
        scored_only=_estimate(
            scored, ends, _generator(seed, table, by, value), failed_replies + failed_judgements, "no score"
        ),
        worst=_end(part, ends[0]),
        best=_end(part, ends[1]),
        in_scope=len(part),
        scored=len(scored),
        failed_replies=failed_replies,
        failed_judgements=failed_judgements,
        out_of_scope=0 if by else table.out_of_scope,
        scope_unknown=0 if by else table.scope_unknown,
        items=items,
        recordings=len({item.recording for item in part}),
        underpowered=len({item.item for item in part if item.floored is not None}) < ENOUGH_ITEMS,
    )


GROUPS: tuple[str, ...] = ("role", "question type", "site", "category")
"""What means are split by."""


def group_of(item: Value, benchmark: str, by: str) -> str:
    """To which group a value belongs; empty when it belongs to none, or is a row of one category only.

    Args:
        item: the value.
        benchmark: its benchmark, since a stratum is a question type in one and a site in the other.
        by: role, question type, site or category.
    """
    if by == "category":
        return item.category
    if item.category:
        return ""
    if by == "role":
        return item.role
    if by == "question type":
        return item.stratum if benchmark == TURN else ""
    if by == "site":
        return item.site or (item.stratum if benchmark == BOARD else "")
    return ""


def split_means(table: Table, by: str, *, seed: int = SEED) -> tuple[BoardMean, ...]:
    """The mean of each group, in the order of their names; empty when the items have no such group."""
    groups = sorted({group_of(item, table.place.benchmark, by) for item in table.values} - {""})
    return tuple(mean_of(table, by=by, value=group, seed=seed) for group in groups)


def chosen_judge(judges: Iterable[str]) -> str:
    """The judge the page's main figures are of: the panel, or else the first; the others stand beside it."""
    named = list(dict.fromkeys(name for name in judges if name))
    return next((name for name in named if name.startswith("panel:")), named[0] if named else "")


def _end(part: Sequence[Value], end: float) -> float | None:
    return sum(item.at(end) for item in part) / len(part) if part else None


def _estimate(
    pairs: Sequence[tuple[float, str]], ends: tuple[float, float], rng: np.random.Generator, left: int, why: str
) -> Estimate:
    return bounded_mean(
        [points for points, _ in pairs],
        np.array([recording for _, recording in pairs], dtype=object),
        low=min(ends),
        high=max(ends),
        rng=rng,
        fewest=FEWEST_RECORDINGS,
        resamples=RESAMPLES,
        n_left_out=left,
        why_left_out=why if left else "",
    )


def _generator(seed: int, table: Table, by: str, value: str) -> np.random.Generator:
    place, measure = table.place, table.measure
    name = [*place.stage, place.system, measure.rubric, measure.criterion, measure.judge, by, value]
    return generator(seed, name)


def generator(seed: int, name: Sequence[str]) -> np.random.Generator:
    """A generator of its own for each named number, so that another system or cell on the page moves none."""
    return np.random.default_rng([seed, int(content_hash(list(name)), 16)])
