"""Deletions from a case text, checked mechanically: nothing but deletions, no meaning turned round, only what the board decided.

A model or a reader proposes spans; `apply_deletions` takes them out; `verify_deletions` says whether the result may stand. The protocol it
follows (deletion only, untouched text identical, removed text found in the source, an audit in five classes) is that of OpenTumorBoard
(`evaluation/deleak`, arXiv:2609.32810); rules, words and the wording of the classes are ours. In doubt a deletion is refused: what is refused is
shown to a person, and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from equipoise.boards.curation.alignment import Alignment, Kept, align, is_subsequence, words_of
from equipoise.boards.curation.leaks import ENOUGH, LeakRule, Passage, Suspicion, find_leaks, not_done, passages, suspect
from equipoise.boards.curation.meaning import changed
from equipoise.boards.curation.parts import Part, content, overlap, sentences, tokens
from equipoise.boards.measures.treatments import treatments_in
from equipoise.boards.model import Turn
from equipoise.errors import InputError

__all__ = [
    "AuditClass",
    "Deletion",
    "DeletionAudit",
    "LeakRule",
    "Problem",
    "ProblemKind",
    "Suspicion",
    "apply_deletions",
    "audit_deletions",
    "find_leaks",
    "sentences",
    "verify_deletions",
]

VERSION = "deleak-1"


class ProblemKind(StrEnum):
    """Why a shortened text may not stand."""

    NEW_TEXT = "new text"
    BOUNDARY = "boundary"
    MEANING = "meaning"
    SOURCE = "source"


_MESSAGES: dict[ProblemKind, str] = {
    ProblemKind.NEW_TEXT: "words, order, spelling or spacing differ from the text before; only deletions are allowed",
    ProblemKind.BOUNDARY: "a deletion joins two sentences; delete inside one sentence or whole ones",
    ProblemKind.MEANING: "what is left of the sentence may say something else: delete the whole clause or sentence",
    ProblemKind.SOURCE: "what was deleted does not stand in the discussion as decided by the board, or was known before",
}


class AuditClass(StrEnum):
    """What became of one deletion, or of a place that was left."""

    CLEAN = "A"
    RESTATED = "B"
    INFERRED_NEGATIVE = "C"
    UNSUPPORTED = "D"
    ALTERED = "E"

    @property
    def meaning(self) -> str:
        """The class in words."""
        return _CLASSES[self]


_CLASSES: dict[AuditClass, str] = {
    AuditClass.CLEAN: "a clean deletion: the decision is gone and the rest stands as it was",
    AuditClass.RESTATED: "the decision can still be read elsewhere in the text",
    AuditClass.INFERRED_NEGATIVE: "what is left denies something, and the decision can be inferred from it",
    AuditClass.UNSUPPORTED: "what was deleted is not a decision of the board: a fact was lost",
    AuditClass.ALTERED: "the text says something that it did not say before",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One reason against a shortened text. It never repeats the text.

    Attributes:
        kind: what is wrong.
        message: the same in words, and what to do.
        start: first character: of the place in `before`, or in `after` for new text and joined sentences.
        end: one past the last.
    """

    kind: ProblemKind
    message: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """A stretch that was taken out.

    Attributes:
        start: first character in `before`.
        end: one past the last.
        audit: its class; never inferred negative, which only what is left can be.
    """

    start: int
    end: int
    audit: AuditClass


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionAudit:
    """A shortened text, looked at as a whole.

    Attributes:
        deletions: in the order of the text before.
        problems: reasons against it; with one, the text before is to be used.
        residual: suspicions in the text after, each with its class (B or C).
        version: of the rules.
    """

    deletions: tuple[Deletion, ...]
    problems: tuple[Problem, ...]
    residual: tuple[tuple[Suspicion, AuditClass], ...]
    version: str = VERSION

    @property
    def accepted(self) -> bool:
        """Whether the shortened text may stand; suspicions that are left do not forbid it."""
        return not self.problems


