"""Whose result, when, and whether it is one at all: other people, conditions, searches, dates, past and present."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.sentences import DIGIT, DRUG, ELSEWHERE, PERSON, SCOPE, SEARCH, Sentence
from equipoise.cases.vocabulary.drugs import lexicon
from equipoise.cases.vocabulary.tokens import words

FILLER = "\u00a6"
"""Stands in for text that is not read, one for one, so that places agree."""

_KIN = (
    r"(?:grand)?(?:mother|father|parents?)|mum|mom|dad|sisters?|brothers?|aunts?|uncles?|cousins?"
    r"|daughters?|sons?|niece|nephew|siblings?|twin|wife|husband|spouse"
    r"|relatives?|children|child|kin"
)
_COMPANION = re.compile(
    rf"(?:accompanied|attended|joined|supported|cared for|seen|here|came|come|attends|lives?|living"
    rf"|together|shared|along|visit(?:ed)?)\s+(?:today\s+)?(?:by|with)\s+(?:(?:his|her|their|the|a"
    rf"|both)\s+)?(?:{_KIN}|family|partner)\b"
    rf"|\b(?:with|and|to)\s+(?:(?:his|her|their)\s+)(?:{_KIN}|family|partner)\b(?!\s+(?:has|had|who|with"
    rf"|carries|was|is)\b)"
    rf"|\b(?:his|her|their|the)\s+(?:{_KIN}|family|partner)\s+(?:(?:has\s+|had\s+)?(?:asks?|asked"
    rf"|wish(?:es)?|want(?:s|ed)?|phoned|called|is present|was present|agrees?|reports?|attended|translated"
    rf"|interpreted|prefers?|understands?|confirm(?:s|ed)?|were present|drove|helps|work(?:s|ed)))\b"
)
_PEOPLE = re.compile(
    rf"\b(?:{_KIN}|family\s+history|family\s+hx|fh|fhx|maternal|paternal|familial|(?:a|his|her"
    rf"|my)\s+(?:colleague|friend|neighbou?r)|(?:organ|kidney|stem\s+cell|marrow)\s+donor|another\s+patient|other\s+patients?|different\s+patient"
    rf"|(?:previous|similar|second|index|published|reported)\s+(?:patient|case)"
    r"|case\s+(?:report|series)|in\s+the\s+(?:[a-z0-9-]+\s+)?(?:cohort|literature)|published"
    r"|for\s+comparison|(?:patient|case)\s+(?:discussed|presented|seen)\s+(?:last|earlier|previously)"
    r"|mix(?:ed)?[- ]?up|wrong\s+patient|patients\s+(?:with|whose|who)|in\s+patients)\b"
)
_SELF = re.compile(
    r"\b(?:the\s+patient(?:'s)?(?:\s+(?:himself|herself))?|our\s+patient(?:'s)?|patient's|(?:her"
    r"|his)\s+own|(?:pt|patient)(?:\s+(?:has|had|is|was|shows|tests|tested|carries))?:?|she\s+herself"
    r"|he\s+himself|index\s+lesion|own\s+tumou?r)"
)
_CLAUSE_END = re.compile(r";|,\s*(?:but|whereas|while|however|although|though)\b|\bwhereas\b|\bbut\b|\s-\s|\.\s")
_OTHER_TUMOR = re.compile(
    r"\b(?:(?:synchronous|metachronous|second|contralateral|separate|other|independent)\s+(?:primary"
    r"|tumou?r|primaries|lung\s+primary|nodule|cancer|malignancy)"
    r"|(?:breast|colon|rectal|colorectal|prostate|thyroid|gastric|renal|bladder|ovarian|endometrial"
    r"|pancreatic|skin|cervical|esophageal|oesophageal|kidney|bowel)\s+(?:cancer|carcinoma|primary|tumou?r"
    r"|ca|adenocarcinoma)"
    r"|melanoma|lymphoma|leuka?emia|cll|myeloma)\b"
)
_SEARCH = re.compile(
    r"(?:(?:to\s+)?rule\s+out|r/o|to\s+exclude|looking\s+for|to\s+look\s+for|look\s+for|in\s+search\s+of"
    r"|search(?:ing)?\s+for|screen(?:ing|ed)?\s+for|assess(?:ing|ed)?\s+for|evaluat(?:e|ing|ed)\s+for"
    r"|check(?:ing|ed)?\s+for"
    r"|tests?\s+for|testing\s+for|suspicion\s+of|(?<!not\s)suspect(?:s|ing)?|concern(?:ed)?\s+(?:for"
    r"|about)|worr(?:y|ied)\s+(?:for|about)|query|\?\s?(?=[a-z])|await(?:ing)?\s+(?=(?:the\s+)?(?:result"
    r"|report)s?\s+(?:of|for))"
    r"|whether|to\s+see\s+if|to\s+confirm|to\s+clarify)\b[^;.]*"
    r"|\b(?:(?:unable|not\s+able)\s+to\s+(?:find|locate|confirm|trace)|(?:could|can)\s?not\s+(?:find|locate|trace)"
    r"|do\s+not\s+know|no\s+(?:record|report)\s+of)\b[^;.]{0,60}"
    r"|\?\s?(?=[a-z])[^;.,]*"
    r"|(?:(?<=[.;,] )|^)[\w\s+/-]{2,24}\?\s*(?:no\b|rejected|never)\s*[-,:]?"
)
_CONDITION = re.compile(
    r"(?:(?<![a-z])(?:if|unless|in\s+case\s+of|in\s+the\s+event\s+of|should\s+(?:the|a|an|she|he|this|it"
    r"|there|they|ngs|egfr|alk|ros1|coverage|repeat|further|disease|rebiopsy|molecular|t790m|result\w*"
    r"|tissue|plasma|any|ctdna|met|kras|she|testing|progression)|depending\s+on|provided\s+that"
    r"|once\s+(?:the\s+)?(?:results?|molecular|ngs))\b)"
)
_PANEL = re.compile(
    r"\b(?:panel|assay|test|kit|method(?:ology)?)\s+(?:covers?|covered|includes?|included|interrogates?"
    r"|targets?|comprises?|detects?|assess(?:es)?|consists?|analy[sz]es|evaluates)\b[^;]*"
    r"|\b(?:genes?|panel)\s+(?:tested|covered|analy[sz]ed|assayed|included|sequenced|interrogated"
    r"|on\s+(?:the\s+)?panel)\s*[:(][^;.]*"
    r"|\b(?:trial|study|criteria|protocol|label|indication|guidelines?|arm|cohort|programme"
    r"|program)\s+(?:of|for|in|enrol(?:l?s|ling)|require[sd]?|recruit\w*|excludes?|includes?|covers?"
    r"|applies\s+to|is\s+limited\s+to|mandates?)\b[^;.]*"
    r"|\((?:detects|covers|covering|includes|including|interrogates|assesses|targets|genes(?:\s+tested)?:?)\b[^)]*\)"
    r"|(?<!not )\b(?:approved|indicated|licen[sc]ed|labell?ed|eligible|standard(?:\s+of\s+care)?|active|activity|effective"
    r"|efficacy|benefit\w*|superior)\s+(?:only\s+|well\s+|treatment\s+|therapy\s+)?(?:for|in|against)\b[^;.]*"
    r"|\b(?:eligibility|inclusion|exclusion)\s+(?:criteria\s+)?(?:requires?|includes?|is|are|:)?[^;.]*"
)


def people_spans(low: str, section: Section) -> list[tuple[int, int]]:
    """Parts of a sentence that speak of somebody else's disease."""
    spans: list[tuple[int, int]] = []
    whole = section in {Section.FAMILY, Section.BACKGROUND}
    companions = [match.span() for match in _COMPANION.finditer(low)]
    if whole:
        own = _SELF.search(low)
        spans.append((0, own.start() if own and own.start() > 0 else len(low)))
        return spans
    at = 0
    for match in _PEOPLE.finditer(low):
        if match.start() < at or any(start <= match.start() < end for start, end in companions):
            continue
        begin, end = clause_around(low, match.start())
        own = _SELF.search(low, match.end(), end)
        if own is not None:
            end = own.start()
        before = _SELF.search(low, begin, match.start())
        if before is not None:
            tail = low[before.end() : match.start()]
            begin = before.end() + (tail.rfind(",") if "," in tail else 0)
        spans.append((begin, end))
        at = end
    spans.extend(companions)
    return spans


