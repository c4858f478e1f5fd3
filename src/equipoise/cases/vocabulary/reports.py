"""The grammar of report strings: which gene, which alteration, which status.

A string is cut into tokens by one pass of bounded patterns, tokens into segments (at semicolons, line ends, full
stops, "but"), segments into parts: a gene with the alterations and status words that belong to it. A status word in
front ("no", "negative for", "pending:") reaches forward over a list; one behind ("not detected", "wild type") reaches
back over a list of bare genes or of alike alterations. Work is proportional to the length of the string.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from equipoise.cases.model import FindingStatus, Interval
from equipoise.cases.vocabulary import expression, variants
from equipoise.cases.vocabulary.biomarkers import Catalogue, Read, catalogue, gene_level, marker, of_change

PRESENT, ABSENT, UNCERTAIN = FindingStatus.PRESENT, FindingStatus.ABSENT, FindingStatus.UNCERTAIN
NOT_TESTED, PENDING, UNKNOWN = FindingStatus.NOT_TESTED, FindingStatus.PENDING, FindingStatus.UNKNOWN

FISH_CUTOFF = 15.0
"""Percent of nuclei with split signals from which break-apart FISH is positive when the report names
no cut-off. Source: cut-off of the CAP/IASLC/AMP guideline."""
FISH_CLEAR = 10.0
"""Percent below which a result without a named cut-off is negative; from here to the cut-off it is uncertain."""
MET_STRONG = 50.0
"""Percent of tumor cells with 3+ staining from which MET is overexpressed (label of telisotuzumab vedotin)."""
HER2_STRONG = 10.0
"""Percent of cells with 3+ staining from which HER2 is 3+
by the gastric rule (CAP/ASCP/ASCO)."""

_WORDS: tuple[tuple[str, str], ...] = (
    (
        "aside",
        r"not\s+(?:an?|the)\s+[a-z0-9 -]{0,40}?(?:fusion|rearrangement|mutation|variant|amplification"
        r"|alteration|driver|polymorphism)s?",
    ),
    (
        "aside",
        r"not\s+(?:sensiti[sz]ing|activating|actionable|targetable|indicated|recommended|eligible|approved"
        r"|sensitive|responsive|candidates?|applicable|labell?ed)"
        r"(?:\s+(?:fusions?|mutations?|variants?|for\s+\w+))?",
    ),
    ("aside", r"no\s+doubt(?:\s+(?:about|that|of))?|not\s+only"),
    (
        "hyp",
        r"if|unless|whether|in\s+case|rules?\s+out|r/o|look(?:s|ing)?\s+for|to\s+exclude|(?<=\()detects|screen(?:s|ing)?\s+for",
    ),
    ("aside", r"not\s+(?:further\s+)?(?:specified|stated|given)|subtype\s+unknown|partner\s+unknown|unknown\s+partner"),
    (
        "aside",
        r"(?:vaf|maf|af|allel(?:e|ic)\s+(?:frequency|fraction))\s*(?:of|="
        r"|:)?\s*[<>~≤≥]?\s?\d{1,3}(?:[.,]\d{1,3})?\s?%?|\d{1,3}(?:[.,]\d{1,3})?\s?%\s*(?:vaf|maf|allel\w+)",
    ),
    (
        "nott",
        r"not\s+(?:yet\s+|been\s+)?(?:tested|done|performed|assessed|evaluated|requested|examined|ordered"
        r"|available|analy[sz]ed|sent|evaluable|assessable|covered|informative|possible)",
    ),
    (
        "nott",
        r"untested|qns|quantity\s+not\s+sufficient|insufficient(?!\s+(?:evidence|data|support|information))|inadequate|failed|uninterpretable"
        r"|non-?\s?(?:evaluable|informative)|unavailable|never\s+tested",
    ),
    (
        "unk",
        r"unknown(?!\s+(?:clinical\s+)?significance)|not\s+(?:documented|known|recorded|reported)|undocumented|n/a",
    ),
    (
        "vus",
        r"vus|v\.u\.s\.|variants?\s+of\s+(?:uncertain|unknown|undetermined"
        r"|unclear)(?:\s+(?:clinical\s+)?(?:significance|calling|relevance))?",
    ),
    ("vus", r"(?:uncertain|unknown|unclear|undetermined)(?:\s+clinical)?\s+significance"),
    (
        "unc",
        r"uncertain|equivocal|indeterminate|inconclusive|borderline|(?:below|under|near"
        r"|at)\s+(?:the\s+)?(?:assay(?:'s)?\s+)?(?:lod|limit\s+of\s+detection|detection\s+limit)"
        r"|suspicious(?:\s+for)?|possibl[ey]|suspect(?:ed)?|questionable|germline|constitutional|artefact"
        r"|artifact|cannot\s+be\s+(?:excluded|ruled\s+out)|not\s+confirmed"
        r"|unconfirmed|dna\s+only|intergenic|out[- ]of[- ]frame"
        r"|egf(?:-like)?[- ]domain\s+(?:is\s+)?(?:not\s+retained|lost|absent|missing|deleted)",
    ),
    ("unc", r"insufficient\s+(?:evidence|data|support|information)"),
    ("ben", r"likely\s+benign|benign|polymorphisms?|snps?|synonymous|silent"),
    (
        "negb",
        r"not\s+(?:been\s+)?(?:detect(?:ed|able)|identified|found|seen|present|observed|demonstrated|evident"
        r"|shown)|no\s+longer\s+(?:detect(?:ed|able)|present|seen|found)"
        r"|undetect(?:ed|able)|negative(?!\s+for)|neg|absent|wild[- ]?type(?!\s+for)|wt|lost|cleared|excluded"
        r"|ruled\s+out|unmutated"
        r"|non[- ]?(?:mutated|amplified|rearranged)|none|nil|no(?=\s{0,2}(?:[-:,.;)]|$))|normal"
        r"|below\s+(?:the\s+)?(?:\d{1,2}\s?%\s+)?(?:cut-?\s?off|threshold)",
    ),
    (
        "negf",
        r"no\s+evidence\s+(?:of|for)|negative\s+for|absence\s+of|lack(?:s|ed|ing)?(?:\s+of)?"
        r"|without(?:\s+evidence\s+of)?|neither|no(?![.\w-])|free\s+of|wild[- ]?type\s+for"
        r"|not(?=\s+(?:amplified|rearranged|mutated|mutant|overexpress|fused|(?:p\.)?[a-z]\d))"
        r"|(?:(?:does|do|did)\s+not\s+meet|not\s+meeting)\s+(?:the\s+)?criteria(?:\s+(?:for|of))?"
        r"|loss\s+of(?=\s+(?:the\s+)?[a-z]\d)",
    ),
    (
        "pend",
        r"pending|await(?:ed|ing)|in\s+(?:progress|process)|to\s+follow|tbc|tbd|outstanding|results?\s+due"
        r"|(?:sent|ordered|submitted|requested)(?:\s+out)?",
    ),
    (
        "trans",
        r"(?:(?<!non-)(?<!non )small[- ]cell|sclc)(?:\s+(?:lung\s+)?(?:carcinoma|cancer"
        r"|histolog\w{1,4}))?\s+transform(?:ation|ed)",
    ),
    (
        "trans",
        r"transform(?:ation|ed)\s+(?:in)?to\s+(?:an?\s+)?(?:(?:high[- ]grade|neuroendocrine"
        r"|combined)\s+){0,3}(?:small[- ]cell|sclc)",
    ),
    ("squam", r"squamous(?:\s+cell)?\s+transform(?:ation|ed)|transform(?:ation|ed)\s+(?:in)?to\s+(?:an?\s+)?squamous"),
    ("pos", r"detected|positive|pos|identified|found|present|confirmed|retained|persist(?:s|ent|ing|ed)?|detectable"),
    ("skip14", r"met-met\s+fusion|met::met|δ(?:ex(?:on)?)?\s?14"),
    ("nong12c", r"non[- ]?g12c|other\s+than\s+g12c"),
    ("nonvar", r"(?:non[- ]?|other\s+than\s+)(?:p\.)?[a-z]\d{2,4}[a-z]?"),
    ("nodata", r"results?|testing|tests?|data|reports?|information|material"),
    ("kdd", r"kinase[- ]domain\s+duplication|kdd"),
    ("viii", r"v\s?iii|variant\s+iii"),
    (
        "del19",
        r"del(?:etion)?[- ]?19|19[- ]?del(?:etion)?s?|e19[- ]?del(?:etion)?|e?lrea(?:\s+deletion)?|(?:ex"
        r"|exon)[- ]?19[- ]?del(?:etion)?s?",
    ),
    (
        "ins20",
        r"ins(?:ertion)?[- ]?20|20[- ]?ins(?:ertion)?s?|e20[- ]?ins(?:ertion)?|(?:ex|exon)[- ]?20[- ]?ins(?:ertion)?s?",
    ),
    ("yvma", r"yvma"),
    ("codon", r"codons?\s?\d{1,4}(?:\s?[/,&-]\s?\d{1,4}){0,4}"),
    ("exon", r"exons\s?\d{1,2}(?:\s?(?:-|to|/|and|&|,)\s?\d{1,2}(?![\d%])){1,7}"),
    ("exon", r"(?:exons?|ex)\.?\s?-?\s?\d{1,2}(?!\d)(?:\s?(?:-|to|/)\s?(?:exons?\s?)?\d{1,2}(?![\d%]))?"),
    ("cut", r"cut-?\s?off[^\d;()]{0,12}\d{1,3}\s?%|threshold[^\d;()]{0,12}\d{1,3}\s?%"),
    ("fus", r"fusions?|fus|re-?arrange(?:ments?|d)|translocat(?:ions?|ed)|inversion|inv(?=\s?\()|fused"),
    ("split", r"split(?:\s+signals?)?|isolated\s+(?:3'?|5'?)|break-?\s?apart"),
    ("amp", r"(?:high[- ]level\s+)?amplif(?:ications?|ied)|amp"),
    ("gain", r"(?:gene\s+)?(?:copy[- ]number\s+)?gains?(?!-of)|polysomy|polyploidy"),
    ("over", r"over-?\s?express(?:ion|ed|ing)|high\s+(?:protein\s+)?expression"),
    ("tkd", r"tkd|tyrosine[- ]kinase[- ]domain"),
    ("resist", r"(?:acquired\s+)?resistance|secondary|on-target|kinase[- ]domain"),
    ("miss", r"missense"),
    (
        "nons",
        r"nonsense|truncat(?:ing|ion|ed)|frame-?\s?shift|inactivat(?:ing|ion|ed)|loss[- ]of[- ]function|lof|biallelic",
    ),
    ("loss", r"loss(?:\s+of)?|deficien(?:t|cy)|homozygous\s+deletion"),
    ("skip", r"skip(?:ping|ped)?"),
    ("splice", r"splic(?:e|ing)(?:[- ](?:site|donor|acceptor))?"),
    ("indel", r"in-?dels?|delins"),
    ("del", r"(?:micro)?deletions?|deleted|del"),
    ("vnum", r"v\s?[1-3](?:[ab](?:/b)?)?|variant\s?[1-9](?:[ab](?:/b)?)?"),
    ("ins", r"insertions?|ins"),
    ("dup", r"duplications?|dup"),
    ("class", r"class\s?-?(?:iii|ii|i|1|2|3)"),
    ("altn", r"alterations?|aberrations?|abnormalit(?:y|ies)|genomic\s+events?"),
    ("mut", r"mutations?|mutant|mutated|mut|(?:activating|pathogenic|driver)\s+variants?|activating|sensiti[sz]ing"),
    ("other", r"others?|additional|further"),
    ("fish", r"fish|in\s+situ\s+hybridi[sz]ation|cish"),
    ("ihc", r"ihc|immunohistochem\w{0,8}|immunostain\w{0,5}|5a4|d5f3|ve1|sp44|epr17341|4b5|stain(?:ing|ed)"),
    ("mrna", r"mrna"),
    ("low", r"low|ultra-?low"),
    ("score", r"(?:score\s*(?:of\s*|=\s*|:\s*)?)?[0-3]\s?\+|score\s*(?:of\s*|=\s*|:\s*)?0"),
    ("pct", r"(?:[<>≥≤]=?\s?)?\d{1,3}(?:[.,]\d{1,2})?\s?%"),
    ("drug", r"tkis?|inhibitors?|antibod(?:y|ies)|-?directed|-?targeted|blockade|agents?|antagonists?"),
    ("assay", r"ngs|pcr|rna|dna|plasma|ctdna|cfdna|tissue|liquid\s+biopsy|sanger|panel"),
    ("but", r"but|however|whereas|although|while|though"),
    ("and", r"and|plus|with|along\s+with|as\s+well\s+as"),
    ("or", r"or|nor|versus|vs"),
)
_CONNECT = {"comma", "and", "or", "slash"}
_CUES = {"nott", "unk", "vus", "unc", "ben", "negb", "negf", "pend", "pos"}
_PIECES = {
    "fus", "amp", "gain", "over", "miss", "nons", "loss", "skip", "splice", "indel", "del", "ins", "dup", "class",
    "altn", "mut", "kdd", "viii", "del19", "ins20", "yvma", "skip14", "nong12c", "nonvar", "codon", "resid", "vnum", "tkd",
}  # fmt: skip
_FEATURES = {"fish", "ihc", "mrna", "low", "score", "pct", "cut", "split", "resist", "other", "assay", "nodata"}
_FOREIGN = "?"
"""Stands for a gene that the vocabulary does not know; its findings are not reported."""
_NO_GENES = {
    "CNV",
    "SNV",
    "LOH",
    "CNS",
    "GOF",
    "NSCLC",
    "MTB",
    "FFPE",
    "NOT",
    "THE",
    "AND",
    "FOR",
    "WITH",
    "VAF",
    "CEP7",
}
"""Words in capitals that may stand before an alteration and are no gene."""
_LINKS = {
    "is", "was", "are", "were", "be", "been", "has been", "have been", "result", "results", "the result is",
    "result is", "all", "both", "which was", "which were", "status", "also", "still", "currently", "now",
}  # fmt: skip
_FUSION_GENES = {"ALK", "ROS1", "RET", "NTRK", "NTRK1", "NTRK2", "NTRK3", "NRG1", "LTK"}
_UPPER_ONLY = {"KIT", "ATM", "APC", "AXL", "MYC", "RB1"}
_SCALES = {"pdl1": "PD-L1", "tmb": "TMB", "msi": "MSI"}


class Token(NamedTuple):
    """One recognised word or phrase: its kind and its place."""

    kind: str
    start: int
    end: int
    value: str = ""


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


@cache
def _lexer() -> re.Pattern[str]:
    data = catalogue()
    genes = "|".join(re.escape(word).replace(r"\ ", r"\s?") for word in sorted(data.spellings, key=len, reverse=True))
    partners = "|".join(re.escape(word) for word in sorted(data.partners, key=len, reverse=True))
    after_gene = (
        r"(?=[^a-z0-9]|$|ex(?:on)?\s?\d|m(?:ut(?:ant|ated)?)?(?![a-z0-9])|wt(?![a-z0-9])|[a-z]\d{2,4}[a-z](?![a-z0-9]))"
    )
    bracket = r"(?:\s?\([^()]{0,20}\))?"
    rows = [
        ("tx", r"(?<![a-z0-9])n[mp]_\d{4,12}(?:\.\d{1,2})?"),
        ("coding", r"(?<![a-z0-9])" + variants.CODING_PATTERN),
        (
            "pair",
            rf"(?<![a-z0-9])(?!met::met)[a-z0-9][a-z0-9-]{{0,14}}{bracket}\s?::\s?[a-z0-9][a-z0-9-]{{0,14}}{bracket}",
        ),
        (
            "pair2",
            rf"(?<![a-z0-9])(?:(?:{partners}){bracket}\s?[-/]\s?(?:{genes})(?![a-z0-9]){bracket}"
            rf"|(?:{genes}){bracket}-(?:{partners})(?![a-z0-9]){bracket})",
        ),
        ("pdl1", r"(?<![a-z0-9])(?:pd-?\s?l1|cd274|tps|tumou?r\s+proportion\s+score)(?![a-z0-9])"),
        ("tmb", r"(?<![a-z0-9])(?:b-?tmb|tmb|tumou?r\s+mutation(?:al)?\s+burden)(?![a-z])"),
        ("msi", r"(?<![a-z0-9])(?:msi|mss|dmmr|pmmr|mmr|microsatellite|mismatch[- ]repair)(?![a-z0-9])"),
    ]
    first = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in rows)
    merged: dict[str, list[str]] = {}
    order: list[str] = []
    for kind, pattern in _WORDS:
        if kind not in merged:
            order.append(kind)
        merged.setdefault(kind, []).append(pattern)

    def words(kinds: list[str]) -> str:
        return "|".join(f"(?P<w_{kind}>(?:{'|'.join(merged[kind])})(?![a-z]))" for kind in kinds)

    early = ["del19", "ins20", "nong12c", "nonvar", "skip14", "score"]
    late = [kind for kind in order if kind not in early]
    return re.compile(
        first
        + f"|(?<![a-z0-9])(?:{words(early)})"
        + rf"|(?P<prot>(?<![a-z0-9]){variants.PROTEIN_PATTERN})"
        + rf"|(?P<gene>(?<![a-z0-9])(?:{genes}){after_gene})"
        + r"|(?P<resid>(?<![a-z0-9])[acdefghiklmnpqrstvwy]\d{2,4}(?![a-z0-9]))"
        + f"|(?<![a-z])(?:{words(late)})"
        + r"|(?P<posmark>\(\s?\+\s?\))|(?P<negmark>\(\s?-\s?\))|(?P<plus>\+)"
        r"|(?P<semi>;|\n|•|\.(?=\s|$))|(?P<comma>,|→|->)|(?P<slash>/)|(?P<amper>&)|(?P<open>[(\[])"
        r"|(?P<close>[)\]])|(?P<colon>:)"
    )


@cache
def _glued() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<exon>ex(?:on)?\s?(?P<n>\d{{1,2}}))|(?P<prot>{variants.PROTEIN_PATTERN})|(?P<mut>m(?:ut(?:ant"
        rf"|ated)?)?(?![a-z0-9]))|(?P<wt>wt(?![a-z0-9]))|(?P<sign>[+-](?=[\s,;)/]|$)|\s-(?=\s{{0,3}}(?:[/,;)\n]|$)))"
    )


_FLAT = str.maketrans(
    {"–": "-", "—": "-", "‑": "-", "−": "-", "‐": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "’": "'", "′": "'"}
)


def _flat(text: str) -> str:
    """Lower case with plain dashes and spaces, of the same length, so that places agree."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(lower if len(lower := char.lower()) == 1 else char for char in text)
    return low if low.isascii() else low.translate(_FLAT)


