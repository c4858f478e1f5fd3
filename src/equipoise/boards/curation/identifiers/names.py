"""Names of persons: found by the words beside them, then everywhere they stand, in every form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from equipoise.boards.curation.identifiers.model import IdentifierKind
from equipoise.boards.curation.identifiers.vocabulary import Sort, english, sort_of
from equipoise.boards.curation.identifiers.words import EPONYMS, NOT_NAMES, VERBS
from equipoise.boards.measures.treatments import drugs_in
from equipoise.redteam.privacy import Canary, CanaryKind, find_leaks
from equipoise.redteam.privacy.fold import folded
from equipoise.redteam.privacy.words import EPONYM_NOUNS, FUNCTION_WORDS, GIVEN_NAMES, ORDINARY, PLACE_NOUNS, TITLES

_WORD = (
    r"(?:[A-Z\u00c0-\u00de]['\u2019])?(?:Ma?c)?[A-Z\u00c0-\u00de][a-z\u00df-\u00ff]+"
    r"(?:[-'\u2019][A-Z\u00c0-\u00de]?[a-z\u00df-\u00ff]{2,})*"
)
_PARTICLE = r"(?:von|van|der|den|de|del|della|da|dos|du|la|le|al|bin|ibn|el|ter|ten|zu|zum)"
_NAME = rf"(?:{_PARTICLE}\s+){{0,2}}{_WORD}(?:\s+(?:[A-Z]\.\s+)?(?:{_PARTICLE}\s+){{0,2}}{_WORD}){{0,2}}"
_LOW = r"[a-z\u00df-\u00ff]{2,}(?:[-'\u2019][a-z\u00df-\u00ff]{2,})*"
_MR = r"(?i:mr|mrs|ms|miss|mx|mister|missus|misses|herr|frau|se\u00f1ora?|signora?|madame|monsieur)"
_DR = r"(?i:dr|doctor|prof|professor)"
_PERSON = r"(?:patient|woman|man|lady|gentleman|girl|boy|child|person|male|female|guy)"
_KIN = (
    r"(?:wife|husband|son|daughter|mother|father|brother|sister|partner|niece|nephew|spouse|cousin|aunt|uncle|"
    r"grandson|granddaughter|"
    r"grandmother|grandfather|fianc\u00e9e?|carer|caregiver|guardian|neighbou?r|friend|mom|mum|dad|twin|"
    r"sibling)(?:-in-law)?"
)
_DEPARTMENT = (
    r"(?:radiology|pathology|surgery|oncology|medical oncology|radiation oncology|radiation|genetics|nursing|"
    r"urology|pulmonary|gastroenterology|"
    r"thoracic surgery|neurosurgery|palliative care|the (?:surgical|trial|research|nursing) team)"
)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody named.

    Attributes:
        given: given names; empty when unknown.
        surname: with its particles; empty when unknown.
        kind: patient (or relative), or clinician.
        rule: what found the name.
    """

    given: tuple[str, ...]
    surname: str
    kind: IdentifierKind
    rule: str

    @property
    def full(self) -> str:
        """All that is known of the name."""
        return " ".join((*self.given, self.surname)).strip()


@dataclass(frozen=True, slots=True)
class _Cue:
    rule: str
    kind: IdentifierKind
    pattern: re.Pattern[str]
    alone: str = "any"
    """What a single word after the cue must be: "any", "given" (a common given name) or "name" (no ordinary word)."""


def _cue(rule: str, kind: IdentifierKind, pattern: str, alone: str = "any") -> _Cue:
    return _Cue(rule, kind, re.compile(pattern), alone)


