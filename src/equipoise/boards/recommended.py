"""Which systemic treatments a board recommends by what it says: regimens proposed for this patient from now on, and nothing else.

Rules over words. A sentence is read from left to right; a cue of proposal, of rejection, of history, of a condition or of somebody else's
wish holds until another cue, a semicolon or "but". A spoken turn recommends only with a cue of proposal; the line of a proposal and a
conclusion recommend whatever is not taken back. The sentences that grade it were written first
(`tests/boards/agents/recommendations.yaml`). It misses what is said in other ways, so a regimen that is not audited was not found
harmless: nobody looked at it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from equipoise.cases.vocabulary.drugs import classes_of, lexicon
from equipoise.cases.vocabulary.tokens import fold

VERSION = "recommended-1"


class Kind(StrEnum):
    """What a text is: a spoken turn, the line of a proposal, or a conclusion."""

    TURN = "turn"
    PROPOSAL = "proposal"
    CONCLUSION = "conclusion"


class _Mode(StrEnum):
    NONE = "none"
    PROPOSED = "proposed"
    REJECTED = "rejected"
    PAST = "past"
    CONDITION = "condition"
    OTHERS = "others"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommended:
    """A regimen that a text recommends.

    Attributes:
        components: generic names, groups, and names the vocabulary does not know, sorted.
        text: the regimen as it is put to the auditor, with a word of setting where one stands before it.
        sentence: the sentence it was found in.
    """

    components: tuple[str, ...]
    text: str
    sentence: str


@dataclass(slots=True)
class _Mention:
    start: int
    end: int
    names: tuple[str, ...]


_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(\[])|\n+|(?<=\])\s+")
_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?")
_UNKNOWN = re.compile(
    r"\b(?:[a-z]{3,}(?:mab|nib|rasib|platin|taxel|trexed|citabine|relbine|rubicin|poside|tecan|vedotin|limus|ciclib|parib|sertib|"
    r"leucel|lutamide|degib|stat|zomib|lisib|fusp)|folfiri(?:nox)?|folfoxiri|folfox|capox|xelox|flot|r-chop|abvd|bep)\b"
)
_CODE = re.compile(r"\b(?!NCT|PMID|CA-|HPV|ICD|COVID)[A-Z]{2,5}-[0-9]{3,}\b")
_SETTING = re.compile(
    r"\b(neoadjuvant|adjuvant|perioperative|consolidation)\s+(?:treatment\s+with\s+|therapy\s+with\s+|with\s+)?$"
)
_GRANTED = re.compile(
    r"\bif (?:she|he|they|the patient|nobody|everyone|everybody|you|insurance|all)\b[^,.;]{0,40}|\bif (?:possible|available|tolerated|"
    r"feasible|covered|reimbursed|funded)\b|\bonce (?:a day|daily|weekly)\b"
)
_VERBS = (
    r"recommend|advise|propose|suggest|prefer|favou?r|support|endorse|offer|give|start|use|add|choose|pick|try|switch|continue|"
    r"go (?:with|for)|treat|opt for|vote for|plan|proceed with|begin"
)
_CUES: tuple[tuple[_Mode, re.Pattern[str]], ...] = (
    (_Mode.OTHERS, re.compile(
        r"\bwould(?:'ve| have)\b|\b(?:dissent\w*|disagreed|objected)\b|\b(?:was|were) (?:named|preferred|favou?red|suggested|proposed|"
        r"mentioned|discussed|considered) by\b|\b(?:has|have) (?:any(?:body|one)|you|we) considered\b")),
    (_Mode.CONDITION, re.compile(
        r"\b(?:if|unless|in case|provided|depending on|assuming|whether|otherwise)\b|\b(?:once|when) the\b|^should\b|"
        r"\bat (?:progression|relapse|recurrence)\b")),
    (_Mode.PROPOSED, re.compile(r"\b(?:not|n't|never|no reason to) (?:delay|withhold|omit|stop|postpone|defer|interrupt|discontinue)\b")),
    (_Mode.NONE, re.compile(r"\b(?:add|note|say|mention|remind \w+|point out) that\b")),
    (_Mode.REJECTED, re.compile(
        r"\bwithdr[ae]w\w*(?: (?:my|our|the) \w+)?\b|\b(?:consider\w*|weigh\w*|debat\w+|hold(?:ing)?|held|defer\w*|"
        r"postpon\w*|although|though)\b|\b(?:decision|question|discussion|talk) (?:on|about|of)\b")),
    (_Mode.REJECTED, re.compile(
        rf"\b(?:would|do|did|does|should|shall|will|can|could|must|is|are|was|were)(?: not|n't)"
        rf"(?: \w+ly| yet| be| be \w+)?(?: (?:{_VERBS}))?\b|"
        r"\b(?:cannot|not|no|never|nor|neither|without|against|avoid\w*|instead of|rather than|than|omit\w*|withh\w+|declin\w+|reject\w*|"
        r"rul\w+ out|contraindicat\w*|stop\w*|discontinu\w*|spare|disagree\w*|object\w*|oppos\w+|skip\w*|refus\w+|allerg\w+|"
        r"held back|hold(?:ing)? off)\b|\bnothing to add\b|\bover\s*$")),
    (_Mode.PAST, re.compile(
        r"\b(?:received|had (?:been|received)|(?:was|were|been) (?:treated|started|given|put|on)|progressed|progressing|progression|failed|"
        r"after|following|prior|previous\w*|earlier|history of|relapsed|recurred|came back|since|despite|resistan\w+|refractory|"
        r"completed|took|tolerated)\b")),
    (_Mode.PROPOSED, re.compile(
        rf"\b(?:i|we|let us|let's|the (?:board|panel|team|consensus|plan|proposal|recommendation))(?:'d|'ll)?"
        rf"(?: would| will| should| is to| to| now| also| still| strongly| therefore| rather| all| then| do| must| need to| can|"
        rf" could)*(?: (?:{_VERBS}))(?:s|es|ed|ing)?\b"
        rf"|\b(?:my|our|the)(?: \w+)? (?:proposal|recommendation|choice|advice|vote|plan|suggestion|preference)\b"
        r"|\b(?:good|excellent|clear|ideal|perfect|suitable|strong) candidate for\b|\b(?:settled|decided|opted|voted) (?:on|for)\b"
        r"|\bbenefits? from\b|\bput (?:her|him|them|the patient) on\b|\bargues? for\b"
        r"|\b(?:best|right|preferred|only) (?:option|choice|treatment|therapy|drug)\b[^,.;]{0,40}\bis\b"
        rf"|\bagree[sd]? (?:with|on|to)\b|\b(?:treatment|therapy|regimen) (?:should|would|will|must) be\b"
        rf"|\b(?:she|he|they|the patient|this patient) (?:should|must|needs?(?: to)?|ought to)\b"
        rf"|\b(?:{_VERBS})(?:s|es|ing)?\b")),
)  # fmt: skip
_SUBJECT = re.compile(r"^(?:i|we|let|my|our|the|she|he|they)\b")
_BREAK = re.compile(rf"[;:]|\bbut\b|\bhowever\b|,|\band\b(?= (?:{_VERBS})\b)")
_AFTER_NO = re.compile(
    r"(?:\s+\w+){0,4}?\s+(?:is|are|was|were|should|would|will|can|could|does|do|has|have|must)(?: clearly| really| also| simply| then)?"
    r"(?:\s+not\b|n't\b|\s+no\b|\s+(?:be )?(?:avoid|reject|contraindicat|declin|rul|withh|omit|stopp|discontinu|unsuitable|wrong|"
    r"(?:felt |thought )?(?:to be )?(?:inappropriate|unsuitable)|out of|"
    r"excluded|reserved|deferred|postponed|held)\w*)|\s+(?:has|have|had) no\b|\s+cannot\b|\s+held back|"
    r"\s*\(?(?:rejected|declined|contraindicated)|(?:\s+\w+){0,2}?\s+(?:in reserve|back\b|for (?:progression|later|relapse))"
)
_AFTER_PAST = re.compile(
    r"(?:\s+\w+){0,3}?\s+(?:had|was stopped|was given|was started|were given|failed|did not work|(?:in|until|since) (?:19|20)\d\d)\b"
)
_AFTER_OTHERS = re.compile(
    r"(?:\s+\w+){0,3}?\s+(?:was|were)(?: \w+ly| first)? (?:named|preferred|favou?red|suggested|proposed|mentioned|discussed|considered)\b"
)
_AFTER_IF = re.compile(
    r"[^.;]*?\b(?:if|unless|in case|provided|depending on|when the|once(?! (?:a day|daily|weekly)))\b"
)
_AFTER_YES = re.compile(
    r"(?:,?\s+\w+){0,3}?\s+(?:(?:should|must|can|will) be (?:given|started|used|added|offered|continued|chosen)|"
    r"(?:is|remains|would be|seems) (?:the|my|our|a)(?: [\w-]+){0,3} "
    r"(?:choice|option|answer|treatment|therapy|drug|way|standard|recommendation|proposal)|"
    r"is what (?:i|we)|it is\b|is indicated(?! (?:for|in|when) )|would be my\b|is the standard\b|"
    r"(?:is|are) (?:preferred|favou?red|fine|reasonable)\b|(?:upfront|up front|now|today)\b|"
    r"(?:is|are) (?:started|given|recommended|proposed|advised))"
)
_WHICH = re.compile(r"^,\s+which\s+")
_CLAUSE_END = re.compile(r"[;.]|,\s")
_JOINED = re.compile(
    r"(?:[\s/+&()-]|,(?! with\b)|\b(?:and|plus|with|in|combination|combined|together|mg|daily|twice|once|weekly|every|"
    r"weeks|of|platinum-based|\d+)\b)*"
)
_OR = re.compile(r"[\s,]*\b(?:or|alternatively)\b(?:[\s,]|\beither\b)*")


def recommended_in(text: str, kind: Kind) -> tuple[Recommended, ...]:
    """The regimens a text recommends, in order, each once.

    Args:
        text: a turn without its line of proposal, that line, or a conclusion.
        kind: which of them it is.
    """
    found: dict[tuple[str, ...], Recommended] = {}
    for sentence in _SENTENCE.split(text):
        if sentence.rstrip(" ]\"')").endswith("?"):
            continue
        for item in _in_sentence(sentence, kind):
            found.setdefault(item.components, item)
    return tuple(found.values())


def _in_sentence(sentence: str, kind: Kind) -> Iterator[Recommended]:
    low = _GRANTED.sub(lambda found: " " * len(found[0]), fold(sentence))
    mentions = _mentions(low, sentence)
    mode = start = _Mode.NONE if kind is Kind.TURN else _Mode.PROPOSED
    decided, place = False, 0
    regimens: list[tuple[_Mention, list[_Mention], _Mode]] = []
    for mention in mentions:
        gap = low[place : mention.start]
        joined = regimens and regimens[-1][1][-1].end == place
        listed = "then" not in gap and not (mode is _Mode.PAST and gap.strip() == ",")
        if joined and listed and _JOINED.fullmatch(gap):
            regimens[-1][1].append(mention)
        else:
            if not (joined and _OR.fullmatch(gap)):
                mode, decided = _walk(low[:place], gap, mode, start, decided)
            regimens.append((mention, [mention], mode))
        place = mention.end
    for first, parts, state in regimens:
        rest = low[parts[-1].end :]
        if not _recommends(state, _CLAUSE_END.split(_WHICH.sub(" which ", rest), maxsplit=1)[0], rest):
            continue
        names = tuple(sorted({name for part in parts for name in part.names}))
        setting = _SETTING.search(low[: first.start])
        text = " + ".join(names)
        yield Recommended(
            components=names, text=f"{setting[1]} {text}" if setting else text, sentence=" ".join(sentence.split())
        )


def _walk(head: str, gap: str, mode: _Mode, start: _Mode, decided: bool) -> tuple[_Mode, bool]:
    """The mode after the words between two mentions."""
    events: list[tuple[int, _Mode | None, str]] = [(one.start(), None, one[0]) for one in _BREAK.finditer(gap)]
    taken: list[tuple[int, int]] = []
    for kind, pattern in _CUES:
        for one in pattern.finditer(gap):
            if head and one.start() == 0 and pattern.pattern.startswith("^"):
                continue
            if any(low < one.end() and one.start() < high for low, high in taken):
                continue
            taken.append((one.start(), one.end()))
            events.append((one.start(), kind, one[0]))
    broken = True
    for _, kind_, words in sorted(events, key=lambda item: item[0]):
        if kind_ is None:
            if words in (";", "but", "however"):
                mode = _Mode.PROPOSED if decided and words != ";" else start
            elif words in (",", "and") and mode in (_Mode.PAST, _Mode.REJECTED):
                mode = _Mode.PROPOSED if decided else start
            broken = True
            continue
        if kind_ is _Mode.PROPOSED:
            decided = True
            if mode in (_Mode.CONDITION, _Mode.OTHERS):
                continue
            if mode is _Mode.REJECTED and not broken and not _SUBJECT.match(words):
                continue
            mode = kind_
        elif mode not in (_Mode.CONDITION, _Mode.OTHERS):
            mode = kind_
        broken = False
    return mode, decided


def _recommends(mode: _Mode, clause: str, rest: str) -> bool:
    """Whether a regimen in that mode is recommended, given the words after it."""
    if mode in (_Mode.REJECTED, _Mode.PAST, _Mode.CONDITION, _Mode.OTHERS):
        return False
    if _AFTER_NO.match(clause) or _AFTER_PAST.match(clause) or _AFTER_OTHERS.match(clause) or _AFTER_IF.match(rest):
        return False
    return mode is _Mode.PROPOSED or _AFTER_YES.match(clause) is not None


def _mentions(low: str, sentence: str) -> list[_Mention]:
    """Systemic treatments named in a sentence, known and unknown, in order."""
    known = lexicon()
    found: list[_Mention] = []
    tokens = list(_WORD.finditer(low))
    words = [one[0] for one in tokens]
    place = 0
    while place < len(words):
        match = known.table.match(words, place)
        if match is None:
            place += 1
            continue
        entry, size = match
        start, end = tokens[place].start(), tokens[place + size - 1].end()
        place += size
        if entry.role == "component" and any(classes_of(name) for name in entry.components):
            found.append(_Mention(start, end, tuple(entry.components)))
    taken = [(one.start, one.end) for one in found]
    codes = _CODE.finditer(sentence) if len(sentence) == len(low) else iter(())
    for one in (*_UNKNOWN.finditer(low), *codes):
        if one[0].casefold() in _ORDINARY or any(a < one.end() and one.start() < b for a, b in taken):
            continue
        found.append(_Mention(one.start(), one.end(), (one[0].casefold(),)))
    return sorted(found, key=lambda item: item.start)


_ORDINARY = frozenset({"hemostat", "thermostat", "prostat", "cryostat"})


@lru_cache(maxsize=4096)
def recommended_by(words: str, proposal: str) -> tuple[Recommended, ...]:
    """What a turn recommends in its words and in its line of proposal, each regimen once.

    Args:
        words: the words without that line.
        proposal: the line; empty without.
    """
    found = {item.components: item for item in recommended_in(proposal, Kind.PROPOSAL)}
    for item in recommended_in(words, Kind.TURN):
        found.setdefault(item.components, item)
    return tuple(found.values())