def _tokens(text: str, low: str) -> list[Token]:
    found: list[Token] = []
    data = catalogue()
    depth = 0
    for match in _lexer().finditer(low):
        kind = str(match.lastgroup)
        start, end = match.span()
        if kind.startswith("w_"):
            kind = kind[2:]
        value = match[0]
        if kind == "gene":
            symbol = (
                data.spellings[" ".join(value.split())]
                if " ".join(value.split()) in data.spellings
                else data.spellings.get(value.replace(" ", ""), "")
            )
            if not symbol or not _is_gene(
                symbol, text[start:end], low[start - 1 : start] if start else "", low[end : end + 14]
            ):
                continue
            found.append(Token("gene", start, end, symbol))
            glued = _glued().match(low, end)
            if glued is not None:
                _after_gene(found, glued)
            continue
        if kind in {"pair", "pair2"}:
            symbol = _fused(data, value, kind)
            if symbol:
                found.append(Token("fused", start, end, symbol))
            continue
        if kind == "open":
            depth = min(depth + 1, 4)
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == "semi":
            if value == ";" and (depth or low[end : end + 1].isalnum()):
                kind = "comma"
            elif _no_stop(text, low, value, start, end):
                continue
            else:
                depth = 0
        elif kind == "amper":
            kind = "and"
        elif kind == "plus":
            kind = (
                "and"
                if start and low[start - 1] == " " and low[end : end + 1] == " "
                else "slash"
                if low[end : end + 1].isalnum()
                else "none"
            )
            if kind == "none":
                continue
        elif kind == "posmark":
            kind = "pos"
        elif kind == "negmark":
            kind = "negb"
        found.append(Token(kind, start, end, value))
    return found


