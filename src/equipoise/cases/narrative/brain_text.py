"""Brain metastases of a note: absent, present, treated or untreated."""

from __future__ import annotations

import re

from equipoise.cases.model import Documented, Source, Status, unknown
from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.scope import When, blank, dates_of, own_text, searches
from equipoise.cases.narrative.sentences import BRAIN, Sentence

_SITE = (
    r"(?:brain|intracranial|cns|cerebral|cranial|cerebellar|intra-cranial|central\s+nervous\s+system"
    r"|(?:frontal|parietal|occipital|temporal)(?:\s+lobe)?|pontine|head)"
)
_LESION = (
    r"(?:metasta(?:s[ei]s|tic\s+(?:disease|deposits?|lesions?|foci))|mets?|lesions?|deposits?|disease"
    r"|involvement|spread|tumou?rs?|foci|progression|recurrence|relapse|metastatic\s+disease|nodules?)"
)
_ABSENT = re.compile(
    rf"\b(?:no|without(?:\s+any)?|no\s+evidence\s+(?:of|for)|negative\s+for|free\s+of|absence\s+of|nil"
    rf"|not\s+show(?:\s+any)?|denies|no\s+sign(?:s)?\s+of|excluded|did\s+not\s+(?:show|reveal"
    rf"|demonstrate)(?:\s+any)?)\s+(?:(?:known|new|evidence\s+of|definite|acute|suspicious|any|focal"
    rf"|enhancing|or|and|other|extracranial|obvious|radiological|residual"
    rf"|remaining)\s+)*{_SITE}(?:\s+or\s+\w+)?\s+(?:\w+\s+)?{_LESION}"
    rf"|\b(?:mri|mr|ct|imaging|scan)\s+(?:of\s+)?(?:his|her"
    rf"|the)?\s*(?:{_SITE}\s+)?(?:\w+\s+){{0,3}}?(?:did\s+not|has\s+not|have\s+not|has\s+shown|showed|shows"
    rf"|revealed)\s+(?:show|reveal|demonstrate|identify)?\s*(?:any\s+"
    rf"|no\s+)(?:evidence\s+of\s+)?(?:\w+\s+)?(?:metasta\w+|mets|lesions?)"
    rf"|\b(?:of|on)\s+(?:his|her|the)\s+brain\b[^.;]{{0,24}}\bno\s+(?:evidence\s+of\s+)?(?:\w+\s+)?(?:metasta\w+|disease|lesions?)|\bparenchymal\s+(?:brain\s+)?mets?\s*:?\s*none|\bmri\s?-(?=\s|[.,;]|$)"
    rf"|\b(?:ct|mri|mr)\s+(?:head|brain)\s+(?:with\s+contrast\s+|with\s+gad\w*\s+"
    rf"|done\s+)?(?:[\d/.-]+\s*)?:?\s*(?:clear|fine|ok|okay|normal|neg\w*|w/o\s+(?:mets|metasta\w+|lesions?"
    rf"|evidence)|no\s+mets|no\s+metasta\w+)|\bbrain\s+(?:mri"
    rf"|ct)\s+(?:done\s+)?(?:[\d/.-]+\s*)?:?\s*(?:w/o\s+(?:mets|metasta\w+|lesions?)|no\s+mets)"
    rf"|\b{_SITE}\s+(?:metasta\w+|mets?|disease|involvement)\s*(?::|=|-|were|was|are|is)?\s*(?:none|no\b"
    rf"|absent|negative|not\s+(?:present|seen|detected|identified|found|known)|excluded|denied|nil"
    rf"|ruled\s+out|n\b(?!/|ot))"
    r"|\b(?:mri|mr|ct|imaging|scan)\s*(?:of\s+(?:the\s+)?)?(?:brain|head|cranial|cerebral"
    r"|neuroaxis)?(?:\s+(?:mri|scan|imaging|ct))?\s*(?:on\s+[\w/ .-]{4,18}|in\s+[a-z]+\s+\d{4}"
    r"|\([^()]{0,30}\)|dated\s+[\w/.-]+|[\d/.-]{6,10}|today|\w+\s+\d{4})?\s*(?:is|was|remains|remained"
    r"|shows?|showed|:|=|-|,|came\s+back|reported)?\s*(?:clear|negative|neg\b|normal|unremarkable|clean"
    r"|clr|without\s+(?:any\s+)?(?:evidence\s+of\s+)?(?:metasta\w+|mets|disease|lesions?)"
    r"|no\s+(?:evidence\s+of\s+)?(?:(?:intracranial|brain|suspicious|focal|enhancing"
    r"|acute)\s+)*(?:metasta\w+|mets?|lesions?|disease|abnormalit\w+|deposits?)|free\s+of|nad|ned|neg)"
    rf"|\bbrain\s*(?::|-|=)?\s*(?:clear|negative|neg\b|clean|normal|free|no\s+(?:mets|metasta\w+|lesions?|disease)|w/o\s+mets)"
    rf"|\b(?:brain|cns|neuro)\s+imaging\s+(?:\w+\s+){{0,2}}(?:clear|negative|normal|unremarkable)"
    rf"|\bbrain\s+(?:is|was)\s+(?:clear|clean|negative|normal)"
)
_PRESENT = re.compile(
    rf"\b{_SITE}\s+(?:and\s+\w+\s+|\(\w+\)\s+)?(?:parenchymal\s+|oligo-?)?(?:metasta(?:s[ei]s|tic)|mets?\b"
    rf"|deposits?|disease\b(?!\s*:?\s*(?:absent|none))|lesions?|involvement|progression|recurrence|relapse"
    rf"|foci)"
    rf"|\b(?:metasta(?:s[ei]s|tic(?:\s+disease)?|si[sz]ed)|mets|lesions?|deposits?|spread"
    rf"|foci)\b[^.;]{{0,50}}?\b(?:in|to|within|of|at"
    rf"|involving)\s+(?:the\s+)?(?:[\w-]+,?\s+(?:and\s+)?){{0,4}}?(?:brain|cerebellum|cerebrum|cns"
    rf"|(?:frontal|parietal|occipital|temporal)\s+lobe)"
    r"|\bbrain\s*(?:mri)?\s*:\s*(?!\s*(?:no\b|neg|clear|none|pend|not\b|w/o"
    r"|without))[^.;]{0,40}?\b(?:mets?|metasta\w+|lesions?)\b"
    r"|\bbrain\s*\([^)]{0,40}(?:untreated|asymptomatic|treated|srs|wbrt)|\b(?:mets?|metasta\w+|incl\.?"
    r"|including|stage\s+iv\w*|ivb|spread)\b[^.;:]{0,40}\bbrain\b(?!\s*(?:mri|scan|imaging|ct))"
    r"|\b(?:mri|mr|ct)\b[^.;]{0,30}\bshows?\s+(?:\w+\s+){0,2}previously\s+(?:radiated|irradiated|treated)\s+lesions?"
    r"|\bmetastas[ei]s?\s*:\s*[^.;]{0,40}\bbrain\b|\bmets?\s*:?\s*(?:[a-z]+[,/ &+]\s?(?:and\s)?){0,4}brain\b"
    r"|\b(?:mri|mr|ct)\b[^.;]{0,40}\b(?:brain|head)\b[^.;]{0,40}?(?:shows?|showed|reveal\w*|demonstrat\w*"
    r"|with|:|found|:)\s*[^.;]{0,40}?(?:metasta\w+|lesions?|mets\b)"
)
_OPEN = re.compile(
    r"\b(?:pending|awaited|awaiting|to\s+(?:be\s+)?(?:done|follow|booked|arranged|scheduled)"
    r"|not\s+(?:yet\s+)?(?:done|performed|imaged|available|obtained|assessed|documented)"
    r"|not\s+been\s+(?:imaged|done|performed)|scheduled|ordered|requested|booked|planned|suspect\w*"
    r"|suspicious|concerning|possible|possibly|indeterminate|equivocal|unknown|outstanding|needs?|due|arrange|order"
    r"|obtain|repeat\s+mri|contraindicated|cannot\s+be\s+excluded|query|questionable|unclear"
    r"|not\s+documented|tbd|tbc)\b"
)
_TREATED = re.compile(
    r"\b(?:srs|stereotactic\s+radiosurgery|radiosurgery|wbrt|whole[- ]brain(?:\s+\w+)?|gamma[- ]?knife"
    r"|cyber-?knife|fsrt|irradiat\w+|radiated|radiation|radiotherapy|craniotomy|resect\w+|metastasectomy"
    r"|(?<!un)treated|hsrt|stereotactic)\b"
)
_UNTREATED = re.compile(
    r"\b(?:awaiting|awaits|planned\s+for|scheduled\s+for|due\s+for|booked\s+for|to\s+receive"
    r"|before)\s+(?:srs|wbrt|radiosurgery|gamma[- ]?knife|whole[- ]brain|stereotactic\s+radio\w+)"
    r"|\b(?:untreated|not\s+(?:yet\s+|been\s+|previously\s+)*(?:treated|irradiated"
    r"|received\s+(?:any\s+)?(?:local|rt|radiation\w*))|no\s+(?:local\s+(?:therapy|treatment)"
    r"|(?:prior\s+)?(?:srs|radiation|radiotherapy|rt|brain\s+(?:radiation|radiotherapy|rt|irradiation))"
    r"|cns[- ]directed\s+therapy)|without\s+(?:any\s+)?(?:local|radi\w+|srs|treatment)\s*\w*"
    r"|treatment[- ]naive|never\s+(?:treated|irradiated)|has\s+not\s+had\s+(?:srs|radi\w+|local))"
)
_NEW = re.compile(r"\b(?:new|additional|further|growing|enlarging|progressive|progressing)\b")
_PLAN_WORDS = re.compile(
    r"\b(?:plan\w*|will|to\s+receive|recommend\w*|refer\w*|for\s+srs|for\s+wbrt|consider|propose\w*"
    r"|scheduled|awaiting|should|offer\w*|to\s+undergo|defer\w*|hold|omit|declin\w+|discuss\w*"
    r"|candidate)\b"
)


