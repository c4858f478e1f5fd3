"""Which treatments a text names, and whose field each is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from equipoise.boards.vocabulary import Role
from equipoise.cases.vocabulary.drugs import lexicon
from equipoise.cases.vocabulary.tokens import words


class Field(StrEnum):
    """Three fields of treatment."""

    SYSTEMIC = "systemic therapy"
    RADIATION = "radiation"
    SURGERY = "surgery"


OWN_FIELDS: Mapping[Role, frozenset[Field]] = {
    Role.SURGEON: frozenset({Field.SURGERY}),
    Role.MEDICAL_ONCOLOGIST: frozenset({Field.SYSTEMIC}),
    Role.RADIATION_ONCOLOGIST: frozenset({Field.RADIATION}),
    Role.RADIOLOGIST: frozenset(),
    Role.PATHOLOGIST: frozenset(),
    Role.MOLECULAR_PATHOLOGIST: frozenset(),
    Role.GENETIC_COUNSELOR: frozenset(),
    Role.CLINICAL_TRIAL_SPECIALIST: frozenset(),
    Role.NURSE_NAVIGATOR: frozenset(),
}
"""The fields a role decides in. Moderator, other and unknown are not held to any: a moderator sums up, and others have no known field."""

_REGIMENS = r"folfox|folfiri(?:nox)?|capox|xelox|folfoxiri|flot|r-chop|abvd|bep"
_WORDS: Mapping[Field, re.Pattern[str]] = {
    Field.SYSTEMIC: re.compile(
        rf"\b(?:{_REGIMENS}|(?:radio|immuno|poly)?chemo(?:therapy|therapies|radiation|radiotherapy|immunotherapy)?|immunotherap(?:y|ies)|"
        r"targeted therapy|endocrine therapy|hormon(?:e|al) therapy|systemic (?:therapy|treatment))\b"
    ),
    Field.RADIATION: re.compile(
        r"\b(?:(?:chemo)?radiotherapy|(?:chemo)?radiation|irradiat\w*|radiosurgery|sbrt|sabr|brachytherapy|gy|gray|fractions)\b"
    ),
    Field.SURGERY: re.compile(
        r"\b(?:surger(?:y|ies)|operat(?:e|ed|es|ing|ion|ions)|resect(?:s|ed|ing|ion|ions)?|excis(?:e|ed|ion|ions)|dissection|"
        r"debulking|take out|taken out|\w{3,}ectom(?:y|ies))\b"
    ),
}
_KINDS: Mapping[str, str] = {
    "radiat": "radiation",
    "radiot": "radiation",
    "irradi": "radiation",
    "surger": "surgery",
    "operat": "surgery",
    "resect": "resection",
    "excise": "excision",
    "excisi": "excision",
}
"""One word for a kind, by the first letters of its forms."""
_DOSE = re.compile(r"\b(\d+(?:\.\d+)?)\s*(?:gy|gray)\b")
_NAMES = re.compile(r"\b(?:medical|radiation|surgical) oncolog(?:y|ist|ists)\b|\b(?:as|the|our) surgeons?\b")
_UNITS = "one two three four five six seven eight nine ten eleven twelve".split()
_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
_TENS = {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70"}
_NUMBERS: Mapping[str, str] = {word: str(number) for number, word in enumerate((*_UNITS, *_TEENS), start=1)} | _TENS
_SPELLED = re.compile(r"\b(" + "|".join(_NUMBERS) + r")\b")


def plain(text: str) -> str:
    """Lower case, names of specialties taken out, since "radiation oncology" names no radiation."""
    return _NAMES.sub(" ", text.casefold())


def fields_of(text: str) -> tuple[tuple[int, Field], ...]:
    """Place and field of every treatment a text names, in order.

    Places are those in `plain(text)`; a drug that no single word names counts as named last.
    """
    return tuple(sorted((start, field) for start, _, _, field in words_of(text)))


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[tuple[int, int, str, Field], ...]:
    """Start, end, word and field of every treatment a text names; the word is a drug's generic name or one word for a kind."""
    lowered = plain(text)
    found = [
        (match.start(), match.end(), _KINDS.get(match.group()[:6], match.group()), field)
        for field, pattern in _WORDS.items()
        for match in pattern.finditer(lowered)
    ]
    for name in drugs_in(text):
        place = lowered.find(name.casefold())
        if place >= 0:
            found.append((place, place + len(name), name, Field.SYSTEMIC))
            continue
        named = next((match for match in re.finditer(r"[\w-]+", lowered) if name in drugs_in(match.group())), None)
        start, end = named.span() if named else (len(lowered), len(lowered))
        found.append((start, end, name, Field.SYSTEMIC))
    return tuple(sorted(found))


@lru_cache(maxsize=4096)
def drugs_in(text: str) -> frozenset[str]:
    """Generic names of the drugs a text names, by any spelling the vocabulary knows."""
    tokens = words(text)
    lexicon_ = lexicon()
    found: set[str] = set()
    place = 0
    while place < len(tokens):
        match = lexicon_.table.match(tokens, place)
        if match is None:
            place += 1
            continue
        entry, taken = match
        place += taken
        found.update(name for name in entry.components if lexicon_.drugs[name].kind == "drug")
    return frozenset(found)


def treatments_in(text: str) -> frozenset[str]:
    """What a text names of treatment: generic names of drugs, and words for kinds of treatment by their first letters."""
    lowered = plain(text)
    kinds = {match.group()[:8] for pattern in _WORDS.values() for match in pattern.finditer(lowered)}
    return drugs_in(text) | (kinds - {"gy", "gray", "fraction"})


def with_digits(text: str) -> str:
    """Lower case, numbers up to twenty and round tens in digits."""
    return _SPELLED.sub(lambda match: _NUMBERS[match[1]], text.casefold())


def doses_in(text: str) -> frozenset[str]:
    """Radiation doses a text names, as "54 gy"; numbers up to twenty and round tens may be spelled out."""
    return frozenset(f"{float(match[1]):g} gy" for match in _DOSE.finditer(with_digits(text)))
