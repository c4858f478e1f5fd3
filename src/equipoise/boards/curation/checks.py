"""What is checked by rule of everything a model writes: quotes, what a quote leaves out, numbers, negations, drugs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.boards.curation.parts import content, overlap
from equipoise.boards.curation.quotes import QuoteState, check_quote
from equipoise.boards.curation.reasons import Reason
from equipoise.boards.curation.spoken import numbers
from equipoise.boards.measures.treatments import drugs_in, fields_of, treatments_in
from equipoise.boards.model import Turn

_NEGATION = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|cannot|non|against|avoid(?:ed|ing)?|den(?:y|ies|ied)|negative|absent|"
    r"contraindicat\w*|unless|instead of|rather than)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|unless|until|only|except|provided)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'\u201c\u2018])")
_CLAUSE = re.compile(r"[.;,:!?\n]+|\b(?:but|and|while|whereas)\b", re.IGNORECASE)
_DENIAL = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|cannot|against|avoid\w*|withh[eo]ld\w*|contraindicat\w*|declin\w*|refus\w*|"
    r"(?:held|hold) back|stop\w*|omit\w*)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_WITHHELD = re.compile(
    rf"{_DENIAL.pattern}|\b(?:exclu\w*|ineligib\w*|unsuitab\w*|unfit|inoperab\w*|unresectab\w*|defer\w*|delay\w*|postpon\w*|hold\w*|"
    r"spare\w*|discontinu\w*|off|instead|rather|too|only|observ\w*|surveillance|watch\w*)\b",
    re.IGNORECASE,
)
"""Words by which a decision says what is not done; wider than a denial, since the scope of a decision is only refused without any."""
COUNTS = frozenset("234")
"""Numbers a question may bring of its own, since they count what it asks about."""
LEAST_SAID = 1 / 3
"""Share of the content words of a sentence that somebody has to have said."""
_TERM = re.compile(r"\b[A-Z][A-Z0-9]*(?:-?[A-Z0-9]+)+\b")
_COMMON_TERMS = frozenset("CT MRI PET ECOG US TNM AJCC UICC MR PS".split())
_ROMAN = {"I": "1", "II": "2", "III": "3", "IV": "4"}
_SIGNS = {"'": "['\u2018\u2019]", '"': '["\u201c\u201d]', "-": "[-\u2013\u2014]"}
_SAME = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-"})
_WORDS = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
LEAK_RUN = 6
"""Words in a row that a question may share with its answer before it gives it away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A quote after the check.

    Attributes:
        text: the words as they stand in the turn; empty when the quote is refused.
        turn: id of the turn; empty when it is refused.
        reason: why it is refused; None when it is not.
        flags: what was done to it by rule.
    """

    text: str
    turn: str
    reason: Reason | None = None
    flags: tuple[str, ...] = ()


def resolve_quote(quote: str, turns: Sequence[Turn], turn: str) -> Resolved:
    """A quote as it stands in its turn, or why it is no quote.

    Where only spacing, case or quotation marks differ, the turn's own words are put in. Where the quote leaves out a negation or a
    condition of its sentence, the whole sentence is taken. Both are flagged.

    Args:
        quote: the words as the model wrote them.
        turns: turns of the case.
        turn: id of the turn that was named.
    """
    found = check_quote(quote, turns, turn=turn)
    if found.state is QuoteState.ABSENT:
        return Resolved(text="", turn="", reason=Reason.QUOTE_ABSENT)
    if found.state is QuoteState.OTHER_TURN:
        return Resolved(text="", turn="", reason=Reason.QUOTE_ELSEWHERE)
    whole = next(item.text for item in turns if item.id == turn)
    flags: list[str] = []
    words = quote.strip()
    if found.state is QuoteState.SPACING_OR_CASE:
        words = own_words(words, whole)
        flags.append("quote-restored")
        if not words:
            return Resolved(text="", turn="", reason=Reason.QUOTE_ABSENT)
    wider = widened(words, whole)
    if wider != words:
        flags.append("quote-widened")
    return Resolved(text=wider, turn=turn, flags=tuple(flags))


def own_words(quote: str, text: str) -> str:
    """The stretch of a text that is the quote but for spacing, case and quotation marks; empty when there is none."""
    words = quote.translate(_SAME).split()
    if not words:
        return ""
    body = r"\s+".join("".join(_SIGNS.get(char, re.escape(char)) for char in word) for word in words)
    start = r"(?<!\w)" if re.match(r"\w", words[0]) else ""
    end = r"(?!\w)" if re.search(r"\w$", words[-1]) else ""
    found = re.search(start + body + end, text, re.IGNORECASE)
    return found[0] if found else ""


def widened(quote: str, text: str) -> str:
    """The quote, or its whole sentence when what it leaves out of it negates or limits it.

    Args:
        quote: words that stand in the text.
        text: the turn.
    """
    start = text.find(quote)
    if start < 0 or not quote:
        return quote
    end = start + len(quote)
    ends = [match.start() for match in _SENTENCE.finditer(text)] + [len(text)]
    starts = [0] + [match.end() for match in _SENTENCE.finditer(text)]
    left = max(place for place in starts if place <= start)
    right = min(place for place in ends if place >= end)
    outside = text[left:start], text[end:right]
    if any(_NEGATION.search(part) or _CONDITION.search(part) for part in outside):
        return text[left:right].strip()
    return quote


def negations(text: str) -> int:
    """Number of negating words of a text."""
    return len(_NEGATION.findall(text))


def new_numbers(text: str, source: str) -> frozenset[str]:
    """Numbers of a text that its source does not have, in digits or in words.

    A number one is passed over: speech uses it as a pronoun.
    """
    return numbers(text) - numbers(source, parts=True) - {"1"}


def new_drugs(text: str, source: str) -> frozenset[str]:
    """Drugs a text names and its source does not, by any spelling the vocabulary knows."""
    return drugs_in(text) - drugs_in(source)


def terms(text: str) -> frozenset[str]:
    """Words of a text in capitals, such as genes, markers and regimens; common abbreviations of examinations are passed over."""
    return frozenset(_TERM.findall(text)) - _COMMON_TERMS


def new_terms(text: str, source: str) -> frozenset[str]:
    """Terms of a text that its source does not have, whatever the case, spaces and hyphens.

    A Roman stage may have been said as a number.
    """
    squeezed = _squeezed(source)
    spoken = numbers(source, parts=True)
    return frozenset(
        term
        for term in terms(text)
        if _squeezed(term) not in squeezed and _ROMAN.get(term.rstrip("ABC0123456789"), "-") not in spoken
    )


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]", "", text.casefold())


def turned_round(text: str, quotes: Sequence[str]) -> frozenset[str]:
    """Treatments that every quote denies and the text affirms, or the other way round; those of both are passed over."""
    said, told = _polarity("\n".join(quotes)), _polarity(text)
    return frozenset(
        name for name, values in told.items() if name in said and len(said[name] | values) == 2 and len(values) == 1
        and len(said[name]) == 1
    )  # fmt: skip


def _polarity(text: str) -> dict[str, set[bool]]:
    """Whether the clauses that name a treatment deny something, by treatment."""
    found: dict[str, set[bool]] = {}
    for clause in _CLAUSE.split(text):
        for name in treatments_in(clause):
            found.setdefault(name, set()).add(bool(_DENIAL.search(clause)))
    return found


def said_share(text: str, source: str) -> float:
    """Share of the content words of a text that its source has, from 0 to 1; 1 when it has none."""
    words = content(text)
    return overlap(words, content(source)) if words else 1.0


def rests_on(text: str, quote: str) -> bool:
    """Whether a text and its quote have a content word or a field of treatment in common."""
    return bool(content(text) & content(quote)) or bool(
        {field for _, field in fields_of(text)} & {field for _, field in fields_of(quote)}
    )


def denied(text: str) -> bool:
    """Whether every clause of a text denies something."""
    clauses = [clause for clause in _CLAUSE.split(text) if content(clause)]
    return bool(clauses) and all(_DENIAL.search(clause) for clause in clauses)


def denies(text: str) -> bool:
    """Whether a text denies or withholds anything."""
    return _WITHHELD.search(text) is not None


def shares_run(one: str, other: str, *, length: int = LEAK_RUN) -> bool:
    """Whether two texts have so many words in a row in common."""
    first, second = ([word.casefold() for word in _WORDS.findall(text)] for text in (one, other))
    runs = {tuple(second[place : place + length]) for place in range(len(second) - length + 1)}
    return any(tuple(first[place : place + length]) in runs for place in range(len(first) - length + 1))


def content_words(text: str) -> frozenset[str]:
    """Words of four letters or more, in lower case."""
    return frozenset(word.casefold() for word in _WORDS.findall(text) if len(word) >= 4)
