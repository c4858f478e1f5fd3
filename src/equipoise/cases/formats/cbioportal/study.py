"""Reads a cBioPortal study, or single tables of one: a case a patient.

A study holds no recommendation, except where a timeline of tumor boards does. Its cases are for `equipoise options`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from equipoise.cases.formats.cbioportal import clinical
from equipoise.cases.formats.fhir.elements import number
from equipoise.cases.formats.record.builder import CaseBuilder
from equipoise.cases.formats.record.model import Ignored, Nothing, Reason, Record, first_with
from equipoise.cases.formats.record.tables import Table, column

_SILENT = frozenset({"silent", "synonymous_variant", "intron", "3'utr", "5'utr", "3'flank", "5'flank", "igr", "rna"})


def kind_of(table: Table) -> str:
    """What a table of a study is: clinical, mutations, sv, cna, timeline, or empty."""
    names = {name.upper() for name in table.columns}
    if {"PATIENT_ID", "EVENT_TYPE"} <= names:
        return "timeline"
    if {"SITE1_HUGO_SYMBOL", "SITE2_HUGO_SYMBOL"} <= names:
        return "sv"
    if {"HUGO_SYMBOL", "TUMOR_SAMPLE_BARCODE"} <= names:
        return "mutations"
    if "PATIENT_ID" in names:
        return "clinical"
    if "HUGO_SYMBOL" in names and ("cna" in table.name.lower() or "ENTREZ_GENE_ID" in names):
        return "cna"
    return ""


def read(tables: Iterable[Table]) -> list[Record]:
    """Read the tables of one study.

    Args:
        tables: in any order; those that are none of a study are listed as ignored.

    Returns:
        One record a patient, in the order of the clinical tables.
    """
    named = [(kind_of(table), table) for table in tables]
    general: list[Ignored] = []
    rows: dict[str, list[tuple[str, Mapping[str, str]]]] = {}
    owner: dict[str, str] = {}
    for kind, table in named:
        general.extend(
            Ignored(place=f"{table.name}, line {line}", reason=Reason.WRONG_TYPE, detail="cells")
            for line in table.short
        )
        if kind == "clinical":
            _patients(table, rows, owner, general)
        elif not kind:
            general.append(Ignored(place=table.name, reason=Reason.TYPE_NOT_READ, detail="table"))
    builders: dict[str, CaseBuilder] = {}
    for patient, places in rows.items():
        builder = builders[patient] = CaseBuilder("cbioportal", patient)
        for place, row in places:
            clinical.read_row(row, place, builder)
        clinical.distant(places, builder)
        clinical.prior_lines(places, builder)
    for kind, table in named:
        if kind in _READERS:
            _READERS[kind](table, builders, owner, general)
    records = [record for builder in builders.values() for record in builder.records()]
    if not records:
        return [
            Record(format="cbioportal", case_id="", data={}, ignored=tuple(general), nothing=Nothing.NO_PATIENT_DATA)
        ]
    return first_with(records, general)


def _patients(
    table: Table, rows: dict[str, list[tuple[str, Mapping[str, str]]]], owner: dict[str, str], general: list[Ignored]
) -> None:
    known = set(clinical.COLUMNS) | clinical.KEYS
    general.extend(
        Ignored(place=f"{table.name}.{name}", reason=Reason.TYPE_NOT_READ, detail="column")
        for name in table.columns
        if name.upper() not in known
    )
    seen: set[str] = set()
    for line, row in table.rows:
        upper = {name.upper(): cell for name, cell in row.items()}
        patient = upper.get("PATIENT_ID", "")
        sample = upper.get("SAMPLE_ID", "")
        if not patient:
            general.append(Ignored(place=f"{table.name}, line {line}", reason=Reason.NO_SUBJECT))
            continue
        if sample and sample in seen:
            general.append(Ignored(place=f"{table.name}, {sample}", reason=Reason.DUPLICATE_ID))
        seen.add(sample)
        if sample:
            owner[sample] = patient
        rows.setdefault(patient, []).append((sample or f"{table.name}, line {line}", upper))


def _builder(
    sample: str, place: str, builders: dict[str, CaseBuilder], owner: Mapping[str, str], general: list[Ignored]
) -> CaseBuilder | None:
    patient = owner.get(sample, sample if sample in builders or not owner else "")
    if not patient:
        general.append(Ignored(place=place, reason=Reason.DANGLING, detail="sample"))
        return None
    return builders.setdefault(patient, CaseBuilder("cbioportal", patient))


def _mutations(table: Table, builders: dict[str, CaseBuilder], owner: dict[str, str], general: list[Ignored]) -> None:
    gene, sample = column(table.columns, "Hugo_Symbol"), column(table.columns, "Tumor_Sample_Barcode")
    protein = column(table.columns, "HGVSp_Short", "HGVSp", "Protein_Change", "Amino_Acid_Change")
    kind, status = column(table.columns, "Variant_Classification"), column(table.columns, "Mutation_Status")
    for line, row in table.rows:
        place = f"{table.name}, line {line}"
        builder = _builder(row.get(sample, ""), place, builders, owner, general)
        if builder is None:
            continue
        change = row.get(protein, "") if protein else ""
        if "germline" in row.get(status, "").lower():
            builder.ignore(place, Reason.GERMLINE)
        elif row.get(kind, "").lower() in _SILENT or change.endswith("="):
            builder.ignore(place, Reason.SILENT)
        elif not change or not row.get(gene):
            builder.ignore(place, Reason.DRIVER, row.get(gene, ""))
        else:
            builder.marker(f"{row[gene]} {change}", "present", place)


def _structural(table: Table, builders: dict[str, CaseBuilder], owner: dict[str, str], general: list[Ignored]) -> None:
    sample = column(table.columns, "Sample_Id", "Sample_ID", "Tumor_Sample_Barcode")
    one, two = column(table.columns, "Site1_Hugo_Symbol"), column(table.columns, "Site2_Hugo_Symbol")
    status = column(table.columns, "SV_Status")
    for line, row in table.rows:
        place = f"{table.name}, line {line}"
        builder = _builder(row.get(sample, ""), place, builders, owner, general)
        if builder is None:
            continue
        genes = [row[name] for name in (one, two) if row.get(name)]
        if "germline" in row.get(status, "").lower():
            builder.ignore(place, Reason.GERMLINE)
        elif len(set(genes)) < 2:
            builder.ignore(place, Reason.DRIVER, " ".join(genes[:1]))
        else:
            builder.marker("::".join(genes) + " fusion", "present", place)


def _copy_number(table: Table, builders: dict[str, CaseBuilder], owner: dict[str, str], general: list[Ignored]) -> None:
    gene = column(table.columns, "Hugo_Symbol")
    for line, row in table.rows:
        for sample, cell in row.items():
            call = number(cell)
            if sample == gene or sample.lower() == "entrez_gene_id" or call not in (2, -2):
                continue
            place = f"{table.name}, line {line}"
            builder = _builder(sample, place, builders, owner, general)
            if builder is not None:
                builder.marker(f"{row.get(gene, '')} {'amplification' if call == 2 else 'loss'}", "present", place)


def _timeline(table: Table, builders: dict[str, CaseBuilder], owner: dict[str, str], general: list[Ignored]) -> None:
    for line, row in table.rows:
        upper = {name.upper(): cell for name, cell in row.items()}
        place = f"{table.name}, line {line}"
        patient = upper.get("PATIENT_ID", "")
        if patient not in builders:
            general.append(Ignored(place=place, reason=Reason.DANGLING, detail="patient"))
            continue
        builder = builders[patient]
        event = upper.get("EVENT_TYPE", "").upper()
        if event == "TREATMENT" and upper.get("AGENT"):
            builder.prior(upper["AGENT"], place, started=_day(upper.get("START_DATE", "")))
        elif event in ("TUMORBOARD", "TUMOR BOARD") and upper.get("RECOMMENDATION"):
            builder.recommend({"regimen": upper["RECOMMENDATION"]}, place, issued=_day(upper.get("START_DATE", "")))
        elif event in ("STATUS", "ECOG") and upper.get("ECOG"):
            builder.performance("ecog", upper["ECOG"], place, _day(upper.get("START_DATE", "")))
        else:
            builder.ignore(place, Reason.TYPE_NOT_READ, event.lower())


def _day(cell: str) -> str:
    """Days of a timeline as text that sorts like they do; they count from an event of the study and are no dates."""
    value = number(cell)
    return "" if value is None else f"{int(value) + 10**8:010d}"


_READERS = {"mutations": _mutations, "sv": _structural, "cna": _copy_number, "timeline": _timeline}
