"""Finds statements for a case by words (BM25) or by meaning, and measures whether the one that decides was among them.

Documents are the curated assertions that hold on the day of the question and, when a file is given, CIViC's items.
Each is shown with its direction, because a statement of resistance found for a drug is no support for it. The search
sees the words of the record and the canonical names of its drugs and markers; it knows neither the verdict nor the
reference.

Source of the method: Robertson S, Zaragoza H. 2009. The probabilistic relevance framework: BM25 and beyond.
doi:10.1561/1500000019
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise._optional import require
from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import Label, Verdict
from equipoise.cases.vocabulary.drugs import classes_of, read_regimen
from equipoise.errors import EquipoiseError, UsageError
from equipoise.evals.question import Question, data_text
from equipoise.evidence.base import EvidenceBase, shipped_base
from equipoise.evidence.criteria import positive_markers
from equipoise.evidence.model import Assertion, Direction

if TYPE_CHECKING:
    from equipoise.evals.embeddings import EmbeddingSearcher
    from equipoise.evidence.civic import CivicItem

BM25 = "bm25"
"""The retriever by words, the default."""

EMBEDDING = "embedding:"
"""Before the name or folder of an embedding model; the retriever by meaning."""

TOP = 5
"""Statements shown unless the caller says otherwise."""

DIRECTIONS: Mapping[Direction, str] = {
    Direction.SUPPORTS: "SUPPORTS",
    Direction.RESISTANCE: "RESISTANCE, speaks against",
    Direction.NOT_INDICATED: "NOT INDICATED, speaks against",
    Direction.CONTRAINDICATED: "CONTRAINDICATED, speaks against",
    Direction.CAUTION: "CAUTION, a reservation",
}
"""How each direction of a curated assertion is shown."""

CIVIC_DIRECTIONS: Mapping[str, str] = {
    "supporting": "SUPPORTS",
    "resistance": "RESISTANCE, speaks against",
    "does-not-support": "DOES NOT SUPPORT, the study found no such effect",
}
"""The same for CIViC's lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A statement as it is searched and shown.

    Attributes:
        id: assertion id, or "CIViC EID..." .
        words: what is searched by words.
        text: what is searched by meaning.
        shown: one line for the prompt, direction first.
    """

    id: str
    words: tuple[str, ...]
    text: str
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search gave.

    Attributes:
        documents: best first.
        deciding: id of the assertion on which the deterministic verdict rests; empty when it rests on none.
        rank: place of that assertion among the documents, from 1; None when it is not there.
    """

    documents: tuple[Document, ...]
    deciding: str
    rank: int | None

    def to_dict(self, k: int) -> dict[str, Any]:
        """What is kept with the sample."""
        return {"k": k, "ids": [item.id for item in self.documents], "deciding": self.deciding, "rank": self.rank}


class Searcher:
    """An index over statements."""

    def __init__(self, documents: Sequence[Document]) -> None:
        """Build the index.

        Args:
            documents: at least one.

        Raises:
            DependencyError: the extra `eval` is not installed.
        """
        bm25s = require("bm25s", extra="eval")
        self.documents = tuple(documents)
        self._index: Any = bm25s.BM25()
        self._index.index([list(item.words) for item in self.documents], show_progress=False)

    def search(self, text: str, k: int = TOP) -> tuple[Document, ...]:
        """The documents that share words with a text, best first, at most k; none when no word is shared."""
        known = [word for word in words(text) if word in self._index.vocab_dict]
        if not known:
            return ()
        size = min(k, len(self.documents))
        places, scores = self._index.retrieve([known], k=size, show_progress=False, n_threads=0)
        return tuple(self.documents[int(place)] for place, score in zip(places[0], scores[0], strict=True) if score > 0)


def curated_documents(base: EvidenceBase, jurisdiction: str, day: dt.date) -> Iterator[Document]:
    """The curated assertions that hold there and then, in the order of the base."""
    for item in base.active(jurisdiction, day):
        yield _curated(item)