def clause_around(low: str, place: int) -> tuple[int, int]:
    """The clause that holds a place: between semicolons, "but" and the like."""
    begin, end = 0, len(low)
    for match in _CLAUSE_END.finditer(low):
        if match.end() <= place:
            begin = match.end()
        elif match.start() > place:
            end = match.start()
            break
    return begin, end


def blank(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with these parts taken out, place for place; each part is closed off by semicolons."""
    for start, end in spans:
        width = end - start
        if width <= 0:
            continue
        text = text[:start] + (";" if width == 1 else ";" + FILLER * (width - 2) + ";") + text[end:]
    return text


def own_text(sentence: Sentence) -> str:
    """The folded sentence without what concerns other people."""
    low: str | None = sentence.memo.get("own")
    if low is None:
        low = sentence.memo["own"] = _own_text(sentence)
    return low


def _own_text(sentence: Sentence) -> str:
    low = sentence.low
    if sentence.marks & PERSON or sentence.marks & SCOPE or sentence.section in {Section.FAMILY, Section.BACKGROUND}:
        spans = people_spans(low, sentence.section)
        if spans:
            return blank(low, spans)
    return low


def searches(sentence: Sentence) -> list[tuple[int, int]]:
    """Parts of a sentence that ask rather than state."""
    if not sentence.marks & SEARCH:
        return []
    found: list[tuple[int, int]] | None = sentence.memo.get("search")
    if found is None:
        found = sentence.memo["search"] = search_spans(sentence.low)
    return found


def other_tumors(sentence: Sentence) -> list[tuple[int, int]]:
    """Clauses of a sentence that speak of another tumor of the same patient."""
    if not sentence.marks & ELSEWHERE:
        return []
    found: list[tuple[int, int]] | None = sentence.memo.get("tumors")
    if found is None:
        found = sentence.memo["tumors"] = other_tumor_spans(sentence.low)
    return found


def dates_of(sentence: Sentence) -> list[tuple[int, int, When]]:
    """Dates of a sentence with their places."""
    if not sentence.marks & DIGIT:
        return []
    found: list[tuple[int, int, When]] | None = sentence.memo.get("dates")
    if found is None:
        found = sentence.memo["dates"] = dates(sentence.low)
    return found


_THEN = re.compile(r",\s|;|\bthen\b|$")


def search_spans(low: str) -> list[tuple[int, int]]:
    """Parts that ask rather than state: searches, conditions, scopes of tests, trials and labels."""
    spans = [match.span() for match in _SEARCH.finditer(low)]
    spans.extend(match.span() for match in _PANEL.finditer(low))
    for match in _CONDITION.finditer(low):
        end = _THEN.search(low, match.end())
        spans.append((match.start(), end.start() if end else len(low)))
    return spans


_REMARK = re.compile(r"(?P<before>[a-z0-9][a-z0-9 -]{2,40}?)\s?(?P<remark>\([^()]{2,120}\))")


def remark_spans(sentence: Sentence, low: str) -> list[tuple[int, int]]:
    """Brackets behind a drug in a plan: they give its use or its dose, and are no result of the patient."""
    if sentence.section is not Section.PLAN or not sentence.marks & DRUG or "(" not in low:
        return []
    table = lexicon().table
    spans = []
    for match in _REMARK.finditer(low):
        tokens = words(match["before"])
        for place in range(max(0, len(tokens) - 3), len(tokens)):
            found = table.match(tokens, place)
            if found is not None and found[0].role == "component" and place + found[1] == len(tokens):
                spans.append(match.span("remark"))
                break
    return spans


def other_tumor_spans(low: str) -> list[tuple[int, int]]:
    """Clauses that speak of another tumor of the same patient."""
    spans = []
    at = 0
    for match in _OTHER_TUMOR.finditer(low):
        if match.start() < at:
            continue
        begin, end = clause_around(low, match.start())
        opened = low.rfind("(", begin, match.start())
        if opened >= 0 and ")" not in low[opened : match.start()]:
            closed = low.find(")", match.end(), end)
            begin, end = opened, (closed + 1 if closed >= 0 else end)
        elif "primary" in match[0] and _LUNG.search(low, begin, end):
            continue
        own = _NOW_LUNG.search(low, match.end(), end)
        if own is not None:
            end = own.start()
        spans.append((begin, end))
        at = end
    return spans


_LUNG = re.compile(r"\b(?:lung\s+adeno|lung\s+(?:cancer|tumou?r)|nsclc|adenocarcinoma\s+of\s+the\s+lung)")
_NOW_LUNG = re.compile(
    r"\b(?:now|current(?:ly)?|presents?|presented|new)\b[^;]{0,40}\b(?:lung|nsclc)|\bnsclc\b"
    r"|\blung\s+(?:adeno|cancer)"
)
_MONTHS = {name: place + 1 for place, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())}
_DATE = re.compile(
    r"(?<![\d.])(?P<y>(?:19|20)\d\d)[-/.](?P<m>\d{1,2})(?:[-/.](?P<d>\d{1,2}))?(?![\d%])"
    r"|(?<![\d./-])(?P<d2>\d{1,2})[./](?P<m2>\d{1,2})[./](?P<y2>(?:20)?\d\d)(?![\d%])"
    r"|(?<![\d./-])(?P<m3>0?[1-9]|1[0-2])/(?P<y3>20\d\d|[12]\d)(?![\d/%])"
    r"|(?:(?P<d4>\d{1,2})(?:st|nd|rd|th)?\s+)?\b(?P<m4>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov"
    r"|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?\.?[\s-]{0,2}(?:(?P<d5>\d{1,2})(?:st|nd|rd"
    r"|th)?,\s+)?(?P<y4>(?:19|20)\d\d|'\d\d|\d\d(?![\d%]))"
    r"|(?<![\d./%-])(?P<y5>(?:19|20)\d\d)(?![\d%]|\s?mg|-\d)"
)


_DATE_HINT = re.compile(r"(?:19|20)\d\d|\d[./]\d|[a-z]{3}\.?[\s-]{0,2}'?\d\d")


@dataclass(frozen=True, slots=True, order=True)
class When:
    """A date as precise as it is written; months and days that are not stated are 0."""

    year: int
    month: int = 0
    day: int = 0

    def day_of(self) -> dt.date | None:
        """The day; the first of the month or year where only these are stated. None for an impossible date."""
        try:
            return dt.date(self.year, self.month or 1, self.day or 1)
        except ValueError:
            return None


def dates(low: str) -> list[tuple[int, int, When]]:
    """Dates in a sentence with their places."""
    found: list[tuple[int, int, When]] = []
    if _DATE_HINT.search(low) is None:
        return found
    for match in _DATE.finditer(low):
        group = match.groupdict()
        if group["y"]:
            when = When(int(group["y"]), int(group["m"]), int(group["d"] or 0))
        elif group["y2"]:
            one, two = int(group["d2"]), int(group["m2"])
            if two > 12:
                one, two = two, one
            when = When(_year(group["y2"]), two, one)
        elif group["y3"]:
            when = When(_year(group["y3"]), int(group["m3"]))
        elif group["m4"]:
            when = When(_year(group["y4"]), _MONTHS[group["m4"]], int(group["d4"] or group["d5"] or 0))
        else:
            when = When(int(group["y5"]))
        if when.month <= 12 and when.day <= 31 and 1950 <= when.year <= 2100:
            found.append((match.start(), match.end(), when))
    return found


def _year(text: str) -> int:
    number = int(text.lstrip("'"))
    return number + 2000 if number < 100 else number


_PAST = re.compile(
    r"\b(?:previous(?:ly)?|prior|initial(?:ly)?|original(?:ly)?|at\s+(?:first\s+|initial\s+"
    r"|primary\s+)?(?:diagnosis|presentation|baseline)|baseline|first\s+biopsy|diagnostic\s+biopsy|earlier"
    r"|formerly|had\s+been"
    r"|pre-?treatment|old|archival|before\s+(?:treatment|osimertinib)|in\s+the\s+past|last\s+(?:visit"
    r"|month|year)|historic(?:al)?|used\s+to|was\s+(?=\d|ecog|ps)|from)\b"
)
_NOW = re.compile(
    r"\b(?:now|today|current(?:ly)?|present(?:ly)?(?=\s+(?:ecog|ps|stage))|repeat(?:ed)?|re-?biops(?:y"
    r"|ied)|at\s+progression|on\s+progression|at\s+relapse|latest|most\s+recent|recent(?:ly)?|new(?:ly)?"
    r"|re-?stag(?:ed|ing)|updated?|corrected"
    r"|amended|amendment|addendum|revised|subsequent(?:ly)?|follow-?up|at\s+recurrence|recurrent"
    r"|post-?progression|at\s+this\s+(?:visit|time)|this\s+(?:week|month|morning)|(?:has\s+)?(?:fallen"
    r"|declined|deteriorated|improved|dropped|worsened)\s+to|to\s+(?=[0-4]\b))\b"
)


def tense(low: str) -> int:
    """-1 for words of the past, 1 for words of the present, 0 for neither or both."""
    return (1 if _NOW.search(low) else 0) - (1 if _PAST.search(low) else 0)
