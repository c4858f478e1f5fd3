"""Performance status, therapy outcomes, comorbidities and co-medications.

ECOG and Karnofsky: Oken 1982 (PMID 7165009); the correspondence of the scales is not one to one (Buccheri 1996, PMID 8758333),
so a KPS maps to the set of ECOG grades it can mean.
"""

from __future__ import annotations

import functools
import re

from equipoise.cases.model import Outcome

_ECOG_WORDS = re.compile(r"\b(?:ecog|who|performance status|ps|zubrod|grade|score)\b", re.IGNORECASE)
_RANGE = re.compile(r"([0-4])\s*(?:-|\u2013|to|or|/)\s*([0-4])")
_BOUND = re.compile(r"(>=|\u2265|>|<=|\u2264|<)\s*([0-4])")


@functools.lru_cache(maxsize=1024)
def read_ecog(text: str) -> frozenset[int] | None:
    """ECOG grades that a text can mean ("1", "ECOG 1", "0-1", ">=2"), a subset of 0 to 4; None when it is not one."""
    clean = _ECOG_WORDS.sub(" ", text).strip(" :=.,")
    if re.fullmatch(r"[0-4]", clean):
        return frozenset({int(clean)})
    match = _RANGE.fullmatch(clean)
    if match and int(match[1]) < int(match[2]):
        return frozenset(range(int(match[1]), int(match[2]) + 1))
    match = _BOUND.fullmatch(clean)
    if match:
        bound = int(match[2])
        sign = match[1].replace("\u2265", ">=").replace("\u2264", "<=")
        first = {">=": bound, ">": bound + 1}.get(sign, 0)
        last = {"<=": bound, "<": bound - 1}.get(sign, 4)
        return frozenset(range(first, last + 1)) or None
    return None


def ecog_of_kps(kps: float) -> frozenset[int]:
    """ECOG grades that a Karnofsky score (0 to 100) can mean; empty for 0 (death) and values outside the scale."""
    if kps > 100 or kps <= 0:
        return frozenset()
    if kps > 90:
        return frozenset({0})
    if kps > 80:
        return frozenset({0, 1})
    if kps > 70:
        return frozenset({1})
    if kps > 60:
        return frozenset({1, 2})
    if kps > 50:
        return frozenset({2})
    if kps > 40:
        return frozenset({2, 3})
    if kps >= 30:
        return frozenset({3})
    if kps > 20:
        return frozenset({3, 4})
    return frozenset({4})


_OUTCOMES: tuple[tuple[str, Outcome], ...] = (
    (r"\bprogress(?:ed|ion|ive|ing)?\b|\bpd\b|\brelaps\w*|\brefractory\b|\bfailed\b|\bresistan\w*", Outcome.PROGRESSED),
    (r"\btoxicit(?:y|ies)\b|\bintoleran\w*|\bpneumonitis\b|\badverse\b|\bside effects?\b", Outcome.TOXICITY),
    (r"\bongoing\b|\bcurrent(?:ly)?\b|\bon treatment\b|\bstill on\b|\bcontinuing\b", Outcome.ONGOING),
    (r"\bcomplet(?:e|ed|ion)\b|\bfinished\b|\bstable disease\b|\bresponse\b|\bremission\b", Outcome.COMPLETED),
)
_OUTCOME_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE), outcome) for pattern, outcome in _OUTCOMES)
_NO_PROGRESSION = re.compile(r"\b(?:no|without|not)\s+(?:evidence of\s+)?(?:disease\s+)?progress\w*", re.IGNORECASE)


def read_outcome(text: str) -> Outcome:
    """How a therapy ended, from the words of a record; UNKNOWN when they do not say.

    "No progression" is not progression: it reads as completed when nothing else is said.
    """
    if not text:
        return Outcome.UNKNOWN
    cleaned = _NO_PROGRESSION.sub(" ", text)
    for pattern, outcome in _OUTCOME_PATTERNS:
        if pattern.search(cleaned):
            return outcome
    return Outcome.COMPLETED if cleaned != text else Outcome.UNKNOWN


_CONDITION_WORDS: dict[str, tuple[str, ...]] = {
    "ild": (
        "ild", "interstitial lung disease", "pneumonitis", "pulmonary fibrosis", "ild / pneumonitis",
        "ild/pneumonitis", "ild or pneumonitis", "interstitial lung disease or pneumonitis",
        "idiopathic pulmonary fibrosis",
    ),
    "autoimmune": ("autoimmune", "autoimmune disease", "active autoimmune disease", "active autoimmune"),
    "transplant": (
        "transplant", "solid organ transplant", "organ transplant", "kidney transplant", "renal transplant",
        "liver transplant", "heart transplant", "lung transplant",
    ),
    "hsct": (
        "hsct", "allogeneic hsct", "allogeneic stem cell transplant",
        "allogeneic hematopoietic stem cell transplant", "allogeneic haematopoietic stem cell transplant",
    ),
    "hemoptysis": ("hemoptysis", "haemoptysis", "recent hemoptysis", "recent haemoptysis"),
    "vte": ("vte", "venous thromboembolism", "pulmonary embolism", "deep vein thrombosis", "dvt"),
    "cyp3a-inducer": (
        "cyp3a inducer", "strong cyp3a inducer", "strong cyp3a4 inducer", "cyp3a4 inducer", "rifampicin", "rifampin",
        "carbamazepine", "phenytoin", "st john's wort",
    ),
    "cyp3a-inhibitor": (
        "cyp3a inhibitor", "strong cyp3a inhibitor", "strong cyp3a4 inhibitor", "itraconazole", "ketoconazole",
        "clarithromycin", "ritonavir",
    ),
    "ppi": (
        "ppi", "proton pump inhibitor", "omeprazole", "pantoprazole", "esomeprazole", "lansoprazole", "rabeprazole",
    ),
    "steroids": (
        "steroids", "corticosteroid", "corticosteroids", "corticosteroid >= 10 mg prednisone",
        "corticosteroids >= 10 mg prednisone", "prednisone >= 10 mg",
    ),}  # fmt: skip
_CONDITIONS: dict[str, str] = {word: name for name, words in _CONDITION_WORDS.items() for word in (name, *words)}


@functools.lru_cache(maxsize=4096)
def read_condition(text: str) -> str | None:
    """Canonical name of a comorbidity or co-medication that a caveat reads; None for any other.

    Example drugs of the CYP3A classes and proton pump inhibitors: FDA table of inhibitors and inducers.
    """
    clean = " ".join(text.replace("_", " ").replace("\u2265", ">=").lower().split())
    found = _CONDITIONS.get(clean)
    if found is None:
        found = _CONDITIONS.get(clean.replace("-", " "))
    return found
