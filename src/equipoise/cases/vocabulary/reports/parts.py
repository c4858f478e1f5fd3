"""A gene with the alterations and status words that belong to it: what a segment is made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from equipoise.cases.vocabulary import variants
from equipoise.cases.vocabulary.biomarkers import Read
from equipoise.cases.vocabulary.reports.lexer import Token


@dataclass(slots=True)
class Change:
    """A sequence change as one report writes it, in protein form, coding form or both."""

    start: int
    end: int
    protein: tuple[variants.Protein, ...] = ()
    coding: variants.Coding | None = None
    transcript: str = ""


@dataclass(slots=True)
class Part:
    """A gene with the alterations and status words that belong to it."""

    gene: str
    start: int
    end: int
    connector: str = ""
    own_gene: bool = True
    pieces: list[Token] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    exons: list[int] = field(default_factory=list)
    cues: list[Token] = field(default_factory=list)
    lead: list[Token] = field(default_factory=list)
    wide: bool = False
    flags: dict[str, str] = field(default_factory=dict)
    percents: list[float] = field(default_factory=list)
    glued_exon: bool = False
    assay: str = ""
    reads: list[Read] | None = None

    @property
    def bare(self) -> bool:
        """Whether there is a gene and nothing that says what is meant of it."""
        return not (
            self.pieces
            or self.changes
            or self.exons
            or self.reads is not None
            or "score" in self.flags
            or "ihc" in self.flags
            or "fish" in self.flags
        )

    @property
    def last(self) -> int:
        """Where its last alteration begins; -1 when it has none. Alterations are added in the order of the text."""
        return max(self.pieces[-1].start if self.pieces else -1, self.changes[-1].start if self.changes else -1)

    @property
    def untold(self) -> bool:
        """Whether what is denied is the test and not the alteration ("no EGFR mutation testing")."""
        return (
            "nodata" in self.flags
            and not self.changes
            and all(piece.kind in {"mut", "altn", "fus", "amp"} for piece in self.pieces)
        )

    @property
    def empty(self) -> bool:
        """Whether nothing but leading status words has been read."""
        return self.bare and not self.cues

    def has(self, *kinds: str) -> bool:
        """Whether an alteration word of one of these kinds belongs to it."""
        return any(piece.kind in kinds for piece in self.pieces)


def merged(parts: list[Part]) -> list[Part]:
    """Parts without what only qualifies the one before: an exon, a score, a status word behind a comma."""
    kept: list[Part] = []
    for part in parts:
        before = kept[-1] if kept else None
        alone = not part.own_gene and not part.pieces and not part.changes and part.reads is None
        if alone and before is not None and not part.lead and part.gene == before.gene:
            before.exons.extend(part.exons)
            before.cues.extend(part.cues)
            before.percents.extend(part.percents)
            for key, value in part.flags.items():
                before.flags.setdefault(key, value)
            before.end = max(before.end, part.end)
            continue
        if alone and not part.exons and not part.lead and not part.cues:
            continue
        kept.append(part)
    return kept
