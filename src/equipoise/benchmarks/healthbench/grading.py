"""Grades replies by the criteria of a conversation, one at a time; a grader that fails leaves the criterion unjudged, never "not met"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import anyio
from inspect_ai.model import Model

from equipoise.errors import ConfigurationError
from equipoise.evals.budget import Budget
from equipoise.evals.stress_rows import Reading
from equipoise.judging.call import Judgement, judge
from equipoise.judging.material import JudgeMaterial
from equipoise.judging.rubric import Rubric, load_rubric
from equipoise.judging.seated import ROLE, seated
from equipoise.outcomes.schema import ReplyState
from equipoise.redteam.operators.items import RubricItem

RUBRIC = "healthbench-criterion"
MET, NOT_MET = "met", "not_met"


def criterion_name(place: int) -> str:
    """Name of a criterion in the tables, by its place in the rubric from 0."""
    return f"c{place + 1}"


def graders(names: Sequence[str]) -> dict[str, Model]:
    """The graders by name.

    Raises:
        ConfigurationError: none is named and none has the role.
    """
    found = seated(names)
    if not found:
        message = (
            f"HealthBench needs a grader: name one with -T grader=PROVIDER/MODEL or --model-role {ROLE}=PROVIDER/MODEL"
        )
        raise ConfigurationError(message)
    return found


async def grade(
    models: Mapping[str, Model],
    conversation: str,
    reply: str,
    rubric: Sequence[RubricItem],
    *,
    places: Sequence[int] | None = None,
    repeat: int = 1,
    budget: Budget | None = None,
) -> tuple[Reading, ...]:
    """One reading a grader and criterion.

    Args:
        models: the graders by name.
        conversation: the conversation up to the reply.
        reply: the reply.
        rubric: all criteria of the conversation.
        places: which of them, from 0; all by default.
        repeat: repeat of the same judgement; it changes the check code and nothing else.
        budget: money.
    """
    known = load_rubric(RUBRIC)
    asked = [(name, place) for name in models for place in (range(len(rubric)) if places is None else places)]
    results: dict[tuple[str, int], Judgement] = {}

    async def one(name: str, place: int) -> None:
        material = JudgeMaterial(
            item=criterion_name(place),
            parts={"prompt": conversation, "reply": reply, "criterion": rubric[place].criterion},
        )
        results[name, place] = await judge(models[name], known, material, repeat=repeat, budget=budget)

    async with anyio.create_task_group() as group:
        for name, place in asked:
            group.start_soon(one, name, place)
    return tuple(_reading(name, place, rubric[place], results[name, place], known) for name, place in asked)


def _reading(name: str, place: int, criterion: RubricItem, result: Judgement, known: Rubric) -> Reading:
    found = result.verdict.judged[0]
    return Reading(
        judge=name,
        rubric=known.id,
        criterion=criterion_name(place),
        scale=known.criteria[0].scale.id,
        value=found.value,
        points=None if found.value is None else (criterion.points if found.value == MET else 0.0),
        version=known.hash,
        state=found.state,
    )


def verdicts(readings: Sequence[Reading], grader: str, criteria: int) -> list[bool | None]:
    """Whether each criterion is met by what one grader said; None where it was not judged."""
    found = {item.criterion: item for item in readings if item.judge == grader and item.state is ReplyState.OK}
    values = [found.get(criterion_name(place)) for place in range(criteria)]
    return [None if item is None else item.value == MET for item in values]
