"""A run folder judged from end to end: plan, ask, write. What the command does, for whoever needs it in code.

work = open_folder("run", load_rubric("refusal"), read_items("items.jsonl"), ["openai/MODEL", "anthropic/MODEL"])
done = carry_out(work, load_judges(work.judges))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.model import Model

from equipoise.errors import UsageError
from equipoise.evals.budget import Budget
from equipoise.judging.journal import Journal
from equipoise.judging.panel import Panel
from equipoise.judging.plan import Key, Plan, plan_judging
from equipoise.judging.rubric import Rubric
from equipoise.judging.sources import MaterialSource
from equipoise.judging.step import (
    Settings,
    Spent,
    ask_all,
    done_in,
    facts_of,
    store,
    table_rows,
    without_other_versions,
)
from equipoise.outcomes.run import Run, read_run
from equipoise.outcomes.schema import ReplyState

FAILED: tuple[str, ...] = tuple(state.value for state in ReplyState if state is not ReplyState.OK)
"""States of a verdict without a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A run folder and what has to be judged in it; nothing was asked yet.

    Attributes:
        folder: the run folder.
        run: the run as it was read.
        journal: its journal.
        plan: what has to be judged.
        judges: identifiers of the judges.
        panel: the panel; None without one.
        repeats: times each judge is asked the same.
    """

    folder: Path
    run: Run
    journal: Journal
    plan: Plan
    judges: tuple[str, ...]
    panel: Panel | None
    repeats: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What became of it.

    Attributes:
        run: the run with its judgements, as it was read back.
        spent: what was asked in this start.
    """

    run: Run
    spent: Spent


def open_folder(
    folder: str | Path,
    rubric: Rubric,
    source: MaterialSource,
    judges: Sequence[str],
    *,
    panel: Panel | None = None,
    repeats: int = 1,
    limit: int | None = None,
    makers: Mapping[str, str] | None = None,
    replace: bool = False,
    again: Sequence[str] = (),
    stale: Collection[Key] = (),
) -> Work:
    """Read a run folder and plan its judgements.

    Args:
        folder: the run folder.
        rubric: the rubric.
        source: gives the texts of items.
        judges: identifiers of the judges.
        panel: the panel; None for judges that stand alone.
        repeats: times each judge is asked the same.
        limit: replies at most, the first of the run.
        makers: maker by model or judge, as told by the user.
        replace: drop what these judges said by another version of the rubric.
        again: states of verdicts on record that are asked again; name them in the settings of `carry_out` too.
        stale: judgements on record that are asked again, since more is asked now than was asked then.

    Raises:
        UsageError: there is no run in the folder, or no such state.
        InputError: the run is damaged, was judged by another version, or no reply has material.
    """
    strangers = sorted(set(again) - set(FAILED))
    if strangers:
        message = f"expected one of {', '.join(FAILED)}; found {strangers[0]!r}"
        raise UsageError(message, field="again")
    path = Path(folder)
    run = read_run(path)
    if replace:
        run = without_other_versions(run, rubric, [*judges, *([panel.judge] if panel is not None else [])])
    journal = Journal(path)
    plan = plan_judging(
        run, rubric, source, judges, done=done_in(run, journal, rubric, again=again) - set(stale), panel=panel, repeats=repeats,
        limit=limit, makers=makers,
    )  # fmt: skip
    return Work(
        folder=path, run=run, journal=journal, plan=plan, judges=tuple(judges), panel=panel, repeats=repeats
    )  # fmt: skip


def carry_out(
    work: Work,
    models: Mapping[str, Model],
    *,
    budget: Budget | None = None,
    settings: Settings | None = None,
    told: Callable[[int, int], None] | None = None,
) -> Done:
    """Ask what is missing and write the table.

    Args:
        work: the folder and its plan.
        models: the judges by name.
        budget: money.
        settings: how judges are asked.
        told: called with the number of judgements made and wanted after each.
    """
    asked = settings or Settings()
    rubric = work.plan.rubric
    spent = ask_all(work.plan, models, work.journal, budget=budget, settings=asked, told=told)
    rows = table_rows(work.run, work.journal, rubric, panel=work.panel, sitting=work.plan.sitting)
    run = store(work.folder, work.run, rows, facts_of(rubric, work.judges, work.repeats, work.panel, asked))
    return Done(run=run, spent=spent)


def unreadable(work: Work) -> Counter[tuple[str, str, str]]:
    """Why verdicts of the judges are missing: judge, state and reason; calls that failed are not among them."""
    return Counter(
        (str(entry["judge"]), str(item["state"]), str(item["why"]))
        for entry in work.journal.entries.values()
        for item in entry["judged"]
        if entry["rubric_hash"] == work.plan.rubric.hash
        and entry["judge"] in work.judges
        and item["state"] not in (ReplyState.OK, ReplyState.ERROR)
    )