def _no_stop(text: str, low: str, value: str, start: int, end: int) -> bool:
    """Whether a full stop belongs to an abbreviation, or a line end lies within a sentence."""
    if value == "\n":
        return _runs_on(text, low, end)
    return value == "." and low[max(start - 2, 0) : start] in {"no", "vs", " p", " c", "ex"}


def _runs_on(text: str, low: str, place: int) -> bool:
    """Whether a line goes on with the sentence of the line before: it begins in lower case, and not with a gene."""
    word = re.match(r"\s{0,8}([a-z]{1,12})(?![a-z0-9])", low[place : place + 24])
    if word is None or not text[place + word.start(1)].islower():
        return False
    return word[1] not in catalogue().spellings


def _is_gene(symbol: str, written: str, before: str, following: str) -> bool:
    """Whether letters that are also an English word are meant as the gene."""
    if written.lower() == "ros":
        return written == "ROS" and (before == "/" or following[:1] == "/")
    if symbol == "MET":
        if written.isupper() or "-" in written or written.lower() == "cmet":
            return True
        return re.match(r"[\s-]{0,2}(?:ex(?:on)?[\s.-]?14|amplif|overexpr|ihc|skipp)", following) is not None
    return symbol not in _UPPER_ONLY or written[:2].isupper() or written in {"p16", "Rb", "rb1", "Rb1"}


