"""Findings of sequencing, immunohistochemistry and mismatch repair, as DNPM and bwHC write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.cases.formats.dnpm.elements import code_of, symbol
from equipoise.cases.formats.fhir.elements import number, objects, text
from equipoise.cases.formats.record.builder import CaseBuilder
from equipoise.cases.formats.record.model import Reason

_UNCERTAIN = frozenset({"3", "uncertain-significance", "uncertain significance"})
_BENIGN = frozenset({"1", "2", "benign", "likely-benign"})
"""ClinVar classes: 1 benign, 2 likely benign, 3 uncertain, 4 likely pathogenic, 5 pathogenic."""
_MSI = {
    "msi-high": "MSI-H", "msi-low": "MSI-L", "mmr-proficient": "pMMR", "mmr-deficient": "dMMR", "MSI-H": "MSI-H", "MSI-L": "MSI-L",
    "mss": "MSS", "MSS": "MSS",
}  # fmt: skip
_GAIN = {"high-level-gain": "amplification", "loss": "loss"}


def read_sequencing(results: Mapping[str, Any], place: str, date: str, builder: CaseBuilder) -> None:
    """Read one report of sequencing: small variants, copy number, fusions, TMB."""
    for one in objects(results.get("simpleVariants")):
        _variant(one, f"{place}.simpleVariants/{text(one.get('id'))}", date, builder)
    for one in objects(results.get("copyNumberVariants")):
        where = f"{place}.copyNumberVariants/{text(one.get('id'))}"
        kind = _GAIN.get(code_of(one.get("type")))
        if kind is None:
            builder.ignore(where, Reason.COPY_NUMBER, code_of(one.get("type")))
            continue
        for gene in objects(one.get("reportedAffectedGenes")):
            builder.marker(f"{symbol(gene)} {kind}", "present", where, date=date)
    for name in ("dnaFusions", "rnaFusions"):
        for one in objects(results.get(name)):
            five, three = (_partner(one.get(key)) for key in ("fusionPartner5prime", "fusionPartner3prime"))
            where = f"{place}.{name}/{text(one.get('id'))}"
            if five or three:
                builder.marker(
                    "::".join(part for part in (five, three) if part) + " fusion", "present", where, date=date
                )
            else:
                builder.ignore(where, Reason.MARKER, "fusion without a gene")
    tmb = results.get("tmb")
    amount = number(tmb.get("value")) if isinstance(tmb, Mapping) else number(tmb)
    if isinstance(tmb, Mapping) and isinstance(tmb.get("value"), Mapping):
        amount = number(tmb["value"].get("value"))
    if amount is not None:
        builder.say("tmb", amount, f"{place}.tmb")


def _variant(one: Mapping[str, Any], place: str, date: str, builder: CaseBuilder) -> None:
    gene = symbol(one.get("gene"))
    protein = code_of(one.get("proteinChange") or one.get("aminoAcidChange"))
    rank = code_of(one.get("interpretation"))
    change = protein or code_of(one.get("dnaChange") or one.get("cDNAChange"))
    if not gene or not change:
        builder.ignore(place, Reason.MARKER, "variant without gene or change")
    elif rank in _BENIGN:
        builder.ignore(place, Reason.BENIGN)
    elif change.rstrip(")").endswith("="):
        builder.ignore(place, Reason.SILENT)
    else:
        builder.marker(f"{gene} {change}", "uncertain" if rank in _UNCERTAIN else "present", place, date=date)


def _partner(value: Any) -> str:
    return symbol(value.get("gene")) if isinstance(value, Mapping) else ""


def read_msi(finding: Mapping[str, Any], place: str, builder: CaseBuilder) -> None:
    """Read one finding of microsatellites or mismatch repair."""
    name = code_of(finding.get("interpretation"))
    if name in _MSI:
        builder.say("msi", _MSI[name], place)
    else:
        builder.ignore(place, Reason.UNKNOWN_CODE, "msi")


def read_stains(report: Mapping[str, Any], place: str, builder: CaseBuilder) -> None:
    """Read PD-L1 of immunohistochemistry; scores beside another protein are not scores of PD-L1."""
    results = report.get("results")
    for one in objects(results.get("proteinExpression")) if isinstance(results, Mapping) else ():
        gene = symbol(one.get("protein"))
        where = f"{place}.proteinExpression/{text(one.get('id'))}"
        if gene not in ("CD274", "PD-L1", "PDL1"):
            builder.ignore(where, Reason.MARKER, f"{gene} by stain")
            continue
        score = number(one.get("tpsScore"))
        if score is None:
            builder.ignore(where, Reason.MARKER, "PD-L1 without TPS")
        else:
            builder.say("pdl1", {"tps": score}, where)
