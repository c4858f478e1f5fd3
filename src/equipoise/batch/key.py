"""The decision key: everything of a normalised case that can influence a verdict, under a policy, an evidence base and a day.

A verdict of a batch is the audit of `case_of(key)`, a case rebuilt from the key alone. So cases with one key get one verdict by
construction, and what remains to be shown is that the rebuilt case is judged as the case itself is (tests/batch/test_key.py).
What stands for a value where only its place among the limits of the criteria counts (`cuts`) is a value of the same cell.
"""

from __future__ import annotations

import datetime as dt
import functools
import hashlib
import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.audit.pipeline import Auditor
from equipoise.cases.model import (
    PDL1,
    Case,
    Documented,
    Finding,
    FindingStatus,
    Interval,
    Outcome,
    PriorTherapy,
    Recommendation,
    RecommendationKind,
    Source,
    Status,
    unknown,
)
from equipoise.cases.vocabulary.biomarkers import marker
from equipoise.evidence.criteria import Bounds, Given, leaves
from equipoise.evidence.model import LEVELS

Key = tuple[Any, ...]
"""Nested tuples of text, numbers and None."""

DAYS_PER_MONTH = 30.4375

IN_KEY: Mapping[str, frozenset[str]] = {
    "Case": frozenset({
        "as_of", "age", "sex", "ecog", "tumor", "histology", "stage", "setting", "brain_mets", "findings", "biomarkers_complete",
        "pdl1", "tmb", "msi", "prior_therapies", "conditions", "qtc_ms", "recommendations", "unsupported_language", "instructions",
    }),
    "Recommendation": frozenset({
        "kind", "components", "unread", "setting", "line", "level", "citations",
    }),
    "PriorTherapy": frozenset({"drugs", "unread", "outcome", "setting", "line", "ended"}),
    "Finding": frozenset({"gene", "name", "names", "kind", "status", "specific", "possible", "date"}),
    "PDL1": frozenset({"tps", "tc", "ic"}),
    "Documented": frozenset({"status", "value", "stated", "sources"}),
}  # fmt: skip
"""By part of a case, the fields of which the key holds something."""

