"""Comorbidities and co-medications that a caveat reads, with denial, stopped drugs, allergies and doses."""

from __future__ import annotations

import re

from equipoise.cases.model import Documented, Source, Status
from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.scope import own_text
from equipoise.cases.narrative.sentences import CONDITION, Sentence, having

_NAMES: dict[str, str] = {
    "ild": r"ild\b|interstitial\s+(?:lung\s+disease|pneumonia|pneumonitis|fibrosis)|pneumonitis|ipf\b"
        r"|(?:idiopathic\s+)?pulmonary\s+fibrosis|lung\s+fibrosis|nsip\b|uip\b",
    "autoimmune": r"auto-?immune\s+(?:disease|disorder|dz|condition|hepatitis|thyroiditis\s+and|disorders|diseases"
        r"|history|encephalitis|h[a]?emolytic\s+an\w+)|rheumatoid(?:\s+arthritis)?"
        r"|(?:systemic\s+)?lupus(?:\s+erythematosus)?|\bsle\b|crohn'?s?(?:\s+disease)?|ulcerative\s+colitis"
        r"|psoria(?:sis|tic\s+arthritis)|myasthenia(?:\s+gravis)?|multiple\s+sclerosis"
        r"|sj[o\u00f6]gren'?s?(?:\s+syndrome)?|vasculitis|ankylosing\s+spondylitis"
        r"|inflammatory\s+bowel\s+disease|\bibd\b|scleroderma|systemic\s+sclerosis|guillain[- ]barr\w+"
        r"|graves'?\s+disease|polymyalgia\s+rheumatica|dermatomyositis|polymyositis|giant\s+cell\s+arteritis",
    "transplant": r"(?:kidney|renal|liver|heart|cardiac|lung|solid[\s-]organ|organ"
        r"|hepatic)\s+(?:allo-?)?(?:transplant(?:ation|ed)?|allograft|graft)|transplanted\s+(?:kidney|liver"
        r"|heart|lung)|transplant(?:ation)?",
    "hsct": r"allo-?\s?(?:geneic)?\s*-?(?:hsct|sct|bmt|(?:h[a]?ematopoietic\s+)?(?:stem\s+cell"
        r"|bone\s+marrow)\s+transplant\w*)|allo-?hsct|\bhsct\b"
        r"|allogeneic\s+(?:h[a]?ematopoietic\s+)?(?:stem\s+cell\s+|bone\s+marrow\s+)?transplant\w*",
    "hemoptysis": r"ha?emoptysis|cough(?:ed|ing|s)?\s+up\s+blood",
    "vte": r"\bvte\b|\bdvt\b|pulmonary\s+embol(?:ism|i|us)|deep\s+(?:vein|venous)\s+thrombosis"
        r"|venous\s+thrombo-?embol\w+|\bpe\b|\bpes\b|thrombo-?embol(?:ism|ic\s+(?:disease|event)s?)|thrombosis"
        r"|thromboses",
    "cyp3a-inducer": r"carbamazepine|tegretol|phenytoin|dilantin|rifampicin|rifampin|st\.?\s+john'?s\s+wort|phenobarbital"
        r"|(?:strong\s+)?cyp\s?3a4?\s+inducers?|mitotane",
    "cyp3a-inhibitor": r"clarithromycin|itraconazole|ketoconazole|posaconazole|voriconazole|ritonavir|cobicistat"
        r"|(?:strong\s+)?cyp\s?3a4?\s+inhibitors?",
    "ppi": r"omeprazole|omep|pantoprazole|lansoprazole|esomeprazole|rabeprazole|dexlansoprazole"
        r"|proton[\s-]pump\s+inhibitors?|\bppis?\b",
}  # fmt: skip
_PATTERNS = {name: re.compile(rf"(?<![a-z])(?:{pattern})(?![a-z])") for name, pattern in _NAMES.items()}
_HINTS: dict[str, tuple[str, ...]] = {
    "ild": ("ild", "interstitial", "pneumonitis", "ipf", "fibrosis", "nsip", "uip"),
    "autoimmune": (
        "immune",
        "rheum",
        "lupus",
        "sle",
        "crohn",
        "colitis",
        "psoria",
        "myasth",
        "sclero",
        "sj",
        "vasculitis",
        "spondyl",
        "bowel",
        "ibd",
        "guillain",
        "graves",
        "polym",
        "dermato",
        "arteritis",
    ),
    "transplant": ("transplant", "graft"),
    "hsct": ("allo", "hsct"),
    "hemoptysis": ("moptysis", "blood"),
    "vte": ("vte", "dvt", "embol", "thromb", "pe"),
    "cyp3a-inducer": (
        "carba",
        "tegretol",
        "phenytoin",
        "dilantin",
        "rifamp",
        "wort",
        "phenobarb",
        "inducer",
        "mitotane",
    ),
    "cyp3a-inhibitor": ("mycin", "conazole", "ritonavir", "cobicistat", "inhibitor"),
    "ppi": ("prazole", "pump", "ppi", "omep"),
}
_MEDICINES = frozenset({"cyp3a-inducer", "cyp3a-inhibitor", "ppi", "steroids"})
_STEROID = re.compile(
    r"\b(?P<drug>prednis(?:one|olone)|pred|dexamethasone|dex|methylprednisolone|hydrocortisone|steroids?"
    r"|corticosteroids?)\b(?P<tail>[^.;]{0,40})"
)
_DOSE = re.compile(
    r"(\d+(?:\.\d+)?)\s?(?:mg|(?=\s(?:od|qd|daily|bd)\b))(?:\s?(?:/|per)\s?(?P<d>d"
    r"|day))?(?:\s*(?P<freq>bid|b\.d\.|bd|twice\s+(?:a\s+)?(?:day|daily)|tds|tid|three\s+times|qid|q6h|q8h"
    r"|q12h|od|qd|daily|once))?"
)
_EQUIVALENT = {
    "prednisone": 10.0,
    "prednisolone": 10.0,
    "pred": 10.0,
    "dexamethasone": 1.5,
    "dex": 1.5,
    "methylprednisolone": 8.0,
    "hydrocortisone": 40.0,
}
"""Daily dose in milligrams that equals 10 mg of prednisone."""

