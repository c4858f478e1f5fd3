"""Each token of a segment put to the part it belongs to."""

from __future__ import annotations

import re

from equipoise.cases.vocabulary.biomarkers import catalogue
from equipoise.cases.vocabulary.reports.changes import take_change, take_transcript
from equipoise.cases.vocabulary.reports.cues import take_cue
from equipoise.cases.vocabulary.reports.genes import FOREIGN, known_residue
from equipoise.cases.vocabulary.reports.lexer import Token
from equipoise.cases.vocabulary.reports.parts import Part
from equipoise.cases.vocabulary.reports.scales import take_scale
from equipoise.cases.vocabulary.reports.segment import Segment
from equipoise.cases.vocabulary.reports.words import CONNECT, CUES, FEATURES, PIECES, SCALES


def parts_of(segment: Segment, tokens: list[Token]) -> list[Part]:
    """The parts of the tokens of one segment."""
    place = 0
    while place < len(tokens):
        token = tokens[place]
        kind = token.kind
        segment.before = tokens[place - 1].end if place else 0
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        if kind in SCALES:
            place = take_scale(segment, tokens, place)
            continue
        if kind in {"gene", "fused"}:
            _take_gene(segment, token, following)
        elif kind in {"prot", "coding"}:
            take_change(segment, token)
        elif kind in {"trans", "squam"}:
            name = "SCLC" if kind == "trans" else "squamous"
            segment.open("transformation", token)
            segment.current(token).pieces.append(Token(name, token.start, token.end))
            segment.touch(token)
        elif kind == "skip14":
            segment.open("MET", token)
            segment.current(token).pieces.append(token)
            segment.touch(token)
        elif kind == "tx":
            take_transcript(segment, token)
        elif kind == "hyp":
            segment.suppose()
        elif kind in CUES:
            take_cue(segment, token, following)
        elif kind == "exon":
            _take_exon(segment, token)
        elif kind in PIECES:
            _take_piece(segment, token)
        elif kind in FEATURES:
            _take_feature(segment, token)
        elif kind in CONNECT:
            segment.connect(kind, token.end)
        place += 1
    for part in segment.parts:
        if not part.gene and segment.carried and _continues(segment, part):
            part.gene = segment.carried
        elif not part.gene:
            part.gene = _gene_of_phrase(part)
    return [part for part in segment.parts if part.gene]


def _take_gene(segment: Segment, token: Token, following: Token | None) -> None:
    """A gene opens a part, or repeats the one at hand; before "inhibitor" and the like it names a drug and is passed over."""
    gene = token.value
    if token.kind == "gene" and following is not None and following.kind == "drug" and following.start - token.end <= 2:
        if segment.part is not None and segment.part.empty and not segment.part.own_gene:
            segment.part.lead.clear()
        return
    part = segment.part
    family = part is not None and part.own_gene and part.gene == gene
    if (family and part is not None and part.bare and not part.cues and segment.connector in {"", "slash"}) or (
        family
        and part is not None
        and token.kind == "fused"
        and segment.connector in {"", "comma"}
        and not part.changes
    ):
        segment.touch(token)
    else:
        segment.open(gene, token)
        segment.touch(token)
    if token.kind == "fused":
        segment.current(token).pieces.append(Token("fus", token.start, token.end))


def _take_piece(segment: Segment, token: Token) -> None:
    """An alteration word."""
    part = segment.part
    if token.kind == "loss" and part is not None and part.changes and not segment.connector:
        part.cues.append(Token("negb", token.start, token.end, "loss"))
        segment.touch(token)
        return
    if token.kind == "resid" and (part is None or not part.gene or not known_residue(part.gene, token.value)):
        return
    if segment.foreign(token):
        segment.part = None
        segment.new(FOREIGN, token, True)
    part = segment.split(token)
    part.pieces.append(token)
    segment.touch(token)


def _take_exon(segment: Segment, token: Token) -> None:
    """An exon, a list of exons or a range."""
    numbers = [int(one) for one in re.findall(r"\d{1,2}", token.value)]
    part = segment.current(token)
    denied = segment.denied(part, token)
    if denied is not None:
        part = denied
    elif segment.connector and (part.pieces or part.changes):
        part = segment.new(part.gene, token, False)
    if len(numbers) == 2 and "-" in token.value and numbers[0] < numbers[1]:
        numbers = list(range(numbers[0], numbers[1] + 1))
    part.exons.extend(numbers)
    short = token.value.startswith("ex") and not token.value.startswith("exon")
    part.glued_exon = part.glued_exon or token.value.startswith("glued") or (part.gene == "MET" and short)
    segment.touch(token)


def _take_feature(segment: Segment, token: Token) -> None:
    """What describes the test: method, score, percentage, cut-off."""
    part = segment.current(token)
    kind = token.kind
    if part.reads is not None or (kind == "nodata" and (not part.gene or token.start - segment.last_place > 2)):
        return
    if kind == "pct":
        part.percents.append(float(re.findall(r"\d+(?:[.,]\d+)?", token.value)[0].replace(",", ".")))
    elif kind == "score":
        part.flags.setdefault("score", re.findall(r"[0-3]", token.value)[0])
    elif kind == "cut":
        part.flags["cut"] = re.findall(r"\d+", token.value)[0]
    else:
        part.flags.setdefault(kind, "1")
    if kind in {"fish", "ihc", "assay"}:
        word = segment.text[token.start : token.end]
        part.assay = f"{part.assay} {word}".strip() if len(part.assay) < 60 else part.assay
    if kind != "assay":
        part.end = max(part.end, token.end)
    if kind in {"score", "fish", "ihc", "split"}:
        segment.last_place = token.end


def _continues(segment: Segment, part: Part) -> bool:
    """Whether a part without a gene speaks of the gene of the segment before."""
    if part.changes:
        return any(
            known_residue(segment.carried, f"{one.ref}{one.start}") for change in part.changes for one in change.protein
        )
    if part.has("del19", "ins20") or (part.exons and part.has("del", "ins", "skip")):
        return segment.carried in {"EGFR", "ERBB2", "MET"}
    negated = any(cue.kind in {"negf", "negb"} for cue in [*part.lead, *part.cues])
    return negated and part.has("mut", "altn", "fus") and segment.carried in catalogue().genes


def _gene_of_phrase(part: Part) -> str:
    """The gene of an alteration that lung reports name without it; empty when it could be another's."""
    if part.changes:
        return ""
    if part.has("del19") or (part.exons == [19] and part.has("del")):
        return "EGFR"
    return "MET" if part.exons == [14] and part.has("skip") else ""