_CUES: tuple[_Cue, ...] = (
    _cue("clinician-title", IdentifierKind.CLINICIAN, rf"\b{_DR}\b\.?\s+({_NAME})"),
    _cue("clinician-title-low", IdentifierKind.CLINICIAN, rf"\b(?:dr|prof)\b\.?\s+({_LOW})", "name"),
    _cue(
        "doctor-low",
        IdentifierKind.CLINICIAN,
        rf"(?<!the )(?<!her )(?<!his )(?<!own )(?<!my )(?<!your )(?<!a )\bdoctor ({_LOW})(?= (?:did|has|had|is|was|"
        rf"from|and|will|would|can|said|says|thinks|saw)\b|[,.?!]|$)",
        "name",
    ),
    _cue("title", IdentifierKind.PATIENT, rf"\b{_MR}\b\.?\s+(?:and {_MR}\.? )?({_NAME})"),
    _cue("title-low", IdentifierKind.PATIENT, rf"\b(?:mr|mrs|ms|miss|mister|missus)\b\.?\s+({_LOW})", "low"),
    _cue(
        "degree",
        IdentifierKind.CLINICIAN,
        rf"\b({_WORD}(?:\s+[A-Z]\.)?\s+{_WORD}),? (?:MD|M\.D\.|PhD|RN|DO|FACS|FRCS|MBBS)\b",
    ),
    _cue(
        "signed",
        IdentifierKind.CLINICIAN,
        rf"(?i:signed(?: electronically)? by|dictated by|reported by|reviewed by|read by|attending:?|surgeon:|"
        rf"operated by|under the care of|seen by|referred by)\s+(?:{_DR}\.?\s+)?({_NAME})",
        "name",
    ),
    _cue(
        "name-is",
        IdentifierKind.PATIENT,
        rf"(?i:\b(?:her|his|their|the patient's|patient's|patient|whose) (?:(?:full|first|last|given|maiden|"
        rf"family) )?"
        rf"(?:name|surname)(?: is| was|'s|:)?)\s+({_NAME})",
    ),
    _cue(
        "name-is-low",
        IdentifierKind.PATIENT,
        rf"\b(?:her|his|their|patient's|whose|patient) (?:(?:full|first|last|given|maiden|family) )?name(?:'s| "
        rf"is| was)"
        rf" ({_LOW}(?: {_LOW})?)",
        "low",
    ),
    _cue(
        "name-field",
        IdentifierKind.PATIENT,
        rf"(?i:\b(?:patient(?: name)?|name|surname|pt)\s*[:=])\s*({_NAME})",
        "name",
    ),
    _cue(
        "named",
        IdentifierKind.PATIENT,
        rf"(?i:\b{_PERSON},?(?: is| was)? (?:named|called|by the name of|known as|goes by))\s+({_NAME})",
    ),
    _cue(
        "called",
        IdentifierKind.PATIENT,
        rf"(?i:\b(?:is|was|we call (?:her|him)|(?:she|he) is|everyone calls (?:her|him)) (?:named|called|by the "
        rf"name of|known as))\s+({_NAME})",
        "name",
    ),
    _cue(
        "named-low",
        IdentifierKind.PATIENT,
        rf"\b{_PERSON},?(?: is)? (?:named|called|by the name of) ({_LOW}(?: {_LOW})?)",
        "low",
    ),
    _cue(
        "patient-name",
        IdentifierKind.PATIENT,
        rf"\b(?i:patient|pt|case of|case is|about|discuss|on to|next is|next up is|next up|next we have|we have|"
        rf"discussing),? (?!of\b)({_NAME})",
        "strict",
    ),
    _cue(
        "relative",
        IdentifierKind.PATIENT,
        rf"(?i:\b{_KIN}s?(?:,| is| was)?(?: named| " rf"called)?)\s+({_NAME})",
        "name",
    ),
    _cue("relative-low", IdentifierKind.PATIENT, rf"\b{_KIN},?(?: is)? (?:named|called) ({_LOW})", "low"),
    _cue(
        "self",
        IdentifierKind.CLINICIAN,
        rf"\b(?:[Mm]y name is|[Mm]y name's|I am|I'm|I\u2019m|[Tt]his is|[Ii]t's)\s+({_NAME})",
        "given",
    ),
    _cue("self-low", IdentifierKind.CLINICIAN, rf"\bmy name is ({_LOW}(?: {_LOW})?)", "low"),
    _cue(
        "addressed",
        IdentifierKind.CLINICIAN,
        rf"\b(?i:thank you(?: very much)?|thanks|hello|hi|over to(?: you)?|back to|go ahead|good morning|good "
        rf"afternoon|"
        rf"welcome|please|yes|sorry|okay|as|ask|agree with|to|with)[, ]+({_NAME})(?=[,.?!;]| (?:said|mentioned|"
        rf"pointed|noted|from|and I|just))",
        "given",
    ),
    _cue(
        "asked",
        IdentifierKind.CLINICIAN,
        rf"(?:^|[.!?]\s+)({_NAME}), (?=(?:what|can|could|do|would|you|your|any|are|how|please|have|anything|go|"
        rf"is)\b)",
        "given",
    ),
    _cue("from-department", IdentifierKind.CLINICIAN, rf"\b({_NAME}) (?:from|in|at) {_DEPARTMENT}\b", "given"),
    _cue(
        "given-and-surname",
        IdentifierKind.PATIENT,
        rf"\b((?:{'|'.join(sorted(name.capitalize() for name in GIVEN_NAMES))}) (?:[A-Z]\. )?{_WORD})",
        "given",
    ),
)
PROTECTED = re.compile(r"\b[Ss]ister [Mm]ary [Jj]oseph")
"""A nodule, no person."""
_REVERSED = re.compile(rf"(?i:\b(?:patient(?: name)?|name|pt)\s*[:=])\s*({_WORD}), ({_WORD})")
INITIALS = re.compile(r"(?i:\b(?:patient|pt|initials?|mr|mrs|ms)\b\.?)(?i:\s*(?:are|is|:))?\s+((?:[A-Z]\.\s?){2,3})")


