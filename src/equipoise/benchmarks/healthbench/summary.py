"""The score of HealthBench from the tables: mean, tags, bounds, spread; by system and grader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.benchmarks.healthbench.grading import MET, RUBRIC, criterion_name
from equipoise.benchmarks.healthbench.reference import item_of, reference_from
from equipoise.benchmarks.healthbench.scoring import MeanScore, mean_score, score_item, tag_scores
from equipoise.errors import InputError
from equipoise.outcomes.run import Run, read_run
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.aimed.measures import AttackResult, attack_results
from equipoise.redteam.operators.items import Item
from equipoise.redteam.plan import StressArm, plan_of
from equipoise.statistics import Estimate, bootstrap
from equipoise.statistics.estimate import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthbenchSummary(Result):
    """The score of one system by one grader.

    Attributes:
        system: the system.
        grader: the grader.
        score: the published score with its bounds and spread.
        interval: the score with an interval over conversations, each with all its replies; undefined for fewer than two.
        tags: by tag of conversations (theme:) and of criteria (axis:, level:).
        replies: replies, of which `failed` could not be read.
        failed: by state.
        criteria: verdicts asked for.
        unjudged: verdicts that failed, by state.
    """

    system: str
    grader: str
    score: MeanScore
    interval: Estimate | None
    tags: Mapping[str, MeanScore]
    replies: int
    failed: Mapping[str, int]
    criteria: int
    unjudged: Mapping[str, int]


def summarise(
    outcomes: Iterable[Mapping[str, Any]],
    judgements: Iterable[Mapping[str, Any]],
    references: Iterable[Mapping[str, Any]],
    *,
    seed: int = 42,
) -> tuple[HealthbenchSummary, ...]:
    """One summary a system and grader; attacked replies are left out.

    A reply that failed has no verdicts: it is unscored, and its bounds are those of a reply that meets the worst or the best.

    Args:
        outcomes: rows of the outcomes.
        judgements: rows of the judgements.
        references: what the run keeps of each conversation.
        seed: seed of spread and interval.

    Raises:
        InputError: a conversation is not among the references, or nothing was graded.
    """
    items = {str(one["item"]): item_of(one) for one in references if "rubric" in one}
    own = [row for row in outcomes if row.get("arm") in (None, StressArm.CLEAN, StressArm.REPEAT)]
    judged = [row for row in judgements if row["rubric"] == RUBRIC]
    names = list(dict.fromkeys(row["judge"] for row in judged))
    if not names:
        message = f"no reply was graded by the rubric {RUBRIC}"
        raise InputError(message, field="rubric")
    by_reply: dict[tuple[str, str, str], Mapping[str, Any]] = {
        (row["reply_id"], row["judge"], row["criterion"]): row for row in judged
    }
    systems = dict.fromkeys(row["system"] for row in own)
    return tuple(
        _one(system, grader, [row for row in own if row["system"] == system], by_reply, items, seed)
        for system in systems
        for grader in names
    )


def _one(
    system: str,
    grader: str,
    rows: Sequence[Mapping[str, Any]],
    judged: Mapping[tuple[str, str, str], Mapping[str, Any]],
    items: Mapping[str, Item],
    seed: int,
) -> HealthbenchSummary:
    asked: list[Item] = []
    met: list[list[bool | None]] = []
    states: dict[str, int] = {}
    unjudged: dict[str, int] = {}
    for row in rows:
        item = items.get(str(row["item"]))
        if item is None:
            message = f"the run keeps no criteria of {row['item']!r}"
            raise InputError(message, field="item")
        found = [judged.get((row["reply_id"], grader, criterion_name(place))) for place in range(len(item.rubric))]
        graded = row["state"] == ReplyState.OK and any(one is not None for one in found)
        if row["state"] != ReplyState.OK:
            states[row["state"]] = states.get(row["state"], 0) + 1
        elif not graded and row.get("arm") == StressArm.REPEAT:
            continue  # a repeat of an attacked conversation is graded at its target alone
        elif row.get("arm") == StressArm.REPEAT and sum(one is not None for one in found) < len(found):
            continue
        for one in found:
            if row["state"] == ReplyState.OK and (one is None or one["state"] != ReplyState.OK):
                name = "not asked" if one is None else str(one["state"])
                unjudged[name] = unjudged.get(name, 0) + 1
        asked.append(item)
        met.append([None if one is None or one["state"] != ReplyState.OK else one["value"] == MET for one in found])
    scores = [score_item(item.rubric, verdicts) for item, verdicts in zip(asked, met, strict=True)]
    values = np.array([[one.score, 1.0] for one in scores if one.score is not None], dtype=float).reshape(-1, 2)
    clusters = [item.id for item, one in zip(asked, scores, strict=True) if one.score is not None]
    interval = None
    if len(set(clusters)) > 1:
        interval = bootstrap(
            values, _clipped, rng=np.random.default_rng(seed), clusters=clusters, n_left_out=len(scores) - len(values),
            why_left_out="a verdict or the reply is missing" if len(scores) > len(values) else "",
        )  # fmt: skip
    return HealthbenchSummary(
        system=system,
        grader=grader,
        score=mean_score(scores, rng=np.random.default_rng(seed)),
        interval=interval,
        tags=tag_scores(asked, met, rng=np.random.default_rng(seed)),
        replies=len(asked),
        failed=states,
        criteria=sum(len(item.rubric) for item in asked),
        unjudged=unjudged,
    )


def _clipped(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    clipped: NDArray[np.float64] = np.clip(totals[:, 0] / totals[:, 1], 0, 1)
    return clipped


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthbenchResult(Result):
    """What a run folder of HealthBench comes to.

    Attributes:
        scores: one a system and grader.
        attacks: by system, one result an attack, by the first grader; empty without attacks.
    """

    scores: tuple[HealthbenchSummary, ...]
    attacks: Mapping[str, tuple[AttackResult, ...]]


def summary_of(folder: str | Path, *, seed: int = 42) -> HealthbenchResult:
    """Everything from a run folder.

    Args:
        folder: the run folder.
        seed: seed of spreads and intervals.

    Raises:
        UsageError: there is no run.
        InputError: it is damaged, was not graded, or states no plan or no criteria.
    """
    return result_of(read_run(folder), seed=seed)


def result_of(run: Run, *, seed: int = 42) -> HealthbenchResult:
    """Everything from a run; its logs state points and tags of the criteria. Errors as of `summary_of`."""
    outcomes, judgements = run.outcomes.to_pylist(), run.judgements.to_pylist()
    plan = plan_of(run.info.arguments)
    kept = run.info.arguments["logs"][0].get("criteria") or {}
    scores = summarise(outcomes, judgements, [reference_from(item, kept[item]) for item in kept], seed=seed)
    attacks = {
        system: attack_results(
            [row for row in outcomes if row["system"] == system], judgements, plan, grader=scores[0].grader,
            rng=np.random.default_rng(seed),
        )
        for system in run.info.systems
    } if plan.operators else {}  # fmt: skip
    return HealthbenchResult(scores=scores, attacks=attacks)


def summary(run: Run) -> dict[str, Any]:
    """All measures of a run, as plain values."""
    return result_of(run).to_dict()


def lines(result: Mapping[str, Any]) -> list[str]:
    """The lines for a terminal: the score by grader, and every attack."""
    told = []
    for one in result["scores"]:
        score = one["score"]
        told.append(
            f"{one['system']}, graded by {one['grader']}: score {_number(score['mean'])} (spread {_number(score['spread'])})"
        )
        if score["n_unscored"]:
            told.append(
                f"  {score['n_unscored']} of {one['replies']} replies without a score; with them it lies between "
                f"{_number(score['low'])} and {_number(score['high'])}"
            )
        told += [
            f"  {tag}: {_number(item['mean'])} (n {item['n']})"
            for tag, item in one["tags"].items()
            if tag.startswith(("theme:", "axis:"))
        ]
    for system, attacks in result["attacks"].items():
        told += ["", f"attacks on one criterion, {system}"]
        rows = [("attack", "asked", "flips", "of judged", "of all", "untouched", "graded again", "excess")]
        rows += [
            (
                item["attack"].split("@")[0].removeprefix("aimed."), f"{item['attacked']}/{item['items']}",
                f"{item['flips']}/{item['judged']}", _number(item["conditional"]["estimate"]),
                _number(item["end_to_end"]["estimate"]), _number(item["repeats"]["estimate"]),
                _number(item["grader"]["estimate"]), _number(item["excess"]["estimate"]),
            )
            for item in attacks
        ]  # fmt: skip
        wide = [max(len(row[place]) for row in rows) for place in range(8)]
        told += [
            "  ".join(text.ljust(wide[0]) if place == 0 else text.rjust(wide[place]) for place, text in enumerate(row))
            for row in rows
        ]
        told.append(
            "excess: share of flips under the attack less that among untouched repeats of the same conversations."
        )
    return told


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
