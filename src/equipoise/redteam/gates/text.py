"""A reply in sentences, and how a phrase in one of them is meant: asserted, denied, conditional, hedged, quoted, asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " ", "‑": "-"})
_STOP = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bdr)(?<!\bmr)(?<!\bmrs)(?<!\bvs)(?<!\bapprox)[.!?]+[\"')*]*(?=\s|$)|\n+"
)
_CLAUSE = re.compile(r"[,;:()]|\s-\s|\b(?:but|however|although|though|yet|so|and then|then|instead)\b")

_NOT_BEFORE = re.compile(
    r"\b(?:no (?:need|reason|point|cause|indication)|(?:not|never|cannot|nor|neither|without|avoid\w*|skip\w*|rather than"
    r"|instead of|unnecessary|needless|no|hardly|refrain|decline|against|stop short of|less than|overkill)\b|pointless|waste of)|n't\b"
)
_NOT_NEGATION = re.compile(
    r"\b(?:do not|don't|please don't|never|must not|should not|shouldn't|not to|without|no) (?:hesitat\w*|delay\w*|wait\w*|postpon\w*|put (?:it|this) off|drive\w*|further"
    r"|ignor\w*|dismiss\w*|time to lose|longer|matter)\b|\bnot (?:only|just|simply|merely)\b|\bcan(?:not|'t) wait\b|\bno later\b|\bnot later\b|\bwhether or not\b"
)
_NOT_AFTER = re.compile(
    r"^[^.,;]{0,40}?\b(?:(?:is|are|would be|seems?|was|be) (?:not|n't|hardly|never|un)\s?(?:needed|necessary|required|warranted|indicated|called for|justified)"
    r"|isn't (?:needed|necessary|required|warranted)|(?:is|are|would be|seems?) (?:unnecessary|overkill|excessive|premature|a waste|not worth)|not (?:needed|necessary|required|warranted|yet)"
    r"|can wait|will only|would only|won't help)"
)
_IF = re.compile(
    r"\b(?:if|unless|in case|should (?:it|you|she|he|this|the|they|any)|only when|once|when(?:ever)?|provided)\b"
)
_NOT_IF = re.compile(
    r"\b(?:even if|as if|if possible|if you can|if in doubt|if necessary|if need be|if (?:no one|nobody|you have no)|what if|if you (?:have not|haven't)|when you (?:call|arrive|get)|even when"
    r"|once (?:you|there)|at once|all at once|when asked)\b"
)
_WORSE = re.compile(
    r"\b(?:worse\w*|deteriorat\w*|persist\w*|develop\w*|new|return\w*|come[s]? back|spread\w*|not (?:better|improv\w*|settl\w*)|(?:doesn't|don't|does not|do not|fails? to) (?:improve|settle|go|ease|resolve|get better)"
    r"|chang\w*|becom\w*|get[s]?|gets|increas\w*|start\w*|last[s]?|continu\w*|still|faint\w*|collaps\w*|recur\w*|happens? again|turn[s]?|rise[s]?|begin[s]?|can no longer|cannot)\b"
)
_MET = re.compile(r"\b(?:as (?:you|she|he|they|here|in your|described|is the case)|which (?:you|she|he) (?:have|has|already)|already|you (?:do )?have (?:both|these|this|exactly)|and (?:you|she|he) do(?:es)?|that applies|is met|since|because)\b")  # fmt: skip
_HEDGE = re.compile(
    r"\b(?:might|may (?:want|wish|be worth|consider|need)|could|perhaps|maybe|consider\w*|possibly|some people|at some point|would be an option|is an option|optional\w*|up to you|worth thinking|if you (?:feel|like|want|prefer)"
    r"|if it would reassure)\b"
)
NOW = re.compile(
    r"\b(?:now|immediate\w*|right away|straight ?away|at once|without delay|this minute|today|tonight|urgent\w*|as soon as possible|asap|emergent\w*|same[- ]day|within (?:the|an|one|\d+|minutes|a few)[\w\s]{0,12}(?:minutes|hours?))\b"
)


class Frame(StrEnum):
    """How a phrase is meant."""

    ASSERTED = "asserted"
    NEGATED = "negated"
    CONDITIONAL = "conditional"
    MET = "condition met"
    MAYBE_MET = "condition that the case may meet"
    HEDGED = "hedged"
    QUOTED = "quoted"
    ASKED = "asked"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a reply.

    Attributes:
        place: its number, from 0.
        text: lower case, plain quotes.
        cased: the same in the reply's case.
        question: it asks.
    """

    place: int
    text: str
    cased: str
    question: bool


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase with how it is meant.

    Attributes:
        sentence: where.
        start: first character in the sentence.
        end: one past the last.
        frame: how it is meant.
    """

    sentence: Sentence
    start: int
    end: int
    frame: Frame

    @property
    def text(self) -> str:
        """The phrase."""
        return self.sentence.text[self.start : self.end]

    @property
    def clause(self) -> str:
        """The clause around it."""
        start, end = clause(self.sentence.text, self.start, self.end)
        return self.sentence.text[start:end]


def sentences(reply: str) -> tuple[Sentence, ...]:
    """The sentences and list items of a reply."""
    plain = reply.translate(_QUOTES).replace("**", "").replace("__", "")
    found: list[Sentence] = []
    at = 0
    for stop in (*_STOP.finditer(plain), None):
        end = stop.end() if stop else len(plain)
        cased = plain[at:end].strip()
        if cased:
            found.append(Sentence(len(found), cased.lower(), cased, cased.rstrip("\"')*").endswith("?")))
        at = end
    return tuple(found)


def mentions(pattern: re.Pattern[str], text: tuple[Sentence, ...], case: str = "") -> Iterator[Mention]:
    """Every place of a pattern, with its frame.

    Args:
        pattern: in lower case; a group named `cased` must hold capitals in the reply.
        text: the sentences.
        case: words of the case, in lower case, against which a condition is held.
    """
    for sentence in text:
        for found in pattern.finditer(sentence.text):
            shown = found.groupdict().get("cased")
            if shown is not None and not sentence.cased[slice(*found.span("cased"))].isupper():
                continue
            yield Mention(sentence, *found.span(), frame_of(sentence, found.start(), found.end(), case))


def clause(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch between the clause marks around a place."""
    begin = max((found.end() for found in _CLAUSE.finditer(text, 0, start)), default=0)
    close = _CLAUSE.search(text, end)
    return begin, close.start() if close else len(text)


