"""Dates in a text, in digits or words, and the same dates moved or shortened to their year.

Weekdays and years alone are left: the list of 45 CFR 164.514(b)(2)(i)(C) asks for all parts of a date but the year.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

from equipoise.boards.curation.identifiers.model import IdentifierKind, Span
from equipoise.redteam.privacy.calendar_words import MONTHS, english, year_pattern

DateMode = Literal["shift", "year"]
"""Move dates by one number of days, or keep their year alone."""

_ORDINALS: tuple[str, ...] = tuple(
    word.replace("~", r"[\s-]?")
    for word in (
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth "
        "seventeenth eighteenth nineteenth twentieth twenty~first twenty~second twenty~third twenty~fourth "
        "twenty~fifth twenty~sixth "
        "twenty~seventh twenty~eighth twenty~ninth thirtieth thirty~first"
    ).split()
)
"""Patterns of the days of a month in words."""
_AMBIGUOUS_MONTHS = frozenset(
    {"may", "march", "mar", "mai", "mars", "jan", "jun", "dec", "sep", "oct", "nov", "feb", "apr", "aug", "jul"}
)
"""Words that are months only with a capital or beside a number."""
_WHOLE_MONTHS = (
    "january",
    "february",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
"""Months whose whole name is one wherever it stands."""
_HOLIDAY = (
    r"christmas(?: (?:eve|day))?|thanksgiving(?: day)?|easter(?: (?:sunday|monday))?|good friday|new year'?s?(?: (?:eve|day))?|"
    r"(?:labor|labour|memorial|independence|presidents'?|veterans'?|columbus|mother's|father's|mothers|fathers|valentine'?s?|st\.? patrick'?s?|"
    r"boxing|groundhog|martin luther king|mlk|election|canada|victoria|bastille|australia|anzac|remembrance) day|"
    r"halloween|ramadan|eid(?: al[- ]\w+)?|diwali|passover|rosh hashanah|yom kippur|hanukkah|chanukah|kwanzaa|juneteenth|mardi gras|"
    r"(?:lunar|chinese) new year|ash wednesday|palm sunday|pentecost|whitsun|all saints'?(?: day)?|holi|purim|super bowl sunday"
)
_HOLIDAYS = re.compile(
    rf"\b(?:on|since|by|before|after|around|at|over|until|till|during|this|last|next|day after|from|for|to|past|of|the|was|is|and) ({_HOLIDAY})(?!\w)|"
    rf"\b((?-i:Christmas|Thanksgiving|Easter|Halloween|Ramadan|Diwali|Passover|Hanukkah)(?: (?:Eve|Day|Sunday|Monday))?)(?!\w| (?:Seal|Island))",
    re.IGNORECASE,
)
_DIGITS_ALOUD = r"(?:zero|oh|o|one|two|three|four|five|six|seven|eight|nine)"
_NUMBER_ALOUD = (
    rf"(?:(?:{_DIGITS_ALOUD}[\s-])?{_DIGITS_ALOUD}|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|"
    rf"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[\s-]{_DIGITS_ALOUD})?|\d{{1,4}})"
)
_ALOUD = re.compile(
    rf"\b(?:dob|d o b|d\.o\.b\.|date of birth|birth ?date|birthday|born(?: on)?|dated?|as of|seen on|scanned on|admitted on|done on)(?: is| was|:)?\s"
    rf"({_NUMBER_ALOUD}(?:[\s,]+(?:slash |dash |of )?{_NUMBER_ALOUD}){{1,3}})(?!\w)(?! (?:%|percent|mg|cm|mm|millimet|centimet|years? old|cycles?|nodes|"
    rf"fractions|weeks|months|days|grams))|"
    rf"\b((?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) slash (?:ten|eleven|twelve|\w+teen|(?:twenty|thirty)(?:[\s-]\w+)?)(?! slash))(?!\w)|"
    rf"\b(?:from|on|of|since) ((?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?:ten|eleven|twelve|\w+teen|twenty(?:[\s-]{_DIGITS_ALOUD})?|"
    rf"thirty(?:[\s-]one)?) (?:twenty(?: twenty)?[\s-]{_DIGITS_ALOUD}|oh {_DIGITS_ALOUD}|\w+teen))(?!\w)|"
    rf"\b({_NUMBER_ALOUD} slash {_NUMBER_ALOUD}(?: slash (?:{_NUMBER_ALOUD}[\s-]?){{1,2}}))(?!\w)",
    re.IGNORECASE,
)
_DAY_ALONE = re.compile(
    r"\b(?:(?:on|by|until|since|for)(?: \w+day,?)?|(?:mon|tues|wednes|thurs|fri|satur|sun)day,?|(?:week|night|morning|day|evening|weekend) of|between|and) the ((?:\d{1,2}(?:st|nd|rd|th))|(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|"
    r"\w+teenth|twentieth|thirtieth|(?:twenty|thirty)[\s-](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)))"
    r"(?=[.;?!]|,? (?:of (?:the|this|last|next) month|and|at|she|he|we|they|with|for|it|then|but|by|came|because|after|before)\b|$)",
    re.IGNORECASE,
)
_OUT = re.compile(
    r"\b(?:opened|published|approved|approval|approvals|closed|activated|launched|released|updated|came out|reported|presented at|appeared|accepted|"
    r"journal|lancet|nejm|jco|jama|annals|abstract|issue|edition|version|guidelines?|granted|licensed)\b",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(?:[A-Z][A-Z-]{2,}[- ]?\d[\d-]*|FDA|EMA|NCCN|ASCO|ESMO|ASTRO|ASH|SABCS|AACR|NCT\d+|et al|journal|lancet|nejm|jco|jama|annals|"
    r"(?i:trial|study|paper|guidelines?|label|edition|phase|version|abstract|article|review|data|results|indication|drug|consensus))\b"
)
YEAR_OF_RULES = 2026
"""The year in which an age is counted where neither caller nor texts name one."""
_NO_YEAR = 2001
"""The year a date without one is moved in."""
_OLD = re.compile(
    r"\b(?:born|birth|dob|d\.o\.b\.|b\.)\W{0,3}(?:in |on |year |date |of |is |was |: ?)*((?:18|19|20)\d\d)(?!\d|"
    r"[-/.]\d)",
    re.IGNORECASE,
)


_OLD_ALOUD = re.compile(
    r"\b(?:born|birth|dob)\W{0,3}(?:in |on |year |date |of |is |was )*"
    r"(nineteen[\s-](?:oh?[\s-](?:one|two|three|four|five|six|seven|eight|nine)|ten|eleven|twelve|\w+teen|(?:twenty|thirty)(?:[\s-](?:one|two|three|four|"
    r"five|six|seven|eight|nine))?))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """A date in a text: where its parts stand, and their values.

    Attributes:
        start: first character.
        end: one past the last.
        day: value and place; None when the date has none.
        month: value and place.
        year: value and place; None when the date has none.
        ambiguous: whether day and month could change places.
    """

    start: int
    end: int
    day: tuple[int, int, int] | None
    month: tuple[int, int, int]
    year: tuple[int, int, int] | None
    ambiguous: bool = False


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    names = sorted({name for group in MONTHS for name in group}, key=len, reverse=True)
    month = rf"(?P<m>(?<![a-z])(?:{'|'.join(names)})(?![a-z])\.?)"
    words = "|".join(reversed(_ORDINALS))
    months = "|".join(reversed(_ORDINALS[:12]))
    ones = "|".join(english(number) for number in range(31, 0, -1))
    day = rf"(?P<d>(?<!\d)(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|\.)?(?!\d)|\b(?:{words})\b)"
    cardinal = rf"(?P<d>(?<!\d)(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?(?!\d)|\b(?:{words}|{ones})\b)"
    whole = rf"(?P<m>(?<![\w-])(?:{'|'.join(_WHOLE_MONTHS)})(?![\w-]))"
    spoken = "|".join(_year_words())
    year = rf"(?P<y>(?<!\d)(?:19|20)\d\d(?!\d)|'\d\d(?!\d)|\b(?:{spoken})\b)"
    gap = r"[\s,.\-]{0,2}"
    return tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            r"(?<![\d/.-])(?P<y>(?:19|20)\d\d)[-/.](?P<m>0?[1-9]|1[0-2])[-/.](?P<d>3[01]|[12]\d|0?[1-9])(?!\d|"
            r"[/.-]\d)",
            r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?!\d)",
            r"(?<![\d/.-])(?P<a>\d{1,2})(?:(?P<s>[-/.])(?P<b>\d{1,2})(?P=s)(?P<y>(?:19|20)\d\d|\d\d)(?!\d|[/.-]\d))",
            r"(?<![\d/.,-])(?<!\d )(?P<a>0?[1-9]|[12]\d|3[01]) (?P<b>0?[1-9]|[12]\d|3[01]) (?P<y>(?:19|20)\d\d)(?![\w.])",
            rf"{month}{gap}(?:the\s)?{cardinal}{gap}(?:of\s|in\s)?{year}",
            rf"{day}{gap}(?:day\s)?(?:of\s)?{month}{gap}(?:of\s|in\s)?{year}",
            rf"(?<=the )(?P<d>{words}) of the (?P<m>{months})(?: (?:month )?(?:of |in )?{year})?(?!\s(?:\w+ )?(?:cycles?|lines?|doses?|month))",
            rf"{month}{gap}(?:of\s|in\s)?{year}",
            r"(?<![\w/])(?P<m>0?[1-9]|1[0-2])[/.-](?P<y>(?:19|20)\d\d)(?![\d/])",
            r"(?<![\w/])(?P<y>(?:19|20)\d\d)[/-](?P<m>0[1-9]|1[0-2])(?![\d/-])",
            rf"{month}{gap}(?:the\s)?{cardinal}(?!\s*(?:%|mg|cm|mm|gy|years?|months?|weeks?|days?|patients?)\b)",
            rf"(?:the\s)?{day}{gap}(?:day\s)?(?:of\s)?{month}",
            r"\b(?:on|dated|until|by|from|since|between|scanned|seen|done|performed|admitted|operated|dob|"
            r"date:?) (?P<a>\d{1,2})(?P<s>/)(?P<b>\d{1,2})(?![\d/]| (?:nodes|lymph|cores|ln|of))",
            rf"{whole}",
            r"\b(?:ct|mri|pet|scan|biopsy|surgery|visit|labs|clinic|dos|mon|tues?|wed|thurs?|fri|sat|sun|\w+day|between \d{1,2}/\d{1,2} (?:and|to)) "
            r"(?P<a>0?[1-9]|1[0-2])(?P<s>/)(?P<b>[12]\d|3[01])(?![\d/]| ?(?:%|nodes?|lymph|cores|ln|of|positive|points?|fractions?|cycles?|sections|levels|blocks|"
            r"cells|slides|lesions|patients|were|are|involved))",
            rf"\b(?:in|since|until|by|from|last|this|next|early|late|mid|of|during|before|after|through|to|mid-|"
            rf"end of)[\s-]{month}",
        )
    )


def _year_words() -> list[str]:
    return [re.sub(r"^\(\?:|\)$", "", _spoken(year)) for year in range(2040, 1899, -1)]


def _spoken(year: int) -> str:
    """The English words of a year, from the words of `year_pattern`."""
    century, rest = divmod(year, 100)
    first = rf"{english(century)}[\s-]?(?:oh?[\s-])?{english(rest)}"
    return rf"{first}|two[\s-]thousand(?:[\s-]and)?[\s-]{english(rest)}" if century == 20 else first


def find_dates(text: str, *, day_first: bool) -> Iterator[Found]:
    """Dates of a text, longer forms first; none overlaps another.

    Args:
        text: any text.
        day_first: how 04/05/2021 is read when both are possible.
    """
    taken: list[tuple[int, int]] = []
    for pattern in _patterns():
        for match in pattern.finditer(text):
            if any(match.start() < last and first < match.end() for first, last in taken):
                continue
            found = _found(match, day_first)
            if found is not None:
                taken.append(match.span())
                if not _published(text, found):
                    yield found


def loose_dates(text: str) -> Iterator[Span]:
    """Holidays, dates read aloud as numbers, and a day without its month: replaced by a tag, for nothing says by how much to move them."""
    for pattern in (_HOLIDAYS, _ALOUD, _DAY_ALONE):
        for match in pattern.finditer(text):
            group = match.lastindex or 1
            yield Span(*match.span(group), IdentifierKind.DATE, match[group].casefold(), "loose-date", "[date]")


def _found(match: re.Match[str], day_first: bool) -> Found | None:
    groups = match.groupdict()
    year = _part(match, "y", _year) if groups.get("y") else None
    day: tuple[int, int, int] | None = None
    if groups.get("a"):
        first, second = int(match["a"]), int(match["b"])
        ambiguous = first <= 12 and second <= 12 and first != second
        day_is_first = day_first if first <= 12 and second <= 12 else first > 12
        if max(first, second) > 31 or min(first, second) > 12 or 0 in (first, second):
            return None
        places = [(first, *match.span("a")), (second, *match.span("b"))]
        day, month = places if day_is_first else (places[1], places[0])
    else:
        ambiguous = False
        value = _month(match["m"])
        if value is None or not _month_meant(match, groups):
            return None
        month = (value, *match.span("m"))
        if groups.get("d"):
            day = _part(match, "d", _day)
    if day is not None and day[0] > calendar.monthrange(year[0] if year else 2000, month[0])[1]:
        return None
    start = min(place[1] for place in (day, month, year) if place)
    end = max(place[2] for place in (day, month, year) if place)
    return Found(start, end, day, month, year, ambiguous)


def _published(text: str, found: Found) -> bool:
    """Month and year in which a trial opened, a drug was approved or a paper came out: no date of a person."""
    if found.year is None:
        return False
    before = re.split(r"[.!?;\n]", text[max(0, found.start - 80) : found.start])[-1]
    return _OUT.search(before) is not None and _WORK.search(before) is not None


def _month_meant(match: re.Match[str], groups: dict[str, str | None]) -> bool:
    """Whether a word that is no month alone is one here: with a capital, or beside a year, or beside a day with an ending."""
    word = match["m"].rstrip(".")
    if word.isdigit() or word.casefold() not in _AMBIGUOUS_MONTHS or groups.get("y"):
        return True
    if groups.get("d"):
        return word[0].isupper() or re.search(r"[a-z]", match["d"] or "", re.IGNORECASE) is not None
    return word[0].isupper() and len(word) > 2


def _part(match: re.Match[str], name: str, read: Callable[[str], int]) -> tuple[int, int, int]:
    return (read(match[name]), *match.span(name))


def _month(text: str) -> int | None:
    word = text.rstrip(".").casefold()
    if word.isdigit():
        return int(word)
    if word in _ORDINALS:
        return _ORDINALS.index(word) + 1
    return next((place for place, group in enumerate(MONTHS, start=1) if word in group), None)


def _day(text: str) -> int:
    digits = re.match(r"\d+", text)
    if digits:
        return int(digits.group())
    for place, word in enumerate(_ORDINALS, start=1):
        if re.fullmatch(word, text.casefold()):
            return place
    return next(number for number in range(1, 32) if re.fullmatch(english(number), text.casefold()))


def _year(text: str) -> int:
    if text.isdigit() and len(text) == 4:
        return int(text)
    if text.lstrip("'").isdigit():
        short = int(text.lstrip("'"))
        return 2000 + short if short <= 40 else 1900 + short
    plain = text.casefold()
    return next((year for year in range(1900, 2041) if re.fullmatch(_spoken(year), plain)), 0) or next(
        (year for year in range(1900, 2041) if re.fullmatch(year_pattern(year), plain)), 1900
    )


def day_comes_first(texts: Sequence[str]) -> bool | None:
    """Whether dates such as 23/04/2021 put the day first, from those that can only be read one way; None when none tells."""
    votes = []
    for text in texts:
        for match in re.finditer(r"(?<![\d/.-])(\d{1,2})([-/.])(\d{1,2})\2(?:(?:19|20)\d\d|\d\d)(?!\d)", text):
            first, second = int(match[1]), int(match[3])
            if 12 < first <= 31 and second <= 12:
                votes.append(True)
            elif 12 < second <= 31 and first <= 12:
                votes.append(False)
    return None if not votes else votes.count(True) > len(votes) / 2


def moved(text: str, found: Found, *, days: int, mode: DateMode) -> str:
    """What replaces a date: the same form moved by some days, or the year alone.

    A date without a day counts as the middle of its month; one without a year is moved inside no particular year. A year in
    words comes back in digits.
    """
    if mode == "year":
        stop = "." if text[found.end - 1] == "." else ""
        return (str(found.year[0]) if found.year else "[date]") + stop
    year = found.year[0] if found.year else _NO_YEAR
    new = date(year, found.month[0], found.day[0] if found.day else 15) + timedelta(days=days)
    pieces = [(found.month[1], found.month[2], _like_month(text[found.month[1] : found.month[2]], new.month))]
    if found.day:
        pieces.append((found.day[1], found.day[2], _like_day(text[found.day[1] : found.day[2]], new.day)))
    if found.year:
        pieces.append((found.year[1], found.year[2], _like_year(text[found.year[1] : found.year[2]], new.year)))
    result, place = "", found.start
    for start, end, piece in sorted(pieces):
        result += text[place:start] + piece
        place = end
    return result + text[place : found.end]


def _like_month(old: str, month: int) -> str:
    if old.casefold() in _ORDINALS:
        return _like_day(old, month)
    if old.isdigit():
        return f"{month:02d}" if len(old) == 2 else str(month)
    name = (
        calendar.month_name[month]
        if len(old.rstrip(".")) > 4 or old.casefold() in ("may", "june", "july")
        else calendar.month_abbr[month]
    )
    if old.islower():
        name = name.lower()
    return name + ("." if old.endswith(".") else "")


def _like_day(old: str, day: int) -> str:
    digits = re.match(r"\d+", old)
    ending = "th" if 10 < day % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    if digits is None:
        return f"{day}{ending}"
    rest = old[digits.end() :]
    number = f"{day:02d}" if len(digits.group()) == 2 and digits.group()[0] == "0" else str(day)
    return number + (ending if rest[:1].isalpha() else rest)


def _like_year(old: str, year: int) -> str:
    if old.isdigit() and len(old) == 2:
        return f"{year % 100:02d}"
    return f"'{year % 100:02d}" if old.startswith("'") else str(year)


def old_birth_years(text: str, *, recorded: int) -> Iterator[Span]:
    """Years of birth that tell of an age over 89.

    Args:
        text: any text.
        recorded: the year the age is counted in.
    """
    recorded = recorded or YEAR_OF_RULES
    for match in _OLD_ALOUD.finditer(text):
        if recorded - _year(match[1]) > 89:
            yield Span(*match.span(1), IdentifierKind.AGE, "90+", "birth-year", "[year, age over 89]")
    for match in _OLD.finditer(text):
        if recorded - int(match[1]) > 89:
            yield Span(*match.span(1), IdentifierKind.AGE, "90+", "birth-year", "[year, age over 89]")
