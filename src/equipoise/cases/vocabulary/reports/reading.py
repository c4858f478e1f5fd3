"""A string of any form read from its tokens to its findings."""

from __future__ import annotations

from equipoise.cases.vocabulary.biomarkers import Read, gene_level
from equipoise.cases.vocabulary.reports.alternatives import findings_of
from equipoise.cases.vocabulary.reports.cleaning import cleaned, closed
from equipoise.cases.vocabulary.reports.filling import parts_of
from equipoise.cases.vocabulary.reports.genes import FOREIGN
from equipoise.cases.vocabulary.reports.lexer import flat, tokens_of
from equipoise.cases.vocabulary.reports.parts import merged
from equipoise.cases.vocabulary.reports.segment import Segment
from equipoise.cases.vocabulary.reports.states import UNKNOWN
from equipoise.cases.vocabulary.reports.statuses import statuses_of


def read(text: str) -> tuple[Read, ...]:
    """Read a string of any form.

    Args:
        text: the string.

    Returns:
        Findings in the order of the string; places are code points of `text`.
    """
    low = flat(text)
    tokens = tokens_of(text, low)
    if not tokens:
        return ()
    content = [token for token in tokens if token.kind not in {"open", "close", "colon"}]
    if (
        len(content) == 1
        and content[0].kind == "gene"
        and not text[: content[0].start].strip()
        and not text[content[0].end :].strip(" :?")
    ):
        return (Read(gene_level(content[0].value), UNKNOWN, content[0].start, content[0].end, False),)
    reads: list[Read] = []
    mixed = text != text.upper()
    carried = ""
    begin = 0
    while begin < len(tokens):
        end = begin
        while end < len(tokens) and tokens[end].kind not in {"semi", "but"}:
            end += 1
        stop = tokens[end].start if end < len(tokens) else len(text)
        parts = merged(parts_of(Segment(text, low, carried, mixed, stop), tokens[begin:end]))
        if parts:
            reads.extend(findings_of(parts, statuses_of(parts)))
            carried = next((part.gene for part in reversed(parts) if part.gene != FOREIGN), carried)
        begin = end + 1
    return tuple(closed(text, read) for read in cleaned(reads))
