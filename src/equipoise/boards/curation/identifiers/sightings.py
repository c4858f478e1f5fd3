"""Names of persons from all that stands around a word: what it can be, its capital, what stands before and after it.

A run of words that can be a name gets points for each. Enough points make it a name, in speech without capitals as in writing. Every line
of `POINTS` says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from equipoise.boards.curation.identifiers.medicine_words import THINGS
from equipoise.boards.curation.identifiers.model import IdentifierKind
from equipoise.boards.curation.identifiers.names import PROTECTED, Person
from equipoise.boards.curation.identifiers.vocabulary import (
    NAMELIKE,
    PARTICLES,
    Sort,
    given_name,
    odd_case,
    plain,
    sort_of,
    surname,
)
from equipoise.redteam.privacy.words import (
    CITED,
    EPONYM_NOUNS,
    EPONYM_ONLY,
    FUNCTION_WORDS,
    GIVEN_NAMES,
    ORDINARY,
    PLACE_NOUNS,
    TITLES,
)

POINTS = {
    Sort.GIVEN: 2.0,
    Sort.SURNAME: 1.5,
    Sort.UNKNOWN: 0.5,
    Sort.BOTH: 0.0,
    Sort.EPONYM: -1.0,
    Sort.WORD: -1.0,
    Sort.PROTECTED: -1.0,
}
ENOUGH = 2.0
"""Points that make a name."""

_KIN = (
    r"wife|husband|spouse|partner|son|daughter|mother|father|mom|mum|mama|mommy|dad|daddy|papa|brother|sister|sibling|twin|niece|nephew|"
    r"cousin|aunt|auntie|uncle|grandson|granddaughter|grandchild|grandmother|grandfather|grandma|grandpa|granny|nana|stepson|stepdaughter|"
    r"stepmother|stepfather|fianc\u00e9e?|fiancee?|girlfriend|boyfriend|widow|widower|ex|ex-wife|ex-husband|carer|caregiver|caretaker|guardian|"
    r"neighbou?r|friend|boss|pastor|priest|proxy|kin|(?:mother|father|brother|sister|son|daughter)-in-law"
)
_CALLING = (
    r"surgeon|neurosurgeon|oncologist|radiologist|pathologist|urologist|gyn(?:a)?ecologist|dermatologist|cardiologist|pulmonologist|"
    r"hematologist|neurologist|gastroenterologist|geneticist|hepatologist|nephrologist|endocrinologist|rheumatologist|psychologist|"
    r"anesthesiologist|pharmacist|dietitian|dietician|nutritionist|physiotherapist|therapist|counsel+or|coordinator|navigator|"
    r"social worker|case manager|chaplain|physician|consultant|attending|resident|registrar|fellow|intern|colleague|specialist|"
    r"nurse practitioner|practitioner|physician assistant|scribe|secretary|interpreter|translator|presenter|chair|chairman|moderator|"
    r"pcp|gp|family doctor|primary care(?: doctor| physician)?"
)
_DEPARTMENT = (
    r"(?:radiology|pathology|surgery|oncology|genetics|nursing|urology|pulmonary|pulmonology|gastroenterology|gastro|gyn(?:a)?e(?:cology)?|"
    r"neurosurgery|palliative(?: care)?|dermatology|hematology|haematology|cardiology|anesthesia|pharmacy|nutrition|rad onc|med onc|"
    r"surg onc|gyn onc|gi|gu|ent|ir|interventional radiology|nuclear medicine|social work|research|the lab|cytology|endocrinology|"
    r"the trials? (?:office|unit|team)|radiation)"
)
_TITLE = r"mr|mrs|mx|mister|missus|dr|prof|professor|herr|frau|se\u00f1ora?|signora?|madame|monsieur"
_SHORT = frozenset("li wu xu ng ho hu yu ma lu he bo an oh do le vo ha ko ip qi ye mo im ro su ta tu".split())
"""Surnames of two letters; only after a title."""
_NO_SHORT = frozenset("he do an oh".split())
_DOUBTFUL_TITLE = r"sgt|capt|rev|lt|hon|np|pa|rn|crna|coach|chief|deacon|elder|detective|grandma|grandpa|aunt|uncle|ms|miss|misses|doctor|doc|nurse|sister|father|rabbi|imam|reverend|captain|sergeant|officer|judge"
_END = r"[\s,:\u2013-]{0,3}$"
_CLINICIAN_TITLE = re.compile(rf"\b(?:dr|prof|professor|doctor|doc|nurse)\b\.?{_END}", re.IGNORECASE)
_STRONG = re.compile(
    rf"(?:\b(?:{_TITLE})\b\.?|\b(?:(?:first|last|maiden|family|given|middle|full|married|birth) )?(?:name|surname|nickname)s?(?: is| was|'s|:| of)|"
    r"\b(?:goes|went|going) by(?: the name(?: of)?)?|\b(?:known|listed|registered|filed) as|\bnamed(?: after)?|\bby the name of|"
    r"\b(?:call|calls|called) (?:her|him|them|me)|\blet's call (?:her|him)|\banswers to|\bsigned(?: electronically)? by|\bdictated by|"
    rf"\b(?:patient|pt|name|{_CALLING}|{_KIN}|referring(?: md| provider)?|provider|presented by|reviewed by|author|contact|cc|attn|present|attendees|attending|panel|team|presenters?|discussants?|participants?|speakers?)\s*[:=])"
    r"\s{0,2}$",
    re.IGNORECASE,
)
_DOUBTFUL = re.compile(rf"\b(?:{_DOUBTFUL_TITLE})\b\.?\s$", re.IGNORECASE)
_MEDIUM = re.compile(
    rf"\b(?:(?:the|a|our|this|next|last|first|second|third|my|your|his|her|new|old)?\s?(?:patient|pt|gentleman|lady|woman|man|guy|girl|boy)"
    r"(?: is| was|,)?|"
    rf"(?:{_KIN}|{_CALLING})s?(?: is| was|,)?(?: called| named)?|this is|here is|here's|i'm|i am|my name is|meet|introduc\w+|welcome|"
    r"next(?: up)?(?: is| we have| case is| patient is| one is|,)?|we have|we've got|we got|it's|"
    r"(?:case|number|patient|bed|slot) (?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)(?: is|:|,|\.| is called)?|last (?:one )?is|"
    r"case (?:is|of|for)|(?:refer(?:red|ral)|sent|seen|operated(?: on)?|read|reported|requested|presented|performed|done|followed up) "
    r"(?:by|from)|(?:patient|care|wife|husband|widow|mother|father|daughter|son|brother|sister|parents|family|case|behalf) of|"
    r"thank you(?: so much| very much)?|thanks(?: to| again)?|hello|hi|hey|good (?:morning|afternoon|evening)(?: everybody| everyone| all)?|"
    r"dear|over to(?: you)?|back to(?: you)?|go ahead|(?:spoke|speak|spoken|talk|talked|talking|discussed|met|meeting|chat\w*) (?:to|with)|"
    r"(?:we|i|they|you|she|he) (?:discussed|presented|saw|see|reviewed|met|know|remember|treated|scoped|lost|admitted|operated on)|"
    r"(?:worried|concerned|thinking|heard|hear|questions?|what|how) about|(?:update|news|waiting) (?:on|for)|hear from|as for|speaking of|how is|how's|where is|who is|"
    r"phoned|rang|e-?mailed|paged|texted|on to|move to|moving to|turn to|"
    rf"consented|sorry|please|agree with|as|questions? for|comments? from|word from|(?:{_CALLING}) is)\b{_END}",
    re.IGNORECASE,
)
_LIGHT = re.compile(
    rf"(?:\b(?:with|by|to|for|about|and|or|saw|see|sees|seen|met|told|tell|tells|ask|asks|asked|call|called|calls|know|knows|remember|think|thinks|"
    r"that|so|okay|ok|alright|right|well|yes|no|but|when|if|because|while|did|does|has|is|was|whether|where|how|then|says|said|of|from|"
    rf"like|discuss\w*|examined|(?:operated|worked|scanned) on|stented|scoped|treated|reviewed|under|per|admitted|follow|following|now|also|let|lets|let's|regarding|re|does|can|could|should|will|would|what)\b|&){_END}",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    r" (?:said|says|told|tells|asked|wants|wanted|lives|lived|thinks|agreed|agrees|smokes|smoked|works|worked|refused|declined|called|came (?:back|in)|died|"
    r"passed away|mentioned|prefers|lost)\b"
)
_KIN_BEFORE = re.compile(rf"(?:\b(?:his|her|their|my|the|whose)|'s) (?:{_KIN}),? (?:named |called )?$", re.IGNORECASE)
_ADDRESSED = re.compile(
    r"\b(?:thanks|thank you|hi|hello|hey|over to you|go ahead|welcome|sorry|good morning|please|okay|ok)[\s,]+$",
    re.IGNORECASE,
)
_OWNS = re.compile(
    rf"(?:'s|\u2019s) (?:{_KIN}|scans?|ct|mri|pet|biops(?:y|ies)|path|surgery|margins?|tumou?r|labs|family|chart|case|slides|imaging|psa|cea|story|wishes|"
    r"insurance|appointment|chemo|treatment|pathology|port|doctor|oncologist|films|report|nodes|disease|cancer|house|daughter|phone)\b",
    re.IGNORECASE,
)
_TALKED = re.compile(
    r"\b(?:(?:spoke|spoken|talk\w*|met) (?:to|with)|thanks|thank you|phoned|paged|hello|told|asked) $", re.IGNORECASE
)
_WORD_NAMES = re.compile(
    r"(?:^|[.!?,;] |\b(?:so|and|okay|ok|because|that|but|here|when|if|for) )(will|gene|art|may|pat|miles|bill|rob|sue|drew|april|june|august|summer|ray|jack|"
    r"christian|angel|melody|harmony|destiny|trinity|precious|chance|chase|hunter|major|sterling)(?= (?:is (?:an? )?(?:\d\d|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)|"
    r"is here|is back|said|says|told|asked|wants|wanted|lives|lived|thinks|agreed|agrees|smokes|came (?:in|back)|called|refused|declined|died|passed away)\b)"
    rf"|\b(?:his|her|their|my|patient's) (?:{_KIN}),? (will|gene|art|may|pat|miles|bill|rob|sue|drew|april|june|august|summer|ray|jack|christian)"
    r"(?=[,.?!]| (?:is|was|has|said|says|wants|came|called|lives)\b|$)",
    re.IGNORECASE,
)
_SPELLED = re.compile(
    r"\b(?:names?(?:'s| is|:)?|spelled|spelling|spell it|spelt)(?: like)?[\s,:]+((?:[a-z](?:[\s.,-]+| as in \w+[\s,]+)){2,}[a-z])(?![\w'])",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?:^|\s)(?:\d{1,2}[.)]|[-*\u2022])\s$")
_NOT_BEFORE = re.compile(
    r"\b(?:the|a|an|this|these|those|no|any|some|each|every|our|my|your|another|which|more|most|very|too)\s$",
    re.IGNORECASE,
)
_PLACE_BEFORE = re.compile(
    r"\b(?:in|at|near|outside|lake|mount|mt|fort|port|saint|st\.?|river|county|north|south|east|west|city of|town of|village of)\s$",
    re.IGNORECASE,
)
_AFTER_STRONG = re.compile(
    rf"(?:,? (?:MD|M\.D\.|DO|PhD|RN|NP|PA-C|FRCS|FACS|MBBS)\b|,? (?:from|in|of|at|representing|with|for) (?:the )?(?:[a-z]+ )?{_DEPARTMENT}\b|"
    r",? (?:a |an |is |is a |is an )?(?:\d{1,3}|[a-z]+ty(?:[- ][a-z]+)?)[- ]?(?:years?\b|yo\b|y/o|[MF]\b|yr)|,? (?:aged?|born|dob)\b|,? (?:who|whose)\b|"
    r",? (?:here|speaking|presenting|dictating|calling in|on the (?:phone|line))\b)",
    re.IGNORECASE,
)
_AFTER_PERSON = re.compile(
    r",? (?:came|comes|said|says|told|tells|asked|asks|wants|wanted|lives|lived|agree[sd]?|thinks|thought|feels|felt|smokes|smoked|works|worked|"
    r"mentioned|pointed|noted|called|calls|refused|declined|prefers|preferred|died|passed|went|he|she|his|her|and i|drives|drove|again|back|"
    r"brought|showed|knows|knew|hopes|hoped|cried|cries|signed|consented|lost|drew|wrote|sends?|sent|married|retired|moved|carries|carried|"
    r"(?:can|could|would|will|do|did|are|have) you|what|your|you|any|please|is (?:a|an|his|her|our|the one|here|asking|doing|coming|going))\b",
    re.IGNORECASE,
)
_AFTER_VERB = re.compile(
    r"(?:'s|\u2019s)? (?:is|was|has|had|did|does|will|would|can|could|might|should|needs|needed|received|underwent|starts|started|finished|"
    r"completed|progressed|tolerated|developed|got|gets|takes|took|stays|stayed|started|presented|presents|saw|read|did|that is)\b"
    r"|(?:'s|\u2019s) [a-z]",
)
_LATER_NICKNAME = re.compile(
    r",? (?:that is|that's|which is|is|as) (?:what|how) (?:[\w'-]+ ){1,3}(?:calls?|called) (?:her|him|them)|,? as (?:[\w'-]+ ){1,3}(?:calls?|called) "
    r"(?:her|him|them)|,? for short\b"
)
_ABBREVIATED = TITLES | {"ms", "mrs", "pt", "pts", "vs", "st", "dr", "no", "attn", "sr", "jr"}
_TOKEN = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_REVERSED = re.compile(r"\s*(?:,|$|\.|;|\(|\d|\n|-)")


@dataclass(frozen=True, slots=True)
class Sighting:
    """A place where a person is named.

    Attributes:
        start: first character.
        end: one past the last.
        who: the person.
    """

    start: int
    end: int
    who: Person


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    text: str
    low: str
    sort: Sort
    begins: bool
    gap: str

    @property
    def cap(self) -> bool:
        return any(part[:1].isupper() for part in self.text.split("-"))

    @property
    def shouted(self) -> bool:
        return len(self.text) > 1 and self.text.isupper()

    @property
    def initial(self) -> bool:
        return len(self.text) == 1 and self.text.isupper()


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    last = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        word = match.group()
        for mark in ("'s", "\u2019s", "'", "\u2019"):
            if word.endswith(mark):
                word, end = word[: -len(mark)], end - len(mark)
                break
        gap = text[last:start]
        abbreviated = bool(found) and gap == ". " and (found[-1].initial or found[-1].low in _ABBREVIATED)
        begins = not found or (bool(re.search(r"[.!?:;\n\t\"(\u2022*|=]", gap)) and not abbreviated)
        sort = Sort.PROTECTED if odd_case(word) else sort_of(word)
        found.append(_Token(start, end, word, plain(word), sort, begins, gap))
        last = match.end()
    return found


def find_sightings(text: str) -> Iterator[Sighting]:
    """Runs of words that are names for what stands in them and around them, and unknown words with a capital beside such a name."""
    tokens = _tokens(text)
    found = list(_sightings(text, tokens))
    yield from found
    for match in _WORD_NAMES.finditer(text):
        group = 1 if match[1] else 2
        yield Sighting(*match.span(group), Person((match[group],), "", IdentifierKind.PATIENT, "word-name"))
    for match in _SPELLED.finditer(text):
        yield Sighting(*match.span(1), Person((), match[1], IdentifierKind.PATIENT, "spelled"))
    done = {place for item in found for place in range(item.start, item.end)}
    ends, starts = {item.end: item.who for item in found}, {item.start: item.who for item in found}
    for place, item in enumerate(tokens):
        lone = item.sort in NAMELIKE and item.cap and not item.begins and not item.shouted and item.start not in done
        if not lone:
            continue
        before = tokens[place - 1].end if place else -1
        joined = text[before : item.start] in (", ", " & ")
        if not joined and place > 1 and tokens[place - 1].low == "and":
            before, joined = tokens[place - 2].end, True
        after = tokens[place + 1].start if place + 1 < len(tokens) else -1
        beside = ends.get(before) if joined else None
        if beside is None and text[item.end : after] in (", ", " & "):
            beside = starts.get(after)
        if beside is not None:
            yield Sighting(item.start, item.end, Person((), item.text, beside.kind, "beside"))
            ends[item.end] = beside


def _sightings(text: str, tokens: list[_Token]) -> Iterator[Sighting]:
    inside = [item for item in tokens if not item.begins and len(item.text) > 2]
    heading = len(inside) > 5 and sum(item.cap for item in inside) > len(inside) / 2
    shields = [found.span() for found in PROTECTED.finditer(text)]
    place = 0
    while place < len(tokens):
        if any(first <= tokens[place].start < last for first, last in shields):
            place += 1
            continue
        end = _run(tokens, place)
        if end == place:
            place += 1
            continue
        run = tokens[place:end]
        found = _judged(text, tokens, place, end, heading)
        if found is None and len(run) > 1:
            end = place + 1
        elif found is not None:
            end = found[1]
            yield found[0]
        place = max(end, place + 1)


def _run(tokens: list[_Token], place: int) -> int:
    """Where a run that begins here ends: words that can be names, initials, and particles between them."""
    end = place
    while end < len(tokens):
        item = tokens[end]
        if (end > place and item.gap not in (" ", ". ", "  ", "\u00a0")) or (
            end > place and item.gap == ". " and not tokens[end - 1].initial
        ):
            break
        if not _possible(tokens, end, end > place):
            break
        end += 1
    while end > place and (tokens[end - 1].initial or _particle(tokens[end - 1])):
        end -= 1
    return end


def _particle(item: _Token) -> bool:
    return item.low in PARTICLES and len(item.low) > 1


def _possible(tokens: list[_Token], place: int, inside: bool) -> bool:
    item = tokens[place]
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    near = after is not None and after.gap in (" ", ". ")
    if item.initial:
        named = near and after is not None and (after.cap or _particle(after))
        return named and (item.text not in "IA" or (after is not None and after.gap == ". "))
    if _particle(item):
        return (
            near
            and after is not None
            and (after.sort in NAMELIKE or (after.cap and after.sort >= Sort.EPONYM) or _particle(after))
        )
    if item.low in TITLES or odd_case(item.text) or (item.shouted and not _shouted_name(tokens, place)):
        return False
    if item.sort in NAMELIKE:
        return True
    titled = place > 0 and tokens[place - 1].low in TITLES and item.gap in (" ", ". ")
    if item.cap or titled:
        short = titled and item.low in _SHORT and (item.cap or item.low not in _NO_SHORT)
        return item.sort in (Sort.BOTH, Sort.EPONYM) or short or _title_only(item)
    return item.sort is Sort.BOTH


def _shouted_name(tokens: list[_Token], place: int) -> bool:
    """Capitals throughout are an abbreviation, unless the word is a name and stands beside another one or after a field or title."""
    item = tokens[place]
    if item.sort not in (*NAMELIKE, Sort.BOTH) or len(item.text) < 4:
        return False
    around = [tokens[other] for other in (place - 1, place + 1) if 0 <= other < len(tokens)]
    known = (Sort.SURNAME, Sort.GIVEN) if item.sort is Sort.UNKNOWN else (*NAMELIKE, Sort.BOTH)
    beside = any(other.shouted and len(other.text) > 3 and other.sort in known for other in around)
    return beside or (place > 0 and tokens[place - 1].low in TITLES | {"name", "surname", "patient", "pt"})


def _title_only(item: _Token) -> bool:
    """A word of grammar or medicine that is a surname too: a name after a title alone, such as Mrs. May."""
    return (surname(item.low) or given_name(item.low)) and item.low not in FUNCTION_WORDS


def _judged(text: str, tokens: list[_Token], place: int, end: int, heading: bool) -> tuple[Sighting, int] | None:
    """The run as a name when it has the points; shorter runs are tried at its ends."""
    before = text[max(0, tokens[place].start - 60) : tokens[place].start]
    run = tokens[place:end]
    strong, doubtful = bool(_STRONG.search(before)), bool(_DOUBTFUL.search(before))
    if not strong and not doubtful:
        while len(run) > 1 and _loose(run[0]):
            run = run[1:]
            before = text[max(0, run[0].start - 60) : run[0].start]
        if run[0].sort <= Sort.WORD and not run[0].initial and not _particle(run[0]):
            return None
    run = _trimmed(run, text)
    if not run:
        return None
    place = tokens.index(run[0])
    last = place + len(run)
    given = _reversed(text, tokens, last, run)
    score = _points(text, run, before, heading, strong, doubtful)
    if given:
        score += 2.5 if given[0].sort is Sort.GIVEN else 1.0
    if score < ENOUGH:
        return None
    if given:
        who = Person((given[0].text,), " ".join(item.text for item in run), IdentifierKind.PATIENT, "field")
        return Sighting(run[0].start, given[-1].end, who), last + len(given)
    return Sighting(run[0].start, run[-1].end, _person(run, before, text)), last


def _loose(item: _Token) -> bool:
    """A first word that is no part of the name without a title before it."""
    ordinary = item.sort in (Sort.BOTH, Sort.WORD, Sort.PROTECTED, Sort.EPONYM)
    return ordinary and not (item.initial or _particle(item) or _given_like(item))


def _given_like(item: _Token) -> bool:
    if item.low in GIVEN_NAMES:
        return True
    return given_name(item.low) and (item.cap or item.low in ORDINARY)


def _trimmed(run: list[_Token], text: str) -> list[_Token]:
    """Without ordinary words in small letters at the end that no person's verb follows, and without titles of others."""
    kept = list(run)
    while len(kept) > 1:
        item = kept[-1]
        if (
            item.initial
            or _particle(item)
            or (not item.cap and item.sort is Sort.BOTH and not _goes_on(text, item))
            or item.sort in (Sort.WORD, Sort.PROTECTED)
        ):
            kept.pop()
        else:
            break
    return kept[:4]


