"""The layout of a turn: headings, lists, tables and labels, and what they say of the drugs under them.

Language models write turns as pages; people speak them as one line. A label ("Not recommended:", "Prior therapy:") says how the words
after it are meant, a heading how the lines under it are. A label or a cell of a table that is nothing but drugs ("Sorafenib → not advised")
is judged by what stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from equipoise.cases.vocabulary.tokens import fold


class Stance(StrEnum):
    """How the words under a label are meant."""

    PROPOSED = "proposed"
    REJECTED = "rejected"
    PAST = "past"
    REPORTED = "reported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A sentence of a turn.

    Attributes:
        last: whether its label says that it replaces what was said before ("Final proposal:").
        text: the sentence without marks and without its label; the label itself where that is nothing but drugs.
        stance: what its label or heading says; None without.
        fixed: whether the stance is a verdict on the drugs of this piece, whatever their own words are.
        label: the label it stood behind.
    """

    text: str
    stance: Stance | None = None
    fixed: bool = False
    label: str = ""
    last: bool = False


_SENTENCE = re.compile(
    r"(?<!\bDr\.)(?<!\bProf\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bvs\.)(?<!\bNo\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bal\.)"
    r"(?<=[.!?])\s+(?=[A-Z\"'(\[])|(?<=\])\s+"
)
_HEADING = re.compile(r"^\s*#{1,6}\s+")
_BULLET = re.compile(r"^\s*(?:[-*•‣–—+]\s+|\(?(?:\d{1,2}|[a-hA-H]|[ivx]{1,4})[.)]\s+)+")
_MARKS = re.compile(r"\*{1,3}|_{2,3}|`")
_BOLD_LINE = re.compile(r"^\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?\*\*[^*]+\*\*[:.]?\s*$")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^[\s|:+-]+$")
_LABEL = re.compile(
    r"^(?P<label>[^:→|;!?\n]{2,90}?)(?P<mark>\s*:|\s*(?:→|->|=>|⇒)|\s+[–—-]{1,2})\s+(?P<rest>\S.*)$", re.DOTALL
)
_ARROW = re.compile(r"^(?P<label>[^→\n]{2,160}?)(?P<mark>\s*(?:→|->|=>|⇒))\s+(?P<rest>\S.*)$", re.DOTALL)
_LAST_WORD = re.compile(r"\b(?:final|revised|updated|corrected|amended)\b")
_LONGEST = 10
_LONGEST_DASH = 4

_NO = re.compile(
    r"\bnot (?:recommended|favou?red|advised|proposed|preferred|indicated|suitable|appropriate|eligible|considered|for|to|an option|"
    r"feasible|pursued)\b|"
    r"\b(?:avoid\w*|against|contraindicat\w*|reject\w*|unsuitable|inappropriate|exclud\w*|ruled out|declined|discard\w*|never|no-go|"
    r"no longer|discourag\w*|omit\w*|withh\w+|stop\w*|discontinu\w*|ineligible)\b|"
    r"\b(?:i|we)(?:'d| would|'ll| will)? (?:not|never|avoid|omit|skip)\b|\b(?:don't|do not|wouldn't|would not|off the table)\b"
)
_YES = re.compile(
    r"\b(?:recommend\w*|propos\w*|prefer\w*|favou?red|chosen|advice|advise\w*|answer|verdict|bottom line|decision|plan)\b"
)
_PAST = re.compile(
    r"\b(?:prior|previous\w*|past|history|already|received|earlier|treated with|to date|so far|current\w*|medications?|"
    r"pretreat\w*|exhausted|failed|progress\w* on)\b"
)
_REPORT = re.compile(
    r"\b(?:evidence|data|literature|background|rationale|reasoning|studies|study|guidelines?|key (?:facts|trials|findings|points)|"
    r"we know|references?|"
    r"context|caveats?|risks?|toxicit\w+|side effects?|safety|monitoring|interactions?|question|uncertaint\w+|limitations?|"
    r"mechanism|support(?:ive)?(?: care)?|prophylaxis|premedication|antiemesis|publications?)\b"
)
_PLAN = re.compile(
    r"\b(?:first|second|third|next|later|further|front)(?:-| )?line|\b(?:treatment|therapy|regimen|systemic|adjuvant|neoadjuvant|"
    r"perioperative|induction|maintenance|consolidation|bridging|salvage|alternativ\w*|equivalent|options?|fallback|backup|if|otherwise|"
    r"(?:on|at|upon) (?:progression|relapse)|conclusion|what i(?:'d| would)|what we|next steps?|actions?|choice|consensus|tier|"
    r"standard of care|"
    r"then|conditional|now|later|give|use|start|add|continue|do|chemotherapy|immunotherapy|second choice|targeted)\b"
)

