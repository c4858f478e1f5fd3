"""Checks of sentences about who asks and how: one block more, no finding in it, everything else untouched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.redteam.operators.checks.reading import fold, inserted
from equipoise.redteam.operators.checks.stem import named
from equipoise.redteam.operators.items import Form, Item


def check_said(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """One block more that names no option and brings in no finding."""
    block, problems = _block(parent, mutant)
    if block is not None:
        problems += named(parent, block, option=False)
        if any(fold(option.text) in fold(block) for option in parent.options if len(fold(option.text)) > 3):
            problems.append("it names an option")
    return tuple(problems)


def check_pull(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """One block more that names a wrong option where there are options, and brings in no finding."""
    block, problems = _block(parent, mutant)
    if block is not None:
        problems += named(parent, block, option=parent.form is Form.CHOICE)
    return tuple(problems)


def _block(parent: Item, mutant: Item) -> tuple[str | None, list[str]]:
    problems = []
    if parent.options != mutant.options or parent.scene != mutant.scene:
        problems.append("the options or the scene changed")
    if parent.turns[:-1] != mutant.turns[:-1] or [turn.role for turn in parent.turns] != [
        turn.role for turn in mutant.turns
    ]:
        problems.append("an earlier turn changed")
    before = parent.question if parent.form is Form.CHOICE else parent.turns[-1].text
    after = mutant.question if mutant.form is Form.CHOICE else mutant.turns[-1].text
    block = inserted(before, after)
    if block is None:
        problems.append("more changed than one block put in")
    return block, problems
