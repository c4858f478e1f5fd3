"""Judges the replies of a run folder: asks what is missing, writes each judgement at once, then the table.

The journal (`judge-replies.jsonl`) is what counts. The rows are made anew from it at the end of every start, so that an
order of replies, a limit or a cut changes nothing of what is judged.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from inspect_ai.model import GenerateConfig, Model

from equipoise.evals.budget import Budget, BudgetSpentError
from equipoise.judging.call import ASK_AGAIN, Judgement, SchemaMode, judge
from equipoise.judging.journal import Journal, is_open, judged_of
from equipoise.judging.panel import Panel
from equipoise.judging.plan import Key, Pending, Plan
from equipoise.judging.reading import READER_VERSION, Verdict
from equipoise.judging.rows import Row, panel_rows, rows_of
from equipoise.judging.rubric import Rubric
from equipoise.outcomes.run import Run, RunInfo, read_run, write_run
from equipoise.outcomes.schema import ReplyState, judgements_table

MOST_FAILURES = 20
"""Calls in a row that come to nothing before a judge is not asked any further in this start."""

CONNECTIONS = 10
"""Calls at a time when neither the user nor the model says how many."""


@dataclass(slots=True)
class Spent:
    """What one start asked.

    Attributes:
        judged: judgements made.
        copied: judgements taken over from an equal question.
        calls: calls of the judges.
        again: second tries among them.
        tokens_in: tokens of the prompts.
        tokens_out: tokens of the replies.
        cost: US dollars; None when not known.
        errors: by judge and message, judgements that came to nothing.
        not_asked: judgements that were not made: the money was spent, a judge failed too often, or it was stopped.
        stopped: why, in words; empty when all was asked.
    """

    judged: int = 0
    copied: int = 0
    calls: int = 0
    again: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)
    not_asked: int = 0
    stopped: str = ""

    def count(self, name: str, judgement: Judgement) -> None:
        """Count a judgement with its calls."""
        self.judged += 1
        self.calls += len(judgement.attempts)
        self.again += max(0, len(judgement.attempts) - 1)
        for attempt in judgement.attempts:
            self.tokens_in += attempt.tokens_in or 0
            self.tokens_out += attempt.tokens_out or 0
            if attempt.cost is not None:
                self.cost = (self.cost or 0.0) + attempt.cost
        if judgement.verdict.state is ReplyState.ERROR:
            self.errors[name, judgement.verdict.why] += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How judges are asked.

    Attributes:
        config: settings of generation.
        connections: calls at a time for each judge; None for what the model says.
        schema: where the JSON schema goes.
        ask_again: tries after a reply that cannot be read.
        again: states of verdicts on record that are asked again, such as "truncated" under a higher limit. Asking until a
            verdict fits chooses among verdicts; it is meant for a fault that was mended.
    """

    config: GenerateConfig = field(default_factory=GenerateConfig)
    connections: int | None = None
    schema: SchemaMode = "auto"
    ask_again: int = ASK_AGAIN
    again: tuple[str, ...] = ()


def ask_all(
    plan: Plan,
    models: Mapping[str, Model],
    journal: Journal,
    *,
    budget: Budget | None = None,
    settings: Settings | None = None,
    told: Callable[[int, int], None] | None = None,
) -> Spent:
    """Make the judgements of a plan; each is in the journal before the next is counted.

    Args:
        plan: what to judge.
        models: the judges by name.
        journal: where judgements are written.
        budget: money.
        settings: how judges are asked.
        told: called with the number of judgements made and wanted after each.

    Returns:
        What was asked. An interruption by the user is not raised: it stands in `stopped`.
    """
    spent = Spent()
    work = _Work(plan, models, journal, budget, settings or Settings(), spent, told)
    try:
        asyncio.run(work.run())
    except KeyboardInterrupt:
        spent.stopped = "stopped by the user"
    finally:
        journal.close()
    spent.not_asked = len(plan.pending) - spent.judged - spent.copied
    return spent