_SAYS_NO = re.compile(
    r"\bnot (?:recommended|proposed|advised|considered|favou?red|indicated|eligible|an option|appropriate|suitable|available|reimbursed|"
    r"met|pursued|offered|feasible|sensible|needed|helpful|justified|supported|preferred|expected|possible|for)\b|"
    r"\b(?:contraindicat\w*|avoid\w*|reject\w*|declined|no longer|wrong|exclud\w*|rule[sd]? out|inappropriate|unsuitable|ineligible|"
    r"against|"
    r"omit\w*|dropped|stopp?(?:ed)?|discontinu\w*|replac\w+ (?:it|this)|off the table|no (?:role|benefit|activity|indication|evidence|"
    r"target|place)|"
    r"lacks?|absent|futile|obsolete|too (?:toxic|risky|frail)|do not|don't|would not|wouldn't|cannot|can't|unacceptable|outdated|no)\b"
)
_SAYS_YES = re.compile(
    r"(?<!not )(?<!no )(?<!never )(?<!n't )(?<!no longer )\b(?:propos\w*|recommend\w*|prefer\w*|(?:first|second|third|best|my|"
    r"our) choice|no change|continue\w*|"
    r"unchanged|start\w*|add(?:ed)?|favou?red|chosen|selected|agree\w*|acceptable|reasonable|appropriate|eligible|yes|backup|"
    r"alternative|fallback|in reserve|reserved|rechallenge|advised|backbone)\b"
)
_SAYS_AGAIN = re.compile(
    r"(?<!not )(?<!no )(?<!never )(?<!n't )(?<!no longer )\b(?:propos\w*|recommend\w*|prefer\w*|choice|rechallenge|again|now|no change|"
    r"continue)\b"
)
_SAYS_PAST = re.compile(
    r"\b(?:received|(?<!at )(?<!on )(?<!upon )(?<!for )(?<!if )progress(?:ed|ion)|already|prior|previous\w*|failed|exhausted|refractory|"
    r"given (?:in|from|until)|used (?:in|from)|"
    r"(?:in|until|since|from) (?:19|20)\d\d|completed|resistan\w+)\b"
)


def stance_of_label(label: str) -> Stance | None:
    """How words behind this label or under this heading are meant; None when it does not say."""
    low = fold(label)
    for pattern, stance in (
        (_NO, Stance.REJECTED),
        (_YES, Stance.PROPOSED),
        (_PAST, Stance.PAST),
        (_REPORT, Stance.REPORTED),
        (_PLAN, Stance.PROPOSED),
    ):
        if pattern.search(low):
            return stance
    return None


def verdict(words: str) -> Stance | None:
    """What words beside the name of a drug decide about it; None when they decide nothing."""
    low = fold(words)
    against = [one.start() for one in _SAYS_NO.finditer(low)]
    before = _SAYS_PAST.search(low) is not None
    pattern = _SAYS_AGAIN if before else _SAYS_YES
    favor = [one.start() for one in pattern.finditer(low)]
    if favor and (not against or favor[-1] >= against[-1]):
        return Stance.PROPOSED
    if against:
        return Stance.REJECTED
    return Stance.PAST if before else None


def pieces(text: str, *, names_only: Callable[[str], bool], names: Callable[[str], bool]) -> Iterator[Piece]:
    """The sentences of a turn in order, each with what its label and heading say.

    Args:
        text: the turn.
        names_only: whether some words are nothing but drugs and their doses.
        names: whether some words name a drug.
    """
    heading: Stance | None = None
    blank = True
    lines = text.splitlines()
    for place, raw in enumerate(lines):
        if not raw.strip():
            blank = True
            continue
        if _RULE.match(raw):
            continue
        if _ROW.match(raw):
            head = place + 1 < len(lines) and "-" in lines[place + 1] and _RULE.match(lines[place + 1]) is not None
            if not head:
                yield from _row(raw, heading, names)
            continue
        listed = _BULLET.match(raw) is not None
        line = " ".join(_MARKS.sub("", _BULLET.sub("", _HEADING.sub("", raw))).split())
        over = _HEADING.match(raw) is not None or _BOLD_LINE.match(raw) is not None or line.endswith(":")
        if over and not names(line):
            heading, blank = stance_of_label(line), False
            continue
        if blank and not listed:
            heading = None
        blank = False
        yield from _line(line, heading, names_only, names)


def _row(raw: str, heading: Stance | None, names: Callable[[str], bool]) -> Iterator[Piece]:
    cells = [" ".join(_MARKS.sub("", cell).split()) for cell in raw.strip().strip("|").split("|")]
    first = next((place for place, cell in enumerate(cells) if names(cell)), None)
    if first is None:
        return
    others = " | ".join(cell for place, cell in enumerate(cells) if place != first)
    says = verdict(others)
    label = next((found for cell in cells[:first] if (found := stance_of_label(cell))), None)
    yield Piece(text=cells[first], stance=says or label or heading, fixed=says is not None, label=others)
    for cell in cells[first + 1 :]:
        if names(cell):
            yield Piece(text=cell, stance=Stance.REPORTED)


def _line(
    line: str, heading: Stance | None, names_only: Callable[[str], bool], names: Callable[[str], bool]
) -> Iterator[Piece]:
    found = _ARROW.match(line) or _LABEL.match(line)
    says = verdict(found["rest"]) if found else None
    arrow = found is not None and found.re is _ARROW and says is not None and names(found["label"])
    if found and (arrow or (names_only(found["label"]) and not _joins(found))):
        yield Piece(text=found["label"], stance=says or heading, fixed=says is not None, label=found["rest"])
        line = found["rest"]
        if not names(line):
            return
    held = heading
    for sentence in _SENTENCE.split(line):
        if not sentence.strip():
            continue
        text, label, stance = sentence, "", held
        if (found := _LABEL.match(sentence)) and not names(found["label"]) and _is_label(found):
            label, text = found["label"], found["rest"]
            own = stance_of_label(label)
            stance = own or held
            held = own if own in (Stance.REJECTED, Stance.PAST, Stance.REPORTED) else (held if own is None else None)
        last = stance is Stance.PROPOSED and _LAST_WORD.search(fold(label)) is not None
        yield Piece(text=text, stance=stance, label=label, last=last)


def _is_label(found: re.Match[str]) -> bool:
    size = len(found["label"].split())
    return size <= (_LONGEST_DASH if found["mark"].strip()[0] in "–—-" and "->" not in found["mark"] else _LONGEST)


def _joins(found: re.Match[str]) -> bool:
    """Whether a dash joins drugs rather than opening a remark on them."""
    return found["mark"].strip() == "-" and re.match(r"[a-z0-9]", found["rest"]) is None
