"""Checks of operators on options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from equipoise.redteam.operators.checks.reading import fold, holds, names, words
from equipoise.redteam.operators.items import Item

_NONE_WORDS = frozenset({"none", "neither"})


def _texts(item: Item) -> list[str]:
    return [fold(option.text) for option in item.options]


def _denies_all(text: str) -> bool:
    """Whether an option denies all others: it begins with "none" and speaks of options, answers, these or those."""
    found = words(text)
    return (
        bool(found)
        and found[0] in _NONE_WORDS
        and bool(
            {"options", "option", "answers", "answer", "these", "those", "above", "choices", "others"} & set(found)
        )
    )


def _long_words(text: str) -> set[str]:
    """The words of four letters and more, parts of compounds apart."""
    return {part for word in words(text) for part in word.replace("/", "-").split("-") if len(part) > 3}


def check_order(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The same question and the same options in another order."""
    problems = []
    if parent.question != mutant.question:
        problems.append("the question changed")
    if Counter(_texts(parent)) != Counter(_texts(mutant)):
        problems.append("the options are not the same")
    if _texts(parent) == _texts(mutant):
        problems.append("the order is the same")
    return tuple(problems)


def check_none_is_key(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The right text is nowhere any more, one option denies all others, and it is the key."""
    problems = []
    right = [fold(parent.text_of(letter)) for letter in parent.key or ()]
    if any(text in _texts(mutant) for text in right):
        problems.append("the option that was right is still there")
    if any(holds(option.text, parent.text_of(letter)) for letter in parent.key or () for option in mutant.options):
        problems.append("the option that was right still stands inside another one")
    denying = {option.letter for option in mutant.options if _denies_all(option.text)}
    if denying != set(mutant.key or ()):
        problems.append("the key is not the one option that denies all others")
    kept = [option for option in parent.options if option.letter not in (parent.key or ())]
    if [(option.letter, option.text) for option in kept] != [
        (option.letter, option.text) for option in mutant.options if option.letter not in (mutant.key or ())
    ]:
        problems.append("another option changed")
    if parent.question != mutant.question:
        problems.append("the question changed")
    return tuple(problems)


def check_none_added(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """All options stand as they did; one more denies them all and is not the key."""
    problems = _extended(parent, mutant)
    added = mutant.options[len(parent.options) :]
    if len(added) != 1 or not _denies_all(added[0].text):
        problems.append("expected one more option, which denies all others")
    return tuple(problems)


def check_distractors(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """All options stand as they did; each new one differs from all, and neither is the right one nor holds it.

    A distractor made of wrong options must hold two of them in full.
    """
    problems = _extended(parent, mutant)
    added = [option.text for option in mutant.options[len(parent.options) :]]
    if not added:
        problems.append("no option was added")
    if len(set(_texts(mutant))) < len(mutant.options):
        problems.append("two options have the same text")
    right = [parent.text_of(letter) for letter in parent.key or ()]
    wrong = [option.text for option in parent.options if option.letter not in (parent.key or ())]
    for text in added:
        if any(names(text, other) or names(other, text) for other in right):
            problems.append("an added option holds the right one, or is held by it")
        if any(_long_words(other) and _long_words(other) <= _long_words(text) for other in right):
            problems.append("an added option holds every word of the right one")
        if _denies_all(text) or "all of" in fold(text):
            problems.append("an added option speaks of the other options")
        if parameters.get("source") != "proposal" and sum(fold(other) in fold(text) for other in wrong) < 2:
            problems.append("an added option is not made of two wrong ones")
    return tuple(problems)


def check_answer_gone(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The right options are gone, also as part of another option; the wrong ones stand in their order."""
    problems = []
    right = [parent.text_of(letter) for letter in parent.key or ()]
    wrong = [option.text for option in parent.options if option.letter not in (parent.key or ())]
    if [option.text for option in mutant.options] != wrong:
        problems.append("what is left is not the wrong options in their order")
    if any(fold(text) == fold(option.text) for text in right for option in mutant.options):
        problems.append("a right option is still there")
    if any(holds(option.text, text) for text in right for option in mutant.options):
        problems.append("a right option still stands inside another one")
    if parent.question != mutant.question:
        problems.append("the question changed")
    return tuple(problems)


def _extended(parent: Item, mutant: Item) -> list[str]:
    problems = []
    if parent.question != mutant.question:
        problems.append("the question changed")
    if mutant.options[: len(parent.options)] != parent.options or mutant.key != parent.key:
        problems.append("an option or the key changed")
    return problems
