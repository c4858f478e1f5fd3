"""Whether what a recommendation cites speaks of this regimen, for this patient, at the level that is claimed.

A citation is read as a PubMed identifier, a ClinicalTrials.gov identifier, the name of a trial or a drug label, and
looked up in an index over the sources of the evidence base (and, if one is given, of a CIViC snapshot). Nothing is
fetched. A citation that the index does not know is a note and never a mismatch: the base names the sources it rests
on, not all that exist.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from equipoise.cases.facts import FALSE, TRUE, Facts
from equipoise.cases.model import Recommendation
from equipoise.cases.vocabulary.biomarkers import known_genes
from equipoise.cases.vocabulary.drugs import drug, lexicon
from equipoise.cases.vocabulary.tokens import words
from equipoise.evidence.base import EvidenceBase
from equipoise.evidence.civic import CivicItem, CivicSnapshot, concerns
from equipoise.evidence.criteria import Leaf, Node, leaves, positive_markers
from equipoise.evidence.model import LEVELS, NEGATIVES, Assertion, Direction, Reference
from equipoise.evidence.regimens import contains_class, contains_regimen, match_regimen

MISMATCH = "citation-mismatch"
UNKNOWN_SOURCE = "citation-unknown"
OVERSTATED = "level-overstated"
CODES: tuple[str, ...] = (MISMATCH, UNKNOWN_SOURCE, OVERSTATED)
"""What can be found; `citation-unknown` is a note."""

ASPECTS: tuple[str, ...] = (
    "regimen", "biomarker", "setting", "line", "histology", "patient", "direction", "validity", "level",
)  # fmt: skip
"""In which respect a source does not fit. "direction": it speaks against the regimen. "validity": its indication
has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationFinding:
    """What is wrong, or not known, about one citation.

    Attributes:
        citation: as written in the record.
        code: one of `CODES`.
        aspect: one of `ASPECTS`; empty for `citation-unknown`.
        text: one sentence, without the citation itself.
        assertions: ids of the entries that rest on the source and came nearest, at most three.
        source: where those entries say it can be read; empty when it is not on file.
    """

    citation: str
    code: str
    aspect: str
    text: str
    assertions: tuple[str, ...] = ()
    source: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "citation": self.citation,
            "code": self.code,
            "aspect": self.aspect,
            "text": self.text,
            "assertions": list(self.assertions),
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Cited:
    """What a citation text names.

    Attributes:
        keys: index keys, such as ("pmid", "29151359"), ("nct", "NCT02296125"), ("trial", "flaura") or
            ("label", "NDA208065").
        label_drugs: drugs whose label is cited.
    """

    keys: tuple[tuple[str, str], ...] = ()
    label_drugs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    assertion: Assertion
    source: Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationIndex:
    """Sources of an evidence base, by what a record can call them.

    Attributes:
        entries: by key, the assertions that rest on a source.
        trials: folded trial names.
        labels: by drug, the assertions that rest on its label.
    """

    entries: Mapping[tuple[str, str], tuple[_Entry, ...]]
    trials: frozenset[str]
    labels: Mapping[str, tuple[_Entry, ...]]
    _civic: dict[str, Mapping[str, tuple[CivicItem, ...]]] = field(default_factory=dict, repr=False, compare=False)


_INDEXES: dict[str, CitationIndex] = {}
_MAX_INDEXES = 8


def citation_index(base: EvidenceBase) -> CitationIndex:
    """The index of a base, built on first use and remembered by the content hash of the base."""
    found = _INDEXES.get(base.hash)
    if found is None:
        if len(_INDEXES) >= _MAX_INDEXES:
            _INDEXES.pop(next(iter(_INDEXES)))
        found = _INDEXES[base.hash] = _build(base)
    return found


