"""A string cut into tokens by one pass of bounded patterns."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from equipoise.cases.vocabulary import variants
from equipoise.cases.vocabulary.biomarkers import catalogue
from equipoise.cases.vocabulary.reports.genes import fused_gene, is_gene
from equipoise.cases.vocabulary.reports.words import WORDS


class Token(NamedTuple):
    """One recognised word or phrase: its kind and its place."""

    kind: str
    start: int
    end: int
    value: str = ""


@cache
def _lexer() -> re.Pattern[str]:
    """The pattern of all tokens; the first alternative that matches wins."""
    data = catalogue()
    genes = "|".join(re.escape(word).replace(r"\ ", r"\s?") for word in sorted(data.spellings, key=len, reverse=True))
    partners = "|".join(re.escape(word) for word in sorted(data.partners, key=len, reverse=True))
    after_gene = (
        r"(?=[^a-z0-9]|$|ex(?:on)?\s?\d|m(?:ut(?:ant|ated)?)?(?![a-z0-9])|wt(?![a-z0-9])|[a-z]\d{2,4}[a-z](?![a-z0-9]))"
    )
    bracket = r"(?:\s?\([^()]{0,20}\))?"
    rows = [
        ("tx", r"(?<![a-z0-9])n[mp]_\d{4,12}(?:\.\d{1,2})?"),
        ("coding", r"(?<![a-z0-9])" + variants.CODING_PATTERN),
        (
            "pair",
            rf"(?<![a-z0-9])(?!met::met)[a-z0-9][a-z0-9-]{{0,14}}{bracket}\s?::\s?[a-z0-9][a-z0-9-]{{0,14}}{bracket}",
        ),
        (
            "pair2",
            rf"(?<![a-z0-9])(?:(?:{partners}){bracket}\s?[-/]\s?(?:{genes})(?![a-z0-9]){bracket}"
            rf"|(?:{genes}){bracket}-(?:{partners})(?![a-z0-9]){bracket})",
        ),
        ("pdl1", r"(?<![a-z0-9])(?:pd-?\s?l1|cd274|tps|tumou?r\s+proportion\s+score)(?![a-z0-9])"),
        ("tmb", r"(?<![a-z0-9])(?:b-?tmb|tmb|tumou?r\s+mutation(?:al)?\s+burden)(?![a-z])"),
        ("msi", r"(?<![a-z0-9])(?:msi|mss|dmmr|pmmr|mmr|microsatellite|mismatch[- ]repair)(?![a-z0-9])"),
    ]
    first = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in rows)
    merged: dict[str, list[str]] = {}
    order: list[str] = []
    for kind, pattern in WORDS:
        if kind not in merged:
            order.append(kind)
        merged.setdefault(kind, []).append(pattern)

    def words(kinds: list[str]) -> str:
        return "|".join(f"(?P<w_{kind}>(?:{'|'.join(merged[kind])})(?![a-z]))" for kind in kinds)

    early = ["del19", "ins20", "nong12c", "nonvar", "skip14", "score"]
    late = [kind for kind in order if kind not in early]
    return re.compile(
        first
        + f"|(?<![a-z0-9])(?:{words(early)})"
        + rf"|(?P<prot>(?<![a-z0-9]){variants.PROTEIN_PATTERN})"
        + rf"|(?P<gene>(?<![a-z0-9])(?:{genes}){after_gene})"
        + r"|(?P<resid>(?<![a-z0-9])[acdefghiklmnpqrstvwy]\d{2,4}(?![a-z0-9]))"
        + f"|(?<![a-z])(?:{words(late)})"
        + r"|(?P<posmark>\(\s?\+\s?\))|(?P<negmark>\(\s?-\s?\))|(?P<plus>\+)"
        r"|(?P<semi>;|\n|•|\.(?=\s|$))|(?P<comma>,|→|->)|(?P<slash>/)|(?P<amper>&)|(?P<open>[(\[])"
        r"|(?P<close>[)\]])|(?P<colon>:)"
    )


@cache
def _glued() -> re.Pattern[str]:
    """What may be written onto a gene without a space: an exon, a change, "mut", "wt", a sign."""
    return re.compile(
        rf"(?P<exon>ex(?:on)?\s?(?P<n>\d{{1,2}}))|(?P<prot>{variants.PROTEIN_PATTERN})|(?P<mut>m(?:ut(?:ant"
        rf"|ated)?)?(?![a-z0-9]))|(?P<wt>wt(?![a-z0-9]))|(?P<sign>[+-](?=[\s,;)/]|$)|\s-(?=\s{{0,3}}(?:[/,;)\n]|$)))"
    )


_FLAT = str.maketrans(
    {"–": "-", "—": "-", "‑": "-", "−": "-", "‐": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "’": "'", "′": "'"}
)


def flat(text: str) -> str:
    """Lower case with plain dashes and spaces, of the same length, so that places agree."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(lower if len(lower := char.lower()) == 1 else char for char in text)
    return low if low.isascii() else low.translate(_FLAT)


