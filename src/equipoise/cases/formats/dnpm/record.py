"""Reads DNPM MTB records (mtb-model 2.x) and bwHC MTB files: the same facts under two generations of names.

Names: mtb-model https://github.com/dnpm-dip/mtb-model, bwHC https://github.com/bwHealthCloud. A record of any minor version is read;
what it lacks is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from equipoise.cases.formats.dnpm import findings
from equipoise.cases.formats.dnpm.elements import (
    code_of,
    id_of,
    level_and_sources,
    medicines,
    outcome,
    period,
)
from equipoise.cases.formats.fhir.conditions import histology_of, metastasis_of, tumor_of
from equipoise.cases.formats.fhir.elements import coding, objects, text
from equipoise.cases.formats.record.builder import CaseBuilder, history_of, regimen_of
from equipoise.cases.formats.record.codes import Coding, tables
from equipoise.cases.formats.record.model import Reason, Record

_NEW = frozenset({
    "episodesOfCare", "guidelineTherapies", "guidelineProcedures", "performanceStatus", "systemicTherapies", "ihcReports",
    "msiFindings", "priorDiagnosticReports", "carePlans", "ngsReports", "histologyReports", "diagnoses", "specimens",
})  # fmt: skip
_OLD = frozenset({
    "previousGuidelineTherapies", "lastGuidelineTherapies", "lastGuidelineTherapy", "molecularTherapies", "ecogStatus",
    "recommendations", "episode", "consent", "molecularPathologyFindings",
})  # fmt: skip
_NOT_THERAPY = (
    "histologyReevaluationRequests",
    "rebiopsyRequests",
    "geneticCounselingRecommendation",
    "geneticCounsellingRequests",
)


def recognises(value: Any) -> bool:
    """Whether a JSON value is such a record: a patient, beside at least two elements of either generation."""
    if not isinstance(value, Mapping) or "patient" not in value or "resourceType" in value:
        return False
    return len((_NEW | _OLD).intersection(value)) >= 2


def read(data: Mapping[str, Any]) -> list[Record]:
    """Read one record.

    Args:
        data: the JSON object.

    Returns:
        Its cases: one, or one a board session where the therapies before it differ.
    """
    old = bool({"recommendations", "ecogStatus", "previousGuidelineTherapies", "molecularTherapies"}.intersection(data))
    patient = data["patient"] if isinstance(data["patient"], Mapping) else {}
    builder = CaseBuilder("bwhc" if old else "dnpm", text(patient.get("id")))
    if not patient:
        builder.ignore("patient", Reason.WRONG_TYPE)
    _person(patient, builder)
    _wrong_types(data, builder)
    _diagnoses(data, builder)
    for place, element in _each(data, "performanceStatus", "ecogStatus"):
        value = code_of(element.get("value"))
        builder.performance("ecog", value, place, text(element.get("effectiveDate")))
    for place, element in _each(data, "ngsReports"):
        results = element.get("results")
        findings.read_sequencing(
            results if isinstance(results, Mapping) else element,
            place,
            text(element.get("issuedOn") or element.get("issueDate")),
            builder,
        )
        if isinstance(element.get("msi"), Mapping):
            findings.read_msi(element["msi"], f"{place}.msi", builder)
    for place, element in _each(data, "msiFindings"):
        findings.read_msi(element, place, builder)
    for place, element in _each(data, "ihcReports"):
        findings.read_stains(element, place, builder)
    _recommendations(data, builder)
    _therapies(data, builder)
    return builder.records()


def _each(data: Mapping[str, Any], *names: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name in names:
        for number, element in enumerate(objects(data.get(name)), start=1):
            yield f"{name}/{text(element.get('id')) or number}", element


def _wrong_types(data: Mapping[str, Any], builder: CaseBuilder) -> None:
    for name, value in data.items():
        if name in ("patient", "metadata") or value is None:
            continue
        rows = value if isinstance(value, list) else [value]
        seen: set[str] = set()
        for number, row in enumerate(rows, start=1):
            if not isinstance(row, Mapping):
                builder.ignore(f"{name}[{number}]", Reason.WRONG_TYPE)
                continue
            identifier = text(row.get("id"))
            if identifier and identifier in seen:
                builder.ignore(f"{name}/{identifier}", Reason.DUPLICATE_ID)
            seen.add(identifier)


def _person(patient: Mapping[str, Any], builder: CaseBuilder) -> None:
    gender = code_of(patient.get("gender"))
    if gender in ("female", "male"):
        builder.say("sex", gender, "patient.gender")
    age = patient.get("age")
    years = age.get("value") if isinstance(age, Mapping) else None
    if isinstance(years, int | float) and not isinstance(years, bool):
        builder.say("age", int(years), "patient.age")
    elif text(patient.get("birthDate"))[:4].isdigit():
        builder.born, builder.age_place = text(patient.get("birthDate")), "patient.birthDate"


def _diagnoses(data: Mapping[str, Any], builder: CaseBuilder) -> None:
    for place, element in _each(data, "diagnoses"):
        value = element.get("code") or element.get("icd10")
        found = [coding(value)._replace(system="icd10")] if isinstance(value, Mapping) else []
        if not found:
            builder.ignore(place, Reason.NOT_READABLE, "diagnosis")
            continue
        said = found[0].display.lower()
        site = metastasis_of(found, said)
        name = "" if site else tumor_of(found, said, found[0].display)
        if name:
            builder.tumor(name, place)
        elif site and site not in ("nodes", "unstated"):
            builder.say("setting", "metastatic", place)
            if site == "brain":
                builder.say("brain_mets", True, place)
        else:
            builder.ignore(place, Reason.UNKNOWN_CODE, "diagnosis")
        _staging(element, place, builder)
    for place, element in _each(data, "histologyReports"):
        results = element.get("results")
        morphology = (results if isinstance(results, Mapping) else element).get("tumorMorphology")
        value = morphology.get("value") if isinstance(morphology, Mapping) else None
        if isinstance(value, Mapping):
            kind = histology_of([Coding("icdo", text(value.get("code")), text(value.get("display")))])
            if kind:
                builder.say("histology", kind, place)
            else:
                builder.ignore(place, Reason.UNKNOWN_CODE, "histology")


def _staging(element: Mapping[str, Any], place: str, builder: CaseBuilder) -> None:
    staging = element.get("staging")
    history = objects(staging.get("history")) if isinstance(staging, Mapping) else []
    dated = sorted(history, key=lambda row: text(row.get("date")))
    for row in dated[:-1]:
        builder.ignore(place, Reason.SUPERSEDED, f"staging of {text(row.get('date'))[:4]}")
    for row in dated[-1:]:
        tnm = row.get("tnmClassification")
        if isinstance(tnm, Mapping):
            for letter, key in (("T", "tumor"), ("N", "nodes"), ("M", "metastasis")):
                value = code_of(tnm.get(key)).lower().lstrip("cpyra")
                if value.startswith(letter.lower()):
                    builder.tnm(letter, value[1:], f"{place}.staging")
        _spread([code_of(one) for one in objects(row.get("otherClassifications"))], place, builder)
    status = sorted(objects(element.get("statusHistory")), key=lambda row: text(row.get("date")))
    _spread([code_of(row.get("status")) for row in status[-1:]], place, builder)


def _spread(codes: list[str], place: str, builder: CaseBuilder) -> None:
    for code in codes:
        setting = tables()["spread"].get(code)
        if setting:
            builder.say("setting", setting, f"{place}.staging")
        elif code:
            builder.ignore(f"{place}.staging", Reason.TYPE_NOT_READ, code)


def _recommendations(data: Mapping[str, Any], builder: CaseBuilder) -> None:
    sources: list[tuple[str, Mapping[str, Any], str]] = [
        (place, element, "") for place, element in _each(data, "recommendations")
    ]
    plans = list(_each(data, "carePlans"))
    for place, plan in plans:
        issued = text(plan.get("issuedOn"))
        sources.extend(
            (f"{place}.{inner}", element, issued) for inner, element in _each(plan, "medicationRecommendations")
        )
    for place, element, day in sources:
        regimen = regimen_of(medicines(element.get("medication"), place, builder))
        builder.recommend(
            {"id": text(element.get("id")), "regimen": regimen, **level_and_sources(element)},
            place,
            issued=text(element.get("issuedOn")) or day,
        )
    for place, plan in plans:
        _other_advice(place, plan, builder)
    for place, element in _each(data, "studyInclusionRequests"):
        _trial(place, element, text(element.get("issuedOn")), builder)
    for name in ("rebiopsyRequests", "histologyReevaluationRequests", "geneticCounsellingRequests"):
        for place, _ in _each(data, name):
            builder.ignore(place, Reason.NOT_A_THERAPY)


def _other_advice(place: str, plan: Mapping[str, Any], builder: CaseBuilder) -> None:
    issued = text(plan.get("issuedOn"))
    for inner, element in _each(plan, "procedureRecommendations"):
        code = code_of(element.get("code"))
        component = tables()["procedures"]["dnpm"].get(code)
        if component is None:
            builder.ignore(f"{place}.{inner}", Reason.NOT_A_THERAPY, code)
            continue
        builder.recommend(
            {"id": text(element.get("id")), "regimen": component, **level_and_sources(element)},
            f"{place}.{inner}",
            issued=text(element.get("issuedOn")) or issued,
        )
    for inner, element in _each(plan, "studyEnrollmentRecommendations"):
        _trial(f"{place}.{inner}", element, text(element.get("issuedOn")) or issued, builder)
    for name in _NOT_THERAPY:
        for inner, _ in _each(plan, name):
            builder.ignore(f"{place}.{inner}", Reason.NOT_A_THERAPY, name)
    reason = code_of(plan.get("recommendationsMissingReason") or plan.get("noTargetFinding"))
    if reason:
        builder.ignore(f"{place}.recommendationsMissingReason", Reason.NOT_A_THERAPY, reason)


def _trial(place: str, element: Mapping[str, Any], issued: str, builder: CaseBuilder) -> None:
    names = [id_of(one) for one in objects(element.get("study"))] or [text(element.get("nctNumber"))]
    label = ", ".join(name for name in names if name) or "trial"
    builder.recommend(
        {"id": text(element.get("id")), "text": label, "kind": "trial", **level_and_sources(element)},
        place,
        issued=issued,
    )


def _therapies(data: Mapping[str, Any], builder: CaseBuilder) -> None:
    response = {id_of(element.get("therapy")): code_of(element.get("value")) for _, element in _each(data, "responses")}
    for place, element in _each(
        data, "guidelineTherapies", "previousGuidelineTherapies", "lastGuidelineTherapies", "lastGuidelineTherapy"
    ):
        _therapy(place, element, response, builder)
    for name in ("systemicTherapies", "molecularTherapies"):
        for place, element in _each(data, name):
            history = sorted(objects(element.get("history")), key=lambda row: text(row.get("recordedOn")))
            for row in history[-1:]:
                _therapy(f"{place}.history/{text(row.get('id'))}", row, response, builder)
            for row in history[:-1]:
                builder.ignore(f"{place}.history/{text(row.get('id'))}", Reason.SUPERSEDED)
    for place, element in _each(data, "guidelineProcedures"):
        component = tables()["procedures"]["dnpm"].get(code_of(element.get("code")))
        if component is None:
            builder.ignore(place, Reason.NOT_A_THERAPY, code_of(element.get("code")))
            continue
        first, last = period(element)
        status = code_of(element.get("status"))
        builder.prior(
            component,
            place,
            started=first,
            ended=last,
            line=_line(element),
            outcome="ongoing"
            if status == "on-going"
            else outcome(code_of(element.get("statusReason"))) or _STATUS.get(status),
        )


_STATUS = {"on-going": "ongoing", "completed": "completed"}
_NOT_GIVEN = frozenset({"not-done", "not-started", "planned"})


def _therapy(place: str, element: Mapping[str, Any], response: Mapping[str, str], builder: CaseBuilder) -> None:
    status = code_of(element.get("status"))
    if status in _NOT_GIVEN:
        builder.ignore(place, Reason.NOT_GIVEN, status)
        return
    drugs = " + ".join(
        name for one in medicines(element.get("medication"), place, builder) if (name := history_of(one))
    )
    first, last = period(element)
    builder.prior(
        drugs or "unnamed therapy",
        place,
        started=first,
        ended=last,
        based_on=id_of(element.get("basedOn")),
        line=_line(element),
        setting=tables()["systemic_categories"].get(code_of(element.get("category"))),
        outcome=outcome(response.get(text(element.get("id")), ""))
        or ("ongoing" if status == "on-going" else None)
        or outcome(code_of(element.get("statusReason")), code_of(element.get("reasonStopped")))
        or _STATUS.get(status),
    )


def _line(element: Mapping[str, Any]) -> int | None:
    value = element.get("therapyLine")
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 100 else None