def _build(base: EvidenceBase) -> CitationIndex:
    entries: dict[tuple[str, str], list[_Entry]] = {}
    labels: dict[str, list[_Entry]] = {}
    for assertion in base.assertions:
        for source in assertion.sources:
            entry = _Entry(assertion, source)
            for key in _keys_of(source):
                entries.setdefault(key, []).append(entry)
            if source.kind == "label":
                for name in _drugs_in(source.title):
                    labels.setdefault(name, []).append(entry)
    return CitationIndex(
        entries={key: tuple(found) for key, found in entries.items()},
        trials=frozenset(name for kind, name in entries if kind == "trial"),
        labels={name: tuple(found) for name, found in labels.items()},
    )


_NCT = re.compile(r"NCT\s?0*(\d{1,8})(?!\d)", re.IGNORECASE)
_APPLICATION = re.compile(r"\b(NDA|BLA)[\s#-]*0*(\d{5,6})(?!\d)|EMEA/H/C/0*(\d{3,6})", re.IGNORECASE)


def _nct(digits: str) -> tuple[str, str]:
    return ("nct", f"NCT{int(digits):08d}")


def _applications(text: str) -> list[tuple[str, str]]:
    found = []
    for match in _APPLICATION.finditer(text):
        found.append(("label", f"EMEA{int(match[3])}" if match[3] else f"{match[1].upper()}{int(match[2])}"))
    return found


def _keys_of(source: Reference) -> list[tuple[str, str]]:
    keys: list[tuple[str, str]] = []
    if source.pmid is not None:
        keys.append(("pmid", str(source.pmid)))
    keys.extend(_nct(match[1]) for match in _NCT.finditer(source.nct))
    keys.extend(_applications(source.id))
    name = trial_name(source.title)
    whole = "".join(words(_HEAD.split(source.title, maxsplit=1)[0]))
    if name and (source.kind == "trial" or (source.kind in _NAMED and name == whole)):
        keys.append(("trial", name))
    return list(dict.fromkeys(keys))


_HEAD = re.compile(r"[,(:]")


@functools.cache
def _genes() -> frozenset[str]:
    return frozenset(gene.lower() for gene in known_genes())


_NAMED = ("article", "publication", "cohort")
"""Kinds of sources, besides trials, of which the whole title can be the name of a trial."""


def trial_name(title: str) -> str:
    """The folded name of a trial at the head of a title ("KEYNOTE-189 (stage IV only)" is `keynote189`); empty when
    none is.

    A name is the leading words that hold a capital or a digit; it holds two capitals, or a capital and a digit.
    """
    head = _HEAD.split(title, maxsplit=1)[0]
    kept: list[str] = []
    for word in head.split():
        if not any(char.isupper() or char.isdigit() for char in word):
            break
        kept.append(word)
    text = " ".join(kept)
    capitals = sum(char.isupper() for char in text)
    if capitals < 2 and not (capitals and any(char.isdigit() for char in text)):
        return ""
    if _drugs_in(text) or any(word in _genes() for word in words(text)):
        return ""
    return "".join(words(text))


def _drugs_in(text: str) -> tuple[str, ...]:
    """Drugs that a text names, by any of their names, each once, in order."""
    table = lexicon().table
    tokens = words(text)
    found: dict[str, None] = {}
    place = 0
    while place < len(tokens):
        match = table.match(tokens, place)
        if match is None:
            place += 1
            continue
        entry, taken = match
        place += taken
        if entry.role == "component":
            for name in entry.components:
                known = drug(name)
                if known is not None and known.kind == "drug":
                    found[name] = None
    return tuple(found)


_PMID = re.compile(
    r"(?:PMID|PubMed(?:\s*ID)?|pubmed\.ncbi\.nlm\.nih\.gov/|/pubmed/)\D{0,3}(\d{6,9})(?!\d)",
    re.IGNORECASE,
)
_BARE = re.compile(r"\s*(\d{7,8})\s*")
_LABEL = re.compile(
    r"\b(?:label|labels|labeling|labelling|USPI|SmPC|package insert|prescribing information|product information)\b",
    re.IGNORECASE,
)
_SHORT = {"kn": "keynote", "cm": "checkmate"}


