"""Condition: the tumor, its histology and stage, metastases, and the comorbidities that a caveat reads."""

from __future__ import annotations

import re

from equipoise.cases.formats.fhir.collection import Entry
from equipoise.cases.formats.fhir.elements import all_words, codings, extensions, objects, value_of, words
from equipoise.cases.formats.fhir.own import TUMOR
from equipoise.cases.formats.fhir.staging import read_edition, read_stage_concept
from equipoise.cases.formats.record.builder import CaseBuilder
from equipoise.cases.formats.record.codes import Coding, look_up, starts_with, tables
from equipoise.cases.formats.record.model import Reason
from equipoise.cases.vocabulary.histology import read_entity

_CANCER = re.compile(
    r"cancer|carcinoma|neoplas|tumou?r|melanoma|lymphoma|leuk|sarcoma|myeloma|blastoma|glioma|malign|neubildung"
)
_LUNG = re.compile(
    r"(?:malignant neoplasm|malignant tumou?r|cancer) of (?:the )?(?:\w+ lobe of )?(?:(?:left|right) )?(?:bronchus|lung)"
)
"""A malignant tumor of the lung that names no histology; carcinoid, mesothelioma and lymphoma never read so."""
_NAMES_OF_LUNG = {
    "adenocarcinoma": "lung adenocarcinoma",
    "squamous cell carcinoma": "lung squamous cell carcinoma",
    "adenosquamous carcinoma": "lung adenosquamous carcinoma",
    "large cell carcinoma": "lung large cell carcinoma",
    "non small cell carcinoma": "non-small cell lung cancer",
    "small cell carcinoma": "small cell lung cancer",
}
"""Names as SNOMED CT writes them ("... of lung") -> the words of the vocabulary."""
_OF_LUNG = re.compile(
    r"(?<![\w-])(adenocarcinoma|squamous cell carcinoma|adenosquamous carcinoma|large cell carcinoma|non[- ]small cell carcinoma|"
    r"(?<!non )(?<!non-)small cell carcinoma) of (?:the )?(?:(?:left|right) )?lung"
)
_SECONDARY = re.compile(
    r"secondary malignant neoplas\w*(?: \w+)? of (?:the )?(brain|liver|bone|adrenal gland|pleura)|"
    r"metasta\w+ (?:to|in) (?:the )?(brain|liver|bone)"
)
_SECONDARY_ANY = re.compile(r"secondary malignant|metasta")
_UNSURE = frozenset({"refuted", "entered-in-error", "unconfirmed", "provisional", "differential"})


def read_condition(entry: Entry, builder: CaseBuilder) -> None:
    """Read one Condition into the builder."""
    resource = entry.resource
    state = {coding.code for coding in codings(resource.get("verificationStatus"))}
    if state & _UNSURE:
        reason = Reason.ENTERED_IN_ERROR if "entered-in-error" in state else Reason.NOT_FINAL
        builder.ignore(entry.place, reason, "verificationStatus")
        return
    found = codings(resource.get("code"))
    said = all_words(resource.get("code"))
    site = metastasis_of(found, said)
    if site:
        _metastasis(site, entry, builder)
    elif name := tumor_of(found, said, words(resource.get("code"))):
        builder.tumor(name, entry.place)
        _details(entry, builder)
    elif condition := _comorbidity(found):
        builder.say("comorbidities", {condition: True}, entry.place)
    else:
        builder.ignore(entry.place, Reason.TYPE_NOT_READ, "no diagnosis that a criterion reads")


def metastasis_of(found: list[Coding], said: str) -> str:
    """The site of a metastasis; "nodes" or "unstated" for one that says nothing of distant disease; empty for none."""
    for coding in found:
        meaning = look_up("tumors", coding) or ""
        if meaning.startswith("metastasis:"):
            return meaning.partition(":")[2]
        if meaning == "nodes":
            return "nodes"
        if meaning == "metastasis-unstated":
            return "unstated"
        if coding.system == "icd10" and coding.code[:3] in ("C77", "C78", "C79"):
            return starts_with(tables()["metastases_icd10"], coding.code) or "unstated"
    match = _SECONDARY.search(said)
    if match:
        return match[1] or match[2]
    return "unstated" if _SECONDARY_ANY.search(said) else ""


def tumor_of(found: list[Coding], said: str, name: str) -> str:
    """The name of the tumor that a diagnosis means; empty when it is no tumor."""
    entity = read_entity(name) if name else None
    exact = entity is not None and entity.tumor in ("NSCLC", "SCLC")
    ours = next((coding.code for coding in found if coding.system == TUMOR and coding.code), "")
    if ours:
        return ours
    for coding in found:
        meaning = (
            look_up("tumors", coding)
            if coding.system != "icd10"
            else starts_with(tables()["tumors"]["icd10"], coding.code)
        )
        if meaning:
            return name if exact and meaning == "lung cancer" else meaning
    kind = _OF_LUNG.search(said)
    if not exact and kind:
        return _NAMES_OF_LUNG[kind[1].replace("-", " ")]
    if not exact and _LUNG.search(said):
        return "lung cancer"
    if exact or _CANCER.search(said):
        return name
    for coding in found:
        if coding.system == "icd10" and coding.code[:1] == "C":
            return name or f"malignant neoplasm, ICD-10 {coding.code}"
    return ""


def histology_of(found: list[Coding]) -> str:
    """The histology that a code of morphology means; empty when it is in no table."""
    for coding in found:
        rows = tables()["histologies"]
        meaning = rows["icdo"].get(coding.code[:4]) if coding.system == "icdo" else look_up("histologies", coding)
        if meaning:
            return str(meaning)
    return ""


def read_histology(concept: object, place: str, builder: CaseBuilder) -> None:
    """Read a coded or written histology."""
    name = histology_of(codings(concept))
    entity = read_entity(words(concept)) if not name and words(concept) else None
    if not name and entity is not None and entity.histology is not None:
        name = words(concept)
    if name:
        builder.say("histology", name, place)
    else:
        builder.ignore(place, Reason.UNKNOWN_CODE, "histology")


def _details(entry: Entry, builder: CaseBuilder) -> None:
    for extension in extensions(
        entry.resource, "histology-morphology-behavior", "histology-morphology-behavior-icdo3", "morphology"
    ):
        read_histology(value_of(extension), entry.place, builder)
    for stage in objects(entry.resource.get("stage")):
        read_edition(stage.get("type"), entry.place, builder)
        if stage.get("summary") is not None:
            read_stage_concept(stage.get("summary"), entry.place, builder)


def _metastasis(site: str, entry: Entry, builder: CaseBuilder) -> None:
    if site == "nodes":
        builder.ignore(entry.place, Reason.TYPE_NOT_READ, "lymph nodes")
    elif site == "unstated":
        builder.ignore(entry.place, Reason.UNKNOWN_CODE, "site of a metastasis")
    else:
        if site == "brain":
            builder.say("brain_mets", True, entry.place)
        builder.say("setting", "metastatic", entry.place)


def _comorbidity(found: list[Coding]) -> str:
    for coding in found:
        meaning = (
            starts_with(tables()["comorbidities"]["icd10"], coding.code)
            if coding.system == "icd10"
            else look_up("comorbidities", coding)
        )
        if meaning:
            return meaning
    return ""
