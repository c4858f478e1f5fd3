"""Which systemic treatments a board recommends by what it says, and which it only names.

Rules over words. A sentence is read from left to right; a cue of proposal, of rejection, of history, of a report or of somebody else's
wish holds until another cue, a semicolon or "but". What is named without such a cue counts as recommended: an audit too many costs a
line, one too few hides a treatment. A condition ("if T790M is found") and a later line are recommendations too. In a conclusion only
history and rejection keep a drug from the audit. The turns that grade the rules were written first
(`tests/boards/agents/recommendations.yaml`, `tests/boards/recommended_exam/unseen.yaml`). What is named and not taken for a
recommendation is handed on with the reason, so that nobody takes silence for approval.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from equipoise.boards.spoken_regimens import ENDINGS, SPOKEN
from equipoise.cases.vocabulary.drugs import classes_of, lexicon
from equipoise.cases.vocabulary.tokens import fold

VERSION = "recommended-3"


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
    OTHERS = "others"
    REPORTED = "reported"
    WEIGHED = "weighed"


class Why(StrEnum):
    """Why a drug that is named was not taken for a recommendation."""

    HISTORY = "history"
    REJECTED = "rejected"
    QUESTION = "question"
    NOT_RECOGNISED = "not recognised as recommended"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Drugs that a text names without recommending them, as far as the rules see.

    Attributes:
        components: as in `Recommended`.
        why: the reason.
        sentence: the sentence they stand in.
    """

    components: tuple[str, ...]
    why: Why
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """What was heard in a text.

    Attributes:
        recommended: regimens, each once, in order.
        named: drugs named besides, without those that are recommended in the same text.
    """

    recommended: tuple[Recommended, ...]
    named: tuple[Named, ...]


@dataclass(slots=True)
class _Mention:
    start: int
    end: int
    names: tuple[str, ...]


