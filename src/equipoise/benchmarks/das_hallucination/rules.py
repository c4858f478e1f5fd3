"""What rules alone can find wrong: citations of an impossible form or year, and amounts that neither prompt nor context holds.

A DOI is "10.", a registrant of four to nine digits, a slash and a suffix (ISO 26324; Crossref, DOIs and matching regular expressions).
A PMID has one to eight digits and no leading zero (NLM, MEDLINE/PubMed Data Element Descriptions). The first scientific journals appeared
in 1665. A citation of the right form may still not exist; that is for judges with access to a library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum

VERSION = "1"

FIRST_JOURNAL = 1665


class Finding(StrEnum):
    """What was found. The first three are faults for certain; the last is a hint and decides nothing."""

    DOI_FORM = "doi-form"
    PMID_FORM = "pmid-form"
    YEAR_IMPOSSIBLE = "year-impossible"
    NUMBER_NOT_IN_CONTEXT = "number-not-in-context"


CERTAIN: frozenset[Finding] = frozenset({Finding.DOI_FORM, Finding.PMID_FORM, Finding.YEAR_IMPOSSIBLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One place.

    Attributes:
        finding: what it is.
        text: the words.
    """

    finding: Finding
    text: str


_DOI = re.compile(r"(?:\bdoi(?:\.org/|\s*[:=]\s*)|\bDOI\s+(?=\d))(?:https?://(?:dx\.)?doi\.org/)?(\S+)", re.IGNORECASE)
_DOI_FORM = re.compile(r"10\.\d{4,9}/\S+")
_PMID = re.compile(r"(?:\bPMID\s*[:=]?\s*(?=\S*\d)|pubmed\.ncbi\.nlm\.nih\.gov/)([A-Za-z0-9]+)")
_PMID_FORM = re.compile(r"[1-9]\d{0,7}")
_YEARS = (
    re.compile(r"\bet al\.?,?\s*\(?(\d{4})\b"),
    re.compile(r"[A-Z][a-z]+(?: (?:&|and) [A-Z][a-z]+)?,? \(?(\d{4})\b(?=\s*[);]| found| showed| reported)"),
    re.compile(r"\b(\d{4});\s?\d+(?:\(\d+\))?:\s?[A-Za-z]?\d+"),
    re.compile(r"\b[A-Z][A-Za-z]+ (?:[A-Z][A-Za-z]+ )*(\d{4});\s?\d+"),
    re.compile(r"\b[Pp]ublished in (\d{4})\b"),
)
_UNITS: dict[str, tuple[str, Decimal]] = {
    "kg": ("g", Decimal(1000)), "g": ("g", Decimal(1)), "gram": ("g", Decimal(1)), "grams": ("g", Decimal(1)),
    "mg": ("g", Decimal("0.001")), "milligram": ("g", Decimal("0.001")), "milligrams": ("g", Decimal("0.001")),
    "ug": ("g", Decimal("0.000001")), "mcg": ("g", Decimal("0.000001")), "microgram": ("g", Decimal("0.000001")),
    "micrograms": ("g", Decimal("0.000001")), "ng": ("g", Decimal("0.000000001")),
    "l": ("l", Decimal(1)), "ml": ("l", Decimal("0.001")), "mmol/l": ("mmol/l", Decimal(1)), "umol/l": ("mmol/l", Decimal("0.001")),
    "mg/dl": ("mg/dl", Decimal(1)), "g/l": ("g/l", Decimal(1)), "g/dl": ("g/l", Decimal(10)), "ug/l": ("g/l", Decimal("0.000001")),
    "ng/l": ("g/l", Decimal("0.000000001")), "ng/ml": ("g/l", Decimal("0.000001")),
    "mmhg": ("mmhg", Decimal(1)), "bpm": ("bpm", Decimal(1)), "%": ("%", Decimal(1)), "cm": ("cm", Decimal(1)),
    "mm": ("cm", Decimal("0.1")), "°c": ("c", Decimal(1)), "iu": ("iu", Decimal(1)), "units": ("units", Decimal(1)),
}  # fmt: skip
"""Unit -> the unit it is counted in, and the factor. Times are left out: a plan names new ones rightly."""

_AMOUNT = re.compile(
    r"(?<![\w.,])(\d+(?:,\d{3})*(?:\.\d+)?)\s?("
    + "|".join(sorted((re.escape(unit) for unit in _UNITS), key=len, reverse=True))
    + r")(?![\w/])",
    re.IGNORECASE,
)


def check(reply: str, *, prompt: str, context: str, year: int) -> tuple[Found, ...]:
    """What rules find wrong in a reply, in the order of the findings.

    Args:
        reply: the reply.
        prompt: what was asked.
        context: the record or text that was given; without one, no amount can be missing from it.
        year: the year of reading.
    """
    return (*_dois(reply), *_pmids(reply), *_years(reply, year), *_amounts(reply, prompt, context))


def names_a_source(text: str) -> bool:
    """Whether a text holds what looks like a source: an identifier, an author with a year, or a word for one."""
    words = r"\b(?:doi|pmid|et al|guidelines?|journal|lancet|stud(?:y|ies)|trial|page|reference|published|registry)\b"
    return bool(re.search(words, text, re.IGNORECASE)) or any(pattern.search(text) for pattern in _YEARS)


def _dois(reply: str) -> Iterator[Found]:
    for found in _DOI.finditer(reply):
        value = found[1].rstrip(".,;)]}\"'»”")
        if re.search(r"\d", found[1]) and not _DOI_FORM.fullmatch(value):
            yield Found(finding=Finding.DOI_FORM, text=found[0])


def _pmids(reply: str) -> Iterator[Found]:
    for found in _PMID.finditer(reply):
        if not _PMID_FORM.fullmatch(found[1]):
            yield Found(finding=Finding.PMID_FORM, text=found[0])


def _years(reply: str, year: int) -> Iterator[Found]:
    seen: set[int] = set()
    for pattern in _YEARS:
        for found in pattern.finditer(reply):
            if found.start(1) not in seen and not FIRST_JOURNAL <= int(found[1]) <= year:
                seen.add(found.start(1))
                yield Found(finding=Finding.YEAR_IMPOSSIBLE, text=found[0])


def _amounts(reply: str, prompt: str, context: str) -> Iterator[Found]:
    if not context.strip():
        return
    known = {amount for amount, _ in _amounts_of(f"{prompt}\n{context}")}
    for amount, text in _amounts_of(reply):
        if amount not in known:
            yield Found(finding=Finding.NUMBER_NOT_IN_CONTEXT, text=text)


def _amounts_of(text: str) -> Iterator[tuple[tuple[str, Decimal], str]]:
    for found in _AMOUNT.finditer(text.replace("µ", "u").replace("μ", "u")):
        unit, factor = _UNITS[found[2].lower()]
        try:
            yield (unit, (Decimal(found[1].replace(",", "")) * factor).normalize()), found[0]
        except InvalidOperation:
            continue
