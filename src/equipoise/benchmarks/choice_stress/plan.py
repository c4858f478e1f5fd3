"""What a stress test on questions with options will ask, with every denominator fixed before any model is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.benchmarks.prompts.tables import require_unique
from equipoise.errors import UsageError
from equipoise.ids import canonical_json
from equipoise.redteam.answers import written
from equipoise.redteam.operators import Form, Item, Mutant, Operator, draw_for, static_set
from equipoise.redteam.operators.catalogue import BAIT_OPERATORS, OPERATORS
from equipoise.redteam.operators.operator import Family
from equipoise.redteam.plan import Plan, PlannedOperator, StressArm

REDRAWN = frozenset({"option_order"})
"""Operators of which every trial draws another mutant; the others ask the same one again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question that will be asked.

    Attributes:
        id: identifier of the sample, unique in the run.
        item: the question as asked.
        columns: columns of the outcomes that speak of it.
    """

    id: str
    item: Item
    columns: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A plan with the questions it comes to.

    Attributes:
        plan: the plan.
        questions: of the static loop: untouched, repeats and attacks of each item in turn.
        mutants: by operator's identifier and item.
    """

    plan: Plan
    questions: tuple[Question, ...]
    mutants: Mapping[tuple[str, str], Mutant]


def chosen_operators(names: str | Sequence[str] | None, default: Sequence[str]) -> tuple[Operator, ...]:
    """Operators by identifier or family, in the catalogue's order.

    Args:
        names: identifiers or families, as a list or one text with commas; None for the default.
        default: identifiers.

    Raises:
        UsageError: a name is neither, or is of an operator that does not work on questions with options.
    """
    wanted = default if names is None else _words(names)
    usable = [operator for operator in OPERATORS if Form.CHOICE in operator.applies_to]
    known = {operator.id for operator in usable} | {operator.family.value for operator in usable}
    for name in wanted:
        if name not in known:
            families = ", ".join(dict.fromkeys(operator.family.value for operator in usable))
            message = f"there is no operator or family {name!r} for questions with options; families are {families}; operators are "
            message += ", ".join(operator.id for operator in usable)
            raise UsageError(message, field="operators")
    found = tuple(item for item in usable if item.id in wanted or item.family.value in wanted)
    if not found:
        message = "expected at least one operator"
        raise UsageError(message, field="operators")
    return found


BAITS: tuple[str, ...] = tuple(operator.id for operator in BAIT_OPERATORS)
"""The eight bait styles."""


def prepare(
    benchmark: str, items: Sequence[Item], *, operators: Sequence[Operator], seed: int, repeats: int | None, trials: int
) -> Prepared:
    """The plan of some items.

    Args:
        benchmark: identifier of the task.
        items: questions with options.
        operators: which operators, in order.
        seed: seed of the draws.
        repeats: untouched repeats of each item beside its first answer; None for as many as there are attacks on it.
        trials: replies to each attack.

    Raises:
        UsageError: a number is out of range.
        InputError: two items have the same identifier.
    """
    _whole(trials, "trials", least=1)
    if repeats is not None:
        _whole(repeats, "repeats", least=0)
    made = static_set(items, seed=seed, operators=operators)
    mutants = {(mutant.operator, mutant.parent_id): mutant for mutant in made.mutants}
    planned = tuple(
        PlannedOperator(
            operator=reach.operator,
            family=operator.family.value,
            items=tuple(item.id for item in items if item.form in operator.applies_to),
            mutants=tuple(item.id for item in items if (operator.id, item.id) in mutants),
            not_applicable=dict(reach.not_applicable),
            rejected=reach.rejected,
        )
        for operator, reach in zip(operators, made.coverage, strict=True)
    )
    questions: list[Question] = []
    most = 0
    for item in items:
        attacks = [
            (operator, trial, _mutant(operator, item, mutants[operator.id, item.id], seed, trial))
            for operator in operators
            if (operator.id, item.id) in mutants
            for trial in range(1, trials + 1)
        ]
        own = len(attacks) if repeats is None else repeats
        most = max(most, own)
        questions += [untouched(item, 1), *(untouched(item, trial) for trial in range(2, own + 2))]
        for place, (operator, trial, mutant) in enumerate(attacks):
            pair = pair_of(item, 2 + place % own) if own else None
            questions.append(attacked(item, mutant, operator.family, trial, pair))
    require_unique([question.id for question in questions], file=benchmark)
    plan = Plan(
        benchmark=benchmark,
        seed=seed,
        items=tuple(item.id for item in items),
        items_hash=made.items_hash,
        repeats=most,
        operators=planned,
    )
    return Prepared(plan=plan, questions=tuple(questions), mutants=mutants)


def untouched(item: Item, trial: int) -> Question:
    """An untouched question: the first time, or one of its repeats."""
    columns = {
        "item": item.id,
        "item_family": item.id,
        "arm": (StressArm.CLEAN if trial == 1 else StressArm.REPEAT).value,
        "expected": None if item.key is None else written(item.key),
        "stratum": item.tags[0] if item.tags else None,
        "trial": trial,
        "pair": pair_of(item, trial) if trial > 1 else None,
    }
    return Question(id=item.id if trial == 1 else f"{item.id}#{trial}", item=item, columns=_set(columns))


def attacked(item: Item, mutant: Mutant, family: Family, trial: int, pair: str | None) -> Question:
    """A changed question."""
    columns = {
        **mutant_columns(item, mutant),
        "arm": StressArm.ATTACKED.value,
        "stratum": family.value,
        "trial": trial,
        "pair": pair,
    }
    name = mutant.item.id if trial == 1 else f"{mutant.item.id}#{trial}"
    return Question(id=name, item=mutant.item, columns=_set(columns))


def mutant_columns(item: Item, mutant: Mutant, **more: Any) -> dict[str, Any]:
    """Columns that speak of a mutant.

    Args:
        item: its untouched item.
        mutant: the mutant.
        more: what is kept with its parameters.
    """
    return {
        "item": mutant.item.id,
        "parent_item": item.id,
        "item_family": item.id,
        "operator": "+".join(mutant.chain),
        "operator_parameters": canonical_json({**mutant.to_dict(), **more}),
        "expected": None if mutant.key is None else written(mutant.key),
    }


def pair_of(item: Item, trial: int) -> str:
    """What ties an attack to one untouched repeat."""
    return f"{item.id}#{trial}"


def _mutant(operator: Operator, item: Item, first: Mutant, seed: int, trial: int) -> Mutant:
    if trial == 1 or operator.id not in REDRAWN:
        return first
    again = operator.attempt(item, draw_for(seed + trial - 1, item, operator.id))
    return again if isinstance(again, Mutant) else first


def _set(columns: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in columns.items() if value is not None}


def _words(value: str | Sequence[str]) -> list[str]:
    parts = value.split(",") if isinstance(value, str) else [str(item) for item in value]
    return [part.strip() for part in parts if part.strip()]


def _whole(value: Any, name: str, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        message = f"expected a whole number of {least} or more, found {value!r}"
        raise UsageError(message, field=name)