def _after_gene(found: list[Token], glued: re.Match[str]) -> None:
    start, end = glued.span()
    if glued["exon"]:
        found.append(Token("exon", start, end, f"glued {glued['n']}"))
    elif glued["prot"]:
        found.append(Token("prot", start, end, glued["prot"]))
    elif glued["mut"]:
        found.append(Token("mut", start, end, "mut"))
    elif glued["wt"]:
        found.append(Token("negb", start, end, "wt"))
    else:
        found.append(Token("pos" if glued["sign"] == "+" else "negb", start, end, glued["sign"]))


def _fused(data: Catalogue, value: str, kind: str) -> str:
    """The gene whose fusion a pair of partners names; empty when neither is a known gene."""
    plain = re.sub(r"\s?\([^()]*\)", "", value)
    if kind == "pair":
        left, _, right = plain.partition("::")
        sides = [right.strip(), left.strip()]
    else:
        sides = [plain[cut + 1 :].strip() for cut in range(len(plain)) if plain[cut] in "-/"]
        sides += [plain[:cut].strip() for cut in range(len(plain)) if plain[cut] in "-/"]
    symbols = [data.spellings[side] for side in sides if side in data.spellings]
    for symbol in symbols:
        if symbol in _FUSION_GENES:
            return symbol
    return symbols[0] if symbols else ""


