"""Tumor entity and histology of a note."""

from __future__ import annotations

import re

from equipoise.cases.model import HISTOLOGIES, Documented, Source, Status, unknown
from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.scope import blank, own_text, remark_spans, searches
from equipoise.cases.narrative.sentences import DISEASE, Sentence, having
from equipoise.cases.vocabulary.histology import NONSQUAMOUS, NSCLC

_SITE = (
    r"(?:lung|pulmonary|bronch\w+|rul|rml|rll|lul|lll|lingula\w*|(?:right|left)\s+(?:upper|middle"
    r"|lower)\s+lobe|(?:upper|middle|lower)\s+lobe|hilar|hilum|pulm)"
)
_LUNG = re.compile(rf"\b{_SITE}\b")
_NSCLC = re.compile(r"\bm?nsclc\b|\bnon[\s-]?small[\s-]?cell\b|\bluad\b|\blusc\b|\bnon[\s-]?squamous\s+(?:nsclc|non)")
_SMALL = re.compile(r"(?<!non-)(?<!non )(?<!non)\b(?:small[\s-]cell|sclc|oat[\s-]cell)\b")
_TRANSFORM = re.compile(
    r"transform\w*|conversion|combined|component|suspect\w*|rule|possible|exclude"
    r"|no\s+(?:evidence\s+of\s+)?(?:small|sclc|transf)|neuroendocrine\s+markers|negative"
)
_HIST: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("adenosquamous", re.compile(r"\badeno-?squamous\b")),
    ("sarcomatoid", re.compile(r"\bsarcomatoid\b|\bpleomorphic\s+carcinoma\b")),
    ("nonsquamous", re.compile(r"\bnon[\s-]?squamous\b")),
    (
        "adenocarcinoma",
        re.compile(
            r"\badeno-?\s?carcinoma\b|\badeno\b|\badeno-?ca\b|\badenoca\b|\bluad\b|\blung\s+ad\b"
            r"|\bacinar\b(?=[^.;]{0,30}\bpredominant)"
        ),
    ),
    (
        "squamous",
        re.compile(
            r"(?<!non-)(?<!non )(?<!non)(?<!adeno)(?<!adeno-)\b(?:squamous(?:\s+cell)?(?:\s+(?:carcinoma|cancer"
            r"|histology|ca|nsclc|lung|cell))?|sq(?:cc|uam)\w*|scc|lusc|sqcc|sq\s+cell(?:\s+ca)?"
            r"|sq)\b(?!\s+(?:transf|component|diff\w+\s+not))"
        ),
    ),
    (
        "large-cell",
        re.compile(
            r"\blarge[\s-]cell\s+(?:carcinoma|lung|cancer|ca\b|histology"
            r"|undifferentiated)(?!\s*neuroendocrine)(?!\s+neuro)"
        ),
    ),
    ("nos", re.compile(r"\bnos\b|\bnot\s+otherwise\s+specified\b")),
)
_OTHER: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        (
            "breast cancer",
            r"\bbreast\s+(?:cancer|carcinoma|adenocarcinoma|ca\b|primary)|\b(?:ductal|lobular)\s+carcinoma"
            r"|\bcarcinoma\s+of\s+the\s+breast",
        ),
        (
            "colorectal cancer",
            r"\b(?:colorectal|colon|rectal|sigmoid|cecal|bowel)\s+(?:\w+\s+)?(?:cancer|carcinoma|adenocarcinoma"
            r"|ca\b|primary)|\bcrc\b|\badenocarcinoma\s+of\s+the\s+(?:colon|rectum|sigmoid)",
        ),
        ("melanoma", r"\bmelanoma\b"),
        ("prostate cancer", r"\bprostate\s+(?:cancer|carcinoma|adenocarcinoma|ca\b)|\bprostatic\s+adeno\w+"),
        (
            "pancreatic cancer",
            r"\bpancrea\w+\s+(?:ductal\s+)?(?:cancer|carcinoma|adenocarcinoma|ca\b|primary)|\bpdac\b"
            r"|\badenocarcinoma\s+of\s+the\s+pancreas",
        ),
        ("gastric cancer", r"\b(?:gastric|stomach|gastroesophageal|gej)\s+(?:cancer|carcinoma|adenocarcinoma|ca\b)"),
        ("esophageal cancer", r"\bo?esophageal\s+(?:squamous\s+cell\s+)?(?:cancer|carcinoma|adenocarcinoma)"),
        (
            "thyroid cancer",
            r"\b(?:(?:papillary|anaplastic|medullary|follicular)\s+)?thyroid\s+(?:cancer|carcinoma|ca\b)",
        ),
        ("renal cell carcinoma", r"\brenal\s+cell\s+(?:cancer|carcinoma)|\bkidney\s+cancer|\brcc\b"),
        ("urothelial carcinoma", r"\burothelial\s+(?:cancer|carcinoma)|\bbladder\s+(?:cancer|carcinoma)"),
        ("ovarian cancer", r"\bovarian\s+(?:\w+\s+)?(?:cancer|carcinoma)"),
        ("endometrial cancer", r"\bendometrial\s+(?:cancer|carcinoma|adenocarcinoma)"),
        ("cervical cancer", r"\bcervical\s+(?:cancer|carcinoma)|\bcancer\s+of\s+the\s+cervix"),
        ("mesothelioma", r"\bmesothelioma\b"),
        ("thymoma", r"\bthymoma\b|\bthymic\s+carcinoma"),
        ("hepatocellular carcinoma", r"\bhepatocellular\s+carcinoma|\bhcc\b"),
        ("cholangiocarcinoma", r"\bcholangiocarcinoma"),
        (
            "head and neck cancer",
            r"\bhead[\s-]and[\s-]neck\s+(?:squamous\s+cell\s+)?(?:cancer|carcinoma)|\b(?:oropharyngeal|laryngeal"
            r"|hypopharyngeal|oral\s+cavity|tonsil\w*|tongue)\s+(?:squamous\s+cell\s+)?(?:cancer|carcinoma|scc)",
        ),
        ("glioblastoma", r"\bglioblastoma|\bgbm\b"),
        ("sarcoma", r"\b(?:\w*sarcoma)\b"),
        ("lymphoma", r"\b\w*\s?lymphoma\b"),
        ("GIST", r"\bgist\b|\bgastrointestinal\s+stromal"),
        ("carcinoid", r"\b(?:typical|atypical)\s+carcinoid|\bcarcinoid\s+tumou?r"),
        ("large cell neuroendocrine carcinoma", r"\blarge[\s-]cell\s+neuroendocrine|\blcnec\b"),
    )
)
_OTHER_HINT = re.compile(
    r"breast|ductal|lobular|colo|rectal|rectum|sigmoid|cecal|bowel|crc|melanoma|prostat|pancrea|pdac|gastr"
    r"|stomach|gej|esophag|thyroid|renal|kidney|rcc|urothel|bladder|ovar|endometr|cervi|mesotheli|thym"
    r"|hepatocell|hcc|cholangio|head|pharyn|laryn|oral|tonsil|tongue|gliobl|gbm|sarcoma|lymphoma|gist"
    r"|carcinoid|neuroendocrine|lcnec"
)
_PAST_TUMOR = re.compile(
    r"\b(?:history\s+of|h/o|hx\s+of|past|previous|prior|remote|remission|treated\s+(?:in|for)|years?\s+ago"
    r"|(?:19|20)\d\d|secondary|survivor|cured|in\s+\d{4}|personal\s+history|synchronous|second"
    r"|no\s+(?:evidence|history)|not|excluded|ruled\s+out|unlikely|low[- ]risk|active\s+surveillance"
    r"|resected\s+(?:19|20))\b"
)
_DOUBT = re.compile(
    r"\b(?:suspect\w*|suspicious|possible|possibly|probable|presumed|presumptive|likely|rule\s+out|r/o"
    r"|query|differential|concerning|concern|awaiting|unproven|no\s+tissue|work-?up\s+(?:for|of)"
    r"|suggestive|cannot\s+exclude|\?)\W*(?:\w+\W+){0,3}$|\?\s*$"
)
_UNKNOWN_PRIMARY = re.compile(
    r"\b(?:unknown\s+primary|cup\b|unclear\s+primary|primary\s+(?:site\s+)?(?:unknown|unclear"
    r"|not\s+(?:identified|found|established|known)|undetermined)|carcinoma\s+of\s+unknown"
    r"|occult\s+primary|undetermined\s+primary|origin\s+(?:unknown|unclear|undetermined))"
)
_NEGATED = re.compile(
    r"\b(?:no|not|without|negative\s+for|excluded|ruled\s+out|rather\s+than|no\s+evidence\s+of"
    r"|lacks?)\s+(?:\w+\s+){0,4}$"
)


