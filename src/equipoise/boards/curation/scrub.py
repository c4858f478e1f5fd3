"""Identifiers replaced by surrogates, the same everywhere in a recording.

A person keeps one invented name in every form (whole, surname, possessive, small letters); clinicians and patients get names of different
endings. Dates move by one number of days or shrink to their year; ages over 89 become 90+; numbers, addresses and places become
numbered tags. Kinds after 45 CFR 164.514(b)(2)(i). Names in medicine (Hodgkin, Whipple), drugs, genes, trial and paper numbers stay. **The
rules do not find everything**; the report says what looks like an identifier and was left.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.boards.curation.identifiers import codes, dates, names, places
from equipoise.boards.curation.identifiers.left_over import find_left_over
from equipoise.boards.curation.identifiers.misspelled import find_misspelled
from equipoise.boards.curation.identifiers.model import (
    NOT_EVERYTHING,
    SAFE_HARBOR,
    IdentifierKind,
    LeftOver,
    Replacement,
    ScrubReport,
    ScrubResult,
    Span,
    Surrogate,
)
from equipoise.boards.curation.identifiers.sightings import Sighting, find_sightings
from equipoise.boards.curation.identifiers.surrogates import Surrogates
from equipoise.errors import InputError, UsageError

__all__ = [
    "NOT_EVERYTHING",
    "SAFE_HARBOR",
    "IdentifierKind",
    "Known",
    "LeftOver",
    "Replacement",
    "ScrubReport",
    "ScrubResult",
    "Surrogate",
    "scrub",
    "write_key",
]

VERSION = "scrub-2"
FARTHEST_SHIFT = 364
"""Dates move by 1 to this many days, back or forth."""
_PERSONS = (IdentifierKind.PATIENT, IdentifierKind.CLINICIAN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a recording beforehand. What is given is found without a cue.

    Attributes:
        patients: names of patients and relatives, as "Given Surname" or "Surname, Given".
        clinicians: names of those who speak or are spoken of.
        towns: towns and villages.
        hospitals: hospitals, with their short names.
        identifiers: any other text to be replaced.
    """

    patients: tuple[str, ...] = ()
    clinicians: tuple[str, ...] = ()
    towns: tuple[str, ...] = ()
    hospitals: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in ("patients", "clinicians", "towns", "hospitals", "identifiers"):
            if any(not item.strip() for item in getattr(self, field)):
                message = "expected names, found an empty one"
                raise InputError(message, field=field)


def scrub(
    texts: Mapping[str, str],
    *,
    seed: int,
    known: Known | None = None,
    known_names: Iterable[str] = (),
    mode: dates.DateMode = "shift",
    day_first: bool | None = None,
    recorded: int | None = None,
) -> ScrubResult:
    """Replaces the identifiers of all texts of one recording.

    Args:
        texts: by id; all that belongs to the recording must come together, or its surrogates will not agree.
        seed: of the invented names and the shift of dates. It opens the shift to whoever has it: keep it with the key, one a recording.
        known: what is known beforehand.
        known_names: further names of patients and relatives.
        mode: "shift" moves all dates by one number of days, so that intervals are kept; "year" keeps the year alone.
        day_first: how 04/05/2021 is read; None takes it from the other dates, or month first when none tells.
        recorded: year of the recording, for ages told by a year of birth; None takes the latest year of a date in the texts.

    Raises:
        InputError: an empty known name, or an unknown mode.
    """
    if mode not in ("shift", "year"):
        message = f"expected shift or year, found {mode!r}"
        raise InputError(message, field="mode")
    known = known or Known()
    known = Known(
        patients=(*known.patients, *known_names),
        clinicians=known.clinicians,
        towns=known.towns,
        hospitals=known.hospitals,
        identifiers=known.identifiers,
    )
    rng = random.Random(seed)
    shift = rng.choice([*range(-FARTHEST_SHIFT, 0), *range(1, FARTHEST_SHIFT + 1)]) if mode == "shift" else 0
    told = dates.day_comes_first(list(texts.values()))
    order = day_first if day_first is not None else bool(told)
    certain = day_first is not None or told is not None
    pool = Surrogates(rng, list(texts.values()))
    seen = {name: _seen(text) for name, text in texts.items()}
    persons = _persons(texts, known, seen)
    pool.register(persons)
    spans: dict[str, list[Span]] = {}
    ambiguous = 0
    latest = recorded or _latest_year(texts, order)
    for name, text in texts.items():
        found, unsure = _dates(text, order, shift, mode)
        ambiguous += 0 if certain else unsure
        spans[name] = [*_first(text, known), *found, *_last(text, latest)]
    for name, more in _again(texts, spans).items():
        spans[name].extend(more)
    for name, text in texts.items():
        spans[name].extend(_named(persons, text, pool))
        spans[name].extend(_alone(seen[name], text, spans[name], pool))
    for name, start, end, who, word in find_misspelled(persons, texts):
        new = pool.misspelled(who, word, texts[name][start:end])
        spans[name].append(Span(start, end, who.kind, who.full.casefold(), "misspelled", new))
    return _result(texts, spans, pool, mode, shift, ambiguous)