IRRELEVANT: Mapping[str, Mapping[str, str]] = {
    "Case": {
        "case_id": "stands in the row, decides nothing",
        "stage_edition": "no criterion reads it",
        "ignored_fields": "stands in the row, decides nothing",
        "content_hash": "stands in the row, decides nothing",
    },
    "Recommendation": {
        "id": "stands in the row, decides nothing",
        "text": "stands in the row; what decides was read from it",
        "unspecific": "the components say so",
        "certainty": "no criterion reads it",
        "priority": "no criterion reads it",
        "alternative_of": "no criterion reads it",
        "action": "no criterion reads it",
        "source": "shows where it stands",
    },
    "PriorTherapy": {"source": "shows where it stands"},
    "Finding": {"assay": "no criterion reads it", "source": "shows where it stands"},
    "PDL1": {},
    "Documented": {},
}
"""By part of a case, the fields of which the key holds nothing, each with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """What a policy and an evidence base can read of a case.

    Attributes:
        fields: fields of the Case that a criterion reads, or the policy demands.
        genes: genes whose findings are read; None when every finding counts.
        cuts: by numeric field, the limits at which an answer can change, ascending.
        days: limits of the time since a course ended, ascending, in days.
    """

    fields: frozenset[str]
    genes: frozenset[str] | None
    cuts: Mapping[str, tuple[float, ...]]
    days: tuple[float, ...]


def reads_of(auditor: Auditor, *, cited: bool) -> Reads:
    """What an auditor can read.

    Args:
        auditor: policy and evidence.
        cited: for a recommendation with citations, whose check reads every criterion, those that the policy ignores included.
    """
    fields: set[str] = set(auditor.policy.demands)
    genes: set[str] = set()
    cuts: dict[str, set[float]] = {"age": set(), "tmb": set(), "qtc_ms": set(), "tps": set(), "tc": set(), "ic": set()}
    days: set[float] = set()
    for assertion in auditor.evidence.assertions:
        plan = auditor.plan(assertion)
        counted = (*(plan.requires or ()), *plan.unless)
        every = (*assertion.requires, *assertion.unless)
        for node in (*counted, *every) if cited else counted:
            fields.update(node.reads)
        for node in (*every, *counted):
            genes.update(name.partition(".")[2] for name in node.reads if name.startswith("biomarkers."))
            for leaf in leaves(node):
                if isinstance(leaf.payload, Bounds):
                    _limits(leaf.payload, cuts[leaf.field])
                elif leaf.kind == "pdl1":
                    _limits(leaf.payload[1], cuts[leaf.payload[0]])
                elif isinstance(leaf.payload, Given) and leaf.payload.months is not None:
                    days.add(leaf.payload.months * DAYS_PER_MONTH)
                elif leaf.kind in ("biomarker", "biomarker_absent"):
                    for name in leaf.payload:
                        info = marker(name)
                        genes.update(other.partition(":")[0] for other in (info.classes if info else ()))
    biomarkers = auditor.policy.biomarkers
    whole = (
        cited
        or biomarkers.untargeted != "concordant"
        or biomarkers.reported != "same-gene"
        or "biomarkers" in auditor.policy.demands
    )
    if "biomarkers" in auditor.policy.demands:
        fields.update(("pdl1", "tmb", "msi"))
    if "stage" in fields:
        fields.add("setting")
    genes.discard("")
    return Reads(
        fields=frozenset(fields),
        genes=None if whole else frozenset(genes),
        cuts={name: tuple(sorted(found)) for name, found in cuts.items()},
        days=tuple(sorted(days)),
    )


def _limits(bounds: Bounds, found: set[float]) -> None:
    found.update(edge for edge in (bounds.low, bounds.high) if math.isfinite(edge))


# --- from a case to its key --------------------------------------------------------------------------------------------------------


def case_key(case: Case, day: dt.date, reads: Reads) -> Key:
    """What counts of a case, without its recommendations.

    Args:
        case: the case.
        day: day for which it is audited.
        reads: what can be read of it.
    """
    fields = reads.fields
    cuts = reads.cuts
    pdl1 = case.pdl1
    return (
        day.isoformat(),
        _one(case.tumor, keep=True),
        _many(case.histology) if "histology" in fields else None,
        _many(case.stage) if "stage" in fields else None,
        _setting(case) if "setting" in fields else None,
        _many(case.ecog) if "ecog" in fields else None,
        _many(case.brain_mets) if "brain_mets" in fields else None,
        _span(case.age, cuts["age"]) if "age" in fields else None,
        _state(case.sex) if "sex" in fields else None,
        (_span(pdl1.tps, cuts["tps"]), _span(pdl1.tc, cuts["tc"]), _span(pdl1.ic, cuts["ic"]))
        if "pdl1" in fields
        else (None, None, None),
        _span(case.tmb, cuts["tmb"]) if "tmb" in fields else None,
        _one(case.msi) if "msi" in fields else None,
        _span(case.qtc_ms, cuts["qtc_ms"]) if "qtc_ms" in fields else None,
        _history(case.prior_therapies, day, reads) if "prior_therapies" in fields else None,
        _conditions(case, fields),
        _findings(case.findings, reads),
        case.biomarkers_complete,
        case.unsupported_language,
        bool(case.instructions),
    )


def recommendation_key(item: Recommendation | None) -> Key | None:
    """What counts of a recommendation; None for none.

    Args:
        item: the recommendation.
    """
    if item is None:
        return None
    level = item.level.strip().upper().removeprefix("LEVEL ").strip() if item.level else ""
    return (
        item.kind.value,
        _sorted(item.components),
        bool(item.unread),
        None if item.setting is None else _sorted(item.setting),
        item.line,
        level if level in LEVELS else "",
        item.citations if item.components else (),
    )


def digest(key: Key) -> bytes:
    """Sixteen bytes that stand for a key: two of a million keys share them with a chance below 1e-26."""
    return hashlib.blake2b(repr(key).encode(), digest_size=16).digest()


_VALUE, _ABSENT, _UNKNOWN = Status.VALUE, Status.ABSENT, Status.UNKNOWN


def _one(field: Documented[str], *, keep: bool = False) -> Key | None:
    if field.status is _UNKNOWN:
        return None
    return (field.status.value, field.value, field.stated if keep else ())


def _state(field: Documented[Any]) -> Key | None:
    return None if field.status is _UNKNOWN else (field.status.value,)


def _many(field: Documented[frozenset[Any]]) -> Key | None:
    if field.status is _UNKNOWN:
        return None
    return (field.status.value, _sorted(field.value) if field.value is not None else None)


def _setting(case: Case) -> Key | None:
    """The setting, and whether the record states one or only its stage implies it."""
    found = _many(case.setting)
    return None if found is None else (*found, any(source.field != "stage" for source in case.setting.sources))


def _span(field: Documented[Interval], cuts: tuple[float, ...]) -> Key | None:
    if field.status is _UNKNOWN:
        return None
    if field.value is None:
        return (field.status.value, None, None)
    return (field.status.value, _cell(field.value.low, cuts), _cell(field.value.high, cuts))


def _cell(value: float, cuts: tuple[float, ...]) -> float:
    """A number that lies to every limit as the value does; infinities stay."""
    if not cuts or math.isinf(value):
        return value if cuts else 0.0
    place = bisect_left(cuts, value)
    if place < len(cuts) and cuts[place] == value:
        return cuts[place]
    if place == 0:
        return cuts[0] - 1
    if place == len(cuts):
        return cuts[-1] + 1
    return (cuts[place - 1] + cuts[place]) / 2


def _history(field: Documented[tuple[PriorTherapy, ...]], day: dt.date, reads: Reads) -> Key | None:
    if field.status is _UNKNOWN:
        return None
    if field.value is None:
        return (field.status.value, None)
    return (
        field.status.value,
        tuple(
            [
                (
                    _sorted(course.drugs),
                    bool(course.unread),
                    course.outcome.value,
                    None if course.setting is None else _sorted(course.setting),
                    course.line is not None,
                    None
                    if course.ended is None or course.outcome is Outcome.ONGOING or not reads.days
                    else _since((day - course.ended).days, reads.days),
                )
                for course in field.value
            ]
        ),
    )


def _since(days: int, limits: tuple[float, ...]) -> int:
    """Days that lie to every limit as the days do."""
    place = bisect_left(limits, days)
    return math.floor(limits[place]) if place < len(limits) else math.floor(limits[-1]) + 1


def _conditions(case: Case, fields: frozenset[str]) -> Key:
    if not case.conditions:
        return ()
    return tuple(
        sorted(
            [
                (name, state.status.value)
                for name, state in case.conditions.items()
                if state.status is not _UNKNOWN
                and (f"comorbidities.{name}" in fields or f"comedications.{name}" in fields)
            ]
        )
    )


_PRESENT, _NEGATIVE = FindingStatus.PRESENT, FindingStatus.ABSENT


def _findings(findings: tuple[Finding, ...], reads: Reads) -> Key:
    if not findings:
        return ()
    genes = reads.genes
    kept = findings if genes is None else [item for item in findings if not genes.isdisjoint(_genes(item))]
    dated = _contradict(kept)
    return tuple(
        sorted(
            {
                (
                    item.name, item.gene, _sorted(item.names), item.kind, item.status.value, item.specific, _sorted(item.possible),
                    item.date.isoformat() if dated and item.date is not None else "",
                )
                for item in kept
            }
        )
    )  # fmt: skip


def _genes(item: Finding) -> frozenset[str]:
    return _genes_of(item.gene, item.name, item.names, item.possible)


@functools.lru_cache(maxsize=65_536)
def _genes_of(gene: str, name: str, names: frozenset[str], possible: frozenset[str]) -> frozenset[str]:
    return frozenset({gene, *(each.partition(":")[0] for each in (name, *names, *possible))})


def _contradict(findings: Iterable[Finding]) -> bool:
    """Whether a marker is reported present and absent: only then does it count when."""
    absent = {item.name for item in findings if item.status is _NEGATIVE}
    return bool(absent) and any(item.status is _PRESENT and not absent.isdisjoint(item.names) for item in findings)


@functools.lru_cache(maxsize=65_536)
def _sorted(names: frozenset[Any]) -> tuple[Any, ...]:
    return tuple(sorted(names))


# --- from a key to the case that is audited ------------------------------------------------------------------------------------------


def case_of(key: Key, recommendation: Key | None) -> Case:
    """The case that a key stands for: nothing but the key is in it.

    Args:
        key: of `case_key`.
        recommendation: of `recommendation_key`.
    """
    (day, tumor, histology, stage, setting, ecog, brain, age, sex, pdl1, tmb, msi, qtc, history, conditions, findings, complete,
     language, instructions) = key  # fmt: skip
    as_of = dt.date.fromisoformat(day)
    return Case(
        case_id="",
        as_of=as_of,
        age=_to_span(age),
        sex=unknown() if sex is None else Documented(Status(sex[0]), "stated" if sex[0] == "value" else None),
        ecog=_to_many(ecog),
        tumor=_to_one(tumor),
        histology=_to_many(histology),
        stage=_to_many(stage),
        setting=_to_setting(setting),
        brain_mets=_to_many(brain),
        findings=tuple([_to_finding(item) for item in findings]),
        biomarkers_complete=complete,
        pdl1=PDL1(tps=_to_span(pdl1[0]), tc=_to_span(pdl1[1]), ic=_to_span(pdl1[2])),
        tmb=_to_span(tmb),
        msi=_to_one(msi),
        prior_therapies=_to_history(history, as_of),
        conditions={name: Documented(Status(state), True if state == "value" else None) for name, state in conditions},
        qtc_ms=_to_span(qtc),
        recommendations=() if recommendation is None else (_to_recommendation(recommendation),),
        unsupported_language=language,
        instructions=(Source("text"),) if instructions else (),
        content_hash="key",
    )


@functools.lru_cache(maxsize=4096)
def _to_one(part: Key | None) -> Documented[Any]:
    return unknown() if part is None else Documented(Status(part[0]), part[1], part[2])


@functools.lru_cache(maxsize=4096)
def _to_many(part: Key | None) -> Documented[Any]:
    return unknown() if part is None else Documented(Status(part[0]), None if part[1] is None else frozenset(part[1]))


@functools.lru_cache(maxsize=4096)
def _to_setting(part: Key | None) -> Documented[Any]:
    if part is None:
        return unknown()
    return _to_many(part[:2])._replace(sources=(Source("setting" if part[2] else "stage"),))


@functools.lru_cache(maxsize=4096)
def _to_span(part: Key | None) -> Documented[Any]:
    return (
        unknown()
        if part is None
        else Documented(Status(part[0]), None if part[1] is None else Interval(part[1], part[2]))
    )


@functools.lru_cache(maxsize=65_536)
def _to_finding(part: Key) -> Finding:
    name, gene, names, kind, status, specific, possible, date = part
    return Finding(
        gene, name, frozenset(names), kind, FindingStatus(status), specific, frozenset(possible),
        date=dt.date.fromisoformat(date) if date else None,
    )  # fmt: skip


@functools.lru_cache(maxsize=4096)
def _to_history(part: Key | None, day: dt.date) -> Documented[Any]:
    if part is None:
        return unknown()
    if part[1] is None:
        return Documented(Status(part[0]))
    courses = tuple(
        PriorTherapy(
            drugs=frozenset(drugs),
            unread=("unread",) if unread else (),
            outcome=Outcome(outcome),
            setting=None if setting is None else frozenset(setting),
            line=1 if line else None,
            ended=None if days is None else day - dt.timedelta(days=days),
        )
        for drugs, unread, outcome, setting, line, days in part[1]
    )
    return Documented(Status(part[0]), courses)


@functools.lru_cache(maxsize=4096)
def _to_recommendation(part: Key) -> Recommendation:
    kind, components, unread, setting, line, level, citations = part
    return Recommendation(
        id="",
        text="",
        kind=RecommendationKind(kind),
        components=frozenset(components),
        unread=("unread",) if unread else (),
        setting=None if setting is None else frozenset(setting),
        line=line,
        level=level,
        citations=citations,
    )
