"""Stage and setting of a note, as sets of what it leaves open."""

from __future__ import annotations

import re
from dataclasses import dataclass

from equipoise.cases.model import Documented, Source, Status, unknown
from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.scope import When, blank, dates_of, other_tumors, own_text, searches
from equipoise.cases.narrative.sentences import SETTING, STAGE, Sentence, having
from equipoise.cases.vocabulary.setting import settings_of_stage
from equipoise.cases.vocabulary.stage import read_stage
from equipoise.cases.vocabulary.tnm import find_tnm

_STAGE = re.compile(
    r"(?<![a-z])(?:(?:ajcc|uicc|clinical|pathologic(?:al)?|current|anatomic)\s+)?(?:stage|staged(?:\s+as)?"
    r"|st(?:g|age)?\.?)\s*(?:group(?:ing)?)?\s*(?:was|is|as|now|at|:|=|-)?\s*(?:clinical(?:ly)?\s+"
    r"|pathologic(?:al(?:ly)?)?\s+|[cp](?=i))?"
    r"(?P<a>(?:iv|iii|ii|i|[1-4]|four|three|two|one)\s?(?:[abc](?![a-z]))?[123]?|0)(?:\s?(?P<join>-|/|to"
    r"|or)\s?(?:stage\s+)?(?P<b>(?:iv|iii|ii|i|[1-4])(?:\s?[abc])?[123]?))?(?![a-z0-9%])"
    r"|(?<=[a-z)] )(?<![a-z0-9] iv )(?P<alone>iv|iii)(?=\s*(?:[,.;)]|$|w/|with\b))"
    r"|(?<![a-z0-9])(?P<bare>i{1,3}[abc][123]?|iv[ab])(?![a-z0-9-])"
    r"|(?<![a-z0-9.])(?P<word>[cp]?stage\s?[1-4][abc]?)(?![a-z0-9])"
)
_OTHER_STAGE = re.compile(
    r"\b(?:ckd|chronic\s+kidney|kidney\s+disease|copd|gold|hypertension|ulcer|nyha|fibrosis|renal"
    r"|decubitus|pressure|limited|sarcoid\w*|retinopathy|heart\s+failure|child|parkinson|lymphedema)\b"
)
_AFTER_TUMOR = re.compile(
    r"\b(?:nsclc|adeno\w*|adenoca|squamous|sqcc|sq|ca|carcinoma|cancer|lung|rul|rml|rll|lul|lll|lobe|luad"
    r"|lusc|nos)\s+$"
)
_NOT_A_STAGE = re.compile(
    r"\s*(?:trial|study|drug|infusion|antibiotic|fluids|contrast|line\b|access|push|dose|every|over"
    r"|methylpred\w*|hydration|steroids?|q\d|chemo)"
)
_EDITION = re.compile(
    r"\b(?:ajcc|uicc|tnm|iaslc)?\s*(?:v|version\s*|tnm\s?|ajcc\s?)?(?P<n>[89])(?:th|\.0)?\s*(?:edition"
    r"|ed\b)|\b(?:ajcc|uicc|tnm)\s?-?\s?(?:v|version\s?)?(?P<m>[89])\b"
)
_PRIOR_STAGE = re.compile(
    r"\bwas\s+(?:st|stg|stage)\b|\b(?:initial(?:ly)?|original(?:ly)?|previous(?:ly)?|at\s+(?:initial\s+|first\s+"
    r"|original\s+)?(?:diagnosis|presentation)|then|prior|earlier|history\s+of|formerly|downstaged\s+from"
    r"|up-?staged\s+from|initially\s+treated|first\s+diagnosed)\b"
)


@dataclass(slots=True)
class Statement:
    """One statement of the stage."""

    groups: frozenset[str]
    source: Source
    order: int
    when: When | None


