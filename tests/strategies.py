"""Hypothesis strategies for cases: whole JSON objects over the vocabulary, most of them near one assertion of the base."""

from __future__ import annotations

import datetime as dt
from typing import Any

from hypothesis import strategies as st

from equipoise.cases.model import SETTINGS, STAGES
from equipoise.cases.vocabulary.drugs import covers, is_group, lexicon
from equipoise.evidence.base import shipped_base
from equipoise.evidence.criteria import Leaf, leaves
from equipoise.evidence.model import Assertion

BASE = shipped_base()
DAY = dt.date(2026, 11, 1)
ASSERTIONS: tuple[Assertion, ...] = tuple(item for item in BASE.assertions if item.jurisdiction == "US")
MARKERS: tuple[str, ...] = tuple(
    sorted(
        {
            name
            for item in BASE.assertions
            for node in (*item.requires, *item.unless)
            for leaf in leaves(node)
            if leaf.kind in ("biomarker", "biomarker_absent")
            for name in leaf.payload
        }
    )
)
DRUGS: tuple[str, ...] = tuple(sorted(lexicon().drugs))
COVERED: tuple[str, ...] = tuple(sorted(name for name, row in BASE.coverage.items() if not row.no_use))
ALTERATIONS = (
    "EGFR L858R",
    "EGFR p.Leu858Arg",
    "EGFR exon 19 deletion",
    "EGFR exon 20 insertion",
    "EGFR T790M",
    "EGFR C797S",
    "EGFR G719X",
    "EGFR R776C",
    "EGFR mutation positive",
    "EGFR wild type",
    "EML4-ALK fusion",
    "ALK negative",
    "ALK G1202R",
    "ROS1 fusion",
    "ROS1 G2032R",
    "RET fusion",
    "RET M918T",
    "NTRK1 fusion",
    "NRG1 fusion",
    "BRAF V600E",
    "BRAF G469A",
    "KRAS G12C",
    "KRAS G12D",
    "KRAS wild type",
    "MET exon 14 skipping",
    "MET amplification",
    "HER2 exon 20 insertion",
    "HER2 amplification",
    "HER2 IHC 3+",
    "STK11 loss",
    "KEAP1 loss",
    "TP53 R175H",
    "EGFR, ALK, ROS1 negative",
)
STATUSES = ("present", "present", "absent", "absent", "uncertain", "not_tested", "pending", "unknown")
UNKNOWN = st.sampled_from((None, "unknown", "not tested", "pending", "not documented"))

ECOG = st.one_of(st.integers(0, 4), st.sampled_from(("ECOG 1", "0-1", ">=2", [0, 1], [2, 3])))
STAGE = st.sampled_from((*STAGES, "III", "IV", "Stage IIIB", "IIIA-IIIB", "II"))
SETTING = st.sampled_from((*SETTINGS, "unresectable", "locally_advanced", "resected", "perioperative", "recurrent"))
HISTOLOGY = st.sampled_from(
    (
        "adenocarcinoma",
        "squamous cell carcinoma",
        "adenosquamous carcinoma",
        "large cell carcinoma",
        "nonsquamous",
        "NSCLC NOS",
        "sarcomatoid carcinoma",
    )
)
TUMOR = st.sampled_from(
    ("NSCLC",) * 9 + ("lung adenocarcinoma", "LUSC", "non-small cell lung cancer", "SCLC", "melanoma", "lung cancer")
)
PDL1 = st.one_of(
    st.integers(0, 100).map(lambda n: {"tps": n}),
    st.sampled_from(
        ({"tc": 50, "ic": 10}, {"tc": 5}, "TPS 1-49%", "< 1%", ">= 50%", 60, "negative", [{"tps": 60}, {"tps": 5}])
    ),
)
BRAIN = st.sampled_from((False, True, "treated", "untreated"))
SYSTEMIC = (*(name for name in COVERED if lexicon().drugs[name].kind == "drug"), "chemotherapy", "platinum")


def regimen_text(parts: list[str]) -> st.SearchStrategy[str]:
    """Components of a regimen in any order, groups of an assertion now and then made a drug."""
    return st.permutations(parts).flatmap(lambda order: st.tuples(*(_spelling(name) for name in order)).map(" + ".join))


