"""The findings of one part under its status: by its sequence changes, by stains, by alteration words."""

from __future__ import annotations

from equipoise.cases.model import FindingStatus
from equipoise.cases.vocabulary import variants
from equipoise.cases.vocabulary.biomarkers import Read, catalogue, marker, of_change
from equipoise.cases.vocabulary.reports.parts import Change, Part
from equipoise.cases.vocabulary.reports.stains import by_stain
from equipoise.cases.vocabulary.reports.states import ABSENT, PRESENT, UNCERTAIN
from equipoise.cases.vocabulary.reports.vague import vague


def alterations_of(part: Part, state: FindingStatus) -> list[Read]:
    """The findings of one part under its status."""
    gene = part.gene
    if part.reads is not None:
        return part.reads
    if gene == "transformation":
        return [Read(f"transformation:{part.pieces[0].kind}", state, part.start, part.end)]
    if any(cue.kind == "ben" for cue in [*part.cues, *part.lead]):
        return []
    reads: list[Read] = []
    for change in part.changes:
        reads.extend(_of_change(part, change, state))
    stained = by_stain(part, state)
    if stained is not None and not part.changes:
        return stained
    reads.extend(_of_words(part, state))
    return reads


def _of_change(part: Part, change: Change, state: FindingStatus) -> list[Read]:
    """Findings of one sequence change, renumbered to the reference transcript; none for a polymorphism."""
    data = catalogue()
    gene = part.gene
    if gene not in data.genes:
        # "PD-L1 60%, no G12C": a change behind a score is of the gene that it names by itself, or of none
        gene = data.bare.get(change.protein[0].text, "") if change.protein else ""
        if not gene:
            return []
    coding = variants.renumbered_coding(gene, change.coding, change.transcript) if change.coding is not None else None
    proteins = [variants.renumbered(gene, one, change.transcript) for one in change.protein]
    position = None
    if coding is not None:
        position = variants.by_position(gene, proteins[0] if proteins else None, coding)
        if not proteins:
            translated = variants.translated(gene, coding)
            if translated is not None and "?" not in translated.text:
                proteins = [translated]
    start, end = min(part.start, change.start), max(part.end, change.end)
    if not proteins:
        if position is not None:
            return [Read(f"{gene}:{position}", state, start, end, assay=part.assay)]
        if (
            gene == "ERBB2"
            and coding is not None
            and (moved := variants.translated(gene, coding)) is not None
            and variants.in_erbb2_kinase_domain(moved)
        ):
            return [Read("ERBB2:TKD_mutation", state, start, end, assay=part.assay)]
        return []
    names = []
    for protein in proteins:
        written = change.protein[0] if len(change.protein) == 1 else protein
        if (
            protein.kind == "synonymous"
            or (gene, protein.text) in data.polymorphisms
            or (gene, written.text) in data.polymorphisms
        ):
            continue
        found = of_change(gene, protein, position)
        names.append(found.name)
    if len(names) > 1 and state is PRESENT:
        return [either(gene, names, start, end, part.assay)]
    return [Read(name, state, start, end, assay=part.assay) for name in names]


def _of_words(part: Part, state: FindingStatus) -> list[Read]:
    """Findings that alteration words name, without a sequence change."""
    gene = part.gene
    names: list[tuple[str, FindingStatus, bool]] = []

    def put(name: str, status: FindingStatus = state, specific: bool = True) -> None:
        names.append((f"{gene}:{name}", status, specific))

    suppressor = gene in catalogue().suppressors
    if part.has("fus") or (gene == "ALK" and part.has("vnum")):
        put("fusion")
    if part.has("amp"):
        put("amplification")
    if part.has("gain") and gene in {"MET", "ERBB2", "EGFR", "FGFR1"}:
        put("amplification", ABSENT if state is ABSENT else UNCERTAIN if state is PRESENT else state)
    if part.has("over") and "mrna" not in part.flags:
        put("overexpression")
    if part.has("kdd"):
        put("KDD")
    if suppressor and part.has("loss", "nons", "del"):
        put("loss")
    named = _gene_phrase(part)
    if named is not None:
        put(named, state, named not in {"exon20_mutation", "TKD_mutation"})
    if not names and not part.changes:
        return vague(part, state)
    return [
        Read(name, status, part.start, part.end, specific=specific, assay=part.assay)
        for name, status, specific in names
    ]


def _gene_phrase(part: Part) -> str | None:
    """The alteration that exon and type words name for this gene; None when they name none."""
    gene, exons = part.gene, part.exons
    if gene == "EGFR":
        if part.has("del19") or (19 in exons and len(exons) == 1 and part.has("del", "indel")):
            return "exon19del"
        if 19 in exons and len(exons) == 1 and part.has("ins", "dup"):
            return "exon19ins"
        if part.has("ins20") or (20 in exons and len(exons) == 1 and part.has("ins", "dup", "indel")):
            return "exon20ins"
        if part.has("viii"):
            return "vIII"
    elif gene == "ERBB2":
        if part.has("ins20", "yvma") or (20 in exons and part.has("ins", "dup", "indel")):
            return "exon20ins"
        if part.has("tkd") and part.has("mut", "altn"):
            return "TKD_mutation"
        if exons == [20] and part.has("mut"):
            return "exon20_mutation"
    elif gene == "MET":
        if part.has("skip14", "skip") or (
            14 in exons and (part.has("splice", "del") or (part.glued_exon and not part.has("miss")))
        ):
            return "exon14skip"
    elif gene == "KRAS" and part.has("nong12c"):
        return "non-G12C"
    elif gene == "BRAF" and part.has("class"):
        word = next(piece.value for piece in part.pieces if piece.kind == "class").replace("class", "").strip(" -")
        return {"i": "classI", "1": "classI", "ii": "classII", "2": "classII"}.get(word, "classIII")
    return None


def either(gene: str, names: list[str], start: int, end: int, assay: str, other: bool = False) -> Read:
    """One finding for alternatives of one gene: the class they share, or what it may be."""
    data = catalogue()
    sets = []
    for name in names:
        found = marker(name)
        own = {name} if not other else set()
        sets.append((set(found.classes) if found is not None else set()) | own)
    shared = set.intersection(*sets)
    if shared:
        best = sorted(
            shared,
            key=lambda name: (
                name.endswith((":any_mutation", ":mutation", ":missense")),
                name not in data.kinds,
                -len(marker(name).classes) if marker(name) is not None else 0,  # type: ignore[union-attr]
                name,
            ),
        )[0]
        return Read(best, PRESENT, start, end, len(set(names)) == 1, assay=assay)
    return Read(f"{gene}:alteration", PRESENT, start, end, False, frozenset(names), gene, assay)
