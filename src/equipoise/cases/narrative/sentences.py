"""Cuts a note into sections and sentences, without losing a place: every offset is a code point of the note."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from equipoise.cases.model import Source
from equipoise.cases.narrative.headings import TITLE_WORDS, Section, classify_heading
from equipoise.cases.vocabulary.biomarkers import catalogue
from equipoise.cases.vocabulary.drugs import lexicon

(
    GENE,
    DRUG,
    DIGIT,
    STAGE,
    PERFORMANCE,
    BRAIN,
    SCORE,
    DISEASE,
    CONDITION,
    PERSON,
    SCOPE,
    THERAPY,
    NAIVE,
    SETTING,
    PATIENT,
    SEARCH,
    ELSEWHERE,
) = (1 << place for place in range(17))
"""Marks of a sentence: which kinds of words it holds. A sentence without a mark is not looked at by that reader."""

_WORDS: dict[int, str] = {
    STAGE: "stg stage staged staging tnm ajcc uicc st m1 m1a m1b m1c m0 iv iva ivb iii iiia iiib iiic iia iib "
        "ia1 ia2 ia3 ib",
    PERFORMANCE: "ecog ps performance zubrod kps karnofsky who bedbound bedridden",
    BRAIN: "brain mri intracranial cns cerebral cranial cerebellar leptomeningeal neuroaxis head parietal "
        "frontal occipital temporal neuroimaging",
    SCORE: "tc ic immune scored pd pdl1 pdl tps cps tmb btmb msi mss msih dmmr pmmr mmr microsatellite mismatch "
        "cd274 22c3 sp263 sp142 mutational qtc qtcf qtcb",
    DISEASE: "mass nodule rul rml rll lul lll lobe lesion cancer carcinoma adenocarcinoma adeno adenoca squamous scc nsclc "
        "sclc luad lusc lung nonsquamous "
        "adenosquamous sarcomatoid pleomorphic "
    "neoplasm malignancy tumor tumour melanoma lymphoma mesothelioma sarcoma thymoma carcinoid ca nos "
    "large small glioblastoma leukemia leukaemia "
    "myeloma neuroendocrine primary cup lcnec seminoma sqcc sqca sq squam mnsclc adenoca",
    CONDITION: "ild ipf pneumonitis fibrosis interstitial autoimmune arthritis lupus sle crohn crohns colitis "
        "psoriasis psoriatic myasthenia sclerosis "
    "hepatitis transplant transplantation allograft hsct sct allosct bmt hemoptysis haemoptysis vte dvt "
    "embolism emboli embolus thrombosis thrombus pe "
    "thromboembolism venous thromboembolic carbamazepine coughed cough coughing pred tegretol phenytoin "
    "dilantin rifampicin rifampin wort clarithromycin itraconazole ketoconazole posaconazole voriconazole "
    "ritonavir "
    "cobicistat omeprazole pantoprazole lansoprazole esomeprazole rabeprazole dexlansoprazole ppi ppis "
    "proton prednisone prednisolone dexamethasone "
    "dex methylprednisolone hydrocortisone steroid steroids corticosteroid corticosteroids inducer "
    "inducers inhibitor inhibitors vasculitis sjogren "
    "sjogrens ibd spondylitis graves hashimoto sarcoidosis phenobarbital enzalutamide apalutamide "
    "mitotane cushing comorbidities comorbidity "
    "comedications scleroderma polymyalgia ms ra uc guillain rheumatoid gvhd ulcerative",
    PERSON: "mother father sister brother aunt uncle cousin grandmother grandfather grandparent daughter son "
        "niece nephew sibling siblings twin parent "
    "parents family relative relatives relation wife husband spouse partner maternal paternal mum mom dad "
    "children child familial cohort",
    SCOPE: "if unless should rule r exclude looking look assess screen screening possible suspicion trial study "
        "guideline guidelines label eligible "
    "eligibility criteria patient patients case published report reported literature depending whether "
    "check evaluate consider search index another "
    "second synchronous contralateral independent require requires would could until once when asked "
    "hopes await awaiting panel covers covered "
    "includes included assay colleague neighbour neighbor donor",
    THERAPY: "enlarging growing growth grew worsening ahead cont continue continuing support bsc symptom comfort sabr "
        "therapy treatment treatments therapies "
        "line lines progression progressed progressing progressive pd relapse relapsed recurrence "
    "recurred chemo chemotherapy immunotherapy radiation radiotherapy rt srs sbrt sabr wbrt radiosurgery "
    "knife surgery lobectomy trial study trials "
    "rechallenge biopsy rebiopsy ngs hospice palliative supportive surveillance observation referral "
    "refer resection chemoradiation crt "
    "pneumonectomy crt segmentectomy enrol enroll enrolment enrollment tki restaging sequencing testing "
    "imaging toxicity stopped discontinued cycle cycles "
    "completed finished doublet",
    NAIVE: "treated untx anything nothing prev systemic tx'd drug cancer naive na\u00efve untreated none nil no "
        "prior previous previously never treatment tx therapy",
    SETTING: "recurred contralateral mnsclc gy metastatic metastases metastasis mets met metastasised metastasized oligometastatic "
        "disseminated resected resectable unresectable "
    "inoperable unresected lobectomy pneumonectomy segmentectomy resection r0 ned adjuvant neoadjuvant "
    "perioperative consolidation chemoradiation "
    "chemoradiotherapy crt recurrence recurrent relapse relapsed induction surgery operable m1 m1a m1b "
    "m1c chemort distant locally "
    "definitive concurrent bilobectomy preoperative postoperative resect advanced ccrt operated "
    "thoracotomy wedge disease",
    SEARCH: "rule ruled r exclude looking look search searching screen screened screening assess assessed "
        "assessing evaluate evaluated evaluating check checked checking test tests "
    "tested testing suspicion suspect suspects suspecting concern concerned worry worried query await "
    "awaiting whether see confirm clarify unable able could can cannot know record report if "
    "unless case event should depending provided once standard "
    "active activity effective efficacy benefit benefits superior panel assay kit method methodology gene genes trial "
    "study criteria protocol label indication guideline guidelines arm cohort programme "
    "program approved indicated licensed licenced labelled labeled eligible eligibility inclusion "
    "exclusion detects covers covering includes including interrogates assesses targets",
    ELSEWHERE: "primary primaries tumor tumour nodule cancer malignancy carcinoma ca adenocarcinoma melanoma "
        "lymphoma leukemia leukaemia cll myeloma synchronous metachronous",
    PATIENT: "year years yo y yr yrs age aged man woman male female lady gentleman mr mrs ms miss sex gender m f "
        "she he her his him "
    "gentlemen girl boy",
}  # fmt: skip
_GENE_HEADS = frozenset({"egfr", "kras", "braf", "her2", "erbb", "met", "alk", "ros1", "ret", "ntrk"})
_WORD = re.compile(r"[a-z0-9\u00ef]+")
_AGE_TOKEN = re.compile(r"(?:\d{1,3}(?:f|m|y|yo|yr|yrs|year|years)|[fm]\d\d)$")
_CHANGE = re.compile(r"[a-z]\d{2,4}(?:[a-z]|$)")


@cache
def _marks() -> dict[str, int]:
    table: dict[str, int] = {}

    def put(word: str, mark: int) -> None:
        table[word] = table.get(word, 0) | mark

    for mark, words in _WORDS.items():
        for word in words.split():
            put(word, mark)
    for spelling in catalogue().spellings:
        put(_WORD.findall(spelling)[0], GENE)
    for partner in catalogue().partners:
        put(_WORD.findall(partner)[0], GENE)
    for word in ("transformation", "transformed", "exon", "ex19del", "del19", "vus", "trk", "pan", "driver"):
        put(word, GENE)
    for first in lexicon().table.firsts(lambda entry: entry.role == "component"):
        put(first, DRUG)
    for word in ("concurrent", "adj", "neoadj", "platinum"):
        put(word, DRUG)
    for word in ("srs", "wbrt", "radiosurgery", "gamma", "cyberknife"):
        put(word, DRUG)
    return table


@dataclass(slots=True)
class Sentence:
    """One sentence or list entry.

    Attributes:
        start: first character in the note.
        end: one past the last.
        text: as written, with wrapped lines joined.
        low: the same in lower case, see `flat`.
        section: what the part of the note is about.
        heading: the heading in force, folded; empty without one.
        marks: kinds of words that occur.
        fresh: whether it opens its section.
        memo: what other modules have worked out of it.
    """

    start: int
    end: int
    text: str
    low: str
    section: Section
    heading: str
    marks: int = 0
    fresh: bool = False
    memo: dict[str, Any] = field(default_factory=dict)

    def source(self, start: int, end: int) -> Source:
        """Where words stand in the note, from their place in this sentence; white space at the edges is left out."""
        words = self.text[start:end]
        trimmed = words.lstrip()
        start += len(words) - len(trimmed)
        trimmed = trimmed.rstrip()
        return Source("note", trimmed, self.start + start, self.start + start + len(trimmed))


_BREAK = re.compile(
    r"\n[ \t\r]*(?:\n[ \t\r\n]*)?|[.!?]+(?=\s|$|[\"')\]])|(?<=[A-Za-z0-9+%)]{2})\.(?=[A-Z][A-Za-z]{2})" r"|:(?!:)"
)
_BULLET = re.compile(r"[ \t]*(?:[-*\u2022>#\u25e6\u25aa]+[ \t]|\(?\d{1,2}[.)][ \t]|\(?[a-h]\)[ \t])")
_ABBREVIATIONS = frozenset(
    "y.o yr.o inj cap adv approx dr mr mrs ms prof vs e.g i.e approx fig st inc resp ca cf al p c ex jr sr incl wk wks yr yrs adj "
    "neoadj pt pts eg ie hosp dept resp ref tab ed conc dx tx hx rx".split()
)
_HEAD_WORD = re.compile(r"[a-z0-9']+")


def _words_before(low: str, colon: int, floor: int) -> tuple[int, list[str]]:
    """Start and words of the phrase that a colon closes, within its line and sentence."""
    begin = max(floor, colon - 60)
    piece = low[begin:colon]
    cut = max(
        piece.rfind("\n"),
        piece.rfind(". "),
        piece.rfind(";"),
        piece.rfind("|"),
        piece.rfind("? "),
        piece.rfind("! "),
        piece.rfind(", "),
        piece.rfind(" - "),
        piece.rfind(") "),
    )
    if cut < 0 and begin > floor:
        return colon, []
    start = begin + cut + 1 if cut >= 0 else begin
    bullet = _BULLET.match(low, start)
    if bullet is not None and bullet.end() <= colon:
        start = bullet.end()
    words = _HEAD_WORD.findall(low[start:colon])
    return start, words if len(words) <= 7 else []


_LABEL = re.compile(r"\s*(?:not\s+)?(?:detected|identified|found|tested)\s*:|\s*(?:negatives?|pending|vus)\s*:")
"""A status that opens a line and governs what follows on it."""


def _joins(low: str, at: int, line_start: int, after: int) -> bool:
    """Whether the line end at `at` only wraps a sentence."""
    line = low[line_start:at].rstrip()
    if not line or line[-1] in ".:;!?" or after >= len(low):
        return False
    if _BULLET.match(low, after):
        return False
    first = low[after]
    if _LABEL.match(low, after):
        return False
    if (line[-1] in ",(/+-&" and line[-2:] != "++") or line.endswith(
        (" and", " or", " with", " of", " the", " to", " on", " for", " a", " in", " at", " by")
    ):
        return True
    line_end = low.find("\n", after)
    following = low[after : line_end if line_end >= 0 else len(low)]
    colon = following.find(":")
    if 0 <= colon <= 40 and classify_heading(_HEAD_WORD.findall(following[:colon])) is not None:
        return False
    return len(line) >= 58 and (first.isalnum() or first in "(+<>=")


def _starts_lower(text: str, after: int) -> bool:
    return after < len(text) and text[after].islower()


MAX_SENTENCE = 900
"""Longest sentence in characters; a longer one is cut at a separator, so that work stays proportional to the length of a note."""
LONG_NOTE = 20_000
"""Characters from which a sentence that is repeated word for word is looked at once."""


def sentences(text: str, low: str) -> list[Sentence]:
    """The sentences of a note, in order.

    Args:
        text: the note.
        low: the same through `flat`.
    """
    found: list[Sentence] = []
    table = _marks()
    section, heading, own_line = Section.NEUTRAL, "", False
    start = line_start = 0
    wraps: list[int] = []
    fresh = False

    def close(end: int) -> None:
        while end - start > MAX_SENTENCE:
            cut = max(low.rfind("; ", start, start + MAX_SENTENCE), low.rfind(", ", start, start + MAX_SENTENCE))
            if cut <= start + MAX_SENTENCE // 2:
                cut = low.rfind(" ", start + MAX_SENTENCE // 2, start + MAX_SENTENCE)
            close_one(cut + 1 if cut > start else start + MAX_SENTENCE)
        close_one(end)

    def close_one(end: int) -> None:
        nonlocal start, wraps, fresh
        sentence = _sentence(text, low, start, end, wraps, section, heading)
        if sentence is not None:
            marks = 0
            for word in _WORD.findall(sentence.low):
                mark = table.get(word)
                if mark is not None:
                    marks |= mark
                elif not word.isalpha():
                    marks |= DIGIT
                    if _AGE_TOKEN.match(word):
                        marks |= PATIENT
                    if (
                        _CHANGE.match(word)
                        or word[:2] == "ex"
                        or word[:2] == "19"
                        or (len(word) > 5 and (word[:4] in _GENE_HEADS or word[:3] in _GENE_HEADS))
                    ):
                        marks |= GENE
                    elif word[:2] == "ps" or word[:4] in {"ecog", "kps1"} or word[:3] == "kps":
                        marks |= PERFORMANCE
                    elif word[0] in "tcpyr" or word[0] in "nm":
                        marks |= STAGE | SETTING
                    elif word[:4] in {"tmb1", "tmb2"} or word.startswith("tps"):
                        marks |= SCORE
            if "?" in sentence.low:
                marks |= SEARCH
            sentence.marks = marks
            sentence.fresh = fresh
            found.append(sentence)
            fresh = False
        start, wraps = end, []

    for match in _BREAK.finditer(text):
        at, after = match.span()
        char = low[at]
        if char == ":":
            head_start, words = _words_before(low, at, start)
            kind = classify_heading(words) if words else None
            if kind is None:
                continue
            if head_start > start:
                close(head_start)
            line_end = low.find("\n", after, after + 200)
            own_line = not low[after : line_end if line_end >= 0 else after + 200].strip()
            section, heading, fresh = kind, " ".join(words), True
            if kind is not Section.NEUTRAL:
                start, wraps = after, []
            continue
        if char == "\n":
            blank = low.count("\n", at, after) > 1
            if not blank and (_joins(low, at, line_start, after) or (_soft_lower(text, low, at, line_start, after))):
                wraps.append(at)
                line_start = after
                continue
            whole = low[line_start:at].strip(" -*\u2022#>=_")
            if start <= line_start + 8 and 2 < len(whole) <= 40 and whole[-1:] not in ".:;,":
                words = _HEAD_WORD.findall(whole)
                kind = classify_heading(words) if len(words) <= 4 else None
                if (
                    kind is not None
                    and ":" not in whole
                    and all(word in TITLE_WORDS for word in words)
                    and (kind is not Section.NEUTRAL or (len(words) == 1 and words[0] not in catalogue().spellings))
                    and _title(text[line_start:at])
                ):
                    section, heading, own_line, fresh = kind, " ".join(words), True, True
                    start, wraps, line_start = after, [], after
                    continue
            empty = start >= at or not low[start:at].strip()
            close(after)
            line_start = after
            if not empty and _section_ends(section, own_line, blank, low, after):
                section, heading = Section.NEUTRAL, ""
            continue
        if char == "?" and _ANSWER.match(low, after):
            continue
        if char == "." and _abbreviated(low, at, after, line_start):
            continue
        close(after)
        if section in _ONE_SENTENCE and not own_line:
            section, heading = Section.NEUTRAL, ""
    close(len(low))
    return found if len(low) < LONG_NOTE else _once(found)


def _once(found: list[Sentence]) -> list[Sentence]:
    """The sentences of a long note without word for word repetitions under the same heading; the first one stays."""
    seen: set[tuple[str, Section]] = set()
    kept = []
    for sentence in found:
        key = (sentence.low, sentence.section)
        if key not in seen:
            seen.add(key)
            kept.append(sentence)
    return kept


_ONE_SENTENCE = frozenset({Section.ALLERGY, Section.FAMILY, Section.BACKGROUND, Section.MEDICAL, Section.MEDICATION})


_ANSWER = re.compile(r"\s*(?:-\s*)?(?:no|rejected|never|declined)\b")


def _soft_lower(text: str, low: str, at: int, line_start: int, after: int) -> bool:
    line = low[line_start:at].rstrip()
    return (
        bool(line)
        and line[-1] not in ".:;!?"
        and len(line) > 30
        and _starts_lower(text, after)
        and not _BULLET.match(low, after)
    )


def _title(line: str) -> bool:
    words = [word for word in line.split() if word[:1].isalpha()]
    return bool(words) and words[0][0].isupper()


def _section_ends(section: Section, own_line: bool, blank: bool, low: str, after: int) -> bool:
    """Whether a line end ends the section that is in force."""
    if section is Section.NEUTRAL:
        return False
    if _BULLET.match(low, after) or low[after : after + 1] in {" ", "\t"}:
        return False
    if section in {Section.PLAN, Section.HISTORY}:
        return blank and section is Section.HISTORY
    return True


def _abbreviated(low: str, at: int, after: int, line_start: int) -> bool:
    piece = low[max(line_start, at - 8) : at]
    word = piece[max(piece.rfind(" "), piece.rfind("("), piece.rfind("/"), piece.rfind("\n")) + 1 :]
    if word in _ABBREVIATIONS:
        return True
    if len(word) == 1 and word.isalpha():
        return True
    if word == "no" and low[after : after + 2].strip()[:1].isdigit():
        return True
    if not word.isdigit() or len(word) > 2:
        return False
    before = low[line_start : at - len(word)].rstrip()
    if not before.strip(" (-*"):
        return True
    return len(word) == 1 and low[after : after + 1] == " " and (before[-1] in ".;:" or before.endswith("not"))


def _sentence(
    text: str, low: str, start: int, end: int, wraps: list[int], section: Section, heading: str
) -> Sentence | None:
    piece = low[start:end]
    stripped = piece.strip()
    if not stripped:
        return None
    start += len(piece) - len(piece.lstrip())
    end = start + len(stripped)
    written, folded = text[start:end], low[start:end]
    if wraps or "\n" in folded:
        written, folded = written.replace("\n", " "), folded.replace("\n", " ")
    return Sentence(start, end, written, folded, section, heading)


def having(found: Iterable[Sentence], marks: int) -> Iterator[Sentence]:
    """The sentences that hold a word of one of these kinds."""
    return (one for one in found if one.marks & marks)