def _goes_on(text: str, item: _Token) -> bool:
    rest = text[item.end : item.end + 40]
    return (surname(item.low) and (item.low in ORDINARY)) and bool(
        _AFTER_PERSON.match(rest) or _AFTER_VERB.match(rest) or not rest.strip() or rest[0] in ",.;"
    )


def _points(text: str, run: list[_Token], before: str, heading: bool, strong: bool, doubtful: bool) -> float:
    after = text[run[-1].end : run[-1].end + 60]
    core = [item for item in run if not item.initial and not _particle(item)]
    best = max(core, key=lambda item: POINTS[item.sort])
    score = POINTS[best.sort]
    small = not any(item.cap for item in core)
    sure = [item for item in core if item.sort in NAMELIKE]
    if small and not sure and best.sort is not Sort.EPONYM:
        score -= 1.0 if strong else 2.0
    if best.begins and not sure and not small:
        score -= 1.0
    if small and not strong and len(best.low) < 5 and best.low not in GIVEN_NAMES:
        score -= 0.5 + (len(best.low) < 4)
    capital = not heading and any(item.cap and not item.begins for item in core)
    if small and not sure and len(core) == 1 and best.sort is Sort.BOTH and given_name(best.low):
        score += _given_alone(best, before, after)
    if best.begins and best.cap and best.sort is Sort.BOTH and given_name(best.low) and _AFTER_PERSON.match(after):
        score += 1.5
    score += 1.0 if capital and best.sort is not Sort.EPONYM else 0.0
    initial = run[0].initial
    if len(core) > 1 and (sure or _given_like(core[0])):
        score += 1.0
        score += 1.0 if small and not sure and (_AFTER_STRONG.match(after) or _SPEAKS.match(after)) else 0.0
    score += 1.0 if initial and core[-1].cap else 0.0
    if any(_particle(item) for item in run):
        score += 0.5
    if strong or doubtful:
        score += 4.0 if strong else 3.0
    elif _MEDIUM.search(before):
        score += 2.0
    elif _LIGHT.search(before) or _LISTED.search(before) or (not before.strip() and small):
        score += 1.0
    if best.sort in (*NAMELIKE, Sort.BOTH) and _OWNS.match(after) and (sure or (best.cap and best.low in ORDINARY)):
        score += 2.0
    if best.sort is Sort.EPONYM and best.cap and _TALKED.search(before):
        score += 1.0
    if _LATER_NICKNAME.match(after) or (
        sure and re.match(r"(?:s|s'|'s)? (?:family|brothers|sisters|kids|couple|household|siblings)\b", after)
    ):
        score += 4.0
    elif _AFTER_STRONG.match(after):
        score += 2.0
    elif _AFTER_PERSON.match(after):
        score += 1.5
    elif _AFTER_VERB.match(after):
        score += 1.0
    return score - _against(before, after, best)


