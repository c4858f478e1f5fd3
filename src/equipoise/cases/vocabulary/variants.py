"""Sequence variants as reports write them: protein and coding-DNA changes, numbering of transcripts, classes by
position.

A change is read into `Protein` or `Coding`; `renumbered` brings it to the transcript by which this project names
residues, and `by_position` says which classes follow from gene, place and type of change alone (an in-frame loss in
EGFR exon 19, the splice sites of MET exon 14). Single substitutions whose meaning is known from the literature stand
in biomarkers.yaml. Recommendations followed: HGVS nomenclature 21.0 (https://hgvs-nomenclature.org).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache

AMINO_ACIDS: dict[str, str] = {
    "ala": "A", "arg": "R", "asn": "N", "asp": "D", "cys": "C", "gln": "Q", "glu": "E", "gly": "G", "his": "H",
    "ile": "I", "leu": "L", "lys": "K", "met": "M", "phe": "F", "pro": "P", "ser": "S", "thr": "T", "trp": "W",
    "tyr": "Y", "val": "V",
}  # fmt: skip
"""Three-letter to one-letter amino acid codes (IUPAC)."""

EXONS: dict[str, dict[int, tuple[int, int]]] = {
    "EGFR": {18: (688, 728), 19: (729, 761), 20: (762, 823), 21: (824, 875)},
    "ERBB2": {17: (649, 694), 18: (695, 735), 19: (736, 769), 20: (770, 831), 21: (832, 883)},
}
"""First and last codon of exons whose place decides a class; EGFR on NM_005228, ERBB2 on NM_004448."""

KINASE_DOMAIN_ERBB2: tuple[int, int] = (720, 987)
"""Tyrosine kinase domain of ERBB2 in codons (UniProt P04626)."""

MET_EXON14: tuple[int, int] = (2888, 3028)
"""First and last coding base of MET exon 14 on NM_000245; codons 963 to 1010."""

OFFSETS: dict[str, dict[str, tuple[int, int]]] = {
    "MET": {"NM_001127500": (755, 18)},
    "BRAF": {"NM_001374258": (380, 40), "NM_001374244": (380, 40)},
}
"""Transcripts with inserted codons: gene -> transcript -> (last codon before the insertion, codons inserted)."""

LANDMARKS: dict[str, dict[int, str]] = {
    "MET": {
        963: "D", 970: "R", 988: "E", 992: "T", 1003: "Y", 1010: "D", 1094: "H", 1163: "G", 1195: "L", 1200: "F",
        1228: "D", 1230: "Y", 1250: "M",
    },
    "BRAF": {464: "G", 466: "G", 469: "G", 483: "K", 581: "N", 594: "D", 596: "G", 597: "L", 600: "V", 601: "K"},
}  # fmt: skip
"""Residues that tell which numbering a change uses when no transcript is named; on the transcript of this project's
names."""

CODONS: dict[str, dict[int, str]] = {
    "EGFR": {709: "GAA", 719: "GGC", 768: "AGC", 776: "CGC", 790: "ACG", 797: "TGC", 858: "CTG", 861: "CTG"},
    "KRAS": {12: "GGT", 13: "GGC", 61: "CAA", 117: "AAA", 146: "GCA"},
    "NRAS": {12: "GGT", 13: "GGT", 61: "CAA"},
    "BRAF": {466: "GGA", 469: "GGA", 581: "AAT", 594: "GAT", 597: "CTA", 600: "GTG", 601: "AAA"},
    "ALK": {1171: "ATC", 1196: "CTG", 1202: "GGA"},
    "ROS1": {2032: "GGA"},
    "RET": {804: "GTG", 810: "GGC", 918: "ATG"},
    "MET": {1010: "GAT", 1228: "GAC", 1230: "TAC"},
    "ERBB2": {310: "TCC", 755: "TTG"},
    "PIK3CA": {542: "GAA", 545: "GAG", 1047: "CAT"},
}
"""Reference codons of frequent residues, for reports that give only the coding change."""

_BASES = "TCAG"
_CODE = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"

AA_PATTERN = (
    r"(?:ala|arg|asn|asp|cys|gln|glu|gly|his|ile|leu|lys|met|phe|pro|ser|thr|trp|tyr|val|[acdefghiklmnpqrstvwy])"
)
"""One amino acid, in lower case."""

PROTEIN_PATTERN = (
    r"(?:p\.?\s?)?[\[(]{0,2}(?:"
    rf"(?:(?:del|δ)\s?{AA_PATTERN}\d{{1,4}}\s?[_–-]\s?{AA_PATTERN}\d{{1,4}}(?:\s?ins[a-z]{{1,40}})?)"
    rf"|{AA_PATTERN}\d{{1,4}}(?:"
    rf"(?:\s?[_–-]\s?{AA_PATTERN}?\d{{1,4}})?\s?(?:delins|del|dup|ins|>)[a-z0-9*]{{0,48}}"
    rf"|{AA_PATTERN}?fs(?:\s?(?:\*|ter|x)\s?\d{{0,4}})?"
    rf"|_splice|=|\*|ter|x|{AA_PATTERN}(?:/[acdefghiklmnpqrstvwy](?![a-z0-9]))*)"
    r")[\])]{0,2}(?![a-z0-9])"
)
"""A protein change within lower-case text; bounded repeats only, so that matching is linear."""

CODING_PATTERN = (
    r"c\.\s?\(?[-*]?\d{1,5}(?:[+-]\d{1,4})?(?:_[-*]?\d{1,5}(?:[+-]\d{1,4})?)?\)?\s?"
    r"(?:del[acgt0-9]{0,60}ins[acgt0-9]{0,60}|del[acgt0-9]{0,60}|dup[acgt0-9]{0,60}|ins[acgt0-9]{1,60}|inv"
    r"|[acgt]{1,3}>[acgt]{1,30}|=)"
)
"""A coding-DNA change within lower-case text."""


@dataclass(frozen=True, slots=True)
class Protein:
    """One change of a protein.

    Attributes:
        kind: missense, synonymous, nonsense, frameshift, deletion, duplication, insertion, delins, splice or residue
            ("G719X": some change of this residue).
        ref: first amino acid, one letter.
        start: its codon.
        ref_end: last amino acid; equal to `ref` for one codon, empty when not written.
        end: its codon.
        alt: new amino acids; empty when there are none or they are not written.
    """

    kind: str
    ref: str
    start: int
    ref_end: str
    end: int
    alt: str = ""

    @property
    def gain(self) -> int:
        """Amino acids added minus amino acids lost; 0 for substitutions and what does not say."""
        span = self.end - self.start + 1
        if self.kind == "deletion":
            return -span
        if self.kind == "duplication":
            return span
        if self.kind == "insertion":
            return max(len(self.alt), 1)
        if self.kind == "delins" and self.alt:
            return len(self.alt) - span
        return 0

    @property
    def text(self) -> str:
        """The change in one-letter form: `L858R`, `E746_A750del`, `V769_D770insASV`, `Q37*`, `Q37fs`, `G719X`."""
        first = f"{self.ref}{self.start}"
        if self.kind == "missense":
            return first + self.alt
        if self.kind in _SUFFIX_ONE:
            return first + _SUFFIX_ONE[self.kind]
        place = first if self.end == self.start else f"{first}_{self.ref_end}{self.end}"
        return (
            place
            + {"deletion": "del", "duplication": "dup", "insertion": "ins", "delins": "delins"}[self.kind]
            + self.alt
        )


_SUFFIX_ONE = {"nonsense": "*", "frameshift": "fs", "synonymous": "=", "residue": "X", "splice": "_splice"}


@dataclass(frozen=True, slots=True)
class Coding:
    """One change of the coding DNA, without its bases' neighbours.

    Attributes:
        kind: substitution, deletion, duplication, insertion, delins, inversion or synonymous.
        start: coding base; `start_offset` is the distance into the intron (+ donor side, - acceptor side, 0 in an
            exon).
        start_offset: see `start`.
        end: last coding base; equal to `start` for one base.
        end_offset: see `start`.
        ref: reference bases when written.
        alt: new bases when written.
        gain: bases added minus bases lost; None when the length is not written.
    """

    kind: str
    start: int
    start_offset: int
    end: int
    end_offset: int
    ref: str = ""
    alt: str = ""
    gain: int | None = None


@cache
def _protein_re() -> re.Pattern[str]:
    aa = AA_PATTERN
    return re.compile(
        rf"(?:p\.?\s?)?[\[(]{{0,2}}(?:(?P<pre>del|δ)\s?)?(?P<a>{aa})(?P<s>\d{{1,4}})(?:"
        rf"(?:\s?[_–-]\s?(?P<b>{aa})?(?P<e>\d{{1,4}}))?\s?(?P<op>delins|del|dup|ins|>)(?P<seq>[a-z0-9*]{{0,48}})"
        rf"|\s?[_–-]\s?(?P<b2>{aa})(?P<e2>\d{{1,4}})(?:\s?ins(?P<seq2>[a-z]{{1,40}}))?"
        rf"|{aa}?(?P<fs>fs)(?:\s?(?:\*|ter|x)\s?\d{{0,4}})?|(?P<splice>_splice)|(?P<end>=|\*|ter|x)"
        rf"|(?P<alt>{aa})(?P<more>(?:/[a-z])*))[\])]{{0,2}}$"
    )


@cache
def _coding_re() -> re.Pattern[str]:
    return re.compile(
        r"c\.\s?\(?(?P<s>[-*]?\d{1,5})(?P<so>[+-]\d{1,4})?(?:_(?P<e>[-*]?\d{1,5})(?P<eo>[+-]\d{1,4})?)?\)?\s?"
        r"(?:del(?P<dr>[acgt0-9]{0,60})ins(?P<da>[acgt0-9]{0,60})|del(?P<del>[acgt0-9]{0,60})"
        r"|dup(?P<dup>[acgt0-9]{0,60})"
        r"|ins(?P<ins>[acgt0-9]{1,60})|(?P<inv>inv)|(?P<ref>[acgt]{1,3})>(?P<alt>[acgt]{1,30})|(?P<syn>=))$"
    )


def _one(letters: str) -> str:
    return AMINO_ACIDS.get(letters, letters.upper())


def _sequence(letters: str) -> str:
    """One-letter sequence of inserted residues; three-letter codes are read when the whole text consists of them."""
    if len(letters) >= 3 and len(letters) % 3 == 0:
        triples = [letters[i : i + 3] for i in range(0, len(letters), 3)]
        if all(t in AMINO_ACIDS or t == "ter" for t in triples):
            return "".join(AMINO_ACIDS.get(t, "*") for t in triples)
    return "".join(c for c in letters.upper() if c.isalpha() or c == "*")


def parse_protein(text: str) -> tuple[Protein, ...]:
    """Read one protein change; several when alternatives of one residue are written (`V600E/K`).

    Args:
        text: the change, with or without `p.` and brackets, one- or three-letter codes, any case.

    Returns:
        The changes; empty when the text is not one.
    """
    found = _protein_re().match(text.strip().lower())
    if found is None:
        return ()
    g = found.groupdict()
    ref, start = _one(g["a"]), int(g["s"])
    if g["pre"] or g["e2"]:
        if not (g["pre"] and g["e2"]):
            return ()
        alt = _sequence(g["seq2"] or "")
        return (Protein("delins" if alt else "deletion", ref, start, _one(g["b2"]), int(g["e2"]), alt),)
    if g["op"]:
        return _ranged(g, ref, start)
    if g["fs"]:
        return (Protein("frameshift", ref, start, ref, start),)
    if g["splice"]:
        return (Protein("splice", ref, start, ref, start),)
    if g["end"]:
        kind = {"=": "synonymous", "x": "residue"}.get(g["end"], "nonsense")
        return (Protein(kind, ref, start, ref, start),)
    alts = [_one(g["alt"]), *(_one(c) for c in (g["more"] or "").split("/") if c)]
    return tuple(
        Protein("synonymous" if a == ref else "missense", ref, start, ref, start, "" if a == ref else a) for a in alts
    )


def _ranged(g: dict[str, str | None], ref: str, start: int) -> tuple[Protein, ...]:
    end = int(g["e"] or start)
    ref_end = _one(g["b"]) if g["b"] else (ref if end == start else "")
    seq, op = g["seq"] or "", g["op"]
    if end < start:
        return ()
    if op == "del":
        inserted = seq.partition("ins")[2]
        return (Protein("delins" if inserted else "deletion", ref, start, ref_end, end, _sequence(inserted)),)
    if op == "dup":
        return (Protein("duplication", ref, start, ref_end, end),)
    if op == "ins":
        return (Protein("insertion", ref, start, ref_end, end, _sequence(seq)),)
    alt = _sequence(seq)
    if op == ">" and start == end and len(alt) == 1:
        return (Protein("missense", ref, start, ref, start, alt),)
    return (Protein("delins", ref, start, ref_end, end, alt),)


def _bases(text: str, span: int | None) -> int | None:
    if text.isdigit():
        return int(text)
    if text.isalpha():
        return len(text)
    return span


def parse_coding(text: str) -> Coding | None:
    """Read one coding-DNA change such as `c.2573T>G` or `c.2888-18_2888-7del`; None when it is not one."""
    found = _coding_re().match(text.strip().lower())
    if found is None:
        return None
    g = found.groupdict()
    if g["s"][0] in "-*" or (g["e"] or "1")[0] in "-*":
        return None
    start, so = int(g["s"]), int(g["so"] or 0)
    end, eo = (int(g["e"]), int(g["eo"] or 0)) if g["e"] else (start, so)
    span = end - start + 1 if so == 0 and eo == 0 else None
    if g["da"] is not None:
        lost, won = _bases(g["dr"] or "", span), _bases(g["da"], None)
        gain = None if lost is None or won is None else won - lost
        return Coding("delins", start, so, end, eo, (g["dr"] or "").upper(), g["da"].upper(), gain)
    if g["del"] is not None:
        lost = span if span is not None else _bases(g["del"], None)
        return Coding("deletion", start, so, end, eo, gain=None if lost is None else -lost)
    if g["dup"] is not None:
        return Coding("duplication", start, so, end, eo, gain=span)
    if g["ins"] is not None:
        return Coding("insertion", start, so, end, eo, alt=g["ins"].upper(), gain=_bases(g["ins"], None))
    if g["inv"]:
        return Coding("inversion", start, so, end, eo, gain=0)
    if g["syn"]:
        return Coding("synonymous", start, so, end, eo, gain=0)
    ref, alt = g["ref"].upper(), g["alt"].upper()
    if g["e"] or len(ref) != 1 or len(alt) != 1:
        return Coding("delins", start, so, end, eo, ref, alt, len(alt) - (span or len(ref)))
    return Coding("substitution", start, so, end, eo, ref, alt, 0)


def _amino(codon: str) -> str:
    return _CODE[_BASES.index(codon[0]) * 16 + _BASES.index(codon[1]) * 4 + _BASES.index(codon[2])]


def translated(gene: str, change: Coding) -> Protein | None:
    """The protein change of a substitution inside one known codon, or of an in-frame exonic gain or loss.

    Args:
        gene: gene symbol.
        change: the coding change, on the transcript of `CODONS` (`renumbered_coding` first).

    Returns:
        The protein change. For gains and losses the amino acids are not known and are written `?`. None when the
        codon is not in `CODONS`, the frame shifts, the bases do not fit the reference, or an intron is involved.
    """
    if change.start_offset or change.end_offset:
        return None
    codon, place = divmod(change.start - 1, 3)
    codon += 1
    if change.kind == "substitution" or (
        change.kind == "delins" and change.gain == 0 and (change.end - 1) // 3 + 1 == codon
    ):
        reference = CODONS.get(gene, {}).get(codon)
        bases = change.alt
        if reference is None or not bases or place + len(bases) > 3 or set(bases) - set(_BASES):
            return None
        if change.kind == "substitution" and change.ref != reference[place]:
            return None
        before, after = _amino(reference), _amino(reference[:place] + bases + reference[place + len(bases) :])
        kind = "synonymous" if before == after else "nonsense" if after == "*" else "missense"
        return Protein(kind, before, codon, before, codon, after if kind == "missense" else "")
    if change.gain is None or change.gain % 3 or change.gain == 0:
        return None
    last = (change.end - 1) // 3 + 1
    if change.kind == "insertion":
        return Protein("insertion", "?", codon, "?", codon + 1, "?" * (change.gain // 3))
    if change.kind == "duplication":
        return Protein("duplication", "?", codon, "?", last)
    if change.gain > 0:
        return Protein("insertion", "?", codon, "?", last, "?" * (change.gain // 3))
    return Protein("deletion", "?", codon, "?", max(last, codon))


def renumbered(gene: str, change: Protein, transcript: str = "") -> Protein:
    """The change in the numbering of this project's names.

    Args:
        gene: gene symbol.
        change: as written.
        transcript: accession without version when one is stated next to the change; empty otherwise.

    Returns:
        The change, moved when the transcript has a known offset, or when without a transcript only the other
        numbering puts the written amino acid at the written place (`MET D1246N` is D1228N, `BRAF V640E` is V600E).
    """
    known = OFFSETS.get(gene)
    if known is None:
        return change
    marks = LANDMARKS.get(gene, {})
    if transcript in known:
        before, shift = known[transcript]
        return _moved(change, shift) if change.start > before + shift else change
    if transcript or marks.get(change.start) == change.ref:
        return change
    before, shift = next(iter(known.values()))
    if change.start > before + shift and marks.get(change.start - shift) == change.ref:
        return _moved(change, shift)
    if change.end > before + shift and change.end > change.start and marks.get(change.end - shift) == change.ref_end:
        return _moved(change, shift)
    return change


def _moved(change: Protein, shift: int) -> Protein:
    return replace(change, start=change.start - shift, end=change.end - shift)


def renumbered_coding(gene: str, change: Coding, transcript: str = "") -> Coding:
    """The coding change on the transcript of `CODONS` and `MET_EXON14`; see `renumbered`.

    Without a stated transcript the change is moved only when it touches a splice site or the last base of MET exon
    14, or a known codon, in the other numbering and not in this one.
    """
    known = OFFSETS.get(gene)
    if known is None:
        return change
    before, shift = known.get(transcript) or next(iter(known.values()))
    moved = replace(change, start=change.start - 3 * shift, end=change.end - 3 * shift)
    if transcript:
        return moved if transcript in known and change.start > 3 * (before + shift) else change
    if gene == "MET" and not _skips_exon14(change) and _skips_exon14(moved):
        return moved
    if change.kind == "substitution" and translated(gene, change) is None and translated(gene, moved) is not None:
        return moved
    return change


def _skips_exon14(change: Coding) -> bool:
    """Whether the change removes or alters what MET exon 14 needs to be spliced in.

    Sites counted: acceptor -1 and -2, deletions and insertions in the 35 bases before the exon, donor +1 to +5, and the
    exon's last base; deletions that reach over either end; deletion of the whole exon.
    Source: Frampton 2015 (PMID 25971938), Awad 2016 (PMID 26729443).
    """
    first, last = MET_EXON14
    low, high = change.start, change.end
    if change.kind == "synonymous":
        return False
    if change.start_offset < 0 and low == first:
        return (change.kind != "substitution" and change.start_offset >= -35) or change.start_offset >= -2
    if change.start_offset > 0 and low == first - 1 and change.end >= first:
        return True
    if change.start_offset > 0 and low == last:
        return change.start_offset <= 5
    if change.start_offset:
        return False
    if change.kind == "insertion":
        return False
    return low <= last <= high and (low > first or high >= last) and low >= first - 40


def by_position(gene: str, change: Protein | None, coding: Coding | None = None) -> str | None:
    """The alteration that place and type of a change stand for, as the part of a name after the colon.

    Args:
        gene: gene symbol.
        change: protein change in this project's numbering; wins over `coding` when both are given, except for MET
            exon 14.
        coding: coding change on the transcript of this project.

    Returns:
        `exon19del`, `exon20ins`, `exon19ins`, `A763_Y764insFQEA` for EGFR, `exon20ins` for ERBB2, `exon14skip` for MET;
        None when position alone decides nothing.
    """
    if gene == "MET":
        if coding is not None and _skips_exon14(coding):
            return "exon14skip"
        if change is not None and _loses_exon14(change):
            return "exon14skip"
        return None
    if change is None and coding is not None:
        if gene == "EGFR" and coding.kind == "insertion" and (coding.start, coding.end) == (2290, 2291):
            return "A763_Y764insFQEA"
        change = translated(gene, coding)
    if change is None or change.gain == 0:
        return None
    exons = EXONS.get(gene)
    if exons is None:
        return None
    if gene == "EGFR":
        if change.text == "A763_Y764insFQEA":
            return change.text
        if exons[19][0] <= change.start and change.end <= exons[19][1] + 2 and change.start <= exons[19][1]:
            if change.gain < 0:
                return "exon19del"
            if change.end <= exons[19][1] - 1:
                return "exon19ins"
    if change.gain > 0 and exons[20][0] - 1 <= change.start <= exons[20][1]:
        return "exon20ins"
    return None


def _loses_exon14(change: Protein) -> bool:
    if change.kind in {"missense", "residue"}:
        return change.ref == "D" and change.start == 1010
    first, last = MET_EXON14[0] // 3 + 1, MET_EXON14[1] // 3 + 1
    if change.kind == "splice":
        return change.start in {first - 1, first, last, last + 1}
    return change.kind in {"deletion", "delins"} and change.start <= last <= change.end


def in_erbb2_kinase_domain(change: Protein) -> bool:
    """Whether an ERBB2 change lies within the tyrosine kinase domain."""
    return KINASE_DOMAIN_ERBB2[0] <= change.start and change.end <= KINASE_DOMAIN_ERBB2[1]


def truncating(change: Protein) -> bool:
    """Whether the change ends the protein early: nonsense, frameshift or a changed splice site."""
    return change.kind in {"nonsense", "frameshift", "splice"}