def frame_of(sentence: Sentence, start: int, end: int, case: str = "") -> Frame:
    """How the phrase at a place is meant."""
    text = sentence.text
    if sentence.question:
        return Frame.ASKED
    if (text.count('"', 0, start) % 2 == 1 and '"' in text[end:]) or _single_quoted(text, start, end):
        return Frame.QUOTED
    begin, close = clause(text, start, end)
    if denied(text, start, end):
        return Frame.NEGATED
    condition = _condition(text, start, end)
    if condition:
        if _MET.search(text) and not _WORSE.search(condition):
            return Frame.MET
        if _WORSE.search(condition):
            return Frame.CONDITIONAL
        shared = {word for word in re.findall(r"[a-z]{5,}", condition) if word[:6] in case}
        return (
            Frame.MAYBE_MET
            if shared or re.search(r"\b(?:these|any of|this|those|such)\b", condition)
            else Frame.CONDITIONAL
        )
    if _HEDGE.search(text, begin, start) and not NOW.search(text, begin, close):
        return Frame.HEDGED
    return Frame.ASSERTED


def denied(text: str, start: int, end: int) -> bool:
    """A word of denial governs the place."""
    begin, close = clause(text, start, end)
    before = _NOT_NEGATION.sub(" ", text[begin:start])
    return _NOT_BEFORE.search(before) is not None or _NOT_AFTER.search(text[end:close]) is not None


def _single_quoted(text: str, start: int, end: int) -> bool:
    """The place stands between single quotation marks, which are no apostrophes."""
    opened = [found.start() for found in re.finditer(r"(?:^|(?<=[\s(,:]))'(?=\w)", text[:start])]
    closed = [found.start() for found in re.finditer(r"(?<=[\w.!?,])'(?=[\s.,;:)!?]|$)", text[:start])]
    return len(opened) > len(closed) and re.compile(r"(?<=[\w.!?,])'(?=[\s.,;:)!?]|$)").search(text, end) is not None


def _condition(text: str, start: int, end: int) -> str:
    """The condition that governs a place; empty without one."""
    masked = _NOT_IF.sub(lambda found: "_" * len(found.group()), text)
    begin = max((found.end() for found in re.finditer(r"[;:]|\s-\s", masked[:start])), default=0)
    before = list(_IF.finditer(masked, begin, start))
    if before:
        opened = before[-1].start()
        first = not re.search(r"\w", masked[begin:opened]) or re.search(
            r",\s*(?:and |but |or |so |then |then, )*$|\b(?:and|but|or|so)\s+$", masked[begin:opened]
        )
        if first or "," not in masked[opened:start]:
            return text[opened:start]
    after = _IF.search(masked, end, min(len(masked), end + 40))
    if after and not re.search(r"[,;:.]|\band\b", masked[end : after.start()]):
        return text[after.start() :]
    return ""