class _Segment:
    """Builds the parts of one segment from its tokens."""

    def __init__(self, text: str, low: str, carried: str, mixed: bool) -> None:
        self.text, self.low, self.carried = text, low, carried
        self.parts: list[Part] = []
        self.part: Part | None = None
        self.connector = ""
        self.transcript = ""
        self.last_place = -99
        self.connected = 0
        self.supposed = False
        self.before = 0
        self.mixed = mixed

    def add(self, tokens: list[Token]) -> list[Part]:
        """The parts of the tokens of one segment."""
        place = 0
        while place < len(tokens):
            token = tokens[place]
            kind = token.kind
            self.before = tokens[place - 1].end if place else 0
            following = tokens[place + 1] if place + 1 < len(tokens) else None
            if kind in _SCALES:
                place = self._scale(tokens, place)
                continue
            if kind in {"gene", "fused"}:
                self._gene(token, following)
            elif kind in {"prot", "coding"}:
                self._change(token)
            elif kind in {"trans", "squam"}:
                name = "SCLC" if kind == "trans" else "squamous"
                self._open("transformation", token)
                self._current(token).pieces.append(Token(name, token.start, token.end))
                self._touch(token)
            elif kind == "skip14":
                self._open("MET", token)
                self._current(token).pieces.append(token)
                self._touch(token)
            elif kind == "tx":
                self._transcript(token)
            elif kind == "hyp":
                self._suppose()
            elif kind in _CUES:
                self._cue(token, following)
            elif kind == "exon":
                self._exon(token)
            elif kind in _PIECES:
                self._piece(token)
            elif kind in _FEATURES:
                self._feature(token)
            elif kind in _CONNECT:
                self._connect(kind, token.end)
            place += 1
        for part in self.parts:
            if not part.gene and self.carried and self._continues(part):
                part.gene = self.carried
            elif not part.gene:
                part.gene = _gene_of_phrase(part)
        return [part for part in self.parts if part.gene]

    def _continues(self, part: Part) -> bool:
        """Whether a part without a gene speaks of the gene of the segment before."""
        if part.changes:
            return any(
                self._known_residue(self.carried, f"{one.ref}{one.start}")
                for change in part.changes
                for one in change.protein
            )
        if part.has("del19", "ins20") or (part.exons and part.has("del", "ins", "skip")):
            return self.carried in {"EGFR", "ERBB2", "MET"}
        negated = any(cue.kind in {"negf", "negb"} for cue in [*part.lead, *part.cues])
        return negated and part.has("mut", "altn", "fus") and self.carried in catalogue().genes

    def _connect(self, kind: str, end: int) -> None:
        self.connected = end
        rank = {"": 0, "comma": 1, "slash": 2, "and": 3, "or": 4}
        if rank[kind] > rank[self.connector]:
            self.connector = kind
        part = self.part
        if kind == "comma" and part is not None and part.empty and part.lead and not part.own_gene and not part.wide:
            part.lead.clear()

    def _touch(self, token: Token) -> None:
        if self.part is not None:
            self.part.end = max(self.part.end, token.end)
        self.connector = ""
        self.last_place = token.end

    def _new(self, gene: str, token: Token, own: bool) -> Part:
        self.part = Part(gene, token.start, token.end, self.connector if self.parts else "", own)
        if self.supposed:
            self.part.flags["supposed"] = "1"
        self.parts.append(self.part)
        self.connector = ""
        return self.part

    def _suppose(self) -> None:
        """What follows in this segment is a question or a condition and no result ("if", "rule out", "look for")."""
        self.supposed = True
        if self.part is not None and self.part.bare:
            self.part.flags["supposed"] = "1"
        self.connector = self.connector or "comma"

    def _current(self, token: Token) -> Part:
        if self.part is None:
            self._new("", token, False)
        assert self.part is not None
        return self.part

    def _open(self, gene: str, token: Token) -> None:
        """Start the part of a gene, or give the gene to a part that waits for one."""
        part = self.part
        if part is None:
            self._new(gene, token, True)
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
                self._new(gene, token, True)
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
        fresh = self._new(gene, token, True)
        fresh.lead = moved
        if moved:
            fresh.start = moved[0].start
            fresh.connector = fresh.connector or "comma"

    def _gene(self, token: Token, following: Token | None) -> None:
        gene = token.value
        if (
            token.kind == "gene"
            and following is not None
            and following.kind == "drug"
            and following.start - token.end <= 2
        ):
            if self.part is not None and self.part.empty and not self.part.own_gene:
                self.part.lead.clear()
            return
        part = self.part
        family = part is not None and part.own_gene and part.gene == gene
        if (family and part is not None and part.bare and not part.cues and self.connector in {"", "slash"}) or (
            family
            and part is not None
            and token.kind == "fused"
            and self.connector in {"", "comma"}
            and not part.changes
        ):
            self._touch(token)
        else:
            self._open(gene, token)
            self._touch(token)
        if token.kind == "fused":
            self._current(token).pieces.append(Token("fus", token.start, token.end))

    def _split(self, token: Token) -> Part:
        """The part for an alteration: the current one, or a new one of the same gene after a connector."""
        part = self._current(token)
        if part.reads is not None:
            return self._new("", token, False)
        denied = self._denied(part, token)
        if denied is not None:
            return denied
        filled = bool(part.pieces or part.changes) or ("score" in part.flags and bool(self.connector))
        told = bool(part.cues) and (not part.bare or (part.own_gene and self.connector != "slash"))
        if self.connector and (filled or told):
            part = self._new(part.gene, token, False)
        return part

    def _denied(self, part: Part, token: Token) -> Part | None:
        """A new part for what a "no" behind an alteration denies ("exon 19 deletion without T790M"); None otherwise."""
        last = part.last
        if last < 0 or not part.cues or part.cues[-1].kind != "negf" or part.cues[-1].start < last:
            return None
        cue = part.cues[-1]
        if self.low[max(0, cue.start - 3) : cue.start].rstrip()[-1:] == ":":
            return None
        part.cues.pop()
        self.connector = self.connector or "comma"
        fresh = self._new(part.gene, token, False)
        fresh.lead = [cue]
        fresh.start = cue.start
        return fresh

    def _piece(self, token: Token) -> None:
        part = self.part
        if token.kind == "loss" and part is not None and part.changes and not self.connector:
            part.cues.append(Token("negb", token.start, token.end, "loss"))
            self._touch(token)
            return
        if token.kind == "resid" and (part is None or not part.gene or not self._known_residue(part.gene, token.value)):
            return
        if self._foreign(token):
            self.part = None
            self._new(_FOREIGN, token, True)
        part = self._split(token)
        part.pieces.append(token)
        self._touch(token)

    def _foreign(self, token: Token) -> bool:
        """Whether the word before an alteration is the symbol of a gene that this vocabulary does not know."""
        if not self.mixed:
            return False
        begin = max(self.before, token.start - 11)
        found = re.search(r"(?<![A-Za-z0-9])([A-Z][A-Z0-9]{2,8})[ -]$", self.text[begin : token.start])
        return found is not None and found[1] not in _NO_GENES and found[1].lower() not in catalogue().spellings

    def _known_residue(self, gene: str, residue: str) -> bool:
        data = catalogue()
        key = residue.upper()
        return (gene, key) in data.residues or any((gene, key + letter) in data.exact for letter in "CSIREDNAQVMFLX")

    def _exon(self, token: Token) -> None:
        numbers = [int(one) for one in re.findall(r"\d{1,2}", token.value)]
        part = self._current(token)
        denied = self._denied(part, token)
        if denied is not None:
            part = denied
        elif self.connector and (part.pieces or part.changes):
            part = self._new(part.gene, token, False)
        if len(numbers) == 2 and "-" in token.value and numbers[0] < numbers[1]:
            numbers = list(range(numbers[0], numbers[1] + 1))
        part.exons.extend(numbers)
        short = token.value.startswith("ex") and not token.value.startswith("exon")
        part.glued_exon = part.glued_exon or token.value.startswith("glued") or (part.gene == "MET" and short)
        self._touch(token)

    def _change(self, token: Token) -> None:
        protein: tuple[variants.Protein, ...] = ()
        coding: variants.Coding | None = None
        if token.kind == "prot":
            protein = variants.parse_protein(token.value)
            if not protein or not self._plausible(token):
                return
            if protein[0].text not in catalogue().bare and self._foreign(token):
                self.part = None
                self._new(_FOREIGN, token, True)
        else:
            coding = variants.parse_coding(token.value)
            if coding is None:
                return
        part = self.part
        if part is not None and part.changes and self.connector in {"", "comma"}:
            last = part.changes[-1]
            if protein and not last.protein:
                last.protein = protein
                self._touch(token)
                return
            if coding is not None and last.coding is None and last.protein:
                last.coding = coding
                self._touch(token)
                return
        if part is not None and part.changes and not self.connector:
            self.connector = "and"
        part = self._split(token)
        bare = catalogue().bare.get(protein[0].text) if protein else None
        if (
            bare is not None
            and bare != part.gene
            and (not part.gene or not part.own_gene or part.bare is False or self.connector)
        ):
            if part.gene and not self._known_residue(part.gene, f"{protein[0].ref}{protein[0].start}"):
                part = part if part.empty and not part.own_gene else self._new(bare, token, False)
                part.gene = bare
            elif not part.gene:
                part.gene = bare
        part.changes.append(Change(token.start, token.end, protein, coding, self.transcript))
        self.transcript = ""
        self._touch(token)

    def _plausible(self, token: Token) -> bool:
        """Whether letters around a number are a change: written as such, in capitals, or directly behind a gene or
        change.
        """
        start = token.start
        written = self.text[start : token.end]
        stripped = written.lstrip("pP.([ ") if written[:2].lower() == "p." else written.lstrip("([")
        if written[:2].lower() == "p.":
            return True
        gene = self.part.gene if self.part is not None else ""
        near = bool(gene) and start - self.last_place <= 3
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

    def _transcript(self, token: Token) -> None:
        accession = token.value.partition(".")[0].upper()
        if self.low[token.end : token.end + 1] in {":", "("} or self.low[token.end : token.end + 3].strip()[:2] in {
            "c.",
            "p.",
        }:
            self.transcript = accession
            return
        if self.part is not None:
            for change in reversed(self.part.changes):
                if change.transcript:
                    break
                change.transcript = accession

    def _cue(self, token: Token, following: Token | None) -> None:
        part = self.part
        if token.value == "normal" and (
            part is None or not part.own_gene or not part.bare or token.start - part.end > 3
        ):
            return
        ahead = following is not None and following.kind in {
            "gene",
            "fused",
            "prot",
            "coding",
            "trans",
            "colon",
        } | _PIECES | {"exon"}
        forward = token.kind == "negf" or (
            ahead and following is not None and following.kind == "colon" and self._opens(token)
        )
        fresh = part is None or bool(self.connector)
        directly = following is not None and following.kind in {"gene", "fused"} and following.start - token.end <= 5
        if (
            fresh
            and token.kind in {"unc", "vus", "pend", "nott", "pos", "negb"}
            and ahead
            and (directly or token.kind in {"unc", "vus"})
        ):
            forward = True
        if forward and fresh and (part is None or part.gene == "" or not part.empty or part.own_gene):
            part = self._new(part.gene if part is not None else "", token, False)
        if part is None:
            part = self._current(token)
        if not forward and self._stray(token):
            return
        if forward and (part.empty and not part.own_gene):
            part.lead.append(token)
            part.wide = part.wide or (following is not None and following.kind == "colon")
        else:
            part.cues.append(token)
            if self.low[max(0, token.start - 3) : token.start].rstrip()[-1:] == ":":
                part.flags["list"] = "1"
        self._touch(token)

    def _stray(self, token: Token) -> bool:
        """Whether a status word behind a connector belongs to something that is not read ("MRI negative")."""
        if not self.connector or token.kind in {"vus", "unc", "ben"} or self.part is None:
            return False
        if not self.part.gene and self.part.bare:
            return False
        between = self.low[self.connected : token.start].strip(" (:-")
        return bool(between) and between not in _LINKS

    def _opens(self, token: Token) -> bool:
        return self.part is None or bool(self.connector)

    def _feature(self, token: Token) -> None:
        part = self._current(token)
        kind = token.kind
        if part.reads is not None or (kind == "nodata" and (not part.gene or token.start - self.last_place > 2)):
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
            word = self.text[token.start : token.end]
            part.assay = f"{part.assay} {word}".strip() if len(part.assay) < 60 else part.assay
        if kind != "assay":
            part.end = max(part.end, token.end)
        if kind in {"score", "fish", "ihc", "split"}:
            self.last_place = token.end

    def _scale(self, tokens: list[Token], place: int) -> int:
        """Read a PD-L1, TMB or MSI statement; returns the place of the first token behind it."""
        token = tokens[place]
        gene = _SCALES[token.kind]
        end = place + 1
        stops = {"gene", "fused", "trans", "squam", "semi", "but", "coding"} | (set(_SCALES) - {token.kind})
        while end < len(tokens):
            other = tokens[end]
            if other.kind in stops or (other.kind == "prot" and self._plausible(other)):
                break
            if other.kind == "negf" and end + 1 < len(tokens) and tokens[end + 1].kind in {"gene", "fused", "prot"}:
                break
            end += 1
        last = end - 1
        while last > place and tokens[last].kind in _CONNECT | {"open", "colon"}:
            last -= 1
        stop = len(self.low) if end == len(tokens) else tokens[end].start
        if end == len(tokens) and self.stop is not None:
            stop = self.stop
        lead = self.part.lead if self.part is not None and self.part.empty and not self.part.own_gene else []
        words = self.text[token.start : stop].rstrip(" ,;/")
        connector = self.connector
        if lead and self.part is not None:
            part = self.part
            part.gene, part.own_gene = gene, True
        else:
            part = self._new(gene, token, True)
            part.connector = connector if len(self.parts) > 1 else ""
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
        part.cues = [one for one in tokens[place + 1 : end] if one.kind in _CUES][:1]
        self.connector = ""
        if end < len(tokens) and tokens[end - 1].kind in _CONNECT:
            self.connector = tokens[end - 1].kind
        return end

    stop: int | None = None


