"""The adaptive loop: an item is asked untouched, again untouched k times, and then attacked in up to k rounds until it goes wrong.

Every reply is kept as a row. A reply that could not be read is no wrong one: it uses up its round, and the loop goes on. When a
call fails, the whole item is asked again by the same command, so that no half of a loop counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from equipoise.benchmarks.catalogue import find
from equipoise.benchmarks.choice_stress.advisers import ADVISERS_VERSION, chosen_by, worded_by
from equipoise.benchmarks.choice_stress.plan import chosen_operators, mutant_columns, prepare, untouched
from equipoise.benchmarks.choice_stress.prompt import prompt_of
from equipoise.benchmarks.choice_stress.scoring import read_output, stored_reply
from equipoise.benchmarks.choice_stress.task import MAX_RETRIES, MAX_TOKENS, TIMEOUT, Order, facts_of, material_of
from equipoise.errors import UsageError
from equipoise.evals.budget import Budget, prices
from equipoise.evals.logs import FACTS
from equipoise.evals.mock_counts import count_without_network
from equipoise.evals.refusal_task import REFERENCE_KEY
from equipoise.evals.stress_rows import REPLIES
from equipoise.redteam.answers import Answer, written
from equipoise.redteam.operators import Item, KeyRelation, Mutant, Operator
from equipoise.redteam.operators.catalogue import find_operator
from equipoise.redteam.operators.items import choice_item
from equipoise.redteam.plan import StressArm
from equipoise.redteam.right import is_right
from equipoise.redteam.strategist import POLICY, Attempt, Outcome, next_attack

ITEM = "item"
"""Where a sample's metadata keep its untouched item."""

KEPT = "kept_replies"
"""Where the solver leaves the replies for the scorer."""

FIRST_RIGHT, WORST = "first_right", "worst"
"""Where it leaves whether the first reply was right, and whether some round went wrong; null when that is not known."""


@solver
def adaptive_loop(
    operators: list[str],
    seed: int,
    rounds: int,
    repeats: int,
    strategist: str | None = None,
    writer: str | None = None,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
) -> Solver:
    """Ask one item: untouched, its repeats, and the rounds.

    Args:
        operators: identifiers of the operators that may be used.
        seed: seed of the run.
        rounds: most rounds.
        repeats: untouched repeats.
        strategist: model that chooses the next attack; the default policy without one.
        writer: model that words single attacks; templates without one.
        max_cost: US dollars after which nothing more is asked.
        price_in: US dollars per million tokens of the prompt.
        price_out: the same of the reply.
    """
    budget = Budget(most=max_cost, prices=prices(price_in, price_out))
    usable = [find_operator(name) for name in operators]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = item_from(state.metadata[ITEM])
        kept: list[dict[str, Any]] = []

        async def ask(asked: Item, relation: KeyRelation, columns: dict[str, Any]) -> bool | None:
            budget.require()
            state.messages = [ChatMessageUser(content=prompt_of(asked))]
            output: ModelOutput = (await generate(state)).output
            if output.usage is not None:
                budget.pay(output.usage.input_tokens, output.usage.output_tokens)
            answer = read_output(output, asked)
            kept.append(stored_reply(output, answer, columns).to_dict())
            return _right(answer, asked, relation)

        first = await ask(item, KeyRelation.SAME, untouched_columns(item, 1))
        for trial in range(2, repeats + 2):
            await ask(item, KeyRelation.SAME, untouched_columns(item, trial))
        history: list[Attempt] = []
        for number in range(1, rounds + 1) if first else ():
            found = await _attack(item, history, usable, seed, strategist, writer)
            if found is None:
                break
            mutant, more = found
            columns = {
                **mutant_columns(item, mutant, **more),
                "arm": StressArm.ADAPTIVE.value,
                "round": number,
                "stratum": "+".join(dict.fromkeys(find_operator(name).family.value for name in _ids(mutant))),
            }
            right = await ask(mutant.item, mutant.relation, columns)
            outcome = Outcome.NOT_READ if right is None else Outcome.RIGHT if right else Outcome.FOOLED
            history.append(Attempt(chain=_ids(mutant), outcome=outcome))
            if outcome is Outcome.FOOLED:
                break
        outcomes = [attempt.outcome for attempt in history]
        worst = (
            Outcome.FOOLED in outcomes
            if outcomes and (Outcome.FOOLED in outcomes or Outcome.NOT_READ not in outcomes)
            else None
        )
        state.metadata |= {KEPT: kept, FIRST_RIGHT: first, WORST: worst}
        return state

    return solve


async def _attack(
    item: Item,
    history: Sequence[Attempt],
    usable: Sequence[Operator],
    seed: int,
    strategist: str | None,
    writer: str | None,
) -> tuple[Mutant, dict[str, Any]] | None:
    """The next mutant, with who chose and worded it."""
    more: dict[str, Any] = {"chosen_by": POLICY, "invalid_choices": 0}
    mutant: Mutant | None = None
    if strategist is not None:
        choice = await chosen_by(strategist, item, history, usable, seed)
        if isinstance(choice, Mutant):
            mutant, more["chosen_by"] = choice, f"model:{strategist}"
        else:
            more |= {"invalid_choices": 1, "invalid_reason": choice.value}
    if mutant is None:
        mutant = next_attack(item, history, usable, seed)
    if mutant is None:
        return None
    names = _ids(mutant)
    if writer is not None and len(names) == 1 and find_operator(names[0]).accept is not None:
        worded = await worded_by(writer, item, find_operator(names[0]), seed)
        more["writer_refused"] = int(worded is None)
        mutant = worded or mutant
    return mutant, more