_DENIED = re.compile(
    r"\b(?:no|not(?:\s+(?:on|taking|had|have|been|known|to\s+have|an?|any))*|denies|denied|without"
    r"|never(?:\s+(?:had|been))?|negative\s+for|nil|free\s+of|absence\s+of|excluded|ruled\s+out|lacks|nor"
    r"|does\s+not\s+have|neither)\b"
)
_BREAK = re.compile(
    r"\bbut\b|\bhowever\b|\balthough\b|\bexcept\b|\bapart\s+from\b|\bhas\b|\bwith\b(?!out)"
    r"|\bon\b(?!\s+(?:a\s+)?(?:any|no|strong|ppi|steroid|cortico))|\bis\b|\bwas\b|\bhad\b|\btakes\b"
    r"|\btaking\b(?!\s+(?:any|a\b))|\u00a6|\(|\bafter\b|\bgiven\b|\bdue\b|\bbecause\b|,\s*(?:known|chronic"
    r"|stable|mild|past|previous|controlled|history)\b"
)
_DENIED_AFTER = re.compile(
    r"\s*(?:disease|disorder|history)?\s*(?::|-|=|\?)?\s*\(?(?:none|no\b|negative|neg\b|absent|denied|nil"
    r"|n\b(?!/)|excluded|ruled\s+out|was\s+(?:excluded|ruled\s+out)|not\s+(?:present|known|seen|found)"
    r"|\(-\)|not\s+on|has\s+been\s+(?:excluded|ruled\s+out)|false)"
)
_DOUBT = re.compile(
    r"\b(?:possible|possibly|suspected|suspicion\s+of|\?|query|rule\s+out|r/o|to\s+exclude|risk\s+of"
    r"|risks?|monitor(?:ing)?\s+for|watch\s+for|counsel\w*|may\s+cause|can\s+cause|could\s+cause"
    r"|concern\s+for|concern\s+about|potential|prophyla\w+|avoid|if|in\s+case\s+of|screen\w*|warn\w*"
    r"|such\s+as|including|educat\w+|signs\s+of|discuss\w*|prevent\w*)\s+(?:[\w/,-]+\s+){0,6}$|\?\s*$"
)
_DOUBT_AFTER = re.compile(
    r"\s*(?:risk|monitoring|prophylaxis|\?|not\s+excluded|cannot\s+be\s+excluded|is\s+suspected|suspected"
    r"|to\s+be\s+excluded|unclear|work-?up)"
)
_STOPPED = re.compile(
    r"\b(?:stopped|discontinued|ceased|off|finished|completed|until|previously|formerly|past|prior"
    r"|used\s+to|allergy|allergic|intolerant|intolerance|changed\s+from|switched\s+from"
    r"|switched\s+to\s+\w+\s+from|replaced|hold|held|stop|stopping|withdrawn|weaned|tapered\s+off"
    r"|weaned\s+off|no\s+longer|was\s+on|had\s+been\s+on|course\s+of|last\s+year|years?\s+ago"
    r"|months?\s+ago|should\s+be|needs\s+to\s+be|changing|history\s+of|inhaled|inhaler|topical|cream|nasal"
    r"|intra-?articular|eye|drops|avoid|premedication|pre-?medication)\b"
)
_STOPPED_AFTER = re.compile(
    r"[^.;,]{0,36}?\b(?:stopped|discontinued|ceased|finished|completed|allergy|allergic|withdrawn|held"
    r"|changed\s+to|switched\s+to|replaced|was\s+tapered|tapered\s+off|weaned\s+off|inhaler|cream|nasal"
    r"|in\s+the\s+past|last\s+(?:year|month)|ago|years\s+ago|no\s+longer|reaction|rash|anaphylaxis"
    r"|until)\b"
)
_PE_EXAM = re.compile(r"\bpe\b\s*(?::|shows|-|\(|unremarkable|normal)|\bo/e\b")
_NO_AUTOIMMUNE = re.compile(r"\bautoimmune\b")
_NONE_FIELD = re.compile(r"\s*(?:none|nil|no)\s*(?:relevant|significant|known|of\s+note)?\s*[.;]?\s*$")


