"""Scores that are no sequence variant: PD-L1, tumor mutational burden, microsatellite status, as reports write them.

PD-L1 scales are kept apart: TPS (22C3, 28-8, SP263, or an unnamed assay), TC and IC (SP142). CPS is none of them and
is never read. A statement without a number gives a value only where the words fix it: "negative" is below 1 %,
"positive" 1 % or more. "High" and "low" are cut differently by different laboratories and give nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from equipoise.cases.model import Interval

_STEP = 0.01
"""Distance between a value and the next one that an open end excludes, in the unit of the field."""

_SP142: dict[tuple[str, str], Interval] = {
    ("tc", "0"): Interval(0, 1 - _STEP), ("tc", "1"): Interval(1, 5 - _STEP),
    ("tc", "2"): Interval(5, 50 - _STEP), ("tc", "3"): Interval(50, 100),
    ("ic", "0"): Interval(0, 1 - _STEP), ("ic", "1"): Interval(1, 5 - _STEP),
    ("ic", "2"): Interval(5, 10 - _STEP), ("ic", "3"): Interval(10, 100),
}  # fmt: skip
"""Score groups of the SP142 assay in percent. Source: package insert of the assay; PMID 32997907."""


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    clones = re.compile(
        r"pd-?\s?l1|cd274|22c3|28-8|73-10|e1l3n|sp\s?263|sp\s?142|ihc|dako|ventana|20\d\d-\d\d?-\d\d?"
        r"|\d{1,2}/\d{1,2}/\d{2,4}"
    )
    scales = re.compile(
        r"(?P<tps>\btps\b|tumou?r[\s-]+proportion(?:[\s-]+score)?)|(?P<cps>\bcps\b"
        r"|combined[\s-]+positive(?:[\s-]+score)?)"
        r"|(?P<score>\b(?:tc|ic)\s?[0-3]\b(?!\s?[-–.%\d/]))|(?P<tc>\btc\b)|(?P<ic>\bic\b|immune[\s-]+cells?|\bics\b)"
        r"|(?P<cells>tumou?r[\s-]+cells?|\btumou?r\b(?=\s*:?\s*\d))|(?P<cut>cut-?\s?off|threshold)"
        r"|(?P<num>(?P<op>[<>]\s?=?|[≤≥]|less than or equal to|less than|under|below|at least"
        r"|greater than or equal to|greater than|more than|over"
        r"|up to|from)?\s{0,2}(?P<a>\d{1,4}(?:[.,]\d{1,3})?)\s{0,2}(?P<p1>%|percent)?"
        r"(?:\s{0,2}(?:-|–|—|to|and)\s{0,2}(?P<b>\d{1,3}(?:\.\d{1,3})?)\s{0,2}(?P<p2>%"
        r"|percent)?)?(?P<plus>\+)?)|(?P<stop>[;\n])"
    )
    words = re.compile(
        r"(?P<open>not\s+(?:yet\s+)?(?:tested|done|performed|assessed|evaluable|available|requested|reported"
        r"|known|documented|determined)"
        r"|pending|awaited|awaiting|unknown|insufficient|qns|inadequate|failed|to follow)"
        r"|(?P<neg>\bnegative\b|\bneg\b|\bno\b(?:\s+\w+)?\s+(?:expression|staining)|not expressed|\babsent\b"
        r"|not detected)"
        r"|(?P<pos>\bpositive\b|\bpos\b|\bexpressed\b)"
    )
    return clones, scales, words


def _interval(op: str, a: float, b: float | None, plus: bool, top: float) -> Interval | None:
    if b is not None:
        return Interval(a, b) if a <= b else None
    op = op.replace(" ", "") if op[:1] in "<>≤≥" else op
    if op in {"<", "less than", "under", "below"}:
        return Interval(0, a - _STEP) if a > 0 else None
    if op in {"<=", "≤", "less than or equal to", "up to"}:
        return Interval(0, a)
    if op in {">", "greater than", "more than", "over"}:
        return Interval(a + _STEP, top) if a < top else None
    if op in {">=", "≥", "at least", "greater than or equal to"} or plus:
        return Interval(a, top)
    return Interval(a, a)


def _meet(values: list[Interval]) -> Interval | None:
    low, high = max(v.low for v in values), min(v.high for v in values)
    return Interval(low, high) if low <= high else None


def read_pdl1(value: object) -> dict[str, Interval]:
    """Read a PD-L1 result.

    Args:
        value: text, a number (TPS in percent), or a mapping from scale to either.

    Returns:
        Percent by scale: `tps`, `tc`, `ic`. Empty when nothing can be read: CPS, not tested, "high" or "low" without a
        number, numbers outside 0 to 100. A scale with two statements that exclude each other is left out.
    """
    if isinstance(value, bool) or value is None:
        return {}
    if isinstance(value, int | float):
        return {"tps": Interval(float(value), float(value))} if 0 <= value <= 100 else {}
    if isinstance(value, Mapping):
        merged: dict[str, Interval] = {}
        for scale, item in value.items():
            key = str(scale).strip().lower()
            if key in {"tps", "tc", "ic"}:
                got = read_pdl1(item)
                one = got.get(key) or got.get("tps")
                if one is not None:
                    merged[key] = one
        return merged
    if not isinstance(value, str):
        return {}
    return _pdl1_text(value)


def _pdl1_text(text: str) -> dict[str, Interval]:
    clones, scales, words = _patterns()
    low = text.lower()
    sp142 = "sp142" in low or "sp 142" in low
    sp263 = "sp263" in low or "sp 263" in low
    # Clone names hold digits; they are blanked so that only scores remain.
    plain = clones.sub(lambda found: " " * len(found[0]), low)
    values: dict[str, list[Interval]] = {}
    scale: str | None = None
    cut = False
    named_other = False
    waiting: list[Interval] = []

    def settle(name: str) -> str:
        if name == "cells":
            return "tc" if sp142 else "tps"
        return "tps" if name == "tc" and sp263 else name

    for found in scales.finditer(plain):
        kind = found.lastgroup
        group = found.groupdict()
        if group["score"]:
            score = group["score"].replace(" ", "")
            values.setdefault(score[:2], []).append(_SP142[score[:2], score[2]])
            scale = None
        elif group["num"]:
            if cut:
                cut = False
                continue
            one = _number(found, group, plain)
            if one is None:
                continue
            if scale is not None:
                values.setdefault(scale, []).append(one)
            else:
                waiting.append(one)
        elif group["cut"]:
            cut = True
        elif kind == "stop":
            _default(values, waiting, sp142)
            scale, cut = None, False
        else:
            scale = _next_scale(settle(str(kind)), scale, waiting, values, plain[: found.start()])
            named_other = named_other or scale == "cps"
    _default(values, waiting, sp142)
    result: dict[str, Interval] = {}
    for name in ("tps", "tc", "ic"):
        if name in values:
            met = _meet(values[name])
            if met is not None:
                result[name] = met
    if values or named_other:
        return result
    found_word = words.search(plain)
    if found_word is None or found_word["open"] or sp142:
        return {}
    return {"tps": Interval(0, 1 - _STEP)} if found_word["neg"] else {"tps": Interval(1, 100)}


def _next_scale(
    name: str, scale: str | None, waiting: list[Interval], values: dict[str, list[Interval]], before: str
) -> str | None:
    """The scale that the next number belongs to; a number that waits directly before ("50% of immune cells") is
    settled.
    """
    if waiting and scale is None:
        tail = before[-24:]
        if re.search(r"\d\s*(?:%|percent)?\s*(?:of|in|on)?\s*(?:the\s+)?(?:viable\s+)?\(?$", tail):
            values.setdefault(name, []).append(waiting.pop())
            return None
    return name


def _number(found: re.Match[str], group: dict[str, str | None], plain: str) -> Interval | None:
    """The interval of a number; None for one that is a part of a word, of a date, or no percentage."""
    start, end = found.start("a"), found.end()
    if start and (plain[start - 1].isalnum() or plain[start - 1] in "./_"):
        return None
    if end < len(plain) and (plain[end].isalnum() or plain[end] in "_/"):
        return None
    a = float(str(group["a"]).replace(",", "."))
    b = float(group["b"]) if group["b"] else None
    if a > 100 or (b is not None and b > 100):
        return None
    return _interval(group["op"] or "", a, b, bool(group["plus"]), 100)


def _default(values: dict[str, list[Interval]], waiting: list[Interval], sp142: bool) -> None:
    """A number without a scale is a TPS, unless the assay is SP142, whose numbers mean nothing without their cells."""
    if waiting and not sp142:
        values.setdefault("tps", []).extend(waiting)
    waiting.clear()


@cache
def _tmb_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    other = re.compile(
        r"\bb-?tmb\b|blood|plasma|ctdna|exome|cutoff|cut-off|not (?:tested|done|evaluable|reported)|pending|unknown"
    )
    number = re.compile(
        r"(?P<op>[<>]\s?=?|[≤≥]|less than|at least|greater than|more than)?\s{0,2}(?P<a>\d{1,4}(?:\.\d{1,3})?)"
        r"(?:\s{0,2}(?:-|–|to)\s{0,2}(?P<b>\d{1,4}(?:\.\d{1,3})?))?(?=\s{0,2}(?P<unit>mut[a-z]*|m/mb|muts?/mb"
        r"|per mb|/mb)?)"
    )
    return other, number


_MOST_MUTATIONS = 1_000_000
"""A megabase has a million bases: no burden is higher."""


def read_tmb(value: object) -> Interval | None:
    """Read a tissue tumor mutational burden in mutations per megabase.

    Args:
        value: text or a number.

    Returns:
        The interval; None when there is no number, for blood TMB, or for a count per exome.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return Interval(float(value), float(value)) if 0 <= value <= _MOST_MUTATIONS else None
    if not isinstance(value, str):
        return None
    other, number = _tmb_patterns()
    low = value.lower()
    if other.search(low):
        return None
    best: Interval | None = None
    for found in number.finditer(low):
        start, end = found.start("a"), found.end()
        if (start and (low[start - 1].isalnum() or low[start - 1] in "._/")) or (end < len(low) and low[end] == "%"):
            continue
        group = found.groupdict()
        b = float(group["b"]) if group["b"] else None
        one = _interval(group["op"] or "", float(group["a"]), b, False, float("inf"))
        if one is None:
            continue
        if group["unit"]:
            return one
        best = best or one
    return best