def _spelling(name: str) -> st.SearchStrategy[str]:
    options = [part.strip() for part in name.split("/")]
    words: list[str] = []
    for option in options:
        words.append(option)
        if is_group(option):
            words.extend(sorted(covers(option) & set(SYSTEMIC))[:6])
        entry = lexicon().drugs.get(option)
        if entry is not None:
            words.extend(entry.brands[:1])
    return st.sampled_from(words)


@st.composite
def prior_therapies(draw: st.DrawFn) -> Any:
    """A history: none, unknown, or up to three courses."""
    if draw(st.integers(0, 4)) == 0:
        return draw(
            st.sampled_from(
                ("none", [], "treatment-naive", None, "unknown", "carboplatin + pemetrexed (progressed); docetaxel")
            )
        )
    return draw(st.lists(course(), min_size=1, max_size=3))


@st.composite
def course(draw: st.DrawFn, drug: str | None = None) -> dict[str, Any]:
    """One course of prior therapy."""
    entry: dict[str, Any] = {"drugs": drug or draw(st.sampled_from(SYSTEMIC))}
    if draw(st.booleans()):
        entry["outcome"] = draw(
            st.sampled_from(("progressed", "progressed", "completed", "toxicity", "ongoing", "unknown"))
        )
    if draw(st.booleans()):
        entry["setting"] = draw(st.sampled_from(SETTINGS))
    if draw(st.integers(0, 3)) == 0:
        entry["line"] = draw(st.integers(1, 4))
    if draw(st.integers(0, 3)) == 0:
        entry["ended"] = draw(st.dates(dt.date(2024, 1, 1), dt.date(2026, 10, 1))).isoformat()
    return entry


@st.composite
def marker_entry(draw: st.DrawFn, name: str | None = None, status: str | None = None) -> Any:
    """One entry of `biomarkers`."""
    if name is None and draw(st.booleans()):
        return draw(st.sampled_from(ALTERATIONS))
    entry: dict[str, Any] = {"name": name or draw(st.sampled_from(MARKERS))}
    entry["status"] = status or draw(st.sampled_from(STATUSES))
    if draw(st.integers(0, 4)) == 0:
        entry["assay"] = draw(st.sampled_from(("NGS, tissue", "FISH", "IHC", "ctDNA")))
        entry["date"] = draw(st.dates(dt.date(2026, 1, 1), dt.date(2026, 10, 1))).isoformat()
    return entry


@st.composite
def noise(draw: st.DrawFn) -> dict[str, Any]:
    """Fields of a case, each left out, unknown or stated, whatever is recommended."""
    fields: dict[str, Any] = {}
    for name, values in VALUES.items():
        pick = draw(st.integers(0, 5))
        if pick >= 3:
            fields[name] = draw(values)
        elif pick == 2 and name not in ("biomarkers", "comorbidities", "comedications", "biomarkers_complete"):
            fields[name] = draw(UNKNOWN)
    return fields


CONDITION_STATES = st.sampled_from((True, False, "unknown"))
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "age": st.integers(10, 90),
    "ecog": ECOG,
    "histology": HISTOLOGY,
    "stage": STAGE,
    "setting": SETTING,
    "brain_mets": BRAIN,
    "pdl1": PDL1,
    "tmb": st.sampled_from((2, 8.5, 10, 25, ">= 10")),
    "msi": st.sampled_from(("MSI-H", "MSS", "dMMR", "pMMR")),
    "qtc_ms": st.integers(350, 540),
    "prior_therapies": prior_therapies(),
    "biomarkers": st.lists(marker_entry(), max_size=4),
    "biomarkers_complete": st.booleans(),
    "comorbidities": st.dictionaries(
        st.sampled_from(
            (
                "interstitial lung disease",
                "autoimmune disease",
                "hemoptysis",
                "venous thromboembolism",
                "solid organ transplant",
            )
        ),
        CONDITION_STATES,
        max_size=3,
    ),
    "comedications": st.dictionaries(
        st.sampled_from(("strong CYP3A inducer", "strong CYP3A inhibitor", "proton pump inhibitor", "steroids")),
        CONDITION_STATES,
        max_size=2,
    ),
}
"""Stated values of every field of a case but the tumor and the recommendations."""


