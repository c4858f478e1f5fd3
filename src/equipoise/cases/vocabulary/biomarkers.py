"""Biomarker names: what a name means, which classes it carries, and how report strings are read into findings.

`marker` knows every listed name and builds any well-formed change of a protein of a known gene. `read_biomarkers`
reads report strings; the grammar of longer strings is in reports, the changes in variants.py, scores in
expression.py, the data in biomarkers.yaml.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache

from equipoise.cases.model import Finding, FindingStatus, Source
from equipoise.cases.vocabulary import variants
from equipoise.cases.vocabulary._data import vocabulary

KINDS: tuple[str, ...] = ("variant", "fusion", "amplification", "expression", "loss", "transformation", "other")
"""Kinds of alteration; findings of one kind say nothing of another."""

_PLAIN_KINDS: dict[str, str] = {
    "any_mutation": "variant", "mutation": "variant", "missense": "variant", "KDD": "variant", "fusion": "fusion",
    "fusion_without_EGF_domain": "fusion", "amplification": "amplification", "overexpression": "expression",
    "loss": "loss", "alteration": "other",
}  # fmt: skip
_LETTERS = "ACDEFGHIKLMNPQRSTVWY"
_GENELESS = {"MSI-H|dMMR": "MSI", "MSI-H": "MSI", "dMMR": "MSI", "STK11|KEAP1:loss": "STK11"}


@dataclass(frozen=True, slots=True)
class Marker:
    """What a normalised name means.

    Attributes:
        name: the name, `GENE:alteration`.
        gene: gene symbol, family (`NTRK`), `PD-L1`, `TMB`, `MSI` or `transformation`.
        kind: one of `KINDS`.
        acquired: whether the variant arises under treatment, so that not finding it earlier says nothing.
        classes: every name it belongs to, without itself.
    """

    name: str
    gene: str
    kind: str
    acquired: bool
    classes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Read:
    """One finding as read from a string, before it is given a field.

    Attributes:
        name: normalised name.
        status: what the string says of it.
        start: first character, code points.
        end: one past the last.
        specific: see `Finding.specific`.
        possible: see `Finding.possible`.
        gene: gene when the name is only what it may be; empty otherwise.
        assay: test as written.
        rest: whether it denies only what else there may be ("no other EGFR mutation").
    """

    name: str
    status: FindingStatus
    start: int
    end: int
    specific: bool = True
    possible: frozenset[str] = field(default_factory=frozenset)
    gene: str = ""
    assay: str = ""
    rest: bool = False


@dataclass(frozen=True, slots=True)
class Catalogue:
    """biomarkers.yaml, indexed.

    Attributes:
        genes: symbols.
        spellings: lower-case spelling -> symbol.
        levels: symbol -> alteration of a gene-level result.
        suppressors: genes in which loss of function is what matters.
        exact: (gene, change) -> its classes and whether it is acquired.
        residues: (gene, residue such as `G719`) -> the same, for every missense change of it.
        parents: name -> names it belongs to.
        kinds: name -> kind for names that are no protein change.
        acquired: such names that stand for acquired variants.
        bare: change -> gene, for changes that are written without their gene.
        polymorphisms: (gene, change).
        partners: lower-case fusion partners.
    """

    genes: frozenset[str]
    spellings: dict[str, str]
    levels: dict[str, str]
    suppressors: frozenset[str]
    exact: dict[tuple[str, str], tuple[frozenset[str], bool]]
    residues: dict[tuple[str, str], tuple[frozenset[str], bool]]
    parents: dict[str, tuple[str, ...]]
    kinds: dict[str, str]
    acquired: frozenset[str]
    bare: dict[str, str]
    polymorphisms: frozenset[tuple[str, str]]
    partners: frozenset[str]


@cache
def catalogue() -> Catalogue:
    """The vocabulary, read on first use."""
    data = vocabulary("biomarkers")
    spellings: dict[str, str] = {}
    levels: dict[str, str] = {}
    suppressors = set()
    for symbol, entry in data["genes"].items():
        spellings[symbol.lower()] = symbol
        for word in entry.get("words", ()):
            spellings[word] = symbol
        levels[symbol] = entry.get("level", "any_mutation")
        if entry.get("suppressor"):
            suppressors.add(symbol)
    exact: dict[tuple[str, str], tuple[frozenset[str], bool]] = {}
    residues: dict[tuple[str, str], tuple[frozenset[str], bool]] = {}
    several = re.compile(r"([A-Z]\d+)([A-Z]{2,})$")
    for row in data["classes"]:
        gene = row["gene"]
        names = frozenset(one if ":" in one else f"{gene}:{one}" for one in row["is"])
        acquired = bool(row.get("acquired"))
        for change in row["changes"]:
            found = several.match(change)
            keys = [found[1] + letter for letter in found[2]] if found else [change]
            for key in keys:
                table = residues if key[-1].isdigit() else exact
                before = table.get((gene, key), (frozenset(), False))
                table[gene, key] = (before[0] | names, before[1] or acquired)
    others = data["others"]
    return Catalogue(
        genes=frozenset(data["genes"]),
        spellings=spellings,
        levels=levels,
        suppressors=frozenset(suppressors),
        exact=exact,
        residues=residues,
        parents={name: tuple(up) for name, up in data["parents"].items()},
        kinds={name: kind for kind in KINDS for name in others.get(kind, ())},
        acquired=frozenset(others["acquired"]),
        bare={change: gene for gene, changes in data["bare"].items() for change in changes},
        polymorphisms=frozenset(
            (gene, change) for gene, changes in data["polymorphisms"].items() for change in changes
        ),
        partners=frozenset(word.lower() for word in data["partners"]),
    )


def known_genes() -> frozenset[str]:
    """Symbols of the genes and gene families whose variants can be named."""
    return catalogue().genes


@lru_cache(maxsize=16384)
def marker(name: str) -> Marker | None:
    """What a normalised name means.

    Args:
        name: `GENE:alteration`. Any well-formed protein change of a known gene is legal ("EGFR:R776H"); a change in the
            numbering of another transcript comes back under this project's name.

    Returns:
        The marker; None when the name is not one.
    """
    data = catalogue()
    gene, _, rest = name.partition(":")
    if name in data.kinds:
        gene = _GENELESS.get(name, gene)
        return _marker(data, name, gene, data.kinds[name], name in data.acquired, set())
    if gene not in data.genes or not rest:
        return None
    if rest in _PLAIN_KINDS:
        kind = _PLAIN_KINDS[rest]
        return _marker(data, name, gene, kind, False, set())
    if not rest[0].isupper():
        return None
    changes = variants.parse_protein(rest)
    if len(changes) != 1 or not rest[1:2].isdigit():
        return None
    return of_change(gene, variants.renumbered(gene, changes[0]))


def of_change(gene: str, change: variants.Protein, position: str | None = None) -> Marker:
    """The marker of a protein change.

    Args:
        gene: a known gene.
        change: in this project's numbering.
        position: alteration by position when it was decided from the coding change; otherwise it is decided here.
    """
    data = catalogue()
    text = change.text
    names: set[str] = set()
    acquired = False
    position = position or variants.by_position(gene, change)
    if position is not None:
        names.add(f"{gene}:{position}")
    found = data.exact.get((gene, text))
    if found:
        names |= found[0]
        acquired = found[1]
    if change.kind in {"missense", "residue"}:
        residue = f"{change.ref}{change.start}"
        found = data.residues.get((gene, residue))
        if found:
            names |= found[0]
            acquired = acquired or found[1]
        names.add(f"{gene}:{residue}X")
        if change.kind == "residue":
            names |= _common(data, gene, residue)
            listed = [data.exact[key][1] for letter in _LETTERS if (key := (gene, residue + letter)) in data.exact]
            acquired = acquired or (bool(listed) and all(listed))
        if change.kind == "missense" and data.levels[gene] == "fusion":
            names.add(f"{gene}:missense")
    if gene == "ERBB2" and change.gain and variants.in_erbb2_kinase_domain(change):
        names.add("ERBB2:TKD_mutation")
    if gene in data.suppressors and variants.truncating(change):
        names |= {f"{gene}:loss", f"{gene}:any_mutation"}
    return _marker(data, f"{gene}:{text}", gene, "variant", acquired, names)


def _common(data: Catalogue, gene: str, residue: str) -> set[str]:
    """What all listed changes of a residue share, when there are several."""
    listed = [data.exact[gene, residue + letter][0] for letter in _LETTERS if (gene, residue + letter) in data.exact]
    if len(listed) < 2:
        return set()
    closed = [
        names.union(*(_marker(data, name, gene, "variant", False, set()).classes for name in names)) for names in listed
    ]
    return set(frozenset.intersection(*closed))


def _marker(data: Catalogue, name: str, gene: str, kind: str, acquired: bool, names: set[str]) -> Marker:
    todo = [name, *names]
    closed: set[str] = set(todo)
    while todo:
        one = todo.pop()
        ups = list(data.parents.get(one, ()))
        head, _, rest = one.partition(":")
        if rest == "any_mutation":
            ups.append(f"{head}:mutation")
        elif rest == "mutation":
            ups.append(f"{head}:any_mutation")
        if head in {"NTRK1", "NTRK2", "NTRK3"}:
            ups.append(f"NTRK:{rest}")
        for up in ups:
            if up not in closed:
                closed.add(up)
                todo.append(up)
    closed.discard(name)
    return Marker(name, gene, kind, acquired, frozenset(closed))


def classes_of(name: str) -> frozenset[str]:
    """Every name that a marker belongs to, without itself; empty for a name that is none."""
    found = marker(name)
    return found.classes if found is not None else frozenset()


def gene_level(gene: str) -> str:
    """The name of a result for a whole gene: `ALK:fusion`, `EGFR:any_mutation`, `ERBB2:mutation`."""
    return f"{gene}:{catalogue().levels.get(gene, 'any_mutation')}"


_SIMPLE_WORDS: dict[str, str] = {
    "fusion": "fusion", "rearrangement": "fusion", "fusion/rearrangement": "fusion", "rearranged": "fusion",
    "translocation": "fusion", "amplification": "amplification",
    "exon 19 deletion": "exon19del", "exon 19 del": "exon19del", "exon19del": "exon19del",
    "exon 20 insertion": "exon20ins", "exon20ins": "exon20ins", "exon 14 skipping": "exon14skip",
}  # fmt: skip
_SIMPLE_GENES: dict[str, frozenset[str]] = {
    "exon19del": frozenset({"EGFR"}),
    "exon20ins": frozenset({"EGFR", "ERBB2"}),
    "exon14skip": frozenset({"MET"}),
}


def _simple(text: str) -> tuple[Read, ...] | None:
    """The reading of `GENE CHANGE` and `GENE word`; None when the string is anything else."""
    data = catalogue()
    head, _, tail = text.partition(" ")
    gene = data.spellings.get(head.lower())
    if gene is None or (gene == "MET" and head not in {"MET", "c-MET"}):
        if ":" in text and (found := marker(text)) is not None:
            return (_reading(found, text),)
        return None
    tail = tail.strip()
    word = _SIMPLE_WORDS.get(tail.lower())
    if word is not None:
        if gene not in _SIMPLE_GENES.get(word, data.genes):
            return None
        found = marker(f"{gene}:{word}")
        return (_reading(found, text),) if found is not None else None
    if tail.startswith("p."):
        tail = tail[2:]
    if (
        len(tail) < 3
        or not tail[0].isupper()
        or not tail[1].isdigit()
        or not tail[-1].isupper()
        or not tail[1:-1].isdigit()
    ):
        return None
    if (gene, tail) in data.polymorphisms:
        return ()
    found = marker(f"{gene}:{tail}")
    if found is None or found.name.endswith("="):
        return None if found is None else ()
    return (_reading(found, text),)


def _reading(found: Marker, text: str) -> Read:
    rest = found.name.rpartition(":")[2]
    return Read(found.name, FindingStatus.PRESENT, 0, len(text), specific=rest not in _VAGUE)


_VAGUE = frozenset({"any_mutation", "mutation", "missense", "common", "non-G12C", "PACC", "alteration"})


def _read(text: str) -> tuple[Read, ...]:
    found = _simple(text)
    if found is None:
        from equipoise.cases.vocabulary import reports

        found = reports.read(text)
    return found


_cached = lru_cache(maxsize=8192)(_read)


def read_biomarkers(text: str, *, field: str = "biomarkers") -> tuple[Finding, ...]:
    """Read a report string or the value of a field into findings.

    A string may hold several findings, with negations, pending and missing tests, and uncertain variants. Germline
    polymorphisms and silent changes are no finding at all: they are neither an oncogenic variant nor the absence of
    one. A string that is only the name of a gene gives its gene-level name with status `UNKNOWN`.

    Args:
        text: the string.
        field: path of the element, for the source of each finding.

    Returns:
        Findings in the order of the string; empty when nothing was recognised. Never raises.
    """
    text = text if isinstance(text, str) else str(text)
    return tuple(_finding(one, text, field) for one in (_cached(text) if len(text) <= 400 else _read(text)))


@cache
def _nothing() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:no|without(?: any)?)\s+(?:(?:other|known|clinically|currently|potentially)\s+){0,2}"
        r"(?:actionable|targetable|reportable|druggable|oncogenic|driver|pathogenic|relevant|significant)\b"
        r"(?:[\s-]+(?:driver|genomic|genetic|molecular|gene|or\s+\w{3,14})){0,3}"
        r"[\s-]+(?:alterations?|aberrations?|mutations?|variants?|drivers?|findings?|abnormalit(?:y|ies))"
        r"(?!\s+in\b)|\bno\s+(?:oncogenic\s+)?drivers?\b|\b(?:pan|driver|panel|ngs)[\s-]+negative\b",
        re.IGNORECASE,
    )


def nothing_found(text: str) -> bool:
    """Whether a string says of a whole panel that it found nothing to act on, and names no gene.

    Such a string is no finding. It says what `biomarkers_complete` of a case says, as far as the panel goes.
    "Quantity not sufficient" is not such a string: what was not tested is not negative.
    """
    return _nothing().search(text) is not None and not _read(text)


def _finding(one: Read, text: str, field: str) -> Finding:
    source = Source(field, text[one.start : one.end], one.start, one.end)
    found = marker(one.name)
    status = one.status
    if one.possible or found is None:
        gene = one.gene or one.name.partition(":")[0]
        return Finding(
            gene=gene,
            name=one.name,
            names=frozenset() if one.possible else frozenset({one.name}),
            kind="other" if found is None else found.kind,
            status=status,
            specific=False if one.possible else one.specific,
            possible=one.possible,
            assay=one.assay,
            source=source,
        )
    carried = status is FindingStatus.PRESENT or status is FindingStatus.UNCERTAIN
    return Finding(
        gene=found.gene,
        name=found.name,
        names=_names(found) if carried else frozenset({found.name}),
        kind=found.kind,
        status=status,
        specific=one.specific,
        assay=one.assay,
        source=source,
    )


@lru_cache(maxsize=16384)
def _names(found: Marker) -> frozenset[str]:
    return found.classes | {found.name}
