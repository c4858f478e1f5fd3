"""Genomics: variants, fusions, copy number, what was studied and found unchanged. No variant is inferred from a gene."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.cases.formats.fhir import own
from equipoise.cases.formats.fhir.collection import Collection, Entry
from equipoise.cases.formats.fhir.elements import (
    all_words,
    codings,
    items,
    number,
    objects,
    start_of,
    text,
    value_of,
    words,
)
from equipoise.cases.formats.record.builder import CaseBuilder
from equipoise.cases.formats.record.codes import Coding, look_up, tables
from equipoise.cases.formats.record.model import Reason
from equipoise.cases.vocabulary.biomarkers import gene_level

_SYMBOL = re.compile(r"[A-Z][A-Z0-9-]{1,14}(?:orf[0-9]+)?")
_PROTEIN = re.compile(r"p\.\(?([A-Za-z0-9_*=?\[\]]+)\)?")
_CODING = re.compile(r"(c\.[0-9_+\-*]+[A-Za-z0-9>_]*)")
_DAYS = ("effectiveDateTime", "effectivePeriod", "issued")


def symbol_of(coding: Coding) -> str | None:
    """The symbol of a gene from its HGNC number or name; None when the two name different genes."""
    numbered = tables()["genes"].get(coding.code, "")
    shown = coding.display if _SYMBOL.fullmatch(coding.display) else ""
    if numbered and shown and shown in tables()["genes"].values() and numbered != shown:
        return None
    if shown or numbered:
        return shown or str(numbered)
    return coding.code if _SYMBOL.fullmatch(coding.code) and not coding.code.isdigit() else ""


def genes_of(concept: Any) -> tuple[list[str], bool]:
    """Symbols of the genes of a concept, and whether a code and its name disagree in it."""
    found: list[str] = []
    clash = False
    rows = codings(concept)
    for coding in [row for row in rows if row.system == "hgnc"] or rows:
        symbol = symbol_of(coding)
        clash = clash or symbol is None
        if symbol and symbol not in found:
            found.append(symbol)
    return found, clash


def significance(entries: Sequence[Entry], collection: Collection) -> dict[str, str]:
    """Place of a variant -> benign or uncertain, where an interpretation of it says so."""
    found: dict[str, str] = {}
    for entry in entries:
        rank = _rank(objects(entry.resource.get("component")))
        for reference in items(entry.resource.get("derivedFrom")):
            target = collection.resolve(reference, entry.resource, kind="Observation")
            if rank and target is not None:
                found[target.place] = rank
    return found


def read_variant(entry: Entry, builder: CaseBuilder, ranked: Mapping[str, str]) -> set[str]:
    """Read one variant.

    Returns:
        Genes of which the variant speaks.
    """
    resource = entry.resource
    parts = _parts(objects(resource.get("component")))
    name = own.code_of(resource.get("code"), own.BIOMARKER)
    if name:
        return _named(name, entry, builder)
    genes: list[str] = []
    for concept in parts.get("gene", ()):
        symbols, clash = genes_of(concept)
        if clash:
            builder.ignore(entry.place, Reason.CODE_NAME, "gene")
        genes.extend(symbol for symbol in symbols[:1] if symbol not in genes)
    rank = _rank(objects(resource.get("component"))) or ranked.get(entry.place, "")
    reported = set(genes)
    state = _state(resource)
    if not genes:
        builder.ignore(entry.place, Reason.MARKER, "variant without a known gene")
    elif any(
        look_up("values", coding) == "germline"
        for concept in parts.get("source_class", ())
        for coding in codings(concept)
    ):
        builder.ignore(entry.place, Reason.GERMLINE)
    elif not state:
        builder.ignore(entry.place, Reason.NO_CALL)
    elif state == "present" and rank == "benign":
        builder.ignore(entry.place, Reason.BENIGN)
    else:
        status = "uncertain" if state == "present" and rank == "uncertain" else state
        _call(entry, builder, parts, genes, status)
    return reported


def _named(name: str, entry: Entry, builder: CaseBuilder) -> set[str]:
    """A marker under our own code: its normalised name says it all."""
    resource = entry.resource
    state = _state(resource)
    if state == "present" and _rank(objects(resource.get("component"))) == "uncertain":
        state = "uncertain"
    elif not state:
        absent = {coding.code for coding in codings(resource.get("dataAbsentReason"))}
        pending = text(resource.get("status")) == "registered"
        state = "pending" if pending else "not_tested" if "not-performed" in absent else "unknown"
    builder.marker(name, state, entry.place, assay=words(resource.get("method")), date=start_of(resource, *_DAYS))
    return {name.partition(":")[0]}


def read_regions(entries: Sequence[Entry], builder: CaseBuilder, reported: set[str]) -> None:
    """Genes that were studied and of which no variant is reported have no variant; fusions and copy number stay open."""
    for entry in entries:
        if entry.resource.get("dataAbsentReason") is not None:
            builder.ignore(entry.place, Reason.NO_CALL)
            continue
        for concept in _parts(objects(entry.resource.get("component"))).get("gene", ()):
            genes, clash = genes_of(concept)
            if clash:
                builder.ignore(entry.place, Reason.CODE_NAME, "gene")
            for gene in genes:
                if gene not in reported and gene_level(gene).endswith(("any_mutation", ":mutation")):
                    builder.marker(
                        f"{gene} mutation",
                        "absent",
                        entry.place,
                        assay="region studied",
                        date=start_of(entry.resource, *_DAYS),
                    )


def _call(entry: Entry, builder: CaseBuilder, parts: Mapping[str, list[Any]], genes: list[str], status: str) -> None:
    day = start_of(entry.resource, *_DAYS)
    kinds = _kinds(entry.resource)
    protein = _first(parts, _PROTEIN, "protein", "variation")
    coding = _first(parts, _CODING, "coding", "genomic", "variation")
    gene = genes[0]
    if "fusion" in kinds or (len(genes) > 1 and "rearrangement" in kinds):
        builder.marker("::".join(genes[:2]) + " fusion", status, entry.place, date=day)
    elif protein and protein.endswith("="):
        builder.ignore(entry.place, Reason.SILENT)
    elif protein and protein != "?":
        builder.marker(f"{gene} p.{protein}", status, entry.place, date=day)
    elif coding:
        builder.marker(f"{gene} {coding}", status, entry.place, date=day)
    elif "silent" in kinds:
        builder.ignore(entry.place, Reason.SILENT)
    elif "amplification" in kinds:
        builder.marker(f"{gene} amplification", status, entry.place, date=day)
    elif "loss" in kinds:
        builder.marker(f"{gene} loss", status, entry.place, date=day)
    elif "gain" in kinds or "copy_number" in parts:
        builder.ignore(entry.place, Reason.COPY_NUMBER)
    elif status == "absent":
        for one in genes:
            if gene_level(one).endswith(("any_mutation", ":mutation")):
                builder.marker(f"{one} mutation", "absent", entry.place, date=day)
            else:
                builder.ignore(entry.place, Reason.MARKER, f"{one} without the kind of alteration")
    elif "mutation" in kinds:
        builder.marker(f"{gene} mutation", status, entry.place, date=day)
    else:
        builder.ignore(entry.place, Reason.DRIVER, gene)


def _parts(components: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for component in components:
        for coding in codings(component.get("code")):
            name = tables()["components"].get(coding.code)
            if name:
                found.setdefault(name, []).append(value_of(component))
    return found


def _state(resource: Mapping[str, Any]) -> str:
    value = value_of(resource)
    for coding in codings(value):
        meaning = look_up("values", coding)
        meaning = {"positive": "present", "negative": "absent"}.get(meaning or "", meaning)
        if meaning in ("present", "absent"):
            return meaning
    return {"present": "present", "absent": "absent", "detected": "present", "not detected": "absent"}.get(
        all_words(value).strip(), ""
    )


def _rank(components: Sequence[Mapping[str, Any]]) -> str:
    for concept in _parts(components).get("significance", ()):
        for coding in codings(concept):
            meaning = look_up("values", coding) or ""
            if "benign" in meaning:
                return "benign"
            if meaning == "uncertain":
                return "uncertain"
    return ""


def _kinds(resource: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    concepts = [value_of(component) for component in objects(resource.get("component"))]
    for concept in (*concepts, *items(resource.get("interpretation"))):
        for coding in codings(concept):
            kind = tables()["change_types"].get(coding.code)
            if kind:
                found.add(str(kind))
    meta = resource.get("meta")
    profiles = " ".join(text(one) for one in items(meta.get("profile") if isinstance(meta, Mapping) else None)).lower()
    if "fusion" in profiles or "fusion" in all_words(resource.get("code")):
        found.add("fusion")
    if "82155-3" in {
        coding.code for component in objects(resource.get("component")) for coding in codings(component.get("code"))
    }:
        amounts = [number(one.get("value")) for one in objects(concepts)]
        found.update({"gain"} if any(amount is not None and amount > 2 for amount in amounts) else ())
    return found


def _first(parts: Mapping[str, list[Any]], pattern: re.Pattern[str], *names: str) -> str:
    for name in names:
        for concept in parts.get(name, ()):
            said = [concept] if isinstance(concept, str) else []
            for coding in codings(concept):
                said.extend((coding.code, coding.display))
            said.extend(text(one.get("text")) for one in objects(concept))
            for one in said:
                match = pattern.search(one)
                if match:
                    return match[1]
    return ""
