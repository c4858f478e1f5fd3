"""Prior systemic therapies of a note: courses in order with their outcomes, or the statement that there were none."""

from __future__ import annotations

import re
from itertools import pairwise

from equipoise.cases.model import Documented, Outcome, PriorTherapy, Source, Status, unknown
from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.mentions import Event, Turn
from equipoise.cases.narrative.scope import own_text
from equipoise.cases.narrative.sentences import NAIVE, Sentence, having
from equipoise.cases.narrative.therapies import LOCAL_NAMES
from equipoise.cases.vocabulary.drugs import covers, drug, is_cytotoxic, is_group

_ADJ = (
    r"(?:systemic\s+|oncologic(?:al)?\s+|anti-?\s?cancer\s+|cancer[- ]directed\s+|lines?\s+of\s+"
    r"|antineoplastic\s+|anti-?tumou?r\s+|drug\s+|cancer\s+|sys\s+)"
)
_CARE = r"(?:therap(?:y|ies)|treatments?|lines?|tx|rx|tto)"
_NONE = re.compile(
    r"(?<![a-z-])(?<!chemo )(?<!chemotherapy )(?<!immunotherapy )(?<!io )(?<!tki )(?<!ici )(?<!immuno )(?<!osimertinib )"
    r"(?:(?:systemic[\s-]+)?(?:treatment|therapy|tx|rx|systemic[\s-]+therapy|systemic)[\s-]*na(?:i|\u00ef)ve"
    r"|na(?:i|\u00ef)ve(?=\s*(?:[,.;)]|$|-+>|\u2192|and\b))"
    r"|(?:previously\s+|hitherto\s+|so\s+far\s+)?(?:untreated|untx'?d)(?=\s*(?:[,.;)]|$|and\b|metastatic"
    r"|stage|advanced|nsclc|lung|adeno|disease|patient|egfr|alk|ros1|kras|non))"
    rf"|(?:no|nil|without(?:\s+any)?)\s+(?:known\s+)?(?:prior|previous|previos|preceding|past|earlier"
    rf"|prev)\s+{_ADJ}*{_CARE}|nil\s+prev(?:ious)?\b"
    rf"|(?:no|nil)\s+{_ADJ}+{_CARE}(?:\s+(?:ever|so\s+far|to\s+date|yet|given|received|before|previously"
    rf"|has\s+(?:ever\s+)?been\s+given))?"
    rf"|(?:no|nil)\s+{_CARE}\s+(?:so\s+far|to\s+date|yet|given|received|before|previously|until\s+now"
    rf"|as\s+yet|for\s+(?:the|her|his|this)\s+(?:lung\s+)?cancer)|(?:no|nil)\s+(?:treatment|therapy"
    rf"|tx)(?=\s*(?:[.;,)]|$|yet))"
    rf"|(?:has|have|had)\s+(?:not|never)\s+(?:yet\s+)?(?:received|had|been\s+given"
    rf"|started)\s+(?:any\s+)?(?:prior\s+|previous\s+)*{_ADJ}*{_CARE}|(?:has|have"
    rf"|had)\s+had\s+no\s+(?:prior\s+|previous\s+)*{_ADJ}*{_CARE}"
    rf"|never\s+(?:received|had|been\s+given)\s+(?:any\s+)?(?:prior\s+|previous\s+)*{_ADJ}*{_CARE}"
    r"|(?:has|have|had|had)\s+(?:had\s+)?nothing\s+(?:so\s+far|yet|to\s+date)"
    r"|not\s+had\s+anything\s+(?:yet|so\s+far)|nothing\s+yet|(?:therapy|treatment|tx)\s+(?:so\s+far"
    r"|to\s+date)\s*:?\s*(?:nil|none)|not\s+yet\s+on\s+(?:any\s+)?(?:treatment|therapy)"
    r"|never\s+(?:been\s+)?treated"
    r"|not\s+(?:yet\s+|been\s+|previously\s+)*(?:treated|received\s+(?:any\s+)?(?:systemic\s+)?(?:therapy"
    r"|treatment))(?=\s*(?:[,.;)]|$|so\s+far|systemically|for)))"
    r"(?!\s*(?:since|after)\b)"
)
_VALUE_NONE = re.compile(
    r"\s*(?:none|nil|no|nothing|-|0|none\s+to\s+date|not\s+applicable|n/a|na(?:i|\u00ef)ve|untreated"
    r"|none\s+yet|none\s+so\s+far|no,?\s+nothing\s+yet"
    r"|\[\s?\]\s*yes\s*\[\s?x\s?\]\s*no)\s*(?:\([^)]*\))?\s*[.;,]?\s*(?:$|[.;])"
)
_VALUE_UNKNOWN = re.compile(
    r"\s*(?:unknown|not\s+(?:documented|known|available|stated|recorded)|unclear|records?\s+(?:awaited"
    r"|requested|pending)|\?+|pending|n/?k)\b"
)
_QUALIFIED = re.compile(r"\s*(?:for|in)\s+(?:the\s+)?(?:metastatic|advanced|stage\s+iv|recurrent)")
_DOUBT = re.compile(r"\b(?:brain|cns|lesions?|metastases|mets|not|if|whether|unless)\s+(?:\w+\s+)?$")
_SITE = re.compile(r"\b(?:brain|cns|lesions?|metasta\w+|mets|adrenal|bone)\b")
_INHERIT = frozenset({Outcome.UNKNOWN, Outcome.ONGOING})


