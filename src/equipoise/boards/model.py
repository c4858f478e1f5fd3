"""What a board case is: a case text, a discussion in turns, questions, a conclusion with its decisions.

A part that a source does not give is empty or None; nothing is filled in. Times are seconds from the start of the recording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equipoise.boards.vocabulary import (
    Arm,
    DecisionKind,
    Disposition,
    QuestionType,
    Role,
    Scope,
    Split,
    TreatmentCategory,
)
from equipoise.ids import content_hash, stable_form

__all__ = [
    "Arm",
    "BoardCase",
    "CaseQuestion",
    "Conclusion",
    "Decision",
    "DecisionKind",
    "Disposition",
    "Dissent",
    "Question",
    "QuestionType",
    "Quote",
    "Role",
    "Scope",
    "Slide",
    "Split",
    "TreatmentCategory",
    "Turn",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slide:
    """A slide as text, with its place in time.

    Attributes:
        id: unique in the case.
        caption: what it shows, in words; empty when nobody captioned it.
        start: when it came up, in seconds; None when unknown.
        end: when it went, in seconds; None when unknown.
        image: path of the picture relative to the data folder; None when there is none.
    """

    id: str
    caption: str
    start: float | None = None
    end: float | None = None
    image: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One speaker, until another speaks.

    Attributes:
        id: unique in the case.
        speaker: label of the speaker; one label is one voice, not always one person.
        role: the speaker's role.
        text: what was said.
        start: in seconds; None when unknown.
        end: in seconds; None when unknown.
        slides: ids of the slides shown meanwhile.
    """

    id: str
    speaker: str
    role: Role
    text: str
    start: float | None = None
    end: float | None = None
    slides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words taken from a turn, verbatim.

    Attributes:
        text: the words.
        turn: id of the turn; empty when the source does not say.
    """

    text: str
    turn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question put to one specialist, with what the specialist answered.

    Attributes:
        id: unique in a data set.
        type: what it asks for.
        role: whom it was put to; never the moderator.
        text: the question.
        answer: the reference answer; empty when the source has none.
        turn: id of the turn of the answer; empty when unknown.
        candidates: the types it was given, where a source gave several.
    """

    id: str
    type: QuestionType
    role: Role
    text: str
    answer: str
    turn: str = ""
    candidates: tuple[QuestionType, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a conclusion says of one of the four decisions.

    Attributes:
        kind: which of the four.
        scope: do, do not, or silent; None when nobody has said yet, and then it cannot be scored.
        text: the decision in words; empty when silent.
        quotes: the words of the discussion it rests on.
        sources: where a reader can look the decision up (label, guideline, PMID).
        acceptable: other decisions that would be as good, in words.
        category: treatment category; None when not classified.
    """

    kind: DecisionKind
    scope: Scope | None
    text: str = ""
    quotes: tuple[Quote, ...] = ()
    sources: tuple[str, ...] = ()
    acceptable: tuple[str, ...] = ()
    category: TreatmentCategory | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dissent:
    """A view that was not the board's.

    Attributes:
        turn: id of the turn.
        role: who held it.
        text: the view in words.
        recorded: whether the conclusion mentions it.
    """

    turn: str
    role: Role
    text: str
    recorded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """How the discussion ended.

    Attributes:
        text: the conclusion.
        quotes: the words of the discussion it rests on; empty when the source gives none.
        disposition: decided, referred, deferred or unknown.
        decisions: one for each of the four kinds, in their order; empty when the source does not take it apart.
        dissent: views that were not the board's.
    """

    text: str
    quotes: tuple[Quote, ...] = ()
    disposition: Disposition = Disposition.UNKNOWN
    decisions: tuple[Decision, ...] = ()
    dissent: tuple[Dissent, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardCase:
    """A case as a board saw it.

    Attributes:
        id: unique in a data set.
        recording: the meeting it comes from: what splits and intervals are clustered by; empty when the source has none.
        site: tumor site in the source's words; empty when it does not say.
        text: the case text that a system is given.
        sections: the parts of the text under their bracketed headings; empty when it has none.
        slides: in the order shown.
        turns: in the order spoken; empty when the source has no discussion.
        questions: in the order asked.
        conclusion: None when the source has none.
        references: other conclusions that are as acceptable.
        split: None when the source does not say.
        start: of the case in the recording, in seconds; None when unknown.
        end: in seconds; None when unknown.
        origin: the format and file it was read from.
        notes: remarks of the author, for readers.
        audit_case: the case in the auditor's own form, where a systemic therapy is concluded; None without one.
    """

    id: str
    recording: str
    text: str
    origin: str
    site: str = ""
    sections: Mapping[str, str] = field(default_factory=dict)
    slides: tuple[Slide, ...] = ()
    turns: tuple[Turn, ...] = ()
    questions: tuple[Question, ...] = ()
    conclusion: Conclusion | None = None
    references: tuple[str, ...] = ()
    split: Split | None = None
    start: float | None = None
    end: float | None = None
    notes: tuple[str, ...] = ()
    audit_case: Mapping[str, Any] | None = None

    @property
    def hash(self) -> str:
        """Content hash of everything but where it was read from and which split it is in."""
        form = stable_form(self)
        return content_hash({key: value for key, value in form.items() if key not in ("origin", "split")})

    def turn(self, name: str) -> Turn | None:
        """The turn of that id; None when there is none."""
        return next((turn for turn in self.turns if turn.id == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseQuestion:
    """A question with the case it belongs to, as a row of a file of questions.

    Attributes:
        case_id: id of the case in its recording; not unique over recordings.
        recording: the meeting.
        text: the case text.
        slides: in the order shown.
        question: the question.
        split: None when the source does not say.
    """

    case_id: str
    recording: str
    text: str
    slides: tuple[Slide, ...]
    question: Question
    split: Split | None = None


def slides_at(slides: tuple[Slide, ...], start: float | None, end: float | None) -> tuple[str, ...]:
    """Ids of the slides shown between two times, in their order.

    A slide without a start is never aligned. One without an end lasts until the next slide with a start, or to the end of time.

    Args:
        slides: slides of one case.
        start: of the turn, in seconds; None aligns nothing.
        end: of the turn, in seconds; None is read as the start.
    """
    if start is None:
        return ()
    until = start if end is None else end
    starts = sorted(slide.start for slide in slides if slide.start is not None)
    found = []
    for slide in slides:
        if slide.start is None:
            continue
        later = [moment for moment in starts if moment > slide.start]
        last = slide.end if slide.end is not None else (later[0] if later else float("inf"))
        if slide.start <= until and last > start:
            found.append(slide.id)
    return tuple(found)
