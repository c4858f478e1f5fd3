"""Fill one cell of a verdict's what-if table into the case it speaks of, so that the case can be audited again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from equipoise.cases.formats import own_fields
from equipoise.cases.formats.values import as_list, is_unknown
from equipoise.cases.vocabulary.biomarkers import read_biomarkers
from equipoise.cases.vocabulary.clinical import read_condition

_CONDITIONS = ("comorbidities", "comedications")


def apply_patch(case: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object of a case with the values of a what-if cell filled in.

    Auditing the result under the same policy, evidence, day and jurisdiction gives the cell's label.

    Args:
        case: the JSON object of a case, in any format that can be read.
        patch: `WhatIf.patch` of a verdict on it. A key `biomarkers.GENE` replaces what the record says of that gene and of no other;
            under `comorbidities` and `comedications` the named conditions are replaced; any other key replaces the whole field.

    Returns:
        A new object with the fields of docs/semantics.md section 1; the one handed over is not changed. A note under `text` is
        kept: where it states a filled field otherwise, the two conflict.

    Raises:
        CaseError: the object is not a mapping.
    """
    filled = own_fields(case)
    for key, value in patch.items():
        head, dot, gene = key.partition(".")
        if head == "biomarkers" and dot:
            filled["biomarkers"] = [*_other_genes(filled.get("biomarkers"), gene), *value]
        elif key in _CONDITIONS:
            filled[key] = {**_other_conditions(filled.get(key), value), **value}
        else:
            filled[key] = value
    return filled


def _other_genes(stated: Any, gene: str) -> Iterator[Any]:
    """The entries of a record that speak of other genes; of one that speaks of several, what it says of the others."""
    if isinstance(stated, str) and is_unknown(stated):
        return
    if isinstance(stated, Mapping):
        stated = [f"{name} {result}" for name, result in stated.items() if result is not None]
    for entry in as_list(stated):
        said = entry if isinstance(entry, Mapping) else {"name": entry}
        name = said.get("name")
        if name is None:
            name = " ".join(str(said[key]) for key in ("gene", "alteration") if said.get(key))
        findings = read_biomarkers(str(name))
        if not any(finding.gene == gene for finding in findings):
            yield entry
            continue
        for finding in findings:
            if finding.gene != gene:
                yield {
                    **said,
                    "name": finding.source.text or finding.name,
                    "status": said.get("status") or finding.status.value,
                }


def _other_conditions(stated: Any, named: Mapping[str, Any]) -> dict[str, Any]:
    """Conditions of a record other than the named ones, as name and state."""
    if is_unknown(stated):
        return {}
    if isinstance(stated, str):
        stated = stated.replace(",", ";").split(";")
    items = stated if isinstance(stated, Mapping) else {str(item): True for item in as_list(stated)}
    known = {read_condition(name) for name in named}
    return {str(name): state for name, state in items.items() if read_condition(str(name)) not in known}