def read_brain(found: list[Sentence]) -> Documented[frozenset[str]]:
    """Brain metastases: ABSENT, or what is left open of treated and untreated."""
    rows: list[tuple[str, Source, When | None]] = []
    treated: list[tuple[Source, bool]] = []
    untreated: Source | None = None
    for number, sentence in enumerate(found):
        if not sentence.marks & BRAIN:
            if (
                rows
                and rows[-1][0] == "present"
                and number
                and _TREATED.search(sentence.low)
                and re.search(
                    r"\b(?:srs|radiosurgery|wbrt|whole[- ]brain|gamma[- ]?knife|cyber-?knife|craniotomy)\b",
                    sentence.low,
                )
            ):
                _note_treatment(sentence, sentence.low, treated)
            continue
        if sentence.section in {Section.FAMILY, Section.BACKGROUND, Section.ALLERGY}:
            continue
        low = own_text(sentence)
        searching = searches(sentence)
        if searching:
            low = blank(low, searching)
        mentions = _mentions(sentence, low)
        rows.extend(mentions)
        if any(kind == "present" for kind, _, _ in mentions) or (
            rows and any(kind == "present" for kind, _, _ in rows)
        ):
            _note_treatment(sentence, low, treated)
            match = _UNTREATED.search(low)
            if match is not None and sentence.section is not Section.PLAN:
                untreated = sentence.source(match.start(), match.end())
    return _decided(rows, treated, untreated)


