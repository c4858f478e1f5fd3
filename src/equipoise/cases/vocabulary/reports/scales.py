"""PD-L1, TMB and MSI statements: how far one reaches, and what it says."""

from __future__ import annotations

from equipoise.cases.model import FindingStatus, Interval
from equipoise.cases.vocabulary import expression
from equipoise.cases.vocabulary.biomarkers import Read
from equipoise.cases.vocabulary.reports.changes import plausible
from equipoise.cases.vocabulary.reports.lexer import Token
from equipoise.cases.vocabulary.reports.segment import Segment
from equipoise.cases.vocabulary.reports.states import ABSENT, NOT_TESTED, PENDING, PRESENT, UNCERTAIN, UNKNOWN
from equipoise.cases.vocabulary.reports.words import CONNECT, CUES, SCALES


def take_scale(segment: Segment, tokens: list[Token], place: int) -> int:
    """Read a PD-L1, TMB or MSI statement; returns the place of the first token behind it."""
    token = tokens[place]
    gene = SCALES[token.kind]
    end = _end_of_scale(segment, tokens, place)
    stop = segment.stop if end == len(tokens) else tokens[end].start
    lead = segment.part.lead if segment.part is not None and segment.part.empty and not segment.part.own_gene else []
    words = segment.text[token.start : stop].rstrip(" ,;/")
    connector = segment.connector
    if lead and segment.part is not None:
        part = segment.part
        part.gene, part.own_gene = gene, True
    else:
        part = segment.new(gene, token, True)
        part.connector = connector if len(segment.parts) > 1 else ""
    part.end = token.start + len(words)
    negated = bool(lead) and lead[0].kind in {"negf", "negb"}
    part.reads = _scale_reads(
        gene,
        f"no {words}" if negated and gene == "MSI" else words,
        token.start,
        part.end,
        negated,
        tokens[place:end],
    )
    part.cues = [one for one in tokens[place + 1 : end] if one.kind in CUES][:1]
    segment.connector = ""
    if end < len(tokens) and tokens[end - 1].kind in CONNECT:
        segment.connector = tokens[end - 1].kind
    return end


def _end_of_scale(segment: Segment, tokens: list[Token], place: int) -> int:
    """The place of the first token that a statement does not reach: a gene, a change, another scale."""
    end = place + 1
    stops = {"gene", "fused", "trans", "squam", "semi", "but", "coding"} | (set(SCALES) - {tokens[place].kind})
    while end < len(tokens):
        other = tokens[end]
        if other.kind in stops or (other.kind == "prot" and plausible(segment, other)):
            break
        if other.kind == "negf" and end + 1 < len(tokens) and tokens[end + 1].kind in {"gene", "fused", "prot"}:
            break
        end += 1
    return end


def _scale_reads(gene: str, words: str, start: int, end: int, negated: bool, tokens: list[Token]) -> list[Read]:
    """Findings of the words of one statement; without a value, the status that its words give."""
    kinds = {token.kind for token in tokens}
    missing = NOT_TESTED if "nott" in kinds else PENDING if "pend" in kinds else UNKNOWN
    if gene == "MSI":
        state = expression.read_msi(words)
        if state is None:
            return [Read("MSI-H|dMMR", missing, start, end)]
        return [Read("MSI-H|dMMR", PRESENT if state == "high" else ABSENT, start, end)]
    if gene == "TMB":
        burden = expression.read_tmb(words)
        return [Read("TMB:>=10", missing if burden is None else _against(burden, 10), start, end)]
    scales = expression.read_pdl1(words)
    if negated and not scales:
        return [Read("PD-L1:TPS>=1", ABSENT, start, end)]
    reads = []
    if "tps" in scales:
        top = _against(scales["tps"], 50)
        reads.append(
            Read("PD-L1:TPS>=50", PRESENT, start, end)
            if top is PRESENT
            else Read("PD-L1:TPS>=1", _against(scales["tps"], 1), start, end)
        )
    for scale, limit in (("tc", 50), ("ic", 10)):
        if scale in scales:
            reads.append(Read(f"PD-L1:{scale.upper()}>={limit}", _against(scales[scale], limit), start, end))
    return reads or [Read("PD-L1:TPS>=1", missing, start, end)]


def _against(value: Interval, limit: float) -> FindingStatus:
    """Whether a value reaches a limit; uncertain when its interval holds the limit."""
    if value.low >= limit:
        return PRESENT
    return ABSENT if value.high < limit else UNCERTAIN