def read_citation(text: str, trials: frozenset[str]) -> Cited:
    """What a citation names.

    Args:
        text: as written.
        trials: folded names of the trials that are known.
    """
    keys: list[tuple[str, str]] = [("pmid", str(int(match[1]))) for match in _PMID.finditer(text)]
    bare = _BARE.fullmatch(text)
    if bare is not None:
        keys.append(("pmid", str(int(bare[1]))))
    keys.extend(_nct(match[1]) for match in _NCT.finditer(text))
    keys.extend(_applications(text))
    keys.extend(("trial", name) for name in _trials_in(text, trials))
    drugs = _drugs_in(text) if _LABEL.search(text) else ()
    return Cited(tuple(dict.fromkeys(keys)), drugs)


def _trials_in(text: str, trials: frozenset[str]) -> list[str]:
    raw = re.findall(r"[A-Za-z0-9.]+", text)
    tokens = [_SHORT.get(token.lower(), token.lower()) for token in raw]
    short = len(raw) <= 3
    found: list[str] = []
    place = 0
    while place < len(tokens):
        for size in range(min(5, len(tokens) - place), 0, -1):
            joined = "".join(words(" ".join(tokens[place : place + size])))
            if joined not in trials:
                continue
            written = "".join(raw[place : place + size])
            if short or sum(char.isupper() for char in written) > 1 or any(char.isdigit() for char in written):
                found.append(joined)
                place += size - 1
                break
        place += 1
    return found


# --- the check -------------------------------------------------------------------------------------------------------


def check_citations(
    recommendation: Recommendation,
    deciding: Iterable[Assertion],
    base: EvidenceBase,
    *,
    facts: Facts | None = None,
    civic: CivicSnapshot | None = None,
) -> tuple[CitationFinding, ...]:
    """Check every citation of a recommendation.

    Args:
        recommendation: with its components, claimed level and citations.
        deciding: the assertions on which the verdict rests, best first; only supporting ones are compared with.
        base: the evidence base of the verdict.
        facts: the case. With it, each entry that rests on a cited source is held against the case; without it,
            against the criteria of the deciding assertions.
        civic: a snapshot in which publications are looked up that the base does not name.

    Returns:
        Findings in the order of the citations; nothing for a citation that fits.
    """
    if not recommendation.citations:
        return ()
    index = citation_index(base)
    checker = _Checker(recommendation, tuple(item for item in deciding if item.direction is Direction.SUPPORTS), facts)
    found: list[CitationFinding] = []
    for text in recommendation.citations:
        found.extend(checker.check(text, index, civic))
    return tuple(found)