def _note_treatment(sentence: Sentence, low: str, treated: list[tuple[Source, bool]]) -> None:
    plain = _UNTREATED.sub(lambda one: "\u00a6" * len(one[0]), low)
    for match in _TREATED.finditer(plain):
        before = plain[max(0, match.start() - 50) : match.start()]
        planned = sentence.section is Section.PLAN or _PLAN_WORDS.search(before) is not None
        if planned:
            continue
        word = match[0]
        if word in {"radiation", "radiotherapy", "treated", "stereotactic"} or word.startswith(
            ("irradiat", "resect", "radiated")
        ):
            around = plain[max(0, match.start() - 60) : match.end() + 50]
            if not re.search(
                r"\b(?:brain|cns|cerebral|cranial|intracranial|cerebellar|metasta\w+|mets|lesions?)\b", around
            ) or re.search(
                r"\b(?:thoracic|lung|mediastin\w+|hip|spine|bone|chest|lobectomy|lobe\s+resect|primary)\b", around
            ):
                continue
        treated.append((sentence.source(match.start(), match.end()), _NEW.search(low) is not None))


def _mentions(sentence: Sentence, low: str) -> list[tuple[str, Source, When | None]]:
    rows: list[tuple[str, Source, When | None]] = []
    stated = dates_of(sentence)

    def when(at: int) -> When | None:
        before = [day for start, _, day in stated if start <= at]
        return before[-1] if before else (stated[0][2] if stated else None)

    taken: list[tuple[int, int]] = []
    for match in _ABSENT.finditer(low):
        if (
            re.match(r"[^.;,]{0,20}\b(?:pending|awaited)", low[match.end() :])
            or "new" in match[0].split()
            or "residual" in match[0]
            or "progression" in match[0]
        ):
            taken.append(match.span())
            continue
        taken.append(match.span())
        rows.append(("absent", sentence.source(match.start(), match.end()), when(match.start())))
    for match in _PRESENT.finditer(low):
        if any(start < match.end() and match.start() < end for start, end in taken):
            continue
        begin = (
            max(
                low.rfind(";", 0, match.start()),
                low.rfind(". ", 0, match.start()),
                low.rfind(", but", 0, match.start()),
            )
            + 1
        )
        ends = [place for place in (low.find(";", match.end()), low.find(", ", match.end())) if place >= 0]
        end = min([*ends, len(low)])
        clause = low[max(begin, match.start() - 60) : min(end, match.end() + 50)]
        tail = low[match.end() : match.end() + 60]
        if re.match(r"[^.;]{0,40}\b(?:concerning|suspicious|suspected)\b", tail):
            continue
        if _OPEN.search(clause) and not re.search(r"consistent\s+with|confirmed|known|stable|treated", clause):
            continue
        if re.search(
            r"\b(?:no|not|without|denies|negative|never|risk\s+of|screen\w*|exclude\w*|penetrat\w*|activity"
            r"|efficacy|monitor\w*|surveillance|protect\w*)\b[^;,]*$",
            low[max(begin, match.start() - 45) : match.start()],
        ):
            continue
        if re.match(
            r"\s*(?:activity|penetration|efficacy|response\s+rate|surveillance|monitoring|screening|protection"
            r"|penetrat\w+)",
            low[match.end() :],
        ):
            continue
        rows.append(("present", sentence.source(match.start(), match.end()), when(match.start())))
    if not rows and re.search(
        r"\bbrain\s+mets?\s*:\s*(?:yes|y\b|present|positive|\+)|\bbrain\s+metastases\s*:\s*(?:yes|present)", low
    ):
        rows.append(("present", Source("note", sentence.text, sentence.start, sentence.end), None))
    return rows


