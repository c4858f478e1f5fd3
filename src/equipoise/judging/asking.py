"""One or more judges asked about one text by one rubric, inside a scorer of a task: rows of each, and of the panel they make."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
from inspect_ai.model import GenerateConfig, get_model

from equipoise.judging.call import Judgement, judge
from equipoise.judging.makers import made_by
from equipoise.judging.material import JudgeMaterial
from equipoise.judging.panel import FEWEST, Panel, Rule
from equipoise.judging.rows import Row, panel_rows, rows_of
from equipoise.judging.rubric import Rubric


def panel_of(judges: Sequence[str], rule: Rule = "majority") -> Panel:
    """A panel of some judges; those of the maker of the model under test sit out when there are several.

    Args:
        judges: Inspect's names of the judges, each once.
        rule: how their votes are put together.

    Raises:
        UsageError: a judge is named twice, or the rule does not exist.
    """
    return Panel(
        id=rule, judges=tuple(judges), rule=rule, fewest=min(FEWEST, len(judges)), leave_out_maker=len(judges) > 1
    )


def sitting(panel: Panel, model: str) -> tuple[str, ...]:
    """The judges that may judge a model's reply, in the panel's order."""
    return tuple(panel.sitting(made_by(model), {name: made_by(name) for name in panel.judges}))


async def ask_judges(
    rubric: Rubric, material: JudgeMaterial, *, panel: Panel, judges: Sequence[str], max_tokens: int | None = None
) -> list[Row]:
    """What judges say of one text; rows have an empty run and reply.

    Args:
        rubric: the rubric.
        material: the texts.
        panel: the panel; with a single judge it adds no rows.
        judges: those that sit.
        max_tokens: tokens of a verdict at most; the model's own limit by default.

    Raises:
        InputError: the item lacks a part that the rubric shows.
    """
    results: dict[str, Judgement] = {}

    async def one(name: str) -> None:
        results[name] = await judge(get_model(name), rubric, material, config=GenerateConfig(max_tokens=max_tokens))

    async with anyio.create_task_group() as group:
        for name in judges:
            group.start_soon(one, name)
    rows = [
        row
        for name in judges
        for row in rows_of(results[name].verdict.judged, rubric=rubric, reply_id="", run="", judge=name)
    ]
    if len(panel.judges) > 1:
        rows += panel_rows(rows, rubric=rubric, panel=panel, sitting={"": tuple(judges)}, run="")
    return rows