class _Checker:
    """One recommendation against the sources."""

    def __init__(self, recommendation: Recommendation, deciding: tuple[Assertion, ...], facts: Facts | None) -> None:
        self.components = recommendation.components
        self.claimed = _claimed(recommendation.level)
        self.deciding = deciding
        self.deciding_ids = frozenset(item.id for item in deciding)
        self.facts = facts

    def check(self, text: str, index: CitationIndex, civic: CivicSnapshot | None) -> list[CitationFinding]:
        """Findings for one citation; a citation that names several sources is right when one of them is."""
        cited = read_citation(text, index.trials)
        entries = [entry for key in cited.keys for entry in index.entries.get(key, ())]
        if cited.label_drugs:
            mine = [name for name in cited.label_drugs if name in self.components]
            if not mine:
                names = " and ".join(cited.label_drugs)
                said = f"it is the label of {names}, which is not part of the regimen"
                return [CitationFinding(citation=text, code=MISMATCH, aspect="regimen", text=said)]
            entries.extend(entry for name in mine for entry in index.labels.get(name, ()))
        if entries:
            return self._held(text, list(dict.fromkeys(entries)))
        items = _civic_items(index, civic, cited) if civic is not None else ()
        if items:
            return self._against_civic(text, items)
        return [CitationFinding(citation=text, code=UNKNOWN_SOURCE, aspect="", text="no entry on file rests on it")]

    def _held(self, text: str, entries: list[_Entry]) -> list[CitationFinding]:
        same = [entry for entry in entries if self._same_regimen(entry.assertion)]
        supporting = [entry for entry in same if entry.assertion.direction is Direction.SUPPORTS]
        if not supporting:
            return self._not_supporting(text, entries, same)
        judged = [(self._misfits(entry.assertion), entry) for entry in supporting]
        fitting = [entry for misfits, entry in judged if not misfits]
        if fitting:
            return self._level(text, fitting)
        fewest = min(len(misfits) for misfits, _ in judged)
        nearest = [(misfits, entry) for misfits, entry in judged if len(misfits) == fewest]
        aspect, words_of_it = next(iter(nearest[0][0].items()))
        return [_finding(text, aspect, words_of_it, [entry for _, entry in nearest])]

    def _not_supporting(self, text: str, entries: list[_Entry], same: list[_Entry]) -> list[CitationFinding]:
        against = [entry for entry in same if entry.assertion.direction in NEGATIVES]
        if same and not against:
            return []
        if against:
            holding = [entry for entry in against if not self._misfits(entry.assertion)]
            if not holding and len(against) < len(same):
                return []
            said = f"it speaks against the regimen: {(holding or against)[0].assertion.statement.rstrip('.')}"
            return [_finding(text, "direction", said, holding or against)]
        if all(entry.assertion.direction is Direction.CAUTION for entry in entries) and any(
            _touches(entry.assertion, self.components) for entry in entries
        ):
            return []
        regimens = dict.fromkeys(entry.assertion.regimen_text for entry in entries)
        return [_finding(text, "regimen", f"it is about {' and about '.join(list(regimens)[:2])}", entries)]

    def _same_regimen(self, assertion: Assertion) -> bool:
        if assertion.direction is Direction.SUPPORTS:
            return match_regimen(assertion.regimen, self.components) is not None
        if assertion.monotherapy and len(self.components) > 1:
            return False
        return _touches(assertion, self.components)

    def _misfits(self, assertion: Assertion) -> dict[str, str]:
        """In which aspects an entry does not fit the case, or the deciding assertions; empty when nothing is amiss."""
        if assertion.id in self.deciding_ids:
            return {}
        if self.facts is not None:
            misfits = _against_facts(assertion, self.facts)
            facts = self.facts
            if misfits or all(node.state(facts) == TRUE for node in assertion.requires):
                return misfits
        if not self.deciding:
            return {}
        compared = [_against_assertion(assertion, other) for other in self.deciding]
        return min(compared, key=len)

    def _level(self, text: str, fitting: list[_Entry]) -> list[CitationFinding]:
        if self.claimed is None:
            return []
        best = min(entry.assertion.level for entry in fitting)
        if best <= self.claimed:
            return []
        said = f"level {self.claimed} is claimed; the entries that rest on it are of level {best}"
        return [_finding(text, "level", said, fitting, code=OVERSTATED)]

    def _against_civic(self, text: str, items: tuple[CivicItem, ...]) -> list[CitationFinding]:
        source = f"CIViC, {items[0].snapshot}"
        mine = [item for item in items if concerns(item, self.components)]
        if not mine:
            drugs = dict.fromkeys(" + ".join(item.therapies) for item in items)
            said = f"CIViC has it for {' and for '.join(list(drugs)[:2])}"
            return [CitationFinding(citation=text, code=MISMATCH, aspect="regimen", text=said, source=source)]
        if self.facts is not None:
            read = self.facts.marker
            mine_present = [item for item in mine if item.profile.state(read) != FALSE]
            if not mine_present:
                said = f"CIViC has it for {mine[0].profile_text}"
                return [CitationFinding(citation=text, code=MISMATCH, aspect="biomarker", text=said, source=source)]
            mine = mine_present
        if all(item.says != "supporting" for item in mine):
            said = f"CIViC has it as {mine[0].says.replace('-', ' ')}"
            return [CitationFinding(citation=text, code=MISMATCH, aspect="direction", text=said, source=source)]
        best = min(item.level for item in mine if item.says == "supporting")
        if self.claimed is not None and self.claimed < best and best > "C":
            said = f"level {self.claimed} is claimed; CIViC has it as level {best}"
            return [CitationFinding(citation=text, code=OVERSTATED, aspect="level", text=said, source=source)]
        return []