def _given_alone(item: _Token, before: str, after: str) -> float:
    """More points for rose, grace and hope in small letters where only a person fits."""
    if item.low in ORDINARY and re.match(r"(?:'s|\u2019s) [a-z]", after):
        return 3.0
    if _SPEAKS.match(after) or _KIN_BEFORE.search(before):
        return 2.0
    if re.match(r"\s*(?:$|[,.?!])", after) and _ADDRESSED.search(before):
        return 2.0
    return 1.5 if _AFTER_STRONG.match(after) else 0.0


def _against(before: str, after: str, best: _Token) -> float:
    """What speaks for a thing, a place or an author."""
    points = 0.0
    if _NOT_BEFORE.search(before):
        points += 2.0
    if _PLACE_BEFORE.search(before):
        points += 1.5
    if any(after.lstrip(" ,").startswith(word) for word in CITED) or re.match(r",? \(?(?:19|20)\d\d\b(?!-year)", after):
        points += 5.0
    noun = re.match(r"('s|\u2019s)?[\s-]([A-Za-z]+)(?: ([A-Za-z]+))?", after)
    if noun is not None:
        words = {(noun[2] or "").casefold(), (noun[3] or "").casefold()}
        things = EPONYM_ONLY if noun[1] and best.sort is not Sort.EPONYM else EPONYM_NOUNS | PLACE_NOUNS | THINGS
        if (noun[2] or "").casefold() in things or (best.sort in (Sort.EPONYM, Sort.BOTH) and words & EPONYM_ONLY):
            points += 4.0
    if re.match(r"-?\d", after):
        points += 3.0
    return points


