"""Reads a list of variants (CSV, TSV, MAF): gene and protein change a line, one case a sample.

Only what the line states becomes a finding. A gene without a change, a silent change and a germline variant are listed as ignored.
"""

from __future__ import annotations

from equipoise.cases.formats.record.builder import CaseBuilder
from equipoise.cases.formats.record.model import Ignored, Nothing, Reason, Record, first_with
from equipoise.cases.formats.record.tables import Table, column

_GENE = ("Hugo_Symbol", "gene", "gene_symbol", "symbol", "genesymbol")
_PROTEIN = (
    "HGVSp_Short",
    "HGVSp",
    "protein_change",
    "Protein_Change",
    "aa_change",
    "amino_acid_change",
    "hgvs_p",
    "hgvsp_short",
    "protein",
)
_SAMPLE = ("Tumor_Sample_Barcode", "sample", "sample_id", "patient", "patient_id", "case_id")
_CLASS = ("Variant_Classification", "consequence", "effect")
_ORIGIN = ("Mutation_Status", "origin", "variant_origin", "source")
_RANK = ("clinical_significance", "clinvar", "significance", "classification", "pathogenicity")


def recognises(table: Table) -> bool:
    """Whether a table has a column of genes and one of protein changes."""
    return bool(column(table.columns, *_GENE) and column(table.columns, *_PROTEIN))


def read(table: Table) -> list[Record]:
    """Read one list of variants."""
    gene, protein = column(table.columns, *_GENE), column(table.columns, *_PROTEIN)
    sample = column(table.columns, *_SAMPLE)
    kind, origin, rank = (column(table.columns, *names) for names in (_CLASS, _ORIGIN, _RANK))
    builders: dict[str, CaseBuilder] = {}
    for line, row in table.rows:
        name = row.get(sample, "") or "variants"
        builder = builders.setdefault(name, CaseBuilder("variants", name))
        place = f"line {line}"
        change = row.get(protein, "").rpartition(":")[2]
        significance = row.get(rank, "").lower()
        if not row.get(gene) or not change:
            builder.ignore(place, Reason.DRIVER, row.get(gene, ""))
        elif "germline" in row.get(origin, "").lower():
            builder.ignore(place, Reason.GERMLINE)
        elif "silent" in row.get(kind, "").lower() or change.rstrip(")").endswith("="):
            builder.ignore(place, Reason.SILENT)
        elif "benign" in significance:
            builder.ignore(place, Reason.BENIGN)
        else:
            uncertain = "uncertain" in significance or significance == "vus"
            builder.marker(f"{row[gene]} {change}", "uncertain" if uncertain else "present", place)
    records = [record for builder in builders.values() for record in builder.records()]
    short = tuple(Ignored(place=f"line {line}", reason=Reason.WRONG_TYPE, detail="cells") for line in table.short)
    if not records:
        return [Record(format="variants", case_id="", data={}, ignored=short, nothing=Nothing.NO_PATIENT_DATA)]
    return first_with(records, short)