@lru_cache(maxsize=8192)
def careful(word: str) -> bool:
    """Whether a word is also an ordinary word, a name in medicine or a drug, so that it is a person only in some places."""
    low = word.casefold()
    return (
        low in ORDINARY
        or low in EPONYMS
        or low in FUNCTION_WORDS
        or low in NOT_NAMES
        or low in VERBS
        or len(low) < 3
        or bool(drugs_in(word))
    )


def _not_a_name(word: str) -> bool:
    low = word.casefold().rstrip(".")
    return low in FUNCTION_WORDS or low in NOT_NAMES or low in TITLES or bool(drugs_in(word))


def person(text: str, kind: IdentifierKind, rule: str) -> Person | None:
    """The parts of a name as written; None when nothing is left without titles."""
    if "," in text:
        surname, _, given = text.partition(",")
        text = f"{given.strip()} {surname.strip()}"
    words = [word for word in text.split() if word.casefold().strip(".") not in TITLES]
    if not words:
        return None
    start = 0 if all(word.casefold() in PARTICLES for word in words[:-1]) else len(words) - 1
    while start > 1 and words[start - 1].casefold() in PARTICLES:
        start -= 1
    if start == 0 and len(words) > 1:
        return Person((), " ".join(words), kind, rule)
    if len(words) == 1:
        low = words[0].casefold()
        only_given = low in GIVEN_NAMES or rule in ("relative", "relative-low", "addressed", "asked")
        given_alone = only_given and "title" not in rule
        return Person((words[0],), "", kind, rule) if given_alone else Person((), words[0], kind, rule)
    before = tuple(word.rstrip(".") for word in words[:start] if word.casefold() not in PARTICLES)
    return Person(before, " ".join(words[start:]), kind, rule)


PARTICLES = frozenset("von van der den de del della da dos du la le al bin ibn el ter ten zu zum".split())


def find_persons(texts: Iterable[str]) -> list[Person]:
    """Persons that a cue names, in the order found; the same person may come more than once."""
    return [who for text in texts for _, _, who in find_named(text)]


