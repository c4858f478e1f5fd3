"""Checks of ways of writing: every number, negation and word that is not an everyday one stands as it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from equipoise.redteam.operators.checks.fairness import check_said
from equipoise.redteam.operators.checks.reading import fold, words
from equipoise.redteam.operators.items import Form, Item

_EVERYDAY = frozenset(
    """a an the is are am was not isn't aren't isn’t aren’t going to because before really should would their which what when with doctor
    medicine taking since about tired through though please again question following appropriate patient presents whether believe you have
    taking feeling having going getting coming doing trying using eating drinking sleeping walking working breathing coughing bleeding vomiting
    thinking asking wondering waiting hurting looking starting stopping making telling giving""".split()
)
"""Words that may go or change their form; no word of medicine that could settle an answer is among them."""

_NEW_FORMS = frozenset(
    """ain't gonna becos befor realy shoud woud there wich wat wen wit docter medisin sinse abowt tierd thru tho pleas agen kwestion folowing
    apropriate pashent presens wether beleve iz wuz u r hav""".split()
)
_NEGATIONS = frozenset(
    {"not", "no", "never", "without", "none", "nor", "neither", "denies", "denied", "cannot", "except"}
)


def _negations(text: str) -> int:
    return sum(word in _NEGATIONS or word.replace("’", "'").endswith("n't") for word in words(text))


def check_style(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The same options and earlier turns; in the text, the same numbers in order, as many negations, and all words but everyday ones."""
    if "inserted" in parameters:
        return check_said(parent, mutant, parameters)
    problems = []
    if parent.options != mutant.options or parent.turns[:-1] != mutant.turns[:-1] or parent.scene != mutant.scene:
        problems.append("more than the text changed")
    before = parent.question if parent.form is Form.CHOICE else parent.turns[-1].text
    after = mutant.question if mutant.form is Form.CHOICE else mutant.turns[-1].text
    if _numbers(before) != _numbers(after):
        problems.append("a number changed")
    if _negations(before) != _negations(after):
        problems.append("a negation was lost or added")
    old, new = Counter(words(before)), Counter(words(after))
    lost = [word for word in old - new if word not in _EVERYDAY]
    if lost:
        problems.append(f"a word was lost that is no everyday one: {sorted(lost)[0]}")
    added = [word for word in new - old if word not in _NEW_FORMS and not _clipped(word, old)]
    if added:
        problems.append(f"a word was added that is no form of an everyday one: {sorted(added)[0]}")
    return tuple(problems)


def _numbers(text: str) -> list[str]:
    return [word for word in fold(text).split() if any(character.isdigit() for character in word)]


def _clipped(word: str, old: Counter[str]) -> bool:
    """Whether a word is one of the old ones on -ing, without its last letter."""
    full = f"{word.rstrip(chr(39))}g"
    return word.rstrip("'").endswith("in") and full in _EVERYDAY and full in old
