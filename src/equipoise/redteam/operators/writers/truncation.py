"""The published half-turn truncation (arXiv:2607.18828), for comparison, and a conversation cut at half of its turns."""

from __future__ import annotations

import re
from dataclasses import replace

from equipoise.redteam.operators.draw import Draw
from equipoise.redteam.operators.items import USER, Form, Item, Turn
from equipoise.redteam.operators.mutant import Reason, Refused, Written

CAUTION = "A cut says nothing of what was lost: whether the item is underdetermined now was not checked."


def half_of(text: str) -> str:
    """The first half of the sentences, at least one; of a single sentence the first half of its characters.

    Sentences end at a full stop, question or exclamation mark before white space.
    """
    parts = [part for part in re.split(r"(?<=[.!?])\s+", text.strip()) if part]
    if len(parts) > 1:
        return " ".join(parts[: max(1, len(parts) // 2)])
    return text.strip()[: len(text.strip()) // 2].rstrip()


def half_turn(item: Item, draw: Draw) -> Written | Refused:
    """The last turn of the user is cut in half."""
    last = item.turns[-1].text
    made = half_of(last)
    if not made or len(last.split()) < 2:
        return Refused(Reason.NOTHING_LEFT, "the turn is too short to be cut")
    return Written(
        item=replace(item, turns=(*item.turns[:-1], Turn(role=USER, text=made))),
        parameters={"kept_characters": len(made), "of_characters": len(last)},
        cautions=(CAUTION,),
    )


def half_of_turns(item: Item, draw: Draw) -> Written | Refused:
    """The conversation ends after half of its turns, at a turn of the user."""
    if item.form is not Form.CONVERSATION or len(item.turns) < 3:
        return Refused(Reason.NOTHING_LEFT, "fewer than three turns")
    kept = item.turns[: (len(item.turns) + 1) // 2]
    while kept and kept[-1].role != USER:
        kept = kept[:-1]
    if not kept:
        return Refused(Reason.NOTHING_LEFT, "the first half holds no turn of the user")
    return Written(
        item=replace(item, turns=kept),
        parameters={"kept_turns": len(kept), "of_turns": len(item.turns)},
        cautions=(CAUTION,),
    )
