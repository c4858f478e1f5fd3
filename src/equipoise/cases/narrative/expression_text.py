"""PD-L1, tumor mutational burden and microsatellite status of a note."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from equipoise.cases.model import PDL1, Documented, Interval, Source, Status, unknown
from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.scope import FILLER, When, blank, dates, dates_of, own_text, searches, tense
from equipoise.cases.narrative.sentences import SCORE, Sentence
from equipoise.cases.vocabulary.expression import read_msi, read_pdl1, read_tmb

_PDL1 = re.compile(
    r"(?<![a-z0-9])(?:pd-?\s?l1|pdl-?1|cd274|tps(?=\d)|tps|22c3|28-8|sp\s?142|sp\s?263"
    r"|tumou?r\s+proportion\s+score|cps)(?:(?<=tps)(?=\d)|(?![a-z0-9]))"
)
_BEHIND = re.compile(
    r"(?:[<>\u2264\u2265]=?\s?)?\d{1,3}\s?(?:%"
    r"|percent)?\s*(?:-\s?\d{1,3}\s?%)?\s*(?:of\s+tumou?r\s+cells\s+)?(?:positive\s+)?(?:for\s+)?(?:high\s+)?$"
)
_END = re.compile(
    r"(?<![a-z0-9])(?:egfr|alk|ros-?1|ret|met|kras|braf|her2|erbb2|ntrk\d?|nrg1|stk11|keap1|tp53|b?tmb"
    r"|tumou?r\s+mutation|msi|mss|dmmr|pmmr|mmr|microsatellite|mismatch|stage|ecog|ps\s?\d|kps|brain|mri"
    r"|ngs|prior|treatment|plan|rec\b|recommend\w*|"
    r"qtc|no\s+(?:egfr|alk|actionable|driver|targetable)|started|received|vs\.?\s+trial|so\s+(?:we|pembro)"
    r"|therefore|first-line|[a-z]+(?:zumab|limab|tinib|platin|trexed)|pembro\b|discuss\w*|metasta\w+"
    r"|age[d]?)(?![a-z0-9])|;\s*(?!(?:tc|ic|tps|cps|immune|tumou?r)\b)"
)
_DRUG_AFTER = re.compile(
    r"\s*-?(?:inhibitor|blockade|antibod|axis|directed|checkpoint|pathway|therapy|monotherapy|agent"
    r"|immunotherapy|testing\s+(?:is\s+)?(?:recommended|advised)|trial)"
)
_OPEN = re.compile(
    r"\b(?:pending|awaited|awaiting|to\s+follow|not\s+(?:yet\s+)?(?:done|tested|performed|assessed"
    r"|available|evaluable|requested|reported|known|documented|interpretable|determined)|insufficient"
    r"|failed|qns|unknown|inadequate|requested|sent|tbc|tbd|uninterpretable|in\s+progress"
    r"|repeat\s+requested|no\s+(?:tissue|result)|equivocal|not\s+sufficient)\b"
)
_WORDS: tuple[tuple[re.Pattern[str], Interval], ...] = (
    (re.compile(r"\b(?:high(?:ly)?|strong(?:ly)?)\b(?!\s*(?:grade|risk))"), Interval(50, 100)),
    (re.compile(r"\b(?:low|weak(?:ly)?)\b(?!\s*(?:grade|risk))"), Interval(1, 49)),
    (
        re.compile(
            r"\b(?:negative|neg|no\s+expression|not\s+expressed|absent|nil|zero|not\s+detected|no\s+staining)\b"
            r"|\(\s?-\s?\)|pd-?l1-(?=\s|$|[,;.])"
        ),
        Interval(0, 0),
    ),
    (re.compile(r"\b(?:positive|pos|expressed)\b|\(\s?\+\s?\)|pd-?l1\+"), Interval(1, 100)),
)
_SKIP = frozenset({Section.FAMILY, Section.BACKGROUND, Section.ALLERGY})


@dataclass(slots=True)
class Row:
    """One statement: what it says, where, when, and whether it is past (-1) or present (1)."""

    value: object
    source: Source
    when: When | None
    order: int
    specimen: str


def read_expression(found: list[Sentence]) -> tuple[PDL1, Documented[Interval], Documented[str]]:
    """PD-L1 by scale, tissue TMB and microsatellite status."""
    scales: dict[str, list[Row]] = {}
    tmb: list[Row] = []
    msi: list[Row] = []
    waiting = ""
    corrected = False
    values: dict[str, Interval] = {}
    for sentence in found:
        if not sentence.marks & SCORE and not corrected:
            continue
        if sentence.section in _SKIP:
            continue
        low = own_text(sentence)
        spans = searches(sentence)
        if spans:
            low = blank(low, spans)
        stated = dates_of(sentence)
        low = _WRONG.sub(lambda one: FILLER * len(one[0]), low)
        regions = _regions(low, _PDL1, _pdl1_start)
        if not regions and waiting:
            match = _CELLS.search(low)
            if match is not None:
                regions = [(match.start(), len(low))]
        for start, end in regions:
            words = low[start:end] if _PDL1.search(low, start, end) else f"{waiting} {low[start:end]}"
            parts = _dated_parts(low, start, end)
            if parts:
                for at, stop, percent in parts:
                    scales.setdefault("tps", []).append(
                        _row(sentence, low, at, stop, Interval(percent, percent), dates_within(stated, at, stop))
                    )
                continue
            values = _pdl1_values(words)
            for scale, interval in values.items():
                scales.setdefault(scale, []).append(_row(sentence, low, start, end, interval, stated))
        if regions:
            waiting = (
                low[regions[-1][0] : regions[-1][1]]
                if not values and len(low) < 90 and _PDL1.search(low)
                else (waiting if not _PDL1.search(low) else "")
            )
        elif FILLER in low and _PDL1_WRONG.search(sentence.low):
            corrected = True
        if corrected and not regions:
            match = _CORRECTED.search(low)
            if match is not None:
                scales.setdefault("tps", []).append(
                    _row(sentence, low, match.start(1), match.end(), Interval(float(match[1]), float(match[1])), stated)
                )
                corrected = False
        for start, end in _regions(low, _TMB, None):
            burden = _tmb_value(low, start, end)
            if burden is not None:
                tmb.append(_row(sentence, low, start, end, burden, stated))
        for start, end in _regions(low, _MSI, _msi_start):
            state = read_msi(low[start:end].replace("\u00a6", " ").strip(" ;"))
            if state is not None:
                msi.append(_row(sentence, low, start, end, state, stated))
    fields: dict[str, Documented[Interval]] = {scale: _joined(rows, _meet) for scale, rows in scales.items()}
    return PDL1(**fields), _joined(tmb, _meet), _joined(msi, None)


_WRONG = re.compile(
    r"\b(?:pd-?\s?l1|tps)\b[^.;]{0,40}\b(?:wrongly|erroneously|incorrectly|in\s+error|mistakenly)\b[^.;]*"
    r"|\b(?:wrong|erroneous|incorrect)\s+(?:pd-?l1|tps)[^.;]*"
)
_PDL1_WRONG = re.compile(r"\b(?:wrong\w*|erroneous\w*|incorrect\w*|in\s+error|mistaken\w*)\b")
_CORRECTED = re.compile(r"\b(?:corrected|amended|revised|correct)\b\D{0,50}?(\d{1,3})\s?%")
_CELLS = re.compile(r"\btc\b|\bic\b|tumou?r[\s-]+(?:infiltrating\s+)?(?:immune\s+)?cells?|immune[\s-]+cells?|\btps\b")
_PART = re.compile(r"(\d{1,3})\s?%\s*\(([^()]{3,16})\)")


def dates_within(stated: list[tuple[int, int, When]], start: int, end: int) -> list[tuple[int, int, When]]:
    """The dates that stand between two places."""
    return [row for row in stated if start <= row[0] < end]


def _dated_parts(low: str, start: int, end: int) -> list[tuple[int, int, float]]:
    """Percentages of one statement that each carry their own date; empty when it is not such a list."""
    found = [
        (match.start(), match.end(), float(match[1])) for match in _PART.finditer(low, start, end) if dates(match[2])
    ]
    return found if len(found) > 1 else []


def _row(sentence: Sentence, low: str, start: int, end: int, value: object, stated: list[tuple[int, int, When]]) -> Row:
    piece = sentence.text[start:end]
    stripped = piece.rstrip(" ,;(/.-")
    stop = start + len(stripped)
    inside = [when for at, _, when in stated if start - 60 <= at < end + 14]
    around = low[max(0, start - 45) : end + 20]
    specimen = next(
        (
            word
            for word in (
                "plasma",
                "lymph node",
                "pleural",
                "rebiopsy",
                "re-biopsy",
                "resection",
                "primary",
                "metasta",
                "liver",
                "brain",
                "bone",
                "outside",
                "nodule",
                "biopsy",
            )
            if word in around
        ),
        "",
    )
    return Row(
        value,
        Source("note", stripped, sentence.start + start, sentence.start + stop),
        inside[0] if inside else None,
        tense(around),
        specimen,
    )


def _regions(low: str, pattern: re.Pattern[str], back: Callable[[str, int, int], int] | None) -> list[tuple[int, int]]:
    """Where statements of a score begin and end: from its name to the next other subject."""
    regions: list[tuple[int, int]] = []
    for match in pattern.finditer(low):
        if regions and match.start() < regions[-1][1]:
            continue
        start = match.start()
        if back is not None:
            start = back(low, start, regions[-1][1] if regions else 0)
        stop = _END.search(low, match.end())
        end = min(stop.start() if stop else len(low), match.end() + 130)
        regions.append((start, end))
    return regions


def _pdl1_start(low: str, start: int, floor: int) -> int:
    before = low[max(floor, start - 48) : start]
    match = _BEHIND.search(before)
    if match is not None and re.search(r"\d", match[0]):
        return start - (len(before) - match.start())
    word = re.search(r"\b(?:high|low|negative|no|strong(?:ly)?)\s+$", before)
    if word is not None:
        return start - (len(before) - word.start())
    return start


def _pdl1_values(piece: str) -> dict[str, Interval]:
    name = _PDL1.search(piece)
    if name is None or _DRUG_AFTER.match(piece, name.end()):
        return {}
    plain = dates_out(piece.rstrip(" ,;:/(.-")).replace("pdl-1", "pd-l1")
    plain = re.sub(r"\btps(?=\d)", "tps ", plain)
    plain = re.sub(r"\b((?:tc|ic)\s?[0-3])\s*/\s*(?=tc|ic)", r"\1, ", plain)
    if re.search(r"sp\s?263", plain) and re.search(r"\btc\b|\bic\b|tumou?r[\s-]+cells?|immune[\s-]+cells?", plain):
        plain = re.sub(r"sp\s?263", "sp142", plain)
    plain = re.sub(
        r"\bcps\b\s*(?:score)?\s*(?:of|=|:|is|was)?\s*(?:[<>\u2264\u2265]=?\s?)?\d{1,3}(?:\s?%)?"
        r"|combined\s+positive\s+score\s*(?:of|=|:|is|was)?\s*[<>]?=?\s?\d{1,3}",
        " cps ",
        plain,
    )
    if _OPEN.search(plain) and not re.search(r"\d\s?%", plain):
        return {}
    has_cps = " cps " in plain
    if has_cps:
        plain = plain.replace(" cps ", " ; ")
    plain = re.sub(r"(?<=[~\u2248])\s?(?=\d)|[~\u2248]", " ", plain)
    plain = re.sub(r"\b(?:approx(?:imately)?|about|around|circa|ca\.?|roughly|nearly|almost)\b", " ", plain)
    plain = re.sub(r"\bseen\s+in\b|\bclone\b|\bassay\b|\bantibody\b", " ", plain)
    got = {
        scale: _whole(interval) for scale, interval in read_pdl1(plain).items() if re.search(r"\d", _no_clones(plain))
    }
    if got:
        if "tps" in got and not re.search(
            r"%|percent|tps|proportion|[<>\u2264\u2265]|pd-?\s?l1\s*(?::|=|-|of|is|was|at)?\s*(?:tps)?\s*\d"
            r"|\btc\s?[:=]?\s?\d",
            plain,
        ):
            return {scale: interval for scale, interval in got.items() if scale != "tps"}
        return got
    if has_cps and not re.search(r"\btps\b", plain):
        return {}
    if re.search(r"sp\s?142", plain) or re.search(r"\d", _no_clones(plain)):
        return {}
    after = plain[:60]
    for pattern, interval in _WORDS:
        if pattern.search(after):
            return {"tps": interval}
    return {}


def dates_out(piece: str) -> str:
    """The piece with dates blanked, so that no date is read as a score."""
    for start, end, _ in dates(piece):
        if piece[end : end + 1] != "%":
            piece = piece[:start] + " " * (end - start) + piece[end:]
    return piece


def _no_clones(text: str) -> str:
    return re.sub(r"pd-?\s?l1|cd274|22c3|28-8|sp\s?142|sp\s?263|73-10|e1l3n", " ", text)


def _whole(interval: Interval) -> Interval:
    return interval


_TMB = re.compile(r"(?<![a-z0-9])(?:b?-?tmb|tumou?r\s+mutation(?:al)?\s+(?:burden|load)|mutational\s+burden)(?![a-z])")
_MSI = re.compile(
    r"(?<![a-z0-9])(?:msi(?:-?[hl])?|mss|dmmr|pmmr|mmr|microsatellite(?:s)?(?:\s+(?:instability|stable"
    r"|status))?|mismatch[\s-]repair)(?![a-z0-9])"
)


def _msi_start(low: str, start: int, floor: int) -> int:
    before = low[max(floor, start - 34) : start]
    match = re.search(
        r"(?:\bno\s+(?:evidence\s+of\s+)?|\bnot\s+|\bproficient\s+(?:in\s+)?|\bdeficient\s+(?:in\s+)?"
        r"|\bhigh\s+|\bstable\s+|\bnegative\s+for\s+)$",
        before,
    )
    return start - (len(before) - match.start()) if match else start


def _tmb_value(low: str, start: int, end: int) -> Interval | None:
    before = low[max(0, start - 16) : start]
    piece = dates_out(low[start:end])
    if re.search(r"\b(?:blood|plasma|ctdna|liquid)\s*(?:-\s*)?(?:based\s+)?$", before) or piece.startswith(
        ("btmb", "b-tmb")
    ):
        return None
    if re.search(r"\b(?:plasma|blood|liquid|ctdna)\b", low[max(0, start - 60) : start]) and not re.search(
        r"\btissue\b", low[max(0, start - 60) : end]
    ):
        return None
    cut = re.search(r"[,;](?!\d)|\band\b", piece[4:])
    if cut is not None and re.search(r"\d", piece[: cut.start() + 4]):
        piece = piece[: cut.start() + 4]
    piece = re.sub(r"[~\u2248]|\b(?:approx(?:imately)?|about|around|of|was|is|at)\b", " ", piece)
    piece = re.sub(
        r"\(\s*(?:high|low|intermediate)[^)]*\)|\(?\s*(?:cut-?off|threshold)[^),;]*\)?"
        r"|\(\s*[<>\u2265\u2264]=?\s?\d+[^)]*\)",
        " ",
        piece,
    )
    return read_tmb(piece)


def _meet(one: object, two: object) -> object | None:
    if not isinstance(one, Interval) or not isinstance(two, Interval):
        return None
    low, high = max(one.low, two.low), min(one.high, two.high)
    return Interval(low, high) if low <= high else None


def _joined(rows: list[Row], meet: Callable[[object, object], object | None] | None) -> Documented[Any]:
    """One value from several statements: the latest by date, the present before the past, otherwise what they share."""
    if not rows:
        return unknown()
    chosen = rows
    if len({repr(row.value) for row in rows}) > 1:
        dated = [row for row in rows if row.when is not None]
        if len(dated) == len(rows) and len({row.when for row in dated}) > 1:
            last = max(row.when for row in dated if row.when is not None)
            chosen = [row for row in dated if row.when == last]
        else:
            best = max(row.order for row in rows)
            chosen = [row for row in rows if row.order == best]
    value = chosen[0].value
    for row in chosen[1:]:
        both = meet(value, row.value) if meet is not None else (value if value == row.value else None)
        if both is None:
            sources = tuple(item.source for item in chosen)
            return Documented(Status.CONFLICTING, stated=tuple(source.text for source in sources), sources=sources)
        value = both
    return Documented(Status.VALUE, value, sources=tuple(row.source for row in chosen))
