"""Checks of attacked conversations; their code is apart from the writers'."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from equipoise.redteam.aimed.targets import Aimed
from equipoise.redteam.operators.checks.reading import fold, inserted, words
from equipoise.redteam.operators.checks.stem import FINDINGS, LIMITS
from equipoise.redteam.operators.items import Item

MOST_WORDS = 80
"""Words that may be put in, beside those of the criterion."""


def check_untouched(parent: Item, mutant: Item) -> tuple[str, ...]:
    """Rubric, roles and earlier turns stand."""
    problems = []
    if mutant.rubric != parent.rubric:
        problems.append("the rubric changed")
    if mutant.turns[:-1] != parent.turns[:-1] or mutant.turns[-1].role != parent.turns[-1].role:
        problems.append("an earlier turn changed")
    return tuple(problems)


def check_sentence(parent: Item, mutant: Item, target: Aimed, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """One block more in the last turn, which brings in neither a number nor a finding of its own.

    The words of the criterion are left out of that: an aimed sentence names what it presses against.
    """
    problems = list(check_untouched(parent, mutant))
    block = inserted(parent.turns[-1].text, mutant.turns[-1].text)
    if block is None:
        return (*problems, "more changed than one block put in")
    rest = fold(block).replace(fold(target.criterion.criterion.replace('"', "'")), " ")
    word = str(parameters.get("word", ""))
    if word:
        rest = rest.replace(fold(word), " ")
    if len(rest.split()) > MOST_WORDS:
        problems.append(f"it puts in more than {MOST_WORDS} words")
    if any(character.isdigit() for character in rest):
        problems.append("it brings in a number")
    found = FINDINGS.search(rest)
    if found is not None:
        problems.append(f"it brings in a finding or a verdict ({found.group(0)})")
    return tuple(problems)


def check_impossible(parent: Item, mutant: Item, target: Aimed, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """One number of the last turn changed, a measurement stands before it, and it lies outside what is possible."""
    del target, parameters
    problems = list(check_untouched(parent, mutant))
    old, new = parent.turns[-1].text.split(), mutant.turns[-1].text.split()
    places = [place for place in range(min(len(old), len(new))) if old[place] != new[place]]
    if len(old) != len(new) or len(places) != 1:
        return (*problems, "expected one changed word and no other change")
    place = places[0]
    numbers = re.findall(r"\d+(?:\.\d+)?", new[place])
    before = " ".join(words(" ".join(new[max(0, place - 5) : place])) + words(re.split(r"\d", new[place])[0]))
    near = [(before.rfind(name), name) for name in LIMITS if re.search(rf"\b{name}\b", before)]
    if not numbers or not near:
        return (*problems, "no measurement stands before the changed number")
    low, high = LIMITS[max(near)[1]]
    if low <= float(numbers[0]) <= high:
        problems.append("the measurement is still possible")
    return tuple(problems)
