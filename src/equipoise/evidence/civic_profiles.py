"""The grammar of CIViC's molecular profiles: markers joined by AND, OR and NOT, in this project's marker names.

Newer releases name a profile in one string ("EML4::ALK Fusion AND ALK G1202R", "EGFR L858R OR EGFR Exon 19 Deletion").
In older ones a gene and a variant stood in two columns, and a variant could hold several findings ("EML4-ALK
C1156Y-L1198F", "EXON 14 MUTATION + AMPLIFICATION"). Both are read into one tree. A term that the vocabulary does not
name keeps its text and is never satisfied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from equipoise.cases.facts import TRUE, UNKNOWN
from equipoise.cases.vocabulary import variants
from equipoise.cases.vocabulary.biomarkers import catalogue, marker


@dataclass(frozen=True, slots=True)
class Profile:
    """A molecular profile, or a part of one.

    Attributes:
        kind: "marker", "and", "or" or "not".
        text: the words of the source.
        marker: normalised marker name of a "marker" part; empty when the vocabulary has none.
        parts: what is joined; empty for a "marker" part.
    """

    kind: str
    text: str
    marker: str = ""
    parts: tuple[Profile, ...] = ()

    def terms(self) -> Iterator[Profile]:
        """The marker parts, in order."""
        if self.kind == "marker":
            yield self
        for part in self.parts:
            yield from part.terms()

    def state(self, read: Callable[[str], int]) -> int:
        """Whether the profile is present: TRUE, UNKNOWN or FALSE (Kleene's logic).

        Args:
            read: gives the state of one marker name.
        """
        if self.kind == "marker":
            return read(self.marker) if self.marker else UNKNOWN
        states = [part.state(read) for part in self.parts]
        if self.kind == "not":
            return -states[0]
        return max(states) if self.kind == "or" else min(states)

    @property
    def nameable(self) -> bool:
        """Whether any case could satisfy it: a term without a marker name leaves an AND open for ever."""
        return self._best() == TRUE

    def _best(self) -> int:
        if self.kind == "marker":
            return TRUE if self.marker else UNKNOWN
        if self.kind == "not":
            return TRUE if all(term.marker for term in self.parts[0].terms()) else UNKNOWN
        states = [part._best() for part in self.parts]
        return max(states) if self.kind == "or" else min(states)

    def __str__(self) -> str:
        if self.kind == "marker":
            return self.marker or f"[{self.text}]"
        if self.kind == "not":
            return f"NOT {self.parts[0]}"
        return "(" + f" {self.kind.upper()} ".join(str(part) for part in self.parts) + ")"


class ProfileError(ValueError):
    """The structure of a profile cannot be read."""


_LIMIT = 4000


@lru_cache(maxsize=8192)
def parse_profile(text: str) -> Profile:
    """Read the name of a molecular profile.

    AND binds closer than OR. Parentheses stand alone as words, because a term may hold its own ("MET Splice Site
    (c.3028G>A)").

    Raises:
        ProfileError: unbalanced parentheses, an operator without its operand, or a name longer than any that CIViC
        writes.
    """
    if len(text) > _LIMIT:
        message = f"a profile of {len(text)} characters"
        raise ProfileError(message)
    parser = _Parser(_tokens(text), text)
    tree = parser.either()
    if parser.place != len(parser.tokens):
        message = f"unexpected {parser.tokens[parser.place]!r} in {text!r}"
        raise ProfileError(message)
    return tree


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    term: list[str] = []
    for word in text.split():
        if word in ("AND", "OR", "NOT", "(", ")"):
            if term:
                tokens.append(" ".join(term))
                term = []
            tokens.append(word)
        else:
            term.append(word)
    if term:
        tokens.append(" ".join(term))
    return tokens


class _Parser:
    """Recursive descent over the tokens of one profile."""

    def __init__(self, tokens: list[str], text: str) -> None:
        self.tokens = tokens
        self.text = text
        self.place = 0
        self.depth = 0

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def either(self) -> Profile:
        parts = [self.both()]
        while self.peek() == "OR":
            self.place += 1
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else Profile("or", self.text, parts=tuple(parts))

    def both(self) -> Profile:
        parts = [self.one()]
        while self.peek() == "AND":
            self.place += 1
            parts.append(self.one())
        return parts[0] if len(parts) == 1 else Profile("and", self.text, parts=tuple(parts))

    def one(self) -> Profile:
        token = self.peek()
        if token == "NOT":
            self.place += 1
            return Profile("not", self.text, parts=(self.one(),))
        if token == "(":
            self.depth += 1
            if self.depth > 20:
                message = f"parentheses nested too deeply in {self.text!r}"
                raise ProfileError(message)
            self.place += 1
            inner = self.either()
            if self.peek() != ")":
                message = f"a parenthesis is not closed in {self.text!r}"
                raise ProfileError(message)
            self.place += 1
            self.depth -= 1
            return inner
        if token in ("", "AND", "OR", ")"):
            message = f"expected a marker before {token or 'the end'!r} in {self.text!r}"
            raise ProfileError(message)
        self.place += 1
        return _term(token)


_FUSION = re.compile(r"(?P<a>[A-Za-z0-9-]+)::(?P<b>[A-Za-z0-9-]+)(?:\s+(?:fusions?|e\d+::e\d+))?", re.IGNORECASE)


def _term(text: str) -> Profile:
    """One term of the current form: `GENE change`, `A::B Fusion`, `TMB High`."""
    fusion = _FUSION.fullmatch(text)
    if fusion is not None:
        return Profile("marker", text, _fusion_name(fusion["a"], fusion["b"]))
    gene, _, change = text.partition(" ")
    return _of_gene(text, gene, change.strip())


def _symbol(text: str) -> str:
    return catalogue().spellings.get(text.lower(), "")


def _fusion_name(first: str, second: str) -> str:
    """The fusion of the one partner that is a known driver; the other partner is not part of the name."""
    data = catalogue()
    symbols = [symbol for symbol in (_symbol(second), _symbol(first)) if symbol]
    symbols.sort(key=lambda symbol: data.levels.get(symbol) != "fusion")
    return f"{symbols[0]}:fusion" if symbols else ""


_WORDS: dict[str, str] = {
    "mutation": "any_mutation",
    "activating mutation": "any_mutation",
    "gain-of-function": "any_mutation",
    "amplification": "amplification",
    "overexpression": "overexpression",
    "fusion": "fusion",
    "fusions": "fusion",
    "rearrangement": "fusion",
    "intron 9 rearrangement": "fusion",
    "intron 10 rearrangement": "fusion",
    "exon 19 deletion": "exon19del",
    "exon 19 del": "exon19del",
    "ex19 del": "exon19del",
    "exon 20 insertion": "exon20ins",
    "exon 14 mutation": "exon14skip",
    "exon 14 skipping mutation": "exon14skip",
    "splice site (c.3028g>a)": "exon14skip",
    "kinase domain mutation": "TKD_mutation",
    "loss": "loss",
    "loss-of-function": "loss",
    "deleterious mutation": "loss",
    "inactivating mutation": "loss",
    "frameshift truncation": "loss",
    "deletion": "loss",
}
"""What CIViC calls an alteration of a gene, and this project's name for it."""

_ONLY: dict[str, frozenset[str]] = {
    "exon19del": frozenset({"EGFR"}),
    "exon20ins": frozenset({"EGFR", "ERBB2"}),
    "exon14skip": frozenset({"MET"}),
    "TKD_mutation": frozenset({"ERBB2"}),
}
_ALTERNATIVES = re.compile(r"(?:[A-Z]\d+)(?:/[A-Z]\d+)+")
_CHANGE = re.compile(r"[A-Za-z]\d+")


def _of_gene(text: str, gene: str, change: str) -> Profile:
    """One term of a named gene."""
    symbol = _symbol(gene)
    if not symbol:
        return Profile("marker", text)
    word = change.lower()
    data = catalogue()
    if word in ("wildtype", "wild type"):
        inner = Profile("marker", text, f"{symbol}:any_mutation")
        return Profile("not", text, parts=(inner,))
    if symbol == "BRAF" and word == "non-v600":
        classes = tuple(Profile("marker", text, f"BRAF:{name}") for name in ("classII", "classIII"))
        return Profile("or", text, parts=classes)
    known = _WORDS.get(word)
    if known is not None:
        if symbol not in _ONLY.get(known, data.genes):
            return Profile("marker", text)
        if known == "any_mutation" and data.levels.get(symbol) == "fusion":
            return Profile("marker", text, f"{symbol}:missense")
        name = f"{symbol}:{known}"
        return Profile("marker", text, name if marker(name) is not None else "")
    if _ALTERNATIVES.fullmatch(change):
        parts = tuple(Profile("marker", text, f"{symbol}:{residue}X") for residue in change.split("/"))
        return Profile("or", text, parts=parts)
    return Profile("marker", text, _protein_name(symbol, change))


def _protein_name(symbol: str, change: str) -> str:
    if not _CHANGE.match(change):
        return ""
    if re.fullmatch(r"[A-Z]\d+", change):
        name = f"{symbol}:{change}X"
        return name if marker(name) is not None else ""
    found = variants.parse_protein(_legacy_spelling(change))
    if len(found) != 1 or found[0].kind == "synonymous":
        return ""
    name = f"{symbol}:{variants.renumbered(symbol, found[0]).text}"
    return name if marker(name) is not None else ""


_KEYWORD = re.compile(r"(?<=\d)(DELINS|DEL|DUP|INS)(?=[A-Z]*$)")


def _legacy_spelling(change: str) -> str:
    """Upper-case keywords of older releases in the usual form."""
    return _KEYWORD.sub(lambda match: match[1].lower(), change)


# --- the two columns of the older releases ---------------------------------------------------------------------------

_JOINED = re.compile(r"\s+(?:and|\+)\s+|\s*\+\s*", re.IGNORECASE)
_OLD_FUSION = re.compile(
    r"(?P<a>[A-Z0-9]+)-(?P<b>[A-Z0-9]+)(?:\s+fusion)?(?:\s+[ED]\d+;[A-Z]\d+)?(?P<rest>\s+.*)?", re.IGNORECASE
)
_OLD_ANY_FUSION = re.compile(r"(?P<gene>[A-Z0-9]+)\s+fusions?(?P<rest>\s+.*)?", re.IGNORECASE)
_DASHES = re.compile("[\u2010-\u2015\u2212]")


@lru_cache(maxsize=8192)
def legacy_profile(gene: str, variant: str) -> Profile:
    """Read the gene and variant columns of an older release.

    Args:
        gene: HGNC symbol.
        variant: free name of the variant, which may hold a fusion with a resistance variant, or two findings.

    Raises:
        ProfileError: the variant is empty.
    """
    text = _DASHES.sub("-", variant).strip()
    if not text or not gene.strip():
        message = "the profile is empty"
        raise ProfileError(message)
    whole = f"{gene} {variant}"
    if gene == "EGFR" and re.fullmatch(r"ex19 del l858r", text, re.IGNORECASE):
        either = (Profile("marker", whole, "EGFR:exon19del"), Profile("marker", whole, "EGFR:L858R"))
        return Profile("or", whole, parts=either)
    parts: list[Profile] = []
    for piece in _JOINED.split(text):
        parts.extend(_old_piece(whole, gene, piece.strip()))
    return parts[0] if len(parts) == 1 else Profile("and", whole, parts=tuple(parts))


def _old_piece(whole: str, gene: str, piece: str) -> list[Profile]:
    found = _OLD_ANY_FUSION.fullmatch(piece)
    if found is not None and _symbol(found["gene"]) == _symbol(gene) != "":
        return [Profile("marker", whole, f"{_symbol(gene)}:fusion"), *_old_changes(whole, gene, found["rest"])]
    found = _OLD_FUSION.fullmatch(piece)
    if found is not None and gene.lower() in (found["a"].lower(), found["b"].lower()):
        name = _fusion_name(found["a"], found["b"])
        return [Profile("marker", whole, name), *_old_changes(whole, gene, found["rest"])]
    if re.fullmatch(r"[A-Z]\d+[A-Z]-[A-Z]\d+[A-Z]", piece):
        return _old_changes(whole, gene, piece)
    return [_of_gene(whole, gene, _OLD_NAMES.get((gene, piece.upper()), piece))]


def _old_changes(whole: str, gene: str, rest: str | None) -> list[Profile]:
    if rest is None or not rest.strip():
        return []
    pieces = [piece for piece in re.split(r"(?<=[A-Z])-(?=[A-Z]\d)", rest.strip()) if piece]
    return [_of_gene(whole, gene, _OLD_NAMES.get((gene, piece.upper()), piece)) for piece in pieces]


_OLD_NAMES: dict[tuple[str, str], str] = {
    ("ALK", "T1151INST"): "T1151dup",
    ("ERBB2", "M774INSAYVM"): "Y772_A775dup",
    ("ERBB2", "P780INS"): "G778_P780dup",
    ("EGFR", "V769_770INSASV"): "V769_D770insASV",
    ("BRAF", "DEL 485-490"): "L485_P490del",
    ("EGFR", "D770_N771INSGY"): "D770delinsGY",
    ("BRAF", "MACF1-BRAF FUSION"): "fusion",
}
"""Variant names that the source itself replaced later: the name that the same evidence items carry in the 2026
release."""