def _gene_of_phrase(part: Part) -> str:
    """The gene of an alteration that lung reports name without it; empty when it could be another's."""
    if part.changes:
        return ""
    if part.has("del19") or (part.exons == [19] and part.has("del")):
        return "EGFR"
    return "MET" if part.exons == [14] and part.has("skip") else ""


def _scale_reads(gene: str, words: str, start: int, end: int, negated: bool, tokens: list[Token]) -> list[Read]:
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
    if value.low >= limit:
        return PRESENT
    return ABSENT if value.high < limit else UNCERTAIN


def _merged(parts: list[Part]) -> list[Part]:
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


def _hereditary(part: Part, cue: Token) -> bool:
    """Whether "germline" is said of a suppressor, where it is a finding and no doubt."""
    return part.gene in catalogue().suppressors and cue.value in {"germline", "constitutional"}


def _own_status(part: Part) -> FindingStatus | None:
    """What the status words of a part itself say; None when there are none."""
    kinds = [cue.kind for cue in part.cues if not _hereditary(part, cue)]
    if "negf" in kinds:
        return NOT_TESTED if part.untold else ABSENT
    first = next((kind for kind in kinds if kind in {"pos", "negb", "pend", "nott", "unk", "unc", "vus"}), "")
    if "vus" in kinds and part.changes:
        return UNCERTAIN
    if "nott" in kinds and first != "pos":
        return NOT_TESTED
    if first == "negb":
        return ABSENT
    if "unc" in kinds or "vus" in kinds:
        return UNCERTAIN
    return {"pos": PRESENT, "pend": PENDING, "unk": UNKNOWN}.get(first)


_LEADS = {
    "negf": ABSENT,
    "negb": ABSENT,
    "unc": UNCERTAIN,
    "vus": UNCERTAIN,
    "pend": PENDING,
    "nott": NOT_TESTED,
    "pos": PRESENT,
    "unk": UNKNOWN,
}


def _statuses(parts: list[Part]) -> list[FindingStatus | None]:
    """The status of each part, with the reach of status words before and behind lists."""
    states: list[FindingStatus | None] = [None] * len(parts)
    forward: FindingStatus | None = None
    filled = False
    opened, short = -1, False
    from_lead = [False] * len(parts)
    for place, part in enumerate(parts):
        lead = next((cue for cue in part.lead if cue.kind in _LEADS and not _hereditary(part, cue)), None)
        own = _own_status(part)
        if lead is not None:
            state = _LEADS[lead.kind]
            states[place] = state
            from_lead[place] = True
            if state is ABSENT and own in {PENDING, NOT_TESTED}:
                states[place] = own
            elif state is ABSENT and part.untold and lead.kind == "negf":
                states[place] = state = NOT_TESTED
            forward = None if state in {PRESENT, UNCERTAIN} and not part.wide else state
            filled = not part.bare
            opened, short = place, lead.value == "no" and not part.wide
            continue
        if forward is not None and own in {None, PRESENT} and part.connector:
            breaks = (
                own is PRESENT and part.connector == "comma" and filled and not part.bare and forward is not PRESENT
            )
            if forward is ABSENT and short and place == opened + 1 == len(parts) - 1:
                breaks = breaks or (bool(part.changes) and part.connector == "comma" and filled and part.own_gene)
            if not breaks:
                states[place] = forward
                from_lead[place] = True
                filled = filled or not part.bare
                continue
        forward = None
        states[place] = own
    for place in range(len(parts) - 2, -1, -1):
        if states[place] is None and not from_lead[place + 1]:
            states[place] = _shared(parts, states, place)
    return states


def _shared(parts: list[Part], states: list[FindingStatus | None], place: int) -> FindingStatus | None:
    """The status behind a list that reaches back to one of its members."""
    part, nxt = parts[place], parts[place + 1]
    state, connector = states[place + 1], nxt.connector
    if state is None or connector not in _CONNECT:
        return None
    if part.bare and part.own_gene:
        if "list" in nxt.flags:
            part.flags["list"] = "1"
        return state
    if state is PRESENT or part.reads is not None or nxt.reads is not None:
        return None
    if connector == "comma" and nxt.own_gene and "list" in nxt.flags:
        part.flags["list"] = "1"
        return state
    alike = bool(part.changes) == bool(nxt.changes) and not nxt.bare
    if not alike:
        return None
    if connector != "comma":
        return state
    after = parts[place + 2].connector if place + 2 < len(parts) else ""
    return state if after in {"and", "or"} and not nxt.cues else None


def _alterations(part: Part, state: FindingStatus) -> list[Read]:
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
    by_stain = _by_stain(part, state)
    if by_stain is not None and not part.changes:
        return by_stain
    reads.extend(_of_words(part, state))
    return reads


def _of_change(part: Part, change: Change, state: FindingStatus) -> list[Read]:
    data = catalogue()
    gene = part.gene
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
        return [_either(gene, names, start, end, part.assay)]
    return [Read(name, state, start, end, assay=part.assay) for name in names]


def _by_stain(part: Part, state: FindingStatus) -> list[Read] | None:
    """What FISH and immunohistochemistry say of the gene; None when the part holds neither or they add nothing."""
    gene, flags = part.gene, part.flags
    fish, ihc = "fish" in flags or "split" in flags, "ihc" in flags or "score" in flags
    if not (fish or ihc):
        return None

    def one(name: str, status: FindingStatus) -> Read:
        return Read(f"{gene}:{name}", status, part.start, part.end, assay=part.assay)

    decided = state in {PENDING, NOT_TESTED, UNKNOWN}
    stated = any(cue.kind in {"pos", "negb", "negf", "unc"} for cue in [*part.cues, *part.lead])
    if gene in _FUSION_GENES and not part.has("amp", "gain", "mut"):
        if decided:
            return [one("fusion", state)]
        if fish and part.percents and state is not ABSENT:
            return [one("fusion", _by_split(part, state if stated or part.has("fus") else None))]
        if part.has("fus"):
            return None
        if ihc:
            return _by_fusion_stain(part, state, stated)
        return [one("fusion", state)] if stated else []
    if gene == "BRAF" and "ihc" in flags and not part.pieces:
        return [one("V600E", state)] if stated or decided else []
    if gene == "ERBB2":
        return _by_her2_stain(part, state, stated, decided)
    if gene == "MET":
        return _by_met_stain(part, state, stated, decided)
    if "ihc" in flags and not part.has("loss"):
        return []
    return None


