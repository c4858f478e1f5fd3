"""The check that every mutant passes: the key relates to the parent's as the operator says, by the texts of options."""

from __future__ import annotations

from equipoise.redteam.operators.checks.reading import fold
from equipoise.redteam.operators.items import Form, Item
from equipoise.redteam.operators.mutant import KeyRelation


def check_key(parent: Item, mutant: Item, relation: KeyRelation) -> tuple[str, ...]:
    """Problems of the key of a mutant; empty when there is none.

    Args:
        parent: the item it was made from.
        mutant: the changed item.
        relation: what the operator promises.
    """
    if mutant.form is not parent.form:
        return (f"the form changed from {parent.form} to {mutant.form}",)
    if mutant.content_hash == parent.content_hash:
        return ("nothing changed",)
    if mutant.form is not Form.CHOICE:
        if mutant.rubric != parent.rubric:
            return ("the rubric changed",)
        return ("a key appeared in an item without options",) if mutant.key is not None else ()
    return tuple(_choice(parent, mutant, relation))


def _choice(parent: Item, mutant: Item, relation: KeyRelation) -> list[str]:
    if relation is KeyRelation.UNDEFINED:
        return [] if mutant.key is None else ["the key should be undefined and names an option"]
    if parent.key is None:
        same = relation is KeyRelation.SAME and mutant.key is None
        return [] if same else ["a key appeared though the parent has none"]
    if mutant.key is None:
        return ["the key is lost"]
    old = {option.letter: fold(option.text) for option in parent.options}
    new = {option.letter: fold(option.text) for option in mutant.options}
    before = sorted(old[letter] for letter in parent.key)
    after = sorted(new[letter] for letter in mutant.key)
    others = [text for letter, text in new.items() if letter not in mutant.key]
    match relation:
        case KeyRelation.SAME:
            if after != before:
                return ["the key no longer names the text that was right"]
            return ["a text that was right stands under a wrong letter too"] if set(before) & set(others) else []
        case KeyRelation.COMPLEMENT:
            wrong = sorted(text for letter, text in old.items() if letter not in parent.key)
            return [] if after == wrong else ["the key is not all the options that were wrong"]
        case _:
            if len(after) != 1:
                return ["expected one new right option"]
            return ["the right option is not a new one"] if after[0] in old.values() else []
