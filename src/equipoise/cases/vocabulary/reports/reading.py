"""A string of any form read from its tokens to its findings."""

from __future__ import annotations

from equipoise.cases.vocabulary.biomarkers import Read, gene_level
from equipoise.cases.vocabulary.reports.alternatives import findings_of
from equipoise.cases.vocabulary.reports.cleaning import cleaned, closed
from equipoise.cases.vocabulary.reports.filling import parts_of
from equipoise.cases.vocabulary.reports.genes import FOREIGN
from equipoise.cases.vocabulary.reports.lexer import Token, flat, tokens_of
from equipoise.cases.vocabulary.reports.parts import merged
from equipoise.cases.vocabulary.reports.segment import Segment
from equipoise.cases.vocabulary.reports.states import UNKNOWN
from equipoise.cases.vocabulary.reports.statuses import statuses_of
from equipoise.cases.vocabulary.reports.words import CUES

_OF_HEADINGS = CUES - {"ben", "pos"}
_BEFORE_HEADINGS = {"mut", "altn", "other", "assay", "nodata"}


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
    heading: list[Token] = []
    while begin < len(tokens):
        end = begin
        while end < len(tokens) and tokens[end].kind not in {"semi", "but"}:
            end += 1
        stop = tokens[end].start if end < len(tokens) else len(text)
        held = tokens[begin:end]
        opened = _heading(held)
        if opened is not None:
            heading = opened
        elif heading and not any(token.kind in CUES for token in held):
            held = [*heading, *held]
        if end < len(tokens) and tokens[end].value not in {";", "\n", "•"}:
            heading = []
        parts = merged(parts_of(Segment(text, low, carried, mixed, stop), held))
        if parts:
            reads.extend(findings_of(parts, statuses_of(parts)))
            carried = next((part.gene for part in reversed(parts) if part.gene != FOREIGN), carried)
        begin = end + 1
    return tuple(closed(text, read) for read in cleaned(reads))


def _heading(tokens: list[Token]) -> list[Token] | None:
    """The status word and colon that open a segment and govern the list behind them ("Not detected: A; B; C").

    Returns:
        The two tokens; none for "Detected:", which ends what another heading governed; None when the segment opens without one.
    """
    place = 0
    while place < len(tokens) and tokens[place].kind in _BEFORE_HEADINGS:
        place += 1
    pair = tokens[place : place + 2]
    if len(pair) < 2 or pair[0].kind not in CUES or pair[1].kind != "colon":
        return None
    return pair if pair[0].kind in _OF_HEADINGS else []
