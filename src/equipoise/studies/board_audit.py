"""A board audit from run folders with judgements: means, comparisons, places, judges, discussions, the worst replies, deviations.

Every figure is computed from `ItemScore` and from the replies themselves. Arms, settings, scales and judges stay apart; nothing is averaged
over the two benchmarks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.boards.judging.agreement import Agreements, agreements
from equipoise.boards.judging.criteria import BOARD, FACTS, TURN
from equipoise.boards.judging.items import ItemScore
from equipoise.boards.judging.labels import Label
from equipoise.ids import content_hash
from equipoise.statistics.estimate import Result, plain
from equipoise.studies.board_compare import Pair, Placed, compared, leading, placed
from equipoise.studies.board_conduct import Conduct, conduct_of
from equipoise.studies.board_judges import JudgeCount, Kinship, Repeated, judge_counts, kinships, repeats_of
from equipoise.studies.board_protocol import BoardDeviation, board_deviations
from equipoise.studies.board_runs import BoardPart
from equipoise.studies.board_scores import (
    CONSTANTS,
    RESAMPLES,
    BoardMean,
    Table,
    chosen_judge,
    generator,
    mean_of,
    split_means,
    tables,
)
from equipoise.studies.board_worst import WorstReply, without_words, worst_replies

MOST_WORST = 400
"""Worst replies that an audit holds; the others are counted and stay in the run folders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartStates(Result):
    """What became of the replies of a part.

    Attributes:
        part: name of the test.
        system: the system.
        run: identifier of its run.
        replies: rows of the outcomes.
        states: replies by state.
        tokens_in: tokens of prompts, as far as they are stated.
        tokens_out: tokens of replies, as far as they are stated.
        cost: US dollars, as far as they are stated.
        dataset_hash: of what was asked.
    """

    part: str
    system: str
    run: str
    replies: int
    states: Mapping[str, int]
    tokens_in: int
    tokens_out: int
    cost: float
    dataset_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Led(Result):
    """The measure that the comparisons of a benchmark are made on.

    Attributes:
        benchmark: specialist_turn or board_simulation.
        rubric: its rubric.
        criterion: its criterion.
        scale: its scale.
        judge: the judge or panel; empty without one.
        rubric_hash: hash of the rubric, or version of the measure.
    """

    benchmark: str
    rubric: str
    criterion: str
    scale: str
    judge: str
    rubric_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardAudit(Result):
    """The whole audit.

    Attributes:
        protocol: the protocol, as it was fixed.
        seed: seed of intervals and tests.
        main_judges: by rubric, the judge or panel the main figures are of; empty without a judge.
        parts: what became of the replies.
        led: the measure of the comparisons, by benchmark.
        means: one a system, setting, criterion and judge.
        splits: means of the leading measure by role, type and site, and of facts by category.
        pairs: paired differences on the leading measures.
        places: places they leave open.
        judges: what each judge gave.
        agreements: judges and clinicians on the same replies.
        kinships: judges and systems of one maker, or of makers not known.
        repeats: answers to the same item, asked again.
        conduct: how the boards went.
        worst: the worst replies, worst kind first.
        worst_total: how many there are.
        deviations: what came otherwise than planned.
        notes: what a reader must know before the figures.
    """

    protocol: Mapping[str, Any]
    seed: int
    main_judges: Mapping[str, str]
    parts: tuple[PartStates, ...]
    led: tuple[Led, ...]
    means: tuple[BoardMean, ...]
    splits: tuple[BoardMean, ...]
    pairs: tuple[Pair, ...]
    places: tuple[Placed, ...]
    judges: tuple[JudgeCount, ...]
    agreements: Agreements
    kinships: tuple[Kinship, ...]
    repeats: tuple[Repeated, ...]
    conduct: tuple[Conduct, ...]
    worst: tuple[WorstReply, ...]
    worst_total: int
    deviations: tuple[BoardDeviation, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, with the hash of all of it."""
        body = {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}
        return {**body, "audit_hash": content_hash(body)}


def board_audit(
    protocol: Mapping[str, Any],
    parts: Mapping[tuple[str, str], BoardPart],
    scores: Sequence[ItemScore],
    failures: Mapping[tuple[str, str], str] | None = None,
    *,
    labels: Sequence[Label] = (),
    notes: Sequence[str] = (),
) -> BoardAudit:
    """The audit.

    Args:
        protocol: the protocol.
        parts: the runs by test and system.
        scores: the scores of all run folders together.
        failures: why a part could not start, by test and system.
        labels: what clinicians say of the same answers.
        notes: what a reader must know before the figures, such as a step that was not made.
    """
    seed = int(protocol["seed"])
    found = tables(scores)
    main = _main_judges(found, protocol)
    leads = {benchmark: leading(found, benchmark, main) for benchmark in (TURN, BOARD)}
    own = [part for part in parts.values() if part.rows]
    conduct = tuple(item for part in own if (item := conduct_of(part)) is not None)
    pairs = {benchmark: compared(lead, seed=seed) for benchmark, lead in leads.items()}
    lead_tables = [table for lead in leads.values() for table in lead]
    worst = worst_replies(found, lead_tables, own, conduct)
    shown = worst[:MOST_WORST] if protocol["excerpts"] else tuple(without_words(item) for item in worst[:MOST_WORST])
    return BoardAudit(
        protocol=protocol,
        seed=seed,
        main_judges=main,
        parts=tuple(_states(name, system, part) for (name, system), part in parts.items()),
        led=tuple(_led(benchmark, lead) for benchmark, lead in leads.items() if lead),
        means=tuple(mean_of(table, seed=seed) for table in found if not _by_category(table)),
        splits=_splits(found, lead_tables, main.get(FACTS, ""), seed),
        pairs=tuple(pair for own_pairs in pairs.values() for pair in own_pairs),
        places=tuple(place for name, lead in leads.items() for place in (placed(lead, pairs[name]) if lead else ())),
        judges=judge_counts(found),
        agreements=_agreements(scores, labels, seed),
        kinships=kinships(found, protocol["makers"]),
        repeats=tuple(item for item in repeats_of(lead_tables)),
        conduct=conduct,
        worst=shown,
        worst_total=len(worst),
        deviations=board_deviations(protocol, parts, failures or {}),
        notes=tuple(notes),
    )


def _agreements(scores: Sequence[ItemScore], labels: Sequence[Label], seed: int) -> Agreements:
    """Agreement on replies of the systems; those that read nothing get the lowest value from everybody, which would raise every kappa."""
    own = sorted((score for score in scores if score.system not in CONSTANTS), key=_order)
    told = [label for label in labels if label.system not in CONSTANTS]
    return agreements(own, told, rng=generator(seed, ["agreement"]), resamples=RESAMPLES)


def _by_category(table: Table) -> bool:
    """Whether a table holds rows of single categories of facts only."""
    named = ":" in table.measure.criterion
    return named or (bool(table.values) and all(item.category for item in table.values))


def _order(score: ItemScore) -> tuple[Any, ...]:
    """An order that does not hang on how the scores were read, so that the intervals do not either."""
    place = (score.benchmark, score.arm, score.setting, score.system, score.item, score.trial)
    return (*place, score.rubric, score.criterion, score.judge, score.repeat, score.category)


def _main_judges(found: Sequence[Table], protocol: Mapping[str, Any]) -> dict[str, str]:
    """By rubric: the panel, else the first judge of the protocol that judged, else any other."""
    main = {}
    for rubric in sorted({table.measure.rubric for table in found if table.measure.judge}):
        seen = sorted({table.measure.judge for table in found if table.measure.rubric == rubric})
        named = [name for name in protocol["judges"] if name in seen]
        main[rubric] = chosen_judge([*named, *seen])
    return main


def _led(benchmark: str, lead: Sequence[Table]) -> Led:
    measure = lead[0].measure
    return Led(
        benchmark=benchmark,
        rubric=measure.rubric,
        criterion=measure.criterion,
        scale=measure.scale,
        judge=measure.judge,
        rubric_hash=measure.rubric_hash,
    )


def _splits(found: Sequence[Table], lead: Sequence[Table], judge: str, seed: int) -> tuple[BoardMean, ...]:
    rows = [
        mean for by in ("role", "question type", "site") for table in lead for mean in split_means(table, by, seed=seed)
    ]
    facts = [table for table in found if table.measure.rubric == FACTS and table.measure.judge == judge]
    rows += [mean for table in facts for mean in split_means(table, "category", seed=seed)]
    return tuple(rows)


def _states(name: str, system: str, part: BoardPart) -> PartStates:
    return PartStates(
        part=name,
        system=system,
        run=part.run.info.run_id,
        replies=len(part.rows),
        states=dict(sorted(Counter(str(row["state"]) for row in part.rows).items())),
        tokens_in=sum(int(row.get("tokens_in") or 0) for row in part.rows),
        tokens_out=sum(int(row.get("tokens_out") or 0) for row in part.rows),
        cost=sum(float(row.get("cost") or 0.0) for row in part.rows),
        dataset_hash=str(part.facts.get("dataset_hash") or part.run.info.dataset_hash),
    )
