"""Sequence changes and transcripts put to the part they belong to."""

from __future__ import annotations

from equipoise.cases.vocabulary import variants
from equipoise.cases.vocabulary.biomarkers import catalogue
from equipoise.cases.vocabulary.reports.genes import FOREIGN, known_residue
from equipoise.cases.vocabulary.reports.lexer import Token
from equipoise.cases.vocabulary.reports.parts import Change, Part
from equipoise.cases.vocabulary.reports.segment import Segment


def take_change(segment: Segment, token: Token) -> None:
    """A change in protein or coding form: the other form of the change before it, or one of its own."""
    protein: tuple[variants.Protein, ...] = ()
    coding: variants.Coding | None = None
    if token.kind == "prot":
        protein = variants.parse_protein(token.value)
        if not protein or not plausible(segment, token):
            return
        if protein[0].text not in catalogue().bare and segment.foreign(token):
            segment.part = None
            segment.new(FOREIGN, token, True)
    else:
        coding = variants.parse_coding(token.value)
        if coding is None:
            return
    if _completes(segment, protein, coding):
        segment.touch(token)
        return
    if segment.part is not None and segment.part.changes and not segment.connector:
        segment.connector = "and"
    part = segment.split(token)
    if protein:
        part = _owner(segment, part, protein[0], token)
    part.changes.append(Change(token.start, token.end, protein, coding, segment.transcript))
    segment.transcript = ""
    segment.touch(token)


def _completes(segment: Segment, protein: tuple[variants.Protein, ...], coding: variants.Coding | None) -> bool:
    """Give the last change of the part the form it lacks; False when it lacks none or a connector parts them."""
    part = segment.part
    if part is None or not part.changes or segment.connector not in {"", "comma"}:
        return False
    last = part.changes[-1]
    if protein and not last.protein:
        last.protein = protein
        return True
    if coding is not None and last.coding is None and last.protein:
        last.coding = coding
        return True
    return False


def _owner(segment: Segment, part: Part, protein: variants.Protein, token: Token) -> Part:
    """The part of a change that names its gene by itself ("L858R"), when the gene at hand cannot be meant."""
    bare = catalogue().bare.get(protein.text)
    if bare is None or bare == part.gene:
        return part
    if part.gene and part.own_gene and part.bare and not segment.connector:
        return part
    if part.gene and not known_residue(part.gene, f"{protein.ref}{protein.start}"):
        part = part if part.empty and not part.own_gene else segment.new(bare, token, False)
        part.gene = bare
    elif not part.gene:
        part.gene = bare
    return part


def plausible(segment: Segment, token: Token) -> bool:
    """Whether letters around a number are a change: written as such, in capitals, or directly behind a gene or
    change.
    """
    start = token.start
    written = segment.text[start : token.end]
    stripped = written.lstrip("pP.([ ") if written[:2].lower() == "p." else written.lstrip("([")
    if written[:2].lower() == "p.":
        return True
    gene = segment.part.gene if segment.part is not None else ""
    near = bool(gene) and start - segment.last_place <= 3
    digits = sum(char.isdigit() for char in stripped)
    if digits < 2:
        return False
    if stripped[:1].isupper():
        tail = stripped.rstrip(")]")
        if (
            tail[-1:].islower()
            and len(stripped) <= 6
            and stripped[1:2].isdigit()
            and not tail.endswith(("del", "dup", "fs", "ter", "splice", "x"))
        ):
            return near
        return True
    return near or stripped.startswith(("del", "δ", "Δ"))


def take_transcript(segment: Segment, token: Token) -> None:
    """An accession in front of a change, or behind the changes that are numbered by it."""
    accession = token.value.partition(".")[0].upper()
    if segment.low[token.end : token.end + 1] in {":", "("} or segment.low[token.end : token.end + 3].strip()[:2] in {
        "c.",
        "p.",
    }:
        segment.transcript = accession
        return
    if segment.part is not None:
        for change in reversed(segment.part.changes):
            if change.transcript:
                break
            change.transcript = accession
