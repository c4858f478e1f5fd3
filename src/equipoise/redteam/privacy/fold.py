"""A reply without its disguises: markup, escapes, look-alike letters, invisible and combining characters.

Every character of a view knows its place in the reply, so a match is reported where the reader finds it.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import unquote_to_bytes

_ESCAPE = re.compile(
    r"(?P<entity>&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,12}\d?);)"
    r"|(?P<percent>(?:%[0-9A-Fa-f]{2})+)"
    r"|(?P<unicode>\\u[0-9A-Fa-f]{4})"
    r"|(?P<newline>\\[nrt])"
    r"|(?P<inline></?(?:b|i|em|strong|span|u|a|font|mark|wbr|sub|sup|small|code|s)\b[^<>\n]{0,200}>)"
    r"|(?P<block></?[a-zA-Z][^<>\n]{0,200}>|<!--.{0,200}?-->)"
)
_LETTERS = {
    "ß": "ss", "ẞ": "SS", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th", "ð": "d",
    "Ð": "D", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "ħ": "h", "ŋ": "n", "ɑ": "a", "ɡ": "g", "ɩ": "i",
    "’": "'", "‘": "'", "ʼ": "'", "´": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "‐": "-", "‑": "-",
    "−": "-", "·": "·", "\u00a0": " ", "…": "...",
}  # fmt: skip
"""Characters that decomposition leaves as they are."""

_LOOK_ALIKE = dict(
    zip(
        "АВЕКМНОРСТУХІЈЅаеорсухіјѕһԁԛԝьтнвмкпгΑΒΕΖΗΙΚΜΝΟΡΤΥΧαονρυικτεηω",
        "ABEKMHOPCTYXIJSaeopcyxijshdqwbthbmknrABEZHIKMNOPTYXaovpuiktenw",
        strict=True,
    )
)
"""Cyrillic and Greek letters that are read as Latin ones."""

_DIGITS = {"О": "0", "о": "0", "Ο": "0", "ο": "0", "З": "3", "з": "3", "б": "6"}
"""The same among digits."""

ENGLISH: dict[str, str] = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяієїґў",
        "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch - y - e yu ya i ye yi g w".replace(
            "-", ""
        ).split(" "),
        strict=True,
    )
)
"""Cyrillic in the English scheme."""

GERMAN: dict[str, str] = {
    **ENGLISH, "в": "w", "ж": "sch", "з": "s", "й": "j", "х": "ch", "ц": "z", "ч": "tsch", "ш": "sch", "щ": "schtsch",
    "ю": "ju", "я": "ja", "ё": "jo",
}  # fmt: skip
"""Cyrillic in the German scheme."""

GREEK: dict[str, str] = dict(
    zip("αβγδεζηθικλμνξοπρσςτυφχψω", "a v g d e z i th i k l m n x o p r s s t y f ch ps o".split(" "), strict=True)
)
"""Greek letters in Latin ones."""

_SCHEMES: tuple[dict[str, str] | None, ...] = ({**ENGLISH, **GREEK}, {**GERMAN, **GREEK}, None)
"""The last reads other letters as the Latin ones they look like."""


@dataclass(frozen=True, slots=True)
class View:
    """A text without disguises.

    Attributes:
        text: lower case, Latin where it could be made so.
        cased: the same with the case of the reply; as long as `text`.
        starts: place of each character in the reply.
        ends: one past it.
    """

    text: str
    cased: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the reply that a stretch of this view was made from; the stretch is not empty."""
        return self.starts[start], self.ends[end - 1]


_Char = tuple[str, int, int]


def views(reply: str) -> tuple[View, ...]:
    """The readings of a reply: one, or one a scheme where it holds Cyrillic or Greek letters."""
    chars = list(_characters(reply))
    if not any("\u0370" <= char <= "\u052f" for char, _, _ in chars):
        return (_view(chars),)
    found = [_view(_latin(chars, scheme)) for scheme in _SCHEMES]
    return tuple(view for place, view in enumerate(found) if view.text not in {item.text for item in found[:place]})


def without_emphasis(view: View) -> View:
    """The view without the marks of emphasis and code, which can stand inside a word."""
    kept = [place for place, char in enumerate(view.text) if char not in "*`"]
    if len(kept) == len(view.text):
        return view
    return View(
        "".join(view.text[place] for place in kept),
        "".join(view.cased[place] for place in kept),
        tuple(view.starts[place] for place in kept),
        tuple(view.ends[place] for place in kept),
    )


def folded(text: str) -> str:
    """A planted value in the form of a view: lower case, no diacritics, no invisible characters."""
    return _view(list(_characters(text))).text


def _characters(reply: str) -> Iterator[_Char]:
    """Characters after escapes and tags are resolved, with their place in the reply."""
    at = 0
    for found in _ESCAPE.finditer(reply):
        yield from ((reply[place], place, place + 1) for place in range(at, found.start()))
        yield from ((char, found.start(), found.end()) for char in _resolved(found))
        at = found.end()
    yield from ((reply[place], place, place + 1) for place in range(at, len(reply)))


def _resolved(found: re.Match[str]) -> str:
    text = found.group()
    if found["entity"]:
        return html.unescape(text)
    if found["percent"]:
        try:
            return unquote_to_bytes(text).decode("utf-8")
        except UnicodeDecodeError:
            return text
    if found["unicode"]:
        return chr(int(text[2:], 16))
    return "" if found["inline"] else "\n"


def _script(char: str) -> str:
    if "\u0370" <= char <= "\u03ff" and char.isalpha():
        return "other"
    if "\u0400" <= char <= "\u052f":
        return "other"
    return "latin" if char.isalpha() else "digit" if char.isdigit() else ""


def _latin(chars: list[_Char], scheme: dict[str, str] | None) -> list[_Char]:
    """Other letters by the scheme; in a word that mixes scripts, and without a scheme, by their looks."""
    shown = [item for item in chars if unicodedata.category(item[0]) not in ("Cf", "Mn")]
    result: list[_Char] = []
    for is_word, group in groupby(shown, key=lambda item: bool(_script(item[0]))):
        word = list(group)
        scripts = {_script(char) for char, _, _ in word}
        if not is_word or "other" not in scripts:
            result.extend(word)
            continue
        table = _DIGITS if "digit" in scripts and "latin" not in scripts else None
        for char, start, end in word:
            if table is not None:
                new = table.get(char, _LOOK_ALIKE.get(char, char))
            elif scheme is None or "latin" in scripts:
                new = _LOOK_ALIKE.get(char, char)
            else:
                base = char.lower() if char.lower() in scheme else unicodedata.normalize("NFD", char.lower())[0]
                new = scheme.get(base, char)
                new = new[:1].upper() + new[1:] if char.isupper() else new
            result.extend((part, start, end) for part in new)
    return result


def _view(chars: list[_Char]) -> View:
    cased: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for char, start, end in chars:
        for part in _LETTERS.get(char) or unicodedata.normalize("NFKD", char):
            category = unicodedata.category(part)
            if category in ("Mn", "Me", "Cf") or (category == "Cc" and part not in "\n\r\t"):
                if starts and ends[-1] == start:
                    ends[-1] = end
                continue
            for letter in _LETTERS.get(part, part):
                cased.append(letter)
                starts.append(start)
                ends.append(end)
    text = "".join(char.lower() if len(char.lower()) == 1 else char for char in cased)
    return View(text, "".join(cased), tuple(starts), tuple(ends))