def find_named(text: str) -> Iterator[tuple[int, int, Person]]:
    """Where a cue names a person: first character, one past the last, and the person."""
    for match in _REVERSED.finditer(text):
        if not _not_a_name(match[1]) and not _not_a_name(match[2]):
            yield match.start(1), match.end(2), Person((match[2],), match[1], IdentifierKind.PATIENT, "name-field")
    shields = [found.span() for found in PROTECTED.finditer(text)]
    for cue in _CUES:
        for match in cue.pattern.finditer(text):
            name = _accepted(match[1], cue)
            thing = name.casefold() in EPONYMS and _thing_follows(text, match.end(1))
            shielded = any(first <= match.start(1) < last for first, last in shields)
            if thing or shielded or not name:
                continue
            item = person(name, cue.kind, cue.rule)
            if item is not None:
                yield match.start(1), match.start(1) + len(name), item


def _accepted(name: str, cue: _Cue) -> str:
    """The words after a cue that can be a name; empty when none can."""
    words = name.split()
    kept: list[str] = []
    for word in words:
        bare = word.removesuffix("'s").removesuffix("\u2019s")
        if word.casefold() in PARTICLES and word.islower() and cue.alone != "low":
            kept.append(word)
        elif _not_a_name(bare) or (kept and cue.alone == "low" and _ordinary_low(bare)):
            break
        else:
            kept.append(bare)
    while kept and kept[-1].casefold() in PARTICLES and kept[-1].islower():
        kept.pop()
    if not kept:
        return ""
    if len(kept) == 1 and not _alone(kept[0], cue.alone):
        return ""
    thing = kept[-1].casefold() in EPONYM_NOUNS | PLACE_NOUNS and len(kept) > 1
    if cue.alone in ("given", "strict") and (thing or all(word.casefold() in EPONYMS for word in kept)):
        return ""
    if cue.alone == "given" and len(kept) > 1 and kept[0].casefold() not in GIVEN_NAMES and cue.rule != "self":
        return ""
    if (
        cue.alone == "strict"
        and len(kept) > 1
        and any(careful(word) for word in kept)
        and kept[0].casefold() not in GIVEN_NAMES
    ):
        return ""
    return " ".join(kept)


def _ordinary_low(word: str) -> bool:
    return word in VERBS or word in ORDINARY or word in FUNCTION_WORDS


def _alone(word: str, how: str) -> bool:
    low = word.casefold()
    if how == "given":
        return low in GIVEN_NAMES
    if how == "low":
        return not _ordinary_low(low) or low in ORDINARY
    if how == "name":
        return low in GIVEN_NAMES or not careful(word)
    if how == "strict":
        return low in GIVEN_NAMES
    return True


@dataclass(frozen=True, slots=True)
class Place:
    """Where a person is named; `form` is the text as it stands there."""

    start: int
    end: int
    form: str


def occurrences(who: Person, text: str) -> Iterator[Place]:
    """Everywhere a text names a person: whole, in a part, in any case, spelled out. Places may overlap."""
    spans: set[tuple[int, int]] = set()
    if who.full and (who.rule == "given" or _may_stand(who, text)):
        for leak in find_leaks((Canary(kind=CanaryKind.NAME, value=who.full),), text):
            if leak.rule != "initials" and not leak.rule.startswith("base64"):
                spans.add((leak.start, leak.end))
    for part in (*who.given, *([who.surname] if who.surname else [])):
        spans.update(_part(part, who, text))
    for start, end in sorted(spans):
        yield Place(start, end, text[start:end])


@lru_cache(maxsize=16384)
def _letters(text: str) -> str:
    return "".join(char for char in folded(text) if char.isalpha())


def _may_stand(who: Person, text: str) -> bool:
    """Whether the letters of a part of the name stand in a text in their order, whatever is between them: the whole search is slow."""
    letters = _letters(text)
    return any(len(part) > 1 and part in letters for part in map(_letters, (*who.given, *who.surname.split())))


def _part(part: str, who: Person, text: str) -> Iterator[tuple[int, int]]:
    if part.split()[0].casefold() not in text.casefold():
        return
    bare = re.escape(part).replace("\\ ", r"\s+")
    title = rf"{_DR}" if who.kind is IdentifierKind.CLINICIAN else rf"{_MR}"
    for match in re.finditer(rf"\b{title}\b\.?\s+(?:{_WORD}\s+)?((?i:{bare}))(?!\w)", text):
        if not (careful(part) and part.casefold() in EPONYMS and _thing_follows(text, match.end())):
            yield match.span(1)
    if len(part.rstrip(".")) < 3:
        return
    if careful(part) or english(part.casefold()):
        for match in re.finditer(rf"(?<!\w){bare}(?='s\b|\u2019s\b| (?:{'|'.join(sorted(VERBS))})\b)", text):
            if part[0].isupper() and part.casefold() not in FUNCTION_WORDS and not _thing_follows(text, match.end()):
                yield match.span()
        if part[0].isupper() and sort_of(part) is Sort.BOTH and part.casefold() not in EPONYMS | NOT_NAMES:
            for match in re.finditer(rf"(?<=[a-z,] ){bare}(?!\w)", text):
                if not _thing_follows(text, match.end()):
                    yield match.span()
        if who.rule != "word-name" and text.islower() and part.casefold() not in FUNCTION_WORDS | VERBS:
            for match in re.finditer(
                rf"(?<!\w)(?<!the )(?<!a )(?<!an )(?i:{bare})(?= (?:{'|'.join(sorted(VERBS))})\b)", text
            ):
                yield match.span()
        return
    for match in re.finditer(rf"(?<!\w){bare}(?!\w)", text, re.IGNORECASE):
        if match.group()[0].isupper() or part.casefold() not in ORDINARY:
            yield match.span()


def title_before(text: str, start: int) -> IdentifierKind | None:
    """The kind of person that the title before a place speaks of; None without a title."""
    before = text[max(0, start - 40) : start]
    if re.search(rf"\b{_DR}\b\.?\s+(?:{_WORD}\s+)?$", before):
        return IdentifierKind.CLINICIAN
    return IdentifierKind.PATIENT if re.search(rf"\b{_MR}\b\.?\s+(?:{_WORD}\s+)?$", before) else None


def _thing_follows(text: str, end: int) -> bool:
    after = re.match(r"(?:'s|\u2019s)?\s+([A-Za-z]+)(?:\s+([A-Za-z]+))?", text[end : end + 50])
    return after is not None and any((word or "").casefold() in EPONYM_NOUNS for word in after.groups()[:1])


def with_given(persons: Sequence[Person], texts: Iterable[str]) -> list[Person]:
    """Whole names for bare surnames: a word with a capital right before the surname, if it can be a name, is a given name."""
    found = []
    all_text = "\n".join(texts)
    for who in dict.fromkeys(persons):
        if who.given or not who.surname or careful(who.surname):
            continue
        for match in re.finditer(rf"(?<![\w.])({_WORD})\s+{re.escape(who.surname)}(?!\w)", all_text):
            if not _not_a_name(match[1]) and not careful(match[1]):
                found.append(Person((match[1],), who.surname, who.kind, who.rule))
    return [*found, *dict.fromkeys(persons)]


def merge(persons: Sequence[Person]) -> list[Person]:
    """One entry a person: a bare surname or given name belongs to the first whole name that has it.

    Clinicians and patients stay apart, unless a bare part was found by a weaker cue than the whole name.
    """
    whole = [item for item in persons if item.given and item.surname]
    found: list[Person] = []
    for item in (*whole, *persons):
        if any(_same(item, other) for other in found):
            continue
        found.append(item)
    return found


def _same(item: Person, other: Person) -> bool:
    if item.given and item.surname:
        return item.kind is other.kind and item.full.casefold() == other.full.casefold()
    strong = "title" in item.rule
    if strong and item.kind is not other.kind:
        return False
    part = (item.surname or item.given[0]).casefold()
    return part in {word.casefold() for word in (*other.given, other.surname) if word}
