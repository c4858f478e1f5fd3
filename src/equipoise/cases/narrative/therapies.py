"""Words about therapy as a stream: regimens and the cues around them (proposal, history, outcome, refusal, condition)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from equipoise.cases.vocabulary.drugs import covers, drug, is_cytotoxic, is_group, lexicon
from equipoise.cases.vocabulary.tokens import PhraseTable

_TOKEN = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?")

CUES: dict[str, tuple[str, ...]] = {
    "rec": (
        "rec", "recs", "pls", "please", "agree with", "agrees with", "agrees to", "agree to", "agree on", "decided", "decision", "plan is", "request coverage of", "coverage of", "coverage for", "requesting", "request approval of", "referred to", "referred", "going for", "intend to start", "to treat with", "majority", "recommend", "recommends", "recommended", "recommending", "recommendation is", "recommendation", "suggest", "suggests", "suggested", "suggesting", "favor", "favour", "favors",
        "favours", "favored", "favoured", "favoring", "favouring", "propose", "proposes", "proposed", "proposing", "advise", "advises", "advised", "agreed to", "agreed on", "agreed", "agreement on",
        "consensus", "consensus for", "proceed with", "proceed to", "proceeding with", "proceeding to", "offer", "offered", "offering", "will receive", "should receive", "to receive", "treat with", "will be treated with", "would treat with",
        "should be treated with", "to be treated with", "would be treated with", "intend to treat with", "prefer", "preferred", "preference for", "preference is", "go with", "opt for", "opted for", "give", "to give", "will be given", "should be given",
        "to be given", "to get", "will get", "plan for", "plan is for", "plan to give", "plan to treat with", "planned for", "plan of", "decision to", "decision for", "decided on", "decided to", "decided for", "in favour of", "in favor of",
        "endorse", "endorsed", "endorses", "use", "would use", "we would", "would", "should have", "should be offered", "should get", "should go on", "to go on", "will go on", "go on to", "support", "supports", "supported", "list for", "listed for", "book for", "booked for", "prescribe",
        "will be offered", "to be offered", "consider", "considering", "recommended treatment is", "treatment of choice", "indicated", "is indicated", "next line", "pursue", "schedule", "scheduled for", "arrange", "treat", "put on", "place on", "trial of", "needs", "plan", "planned", "ready for", "approved for", "approval for", "chosen", "selected",
        "is appropriate", "would be appropriate", "is reasonable", "would be reasonable", "reasonable", "best option is", "best option", "first choice", "preferred option", "intent is", "aim for", "refer for", "referral for", "refer to", "refer", "submit request for", "request for", "apply for", "authorization for", "authorisation for", "prior authorization for", "prior authorisation for",
    ),
    "start": (
        "starts", "begins", "commences", "intend to start", "to start on", "to start him on", "to start her on", "start him on", "start her on", "start them on", "start", "to start", "will start", "should start", "can start", "start on", "starting", "commence", "to commence", "will commence", "commencing", "initiate", "to initiate", "will initiate", "initiation of", "initiating", "begin", "to begin",
        "will begin", "beginning", "plan to start", "plan to commence", "plan to initiate", "plan to begin", "planned to start", "planning to start", "will be started on", "will be started", "to be started on", "to be started", "should be started", "should be started on", "would start", "would commence",
        "can be started", "would begin", "would initiate", "due to start", "due to commence", "about to start", "will be commenced on", "to be commenced", "to be commenced on", "be started on", "be started",
    ),
    "cont": ("cont", "continue with", "continue", "continuing", "continuation of", "carry on with", "remain on", "stay on", "keep on", "maintain", "to continue", "will continue", "should continue", "would continue", "to be continued", "should be continued", "be continued", "to remain on", "keep", "to stay on", "will stay on", "will remain on", "proceed unchanged with", "persist with", "maintained on"),
    "switch": ("switch to", "switching to", "change to", "changing to", "change therapy to", "change treatment to", "convert to", "transition to", "move to", "switch", "switch over to", "switch therapy to", "switch treatment to", "should be switched to", "to be switched to", "will be switched to", "will switch to", "would switch to", "will change to", "should switch to", "be switched to", "be changed to", "escalate to", "replace with", "replaced by"),
    "add": ("add", "adding", "addition of", "to add", "will add", "would add", "intensify with", "be added", "to be added", "should be added", "supplement with", "in addition to"),
    "re": ("rechallenge with", "rechallenge", "re challenge", "re challenge with", "retreat with", "re treat with", "retreatment with", "re treatment with", "reintroduce", "restart", "resume", "re start", "restarting", "resuming", "rechallenging with", "reinitiate", "re initiate"),
    "from": ("switch from", "switching from", "change from", "a change from", "changing from", "convert from", "transition from", "change treatment from", "move from"),
    "neg": (
        "d c", "dc", "in preference to", "preferred over", "preferable to", "not to start", "not pursued", "no indication", "could not agree", "stop", "stopping", "discontinue", "discontinuing", "discontinuation of", "cease", "ceasing", "hold", "holding", "withhold", "withholding", "avoid", "avoiding", "avoidance of", "omit", "omitting", "not a candidate for", "not candidate for", "no longer a candidate for", "not a good candidate for", "poor candidate for",
        "contraindicated", "contraindication", "contraindications", "contraindication to", "contraindicates", "precludes", "precluding", "preclude", "declined", "declines", "decline", "declining", "refused", "refuses", "refusal of", "does not want", "doesn t want", "not funded", "not reimbursed", "not covered", "not available", "would not", "will not", "should not", "do not", "don t", "not recommend",
        "not recommended", "not be recommended", "no role for", "against", "rather than", "instead of", "in place of", "not eligible for", "not eligible", "ineligible", "ineligible for", "unsuitable for", "not suitable for", "not suitable", "unsuitable", "unfit for", "not fit for", "too frail for", "no indication for", "not indicated", "not appropriate",
        "not advised", "not approved", "not approved by", "not supported", "not support", "never received", "never had", "never given", "has not received", "not received", "not had", "not given", "has not had", "no", "without", "not", "nor", "neither", "over", "no benefit from", "unlikely to benefit from", "rejected", "reject", "rejects", "cancelled", "canceled", "withdrawn", "withdraw", "deferred", "defer", "not favoured", "not favored", "not favour", "not favor",
        "not pursue", "not offered", "not offer", "not started", "not yet started", "not commenced", "never started", "not begun", "not yet begun", "turned down", "deny", "denied", "was denied", "unavailable", "not justified", "no place for", "before starting", "before commencing", "before initiating", "prior to starting", "prior to commencing", "prior to initiating", "not in favour of", "not in favor of",
        "drop", "dropping", "excluded", "omitted", "avoided", "withheld", "be avoided", "be stopped", "be held", "not use", "not be used", "not to use", "not to give", "not be given", "resistance to", "not the", "instead", "not an option", "not considered", "not tolerated", "not a", "not for", "no need for", "not proceed with", "not feasible", "spare", "no further", "ruled out", "taper", "wean", "off",
    ),
    "cond": (
        "if", "unless", "on progression", "at progression", "upon progression", "at the time of progression", "at time of progression", "on further progression", "at further progression", "in case of", "in the event of", "in the event", "depending on", "depends on", "dependent on", "contingent on", "conditional on", "subject to", "at relapse", "on relapse", "upon relapse", "on pd", "at pd",
        "should", "when", "in the future", "in future", "later", "later line", "later lines", "subsequent line", "subsequent lines", "as salvage", "reserve", "reserved for", "reserved", "keep in reserve", "save", "once the results", "once results", "once molecular", "once ngs", "after confirmation", "provided", "would be an option", "could be an option", "may be an option", "at next progression", "after progression if", "guided by", "according to", "whether", "second line option", "for later",
        "future option", "future options", "next line would be", "await", "awaiting", "tbd", "to be decided", "to be determined", "to be discussed", "at recurrence", "in reserve", "at the next progression", "upon further progression",
    ),
    "alt": ("alternatively", "alternative", "alternatives", "alternative is", "alternative would be", "or else", "otherwise", "second choice", "second option", "backup", "back up", "fallback", "fall back", "failing that", "as an alternative", "another option is", "another option", "equally acceptable", "option 2", "option b", "option 1", "option a", "option c", "option 3", "also acceptable", "acceptable alternative", "acceptable"),
    "cons": ("considered", "discussed", "options include", "options included", "options are", "options were", "options", "option", "could", "may", "might", "reviewed", "debated", "debate", "weighed", "possibilities", "possible", "candidate for", "eligible for", "choices", "discussion of", "discussion", "between", "versus", "vs", "asked whether", "thought"),
    "ask": ("asked about", "asks about", "asked for", "asking about", "asks for", "asked", "asks", "asking for", "enquired about", "inquired about", "enquires about", "inquires about", "wishes", "wanted", "wants", "read about", "hopes for", "keen on", "hoping for", "had heard of", "interested in", "would like", "enquired", "inquired", "wondered"),
    "bg": ("per", "based on", "data from", "data for", "results of", "guideline", "guidelines", "nccn", "esmo", "asco", "in the", "evidence for", "evidence from", "approved", "label", "fda", "ema", "superior to", "superiority of", "compared with", "compared to", "activity of", "efficacy of", "trials of", "studies of", "sensitive to", "sensitivity to", "confers", "responsive to", "response rates", "interaction with", "interacts with", "interaction between", "interactions with", "known for", "predicts", "target of", "data with", "data on", "targetable with", "standard of care is", "standard is", "failed in the trial"),
    "allergy": ("allergy to", "allergic to", "allergy", "allergic", "allergies", "anaphylaxis to", "hypersensitivity to"),
    "hist": (
        "recent", "recently", "begun", "was begun", "has begun", "went onto", "s p", "received", "receiving", "has received", "had received", "treated with", "treatment with", "was given", "were given", "given", "has had", "had", "underwent", "status post", "post", "following", "after", "previously", "previous", "prior", "started", "started on", "was started", "was started on", "has started", "had started", "began", "commenced", "commenced on", "was commenced", "was commenced on",
        "responded to", "response to", "initiated", "was initiated", "went on", "went on to", "exposed to", "exposure to", "pretreated with", "pre treated with", "pretreated", "then", "followed by", "next", "thereafter", "subsequently", "switched to", "was switched to", "changed to", "was changed to", "moved to", "moved on to", "transitioned to", "was put on", "put onto", "took", "initially", "cycles of", "cycles", "courses of", "history of", "during", "under", "while on", "added", "was added", "with", "managed with", "despite", "rechallenged with", "was rechallenged with", "tried",
        "enrolled", "enrolled on", "enrolled in", "participated", "got", "was on", "through",
    ),
    "ongoing": ("currently on", "remains on", "continues on", "currently receiving", "currently taking", "ongoing", "still on", "still receiving", "on treatment with", "now on", "tolerating", "tolerates", "stable on", "responding to", "in response on", "on", "taking", "takes", "current therapy", "current treatment", "continues", "continued", "currently", "current", "remains", "maintained", "well controlled on", "doing well on", "responding", "is on", "has been on", "being treated with"),
    "pd": ("oligopd", "oligo pd", "treatment failure", "pd", "progressed", "progression", "progressing", "progressive", "progresses", "progressive disease", "progression of disease", "disease progression", "failed", "failure of", "refractory", "refractory to", "resistant to", "until progression", "until pd", "until disease progression", "new lesions", "new lesion", "growth", "growing", "grew", "worsening disease", "pod", "prog", "progr", "new metastases", "new liver metastases", "new brain metastases", "disease growth", "enlarging", "oligoprogression", "new bone metastases", "increase in size"),
    "relapse": ("relapsed", "relapse", "recurrence", "recurred", "recurrent", "relapsing"),
    "tox": ("could not tolerate", "did not tolerate", "unable to tolerate", "not tolerate", "tolerated poorly", "heart failure", "psychosis", "pancreatitis", "hyponatremia", "fatigue", "stomatitis", "arthralgia", "cytopenia", "anemia", "transaminase elevation", "qtc", "toxicity", "toxicities", "pneumonitis", "intolerant", "intolerant of", "intolerance", "intolerance of", "intolerance to", "intolerable", "side effects", "side effect", "adverse event", "adverse events", "adverse effects", "adverse reaction", "neuropathy", "poorly tolerated", "hypersensitivity", "hypersensitivity reaction", "infusion reaction", "ild", "colitis", "hepatitis", "myocarditis", "nephritis", "transaminitis", "cytopenias", "hepatotoxicity", "nephrotoxicity", "renal failure", "diarrhea", "diarrhoea", "rash", "qtc prolongation", "qt prolongation", "cardiomyopathy", "myasthenia", "encephalitis", "hypophysitis", "edema", "oedema", "creatinine rise", "aki", "ototoxicity", "hyperglycemia", "hyperglycaemia", "neutropenia", "thrombocytopenia"),
    "stopped": ("dc d", "d c d", "was dc d", "stopped", "stopped for", "stopped due to", "discontinued", "discontinued for", "discontinued due to", "ceased", "was stopped", "was discontinued", "held", "was held", "terminated", "halted", "interrupted", "came off", "stopped because of", "discontinued because of", "had to stop", "was ceased", "abandoned", "suspended", "permanently discontinued"),
    "done": ("completed", "finished", "completion of", "completing", "finishing", "completed in", "concluded", "after completing", "after completion of", "having completed", "has completed", "had completed", "planned cycles"),
    "since": ("since",),
    "optional": ("with or without", "plus or minus"),
    "order": ("prescribed", "was prescribed", "prescription", "prescription for", "ordered", "script", "script for", "rx given", "prescription issued", "prescription sent"),
    "maint": ("maintenance", "maint"),
    "stable": ("stable disease", "partial response", "complete response", "no progression", "without progression", "no evidence of progression", "without evidence of progression", "no disease progression", "no evidence of disease progression", "response", "not progressed", "has not progressed", "no sign of progression", "no signs of progression", "non progressive", "no radiographic progression", "no radiological progression", "no pd", "without disease progression", "no relapse", "no recurrence", "no evidence of recurrence", "without recurrence", "without relapse", "progression free", "no new lesions", "no evidence of relapse"),
    "line1": ("first line", "1st line", "1l", "frontline", "front line", "line 1", "1 l", "l1"),
    "line2": ("second line", "2nd line", "2l", "line 2", "2 l", "l2"),
    "line3": ("third line", "3rd line", "3l", "line 3", "3 l", "l3"),
    "line4": ("fourth line", "4th line", "4l", "line 4", "4 l", "l4"),
    "none": ("off label", "off label use"),
    "trial": ("clinical trial", "trial", "study", "phase i", "phase ii", "phase iii", "phase 1", "phase 2", "phase 3", "phase 1 2", "first in human", "early phase", "nct", "trials unit", "study protocol", "clinical study", "clinical trials"),
    "notrial": ("trial data", "sleep study", "barium swallow study", "study showed", "trial showed", "trials showed", "case study", "in trials", "swallow study", "per trial", "void trial"),
    "other": (
        "symptom control", "comfort care", "no further active therapy", "no further active treatment", "no further treatment", "no further systemic therapy", "hospice support", "palliative care team", "community palliative care", "rebiopsy", "re biopsy", "biopsy", "repeat biopsy", "tissue biopsy", "liquid biopsy", "surveillance", "observation", "observe", "palliative care", "best supportive care", "supportive care", "bsc", "hospice", "genetic counseling", "genetic counselling", "ngs", "sequencing", "imaging", "restaging", "repeat testing", "molecular testing", "genomic testing", "pd l1 testing",
        "referral", "repeat ngs", "repeat mri", "repeat ct", "mri brain", "brain mri", "pet ct", "mediastinoscopy", "ebus", "bronchoscopy", "watchful waiting", "repeat imaging", "testing", "germline testing", "plasma ngs", "tissue ngs", "send ngs", "active surveillance", "reflex testing", "rna sequencing", "fish", "thoracentesis", "pleurx", "ct scan", "end of life care", "ctdna", "ct", "mri", "pet", "pulmonary function tests", "echo", "echocardiogram", "ecg",
    ),
}  # fmt: skip
"""Cue -> phrases. A phrase is matched as whole words, the longest first."""

_LOCAL = ("fractionated radiotherapy", "srs", "wbrt", "radiosurgery", "stereotactic radiosurgery", "gamma knife", "cyberknife", "whole brain radiotherapy", "whole brain radiation", "whole brain rt", "brain radiation", "brain radiotherapy", "fsrt", "palliative radiotherapy", "palliative radiation", "palliative rt")  # fmt: skip
_SETTING_WORDS = {"adj": "adjuvant", "neoadj": "neoadjuvant", "periop": "neoadjuvant", "preop": "neoadjuvant", "postop": "adjuvant", "consol": "consolidation"}
_SKIPPED = frozenset({"irene", "pd 1", "mta", "line", "cis pt", "doublet"})
_ROLES = frozenset({"component", "setting"})


@dataclass(slots=True)
class Item:
    """One cue, drug or setting word of a sentence.

    Attributes:
        kind: a key of `CUES`, or "drug", "setting", "arrow", "semi".
        start: place in the sentence.
        end: one past the last character.
        components: canonical names of a drug item.
        settings: settings that a word names.
        local: whether it is a local treatment of a site.
    """

    kind: str
    start: int
    end: int
    components: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    local: bool = False


@dataclass(slots=True)
class Group:
    """A regimen: drugs joined by plus, slash, comma, "and" or "with".

    Attributes:
        start: place in the sentence.
        end: one past the last character.
        components: canonical names.
        settings: settings named with it.
        link: how it follows the group before: "", "or", "optional" (with or without), "comma", "and", "over".
        local: whether it is a local treatment only.
    """

    start: int
    end: int
    components: list[str] = field(default_factory=list)
    settings: set[str] = field(default_factory=set)
    link: str = ""
    local: bool = False

    @property
    def systemic(self) -> bool:
        """Whether a systemic therapy is named."""
        return any(name not in LOCAL_NAMES for name in self.components)


LOCAL_NAMES = frozenset({"radiotherapy", "surgery", "tumor-treating-fields"})


@cache
def _cue_table() -> PhraseTable[str]:
    table: PhraseTable[str] = PhraseTable()
    for kind, phrases in CUES.items():
        for phrase in phrases:
            try:
                table.add(phrase, kind)
            except ValueError:
                continue
    return table


@cache
def _firsts() -> frozenset[str]:
    """First words of everything that is looked for."""
    return lexicon().table.firsts(lambda entry: entry.role in _ROLES) | _cue_table().firsts() | _local_table().firsts() | frozenset(_SETTING_WORDS)


@cache
def _local_table() -> PhraseTable[str]:
    table: PhraseTable[str] = PhraseTable()
    table.extend(_LOCAL, "radiotherapy")
    table.extend(("chemort", "chemo rt", "chemrt"), "chemoradiation")
    return table


_AFTER_NOT_DRUG = re.compile(
    r"\s?-?\s?(?:na[i\u00ef]ve|allerg|inhibitor\s+trial|panel|test|assay|mutation|pneumonitis|fibrosis|oncolog|necrosis|sensitiv|resistan(?:ce|t)\s+mut|enteritis|oesophagitis|esophagitis|field|team|suite|department|day\s?unit|nurse|port\b|clinic|consent|option|changes|margin)"
)
_RT_NOT = re.compile(r"\s?-?\s?(?:pcr|upper|lower|middle|lung|side|hilar|hilum|arm|breast|hip|kidney|adrenal|sided|pleural|main|paratracheal)")
_SURGERY_NOT = re.compile(r"\s+(?:specimen|pathology|margin|tissue|sample|clinic|team|ward|material|date)")
_ARROW = re.compile(r"\u2192|-+>|=+>|>>?(?!=|\s?\d)|\bthen\b")


def items(low: str) -> list[Item]:
    """The cues and drugs of a sentence, in order."""
    found: list[Item] = []
    spans = [match.span() for match in _TOKEN.finditer(low)]
    tokens = [low[start:end] for start, end in spans]
    drugs, cues, local, firsts = lexicon().table, _cue_table(), _local_table(), _firsts()
    place, size, last = 0, len(tokens), 0
    while place < size:
        start = spans[place][0]
        gap = low[last:start]
        if len(gap) > 1 or gap not in " ":
            _punctuation(found, gap, last)
        taken = 1
        word = tokens[place]
        if word not in firsts and not word.isdigit():
            last = spans[place][1]
            place += 1
            continue
        if word == "pd" and place + 1 < size and tokens[place + 1] in {"l1", "1", "l", "l2"} and spans[place + 1][0] - spans[place][1] <= 1 and tokens[place + 1] != "1":
            last = spans[place + 1][1]
            place += 2
            continue
        if len(word) == 1 and word.isdigit() and low[spans[place][1] : spans[place][1] + 1] in {")", "."} and (start == 0 or low[start - 1] in " (:;") and low[spans[place][1] + 1 : spans[place][1] + 2] in {" ", ""}:
            found.append(Item("enum", start, spans[place][1], (word,)))
        near = local.match(tokens, place)
        known = drugs.match(tokens, place)
        cue = cues.match(tokens, place)
        if near is not None and (known is None or near[1] >= known[1]):
            taken = near[1]
            both = near[0] == "chemoradiation"
            names = ("chemotherapy", "radiotherapy") if both else ("radiotherapy",)
            found.append(Item("drug", start, spans[place + taken - 1][1], names, ("chemoradiation",) if both else (), local=not both))
        elif tokens[place] in _SETTING_WORDS and known is None:
            found.append(Item("setting", start, spans[place][1], (), (_SETTING_WORDS[tokens[place]],)))
        elif known is not None and known[0].role in _ROLES and (cue is None or cue[1] <= known[1]) and _is_therapy(low, start, spans[place + known[1] - 1][1]):
            entry, taken = known
            end = spans[place + taken - 1][1]
            kind = "drug" if entry.role == "component" else "setting"
            if kind == "drug" and not entry.components:
                kind = "none"
            found.append(Item(kind, start, end, entry.components, entry.settings))
        elif cue is not None:
            kind, taken = cue
            found.append(Item(kind, start, spans[place + taken - 1][1]))
        last = spans[place + taken - 1][1]
        place += taken
    if last < len(low):
        _punctuation(found, low[last:], last)
    if "new" in tokens or "developed" in tokens or "appeared" in tokens:
        found.extend(Item("newmet", match.start(), match.end()) for match in _NEW_LESION.finditer(low))
        found.sort(key=lambda item: item.start)
    return found


_NEW_LESION = re.compile(r"(?<!no )(?<!without )(?<!any )(?<!for )\b(?:new|developed)\s+(?:[\w-]+\s+){0,2}?(?:mets?|metastas[ei]s|lesions?|deposits?)\b|\b(?:mets|metastases|lesions?)\s+(?:have\s+)?appeared\b")


def _punctuation(found: list[Item], gap: str, at: int) -> None:
    if ";" in gap:
        found.append(Item("semi", at, at + len(gap)))
    elif "\u2192" in gap or "->" in gap or "=>" in gap or ">" in gap:
        found.append(Item("arrow", at, at + len(gap)))


def _is_therapy(low: str, start: int, end: int) -> bool:
    word = low[start:end]
    if word in _SKIPPED:
        return False
    if _AFTER_NOT_DRUG.match(low, end):
        return False
    if word == "rt" and (_RT_NOT.match(low, end) or low[max(0, start - 1) : start] == "-"):
        return False
    return not (word in {"resection", "surgery", "lobectomy", "surgical resection"} and _SURGERY_NOT.match(low, end))


_AS = re.compile(r"\s{0,2}|\s*(?:as|in\s+the|given\s+as)\s+(?:an?\s+)?")
_DOSE = re.compile(
    r"\([^()]{0,60}\)|\[[^\[\]]{0,60}\]|\bauc\s?=?\s?\d(?:\.\d)?|\b\d+(?:[.,]\d+)?\s?(?:mg|g|mcg|\u00b5g|gy)(?:\s?/\s?(?:m2|m\u00b2|kg|day|d|\d+))?(?:\s?(?:m2|m\u00b2))?|\bq\s?\d{1,2}\s?(?:w|d|weeks?|days)?|\bevery\s+(?:\d+|three|two|four|six)\s+weeks?"
    r"|\b(?:qd|od|bid|daily|po|iv|sc|weekly|flat\s+dose|disodium|mesylate|monotherapy|alone|single[- ]agent|therapy|treatment|based|chemo(?:therapy)?(?=\s*(?:\+|plus|and|with))|maintenance|immunotherapy(?=\s*(?:\+|plus|and|with)))\b|\bx\s?\d{1,2}(?:\s?(?:y|yrs?|years?|mo|months?|m|w|weeks?))?\b|\b\d{1,2}\s?x\b|\b\d{1,2}\s+cycles?(?:\s+of)?|\bd\d{1,2}\b|\bdays?\s+\d{1,2}"
)
_JOIN = re.compile(r"\s*\)?\s*(?:,?\s*(?:and|plus|with|&|\+|/|in\s+combination\s+with|combined\s+with|together\s+with|along\s+with|alongside|concurrent(?:ly)?(?:\s+with)?|and\s+concurrent|with\s+concurrent|concomitant(?:ly)?(?:\s+with)?|and\s+(?:adding|add)\s+on)\s*(?:the\s+|concurrent\s+|thoracic\s+|definitive\s+)?|-|,|in\s+combination\s+with|\()\s*")
_OR = re.compile(r"[\s-]*\)?\s*,?\s*(?:or|and/or|versus|vs\.?|either|or\s+else|or\s+alternatively)\s*(?:with\s+)?\s*")
_OPTIONAL = re.compile(r"\s*\)?\s*,?\s*(?:\+/-|\u00b1|with\s+or\s+without|plus\s+or\s+minus|\(?\+/-\)?)\s*")


def groups(low: str, stream: list[Item]) -> list[Group | Item]:
    """The stream with neighbouring drugs joined to regimens; everything but drugs and settings stays as it is.

    A comma joins only what can be one regimen, and never after a plus or slash has been used.
    """
    found: list[Group | Item] = []
    current: Group | None = None
    strong = False
    last_end = -1
    pending: set[str] = set()
    pending_end = -1
    needs: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    for item in stream:
        if item.kind in {"none", "optional"}:
            continue
        if item.kind == "setting":
            if current is not None and item.start >= last_end and not item.components and _AS.fullmatch(low[last_end : item.start]):
                current.settings.update(item.settings)
                last_end = item.end
                continue
            if item.components:
                needs.append((item.components, item.settings))
                continue
            pending, pending_end = set(item.settings), item.end
            found.append(item)
            continue
        if item.kind != "drug":
            if current is not None and item.kind in {"hist", "cons", "bg", "maint"} and low[item.start : item.end] in {"with", "versus", "vs"} and item.start - last_end <= 24:
                continue
            if item.kind == "hist" and low[item.start : item.end] in {"cycles", "cycles of", "with"}:
                if item.kind == "hist" and low[item.start : item.end] == "with" and current is None:
                    found.append(item)
                continue
            if item.kind in {"cons", "alt"} and low[item.start : item.end] in {"option", "options"} and current is not None:
                continue
            found.append(item)
            current = None
            continue
        gap = low[last_end : item.start] if current is not None else ""
        link = _link(gap, current, item, strong) if current is not None else ""
        if current is not None and link in {"join", "weak"}:
            strong = strong or link == "join"
            current.components.extend(name for name in item.components if name not in current.components)
            current.settings.update(item.settings)
            current.end = item.end
            current.local = current.local and item.local
        else:
            current = Group(item.start, item.end, list(item.components), set(item.settings), link, item.local)
            strong = False
            if pending and item.start - pending_end <= 14:
                current.settings |= pending
            found.append(current)
        pending = set()
        last_end = item.end
    for one in found:
        if isinstance(one, Group):
            one.components = settled(one.components)
            for needed, named in needs:
                if any(name in needed for name in one.components):
                    one.settings.update(named)
    return found


def _link(gap: str, group: Group, item: Item, strong: bool) -> str:
    plain = _DOSE.sub(" ", gap)
    if _OPTIONAL.fullmatch(plain):
        return "optional"
    if _OR.fullmatch(plain):
        return "or"
    if item.components == ("radiotherapy",) and item.local != group.local and not item.local and not any(is_cytotoxic(name) for name in group.components):
        return "and"
    if (item.local or group.local) and item.local != group.local:
        return "and"
    if "surgery" in item.components or "surgery" in group.components:
        return "and"
    if not plain.strip():
        if "(" in gap and len(gap) > 12:
            return "join" if _names_more(group, item) else "comma"
        return "join" if len(gap) <= 3 or _names_more(group, item) or gap.strip() != "" else "join"
    if not _JOIN.fullmatch(plain):
        return "comma"
    mark = plain.strip()
    if mark == "(":
        return "join" if _names_more(group, item) or set(item.components) <= set(group.components) else "comma"
    if mark == ",":
        return "weak" if not strong and _plausible(group.components, item.components) else "comma"
    if mark in {"and", ", and"} and not _plausible(group.components, item.components):
        return "and"
    return "join"


def _names_more(group: Group, item: Item) -> bool:
    return any(is_group(name) and any(one in covers(name) for one in item.components) for name in group.components)


_SOLO = ("egfr-tki", "alk-tki", "ros1-tki", "ret-tki", "trk-tki", "met-tki", "kras-g12c-inhibitor", "taxane", "platinum", "anti-pd1-pdl1", "her2-adc", "adc")


def _plausible(one: list[str], two: tuple[str, ...]) -> bool:
    """Whether drugs that a list puts side by side can be one regimen: none of one class twice, no docetaxel beside a doublet."""
    both = [*one, *two]
    for name in _SOLO:
        if sum(name in _classes(drug_name) for drug_name in both) > 1:
            return False
    if "docetaxel" in both and ({"platinum", "pemetrexed", "gemcitabine"} & set(both) or any("platinum" in _classes(name) for name in both)):
        return False
    if any("targeted" in _classes(name) and name not in {"amivantamab"} for name in one) and any("immune-checkpoint-inhibitor" in _classes(name) for name in two):
        return False
    if "docetaxel" in both and any("targeted" in _classes(name) or "immune-checkpoint-inhibitor" in _classes(name) for name in both):
        return False
    if any("immune-checkpoint-inhibitor" in _classes(name) for name in one) and any("targeted" in _classes(name) for name in two):
        return False
    return True


def _classes(name: str) -> frozenset[str]:
    entry = drug(name)
    return entry.classes if entry is not None else frozenset()


def settled(components: list[str]) -> list[str]:
    """Components without a group that a named member already makes specific ("chemotherapy (carboplatin/pemetrexed)")."""
    names = list(dict.fromkeys(components))
    kept = []
    for name in names:
        if is_group(name):
            members = covers(name)
            others = [other for other in names if other != name and other in members]
            if others:
                continue
            if name == "chemotherapy" and any(other in {"taxane", "antifolate"} for other in names):
                continue
        kept.append(name)
    return kept