def _by_split(part: Part, state: FindingStatus | None) -> FindingStatus:
    if state is UNCERTAIN:
        return UNCERTAIN
    share = max(part.percents)
    if "cut" in part.flags:
        under = share < float(part.flags["cut"])
        clear = True
    else:
        under, clear = share < FISH_CUTOFF, share < FISH_CLEAR
    if under and not part.has("fus"):
        return ABSENT if clear and state is not PRESENT else UNCERTAIN
    if under:
        return UNCERTAIN if clear is False or state is PRESENT else ABSENT
    return UNCERTAIN if state is UNCERTAIN else PRESENT


def _by_fusion_stain(part: Part, state: FindingStatus, stated: bool) -> list[Read]:
    score = part.flags.get("score")
    gene = part.gene

    def make(status: FindingStatus) -> list[Read]:
        return [Read(f"{gene}:fusion", status, part.start, part.end, assay=part.assay)]

    if state is ABSENT or score == "0":
        return [] if gene in {"RET", "NRG1"} else make(ABSENT)
    if not stated and score is None:
        return []
    if state is UNCERTAIN:
        return make(UNCERTAIN)
    if gene == "ALK":
        return make(PRESENT if score in {None, "3"} else UNCERTAIN)
    return make(UNCERTAIN)


def _by_her2_stain(part: Part, state: FindingStatus, stated: bool, decided: bool) -> list[Read] | None:
    flags = part.flags

    def make(name: str, status: FindingStatus) -> Read:
        return Read(f"ERBB2:{name}", status, part.start, part.end, assay=part.assay)

    score = flags.get("score")
    if score is not None:
        if score == "3":
            low = bool(part.percents) and max(part.percents) < HER2_STRONG
            return [make("IHC3+", UNCERTAIN if low and state is PRESENT else state)]
        level = "IHC0" if score == "0" else f"IHC{score}+"
        if state in {PRESENT, ABSENT}:
            return [make(level, PRESENT), make("IHC3+", ABSENT)]
        return [make(level, state)]
    if part.pieces and not part.has("over"):
        return None
    if "ihc" in flags:
        return [make("IHC3+", state)] if stated or decided or part.has("over") else []
    return [make("amplification", state)] if stated or decided else []


def _by_met_stain(part: Part, state: FindingStatus, stated: bool, decided: bool) -> list[Read] | None:
    flags = part.flags

    def make(name: str, status: FindingStatus) -> Read:
        return Read(f"MET:{name}", status, part.start, part.end, assay=part.assay)

    if part.has("amp", "gain", "skip", "mut", "skip14") or part.exons:
        return None
    score = flags.get("score")
    if score is not None and state is not ABSENT and not decided:
        if score != "3":
            return [make("overexpression", ABSENT)]
        share = max(part.percents) if part.percents else None
        if share is None:
            return [make("overexpression", PRESENT if part.has("over") else UNCERTAIN)]
        return [make("overexpression", (PRESENT if share >= MET_STRONG else ABSENT) if state is PRESENT else state)]
    if "ihc" in flags or score is not None:
        if part.has("over") or state is ABSENT or decided:
            return [make("overexpression", state)]
        return [make("overexpression", UNCERTAIN)] if stated else []
    return [make("amplification", state)] if stated or decided else []


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
        return _vague(part, state)
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


_MAY_BE = {
    "MET": ("exon14skip", "amplification", "overexpression"),
    "ERBB2": ("mutation", "amplification", "IHC3+"),
}
"""What "positive" or "altered" may mean for genes with several kinds of target."""


def _vague(part: Part, state: FindingStatus) -> list[Read]:
    """A gene-level finding: no single alteration is named."""
    gene = part.gene
    level = gene_level(gene)
    start, end, assay = part.start, part.end, part.assay
    positive = any(cue.kind == "pos" for cue in [*part.cues, *part.lead])
    rest = "other" in part.flags and state is not PRESENT
    if "resist" in part.flags and part.has("mut", "altn"):
        if gene in _FUSION_GENES and state in {ABSENT, PENDING, NOT_TESTED}:
            return [Read(f"{gene}:missense", state, start, end, assay=assay)]
        return [Read(f"{gene}:alteration", UNCERTAIN, start, end, False, assay=assay)] if state is PRESENT else []
    places = _places(part)
    if state is not PRESENT:
        if state is UNCERTAIN and any(cue.kind == "vus" for cue in [*part.cues, *part.lead]):
            return [Read(f"{gene}:alteration", UNCERTAIN, start, end, False, assay=assay)]
        if gene in catalogue().suppressors and part.bare and any(cue.value == "lost" for cue in part.cues):
            return [Read(f"{gene}:loss", PRESENT, start, end, assay=assay)]
        if part.has("miss") and gene in _FUSION_GENES:
            return [Read(f"{gene}:missense", state, start, end, assay=assay)]
        if gene == "ERBB2" and "low" in part.flags:
            return []
        if gene == "MET" and 14 in part.exons:
            return [Read("MET:exon14skip", state, start, end, assay=assay)]
        if places is not None:
            return [Read(f"{gene}:{name}", state, start, end, specific=False, assay=assay) for name in places]
        return [Read(level, state, start, end, specific=level.endswith(":fusion"), assay=assay, rest=rest)]
    if gene == "ERBB2" and "low" in part.flags and not part.pieces:
        return [Read("ERBB2:IHC3+", ABSENT, start, end, assay=assay)]
    if not (part.pieces or positive):
        return []
    if places is not None and len(places) == 1 and part.has("resid") and gene in _FUSION_GENES:
        return [Read(f"{gene}:{places[0]}", PRESENT, start, end, False, assay=assay)]
    if part.has("miss") and gene in _FUSION_GENES:
        return [Read(f"{gene}:missense", PRESENT, start, end, False, assay=assay)]
    if gene in _FUSION_GENES:
        if not part.pieces:
            return [Read(f"{gene}:fusion", PRESENT, start, end, assay=assay)]
        if part.has("mut", "altn"):
            may = frozenset({f"{gene}:fusion", f"{gene}:missense"})
            return [Read(f"{gene}:alteration", PRESENT, start, end, False, may, gene, assay)]
        return []
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
    if places is not None and len(places) == 1 and part.has("resid") and marker(f"{gene}:{places[0]}") is not None:
        name = f"{gene}:{places[0]}"
        if (gene, places[0][:-1]) in catalogue().residues:
            return [Read(name, PRESENT, start, end, False, assay=assay)]
    return [Read(level, PRESENT, start, end, False, assay=assay)]


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


def _either(gene: str, names: list[str], start: int, end: int, assay: str, other: bool = False) -> Read:
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