def tokens_of(text: str, low: str) -> list[Token]:
    """The tokens of a string, in order; what is not recognised leaves no token.

    Args:
        text: the string.
        low: the same by `flat`.
    """
    found: list[Token] = []
    data = catalogue()
    depth = 0
    for match in _lexer().finditer(low):
        kind = str(match.lastgroup)
        start, end = match.span()
        if kind.startswith("w_"):
            kind = kind[2:]
        value = match[0]
        if kind == "gene":
            symbol = (
                data.spellings[" ".join(value.split())]
                if " ".join(value.split()) in data.spellings
                else data.spellings.get(value.replace(" ", ""), "")
            )
            if not symbol or not is_gene(
                symbol, text[start:end], low[start - 1 : start] if start else "", low[end : end + 14]
            ):
                continue
            found.append(Token("gene", start, end, symbol))
            glued = _glued().match(low, end)
            if glued is not None:
                _after_gene(found, glued)
            continue
        if kind in {"pair", "pair2"}:
            symbol = fused_gene(data, value, kind)
            if symbol:
                found.append(Token("fused", start, end, symbol))
            continue
        if kind == "open":
            depth = min(depth + 1, 4)
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == "semi":
            if value == ";" and (depth or low[end : end + 1].isalnum()):
                kind = "comma"
            elif _no_stop(text, low, value, start, end):
                continue
            else:
                depth = 0
        elif kind == "amper":
            kind = "and"
        elif kind == "plus":
            kind = (
                "and"
                if start and low[start - 1] == " " and low[end : end + 1] == " "
                else "slash"
                if low[end : end + 1].isalnum()
                else "none"
            )
            if kind == "none":
                continue
        elif kind == "posmark":
            kind = "pos"
        elif kind == "negmark":
            kind = "negb"
        found.append(Token(kind, start, end, value))
    return found


def _no_stop(text: str, low: str, value: str, start: int, end: int) -> bool:
    """Whether a full stop belongs to an abbreviation, or a line end lies within a sentence."""
    if value == "\n":
        return _runs_on(text, low, end)
    return value == "." and low[max(start - 2, 0) : start] in {"no", "vs", " p", " c", "ex"}


def _runs_on(text: str, low: str, place: int) -> bool:
    """Whether a line goes on with the sentence of the line before: it begins in lower case, and not with a gene."""
    word = re.match(r"\s{0,8}([a-z]{1,12})(?![a-z0-9])", low[place : place + 24])
    if word is None or not text[place + word.start(1)].islower():
        return False
    return word[1] not in catalogue().spellings


def _after_gene(found: list[Token], glued: re.Match[str]) -> None:
    start, end = glued.span()
    if glued["exon"]:
        found.append(Token("exon", start, end, f"glued {glued['n']}"))
    elif glued["prot"]:
        found.append(Token("prot", start, end, glued["prot"]))
    elif glued["mut"]:
        found.append(Token("mut", start, end, "mut"))
    elif glued["wt"]:
        found.append(Token("negb", start, end, "wt"))
    else:
        found.append(Token("pos" if glued["sign"] == "+" else "negb", start, end, glued["sign"]))
