"""Judges as scorers of an Inspect task: the same rubrics, states and panels as over a run folder."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import anyio
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from equipoise.evals.scorer import REASONS
from equipoise.judging.call import Judgement, judge
from equipoise.judging.makers import made_by
from equipoise.judging.material import JudgeMaterial
from equipoise.judging.panel import FEWEST, Panel, Rule
from equipoise.judging.rows import OUTCOME, Row, panel_rows, rows_of
from equipoise.judging.rubric import REPLY, Rubric, load_rubric
from equipoise.judging.sources import item_text
from equipoise.outcomes.schema import ReplyState

JUDGEMENTS = "judgements"
"""Key of a score's metadata under which its rows stand, with an empty run and reply."""

STOPS: Mapping[str, ReplyState] = {
    "content_filter": ReplyState.BLOCKED,
    "max_tokens": ReplyState.TRUNCATED,
    "model_length": ReplyState.TRUNCATED,
}
"""Ends of a reply under judgement that leave nothing whole to judge."""


def material_of(state: TaskState, target: Target) -> JudgeMaterial:
    """The texts of a sample: its input as the prompt, its target as the reference, its metadata for the rest.

    Args:
        state: the sample with its reply.
        target: its target.
    """
    found = item_text({name: value for name, value in (state.metadata or {}).items() if name != REPLY})
    parts: dict[str, str | tuple[str, ...]] = {
        **found.parts,
        "prompt": state.input_text,
        REPLY: state.output.completion,
    }
    if target.text.strip() and "reference" not in parts:
        parts["reference"] = target.text
    return JudgeMaterial(
        item=str(state.sample_id), parts=parts, lists=found.lists, out_of_scope=found.out_of_scope
    )  # fmt: skip


@metric
def judged_share(criterion: str, values: list[str]) -> Metric:
    """Samples whose verdict is one of some values / samples with a verdict; NaN without one.

    Args:
        criterion: the criterion.
        values: the values that count.
    """

    def compute(scores: list[SampleScore]) -> float:
        found = [(item.score.metadata or {}).get("values", {}).get(criterion) for item in scores]
        read = [value for value in found if value is not None]
        return sum(value in values for value in read) / len(read) if read else math.nan

    return compute


@scorer(metrics=[])
def judged(
    rubric: str,
    judges: list[str],
    rule: Rule = "majority",
    repeats: int = 1,
    fewest: int | None = None,
    leave_out_maker: bool = True,
    material: Callable[[TaskState, Target], JudgeMaterial] = material_of,
) -> Scorer:
    """Have judges score a reply by a rubric.

    The value of the score is the verdict on the rubric's first criterion, in points where it has them: that of the only
    answer, or of the panel that several judges or repeats make. Without one it is unscored, with its state. All rows are
    kept in the metadata.

    Args:
        rubric: name or file of the rubric.
        judges: Inspect's names of the judges.
        rule: how several judges are put together.
        repeats: times each is asked.
        fewest: judges with a readable vote that a panel needs; two, or the only one, by default.
        leave_out_maker: whether judges of the maker of the model under test sit out of a panel.
        material: the texts of a sample.

    Raises:
        UsageError: no such rubric, or a rule that does not exist.
    """
    known = load_rubric(rubric)
    panel = Panel(
        id=rule, judges=tuple(judges), rule=rule, fewest=min(FEWEST, len(judges)) if fewest is None else fewest,
        leave_out_maker=leave_out_maker and len(judges) > 1,
    )  # fmt: skip
    first = known.criteria[0].id

    async def score(state: TaskState, target: Target) -> Score:
        failure = _reply_failure(state) if known.sees_reply else None
        if failure is not None:
            return Score.unscored(
                reason=REASONS[failure], explanation="the reply was not judged", metadata={"state": failure.value}
            )
        shown = material(state, target)
        makers = {name: made_by(name) for name in judges}
        sitting = panel.sitting(made_by(str(state.model)), makers) if known.sees_reply else panel.judges
        asked = [(name, number) for name in sitting for number in range(1, repeats + 1)]
        results: dict[tuple[str, int], Judgement] = {}

        async def one(name: str, number: int) -> None:
            results[name, number] = await judge(get_model(name), known, shown, repeat=number, config=GenerateConfig())

        async with anyio.create_task_group() as group:
            for name, number in asked:
                group.start_soon(one, name, number)
        rows = [
            row
            for name, number in asked
            for row in rows_of(
                results[name, number].verdict.judged, rubric=known, reply_id="", run="", judge=name, repeat=number,
                out_of_scope=results[name, number].out_of_scope,
            )
        ]  # fmt: skip
        deciding = judges[0]
        if len(judges) > 1 or repeats > 1:
            rows += panel_rows(rows, rubric=known, panel=panel, sitting={"": sitting}, run="")
            deciding = panel.judge
        return _score(known, rows, first, deciding)

    return score


def rows_of_score(score: Score, *, reply_id: str, run: str) -> list[Row]:
    """The rows a score holds, with their reply and run.

    Args:
        score: a score of `judged`.
        reply_id: the reply.
        run: the run.
    """
    return [{**row, "reply_id": reply_id, "run": run} for row in (score.metadata or {}).get(JUDGEMENTS, ())]


def _score(rubric: Rubric, rows: Sequence[Row], first: str, deciding: str) -> Score:
    own = {row["criterion"]: row for row in rows if row["judge"] == deciding and row["repeat"] == 1}
    verdict = own.get(first)
    facts: dict[str, Any] = {
        "state": verdict["state"] if verdict else ReplyState.ERROR.value,
        "rubric": rubric.id,
        "rubric_hash": rubric.hash,
        "values": {name: row["value"] for name, row in own.items() if row["value"] is not None},
        JUDGEMENTS: list(rows),
    }
    if verdict is None or verdict["value"] is None:
        outcome = own.get(f"{first}{OUTCOME}")
        why = outcome["value"] if outcome else f"the judge's verdict is {facts['state']}"
        return Score.unscored(reason="grader_failed", explanation=why, metadata=facts)
    value = verdict["value"] if verdict["points"] is None else verdict["points"]
    return Score(value=value, answer=verdict["value"], explanation=f"{rubric.id}: {verdict['value']}", metadata=facts)


def _reply_failure(state: TaskState) -> ReplyState | None:
    if state.output.error:
        return ReplyState.ERROR
    stop = STOPS.get(str(state.output.stop_reason)) if state.output.choices else None
    if stop is not None:
        return stop
    return None if state.output.completion.strip() else ReplyState.EMPTY