def _seen(text: str) -> list[Sighting]:
    """Where a cue, or all that stands around a word, names a person."""
    found = [Sighting(start, end, who) for start, end, who in names.find_named(text)]
    return [*found, *find_sightings(text)]


def _persons(texts: Mapping[str, str], known: Known, seen: Mapping[str, Sequence[Sighting]]) -> list[names.Person]:
    given = [names.person(item, IdentifierKind.PATIENT, "given") for item in known.patients]
    given += [names.person(item, IdentifierKind.CLINICIAN, "given") for item in known.clinicians]
    found = [item for item in given if item is not None]
    found += [item.who for sightings in seen.values() for item in sightings]
    return names.merge(names.with_given(found, texts.values()))


def _latest_year(texts: Mapping[str, str], order: bool) -> int:
    """The latest year of a date; 0 without one, so that no year of birth is old."""
    years = [
        found.year[0] for text in texts.values() for found in dates.find_dates(text, day_first=order) if found.year
    ]
    alone = [
        int(year)
        for text in texts.values()
        for year in re.findall(r"(?<!born )\b(?:in|since|of) ((?:19|20)\d\d)\b", text)
    ]
    return max([*years, *alone], default=0)


def _first(text: str, known: Known) -> list[Span]:
    """Given identifiers, numbers, addresses and places, the surest first."""
    found = [
        Span(match.start(), match.end(), IdentifierKind.OTHER, item.casefold(), "given")
        for item in known.identifiers
        for match in re.finditer(rf"(?<!\w){re.escape(item)}(?!\w)", text, re.IGNORECASE)
    ]
    found += places.given_places(text, known.hospitals, IdentifierKind.HOSPITAL)
    found += places.given_places(text, known.towns, IdentifierKind.TOWN)
    coded = list(codes.find_codes(text))
    addresses = [span for span in coded if span.kind is IdentifierKind.ADDRESS]
    return [
        *found,
        *coded,
        *places.find_hospitals(text),
        *places.find_employers(text),
        *places.find_towns(text, addresses),
    ]


def _last(text: str, latest: int) -> list[Span]:
    initials = [
        Span(*match.span(1), IdentifierKind.PATIENT, match[1].replace(" ", "").casefold(), "initials", "[initials]")
        for match in names.INITIALS.finditer(text)
    ]
    return [*dates.old_birth_years(text, recorded=latest), *dates.loose_dates(text), *initials]


def _dates(text: str, order: bool, shift: int, mode: dates.DateMode) -> tuple[list[Span], int]:
    found = list(dates.find_dates(text, day_first=order))
    spans = [
        Span(
            item.start,
            item.end,
            IdentifierKind.DATE,
            text[item.start : item.end].casefold(),
            "date",
            dates.moved(text, item, days=shift, mode=mode),
        )
        for item in found
    ]
    return spans, sum(item.ambiguous for item in found)


_REPEATED = frozenset(
    {
        IdentifierKind.EMAIL,
        IdentifierKind.PHONE,
        IdentifierKind.NUMBER,
        IdentifierKind.SOCIAL_SECURITY,
        IdentifierKind.TOWN,
        IdentifierKind.HOSPITAL,
        IdentifierKind.EMPLOYER,
    }
)


def _again(texts: Mapping[str, str], spans: Mapping[str, Sequence[Span]]) -> dict[str, list[Span]]:
    """The values found by a cue, wherever else they stand."""
    values: dict[str, Span] = {}
    for name, found in spans.items():
        for span in found:
            value = texts[name][span.start : span.end]
            if span.kind in _REPEATED and len(value) >= 4:
                values.setdefault(value, span)
    if not values:
        return {}
    either = "|".join(re.escape(value) for value in sorted(values, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])(?:{either})(?![\w-])")
    return {
        name: [
            Span(*match.span(), values[match.group()].kind, values[match.group()].key, "again")
            for match in pattern.finditer(text)
        ]
        for name, text in texts.items()
    }


