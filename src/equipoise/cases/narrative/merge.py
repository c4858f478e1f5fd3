"""A note beside structured fields: the fields win, the note fills what they leave open, and a contradiction is a conflict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from equipoise.cases.model import (
    PDL1,
    Case,
    Documented,
    Finding,
    FindingStatus,
    Interval,
    Outcome,
    PriorTherapy,
    Status,
)
from equipoise.cases.narrative.reader import read_note
from equipoise.cases.vocabulary.drugs import classes_of, covers, is_group
from equipoise.errors import CaseError

_SETTLED = frozenset({FindingStatus.PRESENT, FindingStatus.ABSENT})


def completed(case: Case, text: Any) -> Case:
    """The case of structured fields, completed by the note beside them; places are those of the note as handed over.

    Raises:
        CaseError: the note is not text.
    """
    if not isinstance(text, str):
        msg = f"expected the note as text, got {text!r}"
        raise CaseError(msg, field="text")
    return with_note(case, read_note(text, case_id=case.case_id)) if text.strip() else case


def with_note(case: Case, note: Case) -> Case:
    """The case of structured fields, completed by the case of a note.

    Args:
        case: what the structured fields document.
        note: what the note documents (`read_note`).

    Returns:
        The structured case. A field that only the note documents is the note's; one that both document and that cannot both
        be right is CONFLICTING. Findings of the note that the fields do not already hold are added, so that a marker with two
        undated results of opposite sense conflicts. Recommendations of the note count only where the fields state none.
    """
    setting_stated = any(source.field == "setting" for source in case.setting.sources)
    setting = (
        _field(case.setting, note.setting, _meet_sets) if setting_stated else _narrower(case.setting, note.setting)
    )
    conditions = dict(case.conditions)
    for name, state in note.conditions.items():
        known = conditions.get(name)
        conditions[name] = state if known is None else _field(known, state, _equal)
    return replace(
        case,
        age=_field(case.age, note.age, _meet_intervals),
        sex=_field(case.sex, note.sex, _equal),
        ecog=_field(case.ecog, note.ecog, _meet_sets),
        tumor=_field(case.tumor, note.tumor, _equal),
        histology=_field(case.histology, note.histology, _meet_sets),
        stage=_field(case.stage, note.stage, _meet_sets),
        stage_edition=case.stage_edition if case.stage_edition is not None else note.stage_edition,
        setting=setting,
        brain_mets=_field(case.brain_mets, note.brain_mets, _meet_sets),
        findings=_findings(case.findings, note.findings),
        pdl1=PDL1(
            tps=_field(case.pdl1.tps, note.pdl1.tps, _meet_intervals),
            tc=_field(case.pdl1.tc, note.pdl1.tc, _meet_intervals),
            ic=_field(case.pdl1.ic, note.pdl1.ic, _meet_intervals),
        ),
        tmb=_field(case.tmb, note.tmb, _meet_intervals),
        msi=_field(case.msi, note.msi, _equal),
        prior_therapies=_history(case.prior_therapies, note.prior_therapies),
        conditions=conditions,
        qtc_ms=_field(case.qtc_ms, note.qtc_ms, _meet_intervals),
        recommendations=case.recommendations or note.recommendations,
        unsupported_language=case.unsupported_language or note.unsupported_language,
        instructions=(*case.instructions, *note.instructions),
    )


def _field(own: Documented[Any], other: Documented[Any], meet: Callable[[Any, Any], bool]) -> Documented[Any]:
    if own.status is Status.UNKNOWN:
        return other
    if other.status in {Status.UNKNOWN, Status.CONFLICTING} or own.status is Status.CONFLICTING:
        return own
    if own.status is other.status and (own.status is Status.ABSENT or meet(own.value, other.value)):
        return Documented(own.status, own.value, sources=(*own.sources, *other.sources))
    return _conflict(own, other)


def _conflict(own: Documented[Any], other: Documented[Any]) -> Documented[Any]:
    sources = (*own.sources, *other.sources)
    return Documented(Status.CONFLICTING, stated=tuple(source.text for source in sources), sources=sources)


def _narrower(own: Documented[frozenset[str]], other: Documented[frozenset[str]]) -> Documented[frozenset[str]]:
    """A setting that the fields only imply gives way to what the note says, as far as it leaves that open."""
    if own.value is None or other.value is None:
        return other if own.status is Status.UNKNOWN else own
    both = own.value & other.value
    if not both:
        return _conflict(own, other)
    return Documented(Status.VALUE, both, sources=(*own.sources, *other.sources))


def _meet_sets(one: frozenset[Any], two: frozenset[Any]) -> bool:
    return not one.isdisjoint(two)


def _meet_intervals(one: Interval, two: Interval) -> bool:
    return max(one.low, two.low) <= min(one.high, two.high)


def _equal(one: object, two: object) -> bool:
    return one == two


def _findings(own: tuple[Finding, ...], other: tuple[Finding, ...]) -> tuple[Finding, ...]:
    kept = list(own)
    present = {name for finding in own if finding.status is FindingStatus.PRESENT for name in finding.names}
    stated = {(finding.name, finding.status) for finding in own}
    settled = {finding.name for finding in own if finding.status in _SETTLED} | present
    for finding in other:
        if (finding.name, finding.status) in stated:
            continue
        if finding.status is FindingStatus.PRESENT and finding.name in present:
            continue
        if finding.status not in _SETTLED and finding.name in settled:
            continue
        kept.append(finding)
    return tuple(kept)


def _history(
    own: Documented[tuple[PriorTherapy, ...]], other: Documented[tuple[PriorTherapy, ...]]
) -> Documented[tuple[PriorTherapy, ...]]:
    if own.status is Status.UNKNOWN:
        return other
    if other.status in {Status.UNKNOWN, Status.CONFLICTING} or own.status is Status.CONFLICTING:
        return own
    if own.status is not other.status:
        return _conflict(own, other)
    if own.value is None or other.value is None:
        return own
    known = {name for course in own.value for name in course.drugs}
    for course in other.value:
        if any(classes_of(name) and not _held(name, known) for name in course.drugs):
            return _conflict(own, other)
    courses = []
    for course in own.value:
        twin = next((one for one in other.value if one.drugs == course.drugs), None)
        if (
            twin is not None
            and Outcome.UNKNOWN not in {course.outcome, twin.outcome}
            and course.outcome is not twin.outcome
        ):
            return _conflict(own, other)
        filled = course
        if twin is not None:
            filled = replace(
                course,
                outcome=twin.outcome if course.outcome is Outcome.UNKNOWN else course.outcome,
                setting=course.setting or twin.setting,
                line=course.line if course.line is not None else twin.line,
            )
        courses.append(filled)
    return Documented(Status.VALUE, tuple(courses), sources=(*own.sources, *other.sources))


def _held(name: str, known: set[str]) -> bool:
    if name in known:
        return True
    return any(is_group(one) and name in covers(one) for one in known) or (
        is_group(name) and not covers(name).isdisjoint(known)
    )
