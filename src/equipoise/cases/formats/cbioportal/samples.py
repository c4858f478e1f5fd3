"""A study by sample: the same tables, with every sample in the place of its patient."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from equipoise.cases.formats.record.tables import Table, column


def by_sample(tables: Iterable[Table]) -> tuple[list[Table], dict[str, str]]:
    """Tables in which each sample is a patient of its own.

    What a table says of a patient without naming a sample (a patient table, a timeline) is said of each sample of that patient.

    Args:
        tables: the tables of one study.

    Returns:
        The tables, and the patient of every sample. No samples where no table names one.
    """
    found = list(tables)
    owner: dict[str, str] = {}
    for table in found:
        patient, sample = column(table.columns, "PATIENT_ID"), column(table.columns, "SAMPLE_ID")
        if patient and sample:
            for _, row in table.rows:
                if row.get(sample) and row.get(patient):
                    owner.setdefault(row[sample], row[patient])
    samples: dict[str, list[str]] = {}
    for name, whose in owner.items():
        samples.setdefault(whose, []).append(name)
    return [_moved(table, samples) for table in found], owner


def _moved(table: Table, samples: dict[str, list[str]]) -> Table:
    patient, sample = column(table.columns, "PATIENT_ID"), column(table.columns, "SAMPLE_ID")
    if not patient:
        return table
    rows: list[tuple[int, dict[str, str]]] = []
    for line, row in table.rows:
        named = [row[sample]] if sample and row.get(sample) else samples.get(row.get(patient, ""), [])
        rows.extend((line, {**row, patient: name}) for name in named)
    return replace(table, rows=tuple(rows))