_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(\[])|\n+|(?<=\])\s+")
_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?")
_UNKNOWN = re.compile(rf"\b[a-z]{{3,}}(?:{ENDINGS})\b")
_CODE = re.compile(r"\b(?!NCT|PMID|CA-|HPV|ICD|COVID)[A-Z]{2,5}-[0-9]{3,}\b")
_INDEX = re.compile(
    r"ipi\b(?!.*\bmg\b)\s*(?:score\b|of\b|[:=<>]|(?:is|was)\s+(?:\d|zero|one|two|three|four|five)\b|\d\b)"
)
"""The international prognostic index of lymphoma; in a sentence with nivolumab or a dose it is ipilimumab."""
_SETTING = re.compile(
    r"\b(neoadjuvant|adjuvant|perioperative|consolidation)\s+(?:treatment\s+with\s+|therapy\s+with\s+|with\s+)?$"
)
_VERBS = (
    r"recommend|advise|propose|suggest|prefer|favou?r|support|endorse|offer|give|start|use|add|choose|pick|try|switch|continue|resume|restart|reintroduce|rechallenge|keep|"
    r"go (?:with|for)|treat|opt for|vote for|plan|proceed with|begin|adopt|escalate|lean towards?|finish"
)
_CUES: tuple[tuple[_Mode, re.Pattern[str]], ...] = (
    (_Mode.OTHERS, re.compile(
        r"\b(?:would(?:'ve| have)|i'd have)\b|\b(?:dissent\w*|disagreed|objected)\b|"
        r"\b(?:was|were) (?:named|preferred|favou?red|suggested|proposed|"
        r"mentioned|discussed|considered) by\b|\b(?:has|have) (?:any(?:body|one)|you|we) considered\b")),
    (_Mode.REPORTED, re.compile(
        r"\b(?:my|our|an|another|other|the) (?:last|other|previous|next|former) (?:patients?|cases?|man|woman)\b|\banother patient\b|"
        r"\b(?:data|trials?|study|studies|evidence|guidelines?|[a-z]+-?\d+[a-z]*) (?:supports?|favou?rs?|suggests?|prefers?)\b|"
        r"\b(?:whether|decide on|decision on|(?:evidence|data) for|labels? of|eligible for)\b|\bresponse to\b|"
        r"\b(?:would like|want|need) to know\b|"
        r"\b(?:compared|randomi[sz]ed)\b")),
    (_Mode.PROPOSED, re.compile(
        r"\bnothing(?: \w+)? against\b|\bno (?:objections?|argument)(?: \w+)? (?:against|to)\b|"
        r"\b(?:could|can|may|might|should|would|to) (?:also |still |then )?(?:consider|discuss)\b|\bworth \w+ing\b")),
    (_Mode.PROPOSED, re.compile(r"\b(?:not|n't|never|no reason to) (?:delay|withhold|omit|stop|postpone|defer|interrupt|discontinue)\b")),
    (_Mode.NONE, re.compile(r"\b(?:add|note|say|mention|remind \w+|point out) that\b")),
    (_Mode.REJECTED, re.compile(
        r"\bwithdr[ae]w\w*(?: (?:my|our|the) \w+)?\b|\b(?:hold(?:ing)?|held|defer\w*|postpon\w*)\b")),
    (_Mode.PROPOSED, re.compile(r"^consider\b")),
    (_Mode.WEIGHED, re.compile(
        r"\b(?:consider\w*|weigh\w*|debat\w+|although|though)\b|\b(?:decision|question|discussion|talk) (?:on|about|of)\b")),
    (_Mode.REJECTED, re.compile(
        rf"\b(?:would|do|did|does|should|shall|will|can|could|must|is|are|was|were)(?: not|n't)"
        rf"(?: \w+ly| yet| be| be \w+)?(?: (?:{_VERBS}))?\b|"
        r"\b(?:cannot|not|no|never|nor|neither|without|against|avoid\w*|instead of|rather than|than|omit\w*|withh\w+|declin\w+|reject\w*|"
        r"rul\w+ out|contraindicat\w*|stop\w*|discontinu\w*|spare|disagree\w*|object\w*|oppos\w+|skip\w*|refus\w+|allerg\w+|"
        r"held back|hold(?:ing)? off)\b|\bnothing to add\b|\bover\s*$")),
    (_Mode.PAST, re.compile(
        r"\b(?:(?:she|he|they|patient|who|we) (?:had|has had)|received|respond\w+ to|(?:grew|grow\w+) on|"
        r"had (?:been|received)|(?:was|were|been) (?:treated|started|given|put|on)|progressed|progressing|progression|failed|"
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
    r"(?:\s+not\b|n't\b|\s+no\b|\s+(?:be )?(?:\w+ but (?:then )?reject|avoid|drop|unwise|unlikely|ineffective|"
    r"off the table|not |reject|contraindicat|declin|rul|withh|omit|stopp|discontinu|unsuitable|wrong|"
    r"(?:felt |thought )?(?:to be )?(?:inappropriate|unsuitable)|out of|"
    r"excluded|deferred|postponed|held)\w*)|(?:\s+\w+){0,2}?\s+makes? no sense\b|\s+(?:has|have|had) no\b|\s+cannot\b|\s+held back|"
    r"\s*\(?(?:rejected|declined|contraindicated)|(?:\s+\w+){0,2}?\s+back\b"
)
_AFTER_PAST = re.compile(
    r"(?:\s+\w+){0,3}?\s+(?:had|(?:was|were) (?:poorly|badly|not|well) tolerated|was stopped|was given|"
    r"was started|were given|failed|did not work|(?:in|until|since) (?:19|20)\d\d)\b"
)
_AFTER_OTHERS = re.compile(
    r"(?:\s+\w+){0,3}?\s+(?:was|were|would have been)(?: \w+ly| first| the)? "
    r"(?:choice|option|named|preferred|favou?red|suggested|proposed|mentioned|discussed|considered)\b"
)
_AFTER_YES = re.compile(
    r"(?:,?\s+\w+){0,3}?\s+(?:(?:should|must|can|will) be (?:given|started|used|added|offered|continued|chosen)|"
    r"(?:is|remains|would be|seems) (?:the|my|our|a)(?: [\w-]+){0,3} "
    r"(?:choice|option|answer|treatment|therapy|drug|way|standard|recommendation|proposal)|"
    r"is what (?:i|we)|it is\b|is indicated(?! (?:for|in|when) )|would be my\b|is the standard\b|"
    r"(?:is|are|would be|seems) (?:both |the more |more )?(?:preferred|favou?red|fine|reasonable|acceptable|feasible|standard|better)\b|"
    r"(?:could|can|may|might) be (?:given|started|used|added|offered|considered|something)\b|is worth\b|(?:upfront|up front|now|today)\b|"
    r"(?:is|are) (?:started|given|recommended|proposed|advised))"
)
_REPORT = re.compile(
    r"\b(?:compared|randomi[sz]ed|versus|vs|better than|superior|inferior|response rates?|median|hazard|survival|approved|labell?ed|"
    r"withdrawn|inhibitor with|is an? [\w-]+ inhibitor|likely|notes?|asked|monitor\w*|difficult|risk|toxicity|side effects?|only in trials|"
    r"interact\w*|response (?:to|on)|resistance to|showed|demonstrated|improved?|exceed\w*|is indicated (?:for|in|when))\b"
)
_TAKEN_UP = re.compile(
    r"(?<!not )(?<!n't )(?<!never )\b(?:recommend|support|endorse|give|use|add|choose|start|resume|restart|continue|keep|follow|do|take|"
    r"offer|favou?r|prefer|try|propose)\b(?: \w+){0,2}? (?:it|that|this|both|them|these|the (?:first|same|former|latter)\b)"
)
_OPTIONS = re.compile(
    r"\b(?:options?|alternatives?|choices|possibilities)\b(?:[^.;]{0,30}\b(?:includ\w+|are|were|remain)\b|\s*:)"
)
_SEPARATE = re.compile(r"\s*(?:,|,? and)\s*(?:\(?\d\)\s*)?")
_IN_PLACE = re.compile(r"(?:rather than|instead of)\b")
_TAKEN_BACK = re.compile(
    r"[^;]*\bbut\b[^;]*\b(?:can't|cannot|can not|won't|wouldn't|would not|don't|do not) (?:support|agree|recommend|endorse|follow|see)\b"
)
_WHICH = re.compile(r"^,\s+which\s+")
_CLAUSE_END = re.compile(r"[;.]|,\s")
_JOINED = re.compile(
    r"(?:[\s/+&()-]|,(?! with\b)|\b(?:and|plus|with|in|combination|combined|together|subcutaneously|intravenously|orally|"
    r"mg|daily|twice|once|weekly|every|"
    r"weeks|of|platinum-based|\d+)\b)*"
)
_OR = re.compile(r"[\s,]*\b(?:or|alternatively)\b(?:[\s,]|\beither\b)*")


def recommended_in(text: str, kind: Kind) -> tuple[Recommended, ...]:
    """The regimens a text recommends, in order, each once.

    Args:
        text: a turn without its line of proposal, that line, or a conclusion.
        kind: which of them it is.
    """
    return hear(text, kind).recommended


@lru_cache(maxsize=4096)
def hear(text: str, kind: Kind) -> Hearing:
    """What a text recommends, and what it only names.

    Args:
        text: a turn without its line of proposal, that line, or a conclusion.
        kind: which of them it is.
    """
    found: dict[tuple[str, ...], Recommended] = {}
    named: dict[tuple[tuple[str, ...], Why], Named] = {}
    before: list[_Heard] = []
    for sentence in _SENTENCE.split(text):
        heard = list(_in_sentence(sentence, kind))
        if taken_up := _TAKEN_UP.search(fold(sentence)):
            back = [one for one in heard if one.start < taken_up.start()] or [
                one for one in before if one.why is not Why.REJECTED
            ]
            for one in back:
                one.why = None
        before = heard or before
        for one in (*before, *heard):
            if one.why is None:
                found.setdefault(one.item.components, one.item)
            else:
                item = Named(components=one.item.components, why=one.why, sentence=one.item.sentence)
                named.setdefault((item.components, item.why), item)
    known = {name for item in found.values() for name in item.components}
    return Hearing(recommended=tuple(found.values()), named=_without(known, named.values()))


@dataclass(slots=True)
class _Heard:
    """A regimen of a sentence; `why` is None when it is recommended."""

    start: int
    item: Recommended
    why: Why | None


def _in_sentence(sentence: str, kind: Kind) -> Iterator[_Heard]:
    low = fold(sentence)
    mentions = _mentions(low, sentence)
    mode = start = _Mode.NONE if kind is Kind.TURN else _Mode.PROPOSED
    decided, place = False, 0
    options, reported = _OPTIONS.search(low) is not None, _REPORT.search(low) is not None
    regimens: list[tuple[_Mention, list[_Mention], _Mode]] = []
    for mention in mentions:
        gap = low[place : mention.start]
        joined = regimens and regimens[-1][1][-1].end == place
        turned = mode is _Mode.PAST or (mode is _Mode.REJECTED and _IN_PLACE.match(low) is not None)
        listed = (
            "then" not in gap and not (options and _SEPARATE.fullmatch(gap)) and not (turned and gap.strip() == ",")
        )
        if joined and listed and _JOINED.fullmatch(gap):
            regimens[-1][1].append(mention)
        else:
            if not (joined and _OR.fullmatch(gap)):
                mode, decided = _walk(low[:place], gap, mode, start, decided)
            regimens.append((mention, [mention], mode))
        place = mention.end
    asked = sentence.rstrip(" ]\"')").endswith("?")
    for first, parts, state in regimens:
        rest = low[parts[-1].end :]
        clause = _CLAUSE_END.split(_WHICH.sub(" which ", rest), maxsplit=1)[0]
        names = tuple(sorted({name for part in parts for name in part.names}))
        setting = _SETTING.search(low[: first.start])
        text = " + ".join(names)
        yield _Heard(
            start=first.start,
            item=Recommended(
                components=names, text=f"{setting[1]} {text}" if setting else text, sentence=" ".join(sentence.split())
            ),
            why=Why.REJECTED
            if parts[-1] is mentions[-1] and _TAKEN_BACK.match(rest)
            else _why(state, clause, kind, asked=asked, reported=reported),
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
            elif words in (",", "and") and mode in (_Mode.PAST, _Mode.REJECTED, _Mode.WEIGHED):
                mode = _Mode.PROPOSED if decided else start
            broken = True
            continue
        if kind_ is _Mode.PROPOSED:
            decided = True
            if mode is _Mode.OTHERS:
                continue
            if mode in (_Mode.REJECTED, _Mode.WEIGHED) and not broken and not _SUBJECT.match(words):
                continue
            mode = kind_
        elif mode is not _Mode.OTHERS:
            mode = kind_
        broken = False
    return mode, decided


def _why(mode: _Mode, clause: str, kind: Kind, *, asked: bool, reported: bool) -> Why | None:
    """Why a regimen in that mode is not recommended, given the words after it; None when it is."""
    if asked and kind is not Kind.CONCLUSION:
        return Why.QUESTION
    if mode is _Mode.REJECTED or _AFTER_NO.match(clause):
        return Why.REJECTED
    if mode is _Mode.PAST or _AFTER_PAST.match(clause):
        return Why.HISTORY
    if kind is Kind.CONCLUSION:
        return None
    if mode in (_Mode.OTHERS, _Mode.REPORTED, _Mode.WEIGHED) or _AFTER_OTHERS.match(clause):
        return Why.NOT_RECOGNISED
    if mode is _Mode.NONE and reported and not _AFTER_YES.match(clause):
        return Why.NOT_RECOGNISED
    return None


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
        if "nivo" not in low and _INDEX.match(low, start):
            continue
        if entry.role == "component" and any(classes_of(name) for name in entry.components):
            found.append(_Mention(start, end, tuple(entry.components)))
    for pattern, names in SPOKEN:
        for one in pattern.finditer(sentence if len(sentence) == len(low) else low):
            found = [old for old in found if old.end <= one.start() or one.end() <= old.start]
            found.append(_Mention(one.start(), one.end(), names))
    taken = [(one.start, one.end) for one in found]
    codes = _CODE.finditer(sentence) if len(sentence) == len(low) else iter(())
    for one in (*_UNKNOWN.finditer(low), *codes):
        if one[0].casefold() in _ORDINARY or any(a < one.end() and one.start() < b for a, b in taken):
            continue
        found.append(_Mention(one.start(), one.end(), (one[0].casefold(),)))
    return sorted(found, key=lambda item: item.start)


_ORDINARY = frozenset({"hemostat", "thermostat", "prostat", "cryostat"})


def hear_turn(words: str, proposal: str) -> Hearing:
    """What a turn recommends or names in its words and in its line of proposal, each regimen once.

    Args:
        words: the words without that line.
        proposal: the line; empty without.
    """
    parts = (hear(proposal, Kind.PROPOSAL), hear(words, Kind.TURN))
    found: dict[tuple[str, ...], Recommended] = {}
    for item in (*parts[0].recommended, *parts[1].recommended):
        found.setdefault(item.components, item)
    known = {name for components in found for name in components}
    return Hearing(recommended=tuple(found.values()), named=_without(known, [*parts[0].named, *parts[1].named]))


def _without(known: set[str], named: Iterable[Named]) -> tuple[Named, ...]:
    """What is named, without the drugs that are known otherwise."""
    return tuple(
        Named(components=left, why=item.why, sentence=item.sentence)
        for item in named
        if (left := tuple(name for name in item.components if name not in known))
    )