def read_tumor(found: list[Sentence]) -> tuple[Documented[str], Documented[frozenset[str]]]:
    """Entity and histologies; another cancer in the past history is not the tumor, a suspicion is not a diagnosis."""
    nsclc: Source | None = None
    small: Source | None = None
    others: list[tuple[str, Source]] = []
    kinds: list[tuple[str, Source, bool]] = []
    lung = False
    primary_open = False
    for sentence in having(found, DISEASE):
        if sentence.section in {Section.FAMILY, Section.BACKGROUND, Section.ALLERGY, Section.MEDICATION}:
            continue
        low = own_text(sentence)
        asked = searches(sentence) + remark_spans(sentence, low)
        if asked:
            low = blank(low, asked)
        medical = sentence.section is Section.MEDICAL
        if _UNKNOWN_PRIMARY.search(low):
            primary_open = True
        other_here: list[tuple[int, int]] = []
        for name, pattern in _OTHER if _OTHER_HINT.search(low) else ():
            for match in pattern.finditer(low):
                other_here.append(match.span())
                past = (
                    medical
                    or plain_question(low, match.end())
                    or _PAST_TUMOR.search(low[max(0, match.start() - 50) : match.start()])
                    or _PAST_TUMOR.search(low[match.end() : match.end() + 40])
                    or _NEGATED.search(low[max(0, match.start() - 40) : match.start()])
                )
                if not past and not _DOUBT.search(low[max(0, match.start() - 30) : match.start()]):
                    others.append((name, _source(sentence, match)))
        if medical:
            continue
        plain = blank(low, other_here) if other_here else low
        here = _LUNG.search(plain) is not None
        lung = lung or here
        for match in _NSCLC.finditer(plain):
            if (
                nsclc is None
                and not _DOUBT.search(plain[max(0, match.start() - 40) : match.start()])
                and not _NEGATED.search(plain[max(0, match.start() - 30) : match.start()])
            ):
                nsclc = _source(sentence, match)
        for match in _SMALL.finditer(plain):
            around = plain[max(0, match.start() - 60) : match.end() + 50]
            if (
                small is None
                and not _TRANSFORM.search(around)
                and not _NEGATED.search(plain[max(0, match.start() - 40) : match.start()])
                and not _DOUBT.search(plain[max(0, match.start() - 40) : match.start()])
                and not re.search(r"histor|ago|past|prior", around)
            ):
                small = _source(sentence, match)
        for name, pattern in _HIST:
            for match in pattern.finditer(plain):
                before = plain[max(0, match.start() - 40) : match.start()]
                if _NEGATED.search(before) or re.search(
                    r"transform\w*|suspicion|component", plain[max(0, match.start() - 24) : match.end() + 22]
                ):
                    continue
                if _DOUBT.search(before) and not re.search(r"likely\s*$", before):
                    continue
                if re.search(r"skin|cutaneous|cervix|oral|tongue|larynx", before):
                    continue
                if name == "squamous" and re.match(r"\s*(?:metaplasia|dysplasia|epithel)", plain[match.end() :]):
                    continue
                if name == "adenocarcinoma" and re.match(r"\s*(?:neg|in\s+situ)", plain[match.end() :]):
                    continue
                kinds.append((name, _source(sentence, match), here))
    return _entity(nsclc, small, others, kinds, lung, primary_open), _histology(kinds, others, nsclc)


