"""The parts of one segment while its tokens are read: when a part opens, and which part an alteration joins."""

from __future__ import annotations

import re

from equipoise.cases.vocabulary.biomarkers import catalogue
from equipoise.cases.vocabulary.reports.genes import NO_GENES
from equipoise.cases.vocabulary.reports.lexer import Token
from equipoise.cases.vocabulary.reports.parts import Part


class Segment:
    """State of the reading of one segment.

    Attributes:
        text: the whole string.
        low: the same in lower case, of the same length.
        carried: gene of the segment before; empty for none.
        mixed: whether the string is not all in capitals.
        stop: place where the segment ends.
        parts: parts so far, in order.
        part: the one that is being filled; None before the first.
        connector: strongest connector since the last word of a part; empty for none.
        connected: place behind that connector.
        last_place: place behind the last word that belongs to a part.
        before: place behind the token before the one that is read.
        transcript: accession that the next change is numbered by; empty for none.
        supposed: whether what follows is a question or a condition and no result.
    """

    def __init__(self, text: str, low: str, carried: str, mixed: bool, stop: int) -> None:
        self.text, self.low, self.carried, self.mixed, self.stop = text, low, carried, mixed, stop
        self.parts: list[Part] = []
        self.part: Part | None = None
        self.connector = ""
        self.connected = 0
        self.last_place = -99
        self.before = 0
        self.transcript = ""
        self.supposed = False

    def new(self, gene: str, token: Token, own: bool) -> Part:
        """Begin a part.

        Args:
            gene: its gene; empty when it waits for one.
            token: the first word of it.
            own: whether the gene is written there, and not taken from the part before.
        """
        self.part = Part(gene, token.start, token.end, self.connector if self.parts else "", own)
        if self.supposed:
            self.part.flags["supposed"] = "1"
        self.parts.append(self.part)
        self.connector = ""
        return self.part

    def current(self, token: Token) -> Part:
        """The part that is being filled; a new one without a gene when there is none."""
        if self.part is None:
            self.new("", token, False)
        assert self.part is not None
        return self.part

    def touch(self, token: Token) -> None:
        """Let the part reach to the end of a word that belongs to it; a connector before that word is used up."""
        if self.part is not None:
            self.part.end = max(self.part.end, token.end)
        self.connector = ""
        self.last_place = token.end

    def connect(self, kind: str, end: int) -> None:
        """Note a connector that ends at a place; of several in a row the strongest counts."""
        self.connected = end
        rank = {"": 0, "comma": 1, "slash": 2, "and": 3, "or": 4}
        if rank[kind] > rank[self.connector]:
            self.connector = kind
        part = self.part
        if kind == "comma" and part is not None and part.empty and part.lead and not part.own_gene and not part.wide:
            part.lead.clear()

    def suppose(self) -> None:
        """What follows in this segment is a question or a condition and no result ("if", "rule out", "look for")."""
        self.supposed = True
        if self.part is not None and self.part.bare:
            self.part.flags["supposed"] = "1"
        self.connector = self.connector or "comma"

    def open(self, gene: str, token: Token) -> None:
        """Start the part of a gene, or give the gene to a part that waits for one."""
        part = self.part
        if part is None:
            self.new(gene, token, True)
            return
        before = self.low[max(0, token.start - 16) : token.start]
        linked = (
            self.connector == "" and re.search(r"\b(?:in|of|involving|on|within)\s+(?:the\s+)?$", before) is not None
        )
        if (
            not part.own_gene
            and part.reads is None
            and (part.empty or linked or (part.gene == "" and self.connector == ""))
        ):
            if part.gene != gene and part.changes and part.gene == "" and not linked:
                self.new(gene, token, True)
                return
            if part.empty and self.connector and not part.lead:
                part.connector = part.connector or self.connector
            part.gene, part.own_gene = gene, True
            part.lead = [*part.lead, *part.cues]
            part.cues = []
            part.start = min(part.start, token.start)
            return
        moved: list[Token] = []
        last = part.last
        if self.connector == "" and part.cues and part.cues[-1].kind == "negf" and part.cues[-1].start > last:
            moved = [part.cues.pop()]
        fresh = self.new(gene, token, True)
        fresh.lead = moved
        if moved:
            fresh.start = moved[0].start
            fresh.connector = fresh.connector or "comma"

    def split(self, token: Token) -> Part:
        """The part for an alteration: the current one, or a new one of the same gene after a connector."""
        part = self.current(token)
        if part.reads is not None:
            return self.new("", token, False)
        denied = self.denied(part, token)
        if denied is not None:
            return denied
        filled = bool(part.pieces or part.changes) or ("score" in part.flags and bool(self.connector))
        told = bool(part.cues) and (not part.bare or (part.own_gene and self.connector != "slash"))
        if self.connector and (filled or told):
            part = self.new(part.gene, token, False)
        return part

    def denied(self, part: Part, token: Token) -> Part | None:
        """A new part for what a "no" behind an alteration denies ("exon 19 deletion without T790M"); None otherwise."""
        last = part.last
        if last < 0 or not part.cues or part.cues[-1].kind != "negf" or part.cues[-1].start < last:
            return None
        cue = part.cues[-1]
        if self.low[max(0, cue.start - 3) : cue.start].rstrip()[-1:] == ":":
            return None
        part.cues.pop()
        self.connector = self.connector or "comma"
        fresh = self.new(part.gene, token, False)
        fresh.lead = [cue]
        fresh.start = cue.start
        return fresh

    def foreign(self, token: Token) -> bool:
        """Whether the word before an alteration is the symbol of a gene that this vocabulary does not know."""
        if not self.mixed:
            return False
        begin = max(self.before, token.start - 11)
        found = re.search(r"(?<![A-Za-z0-9])([A-Z][A-Z0-9]{2,8})[ -]$", self.text[begin : token.start])
        return found is not None and found[1] not in NO_GENES and found[1].lower() not in catalogue().spellings
