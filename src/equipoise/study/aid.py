"""Facts read by rule from the text of an item, shown beside it where the protocol declares that arm.

Pre-filled answers biased labels in one randomised study and not in another, so this is off unless the protocol says
otherwise; the report then says so. What is read are facts of the case, never a verdict on it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.cases.model import Case, Documented, FindingStatus, PriorTherapy, Status
from equipoise.cases.narrative.reader import read_note

_KEPT = 512
"""Texts whose reading is kept; a rater meets the same one several times in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One fact as the rules read it.

    Attributes:
        what: the field in words.
        value: what was read; "conflicting" where the text says two things.
        words: the words it was read from, as written.
    """

    what: str
    value: str
    words: str


def facts_by_rule(shown: Mapping[str, Any]) -> tuple[Reading, ...]:
    """What the rules read in the texts of an item, in the order of the fields; empty when nothing was read.

    A text that is not in English gives one row that says so.
    """
    return tuple(row for text in shown.values() if isinstance(text, str) for row in _read(text))


@functools.lru_cache(maxsize=_KEPT)
def _read(text: str) -> tuple[Reading, ...]:
    case = read_note(text)
    if case.unsupported_language:
        return (Reading(what="language", value=f"{case.unsupported_language}; only English is read", words=""),)
    return tuple(_rows(case))


def _rows(case: Case) -> Iterator[Reading]:
    simple: tuple[tuple[str, Documented[Any]], ...] = (
        ("age", case.age),
        ("sex", case.sex),
        ("ECOG", case.ecog),
        ("tumor", case.tumor),
        ("histology", case.histology),
        ("stage", case.stage),
        ("setting", case.setting),
        ("brain metastases", case.brain_mets),
    )
    yield from (row for what, found in simple for row in _documented(what, found))
    for finding in case.findings:
        told = {FindingStatus.NOT_TESTED: "not tested"}.get(finding.status, str(finding.status))
        yield Reading(what=finding.name.replace(":", " "), value=told, words=finding.source.text)
    for what, found in (
        ("PD-L1 TPS, %", case.pdl1.tps),
        ("PD-L1 TC, %", case.pdl1.tc),
        ("PD-L1 IC, %", case.pdl1.ic),
        ("TMB, mutations per Mb", case.tmb),
        ("QTc, ms", case.qtc_ms),
    ):
        yield from _documented(what, found)
    yield from _documented("MSI", case.msi)
    yield from _priors(case.prior_therapies)
    for name, state in case.conditions.items():
        yield from _documented(name, state)


def _priors(found: Documented[tuple[PriorTherapy, ...]]) -> Iterator[Reading]:
    if found.status is not Status.VALUE or not found.value:
        yield from _documented("prior therapy", found)
        return
    for course in found.value:
        drugs = ", ".join(sorted(course.drugs) + list(course.unread)) or "not read"
        yield Reading(what="prior therapy", value=f"{drugs} ({course.outcome})", words=course.source.text)


def _documented(what: str, found: Documented[Any]) -> Iterator[Reading]:
    words = "; ".join(dict.fromkeys(source.text for source in found.sources if source.text))
    if found.status is Status.CONFLICTING:
        yield Reading(what=what, value="conflicting", words="; ".join(found.stated) or words)
    elif found.status is Status.ABSENT:
        yield Reading(what=what, value="none", words=words)
    elif found.status is Status.VALUE:
        value = found.value
        told = " or ".join(sorted(map(str, value))) if isinstance(value, frozenset) else str(value)
        yield Reading(what=what, value={"True": "yes", "False": "no"}.get(told, told), words=words)
