"""What a run keeps of a conversation: its criteria with points and tags, so that the score can be made from the tables alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.errors import InputError
from equipoise.redteam.operators.items import Form, Item, RubricItem, Turn

THEME = "theme:"


def reference_of(item: Item) -> dict[str, Any]:
    """The columns of the item, its turns and its criteria."""
    theme = next((tag.removeprefix(THEME) for tag in item.tags if tag.startswith(THEME)), None)
    return {
        "item": item.id,
        "item_family": item.id,
        "stratum": theme,
        "tags": list(item.tags),
        "turns": [[turn.role, turn.text] for turn in item.turns],
        "rubric": [{"criterion": one.criterion, "points": one.points, "tags": list(one.tags)} for one in item.rubric],
    }


def item_of(reference: Mapping[str, Any]) -> Item:
    """The conversation of a kept reference.

    Raises:
        InputError: it is not one of `reference_of`.
    """
    try:
        return Item(
            id=str(reference["item"]),
            form=Form.CONVERSATION,
            turns=tuple(Turn(role=str(role), text=str(text)) for role, text in reference["turns"]),
            rubric=tuple(
                RubricItem(criterion=str(one["criterion"]), points=float(one["points"]), tags=tuple(one["tags"]))
                for one in reference["rubric"]
            ),
            tags=tuple(reference["tags"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        message = f"not a conversation of HealthBench with its criteria ({type(error).__name__}: {error})"
        raise InputError(message, field="rubric") from error


def criteria_of(items: Sequence[Item]) -> dict[str, Any]:
    """Points and tags of every conversation's criteria, without a text: what a log states so that the tables give the score."""
    return {
        item.id: {"tags": list(item.tags), "rubric": [[one.points, list(one.tags)] for one in item.rubric]}
        for item in items
    }


def reference_from(item: str, kept: Mapping[str, Any]) -> dict[str, Any]:
    """A reference without texts, from an entry of `criteria_of`."""
    return {
        "item": item,
        "turns": [],
        "tags": list(kept["tags"]),
        "rubric": [{"criterion": "", "points": points, "tags": tags} for points, tags in kept["rubric"]],
    }
