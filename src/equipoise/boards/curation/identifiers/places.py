"""Hospitals and towns, by the words beside them or as given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from equipoise.boards.curation.identifiers.model import IdentifierKind, Span
from equipoise.boards.curation.identifiers.words import EPONYMS, NOT_NAMES, STATES, STATES_OF_TWO_WORDS

_CAP = r"[A-Z\u00c0-\u00de][\w'\u2019-]+"
_HOUSE = (
    r"(?:(?:Community|General|University|Memorial|Regional|County|Children's|Veterans|Medical|Teaching|District|Cancer) )*"
    r"(?:Hospitals?|Medical (?:Center|Centre)|General|Clinic|Infirmary|Hospice|Cancer (?:Center|Centre|Institute)|Healthcare|Health (?:System|Center|Centre)|"
    r"Klinikum|Krankenhaus|Institute)"
)
_HOSPITAL = re.compile(rf"\b((?:(?:St|Mt)\.? )?(?:{_CAP}(?:[ -]| of | and )){{1,4}}{_HOUSE})\b")
_UNIVERSITY = re.compile(rf"\b(University of {_CAP}(?: {_CAP})?)\b")
_SAINT = re.compile(rf"\b(?:at|from|to|in) (St\.? {_CAP}(?:'s)?)")
_CUE = (
    r"(?:lives? (?:in|near|outside(?: of)?)|living (?:in|near)|lived (?:in|near)|resid(?:es|ing|ent) (?:in|of)|moved (?:from|to|back to)|comes? from|"
    r"came from|coming from|referred (?:from|in from|by|to us from)|transferred (?:from|to)|travel(?:s|led|ed|ing)? (?:from|to)|drove (?:in )?from|"
    r"drives (?:in )?from|hometown(?: is| of)?|native of|born (?:in|on) [^.,;]{0,16}?\d{4},? in|born in|works? in|working in|flew in from|visiting from|all the way from|"
    r"over in|home in|(?:man|woman|lady|gentleman|patient|farmer|teacher|nurse|person) from)"
)
_TOWN = re.compile(rf"\b(?i:{_CUE}) (?:the (?:town|city|village|county) of )?({_CAP}(?:[ -]{_CAP}){{0,2}})")
_TOWN_LOWER = re.compile(r"\b(?:town|city|village) of ([a-z]{4,})\b")
_COUNTY = re.compile(rf"\b({_CAP}(?: {_CAP})? County)\b")
_AFTER_STREET = re.compile(rf"^,\s*({_CAP}(?: {_CAP})?)(?=[,.;\n]|\s+\d|$|\s[A-Z]{{2}}\b)")
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


def find_towns(text: str, addresses: Iterable[Span] = ()) -> Iterator[Span]:
    """Towns and counties by a cue, or after a street."""
    for pattern, rule in ((_TOWN, "town-cue"), (_COUNTY, "county"), (_TOWN_LOWER, "town-cue")):
        for found in pattern.finditer(text):
            start, end = _town(text, *found.span(1))
            if end > start:
                yield Span(start, end, IdentifierKind.TOWN, _key(text[start:end]), rule)
    for span in addresses:
        after = _AFTER_STREET.match(text[span.end :])
        if after is not None and not _large(after[1]):
            start = span.end + after.start(1)
            yield Span(start, span.end + after.end(1), IdentifierKind.TOWN, _key(after[1]), "town-after-street")


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