class _Work:
    """One start: equal questions are put together, and each judge has its own workers."""

    def __init__(
        self, plan: Plan, models: Mapping[str, Model], journal: Journal, budget: Budget | None, settings: Settings,
        spent: Spent, told: Callable[[int, int], None] | None,
    ) -> None:  # fmt: skip
        self.plan, self.models, self.journal, self.budget = plan, models, journal, budget
        self.settings, self.spent, self.told = settings, spent, told
        self.failures: Counter[str] = Counter()
        self.queues: dict[str, deque[list[Pending]]] = {name: deque() for name in models}
        self._fill()

    def _fill(self) -> None:
        known = {(entry["judge"], entry["material_hash"], entry["repeat"]): entry for entry in self.journal.entries.values()
                 if entry["rubric_hash"] == self.plan.rubric.hash and not is_open(entry, self.settings.again)}  # fmt: skip
        groups: dict[tuple[str, str, int], list[Pending]] = {}
        for item in self.plan.pending:
            place = (item.key[1], item.material_hash, item.key[3])
            if place in known:
                self._copy(item.key, _from_entry(known[place]))
            else:
                groups.setdefault(place, []).append(item)
        for (name, _, _), items in groups.items():
            self.queues[name].append(items)

    def _copy(self, key: Key, judgement: Judgement) -> None:
        self.journal.add(key, self.plan.rubric.id, judgement, copied=True)
        self.spent.copied += 1
        if judgement.verdict.state is ReplyState.ERROR:
            self.spent.errors[key[1], judgement.verdict.why] += 1

    async def run(self) -> None:
        workers = [
            asyncio.create_task(self._worker(name))
            for name, queue in self.queues.items()
            for _ in range(min(len(queue), self._connections(name)))
        ]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    def _connections(self, name: str) -> int:
        return self.settings.connections or self.models[name].api.max_connections() or CONNECTIONS

    async def _worker(self, name: str) -> None:
        config = GenerateConfig(max_connections=self._connections(name)).merge(self.settings.config)
        queue = self.queues[name]
        budget = None if self.budget is None else self.budget.of(name)
        while queue and not self.spent.stopped and self.failures[name] < MOST_FAILURES:
            items = queue.popleft()
            first = items[0]
            try:
                judgement = await judge(
                    self.models[name], self.plan.rubric, first.material, repeat=first.key[3], config=config,
                    budget=budget, schema=self.settings.schema, ask_again=self.settings.ask_again,
                )  # fmt: skip
            except BudgetSpentError as error:
                self.spent.stopped = str(error)
                return
            failed = judgement.verdict.state is ReplyState.ERROR
            self.failures[name] = self.failures[name] + 1 if failed else 0
            self.journal.add(first.key, self.plan.rubric.id, judgement)
            self.spent.count(name, judgement)
            for item in items[1:]:
                self._copy(item.key, judgement)
            if self.told is not None:
                self.told(self.spent.judged + self.spent.copied, len(self.plan.pending))


def _from_entry(entry: Mapping[str, Any]) -> Judgement:
    judged = judged_of(entry)
    ok = any(item.state is ReplyState.OK for item in judged) or not judged
    state = ReplyState.OK if ok else judged[0].state
    return Judgement(
        verdict=Verdict(state=state, judged=judged),
        attempts=(),
        material_hash=entry["material_hash"],
        out_of_scope=tuple(entry["out_of_scope"]),
    )


def done_in(run: Run, journal: Journal, rubric: Rubric, *, again: Collection[str] = ()) -> set[Key]:
    """What is judged already: in the journal or the table, apart from calls that came to nothing.

    Args:
        run: the run.
        journal: its journal.
        rubric: the rubric.
        again: states of verdicts that are asked again too.
    """
    left = {key for key, entry in journal.entries.items() if is_open(entry, again)}
    done = set(journal.entries) - left
    for row in run.judgements.to_pylist():
        key = (row["reply_id"], row["judge"], row["rubric_hash"], row["repeat"])
        if row["rubric"] == rubric.id and key not in left and row["state"] not in (ReplyState.ERROR, *again):
            done.add(key)
    return done