def civic_documents(items: Iterable[CivicItem]) -> Iterator[Document]:
    """CIViC's items, each named as coming from there."""
    for item in items:
        drugs = " + ".join(item.therapies)
        direction = CIVIC_DIRECTIONS[item.says]
        source = f"CIViC EID{item.evidence_id}, {item.source_type} {item.citation_id}".strip()
        shown = f"{direction} | CIViC level {item.level} | {drugs} | {item.profile_text} in {item.disease} | {source}"
        yield Document(
            id=f"CIViC EID{item.evidence_id}",
            words=words(f"{drugs} {item.profile_text} {' '.join(item.markers)} {item.disease} {item.significance}"),
            text=f"{drugs}: {item.profile_text} in {item.disease}, {item.significance}",
            shown=shown,
        )


def check_retriever(retriever: str) -> str:
    """The name of a retriever, as given.

    Args:
        retriever: `BM25`, or `EMBEDDING` with the name or folder of a model.

    Raises:
        UsageError: it is neither.
    """
    if retriever != BM25 and not retriever.startswith(EMBEDDING):
        message = f"expected bm25, or embedding: with the name or folder of a model; found {retriever!r}"
        raise UsageError(message, field="retriever")
    if retriever == EMBEDDING:
        message = "expected the name or folder of a model after embedding:"
        raise UsageError(message, field="retriever")
    return retriever


def describe_retriever(retriever: str) -> str:
    """What a log says of a retriever: its name, and for a model what tells it from another; no folder of this machine."""
    if retriever == BM25:
        return BM25
    from equipoise.evals.embeddings import fingerprint

    return f"embedding, {fingerprint(retriever.removeprefix(EMBEDDING))}"


def searcher(
    jurisdiction: str, day: dt.date, civic: str | Path | None = None, retriever: str = BM25
) -> Searcher | EmbeddingSearcher:
    """The index over the shipped base and, when a file is given, CIViC; built once for each combination.

    Args:
        jurisdiction: jurisdiction of the curated assertions.
        day: day on which they hold.
        civic: evidence file of CIViC.
        retriever: `BM25`, or `EMBEDDING` with the name or folder of a model.

    Raises:
        UsageError: the file cannot be read, or the retriever does not exist.
        UpstreamError: it is no evidence file of CIViC.
        DependencyError: the extra `eval` (or `embed`) is not installed.
    """
    return _searcher(jurisdiction, day, None if civic is None else str(civic), check_retriever(retriever))


@functools.lru_cache(maxsize=32)
def _searcher(jurisdiction: str, day: dt.date, civic: str | None, retriever: str) -> Searcher | EmbeddingSearcher:
    documents = list(curated_documents(shipped_base(), jurisdiction, day))
    if civic is not None:
        documents += civic_documents(_civic_items(civic))
    if retriever == BM25:
        return Searcher(documents)
    from equipoise.evals.embeddings import EmbeddingSearcher

    return EmbeddingSearcher(documents, retriever.removeprefix(EMBEDDING))


@functools.lru_cache(maxsize=4)
def _civic_items(path: str) -> tuple[CivicItem, ...]:
    from equipoise.evidence.civic import read_snapshot

    return read_snapshot(path).items


def find(
    question: Question, auditor: Auditor, *, k: int = TOP, civic: str | Path | None = None, retriever: str = BM25
) -> Found:
    """Statements for a question, and whether the deciding one is among them.

    Args:
        question: the question.
        auditor: decides which assertion the verdict rests on; its answer is not searched with.
        k: most statements.
        civic: evidence file of CIViC.
        retriever: `BM25`, or `EMBEDDING` with the name or folder of a model.
    """
    index = searcher(question.jurisdiction, question.as_of, civic, retriever)
    documents = index.search(query(question.record, classes=retriever == BM25), k)
    deciding = deciding_assertion(question, auditor)
    ids = [item.id for item in documents]
    return Found(documents=documents, deciding=deciding, rank=ids.index(deciding) + 1 if deciding in ids else None)


