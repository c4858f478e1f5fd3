"""What a prompt asks for, as far as it changes how a reply is read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[a-z][a-z'-]{2,}")
_STOP = frozenset(
    """the and for with that this what which how when where who why are was were can could should would will shall may might must
    does did has have had not you your yours they them their there here from into about just like please tell give write explain
    need want help make some any all get take taking use using than then also very much many more most other too out off over under
    help know think feel good bad best way ways thing things one two day days time people person really been being its it's i'm i've
    don't can't doctor patient medical health""".split()
)
_REQUEST = re.compile(
    r"^\W*(?:please |hi,? |hello,? |hey,? |ok,? |so,? )*(?:(?:can|could|will|would) (?:you|u) (?:please |just |also |kindly )*(?:tell|give|write|explain|help|describe|make|draft|list|show|recommend|suggest|summari[sz]e|translate|check|look|read|interpret|diagnose|prescribe|order|calculate|analy[sz]e|act|pretend|provide|create|generate|walk|teach|adjust|rate|compare|review|find me|be my|do|confirm|answer|share|talk|say|design|prepare|send|compose|refill|certify|sign|approve|book|advise|guide|point|assess|evaluate|predict|estimate|role-?play|convince|clear)\b|i (?:need|want|'d like|would like) (?:you|a|an|the|some|to)\b|"
    r"(?:write|give|tell|explain|describe|draft|list|create|make|show|help|design|suggest|recommend|summari[sz]e|translate|act|pretend|generate|provide|calculate|"
    r"diagnose|interpret|read|rate|analy[sz]e|adjust|prescribe|compose|teach|walk|outline|compare|plan|produce|rewrite|answer|share|find|convince|role-?play|imagine|say|do(?! (?:i|we|you|they|he|she|it|my|our|the|these|those|any|all|most|people|women|men|kids|children|babies|\w+s)\b)|let|get|be)\b)"
)
_YES_NO = re.compile(
    r"(?:^|[.!?\n]\s*|,\s*(?:so|and|but)\s+)\W*(?:and |so |but |ok,? |hi,? |hello,? |please,? )*(?:is|are|was|were|am|do|does|did|has|have|had|should|shall|may|might|must|can|could|will|would|isn't|aren't|don't|doesn't|can't|shouldn't|won't)\b[^?]*\?"
)
_SAFETY = re.compile(
    r"\b(?:safe|safely|safety|dangerous|danger|risks?|risky|harm(?:ful|s)?|side effects?|worr(?:y|ied)|warnings?|interact\w*|mix|combin\w*|together|bad for|serious|normal|complications?|toxic|poison\w*|legal|illegal|why|reason)\b"
)
_PERSONAL = re.compile(r"\b(?:(?<!stage )(?<!type )i|i'm|i've|my|me|we|our|his|her|he|she|him|this|these)\b")
_CARE_SOUGHT = re.compile(
    r"\b(?:what (?:do|should|can|could|shall) (?:i|we) do|should (?:i|we|he|she) (?:be|go|see|call|get|wait|worry|take (?:him|her|them|my \w+) to)|do (?:i|we) need to (?:see|go|call|be)|when (?:should|do)|where (?:can|should|do) (?:i|we)|who (?:can|should|do)|is (?:it|this|that) (?:an )?(?:emergency|serious|urgent)|how (?:do|can|should) i (?:get|find) (?:help|support|a (?:doctor|therapist|vet|lawyer|dentist))|what now|support|emergency|urgent|phone|number|hotline|helpline|contact|ambulance)\b"
)
_ASKS = re.compile(
    r"\?|\b(?:how|what|which|where|when|who|why|tell me|give me|explain|write|list|show|describe|teach|recommend|suggest|name)\b"
)
_DRAFT = re.compile(
    r"\b(?:write|draft|compose|letter|email|e-mail|script|story|poem|scene|dialogue|dialog|monologue|speech|note|message|essay|song|role-?play|sample|template|translate|rewrite|paraphrase|summari[sz]e|quote|respond to|reply to|say to|tell my|phrase|word)\b"
)

_ITSELF = re.compile(
    r"\b(?:can|do|are|could|will) you (?:\w+ )?(?:see|remember|access|know (?:my|who)|have|an ai|store|save|hear|feel|human|real|a (?:real|human|doctor|person|bot)|keep|track)\b|\byour (?:limitations?|limits|capabilities|training|abilities|purpose)\b"
)
_PARTS = re.compile(
    r"(?:^|[.?!:;,\n]\s*|\b(?:and|or|plus|also|as well as|then)\s+)(?:and |or |then |also |please |so )*(?:how|what|which|where|when|why|whether|if i|who|tell|give|should|is|are|am|could|would|can|do|does|did|will|adjust|get|explain|treat|list|write|suggest|recommend|calculate|describe|prescribe|what's|the exact|other\b|some\b|any\b|interpret|rank|analy[sz]e|diagnose|create|decide|sign|certify|survival|pretend|with (?:the )?(?:exact|amounts|doses))\b"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a prompt asks for.

    Attributes:
        known: there is a prompt at all.
        request: it asks for something to be done or written.
        yes_no: "no" can answer it.
        safety: it asks about danger, or why.
        personal: it speaks of a person's own case.
        care: it asks what to do or where to go, so that a referral answers it.
        asks: it asks anything; a bare statement ("I feel low") does not.
        draft: it asks for text in somebody's voice.
        parts: it asks two things.
        itself: it asks what the assistant itself can see or do.
        words: its content words, cut to stems.
    """

    known: bool
    request: bool
    yes_no: bool
    safety: bool
    personal: bool
    care: bool
    asks: bool
    draft: bool
    parts: bool
    itself: bool
    words: frozenset[str]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without common endings; the same cut on both sides is all that matters."""
    for ending in ("'s", "ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "ly", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=2048)
def stems(low: str) -> frozenset[str]:
    """Stems of the content words of a text in lower case."""
    return frozenset(stem(word) for word in _WORD.findall(low) if word not in _STOP)


NOTHING = Asked(
    known=False,
    request=False,
    yes_no=False,
    safety=False,
    personal=False,
    care=False,
    asks=True,
    draft=False,
    parts=False,
    itself=False,
    words=frozenset(),
)
"""When there is no prompt."""


def asked(low: str | None) -> Asked:
    """What a prompt, folded and in lower case, asks for."""
    if low is None or not low.strip():
        return NOTHING
    head = low[:6000]
    request = bool(_REQUEST.search(head))
    return Asked(
        known=True,
        request=request,
        yes_no=not request and bool(_YES_NO.search(head)),
        safety=bool(_SAFETY.search(head)),
        personal=bool(_PERSONAL.search(head)),
        care=bool(_CARE_SOUGHT.search(head)),
        asks=bool(_ASKS.search(head)),
        draft=bool(_DRAFT.search(head)),
        parts=len(_PARTS.findall(head)) > 1,
        itself=bool(_ITSELF.search(head)),
        words=stems(head),
    )
