"""The words and marks by which answers to questions with options are read; how they are used stands in `answers`."""

from __future__ import annotations

import re
from enum import StrEnum


class AnswerForm(StrEnum):
    """How a reply commits itself. The last four are abstentions."""

    JSON = "json"
    STATEMENT = "statement"
    BARE = "bare"
    CANNOT = "cannot_be_answered"
    NONE_FITS = "none_fits"
    REFUSED = "refused"
    ASKED = "asked"


ABSTENTIONS = frozenset({AnswerForm.CANNOT, AnswerForm.NONE_FITS, AnswerForm.REFUSED, AnswerForm.ASKED})
"""Forms that choose no option."""


DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-") | {ord("’"): "'", ord("‘"): "'", ord("“"): '"', ord("”"): '"'}
THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
BOXED = re.compile(r"\\boxed\{(?:\\text\{)?([^{}]*)\}?\}")
TAGS = re.compile(
    r"^[ \t]*</?(?:answer|option|options|question|response)>[ \t]*|[ \t]*</(?:answer|option)>[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
MARKS = re.compile(r"\*+|`+|\$+|^[ \t]*#+[ \t]*|^[ \t]*>[ \t]?|(?<!\w)__?(?=\S)|(?<=\S)__?(?!\w)", re.MULTILINE)
STATEMENT = re.compile(
    r"(?:(?:^[ \t]*|(?<=[.!?;])[ \t]+)(?P<head>(?:(?:final|correct|best|my|right)\s+)?(?:answers?|(?<=correct )(?:option|choice)s?))"
    r"[ \t]*(?:[:=-]|\n)+[ \t]*"
    r"|\b(?:(?P<said>(?:(?:final|correct|right|best|my|most\s+\w+)\s+){0,3}answers?|(?:(?:correct|right|best|most\s+\w+)\s+){1,3}(?:options?|choices?))\s+"
    r"(?:is|are|would\s+be|should\s+be|must\s+be|will\s+be)(?P<no>n't|\s+not\b)?[ \t]*:?[ \t]*\n?[ \t]*)"
    r"|\bI(?:'d|'ll|\s+would|\s+will)?\s+(?:choose|select|pick|go\s+with|opt\s+for)[ \t]+)",
    re.MULTILINE | re.IGNORECASE,
)  # fmt: skip
NO_ANSWER = re.compile(r"\b(?:none\s+of(?:\s+the)?(?:\s+\w+)?|no)\s+$", re.IGNORECASE)
LEAD = re.compile(
    r"^[\s\"'(\[-]*(?:(?:the\s+)?(?:options?|choices?|letters?)\s+(?=[(\[\"']*[A-Za-z][)\]\"']*(?:\W|$)))?",
    re.IGNORECASE,
)
LETTER = re.compile(r"[\"'(\[]*(?:option\s+)?(?P<letter>[A-Z])(?P<close>[)\]\"']*)(?![A-Za-z0-9'])")
SMALL = re.compile(r"[\"'(\[]*(?P<letter>[a-z])(?P<close>[)\]\"']+|[.:]|(?=\s*$))(?![A-Za-z0-9'])")
JOIN = re.compile(
    r"\s*(?:(?P<either>,?\s*\band\s*/\s*or\b|,?\s*\bor\b|/)|[,;&+]\s*(?:and\b)?|\band\b)\s*(?:(?:the\s+)?options?\s+)?|\s+(?=[(\[]?[A-Z][)\]]?(?:\W|$))",
    re.IGNORECASE,
)
EITHER = re.compile(r"^\W*(?:either|maybe|perhaps|possibly)\b", re.IGNORECASE)
BACK = re.compile(r"^\W*(?:no|not|wait|actually|sorry|hmm+|or|and/or|maybe|possibly)\b", re.IGNORECASE)
REASON = re.compile(
    r"^\s*(?:$|[.,;:)(\]\n!\"'-]|(?:because|since|as|due|given|for)\b|(?:is|are|was|would\s+be)\s+(?:the\s+)?(?:correct|right|best|most)\b)",
    re.IGNORECASE,
)
CLOSED = re.compile(r"[(\[]?[A-Z][)\]]")
NEW_TEXT = re.compile(r"\s*[A-Z0-9]")
ITEM = re.compile(r"^[\s*•-]*[(\[]?(?P<letter>[A-Z])[)\].:]+(?:\s+|$)(?P<rest>.*)$")
ABSTAIN: tuple[tuple[AnswerForm, re.Pattern[str]], ...] = tuple(
    (form, re.compile(pattern, re.IGNORECASE))
    for form, pattern in (
        (AnswerForm.REFUSED,
         r"\bI\b[^.!?\n]{0,60}?(?:cannot|can't|can\s+not|unable\s+to|not\s+able\s+to|won't|will\s+not)\s+(?:\w+\s+){0,2}?(?:help|assist|comply|(?:provide|give|offer)\s+(?:\w+\s+){0,2}?(?:advice|diagnos\w+))\b"),
        (AnswerForm.ASKED,
         r"\b(?:could|can|would)\s+you\s+(?:please\s+)?(?:provide|tell|share|give|clarify|specify)\b|\bplease\s+(?:provide|share|clarify|specify|tell)\b"
         r"|\bI\s+(?:would\s+)?need\s+(?:more|further|additional)\b"),
        (AnswerForm.NONE_FITS,
         r"\bnone\s+of\s+(?:the\s+)?(?:above|(?:\w+\s+)?(?:options?|choices|answers))\b"
         r"|\bnone\s+of\s+(?:these|them)\b(?=\W*$|[.,;:]|\s+(?:is|are|fits?|appl\w+|options?|answers?|choices)\b)|\bno\s+(?:correct|right|suitable|appropriate)\s+(?:option|answer|choice)\b"
         r"|^\W*none\W*$"
         r"|(?:\bnot|n't)\s+(?:listed|offered|among\s+(?:the|these)\s+(?:\w+\s+)?(?:options|choices|answers)|one\s+of\s+the\s+(?:\w+\s+)?(?:options|choices))\b"
         r"|\b(?:correct|right)\s+(?:answer|option|choice)\s+is\s+(?:missing|absent|not\s+(?:given|provided|included|available|present|here))\b"),
        (AnswerForm.CANNOT,
         r"\b(?:cannot|can't|can\s+not|could\s+not|impossible\s+to|(?:not|n't)\s+(?:be\s+)?possible\s+to|unable\s+to|not\s+able\s+to)\s+(?:\w+\s+){0,2}?(?:answer|determin|decid|choos|select|tell|say)\w*"
         r"|\bno\s+(?:option|answer)\s+can\s+be\b|\bcannot\s+be\s+(?:answered|determined)\b"),
        (AnswerForm.CANNOT,
         r"\b(?:not\s+enough|insufficient|too\s+little|n't\s+enough|lack\s+of)\s+(?:information|context|data|details?)\b|\b(?:information|context|data|details?)\s+(?:is|are)\s+(?:not\s+sufficient|insufficient|missing)\b"),
    )
)  # fmt: skip


WEAK = len(ABSTAIN) - 1
"""Place of the phrases that may speak of one option only."""
