"""Age, sex, performance status and QTc of a note."""

from __future__ import annotations

import re
from collections.abc import Iterable

from equipoise.cases.model import Documented, Interval, Source, Status, unknown
from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.scope import When, dates_of, own_text, searches, tense
from equipoise.cases.narrative.sentences import DIGIT, PATIENT, PERFORMANCE, SCORE, Sentence, having
from equipoise.cases.vocabulary.clinical import ecog_of_kps

_SKIPPED = frozenset({Section.FAMILY, Section.BACKGROUND, Section.ALLERGY})
_AGE = re.compile(
    r"(?<![\d.-])(?P<a>\d{1,3})\s?-?\s?(?:years?|yrs?|yo|y/o|y\.o\.?|y)(?:\s?-?\s?(?:old|o\b"
    r"|of\s+age))?(?P<unit>)(?=[\s,.;:)/-]|$)(?!\s*(?:ago|history|of\s+(?!age)|before|later|after|prior"
    r"|and\s+counting|follow|survival|smok|pack|since))"
    r"|(?<![\d./-])(?P<b>\d{2})\s?-?\s?(?:y/?o?\s?)?(?P<s>[fm])(?=[\s,.;:)/-]|$)|\bage[d]?\s*(?::|is|="
    r"|of)?\s*(?P<c>\d{1,3})(?![\d%/.-])|(?<![\d./-])(?P<s2>[fm])\s?/?\s?(?P<d>\d{2})(?=\s?(?:y|,|\s|;"
    r"|$))(?!\s?/)"
    r"|\b(?:mr|mrs|ms|miss|dr)\.?\s+(?:[a-z][\w'-]*\.?\s+){0,3}?[a-z][\w'-]*\.?,?\s+"
    r"(?:\((?:aged?\s+)?(?P<e>\d{2})\)|(?:is|was|aged)\s+(?P<f>\d{2})(?=\s+and|,|\.|\s+years)"
    r"|(?<=, )(?P<g>\d{2})(?=\s*(?:[,;.)]|$|years?\b)))"
    r"|\b(?:he|she)(?:'s|\s+is)\s+(?P<h>\d{2})(?=\s*(?:[,;.]|and\b|years))|(?:^[\s*\u2022-]{0,3}"
    r"|[|,;/(]\s?)(?P<i>\d{2})\s?(?:y|yrs?|years?)?\s?(?=[/,|]\s?(?:f|m|male|female)\b)|\b(?:f|m|female"
    r"|male)\s?[,/|]\s?(?P<j>\d{2})(?=\s*(?:[,;.|\n]|$))"
    r"|(?:^|[,|;:.]\s?)(?P<k>\d{2})\s?(?:y|yrs?|years?)(?=\s?(?:[,|;]|$))"
    r"|(?<=[a-z] \()(?P<l>\d{2})(?=\s?(?:y|yo|years|,\s?[fm])?\)\s)"
)
_OLD_UNIT = re.compile(r"(?:years?|yrs?)[\s-]?(?:old|of\s+age)|yo|y/o|y\.o|-year-old|years?,|yr,")
_PAST_AGE = re.compile(r"\b(?:at|at\s+the|since|until|from|by|when|diagnosed|died|turned|was|onset)\s*(?:age\s*)?$")
_AGE_WORD_PAST = re.compile(r"\b(?:at|at\s+the|since|until|from|by|before)\s*$")
_FEMALE = re.compile(
    r"\b(?:woman|female|lady|mrs|(?<!\d )(?<!\d)ms|miss|girl|gentlewoman|housewife|mother\s+of\s+\w+"
    r"|grandmother\s+of|postmenopausal|nun)\b"
)
_MALE = re.compile(r"\b(?:man|male|gentleman|mr|boy|father\s+of\s+\w+|grandfather\s+of)\b")
_SEX_FIELD = re.compile(
    r"\b(?:sex|gender)\s*[:=]?\s*(f|m|female|male|w)\b|(?:^|[\s,(/])(\d{2})\s?-?\s?(?:y/?o?|yr|yrs"
    r"|years?)?\s?-?\s?([fm])(?=[\s,.;:)/-]|$)|(?:^|[\s,(/])([fm])\s?[/,]?\s?(\d{2})(?=[\s,.;:)]|$|y)"
    r"|\|\s*([fm])\s*(?:\||$)|\b(?:yo|y/o|year[- ]old|yr[- ]old|y\.o\.)[\s,]+(?:\w+\s+)?([fm])(?=[\s,.;:)]"
    r"|$)"
)
_SHE, _HE = re.compile(r"\b(?:she|her|hers|herself)\b"), re.compile(r"\b(?:he|his|him|himself)\b")

