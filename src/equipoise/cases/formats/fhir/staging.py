"""Stage groups, editions and TNM categories from coded values."""

from __future__ import annotations

import re

from equipoise.cases.formats.fhir.elements import codings, items, text
from equipoise.cases.formats.record.builder import CaseBuilder
from equipoise.cases.formats.record.codes import look_up, tables
from equipoise.cases.formats.record.model import Reason
from equipoise.cases.vocabulary.stage import read_stage

_STAGE = re.compile(r"\bstage\s+([0-4]|iv|iii|ii|i)\s?([abc]?[123]?)\b", re.IGNORECASE)
_TNM = re.compile(r"(?<![A-Za-z])[cpyra]{0,3}([TNM])\s?(is|[0-4]mi|[0-4][abc]?[12]?|x)(?![A-Za-z0-9])", re.IGNORECASE)


def stage_names(concept: object) -> list[str]:
    """Every stage group that a concept names, by code or in words; empty when it names none."""
    found: list[str] = []
    for coding in codings(concept):
        meaning = look_up("values", coding)
        if meaning and read_stage(meaning):
            found.append(meaning)
        elif coding.system == "ajcc" and read_stage(coding.code):
            found.append(coding.code)
        found.extend(_in_words(coding.display))
    for one in items(concept):
        if isinstance(one, dict):
            found.extend(_in_words(text(one.get("text"))))
        elif isinstance(one, str):
            found.extend(_in_words(one))
    groups = {read_stage(name): name for name in reversed(found)}
    return list(groups.values())[::-1]


def _in_words(words: str) -> list[str]:
    if read_stage(words):
        return [words]
    return [f"{match[1]}{match[2]}".upper() for match in _STAGE.finditer(words)]


def read_stage_concept(concept: object, place: str, builder: CaseBuilder) -> None:
    """Read a stage group; a code and words that disagree become two statements."""
    names = stage_names(concept)
    if not names:
        builder.ignore(place, Reason.UNKNOWN_CODE, "stage")
    for name in names:
        builder.say("stage", name, place)


def read_edition(concept: object, place: str, builder: CaseBuilder) -> None:
    """Read the edition of the staging manual, when it is one of those known."""
    for coding in codings(concept):
        edition = tables()["editions"].get(coding.code)
        if edition is not None:
            builder.say("stage_edition", edition, place)


def read_tnm_concept(concept: object, place: str, builder: CaseBuilder) -> None:
    """Read T, N or M from the code or the words of a value."""
    said = " ".join(f"{coding.code} {coding.display}" for coding in codings(concept))
    if not said and isinstance(concept, str):
        said = concept
    match = _TNM.search(said)
    if match is None:
        builder.ignore(place, Reason.UNKNOWN_CODE, "tnm")
        return
    builder.tnm(match[1].upper(), match[2].lower(), place)