def read_stage_field(found: list[Sentence]) -> tuple[Documented[frozenset[str]], int | None, bool]:
    """Stage groups, the edition when it is stated, and whether the stage is only that of an earlier time."""
    edition = None
    for sentence in having(found, STAGE):
        match = _EDITION.search(sentence.low)
        if match is not None:
            edition = int(match["n"] or match["m"])
            break
    statements: list[Statement] = []
    for sentence in having(found, STAGE):
        if sentence.section in {
            Section.FAMILY,
            Section.BACKGROUND,
            Section.MEDICAL,
            Section.ALLERGY,
            Section.MEDICATION,
        }:
            continue
        statements.extend(_statements(sentence, edition or 8))
    if not statements:
        return unknown(), edition, False
    best = max(one.order for one in statements)
    chosen = [one for one in statements if one.order == best]
    if len({one.groups for one in chosen}) > 1:
        dated = [one for one in chosen if one.when is not None]
        if len(dated) == len(chosen):
            last = max(one.when for one in dated if one.when is not None)
            chosen = [one for one in chosen if one.when == last]
    value = chosen[0].groups
    for one in chosen[1:]:
        both = value & one.groups
        if not both:
            texts = tuple(item.source.text for item in chosen)
            return (
                Documented(Status.CONFLICTING, stated=texts, sources=tuple(item.source for item in chosen)),
                edition,
                False,
            )
        value = both
    return Documented(Status.VALUE, value, sources=tuple(one.source for one in chosen)), edition, best < 0


def _statements(sentence: Sentence, edition: int) -> list[Statement]:
    low = own_text(sentence)
    spans = other_tumors(sentence) + searches(sentence)
    if spans:
        low = blank(low, spans)
    rows: list[tuple[int, int, frozenset[str]]] = []
    for start, end, groups, prefix in find_tnm(low, edition=edition):
        if groups and not prefix.startswith("y") and _OTHER_STAGE.search(low[max(0, start - 30) : start]) is None:
            rows.append((start, end, groups))
    for match in _STAGE.finditer(low):
        around = low[max(0, match.start() - 28) : match.start()] + " " + low[match.end() : match.end() + 26]
        if _OTHER_STAGE.search(around):
            continue
        bare = match["bare"]
        if match["alone"]:
            if (
                not _AFTER_TUMOR.search(low[max(0, match.start() - 30) : match.start()])
                or not sentence.text[match.start()].isupper()
            ):
                continue
            bare = match["alone"]
        if bare and (
            _NOT_A_STAGE.match(low, match.end()) or not _stagelike(sentence.text[match.start() : match.end()])
        ):
            continue
        if bare and re.search(
            r"(?:phase|grade|type|factor|class|category|level)\s*$", low[max(0, match.start() - 10) : match.start()]
        ):
            continue
        if re.match(r"\s*(?:ward|clinic|room|bay|floor|unit)\b", low[match.end() :]):
            continue
        text = bare or (f"{match['a']} {match['join']} {match['b']}" if match["b"] else match["a"]) or ""
        found = read_stage(" ".join(_NUMBERS.sub(lambda one: _NUMBER_WORDS[one[0]], text).split()))
        if found:
            rows.append((match.start(), match.end(), found))
    if not rows:
        return []
    rows.sort()
    stated = dates_of(sentence)
    result = []
    for place, (start, end, groups) in enumerate(rows):
        floor = rows[place - 1][1] if place else 0
        ceiling = rows[place + 1][0] if place + 1 < len(rows) else len(low)
        clause = low[floor:ceiling] if len(rows) > 1 else low
        near = clause if len(clause) < 160 else low[max(floor, start - 80) : min(ceiling, end + 60)]
        order = (
            -1
            if _PRIOR_STAGE.search(near) and not re.search(r"\bnow\b|\bcurrent", near)
            else (1 if re.search(r"\bnow\b|\bcurrent(?:ly)?\b|\bre-?stag", near) else 0)
        )
        when = next((day for at, _, day in stated if floor <= at < ceiling), None)
        result.append(Statement(groups, sentence.source(start, end), order, when))
    return result


_NUMBER_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4"}
_NUMBERS = re.compile(r"\b(?:one|two|three|four)\b")


def _stagelike(written: str) -> bool:
    return written[:1].isupper() or written[:2] in {"iv", "ii"}


