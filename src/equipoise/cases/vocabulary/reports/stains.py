"""What FISH and immunohistochemistry say of a gene, by the cut-offs of guidelines and labels."""

from __future__ import annotations

from equipoise.cases.model import FindingStatus
from equipoise.cases.vocabulary.biomarkers import Read
from equipoise.cases.vocabulary.reports.genes import FUSION_GENES
from equipoise.cases.vocabulary.reports.parts import Part
from equipoise.cases.vocabulary.reports.states import ABSENT, NOT_TESTED, PENDING, PRESENT, UNCERTAIN, UNKNOWN

FISH_CUTOFF = 15.0
"""Percent of nuclei with split signals from which break-apart FISH is positive when the report names
no cut-off. Source: cut-off of the CAP/IASLC/AMP guideline."""

FISH_CLEAR = 10.0
"""Percent below which a result without a named cut-off is negative; from here to the cut-off it is uncertain."""

MET_STRONG = 50.0
"""Percent of tumor cells with 3+ staining from which MET is overexpressed (label of telisotuzumab vedotin)."""

HER2_STRONG = 10.0
"""Percent of cells with 3+ staining from which HER2 is 3+
by the gastric rule (CAP/ASCP/ASCO)."""


def by_stain(part: Part, state: FindingStatus) -> list[Read] | None:
    """What FISH and immunohistochemistry say of the gene; None when the part holds neither or they add nothing."""
    gene, flags = part.gene, part.flags
    fish, ihc = "fish" in flags or "split" in flags, "ihc" in flags or "score" in flags
    if not (fish or ihc):
        return None

    def one(name: str, status: FindingStatus) -> Read:
        return Read(f"{gene}:{name}", status, part.start, part.end, assay=part.assay)

    decided = state in {PENDING, NOT_TESTED, UNKNOWN}
    stated = any(cue.kind in {"pos", "negb", "negf", "unc"} for cue in [*part.cues, *part.lead])
    if gene in FUSION_GENES and not part.has("amp", "gain", "mut"):
        if decided:
            return [one("fusion", state)]
        if fish and part.percents and state is not ABSENT:
            return [one("fusion", _by_split(part, state if stated or part.has("fus") else None))]
        if part.has("fus"):
            return None
        if ihc:
            return _by_fusion_stain(part, state, stated)
        return [one("fusion", state)] if stated else []
    if gene == "BRAF" and "ihc" in flags and not part.pieces:
        return [one("V600E", state)] if stated or decided else []
    if gene == "ERBB2":
        return _by_her2_stain(part, state, stated, decided)
    if gene == "MET":
        return _by_met_stain(part, state, stated, decided)
    if "ihc" in flags and not part.has("loss"):
        return []
    return None


def _by_split(part: Part, state: FindingStatus | None) -> FindingStatus:
    """Status of a fusion by the share of nuclei with split signals, held against the cut-off."""
    if state is UNCERTAIN:
        return UNCERTAIN
    share = max(part.percents)
    if "cut" in part.flags:
        under = share < float(part.flags["cut"])
        clear = True
    else:
        under, clear = share < FISH_CUTOFF, share < FISH_CLEAR
    if under and not part.has("fus"):
        return ABSENT if clear and state is not PRESENT else UNCERTAIN
    if under:
        return UNCERTAIN if clear is False or state is PRESENT else ABSENT
    return UNCERTAIN if state is UNCERTAIN else PRESENT


def _by_fusion_stain(part: Part, state: FindingStatus, stated: bool) -> list[Read]:
    """The fusion protein: a strong stain decides for ALK; for the others it only raises the question."""
    score = part.flags.get("score")
    gene = part.gene

    def make(status: FindingStatus) -> list[Read]:
        return [Read(f"{gene}:fusion", status, part.start, part.end, assay=part.assay)]

    if state is ABSENT or score == "0":
        return [] if gene in {"RET", "NRG1"} else make(ABSENT)
    if not stated and score is None:
        return []
    if state is UNCERTAIN:
        return make(UNCERTAIN)
    if gene == "ALK":
        return make(PRESENT if score in {None, "3"} else UNCERTAIN)
    return make(UNCERTAIN)


def _by_her2_stain(part: Part, state: FindingStatus, stated: bool, decided: bool) -> list[Read] | None:
    """HER2 by score, or by FISH; None when alteration words say it."""
    flags = part.flags

    def make(name: str, status: FindingStatus) -> Read:
        return Read(f"ERBB2:{name}", status, part.start, part.end, assay=part.assay)

    score = flags.get("score")
    if score is not None:
        if score == "3":
            low = bool(part.percents) and max(part.percents) < HER2_STRONG
            return [make("IHC3+", UNCERTAIN if low and state is PRESENT else state)]
        level = "IHC0" if score == "0" else f"IHC{score}+"
        if state in {PRESENT, ABSENT}:
            return [make(level, PRESENT), make("IHC3+", ABSENT)]
        return [make(level, state)]
    if part.pieces and not part.has("over"):
        return None
    if "ihc" in flags:
        return [make("IHC3+", state)] if stated or decided or part.has("over") else []
    return [make("amplification", state)] if stated or decided else []


def _by_met_stain(part: Part, state: FindingStatus, stated: bool, decided: bool) -> list[Read] | None:
    """MET protein by score and share of cells, or MET by FISH; None when alteration words say it."""
    flags = part.flags

    def make(name: str, status: FindingStatus) -> Read:
        return Read(f"MET:{name}", status, part.start, part.end, assay=part.assay)

    if part.has("amp", "gain", "skip", "mut", "skip14") or part.exons:
        return None
    score = flags.get("score")
    if score is not None and state is not ABSENT and not decided:
        if score != "3":
            return [make("overexpression", ABSENT)]
        share = max(part.percents) if part.percents else None
        if share is None:
            return [make("overexpression", PRESENT if part.has("over") else UNCERTAIN)]
        return [make("overexpression", (PRESENT if share >= MET_STRONG else ABSENT) if state is PRESENT else state)]
    if "ihc" in flags or score is not None:
        if part.has("over") or state is ABSENT or decided:
            return [make("overexpression", state)]
        return [make("overexpression", UNCERTAIN)] if stated else []
    return [make("amplification", state)] if stated or decided else []