def plain_question(low: str, end: int) -> bool:
    """Whether a word is followed by a question mark."""
    return low[end : end + 2].strip().startswith("?")


def _source(sentence: Sentence, match: re.Match[str]) -> Source:
    return sentence.source(match.start(), match.end())


def _entity(
    nsclc: Source | None,
    small: Source | None,
    others: list[tuple[str, Source]],
    kinds: list[tuple[str, Source, bool]],
    lung: bool,
    primary_open: bool,
) -> Documented[str]:
    if nsclc is not None and small is None:
        return Documented(Status.VALUE, NSCLC, sources=(nsclc,))
    named = next((source for name, source, here in kinds if here and name not in {"nos"}), None)
    if nsclc is not None or small is not None:
        if nsclc is None and named is None and small is not None:
            return Documented(Status.VALUE, "SCLC", sources=(small,))
        if nsclc is not None and small is not None and nsclc.start is not None and small.start is not None:
            return (
                Documented(Status.VALUE, NSCLC, sources=(nsclc,))
                if nsclc.start < small.start
                else Documented(Status.VALUE, "SCLC", sources=(small,))
            )
        return unknown()
    if primary_open:
        return unknown()
    if named is not None:
        return Documented(Status.VALUE, NSCLC, sources=(named,))
    if others:
        names = {name for name, _ in others}
        return Documented(Status.VALUE, others[0][0], sources=(others[0][1],)) if len(names) == 1 else unknown()
    if (
        lung
        and kinds
        and any(name in {"adenocarcinoma", "squamous", "large-cell", "adenosquamous"} for name, _, _ in kinds)
    ):
        return Documented(Status.VALUE, NSCLC, sources=(kinds[0][1],))
    return unknown()


_SETS = {**{name: frozenset({name}) for name in HISTOLOGIES}, "nonsquamous": NONSQUAMOUS, "nos": frozenset(HISTOLOGIES)}


def _histology(
    kinds: list[tuple[str, Source, bool]], others: list[tuple[str, Source]], nsclc: Source | None
) -> Documented[frozenset[str]]:
    if others and nsclc is None and not any(here for _, _, here in kinds):
        return unknown()
    if not kinds:
        return unknown()
    value = _SETS[kinds[0][0]]
    for name, _, _ in kinds[1:]:
        both = value & _SETS[name]
        if not both:
            sources = tuple(source for _, source, _ in kinds)
            return Documented(Status.CONFLICTING, stated=tuple(source.text for source in sources), sources=sources)
        value = both
    return Documented(Status.VALUE, value, sources=tuple(source for _, source, _ in kinds))