_NEG = re.compile(
    r"\b(?:no|not|without|denies|negative\s+for|free\s+of|no\s+evidence\s+of|absence\s+of|excluded"
    r"|rule\s+out|non)[\s-]+(?:[\w/-]+[\s-]+){0,4}$"
)
_FLAGS: dict[str, re.Pattern[str]] = {
    "metastatic": re.compile(
        r"\bmnsclc\b|\b(?:oligo)?metasta(?:tic|ses|sis|si[sz]ed)\b|\boligomet\w*|\bm1[abc]?[12]?\b|\b(?:bone"
        r"|liver|brain|adrenal|pleural|hepatic|osseous|distant|pulmonary|contralateral\s+lung|cns"
        r"|lung)\s+mets?\b|\bmets\b(?!\s*:?\s*(?:none|no\b))|\bdisseminated\b|\bdistant\s+(?:relapse"
        r"|recurrence|disease|failure)\b"
        r"|\bmalignant\s+(?:pleural|pericardial)\s+effusion|\bstage\s+(?:iv|4)|\bleptomeningeal\s+(?:disease"
        r"|carcinomatosis)"
    ),
    "resected": re.compile(
        r"\b(?:completely\s+|fully\s+|r0[- ]?)?resected\b|\bs/p\s+(?:\w+\s+){0,4}?(?:lobectomy|pneumonectomy"
        r"|segmentectomy|resection|bilobectomy|wedge)|\bstatus\s+post\s+(?:\w+\s+){0,4}?(?:lobectomy"
        r"|pneumonectomy|segmentectomy|resection)|\b(?:underwent|had|after|following|post|recent)\s+(?:an?\s+"
        r"|his\s+|her\s+)?(?:[\w-]+\s+){0,5}?(?:lobectomy|pneumonectomy|segmentectomy|resection|bilobectomy)"
        r"|\br0\b|\bno\s+evidence\s+of\s+(?:residual\s+)?disease|\bned\b|\blobectomy\s+(?:on|in|performed|done"
        r"|\d|with|\()|\bpost-?operative|\bp(?:t\d)\w*"
    ),
    "unresectable": re.compile(r"\bunresectable\b|\binoperable\b|\bnot\s+(?:surgically\s+)?(?:resectable|operable"
        r"|(?:a\s+)?(?:surgical\s+candidate|candidate\s+for\s+(?:surgery|resection)))|\bnon-?resectable\b"
        r"|\bunresected\b"),
    "resectable": re.compile(r"(?<!un)(?<!non-)(?<!not )\b(?:resectable|operable)\b|\b(?:before|prior\s+to|awaiting|planned"
        r"|scheduled\s+for|candidate\s+for|followed\s+by|then|proceed\s+to)\s+(?:\w+\s+){0,3}?(?:surgery"
        r"|resection|lobectomy|pneumonectomy)\b|\bneo-?adjuvant\b|\bperi-?operative\b|\binduction\s+before"
        r"|\b(?:surgery|resection|lobectomy)\s+(?:is\s+|has\s+been\s+)?(?:scheduled|planned|booked)"),
    "local": re.compile(r"\b(?:loco-?regional|local|regional|nodal|mediastinal|intrathoracic|stump"
        r"|in-field)\s+(?:\w+\s+)?(?:recurrence|relapse|failure|progression)|\brecurr\w+\s+(?:in"
        r"|at)\s+the\s+(?:mediastin|stump|bronch|same\s+lobe|ipsilateral|chest\s+wall)|\b(?:mediastinal"
        r"|locally|locoregionally)\s+recurren"),
    "incurable": re.compile(r"\bnot\s+(?:amenable|suitable|salvageable|a\s+candidate|candidates?|resectable|eligible|possible"
        r"|curable)|\bincurable\b|\bneither\s+(?:surgery|resection|radiation)|\bno\s+(?:curative"
        r"|further\s+(?:surgery|radiation|radiotherapy)|surgical|local)\s+(?:option|treatment|salvage)"
        r"|\bre-?irradiation\s+(?:is\s+)?not|\bpalliative\b|\bunresectable\b|\bcannot\s+be\s+(?:resected"
        r"|re-?irradiated|irradiated)|\bbeyond\s+(?:surgery|salvage)"),
    "no_cure": re.compile(r"\bnot\s+(?:amenable|suitable|a\s+candidate|candidates?|eligible)\b[^.;]{0,50}\b(?:surgery"
        r"|resection)\b[^.;]{0,30}\b(?:radiation|radiotherapy|chemo-?radiation|chemo-?radiotherapy)"
        r"|\bneither\s+(?:surgery|resection)\s+nor\s+(?:radi\w+|chemoradi\w+)"),
    "crt": re.compile(r"\b(?:chemo-?radiation|chemo-?radiotherapy|radio-?chemotherapy|c?crt|chemo-?rt)\b"
        r"|\bconcurrent\s+(?:thoracic\s+)?(?:rt|radiation|radiotherapy)"
        r"|\bwith\s+(?:concurrent\s+)?(?:thoracic\s+)?(?:radiation|radiotherapy|rt)\b\s*(?:to\s+)?\(?(?:60|66"
        r"|59|64|50)"),
    "adjuvant": re.compile(r"(?<!neo)(?<!neo-)\badjuvant\b|\badj\b"),
    "consolidation": re.compile(r"\bconsolidat\w+"),
    "relapse": re.compile(r"\b(?:distant|metastatic|systemic)\s+(?:recurrence|relapse)|\b(?:relapsed?|recurr(?:ed"
        r"|ence))\b[^.;]{0,60}\b(?:liver|bone|brain|adrenal|pleural?|contralateral|distant|metasta\w+|mets)"
        r"|\b(?:developed|now|new)\s+(?:[\w-]+\s+){0,2}?(?:mets|metasta[st]\w*)"
        r"|\bmetasta\w+\s+(?:have\s+)?appeared"),
    "locally_advanced": re.compile(r"\blocally\s+advanced\b|\blocoregionally\s+advanced\b"),
}  # fmt: skip
_HINTS: dict[str, tuple[str, ...]] = {
    "metastatic": ("met", "mnsclc", "m1", "dissem", "distant", "effusion", "stage iv", "stage 4"),
    "resected": ("resect", "ectomy", "r0", "ned", "no evidence", "post", "pt"),
    "unresectable": ("resect", "operab", "surgical"),
    "resectable": ("resect", "operab", "adjuvant", "operative", "surg", "lobectomy", "induction"),
    "local": ("recurr", "relapse", "failure", "progression"),
    "incurable": ("not ", "curable", "neither", "no ", "palliative", "irradiat", "cannot", "beyond", "resectable"),
    "no_cure": ("not ", "neither"),
    "crt": ("chemo", "radio", "crt", "concurrent", "rt"),
    "adjuvant": ("adj",),
    "consolidation": ("consolidat",),
    "relapse": ("recurr", "relapse", "developed", "now", "new", "appeared"),
    "locally_advanced": ("advanced",),
}
"""Parts of words without which a pattern cannot match."""
_CRT_PLANNED = re.compile(
    r"\b(?:plan\w*|for|candidate|proceed|recommend\w*|suggest\w*|start|to\s+begin|definitive|propose\w*"
    r"|offer|refer\w*|will|should|commence|eligible|suitable|fit\s+for|agreed)\b"
)