def read_history(
    note: str, found: list[Sentence], events: list[Event], turns: list[Turn]
) -> tuple[Documented[tuple[PriorTherapy, ...]], list[PriorTherapy]]:
    """What a note documents of systemic therapy before.

    Args:
        note: the text.
        found: its sentences.
        events: mentions of therapies.
        turns: progression, toxicity or completion stated without a drug.

    Returns:
        The field, and the courses read (also when the field is conflicting).
    """
    courses = _courses(note, events, turns)
    none = _stated_none(found)
    if none is not None:
        qualified, source = none
        if not courses:
            return Documented(Status.ABSENT, sources=(source,)), []
        if not qualified and any(
            course.source.start is not None and course.outcome is not Outcome.ONGOING for course in courses
        ):
            texts = (source.text, *(course.source.text for course in courses))
            return Documented(
                Status.CONFLICTING, stated=texts, sources=(source, *(course.source for course in courses))
            ), courses
        if not qualified:
            return Documented(Status.ABSENT, sources=(source,)), []
    if not courses:
        return unknown(), []
    return Documented(Status.VALUE, tuple(courses), sources=tuple(course.source for course in courses)), courses


def _stated_none(found: list[Sentence]) -> tuple[bool, Source] | None:
    for sentence in having(found, NAIVE):
        if sentence.section in {
            Section.FAMILY,
            Section.BACKGROUND,
            Section.MEDICAL,
            Section.ALLERGY,
            Section.MEDICATION,
        }:
            continue
        if sentence.section is Section.HISTORY and sentence.fresh and _therapy_heading(sentence.heading):
            value = _VALUE_NONE.match(sentence.low)
            if value is not None:
                end = value.end()
                return False, Source(
                    "note",
                    sentence.text[:end].strip(),
                    sentence.start,
                    sentence.start + len(sentence.text[:end].rstrip()),
                )
        low = own_text(sentence)
        for match in _NONE.finditer(low):
            if "treated" in match[0] and _SITE.search(low, 0, match.start()):
                continue
            if _DOUBT.search(low[max(0, match.start() - 24) : match.start()]):
                continue
            start, end = sentence.start + match.start(), sentence.start + match.end()
            return _QUALIFIED.match(low, match.end()) is not None, Source(
                "note", sentence.text[match.start() : match.end()], start, end
            )
    return None


def _therapy_heading(heading: str) -> bool:
    words = set(heading.split())
    return bool(
        words
        & {
            "therapy",
            "therapies",
            "treatment",
            "treatments",
            "tx",
            "lines",
            "line",
            "rx",
            "systemic",
            "oncologic",
            "oncological",
            "prior",
            "previous",
            "pretreatment",
        }
    )


class _Course:
    """One course while it is being put together."""

    __slots__ = ("components", "end", "ended", "first", "line", "outcome", "settings", "start", "when")

    def __init__(self, event: Event) -> None:
        self.components = list(event.components)
        self.outcome = event.outcome
        self.line = event.line
        self.settings = set(event.settings)
        self.start, self.end = event.start, event.end
        self.when = event.when
        self.ended = event.ended
        self.first = event


