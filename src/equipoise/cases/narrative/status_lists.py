"""Lists under a heading that says a status: what stands below "Not detected:" is absent, though its own line does not say so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from equipoise.cases.narrative.sentences import Sentence
from equipoise.cases.vocabulary.biomarkers import catalogue

_SUBJECT = (
    r"(?:(?:the|following|clinically|significant|relevant|pertinent|genomic|molecular|somatic|gene|genes|variants?|alterations?"
    r"|mutations?|biomarkers?|markers?|targets?|results?|findings?|fusions?|rearrangements?|were|was|are|with|in|for)\s+)*"
)
_THINGS = r"(?:genes?|variants?|alterations?|mutations?|biomarkers?|markers?|results?|findings?)"
_KINDS: tuple[tuple[str, str], ...] = (
    (
        "Not tested: ",
        r"(?:not\s+(?:tested|assessed|evaluated|performed|done|covered|evaluable)|untested|(?:testing\s+)?failed|insufficient)",
    ),
    ("Pending: ", r"(?:pending|awaited|outstanding|to\s+follow|in\s+progress)"),
    (
        "VUS: ",
        r"(?:(?:variants?\s+of\s+)?(?:uncertain|unknown|undetermined)\s+(?:clinical\s+)?significance|vus|equivocal|indeterminate)",
    ),
    (
        "Not detected: ",
        r"(?:not\s+(?:detected|identified|found|seen|present|mutated)|undetected|negatives?|absent|wild[- ]?type|none\s+detected"
        r"|no\s+(?:\w+\s+){0,3}(?:detected|identified|found|seen)(?:\s+in(?:\s+the\s+following(?:\s+genes)?)?)?"
        r"|no\s+(?:reportable\s+|pathogenic\s+)?(?:variants?|alterations?|mutations?)(?:\s+in(?:\s+the\s+following(?:\s+genes)?)?)?)",
    ),
)
_TAIL = rf"(?:\s+{_THINGS})?(?:\s*\([^()]{{0,40}}\))?\s*(?P<colon>[:\-\u2013]?)\s*"
_HEADS = tuple((words, re.compile(_SUBJECT + pattern + _TAIL)) for words, pattern in _KINDS)
_BULLET = re.compile(r"\s*(?:[-*\u2022>#\u25e6\u25aa]+\s|\(?\d{1,2}[.)]\s)")
_PROSE = re.compile(
    r"\b(?:she|he|they|we|i|patient|pt|mr|mrs|ms|has|have|had|is|was|were|will|would|should|progress\w*|treated|started|received"
    r"|recommend\w*|plan|discussed|detected|positive|present|confirmed)\b"
)
_BLANK = re.compile(r"\n[ \t\r]*\n")
_LONGEST = 90
"""Characters of the longest line that still counts as a list entry."""


def governed(note: str, found: Iterable[Sentence]) -> Iterator[tuple[Sentence, str]]:
    """Each sentence with the heading that governs it, in the words of the report grammar ("Not detected: "); "" for none.

    A heading alone on its line, or one whose list ends in a comma or semicolon, governs the lines below until a blank line, a line of
    prose, a line with a label or a status of its own kind of heading.

    Args:
        note: the text that the sentences were cut from.
        found: its sentences, in order.
    """
    heading, before, closed = "", 0, False
    for sentence in found:
        gap = note[before : sentence.start]
        before = sentence.end
        if heading and (closed or "\n" not in gap or ":" in gap or _BLANK.search(gap) or _own_words(sentence.low)):
            heading = ""
        opened, rest = _heading(sentence.low)
        if opened is not None and not rest:
            heading, closed = opened, False
            yield sentence, ""
            continue
        yield sentence, heading
        if opened and rest[-1] in ",;":
            heading, closed = opened, False
        elif opened is not None:
            heading = ""
        else:
            closed = sentence.low[-1] == "." and _BULLET.match(gap.rpartition("\n")[2] + sentence.low) is None


def _heading(low: str) -> tuple[str | None, str]:
    """The heading that a sentence is or begins with, and what stands behind it; None for no heading."""
    for words, pattern in _HEADS:
        match = pattern.match(low)
        if match is None:
            continue
        rest = low[match.end() :]
        if match["colon"] == ":" or (not rest and _alone(words, low)):
            return words, rest
    return None, low


def _alone(words: str, low: str) -> bool:
    """Whether a line without a colon is a heading: two words or more that say nothing but "not found" or "of unknown significance"."""
    return words in {"Not detected: ", "VUS: "} and " " in low.strip()


def _own_words(low: str) -> bool:
    """Whether a line is no entry of a list: too long, a sentence of prose, or under a label that is no gene."""
    label, colon, _ = low.partition(":")
    named = bool(colon) and catalogue().spellings.keys().isdisjoint(re.findall(r"[a-z0-9-]+", label))
    return len(low) > _LONGEST or named or _PROSE.search(low) is not None
