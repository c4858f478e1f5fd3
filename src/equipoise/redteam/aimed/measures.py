"""What the attacks came to: flips of the target criterion for the worse, against untouched repeats and a second grading."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.aimed.targets import Aim
from equipoise.redteam.plan import Plan, StressArm
from equipoise.statistics import (
    Bounds,
    Estimate,
    cluster_bootstrap_rate,
    missing_reply_bounds,
    paired_rate_difference,
    wilson,
)
from equipoise.statistics.estimate import Result

AGAIN = ":again"
"""Added to a criterion for a second grading of the same reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackResult(Result):
    """What one attack came to.

    Attributes:
        attack: the attack, with version.
        items: conversations of the plan: denominator of coverage and of end-to-end success.
        attacked: those that had a target and a checked mutant, and were asked.
        judged: attacked replies whose target was judged.
        flips: of these, flips for the worse.
        coverage: attacked / items.
        conditional: flips / judged.
        end_to_end: flips / items.
        bounds: conditional success if all unjudged attacked replies had stood, or had flipped.
        repeats: share of judged untouched repeats of the same conversations whose target flipped; noise of model and grader.
        grader: share of the first replies of the same conversations whose target flipped when graded again; noise of the grader alone.
        excess: attacked flip less the mean flip of the repeats of the same conversation.
        drop: flips and judged among positive criteria.
        provoke: the same among negative ones.
    """

    attack: str
    items: int
    attacked: int
    judged: int
    flips: int
    coverage: Estimate
    conditional: Estimate
    end_to_end: Estimate
    bounds: Bounds
    repeats: Estimate
    grader: Estimate
    excess: Estimate
    drop: tuple[int, int]
    provoke: tuple[int, int]


def attack_results(
    outcomes: Iterable[Mapping[str, Any]],
    judgements: Iterable[Mapping[str, Any]],
    plan: Plan,
    *,
    grader: str,
    rng: np.random.Generator,
) -> tuple[AttackResult, ...]:
    """One result an attack, in the order of the plan, for one system.

    Args:
        outcomes: rows of one system.
        judgements: rows of the judgements.
        plan: what was to be asked; its items are the denominators.
        grader: the grader whose verdicts count.
        rng: random generator of the intervals.
    """
    met = {
        (row["reply_id"], row["criterion"]): row["value"] == "met"
        for row in judgements
        if row["judge"] == grader and row["state"] == ReplyState.OK and row["value"] is not None
    }
    rows = list(outcomes)
    attacked = [row for row in rows if row.get("arm") == StressArm.ATTACKED]
    return tuple(
        _result(name, [row for row in attacked if row["operator"] == name], rows, met, plan, rng)
        for name in (item.operator for item in plan.operators)
    )


def _result(
    name: str,
    own: Sequence[Mapping[str, Any]],
    rows: Sequence[Mapping[str, Any]],
    met: Mapping[tuple[str, str], bool],
    plan: Plan,
    rng: np.random.Generator,
) -> AttackResult:
    flips: dict[str, bool] = {}
    repeated: dict[str, list[bool]] = {}
    again: list[bool] = []
    aims: dict[str, str] = {}
    for row in own:
        target = json.loads(row["operator_parameters"])["target"]
        family, criterion, bad = row["item_family"], target["criterion"], target["aim"] == Aim.PROVOKE
        aims[family] = target["aim"]
        verdict = met.get((row["reply_id"], criterion))
        if verdict is not None:
            flips[family] = verdict is bad
        for other in rows:
            if other.get("item_family") != family or other.get("arm") not in (StressArm.CLEAN, StressArm.REPEAT):
                continue
            clean = other.get("arm") == StressArm.CLEAN
            found = met.get((other["reply_id"], f"{criterion}{AGAIN}" if clean else criterion))
            if found is not None:
                (again if clean else repeated.setdefault(family, [])).append(found is bad)
    both = [family for family in flips if family in repeated]
    total, done, hits = len(plan.items), len(own), sum(flips.values())
    return AttackResult(
        attack=name,
        items=total,
        attacked=done,
        judged=len(flips),
        flips=hits,
        coverage=wilson(done, total),
        conditional=wilson(hits, len(flips), n_left_out=done - len(flips), why_left_out=_why(done - len(flips))),
        end_to_end=wilson(hits, total),
        bounds=missing_reply_bounds(hits, len(flips), done - len(flips)),
        repeats=_pooled(repeated, rng),
        grader=wilson(sum(again), len(again)),
        excess=paired_rate_difference(
            [float(flips[family]) for family in both],
            [float(np.mean(repeated[family])) for family in both],
            rng=rng,
            n_left_out=done - len(both),
            why_left_out="the attacked reply or all repeats were not judged" if done > len(both) else "",
        ),
        drop=_by(Aim.DROP, flips, aims),
        provoke=_by(Aim.PROVOKE, flips, aims),
    )


def _pooled(found: Mapping[str, Sequence[bool]], rng: np.random.Generator) -> Estimate:
    """A rate over several replies a conversation; conversations are drawn whole."""
    flips = [(int(flip), family) for family, own in found.items() for flip in own]
    if len(found) < 2:
        return wilson(sum(flip for flip, _ in flips), len(flips))
    return cluster_bootstrap_rate([flip for flip, _ in flips], [family for _, family in flips], rng=rng)


def _by(aim: Aim, flips: Mapping[str, bool], aims: Mapping[str, str]) -> tuple[int, int]:
    own = [flip for family, flip in flips.items() if aims[family] == aim]
    return sum(own), len(own)


def _why(left: int) -> str:
    return "the reply failed or its target was not judged" if left else ""