def table_rows(run: Run, journal: Journal, rubric: Rubric, *, panel: Panel | None = None,
               sitting: Mapping[str, tuple[str, ...]] | None = None) -> list[Row]:  # fmt: skip
    """All judgements of the run: those of others as they stand, then by reply those of the rubric, then the panel's.

    Args:
        run: the run as it was read.
        journal: the journal of its folder.
        rubric: the rubric.
        panel: the panel, if there is one.
        sitting: by reply, the judges that may judge it.
    """
    place = {reply: number for number, reply in enumerate(run.outcomes.column("reply_id").to_pylist())}
    entries = {key: entry for key, entry in journal.entries.items() if key[2] == rubric.hash and key[0] in place}
    kept = [
        row for row in run.judgements.to_pylist()
        if (row["reply_id"], row["judge"], row["rubric_hash"], row["repeat"]) not in entries
        and not (panel is not None and row["judge"] == panel.judge and row["rubric"] == rubric.id)
    ]  # fmt: skip
    made: list[Row] = []
    for key in sorted(entries, key=lambda item: (place[item[0]], item[1], item[3])):
        made += rows_of(
            judged_of(entries[key]), rubric=rubric, reply_id=key[0], run=run.info.run_id, judge=key[1], repeat=key[3],
            out_of_scope=entries[key]["out_of_scope"],
        )  # fmt: skip
    if panel is not None and sitting is not None:
        own = [row for row in (*kept, *made) if row["rubric"] == rubric.id and row["rubric_hash"] == rubric.hash]
        made += panel_rows(own, rubric=rubric, panel=panel, sitting=sitting, run=run.info.run_id)
    return [*kept, *made]


def without_other_versions(run: Run, rubric: Rubric, judges: Sequence[str]) -> Run:
    """The run without what these judges said by another version of the rubric; people and other judges stay.

    Args:
        run: the run.
        rubric: the rubric.
        judges: identifiers of the judges, and of the panel.
    """
    kept = [
        row for row in run.judgements.to_pylist()
        if not (row["rubric"] == rubric.id and row["rubric_hash"] != rubric.hash and row["judge"] in judges)
    ]  # fmt: skip
    return replace(run, judgements=judgements_table(kept))


def store(folder: Path, run: Run, rows: Sequence[Row], facts: Mapping[str, Any]) -> Run:
    """Write the run back with its judgements and how they were made, and read it again.

    Args:
        folder: the run folder.
        run: the run as it was read.
        rows: all judgements.
        facts: of this judging, kept in the arguments of the run under "judging" and the rubric's identifier.
    """
    arguments = dict(run.info.arguments)
    arguments["judging"] = {**dict(arguments.get("judging") or {}), str(facts["rubric"]): dict(facts)}
    info: RunInfo = replace(run.info, arguments=arguments)
    write_run(folder, info, run.outcomes, rows)
    return read_run(folder)


def facts_of(
    rubric: Rubric, judges: Sequence[str], repeats: int, panel: Panel | None, settings: Settings
) -> dict[str, Any]:
    """What must be known to judge the same again."""
    return {
        "rubric": rubric.id,
        "version": rubric.version,
        "hash": rubric.hash,
        "judges": sorted(judges),
        "repeats": repeats,
        "reader_version": READER_VERSION,
        "settings": {"temperature": 0.0, **settings.config.model_dump(exclude_none=True)},
        "schema": settings.schema,
        "ask_again": settings.ask_again,
        "again": list(settings.again),
        "panel": None if panel is None else {
            "id": panel.id, "judges": list(panel.judges), "rule": panel.rule, "fewest": panel.fewest,
            "leave_out_maker": panel.leave_out_maker, "hash": panel.hash,
        },
    }  # fmt: skip