def apply_deletions(text: str, spans: Iterable[tuple[int, int]], *, drop_empty_sections: bool = True) -> str:
    """The text without the spans, and without the spaces that would be left double.

    Args:
        text: the case text.
        spans: half-open ranges of characters; they may touch but not overlap.
        drop_empty_sections: also take out a bracketed heading under which nothing is left, since an empty one says that something was there.

    Raises:
        InputError: a span lies outside the text, is empty, overlaps another, or cuts a word.
    """
    ordered = sorted(spans)
    last = 0
    for start, end in ordered:
        if not 0 <= start < end <= len(text):
            message = f"span {start} to {end} does not lie in a text of {len(text)} characters"
            raise InputError(message, field="spans")
        if start < last:
            message = f"span {start} to {end} overlaps the one before"
            raise InputError(message, field="spans")
        if _inside_word(text, start) or _inside_word(text, end):
            message = f"span {start} to {end} cuts a word"
            raise InputError(message, field="spans")
        last = end
    if drop_empty_sections:
        ordered = _with_headings(text, ordered)
    kept, place = "", 0
    for start, end in ordered:
        kept = _joined(kept, text[place:start])
        place = max(place, end)
    return _joined(kept, text[place:]).rstrip() if ordered else text


def _inside_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


def _joined(left: str, right: str) -> str:
    """Two pieces with one of the two white spaces at their seam, the one with more lines; none before a sign or at the start."""
    space, gap = left[len(left.rstrip()) :], right[: len(right) - len(right.lstrip())]
    left, right = left.rstrip(), right.lstrip()
    if not left or not right:
        return left + (space or gap if left else "") + right
    if right[0] in ".,;:!?)":
        return left + right
    return left + max(space, gap, key=lambda item: (item.count("\n"), len(item))) + right


