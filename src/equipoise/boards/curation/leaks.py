"""Sentences of a case text that may be known only because the board decided them.

Rules over words. A suspicion is a place for a reader or a model to look at: nothing is deleted here. What a rule cannot see: a decision told in
other words than the board's, or by what the text leaves out. The idea of testing each statement against the decision is that of
OpenTumorBoard's protocol (`evaluation/deleak`, arXiv:2609.32810); rules and words are ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from equipoise.boards.curation.parts import content, overlap, sentences
from equipoise.boards.measures.treatments import doses_in, treatments_in
from equipoise.boards.model import Turn

VERSION = "leaks-1"

_BOARD = re.compile(
    r"\b(?:(?:tumou?r |multidisciplinary |molecular )?(?:board|mdt|panel|committee|conference|team)\b(?:'s)?|consensus|we|it was)"
    r"[^.!?\n]{0,40}?\b(?:recommend\w*|agree[ds]?|decid\w*|decision|conclu\w+|advis\w+|favou?r\w*|voted|suggest\w*|felt|settled|endorsed|"
    r"proposed|chose)\b"
    r"|\b(?:recommended|agreed|decided|advised|proposed|suggested|concluded|endorsed) (?:by|at|in) (?:the|our|this) "
    r"(?:\w+ )?(?:board|mdt|panel|conference|team)\b"
    r"|\b(?:as|per) (?:discussed|agreed|decided|recommended)\b|\bper (?:tumou?r )?board\b|\bthe consensus\b"
)
_PLAN = re.compile(
    r"\b(?:will|shall|should|is to|are to|plan|plans|planned|planning|schedul\w+|recommend\w*|indicated|advised|candidate|refer(?:red|ral)?"
    r"|due|intend\w*|proposed|offered|to (?:start|begin|receive|undergo|have|proceed)|going to|awaiting|pending|favou?red|deferred)\b"
)
_HISTORY = re.compile(
    r"\b(?:received|completed|underwent|status post|s/p|prior|previous(?:ly)?|history|progress(?:ed|ion) on|after|since|treated with|"
    r"(?:19|20)\d\d|had an?|relapsed|recurred|post-?operative)\b"
)
_DECIDED = re.compile(
    r"\b(?:i|we|you)(?:'d|'ll)?(?: would| will| should| could| can| do| think we)?(?: not| never| rather| still| also| strongly| all| just)*"
    r" (?:recommend|advise|propose|suggest|prefer|favou?r|give|start|add|do|use|plan|offer|go|proceed|resect|operate|irradiate|excise|treat|"
    r"repeat|refer|wait|hold|watch|observe|get|send|order|enrol+|screen|agree|support|switch|continue|stop|take|put|need|keep|avoid|skip|"
    r"consent|biopsy|re-?biopsy|stage|test|image|scan|follow|bring)\b"
    r"|\blet(?:'s| us)\b|\bso (?:the )?(?:plan|decision|consensus)\b|\b(?:plan|recommendation|consensus|decision) (?:is|would be|will be)\b"
    r"|\b(?:she|he|they|patient|this|that|it) (?:should|needs?|ought to|will|would)\b|\bmy (?:vote|recommendation|preference|plan)\b"
    r"|\bno (?:role|need|indication|place) for\b|\bagreed\b|\bnot (?:indicated|recommended|a candidate)\b"
)
_NEGATIVE = re.compile(r"\b(?:no|not|never|without|against|declin\w+|withh\w+|defer\w*|n't|contraindicated)\b")
ENOUGH, MUCH = 0.6, 0.75
"""Share of the words of a statement that a passage must hold to say the same, and to say it beyond doubt."""


class LeakRule(StrEnum):
    """What raised the suspicion."""

    BOARD_WORDS = "words of a board's decision"
    PLAN_OVERLAP = "a plan in the words of the decision"
    DECISION_OVERLAP = "the words of the decision"
    LATE_TREATMENT = "a treatment first named when the board decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A sentence of a case text to look at.

    Attributes:
        start: its first character in the text.
        end: one past its last.
        rules: what raised it, in the order of the catalogue.
        strong: False when the sentence reads like history, where a treatment may well have been given before.
        negative: whether the sentence denies something, so that a decision against it can be read from it.
        turns: ids of the turns that decide the same; empty when only the conclusion does.
    """

    start: int
    end: int
    rules: tuple[LeakRule, ...]
    strong: bool
    negative: bool
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of the discussion or of the conclusion.

    Attributes:
        turn: id of its turn; empty for the conclusion.
        text: the sentence.
        decided: whether it decides something, by its words; the conclusion always does.
        early: whether it was said before anybody decided anything.
    """

    turn: str
    text: str
    decided: bool
    early: bool


def passages(discussion: Sequence[Turn], conclusion: str) -> tuple[Passage, ...]:
    """The sentences of a discussion and its conclusion, and what each is.

    The presentation of the case lasts until the first sentence that decides something; a question decides nothing.
    """
    found = []
    early = True
    for turn in discussion:
        for part in sentences(turn.text):
            decides = not part.text.endswith("?") and _DECIDED.search(part.text.casefold()) is not None
            early = early and not decides
            found.append(Passage(turn.id, part.text, decides, early))
    found.extend(Passage("", part.text, True, False) for part in sentences(conclusion) if not part.heading)
    return tuple(found)


def find_leaks(case_text: str, discussion: Sequence[Turn], conclusion: str) -> tuple[Suspicion, ...]:
    """Sentences of a case text that may tell what the board decided.

    Args:
        case_text: what a system would be given.
        discussion: the turns, in order.
        conclusion: its text; decisions may be added to it, one a line.

    Returns:
        Suspicions in the order of the text; empty does not mean that there is no leak.
    """
    said = passages(discussion, conclusion)
    decided = [item for item in said if item.decided]
    early = [item for item in said if item.early]
    named_early = treatments_in("\n".join(item.text for item in early))
    named_late = treatments_in("\n".join(item.text for item in decided)) - named_early
    found = []
    for part in sentences(case_text):
        if part.heading:
            continue
        rules = _rules(part.text, decided, early, named_late)
        if rules:
            lowered = part.text.casefold()
            history = _HISTORY.search(lowered) is not None and _PLAN.search(lowered) is None
            found.append(
                Suspicion(
                    start=part.start,
                    end=part.end,
                    rules=rules,
                    strong=LeakRule.BOARD_WORDS in rules or not history,
                    negative=_NEGATIVE.search(lowered) is not None,
                    turns=_turns(part.text, decided),
                )
            )
    return tuple(found)


def _rules(
    text: str, decided: Sequence[Passage], early: Sequence[Passage], named_late: frozenset[str]
) -> tuple[LeakRule, ...]:
    lowered, words, named = text.casefold(), content(text), treatments_in(text)
    best = max((overlap(words, content(item.text)) for item in decided), default=0.0)
    known = max((overlap(words, content(item.text)) for item in early), default=0.0)
    before = known >= ENOUGH and known >= best
    rules = []
    if _BOARD.search(lowered):
        rules.append(LeakRule.BOARD_WORDS)
    if _PLAN.search(lowered) and not before and (best >= ENOUGH or named & named_late or _dose(text, decided)):
        rules.append(LeakRule.PLAN_OVERLAP)
    if best >= MUCH and len(words) >= 3 and not before:
        rules.append(LeakRule.DECISION_OVERLAP)
    if named & named_late and not before:
        rules.append(LeakRule.LATE_TREATMENT)
    return tuple(rules)


def _dose(text: str, decided: Sequence[Passage]) -> bool:
    doses = doses_in(text)
    return bool(doses) and any(doses & doses_in(item.text) for item in decided)


def _turns(text: str, decided: Sequence[Passage]) -> tuple[str, ...]:
    words, named = content(text), treatments_in(text)
    same = [
        item.turn
        for item in decided
        if item.turn and (overlap(words, content(item.text)) >= ENOUGH or named & treatments_in(item.text))
    ]
    return tuple(dict.fromkeys(same))