def _courses(note: str, events: list[Event], turns: list[Turn]) -> list[PriorTherapy]:
    found: list[_Course] = []
    marks: list[tuple[int, Event | Turn]] = [
        (event.start, event) for event in events if event.kind == "drug" and event.role == "prior"
    ]
    marks.extend((turn.start, turn) for turn in turns)
    marks.sort(key=lambda row: row[0])
    for _, one in marks:
        if isinstance(one, Turn):
            if found and found[-1].outcome in _INHERIT and one.sentence - found[-1].first.sentence <= 4:
                if one.outcome is Outcome.COMPLETED and found[-1].outcome is Outcome.ONGOING:
                    continue
                found[-1].outcome = one.outcome
            continue
        if set(one.components) <= LOCAL_NAMES:
            _local(found, one)
            continue
        known = None if one.again else _same(found, one)
        if known is None:
            found.append(_Course(one))
        else:
            _merge(known, one)
    for before, course in pairwise(found):
        if (
            course.components == ["durvalumab"]
            and not course.settings
            and "radiotherapy" in before.components
            and any(is_cytotoxic(name) for name in before.components)
        ):
            course.settings.add("consolidation")
    if any(course.line is not None for course in found) and all(course.line is not None for course in found):
        found.sort(key=lambda course: course.line or 0)
    kept = [frozenset(event.components) for event in events if event.role == "rec" and event.action == "continue"]
    if found and found[-1].outcome is Outcome.UNKNOWN and frozenset(found[-1].components) in kept:
        found[-1].outcome = Outcome.ONGOING
    switched = any(event.role == "rec" and event.action == "switch" for event in events)
    if (
        found
        and switched
        and found[-1].outcome is Outcome.ONGOING
        and any(turn.outcome is Outcome.PROGRESSED for turn in turns)
    ):
        found[-1].outcome = Outcome.PROGRESSED
    return [_therapy(note, course) for course in found]


def _local(found: list[_Course], event: Event) -> None:
    """Radiation named beside chemotherapy that has just been named ("with concurrent radiation")."""
    if "radiotherapy" in event.components and found and event.link in {"and", "join"} and not event.local:
        last = found[-1]
        if (
            last.first.sentence == event.sentence
            and any(is_cytotoxic(name) for name in last.components)
            and event.start - last.end < 30
            and "chemoradiation" in event.settings
        ):
            last.components.append("radiotherapy")
            last.settings |= event.settings


def _same(found: list[_Course], event: Event) -> _Course | None:
    """The course that a later mention speaks of: the same drugs, a part of them, or their group."""
    names = set(event.components) - {"surgery"}
    for course in reversed(found):
        held = set(course.components)
        if names == held:
            return course
    if found and found[-1].first.maintenance and set(found[-1].components) < names and event.outcome is Outcome.UNKNOWN:
        found[-1].components = list(event.components)
        found[-1].first = event
        return found[-1]
    for course in reversed(found):
        held = set(course.components)
        if event.line is not None and course.line is not None and event.line != course.line:
            continue
        if all(name in held or (is_group(name) and not held.isdisjoint(covers(name))) for name in names):
            if event.line is not None and course.line is None and names != held and not event.maintenance:
                continue
            if (
                len(names) < len(held)
                and event.when is not None
                and course.when is not None
                and event.when > course.when
                and not event.maintenance
                and event.outcome is not Outcome.PROGRESSED
                and course.outcome is Outcome.PROGRESSED
            ):
                continue
            return course
    last = found[-1] if found else None
    if (
        last is not None
        and any(is_group(name) for name in last.components)
        and "immune-checkpoint-inhibitor" not in last.components
    ):
        near = event.sentence - last.first.sentence <= 1 or "radiotherapy" in last.components
        if near and all(
            name in names or (is_group(name) and not names.isdisjoint(covers(name))) for name in last.components
        ):
            last.components = list(event.components)
            if event.outcome is not Outcome.UNKNOWN:
                last.outcome = event.outcome
            last.ended = last.ended or event.ended
            last.first = event
            return last
    return None


def _merge(course: _Course, event: Event) -> None:
    if event.outcome is not Outcome.UNKNOWN and (
        course.outcome is Outcome.UNKNOWN
        or (course.outcome is Outcome.ONGOING and event.outcome is not Outcome.ONGOING)
        or (event.outcome is Outcome.PROGRESSED and course.outcome is not Outcome.TOXICITY)
    ):
        course.outcome = event.outcome
    if event.stopped and course.outcome is Outcome.ONGOING:
        course.outcome = Outcome.UNKNOWN
    course.line = course.line or event.line
    course.ended = course.ended or event.ended
    if not event.maintenance:
        course.settings |= event.settings


def _therapy(note: str, course: _Course) -> PriorTherapy:
    event = course.first
    setting = frozenset(course.settings) if course.settings else None
    if (
        setting is None
        and "radiotherapy" in course.components
        and any(is_cytotoxic(name) for name in course.components)
    ):
        setting = frozenset({"chemoradiation"})
    if setting is not None and "neoadjuvant" in setting:
        setting = frozenset({"neoadjuvant"})
    return PriorTherapy(
        drugs=frozenset(name for name in course.components if drug(name) is not None and name != "surgery"),
        outcome=course.outcome,
        setting=setting,
        line=course.line,
        ended=course.ended.day_of() if course.ended is not None else None,
        source=Source("note", note[event.start : event.end], event.start, event.end),
    )
