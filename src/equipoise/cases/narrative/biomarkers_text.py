"""Biomarker findings of a note: the report-string reader over each sentence, then whose, when and which of two results holds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from equipoise.cases.model import Finding, FindingStatus, Source
from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.scope import (
    FILLER,
    When,
    blank,
    dates_of,
    other_tumors,
    people_spans,
    remark_spans,
    searches,
    tense,
)
from equipoise.cases.narrative.sentences import GENE, PERSON, SCOPE, Sentence
from equipoise.cases.narrative.status_lists import governed
from equipoise.cases.vocabulary.biomarkers import catalogue, read_biomarkers

_SKIP = frozenset({Section.FAMILY, Section.BACKGROUND, Section.ALLERGY})
_SCALES = frozenset({"PD-L1", "TMB", "MSI"})
_SETTLED = frozenset({FindingStatus.PRESENT, FindingStatus.ABSENT})
_PLASMA = re.compile(r"\b(?:plasma|ctdna|cfdna|liquid\s+biops\w+|guardant\w*|blood|f1\s?liquid|circulating)\b")
_TISSUE = re.compile(
    r"\b(?:tissue|biops(?:y|ies)|resection|tumou?r|specimen|ffpe|primary|node|foundationone\s+cdx" r"|rebiops\w+)\b"
)
_DRUG_CLASS = re.compile(
    r"\b(?:egfr|alk|ros1|ret|met|her2|braf|kras(?:\s+g12c)?|trk|ntrk|mek|vegf)(?:[/-](?:egfr|met|alk|ros1"
    r"|her2|her3))?(?:[\s-]+(?:directed|targeted|targeting))?[\s-]+(?:tkis?|inhibitors?|inhibition"
    r"|antibod(?:y|ies)|blockade|targeted\s+(?:therapy|treatment|drugs?|agents?)|directed\s+(?:therapy"
    r"|treatment)|therapy|therapies|bispecific\w*|adc)\b"
)
_CAN_BE = re.compile(
    r"\b(?:resistance\s+mechanisms?\s+(?:such\s+as|like|including)|such\s+as|for\s+example|e\.g\."
    r"|panel\s+of)\b[^;.]*"
)
_LOST = re.compile(r"\b(?:lost|loss\s+of|no\s+longer|cleared|disappeared)\b")


_ONLY_NEGATION = re.compile(r"(?:no|not|without|negative|neg|absence\s+of|none)\W*")


@dataclass(slots=True)
class Reading:
    """One finding with what orders it against others."""

    finding: Finding
    when: When | None
    order: int
    plasma: bool
    place: int


def read_findings(note: str, found: list[Sentence]) -> tuple[Finding, ...]:
    """The findings of a note, in its order; of two results of one marker the later one, unless nothing orders them.

    Args:
        note: the text that the sentences were cut from.
        found: its sentences.
    """
    readings: list[Reading] = []
    for sentence, heading in governed(note, found):
        if sentence.section in _SKIP or not sentence.marks & GENE:
            continue
        readings.extend(_sentence(sentence, heading))
    return tuple(reading.finding for reading in _resolved(readings))


def _sentence(sentence: Sentence, heading: str) -> list[Reading]:
    low = sentence.low
    text = sentence.text
    spans: list[tuple[int, int]] = []
    if sentence.marks & (PERSON | SCOPE):
        spans.extend(people_spans(low, sentence.section))
    spans.extend(searches(sentence))
    spans.extend(other_tumors(sentence))
    spans.extend(remark_spans(sentence, low))
    spans.extend(match.span() for match in _DRUG_CLASS.finditer(low))
    spans.extend(match.span() for match in _CAN_BE.finditer(low))
    if spans:
        text = blank(text, spans)
    if text.endswith("."):
        text = text[:-1]
    got = _under(heading, text) if heading else read_biomarkers(text, field="note")
    implied = _implied(text, got)
    if implied:
        got = (*got, *implied)
    if not got:
        return []
    stated = dates_of(sentence)
    result: list[Reading] = []
    for finding in got:
        if finding.gene in _SCALES or finding.source.start is None or finding.source.end is None:
            continue
        start, end = finding.source.start, finding.source.end
        if _ONLY_NEGATION.fullmatch(low[start:end]):
            continue
        words = sentence.text[start:end]
        if FILLER in text[start:end]:
            words = sentence.text[start:end]
        clause_start, clause_end = _clause(low, start, end)
        when = _when(stated, start, end, clause_start, clause_end)
        clause = low[clause_start:clause_end]
        plasma = _PLASMA.search(clause) is not None and _TISSUE.search(clause) is None
        if not plasma and not _TISSUE.search(clause):
            plasma = _PLASMA.search(low[:start]) is not None and _TISSUE.search(low[:start]) is None
        source = Source("note", words, sentence.start + start, sentence.start + end)
        day = when.day_of() if when is not None and not _of_therapy(low[clause_start:clause_end]) else None
        order = tense(clause)
        if order == 0 and clause is not low:
            order = tense(low[:start]) if not _settled_before(result, start) else 0
        if finding.status is FindingStatus.UNCERTAIN and order > 0 and "not confirmed" in words.lower():
            finding = finding._replace(status=FindingStatus.ABSENT)
        result.append(Reading(finding._replace(source=source, date=day), when, order, plasma, sentence.start + start))
    return result


def _under(heading: str, text: str) -> tuple[Finding, ...]:
    """The findings of a list entry under a heading such as "Not detected:", at their places in the entry."""
    shift = len(heading)
    found = []
    for one in read_biomarkers(heading + text, field="note"):
        if one.source.start is None or one.source.end is None:
            continue
        start, end = max(one.source.start - shift, 0), one.source.end - shift
        if end > start:
            found.append(one._replace(source=Source("note", text[start:end], start, end)))
    return tuple(found)


_BARE_EXON = re.compile(
    r"(?<![a-z0-9])(?:(?P<egfr>(?:e?19\s?-?\s?del(?:etion)?s?|del(?:etion)?\s?-?19|(?:ex"
    r"|exon)\.?\s?-?\s?19\s?-?\s?(?:del(?:etion)?s?|delins)|(?:ex"
    r"|exon)\.?\s?-?\s?20\s?-?\s?ins(?:ertion)?s?|ex20ins|ex19del))"
    r"|(?P<met>(?:ex|exon)\.?\s?-?\s?14\s?-?\s?skip\w*))(?![a-z0-9])",
    re.IGNORECASE,
)


def _implied(text: str, got: tuple[Finding, ...]) -> list[Finding]:
    """Alterations named by their exon alone: deletion of exon 19 and insertion in exon 20 of EGFR, skipped exon 14 of MET."""
    found: list[Finding] = []
    for match in _BARE_EXON.finditer(text):
        gene = "EGFR" if match["egfr"] else "MET"
        if any(
            one.source.start is not None
            and one.source.end is not None
            and one.source.start <= match.start() < one.source.end
            for one in got
        ):
            continue
        if re.search(
            r"\b(?:egfr|erbb2|her2|met|braf|kras)\b", text[max(0, match.start() - 60) : match.end() + 20].lower()
        ):
            continue
        head = max(0, match.start() - 40)
        cut = max(
            text.rfind(",", head, match.start()),
            text.rfind(";", head, match.start()),
            text.rfind(".", head, match.start()),
        )
        head = cut + 1 if cut >= 0 else match.start()
        words = (
            f"{text[head : match.start()]}{gene} "
            f"{text[match.start() : match.end() + 30].split(',')[0].split(';')[0]}"
        )
        for one in read_biomarkers(words, field="note"):
            if one.gene == gene:
                found.append(one._replace(source=Source("note", match[0], match.start(), match.end())))
                break
    return found


_THERAPY_DATE = re.compile(
    r"\b(?:since|started|began|commenced|until|received|treated|completed|progress\w*)\b|(?:nib|mab|platin"
    r"|xed|xel|can)\b"
)


def _of_therapy(clause: str) -> bool:
    """Whether a date in the clause is more likely that of a therapy than of a result."""
    return _THERAPY_DATE.search(clause) is not None


def _settled_before(result: list[Reading], start: int) -> bool:
    return bool(result)


def _clause(low: str, start: int, end: int) -> tuple[int, int]:
    begin = (
        max(
            low.rfind(";", 0, start),
            low.rfind(", but", 0, start),
            low.rfind("\u2192", 0, start),
            low.rfind("->", 0, start),
            low.rfind(" but ", 0, start),
        )
        + 1
    )
    stops = [
        place
        for place in (
            low.find(";", end),
            low.find(", but", end),
            low.find("\u2192", end),
            low.find("->", end),
            low.find(" but ", end),
        )
        if place >= 0
    ]
    return begin, min([*stops, len(low)])


def _when(stated: list[tuple[int, int, When]], start: int, end: int, clause_start: int, clause_end: int) -> When | None:
    inside = [(at, when) for at, _, when in stated if clause_start <= at < clause_end]
    if not inside:
        return None
    before = [when for at, when in inside if at < start]
    if before:
        return before[-1]
    return inside[0][1]


_WINDOW = 24
"""Later results of a gene that one result is held against."""


def _resolved(readings: list[Reading]) -> list[Reading]:
    """Findings without what a later result replaces."""
    if len({reading.finding.status for reading in readings}) < 2:
        return readings
    dropped: set[int] = set()
    by_gene: dict[str, list[int]] = {}
    for place, reading in enumerate(readings):
        by_gene.setdefault(reading.finding.gene, []).append(place)
    for places in by_gene.values():
        for at, one in enumerate(places):
            for two in places[at + 1 : at + 1 + _WINDOW]:
                first, second = readings[one], readings[two]
                if (
                    first.finding.status is second.finding.status
                    or (one in dropped and two in dropped)
                    or not _concerns(first.finding, second.finding)
                ):
                    continue
                loser = _loser(first, second)
                if loser is not None:
                    dropped.add(one if loser is first else two)
    return [reading for place, reading in enumerate(readings) if place not in dropped]


def _concerns(one: Finding, two: Finding) -> bool:
    """Whether two findings with different states speak of one marker."""
    if one.status is FindingStatus.PRESENT:
        return two.name in one.names or two.name == one.name
    if two.status is FindingStatus.PRESENT:
        return one.name in two.names or one.name == two.name
    return one.name == two.name


def _loser(first: Reading, second: Reading) -> Reading | None:
    statuses = {first.finding.status, second.finding.status}
    if statuses == _SETTLED:
        negative = first if first.finding.status is FindingStatus.ABSENT else second
        positive = second if negative is first else first
        if negative.plasma and not positive.plasma:
            return negative
        if first.when is not None and second.when is not None and first.when != second.when:
            return first if first.when < second.when else second
        if first.order != second.order:
            return first if first.order < second.order else second
        if _general(negative.finding) and not _general(positive.finding):
            return negative if _other_than(negative) else None
        return None
    if FindingStatus.PRESENT in statuses or FindingStatus.ABSENT in statuses:
        open_one = first if first.finding.status not in _SETTLED else second
        settled = second if open_one is first else first
        if open_one.finding.status is FindingStatus.UNCERTAIN:
            return None
        if open_one.order > settled.order and open_one.finding.status in {
            FindingStatus.PENDING,
            FindingStatus.NOT_TESTED,
        }:
            return open_one
        return open_one
    return None


def _general(finding: Finding) -> bool:
    return finding.name.rpartition(":")[2] in {"any_mutation", "mutation", "alteration"}


_OTHER = re.compile(r"\b(?:other|additional|further|else)\b", re.IGNORECASE)


def _other_than(reading: Reading) -> bool:
    return _OTHER.search(reading.finding.source.text) is not None


def known(gene: str) -> bool:
    """Whether a symbol is one whose results are read."""
    return gene in catalogue().genes