def _named(persons: Sequence[names.Person], text: str, pool: Surrogates) -> list[Span]:
    """Where persons are named; a surname that a patient and a clinician share goes by the title before it."""
    kinds: dict[str, set[IdentifierKind]] = {}
    for who in persons:
        kinds.setdefault(who.surname.casefold(), set()).add(who.kind)
    found = []
    for who in persons:
        shared = bool(who.surname) and len(kinds[who.surname.casefold()]) > 1
        for place in names.occurrences(who, text):
            if shared and names.title_before(text, place.start) not in (None, who.kind):
                continue
            new = pool.name(who, text, place.start, place.end)
            found.append(Span(place.start, place.end, who.kind, who.full.casefold(), who.rule, new))
    return found


def _alone(seen: Sequence[Sighting], text: str, spans: Sequence[Span], pool: Surrogates) -> Iterator[Span]:
    """Where a person was seen under a name that is an ordinary word, which is not looked for elsewhere."""
    for item in seen:
        if not any(item.start < span.end and span.start < item.end for span in spans):
            who = item.who
            new = pool.name(who, text, item.start, item.end)
            yield Span(item.start, item.end, who.kind, who.full.casefold(), who.rule, new)


def _kept(spans: Sequence[Span]) -> list[Span]:
    """Spans without overlap: the earlier in the list goes first among other kinds, the longer among names."""
    order = sorted(
        enumerate(spans),
        key=lambda item: (
            item[1].kind in _PERSONS,
            item[1].start - item[1].end if item[1].kind in _PERSONS else item[0],
        ),
    )
    kept: list[Span] = []
    for _, span in order:
        if not any(span.start < other.end and other.start < span.end for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda span: span.start)


def _result(
    texts: Mapping[str, str],
    spans: Mapping[str, Sequence[Span]],
    pool: Surrogates,
    mode: dates.DateMode,
    shift: int,
    ambiguous: int,
) -> ScrubResult:
    new: dict[str, str] = {}
    replaced: list[Replacement] = []
    key: dict[tuple[IdentifierKind, str, str], None] = {}
    persons: dict[IdentifierKind, Counter[str]] = {kind: Counter() for kind in _PERSONS}
    for name, text in texts.items():
        out, place = "", 0
        for span in _kept(spans[name]):
            surrogate = span.new or pool.tag(span.kind, span.key)
            out += text[place : span.start]
            replaced.append(
                Replacement(text=name, start=len(out), end=len(out) + len(surrogate), kind=span.kind, rule=span.rule)
            )
            out += surrogate
            place = span.end
            key.setdefault((span.kind, text[span.start : span.end], surrogate))
            if span.kind in persons:
                persons[span.kind][surrogate] += 1
        new[name] = out + text[place:]
    counts = Counter(item.kind for item in replaced)
    report = ScrubReport(
        texts=len(texts),
        counts={kind.value: counts[kind] for kind in IdentifierKind},
        persons={kind.value: dict(sorted(found.items())) for kind, found in persons.items()},
        replaced=tuple(replaced),
        left=tuple(find_left_over(new, replaced)),
        dates=mode,
        ambiguous_dates=ambiguous,
        notes=_notes(mode, ambiguous),
        version=VERSION,
    )
    surrogates = tuple(Surrogate(kind=kind, original=old, surrogate=made) for kind, old, made in key)
    return ScrubResult(texts=new, surrogates=surrogates, report=report, shift_days=shift)


def _notes(mode: dates.DateMode, ambiguous: int) -> tuple[str, ...]:
    notes = []
    if mode == "shift":
        notes.append(
            "Dates were moved, not removed: 45 CFR 164.514(b)(2)(i)(C) asks for the year alone; use the mode year for that."
        )
    if ambiguous:
        notes.append(
            f"{ambiguous} dates could be read with day or month first; month first was taken. Say which with day_first."
        )
    return tuple(notes)


def write_key(path: str | Path, result: ScrubResult, *, seed: int) -> None:
    """Writes the key to the surrogates, readable by its owner alone (mode 0600), in place of an older one.

    Args:
        path: the file; keep it apart from the texts.
        result: of `scrub`.
        seed: that was used.

    Raises:
        UsageError: it cannot be written.
    """
    path = Path(path)
    rows = [
        {"kind": item.kind.value, "original": item.original, "surrogate": item.surrogate} for item in result.surrogates
    ]
    value = {
        "seed": seed,
        "shift_days": result.shift_days,
        "texts_hash": result.hash,
        "version": VERSION,
        "surrogates": rows,
    }
    scratch = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.unlink(missing_ok=True)
        with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as handle:
            handle.write(json.dumps(value, ensure_ascii=False, indent=1) + "\n")
        scratch.replace(path)
    except OSError as error:
        message = f"the key cannot be written: {error.strerror}"
        raise UsageError(message, file=str(path)) from None
