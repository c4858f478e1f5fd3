"""Patient, tumor, performance status, stage, markers and the rest of a case as Patient, Condition and Observation."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from equipoise.cases.formats.fhir import own
from equipoise.cases.formats.own import read_case
from equipoise.cases.formats.record.codes import tables
from equipoise.cases.model import (
    HISTOLOGIES,
    SETTINGS,
    Case,
    Documented,
    Finding,
    FindingStatus,
    Interval,
    Status,
)
from equipoise.cases.vocabulary.histology import NONSQUAMOUS
from equipoise.cases.vocabulary.setting import read_setting
from equipoise.errors import CaseError
from equipoise.exports.fhir.entries import HGNC, LOINC, SNOMED, UCUM, concept

Row = tuple[str, dict[str, Any]]
"""Field of the case, and a resource that holds it."""

_HISTOLOGY_URL = "http://hl7.org/fhir/us/mcode/StructureDefinition/mcode-histology-morphology-behavior"
_CLINICAL = "http://terminology.hl7.org/CodeSystem/condition-clinical"
_ACTIVE = {"coding": [{"system": _CLINICAL, "code": "active"}]}
_TUMORS: Mapping[str, tuple[str, str]] = {
    "NSCLC": ("254637007", "Non-small cell lung cancer"),
    "SCLC": ("254632001", "Small cell carcinoma of lung"),
}
_MORPHOLOGIES: Mapping[str, tuple[str, str]] = {
    "adenocarcinoma": ("1187332001", "Adenocarcinoma"),
    "squamous cell carcinoma": ("1162767002", "Squamous cell carcinoma"),
    "large cell carcinoma": ("22687000", "Large cell carcinoma"),
    "adenosquamous carcinoma": ("59367005", "Adenosquamous carcinoma"),
}
_EDITIONS = {str(edition): str(code) for code, edition in tables()["editions"].items()}
_ANSWERS: Mapping[FindingStatus, tuple[str, str]] = {
    FindingStatus.PRESENT: ("LA9633-4", "Present"),
    FindingStatus.UNCERTAIN: ("LA9633-4", "Present"),
    FindingStatus.ABSENT: ("LA9634-2", "Absent"),
}
_FIELD_TEXT = {
    "age": "Age in years", "as_of": "Day for which the case asks", "setting": "Situation for which therapy is proposed",
    "biomarkers_complete": "A comprehensive panel found nothing else", "brain_mets": "Brain metastases", "qtc_ms": "QTc interval",
    "sex": "Sex", "histology": "Histology", "ecog": "ECOG performance status", "stage": "Stage group",
}  # fmt: skip


_CONDITIONS: Mapping[str, str] = {
    "ild": "Interstitial lung disease or pneumonitis", "autoimmune": "Autoimmune disease", "transplant": "Solid organ transplant",
    "hsct": "Allogeneic stem cell transplant", "hemoptysis": "Hemoptysis", "vte": "Venous thromboembolism",
    "cyp3a-inducer": "Strong CYP3A inducer", "cyp3a-inhibitor": "Strong CYP3A inhibitor", "ppi": "Proton pump inhibitor",
    "steroids": "Corticosteroids",
}  # fmt: skip
_CHANGE = re.compile(r"[A-Z][0-9]+(?:[A-Z]|[A-Z*]|_[A-Z][0-9]+)?(?:delins[A-Z]+|ins[A-Z]+|del|dup|fs)?")


def patient(case: Case) -> dict[str, Any]:
    """The patient: id and sex."""
    sex = case.sex.value
    return {
        "resourceType": "Patient",
        "identifier": [{"system": own.CASE, "value": case.case_id}],
        "gender": sex if sex in ("female", "male") else None,
    }


def resources(case: Case, subject: Mapping[str, str]) -> Iterator[Row]:
    """Field and resource, for everything but therapies and recommendations."""
    if case.as_of is not None:
        yield "as_of", stated("as_of", case.as_of.isoformat(), _FIELD_TEXT["as_of"], subject)
    yield from _scalar("age", case.age, subject)
    if case.sex.value not in ("female", "male"):
        yield from _texts("sex", case.sex, case.sex.value or "", subject)
    yield from _tumor(case, subject)
    yield from _performance(case, subject)
    yield from _stage(case, subject)
    if not (case.setting.sources and case.setting.sources[0].field == "stage"):
        yield from _texts("setting", case.setting, setting_words(case.setting.value), subject)
    yield from _brain(case, subject)
    for finding in case.findings:
        yield f"biomarkers.{finding.gene}", _marker(finding, subject)
    if case.biomarkers_complete:
        yield "biomarkers_complete", stated("biomarkers_complete", True, _FIELD_TEXT["biomarkers_complete"], subject)
    yield from _scores(case, subject)
    for name, state in sorted(case.conditions.items()):
        group = "comedications" if name in ("cyp3a-inducer", "cyp3a-inhibitor", "ppi", "steroids") else "comorbidities"
        if state.known:
            field = f"{group}.{name}"
            yield field, stated(field, state.status is Status.VALUE, _CONDITIONS[name], subject)
        elif state.status is Status.CONFLICTING:
            for answer in (True, False):
                yield f"{group}.{name}", stated(f"{group}.{name}", answer, _CONDITIONS[name], subject)
    yield from _scalar("qtc_ms", case.qtc_ms, subject, unit="ms")


def stated(field: str, value: Any, text: str, subject: Mapping[str, Any]) -> dict[str, Any]:
    """An Observation under our own code, for a field that no standard code says."""
    kind = {bool: "valueBoolean", int: "valueInteger", str: "valueString"}.get(type(value), "valueQuantity")
    return {
        "resourceType": "Observation",
        "status": "final",
        "code": concept(text, (own.FIELD, field, "")),
        "subject": subject,
        kind: value,
    }


def setting_words(setting: frozenset[str] | None) -> str:
    """Words that mean a set of settings; empty for none, or when no words mean it."""
    if not setting:
        return ""
    for words in (
        *SETTINGS,
        "recurrent",
        "unresectable",
        "locally advanced",
        "early",
        "curative",
        "locally advanced or metastatic",
    ):
        if read_setting(words) == setting:
            return words
    return ""


def _texts(field: str, known: Documented[Any], words: str, subject: Mapping[str, Any]) -> Iterator[Row]:
    """One Observation for a value, one each for statements that conflict."""
    texts = known.stated if known.status is Status.CONFLICTING else (words,)
    for text in texts:
        if text:
            yield field, stated(field, text, _FIELD_TEXT.get(field, field), subject)


def _scalar(field: str, known: Documented[Interval], subject: Mapping[str, Any], *, unit: str = "") -> Iterator[Row]:
    value = known.value
    if known.status is Status.CONFLICTING:
        yield from _texts(field, known, "", subject)
    elif value is not None and value.low == value.high:
        number: Any = int(value.low) if value.low == int(value.low) else value.low
        amount = {"value": number, "unit": unit, "system": UCUM, "code": unit} if unit else number
        yield field, stated(field, amount, _FIELD_TEXT[field], subject)


def _tumor(case: Case, subject: Mapping[str, Any]) -> Iterator[Row]:
    names = case.tumor.stated if case.tumor.status is Status.CONFLICTING else (case.tumor.value,)
    extension = []
    histology = _histology_words(case.histology)
    for words in histology if isinstance(histology, tuple) else (histology,):
        if words:
            code = _MORPHOLOGIES.get(words)
            extension.append(
                {"url": _HISTOLOGY_URL, "valueCodeableConcept": concept(words, *([(SNOMED, *code)] if code else []))}
            )
    for place, name in enumerate(filter(None, names)):
        codings = [(SNOMED, *_TUMORS[name])] if name in _TUMORS else [(own.TUMOR, name, "")]
        yield (
            "tumor",
            {
                "resourceType": "Condition",
                "extension": extension if not place else None,
                "clinicalStatus": _ACTIVE,
                "code": concept(_TUMORS[name][1] if name in _TUMORS else name, *codings),
                "subject": subject,
            },
        )
        extension = []
    if not case.tumor.value and not case.tumor.stated:
        for words in histology if isinstance(histology, tuple) else (histology,):
            if words:
                yield "histology", stated("histology", words, _FIELD_TEXT["histology"], subject)


def _histology_words(known: Documented[frozenset[str]]) -> str | tuple[str, ...]:
    if known.status is Status.CONFLICTING:
        return known.stated
    kinds = known.value
    if not kinds:
        return ""
    if kinds == NONSQUAMOUS:
        return "nonsquamous"
    if kinds == frozenset(HISTOLOGIES):
        return "not otherwise specified"
    return _KINDS.get(min(kinds), "") if len(kinds) == 1 else ""


_KINDS = {
    "adenocarcinoma": "adenocarcinoma", "squamous": "squamous cell carcinoma", "large-cell": "large cell carcinoma",
    "adenosquamous": "adenosquamous carcinoma", "sarcomatoid": "sarcomatoid carcinoma",
}  # fmt: skip


def _performance(case: Case, subject: Mapping[str, Any]) -> Iterator[Row]:
    known = case.ecog
    if known.status is Status.CONFLICTING:
        kps = [source.field == "kps" for source in known.sources]
        for place, text in enumerate(known.stated):
            yield "ecog", _kps(text, subject) if kps[place : place + 1] == [True] else _ecog(text, subject)
    elif known.value:
        grades = sorted(known.value)
        if len(grades) == 1:
            yield "ecog", _ecog(grades[0], subject)
        elif grades == list(range(grades[0], grades[-1] + 1)):
            yield "ecog", _ecog(f"{grades[0]}-{grades[-1]}", subject)


def _ecog(value: int | str, subject: Mapping[str, Any]) -> dict[str, Any]:
    return _observation(
        concept("ECOG performance status", (LOINC, "89247-1", "ECOG Performance Status score")),
        subject,
        **_plain_value(value),
    )


def _kps(value: str, subject: Mapping[str, Any]) -> dict[str, Any]:
    return _observation(
        concept("Karnofsky performance status", (LOINC, "89243-0", "Karnofsky Performance Status score")),
        subject,
        **_plain_value(int(value) if value.isdigit() else value),
    )


def _plain_value(value: int | str) -> dict[str, Any]:
    return {"valueInteger": value} if isinstance(value, int) else {"valueString": value}


def _observation(code: Mapping[str, Any], subject: Mapping[str, Any], **value: Any) -> dict[str, Any]:
    return {"resourceType": "Observation", "status": "final", "code": code, "subject": subject, **value}


def _stage(case: Case, subject: Mapping[str, Any]) -> Iterator[Row]:
    known = case.stage
    texts = known.stated if known.status is Status.CONFLICTING else (" or ".join(sorted(known.value or ())),)
    edition = _EDITIONS.get(str(case.stage_edition))
    method = concept(f"AJCC {case.stage_edition}th edition", (SNOMED, edition, "")) if edition else None
    code = concept("Stage group", (LOINC, "21908-9", "Stage group.clinical Cancer"))
    for text in texts:
        if text:
            yield "stage", _observation(code, subject, method=method, valueCodeableConcept=concept(text))
            method = None


def _brain(case: Case, subject: Mapping[str, Any]) -> Iterator[Row]:
    known = case.brain_mets
    if known.status is Status.CONFLICTING:
        yield from _texts("brain_mets", known, "", subject)
    elif known.status is Status.ABSENT:
        yield "brain_mets", stated("brain_mets", False, _FIELD_TEXT["brain_mets"], subject)
    elif known.value:
        words = next(iter(known.value)) if len(known.value) == 1 else "present"
        yield "brain_mets", stated("brain_mets", words, _FIELD_TEXT["brain_mets"], subject)
        if case.setting.value == frozenset({"metastatic"}):
            yield (
                "brain_mets",
                {
                    "resourceType": "Condition",
                    "clinicalStatus": _ACTIVE,
                    "code": concept(
                        "Metastasis to brain", (SNOMED, "94225005", "Secondary malignant neoplasm of brain")
                    ),
                    "subject": subject,
                },
            )


def _marker(finding: Finding, subject: Mapping[str, Any]) -> dict[str, Any]:
    """A variant by HGNC and HGVS where it has them, and always by our normalised name."""
    known = _readable_name(finding)
    name = [(own.BIOMARKER, known, "")] if known else []
    number = {str(symbol): str(code) for code, symbol in tables()["genes"].items()}.get(finding.gene)
    genetic = finding.kind in ("variant", "fusion", "amplification", "loss")
    common: dict[str, Any] = {
        "effectiveDateTime": finding.date.isoformat() if finding.date else None,
        "method": concept(finding.assay) if finding.assay else None,
    }
    answer = _ANSWERS.get(finding.status)
    if answer is not None:
        common["valueCodeableConcept"] = concept("", (LOINC, *answer))
    elif finding.status is FindingStatus.PENDING:
        common["status"] = "registered"
    else:
        why = "not-performed" if finding.status is FindingStatus.NOT_TESTED else "unknown"
        system = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
        common["dataAbsentReason"] = concept("", (system, why, ""))
    parts = []
    if number is not None:
        parts.append(("48018-6", "Gene studied [ID]", concept(finding.gene, (HGNC, f"HGNC:{number}", finding.gene))))
    alteration = finding.name.partition(":")[2]
    if _CHANGE.fullmatch(alteration):
        parts.append(("48005-3", "Amino acid change (pHGVS)", concept(f"p.{alteration}")))
    if finding.status is FindingStatus.UNCERTAIN:
        parts.append(
            (
                "53037-8",
                "Genetic variation clinical significance",
                concept("", (LOINC, "LA26333-7", "Uncertain significance")),
            )
        )
    code = (
        concept("Genetic variant assessment", (LOINC, "69548-6", "Genetic variant assessment"), *name)
        if genetic
        else concept(finding.source.text or finding.name, *name)
    )
    return {
        **_observation(code, subject),
        **common,
        "note": [{"text": finding.source.text}] if finding.source.text != finding.name else None,
        "component": [
            {"code": concept("", (LOINC, loinc, words)), "valueCodeableConcept": value} for loinc, words, value in parts
        ],
    }


def _readable_name(finding: Finding) -> str:
    """Words from which our reader makes the same finding again: its name, or the words as written; empty when neither does."""
    stated = finding.status.value
    for words in (finding.name, finding.source.text):
        if not words:
            continue
        try:
            back = read_case({"biomarkers": [{"name": words, "status": stated}]}).findings
        except CaseError:
            continue
        if len(back) == 1 and _says(back[0]) == _says(finding):
            return words
    return ""


def _says(finding: Finding) -> tuple[Any, ...]:
    return finding.gene, finding.name, finding.names, finding.kind, finding.status, finding.specific, finding.possible


def _scores(case: Case, subject: Mapping[str, Any]) -> Iterator[Row]:
    for scale, words in (
        ("tps", "tumor proportion score (TPS)"),
        ("tc", "tumor cell score"),
        ("ic", "immune cell score"),
    ):
        known: Documented[Interval] = getattr(case.pdl1, scale)
        code = concept(f"PD-L1 {words}", (own.FIELD, f"pdl1.{scale}", ""))
        yield from _amounts(f"pdl1.{scale}", known, code, "%", 100, subject)
    code = concept("Tumor mutational burden", (LOINC, "94076-7", "Mutations/Megabase [# Ratio] in Tumor"))
    yield from _amounts("tmb", case.tmb, code, "1/1000000{Base}", math.inf, subject)
    code = concept(
        "Microsatellite instability",
        (LOINC, "81695-9", "Microsatellite instability [Interpretation] in Cancer specimen Qualitative"),
    )
    answers = {
        "high": concept("MSI-H", (LOINC, "LA26203-2", "MSI-H")),
        "stable": concept("Stable", (LOINC, "LA14122-8", "Stable")),
    }
    if case.msi.value in answers:
        yield "msi", _observation(code, subject, valueCodeableConcept=answers[str(case.msi.value)])
    for text in case.msi.stated:
        yield "msi", _observation(code, subject, valueCodeableConcept=concept(text))


def _amounts(
    field: str, known: Documented[Interval], code: Mapping[str, Any], unit: str, most: float, subject: Mapping[str, Any]
) -> Iterator[Row]:
    named = {**code, "coding": [*code["coding"], {"system": own.FIELD, "code": field}]} if field == "tmb" else code
    if known.status is Status.CONFLICTING:
        for text in known.stated:
            yield field, _observation(named, subject, valueString=text)
    elif known.value is not None:
        amount = _amount(known.value, unit, most)
        yield field, _observation(named if "valueRange" in amount else code, subject, **amount)


def _amount(value: Interval, unit: str, most: float) -> dict[str, Any]:
    quantity = {"unit": unit, "system": UCUM, "code": unit}
    low, high = _plain(value.low), _plain(value.high)
    if value.low == value.high:
        return {"valueQuantity": {"value": low, **quantity}}
    if value.high == most:
        return {"valueQuantity": {"value": low, "comparator": ">=", **quantity}}
    if value.low == 0 and math.ceil(value.high) - value.high < 0.011 and value.high != int(value.high):
        return {"valueQuantity": {"value": math.ceil(value.high), "comparator": "<", **quantity}}
    return {"valueRange": {"low": {"value": low, **quantity}, "high": {"value": high, **quantity}}}


def _plain(value: float) -> int | float:
    return int(value) if math.isfinite(value) and value == int(value) else value
