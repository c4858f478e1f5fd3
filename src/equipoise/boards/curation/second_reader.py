"""A model as the second reader of the scrub: it names identifiers as words of the text, and every one is checked before it counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from equipoise.boards.curation.answers import entries, plain, read_answer
from equipoise.boards.curation.identifiers.codes import PUBLIC
from equipoise.boards.curation.identifiers.vocabulary import Sort, english, given_name, medical, sort_of, surname
from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.stages.base import Read, Reject, unreadable
from equipoise.boards.measures.treatments import drugs_in

KINDS: Mapping[str, str] = {
    "patient": "patients",
    "clinician": "clinicians",
    "town": "towns",
    "hospital": "hospitals",
    "employer": "identifiers",
    "date": "identifiers",
    "age": "identifiers",
    "number": "identifiers",
    "address": "identifiers",
    "other": "identifiers",
}
"""Kinds a model may name, and what of `Known` they fill."""
PERSONS = ("patient", "clinician")
MOST_CHARACTERS = 6_000
"""Characters that are shown at a time."""
_DATED = re.compile(
    r"\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\w(?:day|eve|mas|giving)\b|easter|halloween|"
    r"ramadan|eid|diwali|passover|new year|\b(?:first|second|third|\w+(?:th|teen|ty))\b",
    re.IGNORECASE,
)
_OLD = re.compile(r"(?<!\d)(?:9\d|1[01]\d)(?!\d)|ninet|hundred|nonagenarian|centenarian", re.IGNORECASE)
LONGEST = 80
"""Characters of an identifier at most: a sentence is none."""


def parts(texts: Iterable[str]) -> list[str]:
    """Texts of a recording in parts of a length that a model reads with care, each text once."""
    found: list[list[str]] = [[]]
    size = 0
    for text in dict.fromkeys(item for item in texts if item.strip()):
        if size and size + len(text) > MOST_CHARACTERS:
            found.append([])
            size = 0
        found[-1].append(text)
        size += len(text)
    return ["\n".join(part) for part in found if part]


def read(unit: str, reply: str, text: str) -> Read:
    """A reply: identifiers as words that stand in the text.

    Args:
        unit: the part.
        reply: of the model.
        text: what was shown.
    """
    answer = read_answer(reply, main="identifiers")
    if answer.value is None:
        return unreadable(unit, answer.why)
    rows: list[Mapping[str, Any]] = []
    rejects: list[Reject] = []
    given = entries(answer.value["identifiers"])
    if not given and answer.value["identifiers"] not in ([], None):
        return unreadable(unit, "identifiers are no list of objects")
    for item in given:
        words, kind = plain(item.get("text")), plain(item.get("kind")).casefold()
        reason = _refused(words, kind, text)
        if reason is not None:
            rejects.append(Reject(unit=unit, item=kind[:40], reason=reason, value=words[:400]))
        else:
            rows.append({"text": words, "kind": kind})
    return Read(rows=tuple(rows), rejects=tuple(rejects))


def _refused(words: str, kind: str, text: str) -> Reason | None:
    if kind not in KINDS:
        return Reason.UNKNOWN_TYPE
    spaced = re.sub(r"\s+", " ", text)
    standing = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", spaced, re.IGNORECASE) if words else None
    if standing is None or len(words) > LONGEST:
        return Reason.IDENTIFIER_NOT_THERE
    return Reason.PROTECTED_TERM if protected_term(words, kind) or _ordinary(words, kind, text) else None


def _ordinary(words: str, kind: str, text: str) -> bool:
    """Whether a single word outside of persons' names is an ordinary one: it would be replaced wherever it stands."""
    if kind in PERSONS or not words.isalpha() or not (english(words.casefold()) or sort_of(words) is Sort.PROTECTED):
        return False
    return words.islower() or re.search(rf"(?<!\w){re.escape(words.casefold())}(?!\w)", text) is not None


def protected_term(words: str, kind: str) -> bool:
    """Whether a span is a term of medicine, a drug, a public number, or nothing but words of grammar.

    Args:
        words: the span.
        kind: one of `KINDS`.
    """
    tokens = re.findall(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*", words)
    digits = any(char.isdigit() for char in words)
    if drugs_in(words) or PUBLIC.search(words):
        return True
    if kind in PERSONS:
        return (
            not tokens
            or not any(_names_somebody(token) for token in tokens)
            or any(_only_medical(token) for token in tokens)
        )
    if kind == "date":
        return _DATED.search(words) is None
    if kind == "age":
        return _OLD.search(words) is None
    if digits or kind in ("number", "address"):
        return len(words) < 2
    if len(tokens) == 1 and words.islower() and sort_of(words) is Sort.WORD:
        return True
    return all(sort_of(token) in (Sort.PROTECTED, Sort.EPONYM) or _only_medical(token) for token in tokens)


def _names_somebody(token: str) -> bool:
    sort = sort_of(token)
    return sort >= Sort.BOTH or (sort in (Sort.WORD, Sort.PROTECTED) and token[:1].isupper() and _name(token))


def _name(token: str) -> bool:
    return surname(token.casefold()) or given_name(token.casefold())


def _only_medical(token: str) -> bool:
    return medical(token.casefold()) and not _name(token)
