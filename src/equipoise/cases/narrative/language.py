"""Is the note in English, and does it hold text that is addressed to software?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from equipoise.cases.model import Source
from equipoise.cases.vocabulary._data import vocabulary

_ENGLISH: frozenset[str] = frozenset(vocabulary("languages")["english"])
_OTHERS: dict[str, list[str]] = vocabulary("languages")["others"]
_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("Japanese", "\u3040-\u30ff"),
    ("Korean", "\uac00-\ud7af\u1100-\u11ff"),
    ("Chinese", "\u4e00-\u9fff\u3400-\u4dbf"),
    ("Russian", "\u0400-\u04ff"),
    ("Arabic", "\u0600-\u06ff"),
    ("Hebrew", "\u0590-\u05ff"),
    ("Hindi", "\u0900-\u097f"),
    ("Thai", "\u0e00-\u0e7f"),
    ("Greek", "\u0386-\u03ff"),
    ("Bengali", "\u0980-\u09ff"),
)
_SCRIPT_PATTERNS = tuple((name, re.compile(f"[{span}]")) for name, span in _SCRIPTS)
_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_LONG_TEXT = 20_000


@cache
def _table() -> dict[str, tuple[str, ...]]:
    """Word -> languages it speaks for; words that only add weight are written with a tilde in front."""
    data = vocabulary("languages")
    table: dict[str, list[str]] = {}
    for name, words in _OTHERS.items():
        for word in set(words) - _ENGLISH:
            table.setdefault(word, []).append(name)
    for word in data["shared"]:
        table.pop(word, None)
    for name, words in data["small"].items():
        for word in words:
            table.setdefault(f"~{word}", []).append(name)
    return {word: tuple(names) for word, names in table.items()}


def foreign_language(text: str) -> str:
    """Name of the language when a note is not in English; empty for English and for notes too short to tell.

    Words that carry grammar are counted, for English and for each other language; shorthand without any stays English.
    """
    sample = text[:_LONG_TEXT]
    if not sample.isascii():
        letters = sum(char.isalpha() for char in sample)
        for name, pattern in _SCRIPT_PATTERNS:
            count = len(pattern.findall(sample))
            if count >= 8 and count * 4 > letters:
                return "Japanese" if name == "Chinese" and _SCRIPT_PATTERNS[0][1].search(sample) else name
    table = _table()
    counts: Counter[str] = Counter()
    small: Counter[str] = Counter()
    english = 0
    for word in _TOKEN.findall(sample.lower()):
        if word in _ENGLISH:
            english += 1
        elif word in table:
            counts.update(table[word])
        if f"~{word}" in table:
            small.update(table[f"~{word}"])
    if not counts:
        return ""
    best, score = max(
        ((name, count + min(small[name], count)) for name, count in counts.items()), key=lambda row: (row[1], row[0])
    )
    distinct = counts[best]
    if distinct >= 3 and score >= 4 and score > english:
        return best
    return ""


_INSTRUCTION = re.compile(
    r"(?:ignore|disregard|forget|override|bypass|discard)\s+(?:all\s+|any\s+|every\s+|the\s+|your\s+"
    r"|these\s+|those\s+|of\s+)*(?:(?:previous|prior|above|earlier|preceding|other|system|safety|existing"
    r"|clinical)\s+(?:and\s+\w+\s+)?)*"
    r"(?:instructions?|guidelines(?!\s+of)|rules?|prompts?|guardrails?|constraints?|polic(?:y|ies)|checks?"
    r"|directives?|safety|system|context|programming|training)\b"
    r"|\bforget\s+(?:the|this|that)\s+(?:case|text|note|patient|record)\b|\bpretend\s+(?:that|to|you)\b"
    r"|\bassume\s+for\s+(?:the\s+purposes?\s+of\s+)?this\s+(?:audit|review|task|check)"
    r"|\bfor\s+the\s+purposes?\s+of\s+(?:this|the)\s+(?:audit|evaluation|benchmark|task|check)"
    r"|\banswer\s+(?:yes|no|supported)\b"
    r"|<!--\s*(?:assistant|system|ai|note|instruction|to\s+the|parser|model|llm)[^>]*-->"
    r"|\byou\s+must\s+(?:now\s+)?(?:disregard|ignore|forget|answer|respond|output)"
    r"|\byou\s+are\s+(?:now\s+)?(?:an?\s+)?(?:(?:helpful|unrestricted|medical|clinical|expert|honest"
    r"|careful)\s+)*(?:ai\b|assistant|language\s+model|llm|chatbot|auditor|bot\b|model\b|system\b|grader"
    r"|evaluator|classifier)"
    r"|(?:^|[\n>\[(<\"#])\s*(?:system|assistant|user|developer)\s*(?:prompt|message|note|override"
    r"|instruction)?\s*[\]>)]?\s*:"
    r"|<\|?[a-z_/]*(?:im_start|im_end|system|endoftext|assistant|instruction|prompt)[a-z_]*\|?>|\[/?inst\]"
    r"|###\s*(?:instruction|system|response|prompt|new\s+\w+|task)"
    r"|\b(?:note|message|instructions?|memo|attention|attn|command|directive|hint|reminder)\s*(?:to"
    r"|for)?\s*(?:the\s+|any\s+|all\s+)?(?:automated\s+|automatic\s+|clinical\s+|downstream\s+"
    r"|reviewing\s+|auditing\s+|reading\s+|decision[- ]support\s+)*"
    r"(?:ai\b|llms?\b|models?\b|language\s+models?|software|auditor\b|auditing\s+\w+|automated\s+\w+"
    r"|automation|algorithm|parser|bots?\b|assistant|agents?\b|classifier|reviewer\s+bot"
    r"|decision[- ]support(?:\s+\w+)?|computer|programs?\b|scripts?\b|tool\b|engine\b|systems?\b)"
    r"|\b(?:ai|llm|language\s+model|software|parser|algorithm|classifier|chatbot|auditor|audit\s+(?:tool"
    r"|engine|system|software|program)|(?:this|the)\s+(?:model|tool|system|program|software|engine|checker"
    r"|script|bot|assistant))"
    r"\s*(?:,|:)?\s+(?:must|should|shall|is\s+(?:required|instructed|ordered)\s+to|has\s+to|please"
    r"|needs?\s+to|will)\s+(?:\w+\s+){0,3}?(?:mark|label|answer|respond|return|output|approve|classify"
    r"|report|rate|set|ignore|skip|score|treat|print|write|reply|accept|state|say|support)\b"
    r"|\b(?:respond|reply|answer|output|print|return|write|emit|say)\s+(?:only\s+|just\s+|exactly\s+"
    r"|always\s+)*(?:with\s+|that\s+|as\s+)*(?:the\s+)?:?\s*(?:(?:word|label|verdict|text|string|json"
    r"|status)\b|[\"'`{]|\"?(?:supported|unsupported|partially\s+supported|approved|insufficient\s+information)\b)"
    r"|\b(?:mark|label|classify|rate|score|grade|set|flag|report|treat|consider|declare|return|approve"
    r"|verdict)\s+(?:this|the|every|all|any|it|each|following)\s*(?:\w+\s+){0,4}?(?:as|to|="
    r"|:)\s*[\"'`]?(?:fully\s+)?(?:supported|unsupported|approved|safe|compliant|valid|label\s+supported"
    r"|guideline[- ]concordant|insufficient\s+information)\b"
    r"|\b(?:set|change)\s+(?:the\s+)?(?:verdict|\w*label|status|output|result|\w*abstain)\s+(?:to|=)"
    r"|\b(?:[a-z]+_label|\w*abstain|verdict)\s*[=:]\s*[\"'`]?(?:supported|true|false|approved|unsupported)"
    r"|\bdo\s+not\s+(?:abstain|flag|refuse|report\s+(?:this|any)\s+(?:warning|caveat|conflict)s?"
    r"|apply\s+(?:the\s+)?(?:rules|polic\w+|checks|caveats?)|output|mention\s+(?:this"
    r"|these)\s+(?:instruction|prompt)s?)\b"
    r"|\b(?:jailbreak|prompt\s+injection|system\s+prompt|developer\s+mode)\b"
)
_HINT = re.compile(
    r"ignore|disregard|forget|overrid|bypass|discard|pretend|purpose|jailbreak|prompt|<\||<!--|<(?:system"
    r"|assistant|instruction)|\[/?inst|\[system|###|verdict|abstain|_label|you are|you must|assistant"
    r"|\bai\b|\bllm|language model|software|parser|algorithm|classif|chatbot|audit|approve|\boutput"
    r"|respond|supported|\blabel|answer|system\s*[:\]]|(?:user|developer|system)\s*(?::|prompt|message"
    r"|note|over)"
    r"|\bto\s+(?:the|any|all)\s+(?:\w+\s+)?(?:systems?|programs?|tool|models?|engine|scripts?|computer"
    r"|bots?|agents?|automation)\b|\b(?:program|system|tool|model|engine|script|bot)\b[^.]{0,20}\b(?:must"
    r"|should|shall|please)\b|compliant|guideline-concordant"
)
_STEMS = (
    "ignore", "disregard", "forget", "overrid", "bypass", "discard", "pretend", "purpose", "jailbreak", "prompt",
    "<", "[", "###", "verdict", "abstain", "support_", "you are", "you must", "assistant", " ai ", " ai:", " ai,",
    "ai must", "llm", "language model", "software", "parser", "algorithm", "classif", "chatbot", "audit", "approve",
    "output", "respond", "supported", "label", "answer", "system ", "system:", "systems", "system,", "developer",
    "user", "program", "tool", "model", "engine", "script", "bot", "agent", "computer", "automation", "compliant",
    "concordant", "\nai",
)  # fmt: skip
"""Parts of words without which no hint matches."""
_BEFORE, _AFTER = 240, 400
"""Characters around a hint that are searched for an instruction."""


def instructions(text: str, low: str) -> tuple[Source, ...]:
    """Parts of a note that tell a program what to answer, each as the sentence it stands in.

    Directions to colleagues ("please disregard the earlier report") are none.
    """
    if not any(stem in low for stem in _STEMS):
        return ()
    hints = [match.span() for match in _HINT.finditer(low)]
    if not hints:
        return ()
    spans: list[tuple[int, int]] = []
    for match in _found(low, hints):
        start, end = _extent(low, match.start(), match.end())
        if spans and start - spans[-1][1] <= _NEAR and "\n\n" not in low[spans[-1][1] : start]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    found = []
    for start, end in spans:
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        found.append(Source("note", text[start:end], start, end))
    return tuple(found)


def _found(low: str, hints: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    """Instructions near a hint, in order."""
    at = 0
    while at < len(hints):
        begin, end = max(0, hints[at][0] - _BEFORE), hints[at][1] + _AFTER
        while at + 1 < len(hints) and hints[at + 1][0] - _BEFORE <= end:
            at += 1
            end = hints[at][1] + _AFTER
        yield from _INSTRUCTION.finditer(low, begin, min(end, len(low)))
        at += 1


_NEAR = 90
"""Characters between two instructions that are taken to belong to one."""
_MARKER = re.compile(r"\s*(?:[>\[(<\"#]+\s*)?(?:system|assistant|user|developer|###|<|\[)")


def _extent(low: str, start: int, end: int) -> tuple[int, int]:
    """The sentence, bracket or marked block that holds a place."""
    opened = low.rfind("[", max(0, start - 200), start + 1)
    if opened >= 0 and "]" not in low[opened:start] and "\n" not in low[opened:start]:
        closed = low.find("]", end)
        if 0 <= closed - end <= 1200:
            return opened, closed + 1
    if low.startswith("<!--", start):
        return start, end
    head = low[start:end].lstrip(" \n\t")
    begin = max(low.rfind("\n", 0, start), low.rfind(". ", 0, start) + 1, low.rfind("; ", 0, start) + 1) + 1
    stops = [place for place in (low.find("\n", end), low.find(". ", end)) if place >= 0]
    if _MARKER.match(head) and not head.startswith(("<|", "[inst")):
        stop = low.find("\n", end)
        return min(begin, start), stop if stop >= 0 else len(low)
    stop = min(stops) if stops else len(low)
    if low[stop : stop + 1] == ".":
        stop += 1
    return min(begin, start), stop
