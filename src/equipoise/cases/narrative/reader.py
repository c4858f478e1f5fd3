"""From a note to a `Case`: sections and sentences once, then one reader a field family."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from equipoise.cases.model import PDL1, Case, Documented, Outcome, PriorTherapy, Recommendation, Source, Status
from equipoise.cases.narrative import (
    brain_text,
    comorbidity_text,
    expression_text,
    performance_text,
    recommendation_text,
    stage_text,
    tumor_text,
)
from equipoise.cases.narrative.biomarkers_text import read_findings
from equipoise.cases.narrative.events import read_events
from equipoise.cases.narrative.forms import flat, plain
from equipoise.cases.narrative.history_text import read_history
from equipoise.cases.narrative.language import foreign_language, instructions
from equipoise.cases.narrative.sentences import Sentence, sentences
from equipoise.cases.narrative.wrapping import rejoined, within
from equipoise.cases.vocabulary.drugs import is_cytotoxic
from equipoise.cases.vocabulary.histology import NSCLC
from equipoise.ids import content_hash

T = TypeVar("T")

_CURATIVE = frozenset({"adjuvant", "neoadjuvant", "consolidation", "chemoradiation"})


def read_note(text: str, *, case_id: str = "") -> Case:
    """Read a clinical note.

    Args:
        text: the note, in any style: letter, board note, list, shorthand, pasted report.
        case_id: identifier to give the case.

    Returns:
        What the note documents. Every value carries a `Source` with code-point offsets, so that `text[start:end]` are the
        words read. A note that is not in English names its language and holds nothing else; text addressed to software is
        reported under `instructions` and read as nothing. Never raises.
    """
    low = flat(text)
    addressed = instructions(text, low)
    language = foreign_language(text)
    hashed = content_hash({"text": text})
    if language:
        return Case(case_id=case_id, unsupported_language=language, instructions=addressed, content_hash=hashed)
    shown = plain(text)
    if shown != text:
        low = flat(shown)
    for source in addressed:
        if source.start is not None and source.end is not None:
            hole = "\n" * (source.end - source.start)
            shown = shown[: source.start] + hole + shown[source.end :]
            low = low[: source.start] + hole + low[source.end :]
    shown, cut = rejoined(shown)
    if cut:
        low = flat(shown)
    found = sentences(shown, low)
    case = _read(text, shown, found, case_id)
    case = replace(case, instructions=addressed, content_hash=hashed)
    return case if shown == text and "\n" not in text.strip() else _exact(case, text, cut)


def _chemoradiation(courses: Iterable[PriorTherapy | Recommendation]) -> Source | None:
    """Where chemotherapy with radiation stands; None when it is named nowhere or ended in progression."""
    for one in courses:
        names = one.drugs if isinstance(one, PriorTherapy) else one.components
        if isinstance(one, PriorTherapy) and one.outcome in {Outcome.PROGRESSED, Outcome.ONGOING}:
            continue
        if "radiotherapy" in names and any(is_cytotoxic(name) for name in names):
            return one.source
    return None


def _read(text: str, shown: str, found: list[Sentence], case_id: str) -> Case:
    tumor, histology = tumor_text.read_tumor(found)
    if tumor.value is not None and tumor.value not in {NSCLC, "SCLC"}:
        for sentence in found:
            sentence.memo["tumors"] = []
    stage, edition, past = stage_text.read_stage_field(found)
    events, turns = read_events(found)
    prior, _ = read_history(text, found, events, turns)
    recommendations = recommendation_text.read_recommendations(text, found, events)
    named = [one.setting for one in recommendations if one.setting]
    proposed = frozenset().union(*named) if named else frozenset()
    setting = stage_text.read_setting_field(
        found,
        stage,
        past,
        proposed & _CURATIVE,
        given=_chemoradiation(prior.value or ()),
        planned=_chemoradiation(recommendations),
    )
    pdl1, tmb, msi = expression_text.read_expression(found)
    if (
        past
        and stage.status is Status.VALUE
        and setting.value == frozenset({"metastatic"})
        and stage.value is not None
        and not all(group.startswith("IV") for group in stage.value)
    ):
        stage = Documented(Status.UNKNOWN, sources=stage.sources)
    return Case(
        case_id=case_id,
        age=performance_text.read_age(found),
        sex=performance_text.read_sex(found),
        ecog=performance_text.read_ecog_field(found),
        tumor=tumor,
        histology=histology,
        stage=stage,
        stage_edition=edition,
        setting=setting,
        brain_mets=brain_text.read_brain(found),
        findings=read_findings(shown, found),
        pdl1=pdl1,
        tmb=tmb,
        msi=msi,
        prior_therapies=prior,
        conditions=comorbidity_text.read_conditions(found),
        qtc_ms=performance_text.read_qtc(found),
        recommendations=recommendations,
    )


def _exact(case: Case, note: str, cut: tuple[tuple[int, int], ...]) -> Case:
    """The case with the words of every source as they stand in the note (line ends, leaders and emphasis included)."""

    def source(one: Source) -> Source:
        if cut:
            one = within(one, cut)
        if one.start is None or one.end is None:
            return one
        words = note[one.start : one.end]
        return one if words == one.text else Source(one.field, words, one.start, one.end)

    def documented(field: Documented[T]) -> Documented[T]:
        if not field.sources:
            return field
        sources = tuple(map(source, field.sources))
        stated = tuple(one.text for one in sources) if field.status is Status.CONFLICTING else field.stated
        return Documented(field.status, field.value, stated, sources)

    prior = documented(case.prior_therapies)
    if prior.value:
        courses = tuple(replace(course, source=source(course.source)) for course in prior.value)
        prior = Documented(prior.status, courses, prior.stated, prior.sources)
    return replace(
        case,
        age=documented(case.age),
        sex=documented(case.sex),
        ecog=documented(case.ecog),
        tumor=documented(case.tumor),
        histology=documented(case.histology),
        stage=documented(case.stage),
        setting=documented(case.setting),
        brain_mets=documented(case.brain_mets),
        findings=tuple(finding._replace(source=source(finding.source)) for finding in case.findings),
        pdl1=PDL1(tps=documented(case.pdl1.tps), tc=documented(case.pdl1.tc), ic=documented(case.pdl1.ic)),
        tmb=documented(case.tmb),
        msi=documented(case.msi),
        prior_therapies=prior,
        conditions={name: documented(state) for name, state in case.conditions.items()},
        qtc_ms=documented(case.qtc_ms),
        recommendations=tuple(
            replace(one, text=source(one.source).text, source=source(one.source)) for one in case.recommendations
        ),
    )