def _alternatives(parts: list[Part], states: list[FindingStatus | None]) -> list[Read]:
    """Findings of a segment, with alternatives of one gene joined."""
    reads: list[Read] = []
    behind = _list_ends(parts)
    place = 0
    while place < len(parts):
        last = place
        while (
            last + 1 < len(parts)
            and parts[last + 1].connector in {"slash", "or"}
            and parts[last + 1].gene == parts[place].gene
            and not parts[place].bare
            and _shown(parts[last + 1], states[last + 1]) is PRESENT
            and _shown(parts[place], states[place]) is PRESENT
        ):
            last += 1
        group: list[list[Read]] = []
        for at in range(place, last + 1):
            group.append(_found(parts, states, at, behind))
        other = "other" in parts[last].flags and bool(parts[last].changes)
        flat = [read for one in group for read in one]
        if (
            (last > place or other)
            and flat
            and all(read.status is PRESENT for read in flat)
            and parts[place].gene in catalogue().genes
        ):
            names = list(dict.fromkeys(read.name for read in flat if not read.possible))
            acquired = any((found := marker(name)) is not None and found.acquired for name in names)
            if (len(names) > 1 or other) and not acquired and len(names) == len({read.name for read in flat}):
                flat = [
                    _either(
                        parts[place].gene, names, flat[0].start, max(read.end for read in flat), flat[0].assay, other
                    )
                ]
        reads.extend(flat)
        place = last + 1
    return reads


def _list_ends(parts: list[Part]) -> list[int]:
    """For each part, the place of the first part behind the list of bare genes that follows it."""
    ends = [len(parts)] * len(parts)
    for place in range(len(parts) - 2, -1, -1):
        nxt = parts[place + 1]
        listed = nxt.bare and nxt.own_gene and not nxt.cues and nxt.connector in _CONNECT
        ends[place] = ends[place + 1] if listed else place + 1
    return ends


def _shown(part: Part, state: FindingStatus | None) -> FindingStatus | None:
    return state if state is not None else (None if part.bare else PRESENT)


def _found(parts: list[Part], states: list[FindingStatus | None], place: int, behind: list[int]) -> list[Read]:
    part = parts[place]
    state = _shown(part, states[place])
    if part.bare and part.own_gene and state in {None, PRESENT} and not part.cues and place + 1 < len(parts):
        return _borrowed(parts, states, place, behind)
    if state is None or part.gene in {"", _FOREIGN} or "supposed" in part.flags:
        return []
    owner = _lender(parts, states, place)
    if owner is not None and state is PRESENT:
        may = list(_alterations(part, state))
        return [
            Read(
                f"{part.gene}:alteration",
                PRESENT,
                read.start,
                read.end,
                False,
                frozenset({read.name}),
                part.gene,
                read.assay,
            )
            if read.name.endswith(":fusion")
            else read
            for read in may
        ]
    return _alterations(part, state)


def _lender(parts: list[Part], states: list[FindingStatus | None], place: int) -> Part | None:
    """The bare gene that stands as alternative before a part ("ALK/ROS1 fusion"); None when there is none."""
    part = parts[place]
    if (
        place
        and part.connector in {"slash", "or"}
        and part.own_gene
        and parts[place - 1].bare
        and parts[place - 1].own_gene
    ):
        before = parts[place - 1]
        if before.gene != part.gene and not before.cues and part.has("fus") and states[place - 1] in {None, PRESENT}:
            return before
    return None


def _borrowed(parts: list[Part], states: list[FindingStatus | None], place: int, behind: list[int]) -> list[Read]:
    """What a bare gene in a list takes from the alteration word behind the list."""
    part = parts[place]
    at = behind[place]
    if (
        at == len(parts)
        or "supposed" in part.flags
        or parts[at].connector not in {"and", "or", "slash"}
        or parts[at].reads is not None
        or not parts[at].own_gene
    ):
        return []
    lender = parts[at]
    if _shown(lender, states[at]) is not PRESENT or lender.changes:
        return []
    if lender.has("fus") and part.gene in _FUSION_GENES:
        name = f"{part.gene}:fusion"
        if lender.connector == "and":
            return [Read(name, PRESENT, part.start, part.end)]
        return [Read(f"{part.gene}:alteration", PRESENT, part.start, part.end, False, frozenset({name}), part.gene)]
    if lender.connector == "and" and not lender.has("fus"):
        copy = Part(part.gene, part.start, part.end, pieces=list(lender.pieces), cues=list(lender.cues))
        return _alterations(copy, PRESENT)
    return []


def _cleaned(reads: list[Read]) -> list[Read]:
    """Findings without repetition and without what a more specific one of the same status already says."""
    kept: list[Read] = []
    seen: set[tuple[str, FindingStatus]] = set()
    for read in reads:
        key = (read.name, read.status)
        if key in seen and not read.possible:
            continue
        seen.add(key)
        kept.append(read)
    genes = {read.name.partition(":")[0] for read in kept if read.status is PRESENT}
    kept = [read for read in kept if not (read.rest and read.name.partition(":")[0] in genes)]
    denied = {read.name for read in kept if read.status is ABSENT}
    kept = [read for read in kept if not (read.status is UNCERTAIN and read.name in denied)]
    carried: set[str] = set()
    for read in kept:
        if read.status is PRESENT and not read.possible:
            found = marker(read.name)
            if found is not None:
                carried |= found.classes
    own = {read.name for read in kept if read.status is PRESENT}
    insertion = "EGFR:A763_Y764insFQEA" in own
    result = [
        read
        for read in kept
        if not (read.status is PRESENT and not read.possible and read.name in carried)
        and not (insertion and read.name == "EGFR:exon20ins")
        and not (read.possible and not read.possible.isdisjoint(own))
    ]
    members = {f"NTRK{number}:fusion" for number in (1, 2, 3)}
    if members <= denied and "NTRK:fusion" not in denied:
        spans = [read for read in result if read.name in members]
        result.append(Read("NTRK:fusion", ABSENT, spans[0].start, spans[-1].end))
    resistance = [
        read
        for read in result
        if read.status is PRESENT
        and read.name.startswith("ALK:")
        and (found := marker(read.name)) is not None
        and found.acquired
    ]
    if len({read.name for read in resistance}) > 1:
        result.append(Read("ALK:compound", PRESENT, resistance[0].start, resistance[-1].end))
    return result


def read(text: str) -> tuple[Read, ...]:
    """Read a string of any form.

    Args:
        text: the string.

    Returns:
        Findings in the order of the string; places are code points of `text`.
    """
    low = _flat(text)
    tokens = _tokens(text, low)
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
        segment = _Segment(text, low, carried, mixed)
        segment.stop = tokens[end].start if end < len(tokens) else len(text)
        parts = segment.add(tokens[begin:end])
        parts = _merged(parts)
        if parts:
            reads.extend(_alternatives(parts, _statuses(parts)))
            carried = next((part.gene for part in reversed(parts) if part.gene != _FOREIGN), carried)
        begin = end + 1
    return tuple(_closed(text, read) for read in _cleaned(reads))


def _closed(text: str, read: Read) -> Read:
    """The finding with a bracket that its words open closed again."""
    if text[read.end : read.end + 1] in {")", "]"} and text.count("(", read.start, read.end) + text.count(
        "[", read.start, read.end
    ) > text.count(")", read.start, read.end) + text.count("]", read.start, read.end):
        return replace(read, end=read.end + 1)
    return read
