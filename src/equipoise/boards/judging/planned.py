"""What judging a run would ask, before anything is asked: calls, tokens and money at most, and the first question as it would be sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.boards.judging.answers import answer_of, reply_state
from equipoise.boards.judging.criteria import CATEGORY, DECISIONS, FACTS
from equipoise.boards.judging.fact_source import FactSource
from equipoise.boards.judging.fact_store import FactStore
from equipoise.boards.judging.facts import FACT_FORM
from equipoise.boards.judging.material import BoardMaterial, narrower
from equipoise.boards.judging.references import BoardReference, read_references
from equipoise.boards.judging.run import facts_source, panel_for, rubrics_for
from equipoise.boards.judging.scoping import with_settled
from equipoise.errors import InputError
from equipoise.judging.listing import list_question
from equipoise.judging.panel import Rule
from equipoise.judging.rubric import load_rubric
from equipoise.outcomes.run import read_run
from equipoise.outcomes.schema import ReplyState
from equipoise.statistics.estimate import Result

if TYPE_CHECKING:
    from equipoise.evals.budget import Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned(Result):
    """One step of judging a run.

    Attributes:
        step: the rubric, or "facts" for taking facts out.
        judge: who is asked.
        calls: calls; a reply that cannot be read is asked for once more.
        tokens_in: tokens of the prompts, by a rule of thumb.
        tokens_out: tokens of the replies at their limit.
        cost: US dollars at most; None without prices.
        note: what cannot be said beforehand; empty when all can.
        first: the first question; empty when there is none.
    """

    step: str
    judge: str
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    note: str
    first: str


def plan_run(
    folder: str | Path,
    judges: Sequence[str],
    *,
    budget: Budget,
    max_tokens: int,
    rubrics: Sequence[str] | None = None,
    repeats: int = 1,
    rule: Rule | None = "median",
    keep_own: bool = False,
    facts: FactSource | None = None,
    facts_file: str | Path | None = None,
    limit: int | None = None,
    makers: Mapping[str, str] | None = None,
) -> tuple[Planned, ...]:
    """What `judge_run` with the same arguments would ask; nothing is asked or written.

    Args:
        folder: the run folder.
        judges: Inspect's names.
        budget: prices.
        max_tokens: tokens of a reply at most.
        rubrics: as there.
        repeats: as there.
        rule: as there.
        keep_own: as there.
        facts: as there.
        facts_file: as there.
        limit: as there.
        makers: as there.

    Raises:
        UsageError: there is no run, or a rubric does not fit.
        InputError: the run is damaged, or was judged by another version of a rubric.
    """
    path = Path(folder)
    run = read_run(path)
    references = with_settled(read_references(path), path)
    found: list[Planned] = []
    for name in rubrics_for(run, rubrics):
        source, store = None, None
        if name == FACTS:
            source, store = facts_source(run, facts, judges[0], facts_file), FactStore(path)
            rows = [row for row in run.outcomes.to_pylist() if reply_state(row) == ReplyState.OK][:limit]
            pairs = [(references[row["item"]], answer_of(row)) for row in rows if row["item"] in references]
            texts = list(dict.fromkeys(text for _, text in source.wanted(pairs, store)))
            if texts:
                asked = [list_question(FACT_FORM, text) for text in texts]
                sizes = [len(item.system) + len(item.user) for item in asked]
                first = f"{asked[0].system}\n\n{asked[0].user}"
                found.append(_step("facts", source.extractor, sizes, max_tokens, budget, first=first))
                note = "what it asks about facts cannot be counted before they are taken out"
                found += [_step(name, judge, [], max_tokens, budget, note=note) for judge in judges]
                continue
        if name == CATEGORY:
            found += _references(path, references, judges, budget, max_tokens, limit)
        material = BoardMaterial(rubric=name, references=references, facts=source, store=store)
        found += _rubric(path, name, material, judges, budget, max_tokens, repeats, rule, keep_own, limit, makers)
    return tuple(found)


def _rubric(
    path: Path, name: str, material: BoardMaterial, judges: Sequence[str], budget: Budget, max_tokens: int, repeats: int,
    rule: Rule | None, keep_own: bool, limit: int | None, makers: Mapping[str, str] | None,
) -> list[Planned]:  # fmt: skip
    from equipoise.judging.folder import open_folder
    from equipoise.judging.frame import prepare

    rubric = load_rubric(name)
    panel = panel_for(judges, rule, rubric, keep_own=keep_own)
    try:
        stale = narrower(path, read_run(path), material.references) if name == DECISIONS else ()
        work = open_folder(
            path, rubric, material, judges, panel=panel, repeats=repeats, limit=limit, makers=makers, stale=stale
        )
    except InputError as error:
        if error.field == "rubric":
            raise
        return [_step(name, judge, [], max_tokens, budget, note=error.message) for judge in judges]
    sizes: dict[str, dict[tuple[str, int], int]] = {judge: {} for judge in judges}
    first: dict[str, str] = {}
    for item in work.plan.pending:
        prepared = prepare(rubric, item.material, repeat=item.key[3])
        if prepared.asked:
            sizes[item.key[1]][item.material_hash, item.key[3]] = len(prepared.system) + len(prepared.user)
            first.setdefault(item.key[1], f"{prepared.system}\n\n{prepared.user}")
    return [
        _step(name, judge, list(own.values()), max_tokens, budget, first=first.get(judge, ""))
        for judge, own in sizes.items()
    ]


def _references(
    path: Path, references: Mapping[str, BoardReference], judges: Sequence[str], budget: Budget, max_tokens: int,
    limit: int | None,
) -> list[Planned]:  # fmt: skip
    """References without a category, which the judges are asked about first."""
    from equipoise.boards.judging.category_asking import reference_plan
    from equipoise.judging.frame import prepare

    rubric = load_rubric(CATEGORY)
    _, plan = reference_plan(path, read_run(path), rubric, references, judges, limit=limit)
    prepared = [(item.key[1], prepare(rubric, item.material)) for item in plan.pending]
    sizes = {judge: [len(one.system) + len(one.user) for name, one in prepared if name == judge] for judge in judges}
    return [_step(f"{CATEGORY}, references", judge, own, max_tokens, budget) for judge, own in sizes.items() if own]


def _step(
    step: str, judge: str, sizes: Sequence[int], max_tokens: int, budget: Budget, *, note: str = "", first: str = ""
) -> Planned:
    from equipoise.evals.budget import estimate

    found = estimate(sum(sizes), len(sizes), max_tokens, budget.of(judge).prices)
    return Planned(
        step=step, judge=judge, calls=found.calls, tokens_in=found.tokens_in, tokens_out=found.tokens_out, cost=found.cost,
        note=note, first=first,
    )  # fmt: skip