def _decided(
    rows: list[tuple[str, Source, When | None]], treated: list[tuple[Source, bool]], untreated: Source | None
) -> Documented[frozenset[str]]:
    if not rows:
        return unknown()
    kinds = {kind for kind, _, _ in rows}
    if len(kinds) == 2:
        dated = [row for row in rows if row[2] is not None]
        if len(dated) == len(rows) or (dated and len({row[0] for row in dated}) == 2):
            last = max(row[2] for row in dated if row[2] is not None)
            newest = {row[0] for row in dated if row[2] == last}
            if len(newest) == 1:
                kinds = newest
    present = [source for kind, source, _ in rows if kind == "present"]
    absent = [source for kind, source, _ in rows if kind == "absent"]
    if len(kinds) == 2:
        if treated:
            kinds = {"present"}
        else:
            sources = (*present, *absent)
            return Documented(Status.CONFLICTING, stated=tuple(source.text for source in sources), sources=sources)
    if kinds == {"absent"}:
        return Documented(Status.ABSENT, sources=tuple(absent))
    if untreated is not None:
        return Documented(Status.VALUE, frozenset({"untreated"}), sources=(*present, untreated))
    if treated:
        return Documented(Status.VALUE, frozenset({"treated"}), sources=(*present, treated[0][0]))
    return Documented(Status.VALUE, frozenset({"treated", "untreated"}), sources=tuple(present))