def _reversed(text: str, tokens: list[_Token], last: int, run: list[_Token]) -> list[_Token]:
    """The given name after a comma: "Rashidi, Faisal, 62M"."""
    if last >= len(tokens) or tokens[last].gap != ", " or not run[0].begins:
        return []
    given = tokens[last]
    known = given.sort in (Sort.GIVEN, Sort.UNKNOWN, Sort.BOTH) and given.cap
    return [given] if known and _REVERSED.match(text[given.end :]) and run[-1].cap else []


def _person(run: list[_Token], before: str, text: str) -> Person:
    after = text[run[-1].end : run[-1].end + 60]
    clinician = bool(
        _CLINICIAN_TITLE.search(before)
        or re.search(
            rf"\b(?:{_CALLING}|thanks|thank you|hello|over to|back to|referred by|seen by)\b[\s,:]*(?:is )?$",
            before,
            re.IGNORECASE,
        )
        or (
            _AFTER_STRONG.match(after)
            and re.match(
                rf",? (?:MD|M\.D\.|DO|PhD|RN|(?:from|in|of) (?:the )?(?:[a-z]+ )?{_DEPARTMENT})\b", after, re.IGNORECASE
            )
        )
    )
    kind = IdentifierKind.CLINICIAN if clinician else IdentifierKind.PATIENT
    words = [item.text for item in run]
    titled = bool(_STRONG.search(before)) and not re.search(
        r"\b(?:named?|by|as|her|him|them)\W*$", before, re.IGNORECASE
    )
    if len(run) == 1:
        item = run[0]
        alone = (
            item.sort is Sort.GIVEN
            or _given_like(item)
            or re.search(rf"\b(?:{_KIN})s?,? $", before, re.IGNORECASE) is not None
        )
        rule = "title" if titled else "around"
        return Person((item.text,), "", kind, "around") if alone and not titled else Person((), item.text, kind, rule)
    start = len(words) - 1
    while start > 0 and _particle(run[start - 1]):
        start -= 1
    return Person(tuple(word.rstrip(".") for word in words[:start]), " ".join(words[start:]), kind, "around")
