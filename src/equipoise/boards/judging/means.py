"""Means of scores under the one rule for failures: scored only, floored, and what the failures could make of it at worst and at best."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from equipoise.boards.judging.items import SCOPE_UNKNOWN, ItemScore
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics.estimate import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreMean(Result):
    """The mean of one criterion over the replies of one system.

    Arms, settings, scales and judges are never put together.

    Attributes:
        system: what answered.
        benchmark: of the items.
        arm: captions or images.
        setting: single or agents, with the tools.
        rubric: identifier.
        criterion: identifier.
        scale: identifier.
        lowest: points of the worst value.
        highest: points of the best value.
        judge: judge or panel; empty for a measure without one.
        in_scope: replies that count.
        out_of_scope: replies that do not.
        scope_unknown: of those that do not, how many only because nobody has said whether the reference takes the decision.
        scored: of those that count, how many have points.
        reply_failed: how many have none because the reply failed.
        judge_failed: how many have none because the judge failed or was not asked.
        scored_only: mean of the points; None without any.
        floored: with `lowest` for replies that failed in form; calls that failed, and replies that a judge failed
            on, are left out. None when nothing is left.
        worst: with `lowest` for all that have no points; None when nothing counts.
        best: with `highest` for all that have no points; None when nothing counts.
    """

    system: str
    benchmark: str
    arm: str
    setting: str
    rubric: str
    criterion: str
    scale: str
    lowest: float
    highest: float
    judge: str
    in_scope: int
    out_of_scope: int
    scope_unknown: int
    scored: int
    reply_failed: int
    judge_failed: int
    scored_only: float | None
    floored: float | None
    worst: float | None
    best: float | None


def score_means(scores: Iterable[ItemScore]) -> tuple[ScoreMean, ...]:
    """The means of scores, in the order in which their criteria come.

    The repeats of a judge on one reply are averaged first; a reply has points when one repeat has. Trials of an item are replies of
    their own.

    Args:
        scores: rows of one or more runs.
    """
    groups: dict[tuple[str, ...], dict[tuple[str, str, int], list[ItemScore]]] = {}
    for score in scores:
        key = (
            score.benchmark, score.system, score.arm, score.setting, score.rubric, score.criterion, score.scale, score.judge,
        )  # fmt: skip
        groups.setdefault(key, {}).setdefault((score.item, score.reply_id, score.trial), []).append(score)
    return tuple(_mean(list(replies.values())) for replies in groups.values())


def _mean(replies: list[list[ItemScore]]) -> ScoreMean:
    first = replies[0][0]
    counted = [own for own in replies if any(item.in_scope for item in own)]
    points: list[float] = []
    failed = judge_failed = calls = 0
    for own in counted:
        given = [item.points for item in own if item.points is not None]
        if given:
            points.append(sum(given) / len(given))
        elif own[0].reply_state != ReplyState.OK:
            failed += 1
            calls += own[0].reply_state == ReplyState.ERROR
        else:
            judge_failed += 1
    total, n, gap = sum(points), len(points), failed + judge_failed
    return ScoreMean(
        system=first.system, benchmark=first.benchmark, arm=first.arm, setting=first.setting, rubric=first.rubric,
        criterion=first.criterion, scale=first.scale, lowest=first.lowest, highest=first.highest, judge=first.judge,
        in_scope=len(counted), out_of_scope=len(replies) - len(counted),
        scope_unknown=sum(all(item.judge_state == SCOPE_UNKNOWN for item in own) for own in replies), scored=n, reply_failed=failed,
        judge_failed=judge_failed, scored_only=total / n if n else None,
        floored=(total + first.lowest * (failed - calls)) / (n + failed - calls) if n + failed - calls else None,
        worst=(total + first.lowest * gap) / len(counted) if counted else None,
        best=(total + first.highest * gap) / len(counted) if counted else None,
    )  # fmt: skip