def _toward(draw: st.DrawFn, leaf: Leaf, fields: dict[str, Any]) -> None:
    """State something for which a criterion is satisfied, most of the time."""
    kind = leaf.kind
    if kind in ("biomarker", "biomarker_absent"):
        wanted = "present" if kind == "biomarker" else "absent"
        status = wanted if draw(st.integers(0, 5)) else None
        names = [draw(st.sampled_from(sorted(leaf.payload)))] if kind == "biomarker" else sorted(leaf.payload)
        for name in names:
            fields.setdefault("biomarkers", []).append(draw(marker_entry(name, status)))
    elif kind == "line":
        given_before = draw(st.lists(course(), min_size=1, max_size=1))
        fields.setdefault("prior_therapies", "none" if leaf.payload == "first" else given_before)
    elif kind in ("received", "progressed_on"):
        given = leaf.payload
        names = given.drugs or tuple(name for name in SYSTEMIC if set(given.classes) & lexicon().drugs[name].classes)
        if names:
            entry = draw(course(draw(st.sampled_from(names))))
            entry["outcome"] = "progressed" if draw(st.integers(0, 4)) else "completed"
            if given.setting:
                entry["setting"] = min(given.setting)
            stated = fields.get("prior_therapies")
            fields["prior_therapies"] = [*stated, entry] if isinstance(stated, list) else [entry]
    elif kind in ("setting", "stage", "histology"):
        fields.setdefault(kind, draw(st.sampled_from(sorted(leaf.payload))))
    elif kind == "ecog":
        fields.setdefault("ecog", draw(st.sampled_from(sorted(leaf.payload))))
    elif kind == "pdl1":
        scale, limits = leaf.payload
        fields.setdefault("pdl1", {scale: int(max(limits.low, 0) if limits.low > 0 else 0)})
    elif kind == "msi":
        fields.setdefault("msi", "MSI-H" if leaf.payload == "high" else "MSS")
    elif kind == "brain_mets":
        fields.setdefault("brain_mets", {"present": True, "absent": False, "untreated": "untreated"}[leaf.payload])
    elif kind == "condition":
        fields.setdefault(leaf.field.partition(".")[0], {})[leaf.payload] = True


@st.composite
def near(draw: st.DrawFn, assertions: tuple[Assertion, ...] = ASSERTIONS) -> dict[str, Any]:
    """A case that satisfies most criteria of one assertion and recommends its regimen, and leaves much else open."""
    item = draw(st.sampled_from(assertions))
    fields: dict[str, Any] = {}
    for node in item.requires:
        if draw(st.integers(0, 4)):
            for leaf in leaves(node):
                _toward(draw, leaf, fields)
    if draw(st.booleans()):
        for name, value in draw(noise()).items():
            if (
                name in ("biomarkers", "prior_therapies")
                and isinstance(fields.get(name), list)
                and isinstance(value, list)
            ):
                fields[name] = [*fields[name], *value]
            else:
                fields.setdefault(name, value)
    parts = list(item.regimen)
    if not parts:
        members = [name for name in SYSTEMIC if item.drug_class in lexicon().drugs[name].classes]
        parts = [draw(st.sampled_from(members or list(SYSTEMIC)))]
    return {"case_id": "near", "tumor": "NSCLC", **fields, "recommendations": [draw(regimen_text(parts))]}


@st.composite
def far(draw: st.DrawFn) -> dict[str, Any]:
    """A case and one or two recommendations that need not have to do with each other."""
    fields = draw(noise())
    if draw(st.integers(0, 9)):
        fields["tumor"] = draw(TUMOR)
    recommendations: list[Any] = []
    for place in range(draw(st.integers(1, 2))):
        parts = draw(
            st.lists(
                st.sampled_from(DRUGS if draw(st.integers(0, 3)) == 0 else COVERED), min_size=1, max_size=3, unique=True
            )
        )
        entry: Any = draw(regimen_text(parts))
        if draw(st.booleans()):
            entry = {"id": f"r{place}", "regimen": entry}
            if draw(st.booleans()):
                entry["line"] = draw(st.integers(1, 3))
            if draw(st.integers(0, 3)) == 0:
                entry["setting"] = draw(SETTING)
            if draw(st.integers(0, 3)) == 0:
                entry["level"] = draw(st.sampled_from(("A", "level B", "c", "D")))
        recommendations.append(entry)
    return {"case_id": "far", **fields, "recommendations": recommendations}


CASES: st.SearchStrategy[dict[str, Any]] = st.one_of(near(), near(), far())
"""Cases over the whole vocabulary."""