@cache
def _msi_patterns() -> tuple[re.Pattern[str], ...]:
    return (
        re.compile(
            r"not (?:yet )?(?:tested|done|performed|evaluable|assessed|reported|available)|pending|awaited|unknown"
            r"|insufficient|indeterminate|equivocal"
        ),
        re.compile(
            r"\b(?:not|no|without|negative for|no evidence of)\s+(?:a\s+)?(?:high\s+)?(?:msi"
            r"|microsatellite[\s-]+instability|mismatch|mmr|dmmr)[\w-]*(?:\s*-?\s*(?:high|h))?(?:\s+deficien\w+)?"
            r"|(?:msi-?h?(?:igh)?|dmmr|microsatellite[\s-]+instability)\s*:?\s*\(?(?:negative|not detected|absent"
            r"|not identified|not found|-\))"
        ),
        re.compile(
            r"\bmss\b|\bpmmr\b|mmr-?p\b|\bstable\b|proficien\w+|msi-?\s?l\b|msi-?\s?low|mmr[\s\w]{0,20}\b(?:intact"
            r"|retained)|instability[\s-]+low"
        ),
        re.compile(
            r"msi-?\s?h\b|msi\s?-?\s?high|\bdmmr\b|mmr-?d\b|instability\s?[-:]?\s?high"
            r"|high\s+microsatellite\s+instability|(?:mmr|mismatch[\s-]+repair)[\s:-]+deficien\w+"
            r"|deficien\w+\s+(?:in\s+)?(?:mmr|mismatch)|\bunstable\b|msi\s?:?\s?(?:positive|detected)"
            r"|loss of (?:expression of )?(?:mlh1|msh2|msh6|pms2)"
            r"|^high$|^h$"
        ),
    )


def read_msi(value: object) -> str | None:
    """Read a microsatellite or mismatch-repair status.

    Returns:
        `high` (MSI-H, dMMR), `stable` (MSS, MSI-L, pMMR), or None when nothing is stated or both are.
    """
    if not isinstance(value, str):
        return None
    low = " ".join(value.lower().split()) if len(value) < 2000 else value.lower()
    unknown, negated, stable, high = _msi_patterns()
    if unknown.search(low):
        return None
    rest, count = negated.subn(" ", low)
    is_high = bool(high.search(rest))
    is_stable = bool(stable.search(rest)) or (count > 0 and not is_high)
    if is_high == is_stable:
        return None
    return "high" if is_high else "stable"
