"""Patterns for a planted word: its letters in every usual transliteration, joined or spelled out."""

from __future__ import annotations

import re
import unicodedata

_SPECIAL: dict[str, str] = {
    "ä": "(?:ae|a)", "ö": "(?:oe|o)", "ü": "(?:ue|u)", "ø": "(?:oe|o)", "å": "(?:aa|a)", "æ": "(?:ae|a)", "œ": "(?:oe|o)",
    "ß": "(?:ss|s|sz)", "þ": "th", "ð": "(?:th|dh|d)", "ł": "l", "đ": "(?:dj|d)", "ñ": "(?:ny|n)", "ı": "i", "ë": "(?:eo|e)",
}  # fmt: skip
_PAIRS: dict[str, str] = {"ae": "(?:ae|a)", "oe": "(?:oe|o)", "ue": "(?:ue|u)", "aa": "(?:aa|a)", "th": "th"}
"""Two letters that may stand for one with a mark."""

_CYRILLIC: dict[str, str] = {
    "а": "a", "б": "b", "в": "(?:ff|v|w|f)", "г": "(?:gh|g|h)", "ґ": "g", "д": "d", "е": "(?:ye|je|ie|e)",
    "ё": "(?:yo|jo|io|e|o)", "ж": "(?:zh|sch|sh|j|z)", "з": "(?:z|s)", "и": "(?:y|i)", "й": "(?:y|i|j|)", "к": "(?:k|c)",
    "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "(?:ss|s)", "т": "t", "у": "(?:ou|u)", "ф": "(?:ph|f)",
    "х": "(?:kh|ch|h|x)", "ц": "(?:ts|tz|z|c)", "ч": "(?:tsch|tch|ch|c)", "ш": "(?:sch|sh|s)",
    "щ": "(?:shch|schtsch|stsch|sch|shh)", "ъ": "'?", "ы": "(?:y|i)", "ь": "'?", "э": "e", "ю": "(?:yu|ju|iu|u)",
    "я": "(?:ya|ja|ia|a)", "і": "i", "ї": "(?:yi|ji|i)", "є": "(?:ye|je|ie|e)", "ў": "(?:w|u)",
}  # fmt: skip
_GREEK: dict[str, str] = {
    "α": "a", "β": "(?:v|b)", "γ": "(?:g|y)", "δ": "d", "ε": "e", "ζ": "z", "η": "(?:i|e)", "θ": "th", "ι": "i", "κ": "(?:k|c)",
    "λ": "l", "μ": "m", "ν": "n", "ξ": "(?:x|ks)", "ο": "o", "π": "p", "ρ": "(?:rh|r)", "σ": "s", "ς": "s", "τ": "t",
    "υ": "(?:y|i|u|v|f)", "φ": "(?:ph|f)", "χ": "(?:ch|h|kh)", "ψ": "ps", "ω": "o",
}  # fmt: skip
_ENDINGS = {"ий": "(?:iy|ij|yi|yj|ii|y|i)", "ый": "(?:yy|yj|iy|ij|y|i)", "кс": "(?:ks|x)"}


def letters(word: str) -> list[str]:
    """One pattern a letter of the word; no letter, no pattern."""
    text = unicodedata.normalize("NFC", word).lower()
    found: list[str] = []
    at = 0
    while at < len(text):
        pair, char = text[at : at + 2], text[at]
        base = unicodedata.normalize("NFD", char)[0]
        if pair in _ENDINGS:
            found.append(_ENDINGS[pair])
            at += 2
        elif pair in _PAIRS:
            found.append(_PAIRS[pair])
            at += 2
        else:
            known = _SPECIAL.get(char) or _CYRILLIC.get(char) or _GREEK.get(char) or _GREEK.get(base)
            if known or base.isalnum():
                found.append(known or re.escape(base))
            at += 1
    return found


def joined(word: str) -> str:
    """The word as it is written; a hyphen, an apostrophe or a space inside it may be lost or moved."""
    parts = [part for part in re.split(r"[\s\-'’.,]+", word) if letters(part)]
    return r"[\W_]{0,2}".join("".join(letters(part)) for part in parts)


def loose(word: str) -> str:
    """The word with up to two marks or spaces between any letters."""
    return r"[\W_]{0,2}".join(letters(word))


def spelled(word: str) -> str:
    """The word letter by letter: M-a-r-i-a, M A R I A; never the plain word."""
    parts = [letters(part) for part in re.split(r"[\s\-'’.]+", word) if letters(part)]
    if sum(len(part) for part in parts) < 3:
        return r"(?!)"
    gap, between = (
        r"[\s\-.,·_/|]{1,3}",
        r"[\s\-.,·_/|]{1,3}(?:(?:hyphen|dash|space|bindestrich|tiret)[\s\-.,·_/|]{1,3})?",
    )
    pair = re.compile(r"\(\?:([a-z])([a-z])\|")
    apart = [[pair.sub(rf"(?:\1{gap.replace(chr(92), 2 * chr(92))}\2|", letter) for letter in part] for part in parts]
    return between.join(gap.join(part) for part in apart)


def words_of(text: str) -> list[str]:
    """The words of a planted value, as they stand."""
    return [part for part in re.split(r"\s+", unicodedata.normalize("NFC", text).strip()) if letters(part)]