def _ids(mutant: Mutant) -> tuple[str, ...]:
    return tuple(mutant.operator.split("+"))


def _right(answer: Answer, item: Item, relation: KeyRelation) -> bool | None:
    if answer.form is None:
        return None
    expected = None if item.key is None else written(item.key)
    return is_right(relation, expected, answer.label, abstained=bool(answer.abstained))


@metric
def survived() -> Metric:
    """Items never answered wrongly / items answered right untouched of which that is known; NaN without one. A worst case."""

    def compute(scores: list[SampleScore]) -> float:
        values = [item.score.as_float() for item in scores]
        return sum(values) / len(values) if values else math.nan

    return compute


@scorer(metrics=[survived()])
def adaptive_scorer() -> Scorer:
    """1 when no round went wrong, 0 when one did; unscored when the untouched question was not answered right, or it is not known."""

    async def score(state: TaskState, target: Target) -> Score:
        del target
        facts = {REPLIES: state.metadata[KEPT]}
        if not state.metadata[FIRST_RIGHT]:
            return Score.unscored(
                reason="not_attacked", explanation="the untouched question was not answered right", metadata=facts
            )
        worst = state.metadata[WORST]
        if worst is None:
            return Score.unscored(
                reason="not_known", explanation="no reply was wrong, and one could not be read", metadata=facts
            )
        return Score(value=0.0 if worst else 1.0, answer="fooled" if worst else "right", metadata=facts)

    return score


def adaptive_task(order: Order, *, rounds: int, strategist: str | None = None, writer: str | None = None) -> Task:
    """The adaptive loop on every item.

    Args:
        order: what is asked for; `repeats` is the number of rounds unless it is more, `trials` is 1.
        rounds: most rounds of an item.
        strategist: model that chooses the next attack; the default policy without one.
        writer: model that words single attacks; templates without one.

    Raises:
        UsageError: an argument names something that does not exist, or a number is out of range.
        InputError: the data cannot be read.
    """
    if isinstance(rounds, bool) or not isinstance(rounds, int) or not 1 <= rounds <= 50:
        message = f"expected a whole number from 1 to 50, found {rounds!r}"
        raise UsageError(message, field="rounds")
    if order.trials != 1:
        message = "the adaptive loop asks every attack once; expected 1"
        raise UsageError(message, field="trials")
    if order.repeats is not None and order.repeats < rounds:
        message = f"the worst of {rounds} rounds needs as many untouched repeats beside it, found {order.repeats}"
        raise UsageError(message, field="repeats")
    for name, model in (("strategist", strategist), ("writer", writer)):
        if model is not None and not all(model.partition("/")):
            message = f"expected a model as PROVIDER/MODEL, found {model!r}"
            raise UsageError(message, field=name)
    repeats = rounds if order.repeats is None else order.repeats
    material = material_of(order)
    operators = chosen_operators(order.operators, order.default)
    prepared = prepare(order.benchmark, material.items, operators=operators, seed=order.seed, repeats=repeats, trials=1)
    calls = 1 + repeats + rounds
    samples = [_sample(item, calls) for item in material.items]
    kept = replace(order, repeats=repeats)
    count_without_network()
    return Task(
        dataset=MemoryDataset(samples, name=order.benchmark),
        solver=adaptive_loop(
            [operator.id for operator in operators], order.seed, rounds, repeats, strategist, writer,
            order.max_cost, order.price_in, order.price_out,
        ),
        scorer=adaptive_scorer(),
        config=GenerateConfig(temperature=0.0, max_tokens=MAX_TOKENS, max_retries=MAX_RETRIES, timeout=TIMEOUT),
        fail_on_error=True,
        continue_on_fail=True,
        version=find(order.benchmark).card().version,
        metadata={
            FACTS: facts_of(
                kept, material, prepared, loop="adaptive", rounds=rounds, advisers_version=ADVISERS_VERSION,
                strategist=POLICY if strategist is None else f"model:{strategist}",
                writer="template" if writer is None else f"model:{writer}",
            )
        },
    )  # fmt: skip


def untouched_columns(item: Item, trial: int) -> dict[str, Any]:
    """Columns of an untouched question."""
    return dict(untouched(item, trial).columns)


def item_from(value: dict[str, Any]) -> Item:
    """The item that a sample's metadata keep."""
    key = None if value["key"] is None else frozenset(value["key"])
    return choice_item(value["id"], value["question"], value["options"], key, tags=tuple(value["tags"]))


def _sample(item: Item, calls: int) -> Sample:
    """A sample; a row of a call that failed says that it was the first reply to the untouched item."""
    return Sample(
        id=item.id,
        input=[ChatMessageUser(content=prompt_of(item))],
        metadata={
            REFERENCE_KEY: {
                "item": item.id,
                "item_family": item.id,
                "arm": StressArm.CLEAN.value,
                "question": item.question,
                "options": [option.text for option in item.options],
                "key": None if item.key is None else sorted(item.key),
            },
            ITEM: {
                "id": item.id,
                "question": item.question,
                "options": [option.text for option in item.options],
                "key": None if item.key is None else sorted(item.key),
                "tags": list(item.tags),
            },
            "calls": calls,
        },
    )