def query(record: Mapping[str, Any], *, classes: bool = True) -> str:
    """The words of a record that are searched: proposal, markers, tumor and situation; canonical names are added.

    Args:
        record: the record of the question.
        classes: whether the classes of the drugs are added as words of the index by words; they mean nothing to a model.
    """
    parts = []
    for name in _SEARCHED:
        value = record.get(name)
        if value is None:
            continue
        text = " ".join(_leaves(value))
        parts.append(text)
        if name in _PROPOSALS:
            drugs = read_regimen(text).components
            parts += [text, *drugs]
            parts += [_class_word(name) for drug in drugs for name in sorted(classes_of(drug)) if classes]
    return " ".join(parts)


_PROPOSALS = ("recommendation", "recommendations", "proposed_therapy")
_SEARCHED = (
    *_PROPOSALS, "biomarkers", "genomic_alteration", "histology", "stage", "setting", "treatment_setting",
    "patient_summary", "note", "text",
)  # fmt: skip
_STATUS = frozenset({"absent", "negative", "wild_type", "not_tested", "pending", "unknown"})


def _leaves(value: Any) -> Iterator[str]:
    """Texts of a value; a marker that is stated as absent or not tested is left out."""
    if isinstance(value, str):
        if not _ABSENT.search(value) or len(value) > _LONGEST_MARKER:
            yield value
    elif isinstance(value, Mapping):
        if _folded(value.get("status", "present")) in _STATUS:
            return
        for name, item in value.items():
            if name in ("status", "assay", "date") or _folded(item) in _STATUS:
                continue
            if isinstance(item, str) and _GENE.fullmatch(str(name)):
                yield str(name)
            yield from _leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)


def _folded(value: Any) -> str:
    return str(value).strip().lower().replace(" ", "_")


_ABSENT = re.compile(r"\b(negative|not tested|pending|wild[ -]?type|not detected)\b", re.IGNORECASE)
_LONGEST_MARKER = 60
_GENE = re.compile(r"[A-Z0-9]{2,10}")


def words(text: str) -> tuple[str, ...]:
    """The words of a text as they are indexed: lower case, letters and digits; short common words left out."""
    return tuple(word for word in _WORD.findall(text.lower()) if word not in _COMMON)


_WORD = re.compile(r"[a-z0-9][a-z0-9+]*")
_COMMON = frozenset(
    ["a", "an", "and", "or", "of", "the", "in", "on", "with", "without", "for", "to", "is", "are", "by", "at", "no", "not", "as", "any"]
)  # fmt: skip


def deciding_assertion(question: Question, auditor: Auditor) -> str:
    """Id of the assertion on which the deterministic verdict rests; empty when it rests on none or cannot be read."""
    try:
        verdict = auditor.audit({"as_of": question.as_of.isoformat(), **question.record})[0]
    except EquipoiseError:
        return ""
    return deciding_of(verdict)


def deciding_of(verdict: Verdict) -> str:
    """Id of the first assertion against, when the verdict is Unsupported and there is one; otherwise of the first one for it."""
    uses = verdict.evidence
    if verdict.label is Label.UNSUPPORTED and verdict.evidence_against:
        uses = verdict.evidence_against
    return uses[0].id if uses else ""


def evidence_block(documents: Sequence[Document]) -> str:
    """Statements between the lines `<evidence>` and `</evidence>`, numbered; says so when nothing was found."""
    lines = [f"[{place}] {data_text(item.shown)}" for place, item in enumerate(documents, start=1)]
    return "\n".join(["<evidence>", *(lines or ["The search found no statement."]), "</evidence>"])


def _class_word(name: str) -> str:
    """A class of drugs as one word, so that its parts do not meet the words of other statements."""
    return "class" + re.sub(r"[^a-z0-9]", "", name.lower())


def _curated(item: Assertion) -> Document:
    markers = sorted({name for node in item.requires for name in positive_markers(node)})
    direction = DIRECTIONS[item.direction]
    about = _class_word(item.drug_class) if item.drug_class else f"{item.regimen_text} {item.regimen_text}"
    shown = f"{direction} | level {item.level} | {item.regimen_text} | {item.statement} | {item.source_text}"
    return Document(
        id=item.id,
        words=words(f"{about} {item.statement} {' '.join(markers)} {item.id}"),
        text=f"{item.regimen_text}: {item.statement}",
        shown=shown,
    )
