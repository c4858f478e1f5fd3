"""Chooses the next attack from the history of an item: the default policy, and the check of a choice made by anything else.

The policy is a function of seed, item and history alone, so that a run can be repeated and resumed: first single operators,
one of a family that was tried least; once `SINGLES` of them failed, two operators together, then what is left. A chain that
was tried is never tried again, and operators that cannot combine never are.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from equipoise.redteam.operators import (
    Draw,
    Item,
    Mutant,
    Operator,
    compose,
    conflict_between,
    draw_for,
)

POLICY = "policy-1"
"""Name of the default policy with its version."""

SINGLES = 2
"""Single operators that must fail before two are combined."""

MOST_TOGETHER = 3
"""Most operators of one chain."""


class Outcome(StrEnum):
    """What came of an attack."""

    FOOLED = "fooled"
    RIGHT = "right"
    NOT_READ = "not_read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One earlier round.

    Attributes:
        chain: identifiers of its operators, in the catalogue's order.
        outcome: what came of it.
    """

    chain: tuple[str, ...]
    outcome: Outcome


class Invalid(StrEnum):
    """Why a choice is not taken."""

    NO_FORM = "no_form"
    UNKNOWN = "unknown_operator"
    CONFLICT = "conflict"
    REPEATED = "repeated"
    NO_MUTANT = "no_mutant"
    FAILED = "call_failed"


def next_attack(item: Item, history: Sequence[Attempt], operators: Sequence[Operator], seed: int) -> Mutant | None:
    """The default policy's next mutant; None when nothing is left to try.

    Args:
        item: the untouched item.
        history: earlier rounds, in order.
        operators: those that may be used, in the catalogue's order.
        seed: seed of the run.
    """
    tried = {frozenset(attempt.chain) for attempt in history}
    draw = Draw(seed, f"strategist {item.content_hash}")
    singles = draw.shuffled([(operator,) for operator in operators])
    pairs = draw.shuffled([pair for pair in itertools.combinations(operators, 2) if not conflict_between(*pair)])
    used = Counter(_family(operators, name) for attempt in history for name in attempt.chain)
    singles.sort(key=lambda chain: used[chain[0].family.value])
    failed_singles = sum(len(attempt.chain) == 1 for attempt in history)
    order = [*pairs, *singles] if failed_singles >= SINGLES else [*singles, *pairs]
    for chain in order:
        if frozenset(operator.id for operator in chain) in tried:
            continue
        made = mutant_by(item, chain, seed)
        if made is not None:
            return made
    return None


def mutant_by(item: Item, chain: Sequence[Operator], seed: int) -> Mutant | None:
    """The checked mutant of a chain; None when an operator does not apply or a check refuses.

    Args:
        item: the untouched item.
        chain: operators that can combine.
        seed: seed of the run; a single operator makes the mutant that the static loop asks.
    """
    if len(chain) == 1:
        made = chain[0].attempt(item, draw_for(seed, item, chain[0].id))
    else:
        made = compose(item, chain, Draw(seed, f"adaptive {item.content_hash}"))
    return made if isinstance(made, Mutant) else None


def checked_choice(
    text: str, item: Item, history: Sequence[Attempt], operators: Sequence[Operator], seed: int
) -> Mutant | Invalid:
    """The mutant of a choice that a model wrote, held against the catalogue; nothing else of its text is used.

    Args:
        text: its reply; wanted is a JSON object with a list `operators` of one to `MOST_TOGETHER` identifiers.
        item: the untouched item.
        history: earlier rounds, in order.
        operators: those that may be used.
        seed: seed of the run.
    """
    names = _named(text)
    if not names or len(names) > MOST_TOGETHER:
        return Invalid.NO_FORM
    known = {operator.id: operator for operator in operators}
    if any(name not in known for name in names):
        return Invalid.UNKNOWN
    chain = [known[name] for name in names]
    if any(conflict_between(one, other) for one, other in itertools.combinations(chain, 2)):
        return Invalid.CONFLICT
    if frozenset(names) in {frozenset(attempt.chain) for attempt in history}:
        return Invalid.REPEATED
    return mutant_by(item, chain, seed) or Invalid.NO_MUTANT


def _named(text: str) -> list[str]:
    """Identifiers of the first JSON object with a list of operators; empty without one."""
    decoder = json.JSONDecoder()
    for place in [match.start() for match in re.finditer(r"\{", text[:20_000])][:50]:
        try:
            value, _ = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        names = value.get("operators") if isinstance(value, dict) else None
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            return [name.strip() for name in names]
    return []


def _family(operators: Sequence[Operator], name: str) -> str:
    return next((operator.family.value for operator in operators if operator.id == name), "")
