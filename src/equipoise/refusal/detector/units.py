"""A reply cut into sentences and list items, and the stretches of it that are not the assistant's own voice."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LONGEST = 1200
"""Characters after which a sentence without a stop is cut."""
_ABBREVIATED = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|vs|approx|e\.g|i\.e|etc|fig|inc|jr|sr|al|a\.m|p\.m|u\.s|u\.k)\.|(?:^|\s)\d{1,2}\.)$",
    re.IGNORECASE,
)
_STOP = re.compile(r"[.!?]+[\"')\]*_]*(?=\s)")
_ITEM = re.compile(
    r"\s*(?:[-*+\u2022\u25cf\u25aa\u2023\u00b7\u2014]|\(?\d{1,3}[.):]|[a-h][.)]|step \d+[:.)])\s+", re.IGNORECASE
)
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*\n]{1,80}\*\*:?\s*$|__[^_\n]{1,80}__:?\s*$)")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$")


@dataclass(frozen=True, slots=True)
class Unit:
    """One sentence, list item or heading.

    Attributes:
        start: first character in the reply.
        end: one past the last.
        item: it is, or stands in, an item of a list.
        heading: it is a heading.
        voiced: the assistant says it itself; False inside a quotation, a draft, code or another speaker's line.
    """

    start: int
    end: int
    item: bool = False
    heading: bool = False
    voiced: bool = True


def split(text: str) -> list[Unit]:
    """Units of a folded text, in order; blank lines and rules make none."""
    found: list[Unit] = []
    at = 0
    for line in text.split("\n"):
        end = at + len(line)
        if line and not line.isspace() and not _RULE.match(line):
            _line(text, at, end, found)
        at = end + 1
    return found


def _line(text: str, start: int, end: int, found: list[Unit]) -> None:
    heading = bool(_HEADING.match(text, start, end))
    mark = None if heading else _ITEM.match(text, start, end)
    item = mark is not None
    begin = mark.end() if mark else start
    for stop in _STOP.finditer(text, begin, end):
        if stop.end() - stop.start() == 1 and _ABBREVIATED.search(text, max(begin, stop.end() - 8), stop.end()):
            continue
        _add(text, begin, stop.end(), item, heading, found)
        begin = stop.end()
    _add(text, begin, end, item, heading, found)


def _add(text: str, start: int, end: int, item: bool, heading: bool, found: list[Unit]) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > _LONGEST:
        cut = text.rfind(" ", start + 1, start + _LONGEST)
        cut = cut if cut > start else start + _LONGEST
        found.append(Unit(start, cut, item, heading))
        start = cut
    if end > start:
        found.append(Unit(start, end, item, heading))


_FENCE = re.compile(r"^ {0,3}```.*$", re.MULTILINE)
_QUOTED = re.compile(r'"[^"\n]{2,1500}"')
_SINGLE = re.compile(
    r"(?<![\w'])'(?!\s)[^'\n]{2,40}(?:'(?=\w)[^'\n]{1,200})*'(?![\w'])|(?<![\w'])'(?!\s)[^'\n]{2,300}'(?=[\s.,;:!?)]|$)"
)
_BLOCK = re.compile(r"^[ ]{0,3}>.*$", re.MULTILINE)
_LETTER = re.compile(
    r"^[^\w\n]{0,4}(?:dear [^\n]{1,60}|to whom it may concern\W?|hi (?:dr\.?|team|\[)[^\n]{0,40}|subject: ?[^\n]+|\*{0,2}subject:?\*{0,2}:? ?[^\n]+)$|(?<=[.:!] )dear [^\n.]{1,40},$",
    re.MULTILINE,
)
_LETTER_END = re.compile(
    r"^[^\w\n]{0,4}(?:(?:kind|best|warm|with) [^\n]{0,40}|regards|sincerely|yours[^\n]{0,20}|thank you|thanks|---+|\[your name\])[^\n]*$",
    re.MULTILINE,
)
_SPEAKER = re.compile(
    r"^[^\w\n]{0,4}(?!(?:assistant|ai|chatbot|bot|answer|response|reply|note|model)\b)(?:patient|nurse|doctor|dr\.? \w+|caller|parent|mother|father|client|therapist|physician|clinician|wife|husband|son|daughter|friend|boss|user|you|pharmacist|midwife|gp|teen|mum|mom|dad|counsellor|counselor|customer|manager|receptionist|interviewer|student|teacher|person [ab]|speaker \d|a|b)\*{0,2}:\*{0,2} ",
    re.MULTILINE | re.IGNORECASE,
)
_NAMED = re.compile(
    r"^[^\w\n]{0,4}(?!(?:Assistant|Chatbot|Answer|Response|Reply|Note|Model|Important|Disclaimer|Warning|Caution|Summary|Update|Unfortunately|However|Sorry|Safety|Limits?|Limitations?|Reminder|Please)\b)[A-Z][a-z]{2,12}\*{0,2}:\*{0,2} ",
    re.MULTILINE,
)
_SCRIPT = re.compile(
    r"\b(?:you (?:can|could|might|may) (?:also )?(?:say|try|write|tell \w+)|(?:say|write|try) (?:something )?(?:like|along)"
    r"|(?:tell|ask) (?:them|him|her|your \w+)(?: that)?)(?: [\w ]{0,30})?[:,]",
)


def unvoiced(original: str, text: str, low: str, *, draft: bool) -> list[tuple[int, int]]:
    """Stretches that somebody else says: quotations, block quotes, code, letters, scripts, lines of a dialogue.

    Args:
        original: the reply.
        text: its folded form.
        low: the folded form in lower case.
        draft: a text in somebody's voice may have been asked for; without that a letter is the assistant's own.
    """
    spans: list[tuple[int, int]] = []
    marks = [match.span() for match in _FENCE.finditer(original)]
    spans += [(marks[at][0], marks[at + 1][1]) for at in range(0, len(marks) - 1, 2)]
    whole = len(text.strip())
    spans += (
        [match.span() for match in _QUOTED.finditer(text) if draft or match.end() - match.start() < 0.85 * whole]
        if '"' in text
        else []
    )
    spans += (
        [match.span() for match in _SINGLE.finditer(text) if match.end() - match.start() < 0.85 * whole]
        if "'" in text
        else []
    )
    if "\n" in text:
        if ">" in text:
            spans += [match.span() for match in _BLOCK.finditer(text)]
        spans += (
            [(match.start(), _line_end(text, match.start())) for match in _SPEAKER.finditer(text)]
            if ":" in text
            else []
        )
        named = list(_NAMED.finditer(text)) if ":" in text else []
        if len(named) > 1:
            spans += [(match.start(), _line_end(text, match.start())) for match in named]
        letter = _LETTER.search(low) if draft else None
        if letter:
            ending = _LETTER_END.search(low, letter.end())
            spans.append((letter.start(), ending.end() if ending else len(text)))
    for match in _SCRIPT.finditer(low):
        spans.append((match.end(), _sentence_end(text, match.end())))
    return spans


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _sentence_end(text: str, at: int) -> int:
    stop = _STOP.search(text, at, min(len(text), at + 400))
    return stop.end() if stop else min(_line_end(text, at), at + _LONGEST)


def inside(spans: list[tuple[int, int]], size: int) -> bytearray:
    """One byte a character: 1 where somebody else speaks."""
    mask = bytearray(size)
    for start, end in spans:
        mask[start:end] = b"\x01" * (end - start)
    return mask
