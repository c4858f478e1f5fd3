"""Holds a case against what the FHIR reader read back of it, field by field. Sources and words as written do not count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from equipoise.cases.model import Case, Documented, Finding, PriorTherapy, Recommendation, Status


class NotCarried(NamedTuple):
    """A field that a written bundle does not carry as it is.

    Attributes:
        field: field of the case.
        why: in one sentence; no value of the patient is repeated.
    """

    field: str
    why: str


_DOCUMENTED = ("age", "sex", "ecog", "tumor", "histology", "stage", "setting", "brain_mets", "tmb", "msi", "qtc_ms")
_PLAIN = ("case_id", "as_of", "stage_edition", "biomarkers_complete")
_WITHOUT_FORM: Mapping[str, str] = {
    "unsupported_language": "FHIR has no place for it: the note that was not in English is not part of the bundle",
    "instructions": "FHIR has no place for it: text addressed to software is not passed on",
    "ignored_fields": "elements of the input that were not read are not passed on",
}
"""Fields that are never written, and why."""


def differences(case: Case, back: Case) -> tuple[NotCarried, ...]:
    """What of a case did not come back.

    Args:
        case: as it was written.
        back: as it was read.
    """
    return tuple(dict.fromkeys(_differences(case, back)))


def _differences(case: Case, back: Case) -> Iterator[NotCarried]:
    for name in _PLAIN:
        if getattr(case, name) != getattr(back, name):
            yield NotCarried(name, "comes back differently")
    for name in _DOCUMENTED:
        yield from _documented(name, getattr(case, name), getattr(back, name))
    for scale in ("tps", "tc", "ic"):
        yield from _documented(f"pdl1.{scale}", getattr(case.pdl1, scale), getattr(back.pdl1, scale))
    for name in sorted({*case.conditions, *back.conditions}):
        one, two = case.conditions.get(name), back.conditions.get(name)
        if one is not None and one.status is Status.UNKNOWN and two is None:
            continue
        if one is None or two is None:
            yield NotCarried(f"conditions.{name}", "comes back differently")
        else:
            yield from _documented(f"conditions.{name}", one, two)
    yield from _findings(case.findings, back.findings)
    yield from _history(case.prior_therapies, back.prior_therapies)
    yield from _recommendations(case.recommendations, back.recommendations)
    for name, why in _WITHOUT_FORM.items():
        if getattr(case, name):
            yield NotCarried(name, why)


def _documented(name: str, one: Documented[Any], two: Documented[Any]) -> Iterator[NotCarried]:
    if one.status is not two.status:
        yield NotCarried(name, f"{one.status.value} comes back as {two.status.value}")
    elif one.value != two.value:
        yield NotCarried(name, "comes back with another value")


def _key(finding: Finding) -> tuple[Any, ...]:
    return (
        finding.gene,
        finding.name,
        finding.names,
        finding.kind,
        finding.status,
        finding.specific,
        finding.possible,
        finding.assay,
        finding.date,
    )


def _findings(one: tuple[Finding, ...], two: tuple[Finding, ...]) -> Iterator[NotCarried]:
    """The same finding said twice comes back once, which says the same."""
    back = {_key(finding) for finding in two}
    for finding in one:
        if _key(finding) in back:
            continue
        if finding.possible:
            yield NotCarried(f"biomarkers.{finding.gene}", "a finding that is one of several comes back differently")
        elif any((finding.name, finding.status) == (other.name, other.status) for other in two):
            yield NotCarried(f"biomarkers.{finding.gene}", "comes back with other details (classes, assay or day)")
        else:
            yield NotCarried(f"biomarkers.{finding.gene}", "comes back differently")
    written = {(finding.name, finding.status, finding.possible) for finding in one}
    for finding in two:
        if (finding.name, finding.status, finding.possible) not in written:
            yield NotCarried(f"biomarkers.{finding.gene}", "comes back with something that was not there")


def _course(item: PriorTherapy) -> tuple[Any, ...]:
    return item.drugs, item.unread, item.outcome, item.setting, item.line, item.ended


def _history(one: Documented[Any], two: Documented[Any]) -> Iterator[NotCarried]:
    if one.status is not two.status:
        yield NotCarried("prior_therapies", f"{one.status.value} comes back as {two.status.value}")
    elif [_course(item) for item in one.value or ()] != [_course(item) for item in two.value or ()]:
        yield NotCarried("prior_therapies", "the courses come back differently")


def _advice(item: Recommendation) -> tuple[Any, ...]:
    return (
        item.id,
        item.kind,
        item.components,
        item.unspecific,
        item.unread,
        item.setting,
        item.line,
        item.level,
        item.citations,
        item.certainty,
        item.priority,
        item.alternative_of,
        item.action,
    )


def _recommendations(one: tuple[Recommendation, ...], two: tuple[Recommendation, ...]) -> Iterator[NotCarried]:
    if len(one) != len(two):
        yield NotCarried("recommendations", f"{len(one)} come back as {len(two)}")
        return
    for item, back in zip(one, two, strict=True):
        if _advice(item) != _advice(back):
            yield NotCarried(f"recommendations.{item.id}", "comes back differently")