def read_setting_field(
    found: list[Sentence],
    stage: Documented[frozenset[str]],
    past_stage: bool,
    proposed: frozenset[str],
    *,
    given: Source | None,
    planned: Source | None,
) -> Documented[frozenset[str]]:
    """The situation for which therapy is proposed: stated, or derived from the stage.

    Args:
        found: sentences of the note.
        stage: as read.
        past_stage: whether that stage is only one of an earlier time.
        proposed: settings that the recommendations themselves name.
        given: where chemoradiation without progression is documented; None when it is not.
        planned: where chemoradiation is proposed; None when it is not.
    """
    flags = _flags(found)
    if given is not None:
        flags.setdefault("crt_done", given)
    if planned is not None:
        flags.setdefault("crt_planned", planned)
    groups = stage.value or frozenset()
    three = bool(groups) and all(group.startswith("III") for group in groups)
    four = bool(groups) and all(group.startswith("IV") for group in groups)

    def because(name: str, *elements: str) -> Documented[frozenset[str]]:
        return Documented(Status.VALUE, frozenset(elements), sources=(flags[name],) if name in flags else stage.sources)

    if four and not past_stage:
        return because("metastatic", "metastatic")
    if "relapse" in flags:
        return because("relapse", "metastatic")
    if (
        "metastatic" in flags
        and not (three and not past_stage)
        and not ({"I", "II"} & {group.rstrip("ABC123") for group in groups} and not past_stage and "local" not in flags)
    ):
        return because("metastatic", "metastatic")
    if "local" in flags and ("incurable" in flags or "unresectable" in flags):
        return because("local", "advanced")
    if "no_cure" in flags and not four:
        return because("no_cure", "advanced")
    if "crt_done" in flags and "pd" not in flags and "resected" not in flags and not past_stage:
        return because("crt_done", "consolidation")
    if "crt_planned" in flags and "resected" not in flags and "resectable" not in flags and "crt_done" not in flags:
        return because("crt_planned", "chemoradiation")
    if "unresectable" in flags and "local" not in flags:
        return because("unresectable", "chemoradiation", "consolidation", "advanced")
    if "resected" in flags and "local" not in flags:
        return because("resected", "adjuvant")
    if "resectable" in flags and "resected" not in flags:
        return because("resectable", "neoadjuvant")
    if proposed and proposed <= {"adjuvant", "neoadjuvant", "consolidation", "chemoradiation"} and not four:
        return Documented(Status.VALUE, proposed, sources=stage.sources)
    if three and not past_stage and "locally_advanced" in flags:
        return because("locally_advanced", "neoadjuvant", "chemoradiation", "consolidation", "advanced")
    if stage.value is not None and not past_stage and "local" not in flags:
        return Documented(Status.VALUE, settings_of_stage(stage.value), sources=stage.sources)
    return unknown()