_KIN_OF = {
    "female": re.compile(r"\bher\s+(?:husband|wife|mother|father|sister|brother|aunt|uncle|son|daughter|cousin)\b"),
    "male": re.compile(r"\bhis\s+(?:husband|wife|mother|father|sister|brother|aunt|uncle|son|daughter|cousin)\b"),
}


def read_age(found: list[Sentence]) -> Documented[Interval]:
    """Age in years as stated; two different present ages are conflicting."""
    statements: list[tuple[int, Source]] = []
    for sentence in having(found, PATIENT):
        if sentence.section in _SKIPPED or sentence.section is Section.MEDICATION or not sentence.marks & DIGIT:
            continue
        low = own_text(sentence)
        for match in _AGE.finditer(low):
            number = next(match[name] for name in "abcdefghijkl" if match[name])
            before = low[max(0, match.start() - 24) : match.start()]
            if (
                match["a"]
                and not _OLD_UNIT.search(match[0])
                and not re.match(r"\s*,?\s*(?:f\b|m\b|female|male|man\b|woman)|\s*\)", low[match.end() :])
            ):
                continue
            if match["c"] and (_AGE_WORD_PAST.search(before) or re.search(r"diagnos", before)):
                continue
            past = match["a"] and _PAST_AGE.search(before) and not re.search(r"\b(?:is|was)\s+an?\s*$", before)
            if past and (not re.search(r"\bwas\s*$", before) or "old" not in match[0]):
                continue
            if re.search(r"smok|pack", before) or (match["b"] and re.match(r"\s?\d", low[match.end() :])):
                continue
            years = int(number)
            if 15 <= years <= 110:
                statements.append((years, sentence.source(match.start(), match.end())))
    if not statements:
        return unknown()
    values = {years for years, _ in statements}
    sources = tuple(source for _, source in statements)
    if len(values) > 1:
        if max(values) - min(values) == 1:
            return unknown()
        return Documented(Status.CONFLICTING, stated=tuple(source.text for source in sources), sources=sources)
    years = statements[0][0]
    return Documented(Status.VALUE, Interval(years, years), sources=sources)


def read_sex(found: list[Sentence]) -> Documented[str]:
    """Sex from words, titles, letters beside the age; pronouns when there is nothing else."""
    strong: dict[str, Source] = {}
    weak: dict[str, int] = {}
    first: dict[str, Source] = {}
    for sentence in having(found, PATIENT):
        if sentence.section in _SKIPPED:
            continue
        low = own_text(sentence)
        for name, pattern in (("female", _FEMALE), ("male", _MALE)):
            match = pattern.search(low)
            if match is not None:
                strong.setdefault(name, sentence.source(match.start(), match.end()))
        for match in (
            _SEX_FIELD.finditer(low) if sentence.marks & DIGIT or "sex" in low or "gender" in low or "|" in low else ()
        ):
            letter = match[1] or match[3] or match[4] or match[6] or match[7]
            if letter in {"m", "f", "w", "female", "male"}:
                name = "male" if letter in {"m", "male"} else "female"
                strong.setdefault(name, sentence.source(match.start(), match.end()))
        for name, pattern in () if strong else (("female", _SHE), ("male", _HE)):
            match = pattern.search(low) or _KIN_OF[name].search(sentence.low)
            if match is not None:
                weak[name] = weak.get(name, 0) + 1
                first.setdefault(name, sentence.source(match.start(), match.end()))
    chosen = strong
    if len(strong) == 2:
        return unknown()
    if not strong:
        chosen = {name: first[name] for name in weak}
    if len(chosen) != 1:
        return unknown()
    name, source = next(iter(chosen.items()))
    return Documented(Status.VALUE, name, sources=(source,))


