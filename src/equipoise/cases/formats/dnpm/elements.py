"""What both record types share: codings, references, medicines, therapies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.cases.formats.fhir.elements import coding, objects, text
from equipoise.cases.formats.record.builder import CaseBuilder
from equipoise.cases.formats.record.codes import Coding, tables
from equipoise.cases.formats.record.medicines import Medicine, medicine
from equipoise.cases.formats.record.model import Reason


def code_of(element: Any) -> str:
    """The code of a Coding, or the text that stands in its place."""
    return text(element.get("code")) if isinstance(element, Mapping) else text(element)


def id_of(element: Any) -> str:
    """The id that a reference means, as an object or as flat text."""
    return text(element.get("id")) if isinstance(element, Mapping) else text(element)


def atc(element: Mapping[str, Any]) -> Coding:
    """The coding of a medicine; a code that looks like ATC counts as ATC whatever its system is called."""
    found = coding(element)
    looks = len(found.code) == 7 and found.code[:1].isalpha() and found.code[1:3].isdigit()
    return found._replace(system="atc") if looks and found.system not in ("unii", "rxnorm") else found


def medicines(value: Any, place: str, builder: CaseBuilder) -> list[Medicine]:
    """The medicines of a recommendation or therapy; one whose code and name disagree is listed."""
    found: list[Medicine] = []
    for element in objects(value):
        one = medicine([atc(element)], text(element.get("name")))
        if one.disagree:
            builder.ignore(place, Reason.CODE_NAME, "medication")
        if one.name:
            found.append(one)
    return found


def symbol(gene: Any) -> str:
    """The symbol of a gene: DNPM gives it as the display of a coding, bwHC under its own name."""
    if not isinstance(gene, Mapping):
        return ""
    number = text(gene.get("code") or gene.get("hgncId")).removeprefix("HGNC:")
    return text(gene.get("symbol")) or text(gene.get("display")) or str(tables()["genes"].get(number, ""))


def period(element: Mapping[str, Any]) -> tuple[str, str]:
    """First and last day of a period as far as stated."""
    value = element.get("period")
    if not isinstance(value, Mapping):
        return "", ""
    return text(value.get("start")), text(value.get("end"))


def outcome(*codes: str) -> str | None:
    """The outcome that the first known code means."""
    rows = tables()["outcomes"]["words"]
    return next((str(rows[code]) for code in codes if code in rows), None)


def level_and_sources(element: Mapping[str, Any]) -> dict[str, Any]:
    """Claimed level, citations and rank of a recommendation; an undefined level claims nothing."""
    stated = element.get("levelOfEvidence")
    stated = stated if isinstance(stated, Mapping) else {}
    level = code_of(stated.get("grading"))
    citations = []
    for one in objects(stated.get("publications")):
        number = text(one.get("id") or one.get("pmId") or one.get("pmid"))
        if number:
            citations.append(
                f"https://doi.org/{number}" if "doi" in text(one.get("system")) or "/" in number else f"PMID:{number}"
            )
    rank = code_of(element.get("priority"))
    return {
        "level": "" if level == "undefined" else level,
        "citations": citations,
        "priority": int(rank) if rank.isdigit() else None,
    }