def read_conditions(found: list[Sentence]) -> dict[str, Documented[bool]]:
    """What a note says of each condition; those it does not mention are not in the result."""
    seen: dict[str, list[tuple[bool, Source]]] = {}
    for sentence in having(found, CONDITION):
        if sentence.section in {Section.FAMILY, Section.BACKGROUND}:
            continue
        low = own_text(sentence)
        if sentence.section is Section.ALLERGY:
            continue
        for name, pattern in _PATTERNS.items():
            if not any(hint in low for hint in _HINTS[name]):
                continue
            for match in pattern.finditer(low):
                state = _state(name, sentence, low, match.start(), match.end())
                if state is not None:
                    seen.setdefault(name, []).append((state, _source(sentence, match.start(), match.end())))
        for match in _STEROID.finditer(low):
            state = _steroid(sentence, low, match)
            if state is not None:
                seen.setdefault("steroids", []).append((state, _source(sentence, match.start(), match.end("drug"))))
    return {name: _merged(rows) for name, rows in seen.items()}


def _source(sentence: Sentence, start: int, end: int) -> Source:
    return sentence.source(start, end)


def _merged(rows: list[tuple[bool, Source]]) -> Documented[bool]:
    states = {state for state, _ in rows}
    sources = tuple(source for _, source in rows)
    if len(states) == 2:
        return Documented(Status.CONFLICTING, stated=tuple(source.text for source in sources), sources=sources)
    return (
        Documented(Status.VALUE, True, sources=sources)
        if states == {True}
        else Documented(Status.ABSENT, sources=sources)
    )


def _denied(before: str, after: str, low: str, end: int) -> bool:
    ends = [match.end() for match in _DENIED.finditer(before)]
    if ends and not _BREAK.search(before, ends[-1]):
        return True
    return _DENIED_AFTER.match(low, end) is not None


