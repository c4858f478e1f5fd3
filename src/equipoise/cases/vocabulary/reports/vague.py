"""Findings about a gene of which no single alteration is named: an exon, a codon, "positive", "mutated"."""

from __future__ import annotations

import re

from equipoise.cases.model import FindingStatus
from equipoise.cases.vocabulary.biomarkers import Read, catalogue, gene_level, marker
from equipoise.cases.vocabulary.reports.genes import FUSION_GENES
from equipoise.cases.vocabulary.reports.parts import Part
from equipoise.cases.vocabulary.reports.states import ABSENT, NOT_TESTED, PENDING, PRESENT, UNCERTAIN

_MAY_BE = {
    "MET": ("exon14skip", "amplification", "overexpression"),
    "ERBB2": ("mutation", "amplification", "IHC3+"),
}
"""What "positive" or "altered" may mean for genes with several kinds of target."""


def vague(part: Part, state: FindingStatus) -> list[Read]:
    """A gene-level finding: no single alteration is named."""
    gene = part.gene
    start, end, assay = part.start, part.end, part.assay
    if "resist" in part.flags and part.has("mut", "altn"):
        if gene in FUSION_GENES and state in {ABSENT, PENDING, NOT_TESTED}:
            return [Read(f"{gene}:missense", state, start, end, assay=assay)]
        return [Read(f"{gene}:alteration", UNCERTAIN, start, end, False, assay=assay)] if state is PRESENT else []
    if state is not PRESENT:
        return _not_present(part, state)
    if gene == "ERBB2" and "low" in part.flags and not part.pieces:
        return [Read("ERBB2:IHC3+", ABSENT, start, end, assay=assay)]
    positive = any(cue.kind == "pos" for cue in [*part.cues, *part.lead])
    if not (part.pieces or positive):
        return []
    return _present_fusion(part) if gene in FUSION_GENES else _present(part, positive)


def _not_present(part: Part, state: FindingStatus) -> list[Read]:
    """What a status other than present says of the gene, or of the exons and codons that it is said of."""
    gene = part.gene
    start, end, assay = part.start, part.end, part.assay
    if state is UNCERTAIN and any(cue.kind == "vus" for cue in [*part.cues, *part.lead]):
        return [Read(f"{gene}:alteration", UNCERTAIN, start, end, False, assay=assay)]
    if gene in catalogue().suppressors and part.bare and any(cue.value == "lost" for cue in part.cues):
        return [Read(f"{gene}:loss", PRESENT, start, end, assay=assay)]
    if part.has("miss") and gene in FUSION_GENES:
        return [Read(f"{gene}:missense", state, start, end, assay=assay)]
    if gene == "ERBB2" and "low" in part.flags:
        return []
    if gene == "MET" and 14 in part.exons:
        return [Read("MET:exon14skip", state, start, end, assay=assay)]
    places = _places(part)
    if places is not None:
        return [Read(f"{gene}:{name}", state, start, end, specific=False, assay=assay) for name in places]
    level = gene_level(gene)
    rest = "other" in part.flags
    return [Read(level, state, start, end, specific=level.endswith(":fusion"), assay=assay, rest=rest)]


def _present_fusion(part: Part) -> list[Read]:
    """What "positive" or "mutated" says of a gene whose target is the fusion."""
    gene = part.gene
    start, end, assay = part.start, part.end, part.assay
    places = _places(part)
    if places is not None and len(places) == 1 and part.has("resid"):
        return [Read(f"{gene}:{places[0]}", PRESENT, start, end, False, assay=assay)]
    if part.has("miss"):
        return [Read(f"{gene}:missense", PRESENT, start, end, False, assay=assay)]
    if not part.pieces:
        return [Read(f"{gene}:fusion", PRESENT, start, end, assay=assay)]
    if part.has("mut", "altn"):
        may = frozenset({f"{gene}:fusion", f"{gene}:missense"})
        return [Read(f"{gene}:alteration", PRESENT, start, end, False, may, gene, assay)]
    return []


def _present(part: Part, positive: bool) -> list[Read]:
    """What "positive" or "mutated" says of any other gene.

    Args:
        part: the part.
        positive: whether a word such as "positive" is said of it.
    """
    gene = part.gene
    start, end, assay = part.start, part.end, part.assay
    if gene == "MET" and 14 in part.exons:
        if part.has("miss"):
            return []
        return [Read("MET:alteration", PRESENT, start, end, False, frozenset({"MET:exon14skip"}), gene, assay)]
    if gene in _MAY_BE and (part.has("altn") or not part.pieces):
        may = frozenset(f"{gene}:{name}" for name in _MAY_BE[gene])
        return [Read(f"{gene}:alteration", PRESENT, start, end, False, may, gene, assay)]
    if gene in catalogue().suppressors and not part.pieces:
        return []
    if (
        not part.has("mut", "nonvar", "altn", "miss", "nons", "codon", "resid", "splice", "del", "ins", "indel", "dup")
        and not positive
    ):
        return []
    places = _places(part)
    if places is not None and len(places) == 1 and part.has("resid"):
        name = f"{gene}:{places[0]}"
        if marker(name) is not None and (gene, places[0][:-1]) in catalogue().residues:
            return [Read(name, PRESENT, start, end, False, assay=assay)]
    return [Read(gene_level(gene), PRESENT, start, end, False, assay=assay)]


def _places(part: Part) -> list[str] | None:
    """Residues or classes that a partial result speaks of: a codon, an exon; None when it speaks of the whole gene."""
    gene = part.gene
    reference = {
        "KRAS": {12: "G", 13: "G", 61: "Q", 117: "K", 146: "A"},
        "NRAS": {12: "G", 13: "G", 61: "Q"},
        "BRAF": {600: "V"},
    }.get(gene, {})
    found: list[str] = []
    for piece in part.pieces:
        if piece.kind == "codon":
            found += [
                f"{reference[number]}{number}X"
                for number in map(int, re.findall(r"\d+", piece.value))
                if number in reference
            ]
        elif piece.kind == "resid":
            found.append(f"{piece.value.upper()}X")
    if found:
        return found
    exons = set(part.exons)
    by_exon = {
        ("EGFR", 18): ["G719X"], ("EGFR", 19): ["exon19del"], ("EGFR", 20): ["exon20ins"],
        ("EGFR", 21): ["L858X", "L861X"],
        ("KRAS", 2): ["G12X", "G13X"], ("KRAS", 3): ["Q61X"], ("KRAS", 4): ["K117X", "A146X"], ("BRAF", 15): ["V600X"],
        ("ERBB2", 20): ["exon20ins"],
    }  # fmt: skip
    whole = {"EGFR": {18, 19, 20, 21}, "KRAS": {2, 3}, "BRAF": {11, 15}}.get(gene)
    if not exons or (whole is not None and whole <= exons):
        return None
    return [name for exon in sorted(exons) for name in by_exon.get((gene, exon), [])]
