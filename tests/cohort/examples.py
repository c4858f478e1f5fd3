"""An invented study: drivers by gene, lines without drugs, a patient with two samples that disagree."""

from __future__ import annotations

from pathlib import Path

COLUMNS = (
    "PATIENT_ID", "SAMPLE_ID", "METASTATIC_SITE", "ONCOTREE_CODE", "LINES_OF_TX_PRIOR_IMPACT", "STAGE_AT_DIAGNOSIS", "DRIVER_MUTATIONS",
    "RECURRENT_METASTATIC_DISEASE", "TMB_NONSYNONYMOUS",
)  # fmt: skip
ROWS = (
    ("X-1", "X-1-T1", "", "LUAD", "0", "IV", "EGFR", "YES", "4"),
    ("X-2", "X-2-T1", "", "LUAD", "1", "IV", "KRAS", "YES", "4"),
    ("X-3", "X-3-T1", "", "LUAD", "2", "IB", "ALK", "YES", "4"),
    ("X-4", "X-4-T1", "", "LUAD", "0", "IV", "BRAF non-V600", "YES", "4"),
    ("X-5", "X-5-T1", "", "LUAD", "0", "IA", "No mutations", "YES", "0"),
    ("X-5", "X-5-T2", "Liver", "LUAD", "1", "IV", "MET_AMP", "YES", "9"),
    ("X-7", "X-7-T1", "", "LUAD", "1", "IV", "EGFR", "YES", "4"),
    ("X-6", "X-6-T1", "", "LUNE", "0", "IV", "KRAS", "YES", "4"),
)


def write_study(folder: Path, rows: tuple[tuple[str, ...], ...] = ROWS) -> Path:
    folder.mkdir(exist_ok=True)
    lines = ["\t".join(COLUMNS), *("\t".join(row) for row in rows)]
    (folder / "data_clinical_sample.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder
