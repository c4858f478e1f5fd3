"""Names: whole in any order, initial and surname, surname or given name alone, initials."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from equipoise.redteam.privacy.fold import View, folded
from equipoise.redteam.privacy.model import Hit, Strength
from equipoise.redteam.privacy.spelling import joined, loose, spelled, words_of
from equipoise.redteam.privacy.words import (
    ABBREVIATIONS,
    ARTICLES,
    BEFORE_A_PLACE,
    CITED,
    EPONYM_NOUNS,
    EPONYM_ONLY,
    FUNCTION_WORDS,
    GIVEN_NAMES,
    ORDINARY,
    PLACE_NOUNS,
    TITLES,
)

_PARTICLES = frozenset("von van der den de del della di da dos du la le el al bin ibn ten ter zu zum af av".split())
_GAP = r"[\W_]{0,4}"
_PREVIOUS = re.compile(r"([A-Za-z][A-Za-z'\-]*)(\.?)[ \t]+$")
_NEXT = re.compile(r"(?:'s?)?(\.?)[ \t]+([A-Za-z][A-Za-z'\-]*)(\.?)")
_SENTENCE = re.compile(r"(?:^|[.!?:;\n\"(>\-*•])\s*$")
_YEAR = re.compile(r"(?:'s)?,?\s*\(?(?:19|20)\d\d\b")
_MORE_AUTHORS = re.compile(r",? (?:and|&) [A-Z][a-z]+,? \(?(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class Name:
    """A planted name in its parts.

    Attributes:
        given: given names, the first one first.
        surname: with its particles; empty for a single name.
        core: without them.
        initials: first letters of all parts.
    """

    given: tuple[str, ...]
    surname: str
    core: str
    initials: str


def parse(value: str) -> Name:
    """The parts of a name; a comma puts the surname first, titles are left out."""
    before, comma, after = value.partition(",")
    words = words_of(f"{after} {before}" if comma else before)
    words = [word for word in words if folded(word).strip(".") not in TITLES] or words
    if len(words) < 2:
        return Name((words[0],), "", "", "")
    start = len(words) - 1
    if comma:
        start = len(words) - len(words_of(before))
    while not comma and start > 1 and folded(words[start - 1]).strip(".") in _PARTICLES:
        start -= 1
    start = max(start, 1)
    core = [word for word in words[start:] if folded(word) not in _PARTICLES] or words[start:]
    initials = "".join(folded(word)[0] for word in [*words[:start], *core])
    return Name(tuple(words[:start]), " ".join(words[start:]), " ".join(core), initials)


def find(value: str, view: View) -> Iterator[Hit]:
    """Places of a planted name in a view, whole ones first."""
    name = parse(value)
    if not name.surname:
        yield from _alone(name.given[0], name, view, "given-name-alone")
        return
    whole = list(_whole(name, view))
    yield from whole
    yield from _with_initial(name, view)
    yield from _alone(name.core, name, view, "surname-alone")
    for given in name.given:
        if len(folded(given).strip(".")) > 1:
            yield from _alone(given, name, view, "given-name-alone")
    for word, rule in ((name.core, "surname-spelled"), *((given, "given-name-spelled") for given in name.given)):
        yield from _hits(rf"(?<![a-z]){spelled(word)}(?![a-z])", view, Strength.PARTIAL, rule)
    yield from _initials(name, view)


def _hits(pattern: str, view: View, strength: Strength, rule: str) -> Iterator[Hit]:
    for found in re.finditer(pattern, view.text):
        yield Hit(*view.place(*found.span()), strength, rule)


def _common(word: str) -> bool:
    return folded(word) in ORDINARY


def _whole(name: Name, view: View) -> Iterator[Hit]:
    first, last = joined(name.given[0]), joined(name.core)
    particles = "".join(rf"(?:{joined(word)}{_GAP})?" for word in name.surname.split() if folded(word) in _PARTICLES)
    middle = "".join(rf"(?:(?:{joined(word)}|{joined(word)[:1]}){_GAP})?" for word in name.given[1:])
    forward = rf"{first}{_GAP}{middle}{particles}{last}"
    backward = rf"{particles}{last}{_GAP}{first}"
    careful = _common(name.given[0]) and _common(name.core)
    for pattern in (forward, backward):
        for found in re.finditer(rf"(?<![a-z])(?:{pattern})(?![a-z])", view.text):
            shown = view.cased[slice(*found.span())]
            if careful and not (shown[0].isupper() and re.search(r"[\W_][A-Z]", shown)) and re.search(r"\s", shown):
                continue
            yield Hit(*view.place(*found.span()), Strength.FULL, "whole-name")
    letters = rf"(?<![a-z])(?:{loose(name.given[0] + name.core)}|{loose(name.core + name.given[0])})(?![a-z])"
    if careful:
        return
    for found in re.finditer(letters, view.text):
        parts = found.group().split()
        if len(parts) == 1 or all(len(part.strip("-.,_")) == 1 for part in parts):
            yield Hit(*view.place(*found.span()), Strength.FULL, "whole-name")


def _with_initial(name: Name, view: View) -> Iterator[Hit]:
    initial = "".join(rf"[{name.initials[place]}](?:[.\s_\-]{{0,3}})" for place in (0,))
    rest = "".join(rf"(?:[{letter}][.\s]{{0,2}})?" for letter in name.initials[1 : len(name.given)])
    last = joined(name.core)
    for found in re.finditer(rf"(?<![a-z'])({initial}{rest})({last})(?![a-z])", view.text):
        head = view.cased[slice(*found.span(1))]
        tail = view.cased[slice(*found.span(2))]
        spaced = re.search(r"\s", head) is not None
        if spaced and not (head[0].isupper() and tail[0].isupper()):
            continue
        if spaced and head[0] in "AI" and "." not in head:
            continue
        if _cited(view, found.end()) or _thing(view, found.end()):
            continue
        yield Hit(*view.place(*found.span()), Strength.PARTIAL, "initial-and-surname")
    backward = rf"(?<![a-z])({last})(?:,\s*|\s+|[._])([{name.initials[0]}])(?![a-z'])(\.?)"
    for found in re.finditer(backward, view.text):
        surname, letter = view.cased[slice(*found.span(1))], view.cased[found.start(2)]
        comma = view.text[found.end(1)] in ",._"
        if not (surname[0].isupper() and letter.isupper()) and view.text[found.end(1)] not in "._":
            continue
        if not comma and letter in "AI" and not found.group(3):
            continue
        if _cited(view, found.end()) or re.match(r",\s*[A-Z][a-z]+ [A-Z]{1,2}\b", view.cased[found.end() :]):
            continue
        yield Hit(*view.place(*found.span()), Strength.PARTIAL, "initial-and-surname")


def _cited(view: View, end: int) -> bool:
    """The name is that of an author: "et al", a year."""
    after = view.text[end : end + 60].lstrip(" ,.'s")
    return (
        after.startswith(CITED)
        or _YEAR.match(view.text[end : end + 20]) is not None
        or _MORE_AUTHORS.match(view.cased[end : end + 60]) is not None
    )


def _thing(view: View, end: int) -> bool:
    """The name belongs to a disease, a sign, a street or a house; a place noun needs its capital."""
    found = re.match(r"('s|s'|')?[\s\-]+([A-Za-z]+)(?:[\s\-]+([A-Za-z]+))?", view.cased[end : end + 60])
    if found is None:
        return False
    first, second = found.group(2), found.group(3) or ""
    if view.text[end : end + 1] == "-" and first[0].isupper():
        return True
    nouns = EPONYM_ONLY if found.group(1) else EPONYM_NOUNS
    return (
        first.lower() in nouns
        or (second.lower() in EPONYM_ONLY and not first[0].isupper() and first.lower() not in FUNCTION_WORDS)
        or (first.lower() in PLACE_NOUNS and first[0].isupper())
        or (second.lower() in PLACE_NOUNS and first[0].isupper() and second[:1].isupper())
    )


def _alone(word: str, name: Name, view: View, rule: str) -> Iterator[Hit]:
    """A part of the name where capital and context say that it stands for the person."""
    surname = rule == "surname-alone"
    for found in re.finditer(rf"(?<![a-z]){joined(word)}(?![a-z])", view.text):
        if _stands(found.start(), found.end(), word, name, view, surname=surname):
            yield Hit(*view.place(*found.span()), Strength.PARTIAL, rule)


def _stands(start: int, end: int, word: str, name: Name, view: View, *, surname: bool) -> bool:
    shown = view.cased[start:end]
    own = {folded(part).strip(".") for part in (*name.given, *name.surname.split())}
    previous = _PREVIOUS.search(view.cased[max(0, start - 40) : start])
    titled = previous is not None and previous.group(1).lower() in TITLES
    if _cited(view, end) or _thing(view, end) or _number_follows(view, end):
        return False
    if previous and not titled and previous.group(1).lower() in (BEFORE_A_PLACE | ARTICLES):
        return False
    if (
        re.match(r"(?:@|\.(?:com|org|net|de|co)\b)", view.text[end : end + 5])
        or view.text[max(0, start - 1) : start] == "@"
    ):
        return _whole_near(start, end, name, view)
    if not shown[0].isupper():
        no_case = not any(char.isupper() for char in view.cased)
        in_field = view.text[max(0, start - 1) : start] in ('"', "'", "=", "_", ".") and not _common(word)
        if not (titled or in_field or (no_case and not _common(word))):
            return False
        if _common(word) and not titled:
            return False
    if _common(word) and not (titled or _possessive(view, start, end)):
        return False
    if (
        previous
        and not titled
        and _other(previous.group(1), previous.group(2), start - len(previous.group()), own, view)
    ):
        return not surname and previous.group(1).lower() in FUNCTION_WORDS
    if surname:
        return not _other_initial_after(end, name, view)
    return not _other_surname_after(end, own, name, view)


def _whole_near(start: int, end: int, name: Name, view: View) -> bool:
    """In an address of mail or web, a part alone says little; the other half must stand beside it."""
    near = view.text[max(0, start - 30) : end + 30]
    return re.search(joined(name.core), near) is not None and re.search(joined(name.given[0]), near) is not None


def _number_follows(view: View, end: int) -> bool:
    """A measure or a date follows: "May 12", "Mark 2"."""
    return re.match(r" \d", view.text[end : end + 2]) is not None


def _possessive(view: View, start: int, end: int) -> bool:
    after = view.text[end : end + 2]
    begins = _SENTENCE.search(view.cased[:start]) is not None
    return (after.startswith("'s") or after == "' ") and (not begins or view.cased[start].isupper())


def _other(word: str, dot: str, at: int, own: set[str], view: View) -> bool:
    """The word before is another person's given name or initial."""
    low = word.lower()
    if not word[0].isupper() or low in own or low in FUNCTION_WORDS:
        return False
    if len(word) == 1:
        return low not in {part[0] for part in own} and bool(dot or low not in ("a", "i"))
    if dot:
        return False
    begins = _SENTENCE.search(view.cased[: max(0, at)]) is not None
    capitals = view.cased[max(0, at - 20) : at + 40].isupper()
    return low in GIVEN_NAMES or not (begins or capitals)


def _other_initial_after(end: int, name: Name, view: View) -> bool:
    """Another initial or given name follows: "Surname, K."."""
    found = re.match(r",\s([A-Z])\.|\s([A-Z])\b(?!')|,\s([A-Z][a-z]+)\b", view.cased[end : end + 24])
    if found is None:
        return False
    full = found.group(3)
    if full:
        return full.lower() in GIVEN_NAMES and full.lower() not in {folded(part) for part in name.given}
    letter = (found.group(1) or found.group(2)).lower()
    return letter not in name.initials and letter not in ("a", "i")


def _other_surname_after(end: int, own: set[str], name: Name, view: View) -> bool:
    """Another surname, or its initial, follows the given name."""
    found = re.match(r"\s([A-Z][A-Za-z'\-]*)(\.?)", view.cased[end : end + 30])
    if found is None:
        return False
    word = found.group(1).lower().removesuffix("'s")
    if word in own or any(re.fullmatch(joined(part), word) for part in (*name.given, name.core) if part):
        return False
    if len(word) == 1:
        return word not in name.initials and word != "i"
    return word not in FUNCTION_WORDS and word not in TITLES


def _initials(name: Name, view: View) -> Iterator[Hit]:
    short = name.initials[0] + name.initials[-1]
    for letters in dict.fromkeys((name.initials, short)):
        if len(letters) < 2:
            continue
        stops = r"\.[ \u00a0]?".join(letters.upper()) + r"\."
        for found in re.finditer(rf"(?<![A-Za-z.]){stops}(?![A-Za-z])", view.cased):
            surname_follows = re.match(r"\s?[A-Z][a-z]", view.cased[found.end() : found.end() + 3]) is not None
            begins = surname_follows and not re.match(
                rf"\s?(?:{'|'.join(sorted(FUNCTION_WORDS))})\b", view.text[found.end() : found.end() + 20]
            )
            if letters not in ABBREVIATIONS and not begins and not _cited(view, found.end()):
                yield Hit(*view.place(*found.span()), Strength.PARTIAL, "initials")
        named = r"[.\s\-]{0,2}".join(letters)
        pattern = rf"(?:initials?|initialen|initiales)\b[^.\n]{{0,30}}?(?<![a-z])({named})(?![a-z])\.?"
        before = rf"(?<![a-z])({named})(?![a-z])\.?\W{{0,3}}(?:\(?(?:the |her |his |their )?(?:patient's )?initials)"
        for found in (*re.finditer(pattern, view.text), *re.finditer(before, view.text)):
            if view.cased[slice(*found.span(1))].isupper() or re.search(r"[.\s\-]", found.group(1)):
                yield Hit(*view.place(*found.span(1)), Strength.PARTIAL, "initials")
