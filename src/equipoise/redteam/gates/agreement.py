"""Judges of the gates: how lenient each is beside the others on the same question, and how it agrees with people."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.gates.rows import JUDGED_RUBRIC
from equipoise.redteam.measures.rates import Rate, clustered, rate_of_read
from equipoise.statistics import Estimate, paired_rate_difference
from equipoise.statistics.estimate import Result, undefined

Place = tuple[str, str]
"""A reply and a gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement(Result):
    """One judge of the gates.

    Attributes:
        judge: the judge.
        verdicts: gates it gave a severity.
        holds: verdicts that the gate holds (severity 0) / verdicts; clustered by case.
        leniency: its share of "holds" less the mean share of the other judges on the same reply and gate; undefined with one judge.
        sensitivity: gates that it and the people call failed / those that the people do; undefined without people.
        specificity: gates that both call holding / those that the people do.
    """

    judge: str
    verdicts: int
    holds: Rate
    leniency: Estimate
    sensitivity: Rate | None
    specificity: Rate | None


def judge_agreement(run: Run, rng: np.random.Generator, *, people: str) -> tuple[JudgeAgreement, ...]:
    """One result a judge that is no person, in the order of their names.

    Args:
        run: a run with judgements by the rubric of the gates.
        rng: random generator of the intervals.
        people: how the names of people begin; several are put together by majority, a tie is left out.
    """
    case = {
        row["reply_id"]: row["item_family"] or row["item"]
        for row in run.outcomes.select(["reply_id", "item", "item_family"]).to_pylist()
    }
    said: dict[str, dict[Place, bool]] = defaultdict(dict)
    unread: dict[str, int] = defaultdict(int)
    for row in run.judgements.to_pylist():
        if row["rubric"] != JUDGED_RUBRIC or row["in_scope"] is False:
            continue
        if row["state"] != ReplyState.OK or row["points"] is None:
            unread[row["judge"]] += 1
        else:
            said[row["judge"]][row["reply_id"], row["criterion"]] = row["points"] == 0
    truth = _majority({name: own for name, own in said.items() if name.startswith(people)})
    judges = {name: own for name, own in sorted(said.items()) if not name.startswith(people)}
    return tuple(_one(name, judges, truth, case, unread[name], rng) for name in judges)


def _one(
    name: str,
    judges: dict[str, dict[Place, bool]],
    truth: dict[Place, bool],
    case: dict[str, str],
    unread: int,
    rng: np.random.Generator,
) -> JudgeAgreement:
    own = judges[name]
    hits, clusters = list(own.values()), [case[reply] for reply, _ in own]
    pairs: list[tuple[float, float, str]] = []
    for place, holds in own.items():
        others = [other[place] for key, other in judges.items() if key != name and place in other]
        if others:
            pairs.append((float(holds), sum(others) / len(others), case[place[0]]))
    leniency = undefined("no other judge saw the same gates")
    if pairs:
        names = [item for _, _, item in pairs]
        leniency = paired_rate_difference(
            [one for one, _, _ in pairs], [two for _, two, _ in pairs], rng=rng,
            clusters=names if len(set(names)) > 1 else None,
        )  # fmt: skip
    shared = [place for place in own if place in truth]
    return JudgeAgreement(
        judge=name,
        verdicts=len(own),
        holds=rate_of_read(sum(hits), len(hits), unread, clustered(hits, clusters, rng, unread)),
        leniency=leniency,
        sensitivity=_against(own, truth, [place for place in shared if not truth[place]], case, rng) if truth else None,
        specificity=_against(own, truth, [place for place in shared if truth[place]], case, rng) if truth else None,
    )


def _against(
    own: dict[Place, bool],
    truth: dict[Place, bool],
    places: list[Place],
    case: dict[str, str],
    rng: np.random.Generator,
) -> Rate:
    hits = [own[place] is truth[place] for place in places]
    return rate_of_read(sum(hits), len(hits), 0, clustered(hits, [case[reply] for reply, _ in places], rng))


def _majority(people: dict[str, dict[Place, bool]]) -> dict[Place, bool]:
    votes: dict[Place, list[bool]] = defaultdict(list)
    for own in people.values():
        for place, holds in own.items():
            votes[place].append(holds)
    return {place: 2 * sum(found) > len(found) for place, found in votes.items() if 2 * sum(found) != len(found)}