def _with_headings(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, and the headings that they leave empty."""
    parts = sentences(text)
    gone = [any(start <= part.start and part.end <= end for start, end in spans) for part in parts]
    found = list(spans)
    for place, part in enumerate(parts):
        if not part.heading or gone[place]:
            continue
        under = []
        for other in range(place + 1, len(parts)):
            if parts[other].heading:
                break
            under.append(gone[other])
        if under and all(under):
            found.append((part.start, part.end))
    return sorted(found)


def verify_deletions(
    before: str, after: str, source: Sequence[Turn] | str, *, conclusion: str = ""
) -> tuple[Problem, ...]:
    """Whether a text is the longer one with nothing but sound deletions.

    Args:
        before: the text as it was.
        after: the text as it is.
        source: the discussion; a plain text is read as one turn.
        conclusion: of the discussion; it counts as decided.

    Returns:
        The problems in the order of the text; empty when the shortened text may stand.
    """
    turns = _turns(source)
    return _problems(before, after, align(before, after), passages(turns, conclusion))


def _turns(source: Sequence[Turn] | str) -> Sequence[Turn]:
    from equipoise.boards.vocabulary import Role

    if isinstance(source, str):
        return (Turn(id="source", speaker="unknown", role=Role.UNKNOWN, text=source),) if source.strip() else ()
    return source


def _problems(before: str, after: str, found: Alignment, said: Sequence[Passage]) -> tuple[Problem, ...]:
    if before == after:
        return ()
    problems = [_stranger(before, part) for part in found.strangers]
    if not problems and not _spacing_kept(before, after, found):
        problems.append(_problem(ProblemKind.NEW_TEXT, 0, len(after)))
    for part in found.removed:
        if not part.heading and not _decided(part.text, said):
            problems.append(_problem(ProblemKind.SOURCE, part.start, part.end))
    for kept in found.kept:
        if kept.runs:
            problems.extend(_trim_problems(before, kept, said))
    return tuple(sorted(problems, key=lambda item: (item.start, item.end)))


def _problem(kind: ProblemKind, start: int, end: int) -> Problem:
    return Problem(kind=kind, message=_MESSAGES[kind], start=start, end=end)


def _stranger(before: str, part: Part) -> Problem:
    words = [token.text for token in tokens(part.text)]
    whole = is_subsequence(words, [token.text for token in tokens(before)])
    return _problem(ProblemKind.BOUNDARY if whole else ProblemKind.NEW_TEXT, part.start, part.end)


def _trim_problems(before: str, kept: Kept, said: Sequence[Passage]) -> list[Problem]:
    words = words_of(kept.before)
    problems = []
    if changed(words, kept.runs):
        problems.append(_problem(ProblemKind.MEANING, kept.before.start, kept.before.end))
    for start, end in kept.runs:
        first, last = words[start].start, words[end - 1].end
        if not _decided(before[first:last], said):
            problems.append(_problem(ProblemKind.SOURCE, first, last))
    return problems


def _spacing_kept(before: str, after: str, found: Alignment) -> bool:
    """Whether the white space between words is that of the text before: the same, or at a seam that of one of its sides."""
    old, new = tokens(before), tokens(after)
    gone = {token.start for part in found.removed for token in words_of(part)}
    for kept in found.kept:
        words = words_of(kept.before)
        gone |= {words[place].start for start, end in kept.runs for place in range(start, end)}
    left = [place for place, token in enumerate(old) if token.start not in gone]
    if len(left) != len(new):
        return False
    for item in range(1, len(new)):
        first, last = left[item - 1], left[item]
        here = after[new[item - 1].end : new[item].start]
        gaps = {before[old[place].end : old[place + 1].start] for place in range(first, last)}
        if here not in (gaps | {""} if last - first > 1 else gaps):
            return False
    return True


def _decided(text: str, said: Sequence[Passage]) -> bool:
    """Whether the discussion decides what a stretch of text says, and did not know it before."""
    words, named = content(text), treatments_in(text)
    if not words:
        return True
    if not_done(text):
        return False
    decided = [content(item.text) for item in said if item.decided]
    best = max((overlap(words, item) for item in decided), default=0.0)
    union = overlap(words, frozenset().union(*decided)) if decided else 0.0
    known = max((overlap(words, content(item.text)) for item in said if item.early), default=0.0)
    if known >= ENOUGH and known >= best:
        return False
    suspicion = suspect(Part(0, len(text), text), said)
    if suspicion is not None and suspicion.strong and suspicion.turns:
        return True
    treated = frozenset().union(*(treatments_in(item.text) for item in said if item.decided))
    if named and named <= treated and best > 0.5:
        return True
    return named <= treated and (best >= ENOUGH or union >= 0.8)


def audit_deletions(before: str, after: str, discussion: Sequence[Turn], conclusion: str) -> DeletionAudit:
    """Every deletion with its class, the problems, and what is still suspicious in what is left.

    Args:
        before: the text as it was.
        after: the text as it is.
        discussion: the turns.
        conclusion: its text.
    """
    found = align(before, after)
    said = passages(discussion, conclusion)
    problems = _problems(before, after, found, said)
    residual = tuple(
        (item, AuditClass.INFERRED_NEGATIVE if item.negative else AuditClass.RESTATED)
        for item in find_leaks(after, discussion, conclusion)
        if item.strong
    )
    left = [
        (content(after[item.start : item.end]), treatments_in(after[item.start : item.end])) for item, _ in residual
    ]
    altered = any(item.kind in (ProblemKind.NEW_TEXT, ProblemKind.BOUNDARY) for item in problems)
    spans = [(part.start, part.end, False) for part in found.removed if not part.heading]
    for kept in found.kept:
        words = words_of(kept.before)
        meaning = bool(kept.runs) and changed(words, kept.runs)
        spans.extend((words[start].start, words[end - 1].end, meaning) for start, end in kept.runs)
    deletions = []
    for start, end, meaning in sorted(spans):
        text = before[start:end]
        if altered or meaning:
            audit = AuditClass.ALTERED
        elif not _decided(text, said):
            audit = AuditClass.UNSUPPORTED
        elif any(overlap(content(text), words) >= ENOUGH or treatments_in(text) & named for words, named in left):
            audit = AuditClass.RESTATED
        else:
            audit = AuditClass.CLEAN
        deletions.append(Deletion(start=start, end=end, audit=audit))
    return DeletionAudit(deletions=tuple(deletions), problems=problems, residual=residual)