def _flags(found: list[Sentence]) -> dict[str, Source]:
    flags: dict[str, Source] = {}
    for sentence in having(found, SETTING):
        if sentence.section in {Section.FAMILY, Section.BACKGROUND, Section.MEDICAL, Section.ALLERGY}:
            continue
        low = own_text(sentence)
        spans = other_tumors(sentence) + searches(sentence)
        if spans:
            low = blank(low, spans)
        for name, pattern in _FLAGS.items():
            if not any(hint in low for hint in _HINTS[name]):
                continue
            for match in pattern.finditer(low):
                if name not in {"unresectable", "incurable", "no_cure"} and _NEG.search(
                    low[max(0, match.start() - 44) : match.start()]
                ):
                    continue
                if name == "metastatic" and re.match(r"\s*(?:work-?up|staging|potential|screen)", low[match.end() :]):
                    continue
                if name == "resected" and _future(low, match.start(), sentence):
                    continue
                if name == "resected" and re.search(
                    r"\b(?:brain|cerebellar|adrenal|metasta\w+|craniotomy|frontal|oligo\w*)\b",
                    low[max(0, match.start() - 30) : match.end() + 30],
                ):
                    continue
                source = sentence.source(match.start(), match.end())
                flags.setdefault(name, source)
                if name == "crt":
                    kind = _crt_kind(low, match.start(), match.end(), sentence)
                    if kind:
                        flags.setdefault(kind, source)
                break
        if (
            "crt_done" in flags
            and re.search(r"\b(?:progress(?:ed|ion|ive)|pd(?!-?\s?l?1)|relapsed?|recurr\w+)\b", low)
            and not re.search(
                r"\b(?:no|without|not|free|non)[\w\s-]{0,30}\b(?:progress\w*|pd|relapse\w*|recurr\w*)", low
            )
            and not re.search(r"until\s+(?:disease\s+)?progress", low)
        ):
            flags.setdefault("pd", Source("note", sentence.text, sentence.start, sentence.end))
    return flags


def _crt_kind(low: str, start: int, end: int, sentence: Sentence) -> str:
    before, after = low[max(0, start - 90) : start], low[end : end + 60]
    if re.search(r"\b(?:not|no|unfit|too\s+frail|declin\w+|refus\w+|ineligible|unable)\b[^.;]*$", before):
        return ""
    if re.search(
        r"\b(?:completed|finished|after|following|s/p|status\s+post|received|completion\s+of|underwent"
        r"|treated\s+with|had|concluded|post)\b[^.;]{0,60}$",
        before,
    ) or re.match(r"[^.;]{0,40}\b(?:completed|finished|was\s+given|ended|concluded|complete)\b", after):
        return "crt_done"
    if sentence.section is Section.HISTORY:
        return "crt_done"
    if sentence.section is Section.PLAN or _CRT_PLANNED.search(before):
        return "crt_planned"
    if re.search(r"\b(?:20\d\d|gy|x\s?\d)", after):
        return "crt_done"
    return ""


def _future(low: str, start: int, sentence: Sentence) -> bool:
    before = low[max(0, start - 40) : start]
    return re.search(
        r"\b(?:will|to\s+be|plan\w*|awaiting|scheduled|for|could|should|can|cannot|if|before|not|un|may|would"
        r"|considered\s+for|candidate\s+for|deemed)\s+(?:\w+\s+){0,3}$",
        before,
    ) is not None or (sentence.section is Section.PLAN and low[start : start + 8].startswith(("lobect", "resecti")))