def _finding(text: str, aspect: str, said: str, entries: list[_Entry], *, code: str = MISMATCH) -> CitationFinding:
    ids = tuple(dict.fromkeys(entry.assertion.id for entry in entries))
    return CitationFinding(
        citation=text, code=code, aspect=aspect, text=said, assertions=ids[:3], source=str(entries[0].source)
    )


def _claimed(level: str) -> str | None:
    text = level.strip().upper().removeprefix("LEVEL ").strip()
    return text if text in LEVELS else None


def _touches(assertion: Assertion, components: frozenset[str]) -> bool:
    if assertion.drug_class:
        return contains_class(assertion.drug_class, components) is not None
    return contains_regimen(assertion.regimen, components) is not None


def _civic_items(index: CitationIndex, civic: CivicSnapshot, cited: Cited) -> tuple[CivicItem, ...]:
    table = index._civic.get(civic.id)
    if table is None:
        lists: dict[str, list[CivicItem]] = {}
        for item in civic.items:
            if item.source_type == "PubMed":
                lists.setdefault(item.citation_id, []).append(item)
        table = index._civic[civic.id] = {key: tuple(found) for key, found in lists.items()}
    return tuple(item for kind, value in cited.keys if kind == "pmid" for item in table.get(value, ()))


_ASPECT_OF = {
    "biomarker": "biomarker",
    "biomarker_absent": "biomarker",
    "pdl1": "biomarker",
    "tmb": "biomarker",
    "msi": "biomarker",
    "setting": "setting",
    "stage": "setting",
    "line": "line",
    "received": "line",
    "progressed_on": "line",
    "rechallenge": "line",
    "histology": "histology",
}
"""The aspect that a kind of criterion stands for; every other kind is about the patient."""


def _against_facts(assertion: Assertion, facts: Facts) -> dict[str, str]:
    misfits: dict[str, str] = {}
    for node in assertion.requires:
        if node.state(facts) == FALSE:
            misfits.setdefault(_aspect(node), f"it is about {node.required}")
    for node in assertion.unless:
        if node.state(facts) == TRUE:
            misfits.setdefault(_aspect(node), f"it does not hold with {node.required}")
    if assertion.valid_to is not None and assertion.valid_to <= facts.as_of:
        misfits.setdefault("validity", f"its indication ended on {assertion.valid_to.isoformat()}")
    return misfits


def _aspect(node: Node) -> str:
    return _ASPECT_OF.get(leaves(node)[0].kind, "patient")


def _against_assertion(assertion: Assertion, other: Assertion) -> dict[str, str]:
    """Aspects in which two assertions ask for things that exclude each other."""
    misfits: dict[str, str] = {}
    mine, theirs = _asked(assertion), _asked(other)
    for aspect in ("biomarker", "setting", "line", "histology"):
        a, b = mine.get(aspect), theirs.get(aspect)
        if a and b and a[0].isdisjoint(b[0]):
            misfits[aspect] = f"it is about {a[1]}"
    return misfits


def _asked(assertion: Assertion) -> dict[str, tuple[frozenset[str], str]]:
    asked: dict[str, tuple[frozenset[str], str]] = {}
    for node in assertion.requires:
        markers = positive_markers(node)
        if markers:
            asked.setdefault("biomarker", (frozenset(markers), node.required))
        if not isinstance(node, Leaf):
            continue
        if node.kind in ("setting", "histology"):
            asked.setdefault(node.kind, (frozenset(node.payload), node.required))
        elif node.kind == "line":
            asked.setdefault("line", (frozenset({str(node.payload)}), node.required))
        elif node.kind in ("received", "progressed_on"):
            asked.setdefault("line", (frozenset({"later"}), node.required))
    return asked