_LINK = (
    r"(?:\s|:|=|-(?=\s)|\(|\)|,|\.(?=\s)|of|is|was|were|as|at|remains?|remained|score[ds]?|stable"
    r"|currently|current|now|today|estimated|assessed|grade|status|approx(?:imately)?|~|still|good|to"
    r"|improved|declined|fell|fallen|deteriorated|worsened|dropped|has|been|ps|who|ecog|performance|scale"
    r"|zubrod|about|maintained|a|on|excellent|poor|clinically|recorded|is\s+at|who/ecog|/|per\s+\w+){0,8}"
)
_GRADE = (
    r"(?P<g>(?:[<>\u2264\u2265]=?\s?)?(?:[0-5](?:\s?(?:-|to|or|/)\s?[0-4])?|iv|iii|ii|i|zero|one|two|three"
    r"|four))(?![\d%]|\.\d|/\d|\s?mg|-\d|[a-z])"
)
_ECOG = re.compile(
    rf"(?<![a-z])(?:ecog(?:[\s/-]{{0,3}}(?:who|ps|performance\s+(?:status|score)))?"
    rf"|who(?:[\s/-]{{0,3}}(?:ecog|ps|performance\s+(?:status|score)))|(?:performance\s+(?:status|score)"
    rf"|ps)(?:\s*\((?:ecog|who|zubrod)\))?|zubrod|p\.s\.)\s*{_LINK}\s*{_GRADE}"
)
_WHO = re.compile(r"\bWHO\s?[:=]?\s?(?P<g>[0-4](?:\s?(?:-|/)\s?[0-4])?)(?![\d%.])(?!\s*(?:grade|class))")
_CHANGE = re.compile(
    r"(?<![a-z])(?:ecog|ps|performance\s+(?:status|score)"
    r"|zubrod)\b[^.;\d]{0,50}?(?:from\s+)?(?P<old>[0-4])\s?(?:to|->|\u2192"
    r"|>)\s?(?P<g>[0-4])(?![\d%])(?=[^.;]*)"
)
_CHANGE_WORD = re.compile(
    r"\b(?:from|declin\w+|deteriorat\w+|improv\w+|worsen\w+|drop\w+|fell|fallen|went|gone|changed"
    r"|increased|decreased)\b|->|\u2192"
)
_THEN_NOW = re.compile(
    r"\s*(?:,\s*)?(?:on|at)\s+(?:admission|presentation|diagnosis|baseline|referral|start)\b[^.;\d]{0,14}?(?P<g>[0-4])\s+"
    r"(?:at\s+discharge|now|today|currently|at\s+present|this\s+(?:week|visit|morning))"
)
_KPS = re.compile(
    r"(?<![a-z])(?:kps|karnofsky)(?:\s+(?:performance\s+)?(?:status|score|index"
    r"|scale))?(?:\s+\(kps\))?\s*(?:\s|:|=|of|is|was|at|score|about|~|now|currently|approximately|today"
    r"|remains){0,6}\s*(?P<k>\d{2,3})(?:\s?%?\s?(?:-|to|/)\s?(?P<k2>\d{2,3}))?(?!\d)"
)
_BED = re.compile(r"\bbed-?\s?(?:bound|ridden)\b")
_WORDS = {"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "i": "1", "ii": "2", "iii": "3", "iv": "4"}
_PAST = re.compile(
    r"\b(?:previous(?:ly)?|prior|initial(?:ly)?|originally|at\s+(?:the\s+time\s+of\s+)?(?:diagnosis"
    r"|presentation|baseline|start|referral)|baseline|earlier|was|had\s+been|last\s+(?:visit|month|year"
    r"|week)|before|used\s+to|pre-?(?:treatment|morbid)|until|admission|in\s+(?:january|february|march"
    r"|april|may|june|july|august|september|october|november|december))\b"
)
_NOW = re.compile(
    r"\b(?:now|today|current(?:ly)?|at\s+present|this\s+(?:visit|week|morning)|at\s+this\s+visit"
    r"|has\s+(?:improved|declined|fallen|dropped|deteriorated|worsened)|improved\s+to|declined\s+to|is)\b"
)
_REQUIRED = re.compile(
    r"\b(?:eligib\w*|requires?|required|criteria|trial|study|enrol\w*|inclusion|approved|label"
    r"|patients\s+with|guideline\w*|if\s+(?:ecog|ps|performance)|should|allowed|limited\s+to|permits?)\b"
)


def read_ecog_field(found: list[Sentence]) -> Documented[frozenset[int]]:
    """Performance status as the set of ECOG grades that are left open, from ECOG, WHO, Zubrod or Karnofsky."""
    rows: list[tuple[frozenset[int], Source, int, When | None]] = []
    bed: Source | None = None
    for sentence in having(found, PERFORMANCE):
        if sentence.section in _SKIPPED:
            continue
        low = own_text(sentence)
        rows.extend(_performance(sentence, low))
        match = _BED.search(low)
        if match is not None:
            bed = sentence.source(match.start(), match.end())
    if not rows:
        if bed is not None:
            return Documented(Status.VALUE, frozenset({3, 4}), sources=(bed,))
        return unknown()
    best = max(order for _, _, order, _ in rows)
    chosen = [row for row in rows if row[2] == best]
    if best < 0:
        chosen = rows
    dated = [row for row in chosen if row[3] is not None]
    if len(chosen) > 1 and dated and len(dated) == len(chosen):
        last = max(row[3] for row in dated if row[3] is not None)
        chosen = [row for row in dated if row[3] == last]
    value = chosen[0][0]
    for grades, _, _, _ in chosen[1:]:
        value &= grades
    sources = tuple(source for _, source, _, _ in chosen)
    if not value:
        return Documented(Status.CONFLICTING, stated=tuple(source.text for source in sources), sources=sources)
    return Documented(Status.VALUE, value, sources=sources)


def _performance(sentence: Sentence, low: str) -> list[tuple[frozenset[int], Source, int, When | None]]:
    matches: list[tuple[int, int, frozenset[int], bool]] = []
    searching = searches(sentence)
    for match in _CHANGE.finditer(low):
        if _CHANGE_WORD.search(match[0]):
            matches.append((match.start(), match.end(), frozenset({int(match["g"])}), True))
    for match in _ECOG.finditer(low):
        if any(start <= match.start() < end for start, end, _, _ in matches):
            continue
        later = _THEN_NOW.match(low, match.end())
        if later is not None:
            matches.append((match.start(), later.end(), frozenset({int(later["g"])}), True))
            continue
        grades = _grades(match["g"])
        if grades and not (
            match["g"] in {"i", "ii", "iii", "iv"}
            and match[0][:2] == "ps"
            and not match[0].rstrip().endswith(match["g"])
        ):
            matches.append((match.start(), match.end(), grades, False))
    for match in _WHO.finditer(sentence.text):
        if not any(start <= match.start() < end for start, end, _, _ in matches) and low[
            match.start() : match.end()
        ].startswith("who"):
            grades = _grades(match["g"])
            if grades:
                matches.append((match.start(), match.end(), grades, False))
    for match in _KPS.finditer(low):
        kps = {int(match["k"])} | ({int(match["k2"])} if match["k2"] else set())
        grades = frozenset(grade for one in kps for grade in ecog_of_kps(one))
        if grades:
            matches.append((match.start(), match.end(), grades, False))
    matches.sort(key=lambda row: row[0])
    stated = dates_of(sentence)
    result = []
    for place, (start, end, grades, changed) in enumerate(matches):
        floor = matches[place - 1][1] if place else 0
        ceiling = matches[place + 1][0] if place + 1 < len(matches) else len(low)
        before, after = low[max(floor, start - 60) : start], low[end : min(ceiling, end + 40)]
        if (
            any(a <= start < b for a, b in searching)
            or _REQUIRED.search(before)
            or re.match(r"\s*(?:is\s+)?(?:required|or\s+(?:less|better|lower)|\w+\s+required)", after)
        ):
            continue
        cut = max(before.rfind(","), before.rfind(";"), before.rfind("("))
        if len(matches) > 1:
            before = before[cut + 1 :]
            stop = re.search(r"[,;]|\band\b", after)
            after = after[: stop.start()] if stop and place + 1 < len(matches) else after
        inner = low[start:end]
        order = (
            1
            if changed
            or _NOW.search(before)
            or _NOW.search(inner)
            or re.search(r"\b(?:now|today|currently|this\s+(?:visit|week|morning))\b", after)
            else (-1 if _PAST.search(before) or _PAST.search(after) or " was " in inner else 0)
        )
        if (
            len(matches) == 1
            and order < 0
            and len(re.findall(r"\b(?:diagnosis|presentation|baseline|previously|prior|earlier)\b", before + after))
            == 0
        ):
            order = 0
        when = next((day for at, _, day in stated if floor <= at < ceiling), None)
        result.append((grades, sentence.source(start, end), order, when))
    return result


def _grades(text: str) -> frozenset[int]:
    text = _WORDS.get(text, text).replace(" ", "").replace("\u2264", "<=").replace("\u2265", ">=")
    match = re.fullmatch(r"(<=|>=|<|>)?([0-5])(?:(?:-|to|or|/)([0-4]))?", text)
    if match is None:
        return frozenset()
    low, high = int(match[2]), int(match[3] or match[2])
    if match[1] == "<=":
        return frozenset(range(low + 1)) & frozenset(range(5))
    if match[1] == ">=":
        return frozenset(range(low, 5))
    if match[1] == "<":
        return frozenset(range(low))
    if match[1] == ">":
        return frozenset(range(low + 1, 5))
    return frozenset(range(low, high + 1)) if low <= high <= 4 else frozenset()


_QTC = re.compile(
    r"\bqt\s?c(?:f|b)?(?:\s?\((?:f|b|fridericia|bazett)\))?(?:\s+interval)?(?:\s|:|=|of|is|was|at|interval"
    r"|now|today|currently|measured|on\s+ecg|\(fridericia\)|~){0,6}(?P<q>[2-6]\d\d)(?!\d)(?:\s?(?:ms|msec"
    r"|milliseconds))?"
)


def read_qtc(found: list[Sentence]) -> Documented[Interval]:
    """QTc in milliseconds; the last one by date or, without dates, only when all agree."""
    rows: list[tuple[int, Source, When | None, int]] = []
    for sentence in having(found, SCORE):
        if sentence.section in _SKIPPED:
            continue
        low = own_text(sentence)
        stated = dates_of(sentence)
        for match in _QTC.finditer(low):
            when = next(
                (day for at, _, day in reversed(stated) if at < match.start()), stated[0][2] if stated else None
            )
            rows.append(
                (
                    int(match["q"]),
                    sentence.source(match.start(), match.end()),
                    when,
                    tense(low[max(0, match.start() - 40) : match.end() + 20]),
                )
            )
    if not rows:
        return unknown()
    values = {row[0] for row in rows}
    chosen: Iterable[tuple[int, Source, When | None, int]] = rows
    if len(values) > 1:
        if all(row[2] is not None for row in rows) and len({row[2] for row in rows}) > 1:
            last = max(row[2] for row in rows if row[2] is not None)
            chosen = [row for row in rows if row[2] == last]
        else:
            best = max(row[3] for row in rows)
            chosen = [row for row in rows if row[3] == best]
        if len({row[0] for row in chosen}) > 1:
            sources = tuple(row[1] for row in rows)
            return Documented(Status.CONFLICTING, stated=tuple(source.text for source in sources), sources=sources)
    rows = list(chosen)
    return Documented(Status.VALUE, Interval(rows[0][0], rows[0][0]), sources=tuple(row[1] for row in rows))
