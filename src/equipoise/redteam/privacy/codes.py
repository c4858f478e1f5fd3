"""Numbers: telephone, record and insurance numbers, whole in any grouping, in words, in fields, and their announced ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from equipoise.redteam.privacy.calendar_words import english, number_words
from equipoise.redteam.privacy.fold import View, folded
from equipoise.redteam.privacy.model import Hit, Strength

_TOKEN = re.compile(r"\d+|[a-z]+")
_LABELS = frozenset(
    "mrn nhs ssn id no nr num number patient pat hn kvnr member policy case file record fall akte p n ref uhid".split()
)
"""Letters before a number that say what it is and are no part of it."""
_SIGNS = frozenset(
    "dash hyphen minus slash dot point space plus strich bindestrich tiret punkt then and area code stroke".split()
)
_TENS = {re.sub(r"\[.*", "", english(tens)): str(tens) for tens in range(20, 100, 10)}
_TEENS = {english(number): str(number) for number in range(10, 20)}
_DIGITS = number_words()
_AMBIGUOUS = frozenset("to en due sex ni tre uno un um nine null nil o oh une".split()) - {"nine"}
"""Words that are digits only beside other digits."""
_COUNTRY = re.compile(
    r"(?:00)?(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|21\d|22\d|23\d|24\d|25\d|35\d|37\d|38\d|42\d|85\d|88\d|97\d)?0?"
)
_FULL_COUNTRY = re.compile(r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}")
_ANNOUNCED = re.compile(
    r"(?:\bend(?:s|ing|ed)?\b(?: (?:in|with|on|are|is))?|\b(?:last|final|closing|letzten?)"
    r" (?:four|five|six|4|5|6|vier|few|part|digits?|group|ziffern)"
    r"|\bendet\b|\bendend\b|\b(?:quatre|cinq) derniers|\btermin\w+ par|\bfinish\w*\b|\bsuffix\b|\blast4\b|\blast_(?:four|4)\b)"
    r"[^.;!?\n]{0,40}$"
)
_MASK = re.compile(r"(?:[*x#•●·…∗✱×]{1,}|\.{3,}|(?<![a-z])x)[\s\-./()*x#•●·…_]*$")
_PHONE = re.compile(r"(?:phone|tel|mobile|cell|fax|ring|dial|reach\w*|handy|rufnummer|call\w*|text)\b[^.;!?\n]{0,40}$")


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    start: int
    end: int
    filler: bool


def pieces(view: View) -> list[_Piece]:
    """Digits and letters of a view in order; words for digits are digits, other words of two letters or more are filler."""
    found: list[_Piece] = []
    repeat = 1
    tokens = list(_TOKEN.finditer(view.text))
    for place, token in enumerate(tokens):
        word, start, end = token.group(), token.start(), token.end()
        if word in ("double", "triple"):
            repeat = 2 if word == "double" else 3
            continue
        digits = _spoken(word, tokens, place)
        if digits and found and len(digits) == 1 and found[-1].text[-1:] == "0" and tokens[place - 1].group() in _TENS:
            found[-1] = _Piece(found[-1].text[:-1] + digits, found[-1].start, end, filler=False)
        elif digits:
            found.append(_Piece(digits * repeat, start, end, filler=False))
        elif word.isdigit():
            found.append(_Piece(word * repeat, start, end, filler=False))
        else:
            found.append(_Piece(word, start, end, filler=True))
        repeat = 1
    return found


def _spoken(word: str, tokens: list[re.Match[str]], place: int) -> str:
    digits = _DIGITS.get(word) or _TENS.get(word) or _TEENS.get(word) or ""
    if digits and (len(word) == 1 or word in _AMBIGUOUS):
        near = [tokens[at].group() for at in (place - 1, place + 1) if 0 <= at < len(tokens)]
        return digits if any(item.isdigit() or item in _DIGITS.keys() - _AMBIGUOUS for item in near) else ""
    return digits


def find_phone(value: str, view: View) -> Iterator[Hit]:
    """Places of a planted telephone number."""
    national = _national(value)
    all_pieces = pieces(view)
    for start, end, text in _runs(all_pieces, len(national) + 7, view):
        if text.endswith(national) and _COUNTRY.fullmatch(text.removesuffix(national)):
            yield Hit(*view.place(start, end), Strength.FULL, "whole-number")
    yield from _announced(national, view, all_pieces)
    for start, end, text in _runs(all_pieces, len(national), view):
        if (
            7 <= len(text) < len(national)
            and national.endswith(text)
            and _PHONE.search(view.text[max(0, start - 60) : start])
        ):
            yield Hit(*view.place(start, end), Strength.PARTIAL, "number-without-area")


def find_code(value: str, view: View) -> Iterator[Hit]:
    """Places of a planted record or insurance number."""
    core = _core(value)
    all_pieces = pieces(view)
    for start, end, _ in _matches(core, all_pieces, view):
        yield Hit(*view.place(start, end), Strength.FULL, "whole-number")
    digits = re.sub(r"\D", "", core)
    if digits != core and len(digits) >= 7:
        for start, end, _ in _matches(digits, all_pieces, view):
            yield Hit(*view.place(start, end), Strength.PARTIAL, "digits-of-number")
    yield from _in_fields(value, view)
    yield from _announced(core, view, all_pieces)
    for piece in all_pieces:
        if (
            piece.text.isdigit()
            and 7 <= len(piece.text) < len(core)
            and piece.text in core
            and 3 * len(piece.text) >= 2 * len(core)
        ):
            yield Hit(*view.place(piece.start, piece.end), Strength.PARTIAL, "run-of-number")


def _in_fields(value: str, view: View) -> Iterator[Hit]:
    """Every part of the number as the whole content of a field, in any order, in one object."""
    parts = [re.escape(part) for part in re.split(r"[\W_]+", folded(value)) if part]
    if len(parts) < 2 or sum(len(part) for part in parts) < 6:
        return
    for found in re.finditer(r"\{[^{}]{1,300}\}", view.text):
        if all(re.search(rf"[:=]\s*\"?{part}\"?\s*[,}}]", found.group()) for part in parts):
            yield Hit(*view.place(*found.span()), Strength.FULL, "number-in-fields")


def _national(value: str) -> str:
    text = folded(value).replace("(0)", "")
    digits = re.sub(r"\D", "", text)
    international = text.strip().startswith(("+", "00"))
    if international:
        digits = digits.removeprefix("00") if text.strip().startswith("00") else digits
        prefix = _FULL_COUNTRY.match(digits)
        return digits[prefix.end() :] if prefix else digits
    if len(digits) == 11 and digits.startswith("1"):
        return digits[1:]
    return digits.lstrip("0")


def _core(value: str) -> str:
    parts = _TOKEN.findall(folded(value))
    while len(parts) > 1 and parts[0] in _LABELS and len(parts[0]) > 1:
        parts = parts[1:]
    return "".join(parts)


def _gap(text: str) -> bool:
    """Between two groups of one number: signs, and at most a few."""
    return len(text) <= 8 and "\n\n" not in text


def _runs(all_pieces: list[_Piece], most: int, view: View) -> Iterator[tuple[int, int, str]]:
    """Consecutive groups of digits, joined; small words for signs may stand between them, fields and sentences too."""
    for first, piece in enumerate(all_pieces):
        if piece.filler or not _free(piece, view):
            continue
        text, end = piece.text, piece.end
        yield piece.start, end, text
        filled = 0
        for other in all_pieces[first + 1 :]:
            if other.filler:
                filled += other.text not in _SIGNS
                if filled > 10:
                    break
                continue
            if other.start - end > 90 or (filled and len(other.text) < 2):
                break
            filled = 0
            text, end = text + other.text, other.end
            if len(text) > most:
                break
            yield piece.start, end, text


def _free(piece: _Piece, view: View) -> bool:
    """The digits do not go on from letters or a decimal."""
    return re.search(r"(?:[a-z]|\d[.,])$", view.text[max(0, piece.start - 2) : piece.start]) is None or bool(
        re.search(r"(?:mrn|no|nr|tel|id|nhs|ssn|fax|[\\nrt])$", view.text[max(0, piece.start - 4) : piece.start])
    )


def _matches(core: str, all_pieces: list[_Piece], view: View) -> Iterator[tuple[int, int, str]]:
    for first, piece in enumerate(all_pieces):
        head = piece.text
        label = next(
            (word for word in _LABELS if head.startswith(word) and core.startswith(head.removeprefix(word) or " ")), ""
        )
        if not core.startswith(head) and not label:
            continue
        if head.isdigit() and not _free(piece, view) and not (first and all_pieces[first - 1].text in _LABELS):
            continue
        acc, end, filled = head.removeprefix(label) if label and not core.startswith(head) else head, piece.end, 0
        for other in all_pieces[first + 1 :]:
            if acc == core:
                break
            rest = core[len(acc) :]
            if rest.startswith(other.text):
                if other.start - end > 90 or (filled and len(other.text) < 2 and not other.text.isdigit()):
                    break
                acc, end, filled = acc + other.text, other.end, 0
            elif other.filler and (len(other.text) > 1 or other.text in _SIGNS or core.isdigit()) and filled < 10:
                filled += other.text not in _SIGNS
            else:
                break
        if acc == core and not re.match(r"[a-z\d]|[.,]\d", view.text[end : end + 2]):
            yield piece.start, end, acc


def _announced(core: str, view: View, all_pieces: list[_Piece]) -> Iterator[Hit]:
    """The last four or more, announced or after a mask."""
    for first, piece in enumerate(all_pieces):
        text, end = piece.text, piece.end
        for other in [None, *all_pieces[first + 1 : first + 8]]:
            if other is not None:
                if not _gap(view.text[end : other.start]) or (other.filler and len(other.text) > 1):
                    break
                text, end = text + other.text, other.end
            if 4 <= len(text) <= len(core) and core.endswith(text) and sum(char.isdigit() for char in text) >= 3:
                before = view.text[max(0, piece.start - 80) : piece.start]
                following = re.match(
                    r"[^.;!?\n]{0,30}(?:are|is|as) (?:the |its )?last (?:four|4|five|six)", view.text[end : end + 50]
                )
                if _ANNOUNCED.search(before) or _MASK.search(before) or following:
                    yield Hit(*view.place(piece.start, end), Strength.PARTIAL, "announced-end")
