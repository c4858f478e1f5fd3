"""Clinical attributes of patients and samples: which column says what."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from equipoise.cases.formats.cbioportal.drivers import read_driver
from equipoise.cases.formats.fhir.elements import number
from equipoise.cases.formats.record.builder import CaseBuilder
from equipoise.cases.formats.record.model import Reason
from equipoise.cases.vocabulary.histology import read_entity

_YES = frozenset({"yes", "y", "true", "1"})
_DISTANT = frozenset({
    "brain", "liver", "bone", "pleura", "pleural fluid", "pericardium", "pericardial fluid", "adrenal", "adrenal gland", "spine",
    "epidural", "heart", "pancreas", "spleen", "skin", "colon", "breast", "omentum", "retroperitoneum", "uterus", "subcutaneous tissue",
})  # fmt: skip
"""Sites of a metastasis of lung cancer that are distant disease by themselves; lymph nodes, mediastinum, chest wall and lung are not."""


def _tumor(cell: str, place: str, builder: CaseBuilder) -> None:
    builder.tumor(cell, place)
    entity = read_entity(cell)
    if entity is not None and entity.tumor is not None and entity.histology is not None and cell.upper() == cell:
        builder.say("histology", sorted(entity.histology)[0] if len(entity.histology) == 1 else "nos", place)


def _say(field: str) -> Callable[[str, str, CaseBuilder], None]:
    def read(cell: str, place: str, builder: CaseBuilder) -> None:
        builder.say(field, cell, place)

    return read


def _amount(field: str) -> Callable[[str, str, CaseBuilder], None]:
    def read(cell: str, place: str, builder: CaseBuilder) -> None:
        value = number(cell)
        if value is None:
            builder.ignore(place, Reason.NOT_READABLE, field)
        else:
            builder.say(field, value, place)

    return read


def _tps(cell: str, place: str, builder: CaseBuilder) -> None:
    value = number(cell)
    builder.say("pdl1", {"tps": cell if value is None else value}, place)


def _ecog(cell: str, place: str, builder: CaseBuilder) -> None:
    builder.performance("ecog", cell, place, "")


def _advanced(cell: str, place: str, builder: CaseBuilder) -> None:
    if cell.lower() in _YES:
        builder.say("setting", "advanced or metastatic", place)


def _site(cell: str, place: str, builder: CaseBuilder) -> None:
    if cell.lower() in _DISTANT:
        builder.say("setting", "metastatic", place)
    if cell.lower() == "brain":
        builder.say("brain_mets", True, place)


def _sex(cell: str, place: str, builder: CaseBuilder) -> None:
    if cell.lower() in ("female", "male"):
        builder.say("sex", cell.lower(), place)


def _msi(cell: str, place: str, builder: CaseBuilder) -> None:
    builder.say("msi", {"stable": "MSS", "instable": "MSI-H"}.get(cell.lower(), cell), place)


COLUMNS: Mapping[str, Callable[[str, str, CaseBuilder], None]] = {
    "ONCOTREE_CODE": _tumor,
    "SEX": _sex,
    "GENDER": _sex,
    "AGE": _amount("age"),
    "STAGE_AT_DIAGNOSIS": _say("stage"),
    "STAGE": _say("stage"),
    "CLINICAL_STAGE": _say("stage"),
    "PATHOLOGIC_STAGE": _say("stage"),
    "AJCC_PATHOLOGIC_TUMOR_STAGE": _say("stage"),
    "RECURRENT_METASTATIC_DISEASE": _advanced,
    "METASTATIC_SITE": _site,
    "ECOG": _ecog,
    "ECOG_PS": _ecog,
    "ECOG_PERFORMANCE_STATUS": _ecog,
    "PDL1_SCORE": _tps,
    "PD_L1_TPS": _tps,
    "PDL1_TPS": _tps,
    "TMB_NONSYNONYMOUS": _amount("tmb"),
    "MSI_TYPE": _msi,
    "MSI_STATUS": _msi,
    "DRIVER_MUTATIONS": read_driver,
}
"""Column -> how it is read. Names: cBioPortal file formats (https://docs.cbioportal.org/file-formats) and those of published studies."""

TUMOR_WORDS: tuple[str, ...] = ("CANCER_TYPE_DETAILED", "CANCER_TYPE")
"""Columns that name the tumor where no OncoTree code does."""

LINES: tuple[str, ...] = ("LINES_OF_TX_PRIOR_IMPACT", "PRIOR_LINES", "NUMBER_OF_PRIOR_LINES", "LINES_OF_THERAPY")
"""Columns with the number of lines of systemic therapy that were given, without their drugs."""

KEYS: frozenset[str] = frozenset({"PATIENT_ID", "SAMPLE_ID", *TUMOR_WORDS, *LINES})
"""Columns that are read elsewhere."""


def read_row(row: Mapping[str, str], place: str, builder: CaseBuilder) -> None:
    """Read every known column of one row."""
    for name, read in COLUMNS.items():
        if name in row:
            read(row[name], f"{place}.{name}", builder)
    if "ONCOTREE_CODE" not in row:
        name = next((name for name in TUMOR_WORDS if name in row), "")
        if name:
            builder.tumor(row[name], f"{place}.{name}")


_STAGES = (
    "STAGE_AT_DIAGNOSIS",
    "STAGE",
    "CLINICAL_STAGE",
    "PATHOLOGIC_STAGE",
    "AJCC_PATHOLOGIC_TUMOR_STAGE",
)
_STAGE_IV = re.compile(r"(?:stage )?iv[ab]?", re.IGNORECASE)


def distant(rows: list[tuple[str, Mapping[str, str]]], builder: CaseBuilder) -> None:
    """Stage IV at diagnosis and "recurrent or metastatic" is distant disease: stage IV is M1 (AJCC 8th edition, PMID 26762738).

    Only where every stage that is stated is IV; one that is stated twice and differently decides nothing.
    """
    stages = [(f"{place}.{name}", row[name]) for place, row in rows for name in _STAGES if name in row]
    late = any(row.get("RECURRENT_METASTATIC_DISEASE", "").lower() in _YES for _, row in rows)
    if late and stages and all(_STAGE_IV.fullmatch(stage) for _, stage in stages):
        builder.say("setting", "metastatic", stages[0][0])


def prior_lines(rows: list[tuple[str, Mapping[str, str]]], builder: CaseBuilder) -> None:
    """Lines without drugs. The number only grows, so the largest one of several samples is the latest."""
    counts: list[tuple[int, str]] = []
    for place, row in rows:
        name = next((name for name in LINES if name in row), "")
        if not name:
            continue
        value = number(row[name])
        if value is None or value != int(value) or not 0 <= value < 30:
            builder.ignore(f"{place}.{name}", Reason.NOT_READABLE, "lines")
        else:
            counts.append((int(value), f"{place}.{name}"))
    if not counts:
        return
    most, where = max(counts, key=lambda item: item[0])
    for count, place in counts:
        if count < most:
            builder.ignore(place, Reason.SUPERSEDED, "lines")
    if most == 0:
        builder.no_priors(where)
    for line in range(1, most + 1):
        builder.prior("unnamed systemic therapy", where, line=line)
