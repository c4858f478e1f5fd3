"""Days, months and years in English, German and French words, without diacritics, as patterns of a folded text."""

from __future__ import annotations

import re

MONTHS: tuple[tuple[str, ...], ...] = (
    ("january", "jan", "januar", "janner", "jaenner", "janvier", "janv"),
    ("february", "feb", "febr", "februar", "fevrier", "fevr", "fev"),
    ("march", "mar", "marz", "maerz", "mars"),
    ("april", "apr", "avril", "avr"),
    ("may", "mai"),
    ("june", "jun", "juni", "juin"),
    ("july", "jul", "juli", "juillet", "juil"),
    ("august", "aug", "aout"),
    ("september", "sept", "sep", "septembre"),
    ("october", "oct", "oktober", "okt", "octobre"),
    ("november", "nov", "novembre"),
    ("december", "dec", "dezember", "dez", "decembre"),
)
"""Names of the twelve months."""

_EN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
).split()
_EN_TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()
_EN_ORDINAL = (
    "_ first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_DE = (
    "null ein zwei drei vier (?:funf|fuenf) sechs sieben acht neun zehn elf (?:zwolf|zwoelf) dreizehn vierzehn "
    "(?:funfzehn|fuenfzehn) sechzehn siebzehn achtzehn neunzehn"
).split()
_DE_TENS = "_ _ zwanzig (?:dreissig|dreisig) vierzig (?:funfzig|fuenfzig) sechzig siebzig achtzig neunzig".split()
_FR = (
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf"
).split()
_FR_TENS = "_ _ vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt".split()


_OTHER_DIGITS: tuple[str, ...] = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve",
    "zero uno due tre quattro cinque sei sette otto nove",
    "zero um dois tres quatro cinco seis sete oito nove",
    "nul een twee drie vier vijf zes zeven acht negen",
    "sifir bir iki uc dort bes alti yedi sekiz dokuz",
    "zero jeden dwa trzy cztery piec szesc siedem osiem dziewiec",
    "noll ett tva tre fyra fem sex sju atta nio",
    "nul en to tre fire fem seks syv otte ni",
)
"""Digits in Spanish, Italian, Portuguese, Dutch, Turkish, Polish, Swedish and Danish."""


def english(number: int) -> str:
    """A cardinal from 0 to 99."""
    if number < 20:
        return _EN[number]
    tens, ones = divmod(number, 10)
    return _EN_TENS[tens] + (rf"[\s\-]?{_EN[ones]}" if ones else "")


def _english_ordinal(number: int) -> str:
    if number <= 20:
        return _EN_ORDINAL[number]
    if number == 30:
        return "thirtieth"
    tens, ones = divmod(number, 10)
    return rf"{_EN_TENS[tens]}[\s\-]?{_EN_ORDINAL[ones]}"


def german(number: int) -> str:
    """A cardinal from 0 to 99."""
    if number < 20:
        return _DE[number] + ("s?" if number == 1 else "")
    tens, ones = divmod(number, 10)
    return (rf"{_DE[ones]}und" if ones else "") + _DE_TENS[tens]


def _german_ordinal(number: int) -> str:
    if number in (1, 3, 7, 8):
        return {1: "erste", 3: "dritte", 7: "(?:siebte|siebente)", 8: "achte"}[number] + "[nrs]?"
    return german(number) + ("te" if number < 20 else "ste") + "[nrs]?"


def french(number: int) -> str:
    """A cardinal from 0 to 99."""
    if number < 20:
        return _FR[number].replace("-", r"[\s\-]")
    tens, ones = divmod(number, 10)
    if tens in (7, 9):
        ones += 10
    stem = _FR_TENS[tens].replace("-", r"[\s\-]")
    if not ones:
        return stem + "s?"
    return rf"{stem}s?[\s\-](?:et[\s\-])?{_FR[ones].replace('-', chr(92) + 's?-?')}e?"


def day_pattern(day: int) -> str:
    """The day of a month: in digits with or without an ending, or in words."""
    words = [_english_ordinal(day), english(day), _german_ordinal(day), french(day)]
    if day == 1:
        words.append("premier")
    return rf"(?:(?<!\d)0?{day}(?:st|nd|rd|th|er|te[nrs]?|ste[nrs]?|\.)?(?!\d)|\b(?:{'|'.join(words)})\b)"


def month_pattern(month: int) -> str:
    """The month by its name."""
    return rf"(?<![a-z])(?:{'|'.join(sorted(MONTHS[month - 1], key=len, reverse=True))})(?![a-z])\.?"


def year_pattern(year: int, *, short: bool = True) -> str:
    """The year: four digits, two of them where that is allowed, or words."""
    century, rest = divmod(year, 100)
    words = [rf"{english(century)}[\s\-]?(?:hundred[\s\-]?(?:and[\s\-]?)?)?(?:oh?[\s\-])?{english(rest)}"]
    if century == 20:
        words += [rf"two[\s\-]thousand[\s\-](?:and[\s\-])?{english(rest)}", rf"zweitausend(?:und)?{german(rest)}",
                  rf"deux[\s\-]mille[\s\-]{french(rest)}"]  # fmt: skip
    if century == 19:
        words += [rf"neunzehnhundert(?:und)?{german(rest)}", rf"(?:mille|mil)[\s\-]neuf[\s\-]cents?[\s\-]{french(rest)}",
                  rf"dix[\s\-]neuf[\s\-]cents?[\s\-]{french(rest)}"]  # fmt: skip
    digits = rf"(?<!\d){year}(?!\d)" + (rf"|(?:'|(?<!\d)){rest:02d}(?!\d)" if short else "")
    return rf"(?:{digits}|\b(?:{'|'.join(words)})\b)"


def number_words() -> dict[str, str]:
    """Words for the digits 0 to 9 in three languages, folded."""
    found = {"zero": "0", "oh": "0", "o": "0", "nought": "0", "naught": "0", "null": "0", "nil": "0"}
    for digit in range(10):
        found[_EN[digit]] = found[_FR[digit]] = str(digit)
        for word in re.sub(r"[(?:)]", "", _DE[digit]).split("|"):
            found[word] = str(digit)
    for words in _OTHER_DIGITS:
        found.update((word, str(digit)) for digit, word in enumerate(words.split()))
    return {**found, "eins": "1", "zwo": "2", "une": "1", "um": "1", "uma": "1", "duas": "2", "een": "1"}
