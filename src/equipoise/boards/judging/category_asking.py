"""Has references put into treatment categories by the judges of the replies, before any reply is shown, each text once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.boards.judging.answers import reply_state
from equipoise.boards.judging.categories import (
    ReadPlan,
    given,
    known_categories,
    read_plan,
    settle,
    settled_categories,
    texts_to_settle,
)
from equipoise.boards.judging.references import BoardReference
from equipoise.judging.material import JudgeMaterial
from equipoise.judging.panel import Panel
from equipoise.judging.rubric import REPLY, Rubric
from equipoise.outcomes.run import Run
from equipoise.outcomes.schema import ReplyState, outcomes_table

if TYPE_CHECKING:
    from inspect_ai.model import Model

    from equipoise.evals.budget import Budget
    from equipoise.judging.plan import Plan
    from equipoise.judging.step import Settings, Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """References as material: nothing but the text, under the name a reply has.

    Attributes:
        by_key: the texts.
    """

    by_key: Mapping[str, str]

    def material_for(self, reply_row: Mapping[str, Any]) -> JudgeMaterial:
        """The text of a row."""
        key = str(reply_row["reply_id"])
        return JudgeMaterial(item=key, parts={REPLY: self.by_key[key]})


def reference_plan(
    folder: Path,
    run: Run,
    rubric: Rubric,
    references: Mapping[str, BoardReference],
    judges: Sequence[str],
    *,
    limit: int | None,
    again: Sequence[str] = (),
) -> tuple[Run, Plan]:
    """What has to be asked about references, as a run of their texts; nothing is asked.

    Args:
        folder: the run folder.
        run: the run.
        rubric: the rubric.
        references: by item.
        judges: who judges.
        limit: replies at most whose references are asked about, the first of the run.
        again: states of verdicts that are asked again.

    Raises:
        InputError: the run was judged by another version of the rubric.
    """
    from equipoise.judging.journal import Journal
    from equipoise.judging.plan import plan_judging
    from equipoise.judging.step import done_in

    texts = texts_to_settle(_asked(run, references, limit), settled_categories(folder))
    rows = [
        {
            "reply_id": key, "run": run.info.run_id, "system": "reference", "benchmark": run.info.benchmark, "item": key,
            "state": ReplyState.OK.value, "reply": text,
        }
        for key, text in texts.items()
    ]  # fmt: skip
    own = replace(run, outcomes=outcomes_table(rows))
    done = done_in(own, Journal(folder), rubric, again=again)
    return own, plan_judging(own, rubric, Texts(by_key=texts), judges, done=done)


def settle_references(
    folder: Path,
    run: Run,
    rubric: Rubric,
    references: Mapping[str, BoardReference],
    models: Mapping[str, Model],
    *,
    panel: Panel | None,
    limit: int | None,
    budget: Budget | None,
    settings: Settings,
) -> tuple[Plan, Spent, list[str]]:
    """Ask about references that have no category, and write what was settled.

    The word of the panel counts, or of the first judge where there is none. No judge sits out: a reference is no model's.

    Args:
        folder: the run folder.
        run: the run.
        rubric: the rubric.
        references: by item.
        models: the judges by name.
        panel: the panel of the judges; None without one.
        limit: replies at most.
        budget: money.
        settings: how judges are asked.

    Returns:
        What there was to ask, what was asked, and what a reader must know, in sentences.

    Raises:
        InputError: the run was judged by another version of the rubric.
    """
    from equipoise.judging.journal import Journal
    from equipoise.judging.step import ask_all

    own, plan = reference_plan(folder, run, rubric, references, tuple(models), limit=limit, again=settings.again)
    spent = ask_all(plan, models, Journal(folder), budget=budget, settings=settings)
    everyone = None if panel is None else replace(panel, leave_out_maker=False)
    judge = next(iter(models)) if everyone is None else everyone.judge
    read = _read(folder, own, rubric, tuple(models), everyone, judge)
    number = settle(folder, rubric.hash, judge, read)
    asked = _asked(run, references, limit)
    known = known_categories(asked, folder)
    open_ = sum(categories is None for categories in known.values())
    from_data = sum(bool(given(item)) for item in asked.values())
    notes = [
        f"categories of {number} references settled by {judge}; of {from_data} items the data set has them"
        + (f"; of {open_} items they are still open, whose replies get no concordance" if open_ else "")
    ]
    nothing = sum(categories is not None and not categories for categories in known.values())
    if nothing:
        notes.append(f"{nothing} references recommend no category, where concordance is undefined")
    return plan, spent, notes


def _asked(run: Run, references: Mapping[str, BoardReference], limit: int | None) -> dict[str, BoardReference]:
    """References of the replies that are judged."""
    rows = [row for row in run.outcomes.to_pylist() if reply_state(row) == ReplyState.OK][:limit]
    items = dict.fromkeys(str(row["item"]) for row in rows)
    return {name: references[name] for name in items if name in references}


def _read(
    folder: Path, own: Run, rubric: Rubric, judges: tuple[str, ...], panel: Panel | None, judge: str
) -> dict[str, ReadPlan]:
    """What the judge whose word counts read, by key."""
    from equipoise.judging.journal import Journal
    from equipoise.judging.step import table_rows

    keys = own.outcomes.column("reply_id").to_pylist()
    rows = table_rows(own, Journal(folder), rubric, panel=panel, sitting=dict.fromkeys(keys, judges))
    grouped: dict[str, dict[str, Mapping[str, Any]]] = {key: {} for key in keys}
    for row in rows:
        if row["judge"] == judge and row["reply_id"] in grouped and row["repeat"] == 1:
            grouped[row["reply_id"]][str(row["criterion"])] = row
    return {key: read_plan(found) for key, found in grouped.items()}
