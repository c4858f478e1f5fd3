"""Hospitals and towns, by the words beside them or as given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from equipoise.boards.curation.identifiers.medicine_words import CITIES, THINGS
from equipoise.boards.curation.identifiers.model import IdentifierKind, Span
from equipoise.boards.curation.identifiers.vocabulary import NAMELIKE, Sort, odd_case, sort_of
from equipoise.boards.curation.identifiers.words import EPONYMS, NOT_NAMES, STATES, STATES_OF_TWO_WORDS
from equipoise.redteam.privacy.words import EPONYM_NOUNS, FUNCTION_WORDS, PLACE_NOUNS

_CAP = r"[A-Z\u00c0-\u00de][\w'\u2019-]+"
_HOUSE = (
    r"(?:(?:Community|General|University|Memorial|Regional|County|Children's|Veterans|Medical|Teaching|District|"
    r"Cancer) )*"
    r"(?:Hospitals?|Medical (?:Center|Centre)|General|Clinic|Infirmary|Hospice|Cancer (?:Center|Centre|"
    r"Institute)|Healthcare|Health (?:System|Center|Centre)|"
    r"Klinikum|Krankenhaus|Institute)"
)
_HOSPITAL = re.compile(rf"\b((?:(?:St|Mt)\.? )?(?:{_CAP}(?:[ -]| of | and )){{1,4}}{_HOUSE})\b")
_UNIVERSITY = re.compile(rf"\b(University of {_CAP}(?: {_CAP})?)\b")
_SAINT = re.compile(rf"\b(?:at|from|to|in) (St\.? {_CAP}(?:'s)?)")
_CUE = (
    r"(?:lives? (?:in|near|outside(?: of)?)|living (?:in|near)|lived (?:in|near)|resid(?:es|ing|ent) (?:in|of)|"
    r"moved (?:here |over |up |down |out |away |in )?(?:from|to|back to)|comes? from|"
    r"came from|coming from|referred (?:from|in from|by|to us from)|transferred (?:from|to)|travel(?:s|led|ed|"
    r"ing)? (?:from|to)|drove (?:in )?from|"
    r"drives (?:in )?from|hometown(?: is| of)?|native of|born (?:in|on) [^.,;]{0,16}?\d{4},? in|born in|works? "
    r"in|working in|grew up in|raised in|originally from|back (?:home )?in|retired to|based in|stays in|relocated (?:to|from)|"
    r"settled in|(?:family|people|parents|mother|father|wife|husband|daughter|son|folks|she|he|they)(?:'s|\u2019s| is| are| was| were) from|"
    r"(?:farm|house|home|cabin|ranch|practice|clinic|church|shop|school) (?:in|near|outside)|(?:up|down|out|over|away|back|road|street|outskirts|side) in|(?:comes?|came|is|was|drives|drove|flew|up|down|over) (?:up |down |over |out )?(?:out of|from over in|from up in|from down in)|"
    r"(?:miles|hours?|minutes|kilometers|far) (?:from|outside|north of|south of|east of|west of)|flew in from|visiting from|all the way from|"
    r"over in|home in|(?:man|woman|lady|gentleman|patient|farmer|teacher|nurse|person) from)"
)
_TOWN = re.compile(rf"\b(?i:{_CUE}) (?:the (?:town|city|village|county) of )?({_CAP}(?:[ -]{_CAP}){{0,2}})")
_TOWN_LOWER = re.compile(r"\b(?:town|city|village) of ([a-z]{4,})\b")
_COUNTY = re.compile(rf"\b({_CAP}(?: {_CAP})? County)\b")
_AFTER_STREET = re.compile(rf"^,\s*({_CAP}(?: {_CAP})?)(?=[,.;\n]|\s+\d|$|\s[A-Z]{{2}}\b)")
_TAIL = (
    r"(?:falls|springs|city|heights|hills|valley|beach|park|creek|grove|county|township|village|junction|ridge|ferry|mills|bay|harbou?r|"
    r"lake|island|bluffs?|rapids|haven|wells|bridge|parish|borough|hollow|shire|corners|crossing|landing|center|centre|point|river|prairie|forest)"
)
_SMALL = r"[a-z\u00df-\u00ff]{3,}(?:[-'][a-z\u00df-\u00ff]{2,})*"
_TOWN_SPOKEN = re.compile(
    rf"\b{_CUE} (?:the )?(?:(?:town|city|village|county) of )?((?:(?:north|south|east|west|new|old|upper|lower|saint|st|mount|fort|port|lake|san|santa|los|las|el|la) )?"
    rf"({_SMALL})(?: {_TAIL}\b)?)"
)
_SIDE = re.compile(
    rf"\b(?:(?:side|outskirts|suburbs?|edge|middle|village|town|city) of|native of) ((?:st\.? |saint |san |santa )?({_CAP}|{_SMALL}))(?!\w)"
)
_NATIVE = re.compile(rf"\b(({_CAP}|{_SMALL})) native(?=[,.;]| and| who|$)")
_WATER = re.compile(rf"\b((?:lake|mount|mt|fort|cape|river|saint|st|san|santa) ({_SMALL}))(?!\w)", re.IGNORECASE)
_TAILED = re.compile(rf"\b(({_SMALL}) {_TAIL})\b", re.IGNORECASE)
_NEAR = re.compile(rf"\b(?:near|in|at|outside|around) ({_CAP}(?:[ -]{_CAP})?)(?![\w-]| (?i:et al))")
_HOUSE_SPOKEN = re.compile(
    rf"\b((?:(?:saint|st|mount|our lady of) )?({_SMALL}) (?:(?:community|general|university|memorial|regional|county|children's|veterans|district|cancer|medical|"
    r"surgical|imaging|oncology|radiology|health|university of) ){0,2}(?:hospital|general|memorial|clinic|infirmary|hospice|medical center|cancer center|"
    r"health center|regional|imaging|healthcare|university|nursing home|rehab|care home|health system))\b",
    re.IGNORECASE,
)
_JOBS = (
    r"(?:works?|worked|working|job|employed|retired|laborer|labourer|driver|drives|drove|welder|foreman|manager|teacher|teaches|taught|nurse|secretary|"
    r"accountant|clerk|engineer|mechanic|cashier|supervisor|janitor|custodian|officer|guard|pilot|worker|operator|machinist|cook|chef|technician|"
    r"professor|shifts?|years|career|pension|student|studies|studied|librarian|principal|coach|lawyer|attorney|painter|carpenter|electrician|plumber|baker|"
    r"butcher|farmer|miner|firefighter|sergeant|deputy|owns|runs|founded|graduated|enrolled|volunteers?|employee|employer is|employer was|position|internship)"
)
_FIRM = (
    r"(?:paper|mills?|steel|mine|mines|mining|farms?|foods|foundry|shipyard|shipping|logistics|trucking|freight|haulage|motors?|industries|incorporated|inc|"
    r"llc|ltd|corp|corporation|company|brothers|bros|bank|credit union|insurance|construction|builders|plumbing|electric|elementary|high school|"
    r"middle school|primary school|school|academy|college|university|church|chapel|lutheran|baptist|methodist|parish|bakery|brewery|winery|dairy|"
    r"cannery|quarry|cement|chemicals?|plastics|textiles?|lumber|timber|sawmill|railroad|railway|airlines|airways|transport|transit|hotel|inn|"
    r"restaurant|diner|cafe|market|grocery|supermarket|pharmacy|plant|factory|works|refinery|power|energy|oil|gas|glass|tire|rubber|asbestos|auto|"
    r"garage|dealership|partners|associates|group|systems|technologies|software|solutions|services|securities|press|printing|publishing|news|"
    r"herald|gazette|times|tribune|orchards?|nursery|ranch|vineyards?|fisheries|packing|meats|poultry|furniture|carpets?|tools|aviation|aerospace)"
)
_EMPLOYER = re.compile(
    rf"\b{_JOBS},? (?:as an? (?:\w+ ){{1,2}})?(?:at|for|with|from|by|in) (?:the )?({_CAP}(?:(?:,? & | and | of |[ -]){_CAP}){{0,4}})"
)
_EMPLOYER_SPOKEN = re.compile(
    rf"\b{_JOBS},? (?:as an? (?:\w+ ){{1,2}})?(?:at|for|with|from|by) (?:the )?(({_SMALL})(?: (?:and sons|{_SMALL}(?= {_FIRM}\b)))?(?: {_FIRM}\b){{0,2}})"
)
_SONS = re.compile(
    rf"\b({_CAP}(?:[ -]{_CAP})?,? (?:&|and) (?:Sons?|Co|Bros|Brothers|Daughters|Partners|Company|Associates)\b\.?(?: {_CAP})?)"
)
_NAMED_FIRM = re.compile(
    rf"\b((?:{_CAP} ){{1,3}}(?:High School|Elementary(?: School)?|Middle School|Primary School|Academy|Farms?|Foundry|Shipyard|Logistics|Trucking|"
    r"Freight|Haulage|Motors|Industries|Inc|LLC|Ltd|Corp|Corporation|Company|Brothers|Baptist Church|Lutheran Church|Church|Parish|Union|Paper|"
    r"Steel|Mills?|Mine|Mining|Lumber|Railway|Railroad|Airlines|Brewery|Bakery|Construction|Nursing Home|Care Home|Lodge|Manor|Prison))\b"
)
_STATE = "|".join(sorted((*STATES, *STATES_OF_TWO_WORDS), key=len, reverse=True))
_CODES = "AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY"
_BEFORE_STATE = re.compile(rf"\b({_CAP}(?:[ -]{_CAP})?),? (?:(?i:{_STATE})\b|(?<=, )(?:{_CODES})\b)")
_BEFORE_STATE_SPOKEN = re.compile(
    rf"\b((?:(?:north|south|east|west|new|fort|port|saint|lake|mount) )?({_SMALL})),? (?:{_STATE})\b"
)
_BEFORE_TOWN = frozenset("lower upper new old north south east west great little high long".split())
_LEADING = re.compile(r"^(?:The|Our|This|That|Her|His|A|An|At|In|From|To|And|But|So|Then|Also|Dr|Mr|Mrs|Ms) ")


def find_hospitals(text: str) -> Iterator[Span]:
    """Named houses of medicine; "our clinic" is none."""
    for pattern in (_HOSPITAL, _UNIVERSITY, _SAINT):
        for found in pattern.finditer(text):
            start, end = found.span(1)
            while lead := _LEADING.match(text[start:end]):
                start += lead.end()
            first = text[start:end].split()[0].casefold()
            if len(text[start:end].split()) < 2 or first in NOT_NAMES:
                continue
            yield Span(start, end, IdentifierKind.HOSPITAL, _key(text[start:end]), "hospital")
    for found in _HOUSE_SPOKEN.finditer(text):
        if sort_of(found[2]) in NAMELIKE:
            yield Span(*found.span(1), IdentifierKind.HOSPITAL, _key(found[1]), "hospital-spoken")


def find_towns(text: str, addresses: Iterable[Span] = ()) -> Iterator[Span]:
    """Towns and counties by a cue, or after a street."""
    for pattern, rule in ((_TOWN, "town-cue"), (_COUNTY, "county"), (_TOWN_LOWER, "town-cue")):
        for found in pattern.finditer(text):
            start, end = _town(text, *found.span(1))
            if end > start:
                yield Span(start, end, IdentifierKind.TOWN, _key(text[start:end]), rule)
    yield from _spoken_towns(text)
    for span in addresses:
        after = _AFTER_STREET.match(text[span.end :])
        if after is not None and not _large(after[1]):
            start = span.end + after.start(1)
            yield Span(start, span.end + after.end(1), IdentifierKind.TOWN, _key(after[1]), "town-after-street")


def _spoken_towns(text: str) -> Iterator[Span]:
    """Towns in small letters, lakes and counties, and words with a capital after "near" that no list knows."""
    for pattern, rule in (
        (_TOWN_SPOKEN, "town-spoken"),
        (_SIDE, "side-of"),
        (_NATIVE, "native"),
        (_WATER, "water"),
        (_TAILED, "tailed"),
    ):
        for found in pattern.finditer(text):
            large = rule in ("town-spoken", "side-of") and found[2].casefold() in CITIES
            if large or (sort_of(found[2]) in NAMELIKE and found[2].casefold() not in STATES):
                yield Span(*found.span(1), IdentifierKind.TOWN, _key(found[1]), rule)
    for found in _BEFORE_STATE.finditer(text):
        words = found[1].casefold().split()
        named = text[found.end(1)] == "," or sort_of(words[-1]) in NAMELIKE
        if named and words[0] not in STATES | NOT_NAMES | FUNCTION_WORDS and not found[1].isupper():
            yield Span(*found.span(1), IdentifierKind.TOWN, _key(found[1]), "before-state")
    for found in _BEFORE_STATE_SPOKEN.finditer(text):
        if sort_of(found[2]) in NAMELIKE:
            yield Span(*found.span(1), IdentifierKind.TOWN, _key(found[1]), "before-state")
    for found in _NEAR.finditer(text):
        words = re.split(r"[ -]", found[1])
        if (
            words[0].isupper()
            or odd_case(found[1])
            or not all(sort_of(word) in NAMELIKE or word.casefold() in PLACE_NOUNS for word in words)
        ):
            continue
        if sort_of(words[0]) in (Sort.UNKNOWN, Sort.SURNAME) and _no_thing(text[found.end() :]):
            yield Span(*found.span(1), IdentifierKind.TOWN, _key(found[1]), "near")


def _no_thing(after: str) -> bool:
    """Whether no noun follows that makes a thing of the name."""
    noun = re.match(r"(?:'s|\u2019s)? ([a-z]+)", after)
    return noun is None or noun[1] not in EPONYM_NOUNS | THINGS


def find_employers(text: str) -> Iterator[Span]:
    """Where somebody works, studies or prays, by the words beside it."""
    for pattern in (_SONS, _NAMED_FIRM, _EMPLOYER):
        for found in pattern.finditer(text):
            start, end = found.span(1)
            while lead := _LEADING.match(text[start:end]):
                start += lead.end()
            words = re.findall(r"[^\W\d_]+", text[start:end])
            if pattern is _EMPLOYER and (
                words[0].casefold() in NOT_NAMES | STATES or sort_of(words[0]) is Sort.EPONYM or words[0].isupper()
            ):
                continue
            if words and (pattern is not _NAMED_FIRM or (words[0].casefold() not in NOT_NAMES and len(words) > 1)):
                yield Span(start, end, IdentifierKind.EMPLOYER, _key(text[start:end]), "employer")
    for found in _EMPLOYER_SPOKEN.finditer(text):
        if sort_of(found[2]) in NAMELIKE:
            yield Span(*found.span(1), IdentifierKind.EMPLOYER, _key(found[1]), "employer")


def _town(text: str, start: int, end: int) -> tuple[int, int]:
    """The words that can name a town; none when they name something else."""
    words = re.split(r"([ -])", text[start:end])
    kept = ""
    if _large(text[start:end]):
        return start, start
    for place in range(0, len(words), 2):
        word = words[place].casefold().removesuffix("'s")
        more = place + 2 < len(words) and words[place + 2].casefold() not in NOT_NAMES
        if word in NOT_NAMES | STATES and not (word in _BEFORE_TOWN and more):
            break
        kept = "".join(words[: place + 1])
    return start, start + len(kept)


def _large(name: str) -> bool:
    """A state, a country or a continent."""
    lowered = name.casefold()
    return lowered in STATES or lowered.startswith(STATES_OF_TWO_WORDS)


def given_places(text: str, names: Iterable[str], kind: IdentifierKind) -> Iterator[Span]:
    """Places the caller named, in any case; one that is also a name in medicine only with its capital."""
    for name in names:
        careful = name.casefold() in EPONYMS
        pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
        for found in re.finditer(pattern, text, 0 if careful else re.IGNORECASE):
            yield Span(*found.span(), kind, _key(name), "given")


def _key(name: str) -> str:
    return " ".join(re.sub(r"\bSt\.? ", "Saint ", name).casefold().split())
