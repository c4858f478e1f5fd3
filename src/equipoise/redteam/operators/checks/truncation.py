"""Checks of cuts: what is left is the beginning of what was there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.redteam.operators.items import Item


def check_half_turn(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Earlier turns stand; the last one is a shorter beginning of what it was."""
    problems = []
    if parent.turns[:-1] != mutant.turns[:-1] or parent.turns[-1].role != mutant.turns[-1].role:
        problems.append("an earlier turn changed")
    old, new = "".join(parent.turns[-1].text.split()), "".join(mutant.turns[-1].text.split())
    if not new or not old.startswith(new) or len(new) >= len(old):
        problems.append("the last turn is not a beginning of what it was")
    return tuple(problems)


def check_half_of_turns(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The first turns, unchanged, at most half of them rounded up."""
    problems = []
    if parent.turns[: len(mutant.turns)] != mutant.turns:
        problems.append("a turn changed")
    if not 0 < 2 * len(mutant.turns) <= len(parent.turns) + 1:
        problems.append("expected at most half of the turns")
    return tuple(problems)
