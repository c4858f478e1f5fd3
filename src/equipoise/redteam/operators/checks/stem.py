"""Checks of operators on the text of a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from equipoise.redteam.operators.checks.reading import fold, holds, inserted, names, words
from equipoise.redteam.operators.items import Item

_NEGATORS = frozenset(
    {
        "not",
        "except",
        "excluding",
        "least",
        "false",
        "incorrect",
        "never",
        "unlikely",
        "inappropriate",
        "contraindicated",
    }
)
_RETOLD = frozenset({"which", "what", "of", "these", "options", "the", "following", "not"})
_CASE_WORDS = frozenset(
    {"patient", "he", "she", "his", "her", "him", "they", "their", "physician", "doctor", "examination", "diagnosis"}
)


def check_negation(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The text before the question stands; the question has one negation more, from none, and asks for the same thing."""
    problems = []
    if [option.text for option in mutant.options] != [option.text for option in parent.options]:
        problems.append("the options changed")
    asked, negated = str(parameters.get("from", "")), str(parameters.get("to", ""))
    if not asked or not parent.question.rstrip().endswith(asked) or negated not in mutant.question:
        return (*problems, "the question that was changed is not the last sentence")
    if parent.question.count(asked) != 1 and not mutant.question.startswith(parent.question.rstrip()[: -len(asked)]):
        problems.append("the text before the question changed")
    if mutant.question.split(negated)[0] != parent.question[: parent.question.rstrip().rfind(asked)]:
        problems.append("the text before the question changed")
    old, new = words(asked), words(negated)
    if any(word in _NEGATORS for word in old):
        problems.append("the question was negative before")
    if sum(word in _NEGATORS or word.endswith("n't") for word in new) != 1:
        problems.append("expected exactly one negation")
    changed = (Counter(new) - Counter(old)) + (Counter(old) - Counter(new))
    if set(changed) - _RETOLD - _NEGATORS:
        problems.append(
            f"the question asks for something else: {', '.join(sorted(set(changed) - _RETOLD - _NEGATORS))}"
        )
    return tuple(dict.fromkeys(problems))


def check_context_gone(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """What is left is the end of the text and shorter than it; numbers of the rest are gone; options stand."""
    problems = []
    if mutant.options != parent.options:
        problems.append("the options changed")
    if not fold(parent.question).endswith(fold(mutant.question)):
        problems.append("what is left is not the end of the text")
    left = len(words(mutant.question))
    if left >= len(words(parent.question)):
        problems.append("nothing was taken away")
    if re.search(r"[.!?]\s+[A-Z]", mutant.question.strip()[:-1]):
        problems.append("more than one sentence is left")
    return tuple(problems)


def check_insertion(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """One block was put into the question, before its last sentence, that names a wrong option and not the key.

    It must not add a finding: no number, no word of an examination, a test or a history, apart from the option it names.
    """
    problems = []
    if mutant.options != parent.options:
        problems.append("the options changed")
    block = inserted(parent.question, mutant.question)
    if block is None:
        return (*problems, "more changed than one block put in")
    if mutant.question.split()[-1:] != parent.question.split()[-1:] or " ".join(mutant.question.split()).endswith(
        block
    ):
        problems.append("the block does not stand before the question")
    problems += named(parent, block)
    return tuple(problems)


def check_off_topic(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """As `check_insertion`, and the block says nothing of the patient."""
    problems = list(check_insertion(parent, mutant, parameters))
    rest = fold(inserted(parent.question, mutant.question) or "")
    for option in parent.options:
        rest = without_name(rest, option.text)
    if _CASE_WORDS & set(words(rest)):
        problems.append("the sentence speaks of the case")
    return tuple(problems)


FINDINGS = re.compile(
    r"\b(?:reveal|show|demonstrat|confirm|exclu|rul(?:e|ed|ing) out|diagnos|allerg|pregnan|biops|cultur|imag|x-?ray|scan|mri|ct|lab|level|test"
    r"|positive|negative|examin|physical|histor|fever|pain|rash|died|improv|wors|treated|responded|contraindicat|correct|right answer|key)\w*",
    re.IGNORECASE,
)
"""Words of findings and of the key itself, which an added sentence must not bring in."""


def without_name(folded: str, text: str) -> str:
    """A folded text without the words of an option."""
    return re.sub(rf"(?<!\w){re.escape(fold(text))}(?!\w)", " ", folded)


def named(parent: Item, block: str, *, option: bool = True) -> list[str]:
    """Problems of a sentence that was added: what it names, and findings it brings in."""
    problems = []
    right = [parent.text_of(letter) for letter in parent.key or ()]
    wrong = [item.text for item in parent.options if item.letter not in (parent.key or ())]
    mentioned = [text for text in wrong if names(block, text) or holds(block, text)]
    if any(names(block, text) for text in right):
        problems.append("it names the right option")
    if option and not mentioned:
        problems.append("it names no wrong option")
    rest = fold(block)
    for text in sorted(mentioned, key=len, reverse=True):
        rest = without_name(rest, text)
    if any(character.isdigit() for character in rest):
        problems.append("it brings in a number")
    found = FINDINGS.search(rest)
    if found is not None:
        problems.append(f"it brings in a finding or a verdict ({found.group(0)})")
    return problems


LIMITS: dict[str, tuple[float, float]] = {
    "temperature": (10.0, 115.0),
    "heart rate": (0.0, 600.0),
    "pulse": (0.0, 600.0),
    "respiratory rate": (0.0, 200.0),
    "respirations": (0.0, 200.0),
    "saturation": (0.0, 100.0),
    "spo2": (0.0, 100.0),
    "potassium": (0.5, 20.0),
    "sodium": (70.0, 250.0),
    "ph": (6.0, 8.5),
    "hemoglobin": (0.3, 400.0),
    "haemoglobin": (0.3, 400.0),
    "coma": (3.0, 15.0),
    "gcs": (3.0, 15.0),
    "aged": (0.0, 130.0),
    "temp": (10.0, 115.0),
}
"""Widest limits in which a measurement of a living person can lie, whatever the customary unit (Celsius and Fahrenheit, g/dL and g/L)."""


def check_impossible(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """One number changed, a measurement stands right before it, it lies outside what is possible, and the new last option is the key."""
    problems = []
    if mutant.options[:-1] != parent.options or mutant.key != frozenset(mutant.options[-1].letter):
        problems.append("expected the old options and one more, which is the key")
    if not {"false", "impossible"} & set(words(mutant.options[-1].text)):
        problems.append("the new option does not say that information is false")
    old, new = parent.question.split(), mutant.question.split()
    note = str(parameters.get("note", "")).split()
    if not note or new[len(old) :] != note or not {"cannot", "false"} & set(words(" ".join(note))):
        return (*problems, "expected the same text, one changed number and a note")
    places = [place for place in range(len(old)) if old[place] != new[place]]
    if len(places) != 1:
        return (*problems, f"expected one changed word, found {len(places)}")
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