def _state(name: str, sentence: Sentence, low: str, start: int, end: int) -> bool | None:
    before, after = low[max(0, start - 110) : start], low[end : end + 60]
    cut = max(before.rfind(";"), before.rfind(". "))
    before = before[cut + 1 :]
    if _denied(before, after, low, end):
        return False
    if (
        name == "vte"
        and low[start:end] == "pe"
        and (
            _PE_EXAM.search(low[start : end + 14])
            or not re.search(
                r"\b(?:history|h/o|hx|prior|previous|acute|bilateral|bilat|segmental|dvt|recent|of|with|and|for|had"
                r"|after|subsegmental|vte|incidental|known|had|,|/)\s*(?:a\s+|an\s+)?$|^\s*$|[/,+&]\s*$",
                before,
            )
        )
    ):
        return None
    if _DOUBT.search(before) or _DOUBT_AFTER.match(low, end):
        return None
    if name == "autoimmune" and re.match(r"\s*(?:panel|screen|serolog|work-?up|markers)", after):
        return None
    if name == "transplant" and (
        re.search(
            r"\b(?:not|candidate|list|assessment|evaluation|work-?up|considered|declined|never|referral|team)\b",
            after[:44],
        )
        or low[start:end].startswith("transplant")
    ):
        return None
    if (
        name == "ild"
        and sentence.section is Section.PLAN
        and re.search(r"\b(?:risk|monitor|counsel|watch|warn|educat)", low)
    ):
        return None
    if name in _MEDICINES:
        if _STOPPED.search(before[-46:]) or _STOPPED_AFTER.match(low, end):
            return None
        if sentence.section is Section.PLAN and not re.search(
            r"\b(?:on|takes|taking|current\w*|continue\w*)\b[^,;]*$", before
        ):
            return None
        if re.search(r"\b(?:interact\w*|with|if|such\s+as)\b\s*(?:\w+\s+){0,3}$", before) and not re.search(
            r"\b(?:treated|managed|controlled|ongoing|current|patient|man|woman|epilepsy)\b", before
        ):
            return None
    if name == "hemoptysis" and re.search(r"\b(?:resolved|remote)\b", after[:24]):
        return True
    return True


def _steroid(sentence: Sentence, low: str, match: re.Match[str]) -> bool | None:
    start, end = match.start("drug"), match.end("drug")
    before = low[max(0, start - 110) : start]
    before = before[max(before.rfind(";"), before.rfind(". ")) + 1 :]
    word = match["drug"]
    if _denied(before, match["tail"], low, end):
        return False if not re.search(r"\bavoid", before) else None
    if word == "dex" and not re.search(r"\d\s?mg", match["tail"]):
        return None
    dose = _DOSE.search(match["tail"][:32]) or _DOSE.search(before[-24:])
    past = _STOPPED.search(before[-46:]) is not None or _STOPPED_AFTER.match(low, end) is not None
    tapered = re.search(r"\btaper\w*\s+(?:down\s+)?to\s+(\d+(?:\.\d+)?)\s?mg", low[end : end + 60]) or re.search(
        r"\bdown\s+to\s+(\d+(?:\.\d+)?)\s?mg", low[end : end + 60]
    )
    if past and tapered is None:
        return None
    if sentence.section is Section.PLAN or _DOUBT.search(before):
        return None
    if re.search(
        r"\b(?:resolved|responded|improved|required|treated|managed|settled|recovered|given|received|burst"
        r"|pulse)\b",
        before[-60:],
    ) and not re.search(r"\b(?:current\w*|still|remains?|ongoing|now|continues?|on)\s*$", before.rstrip()):
        return None
    if dose is None and tapered is None:
        if word in {"steroids", "steroid", "corticosteroids", "corticosteroid"}:
            return None
        return None
    amount = float(tapered[1]) if tapered is not None else float(dose[1] if dose is not None else 0)
    frequency = (dose["freq"] or "") if dose is not None and tapered is None else ""
    if frequency in {"bid", "b.d.", "bd", "q12h"} or frequency.startswith("twice"):
        amount *= 2
    elif frequency in {"tds", "tid", "q8h"} or frequency.startswith("three"):
        amount *= 3
    elif frequency in {"qid", "q6h"}:
        amount *= 4
    limit = _EQUIVALENT.get(word)
    if limit is None:
        limit = 10.0
    return True if amount >= limit else None
