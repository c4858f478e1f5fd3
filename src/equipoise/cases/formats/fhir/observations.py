"""Observation: performance status, stage and TNM, PD-L1, TMB, MSI, histology. Variants: see `variants`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.cases.formats.fhir import own
from equipoise.cases.formats.fhir.collection import Entry
from equipoise.cases.formats.fhir.conditions import read_histology
from equipoise.cases.formats.fhir.elements import (
    all_words,
    codings,
    extensions,
    number,
    objects,
    start_of,
    text,
    value_of,
    words,
)
from equipoise.cases.formats.fhir.staging import read_edition, read_stage_concept, read_tnm_concept
from equipoise.cases.formats.record.builder import CaseBuilder
from equipoise.cases.formats.record.codes import look_up
from equipoise.cases.formats.record.model import Reason
from equipoise.cases.vocabulary.expression import read_msi

_NOT_FINAL = frozenset({"registered", "cancelled", "unknown"})
_BY_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("tmb", ("tumor mutational burden", "tumour mutational burden", "tumor mutation burden")),
    ("msi", ("msi status", "microsatellite instability")),
    ("pdl1", ("pd-l1", "pdl1", "programmed cell death ligand 1", "cd274")),
    ("ecog", ("ecog performance status",)),
)
"""What an Observation measures, by its words, where no code says it."""
_DAYS = ("effectiveDateTime", "effectivePeriod", "effectiveInstant", "issued")


def kind_of(resource: Mapping[str, Any]) -> str:
    """What an Observation measures: a key of `observations` in the code tables, implication, own (one of our fields), or empty."""
    found = codings(resource.get("code"))
    if own.code_of(resource.get("code"), own.FIELD):
        return "own"
    if own.code_of(resource.get("code"), own.BIOMARKER):
        return "variant"
    if any("implication" in coding.code for coding in found):
        return "implication"
    for coding in found:
        meaning = look_up("observations", coding)
        if meaning:
            return meaning
    said = all_words(resource.get("code"))
    if "interpretation" in said and "burden" in said:
        return ""
    return next((kind for kind, names in _BY_WORDS if any(name in said for name in names)), "")


def usable(entry: Entry, builder: CaseBuilder) -> bool:
    """Whether the status of an Observation lets it be read; otherwise it is listed as ignored."""
    status = text(entry.resource.get("status"))
    if status == "entered-in-error":
        builder.ignore(entry.place, Reason.ENTERED_IN_ERROR)
    elif status in _NOT_FINAL and not (
        status == "registered" and own.code_of(entry.resource.get("code"), own.BIOMARKER)
    ):
        builder.ignore(entry.place, Reason.NOT_FINAL, status)
    else:
        return True
    return False


def read_observation(entry: Entry, builder: CaseBuilder) -> None:
    """Read one Observation that is no variant."""
    resource = entry.resource
    kind = kind_of(resource)
    value = value_of(resource)
    if kind == "own":
        _own(own.code_of(resource.get("code"), own.FIELD), entry, builder)
    elif kind in ("ecog", "kps"):
        _performance(kind, entry, builder)
    elif kind == "stage":
        read_edition(resource.get("method"), entry.place, builder)
        for extension in extensions(resource, "staging-system", "tnm-version"):
            read_edition(value_of(extension), entry.place, builder)
        read_stage_concept(value, entry.place, builder)
    elif kind == "tnm":
        read_tnm_concept(value, entry.place, builder)
    elif kind == "tmb":
        _tmb(entry, builder)
    elif kind == "msi":
        _msi(value, entry, builder)
    elif kind == "pdl1":
        _pdl1(entry, builder)
    elif kind == "histology":
        read_histology(value, entry.place, builder)
    elif kind == "implication":
        builder.ignore(entry.place, Reason.IMPLICATION)
    elif kind != "response":
        builder.ignore(entry.place, Reason.MARKER, _code_of(resource))


def _own(field: str, entry: Entry, builder: CaseBuilder) -> None:
    """A field of the case that stands under our own code."""
    value = own.stated(entry.resource)
    group, _, name = field.partition(".")
    if value is None:
        builder.ignore(entry.place, Reason.NOT_READABLE, field)
    elif field == "prior_therapies" and value == "none":
        builder.no_priors(entry.place)
    elif group == "pdl1" and field in own.FIELDS:
        builder.say("pdl1", {name: value}, entry.place)
    elif group in ("comorbidities", "comedications") and name and isinstance(value, bool):
        builder.say(group, {name: value}, entry.place)
    elif field in own.FIELDS:
        builder.say(field, value, entry.place)
    else:
        builder.ignore(entry.place, Reason.UNKNOWN_CODE, "a field of another version")


def _code_of(resource: Mapping[str, Any]) -> str:
    return next(
        (f"{coding.system} {coding.code}" for coding in codings(resource.get("code")) if coding.code), "no code"
    )


def _performance(kind: str, entry: Entry, builder: CaseBuilder) -> None:
    resource = entry.resource
    day = start_of(resource, *_DAYS)
    value = value_of(resource)
    quantity = number(value.get("value")) if isinstance(value, Mapping) else number(value)
    stated: list[str] = [] if quantity is None else [f"{quantity:g}"]
    for concept in (value, resource.get("interpretation")):
        for coding in codings(concept):
            meaning = look_up("values", coding)
            if meaning is None and coding.system == "ecog" and coding.code.isdigit():
                meaning = coding.code
            if meaning is not None and kind == "ecog":
                stated.append(meaning)
    if not stated and words(value):
        stated.append(words(value))
    if not stated:
        builder.ignore(entry.place, Reason.NOT_READABLE, kind)
    for one in dict.fromkeys(stated):
        builder.performance(kind, one, entry.place, day)


def _tmb(entry: Entry, builder: CaseBuilder) -> None:
    value = value_of(entry.resource)
    if not isinstance(value, Mapping) or "value" not in value:
        builder.ignore(entry.place, Reason.MARKER, "tmb without a number")
        return
    amount = number(value.get("value"))
    unit = f"{text(value.get('unit'))} {text(value.get('code'))}".lower()
    limit = text(value.get("comparator"))
    if amount is None or not (not unit.strip() or any(part in unit for part in ("mega", "mb", "1000000"))):
        builder.ignore(entry.place, Reason.NOT_READABLE, "tmb unit")
        return
    builder.say("tmb", f"{limit}{amount:g}" if limit else amount, entry.place)


def _msi(value: Any, entry: Entry, builder: CaseBuilder) -> None:
    for coding in codings(value):
        meaning = look_up("values", coding)
        meaning = {"positive": "MSI-H", "negative": "MSS"}.get(meaning or "", meaning)
        if meaning and read_msi(meaning):
            builder.say("msi", meaning, entry.place)
            return
    said = words(value)
    if said and read_msi(said):
        builder.say("msi", said, entry.place)
    else:
        builder.ignore(entry.place, Reason.UNKNOWN_CODE, "msi")


def _pdl1(entry: Entry, builder: CaseBuilder) -> None:
    resource = entry.resource
    heading = f"{all_words(resource.get('code'))} {all_words(resource.get('method'))}"
    read = False
    parts = [
        (heading, resource),
        *((f"{heading} {all_words(one.get('code'))}", one) for one in objects(resource.get("component"))),
    ]
    for said, element in parts:
        value = value_of(element)
        if isinstance(value, str):
            read = builder.say("pdl1", value, entry.place) or read
        elif isinstance(value, int | float) and not isinstance(value, bool):
            read = _score(said, {"value": value, "unit": "%"}, entry, builder) or read
        elif isinstance(value, Mapping) and "value" in value:
            read = _score(said, value, entry, builder) or read
        elif isinstance(value, Mapping) and "low" in value and "high" in value:
            read = _range(said, value, entry, builder) or read
    if not read:
        builder.ignore(entry.place, Reason.MARKER, "pdl1 without a score")


def _score(said: str, quantity: Mapping[str, Any], entry: Entry, builder: CaseBuilder) -> bool:
    amount = number(quantity.get("value"))
    unit = f"{text(quantity.get('unit'))} {text(quantity.get('code'))}".lower()
    if amount is None:
        return False
    if "cps" in said or "combined positive" in said:
        builder.ignore(entry.place, Reason.MARKER, "pdl1 combined positive score")
        return True
    scale = next((name for name, hints in _SCALES if any(hint in said for hint in hints)), "tps" if "%" in unit else "")
    if not scale:
        return False
    return builder.say("pdl1", {scale: f"{text(quantity.get('comparator'))}{amount:g}%"}, entry.place)


def _range(said: str, value: Mapping[str, Any], entry: Entry, builder: CaseBuilder) -> bool:
    """A range with both ends; the scale must be named, or both ends must be percentages."""
    ends = [one for one in (value.get("low"), value.get("high")) if isinstance(one, Mapping)]
    amounts = [amount for one in ends if (amount := number(one.get("value"))) is not None]
    units = [f"{text(one.get('unit'))} {text(one.get('code'))}" for one in ends]
    if len(amounts) != 2 or "cps" in said or "combined positive" in said:
        return False
    scale = next((name for name, hints in _SCALES if any(hint in said for hint in hints)), "")
    if not scale and not all("%" in unit for unit in units):
        return False
    return builder.say("pdl1", {scale or "tps": f"{amounts[0]:g}-{amounts[1]:g}%"}, entry.place)


_SCALES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("tps", ("tps", "tumor proportion", "tumour proportion", "viable tumor cells")),
    ("ic", ("immune cell", "ic score", "icscore")),
    ("tc", ("tumor cell", "tumour cell", "tc score", "tcscore")),
)
"""Words by which the scale of a PD-L1 score is known; a bare percentage is TPS (docs/semantics.md section 1)."""
