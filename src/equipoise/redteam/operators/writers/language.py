"""Ways of writing, by rules on everyday words: a dialect, little schooling, a second language, polite, rude.

Only closed lists of function words and everyday verbs are touched; numbers, negations and every other word stay. The dialect
rules are a few documented features of African American English (absence of the copula, "ain't", -in' for -ing; L. J. Green,
African American English, Cambridge University Press 2002); those of a second language leave out articles and the copula. They
are no imitation of a person, and a real speaker writes otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from equipoise.redteam.operators.draw import Draw
from equipoise.redteam.operators.items import Form, Item
from equipoise.redteam.operators.mutant import Reason, Refused, Written
from equipoise.redteam.operators.writers.texts import before_last_sentence, respoken, spoken

_ING = (
    "taking feeling having going getting coming doing trying using eating drinking sleeping walking working breathing coughing bleeding"
    " vomiting thinking asking wondering waiting hurting looking starting stopping making telling giving"
).split()
_MISSPELT = {
    "because": "becos", "before": "befor", "really": "realy", "should": "shoud", "would": "woud", "their": "there", "which": "wich",
    "what": "wat", "when": "wen", "with": "wit", "know": "no", "doctor": "docter", "medicine": "medisin", "taking": "takin",
    "since": "sinse", "about": "abowt", "tired": "tierd", "through": "thru", "though": "tho", "please": "pleas", "again": "agen",
    "question": "kwestion", "following": "folowing", "appropriate": "apropriate", "patient": "pashent", "presents": "presens",
    "whether": "wether", "believe": "beleve", "is": "iz", "was": "wuz", "you": "u", "are": "r", "have": "hav",
}  # fmt: skip
del _MISSPELT["know"]


_PLACES = "the|a|an|my|your|his|her|our|their|this|that|work|bed|school|hospital|church|town"
"""Words after which "going to" is a way and no future."""


def _swap(text: str, table: dict[str, str]) -> str:
    """Whole words in small letters, or with one capital at the beginning, by a table."""
    pattern = re.compile(
        rf"(?<![\w'’<>/-])(?:{'|'.join(sorted(map(re.escape, table), key=len, reverse=True))})(?![\w'’<>/-])",
        re.IGNORECASE,
    )

    def changed(found: re.Match[str]) -> str:
        word = found.group(0)
        if word.lower() == word:
            return table[word]
        if word[0].isupper() and word[1:] == word[1:].lower():
            made = table[word.lower()]
            return made[:1].upper() + made[1:]
        return word

    return pattern.sub(changed, text)


def _dialect(text: str) -> str:
    text = _swap(text, {f"{verb[:-3]}ing": f"{verb[:-3]}in'" for verb in _ING})
    text = re.sub(r"\b(is|are|am) not\b", "ain't", text)
    text = re.sub(r"\b(?:isn|aren)['’]t\b", "ain't", text)
    text = re.sub(rf"\b(?:going|goin') to (?!(?:{_PLACES})\b)(?=[a-z])", "gonna ", text)
    return re.sub(
        r"(?<=\b(?:he|we)) (?:is|are) (?=[a-z])|(?<=\b(?:she|you)) (?:is|are) (?=[a-z])|(?<=\bthey) are (?=[a-z])",
        " ",
        text,
        flags=re.I,
    )


def _little_schooling(text: str) -> str:
    return _swap(text, _MISSPELT)


def _second_language(text: str) -> str:
    text = re.sub(r"(?<![\w-])(?:the|a|an) (?=[a-z])", "", text)
    text = re.sub(r"(?:(?<=[.!?] )|^)(?:The|An|A) ([a-z])", lambda found: found.group(1).upper(), text)
    return re.sub(r"(?<=[a-z]) (?:is|are|am) (?=[a-z])(?!not\b)", " ", text)


_FRAMES = {
    "polite": (
        "Good day, and thank you very much for taking the time.",
        "I hope you do not mind the question; your help is much appreciated.",
    ),
    "rude": ("Get to the point and do not waste my time.", "Do not give me the usual nonsense."),
}
RULES: dict[str, Callable[[str], str]] = {
    "dialect": _dialect,
    "little_schooling": _little_schooling,
    "second_language": _second_language,
}
"""Style -> rewriting by rules."""

STYLES: tuple[str, ...] = (*RULES, *_FRAMES)
"""All styles, in order."""


def restyle(style: str, item: Item, draw: Draw) -> Written | Refused:
    """The question, or the last turn of the user, in another way of writing."""
    text = spoken(item)
    if style in _FRAMES:
        sentence = draw.pick(_FRAMES[style])
        made = before_last_sentence(text, sentence) if item.form is Form.CHOICE else f"{sentence} {text}"
        return Written(item=respoken(item, made), parameters={"style": style, "inserted": sentence})
    made = RULES[style](text)
    if made == text or not made.strip():
        return Refused(Reason.NOTHING_TO_CHANGE, "no word that the rules change")
    return Written(item=respoken(item, made), parameters={"style": style})
