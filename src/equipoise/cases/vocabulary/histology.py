"""Tumor entities and histologies of lung cancer. Entity codes follow OncoTree (https://oncotree.mskcc.org), histologies WHO 2021."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from equipoise.cases.model import HISTOLOGIES

NSCLC = "NSCLC"
"""Entity code under which every non-small cell lung cancer is assessed."""

NONSQUAMOUS: frozenset[str] = frozenset({"adenocarcinoma", "large-cell", "sarcomatoid"})
"""Histologies that are nonsquamous for certain; adenosquamous is neither."""

_ANY = frozenset(HISTOLOGIES)
_HISTOLOGY: dict[str, frozenset[str]] = {
    "adenocarcinoma": frozenset({"adenocarcinoma"}),
    "adeno": frozenset({"adenocarcinoma"}),
    "squamous": frozenset({"squamous"}),
    "squamous cell carcinoma": frozenset({"squamous"}),
    "squamous cell": frozenset({"squamous"}),
    "scc": frozenset({"squamous"}),
    "large cell carcinoma": frozenset({"large-cell"}),
    "large cell": frozenset({"large-cell"}),
    "adenosquamous": frozenset({"adenosquamous"}),
    "adenosquamous carcinoma": frozenset({"adenosquamous"}),
    "sarcomatoid": frozenset({"sarcomatoid"}),
    "sarcomatoid carcinoma": frozenset({"sarcomatoid"}),
    "pleomorphic carcinoma": frozenset({"sarcomatoid"}),
    "nonsquamous": NONSQUAMOUS,
    "non squamous": NONSQUAMOUS,
    "nos": _ANY,
    "not otherwise specified": _ANY,
    "poorly differentiated": _ANY,
}
_ONCOTREE: dict[str, tuple[str, str | None]] = {
    "nsclc": (NSCLC, None), "luad": (NSCLC, "adenocarcinoma"), "lusc": (NSCLC, "squamous"),
    "luas": (NSCLC, "adenosquamous"), "lclc": (NSCLC, "large cell"), "nsclcpd": (NSCLC, "poorly differentiated"),
    "lupc": (NSCLC, "pleomorphic carcinoma"), "sarcl": (NSCLC, "sarcomatoid"), "sclc": ("SCLC", None), "lune": ("LUNE", None),
    "cscc": ("cutaneous squamous cell carcinoma", None),
}  # fmt: skip
_LUNG_WORDS = (
    "non small cell lung cancer",
    "non small cell lung carcinoma",
    "non small cell carcinoma of the lung",
    "nsclc",
)
_SMALL = (
    "small cell lung cancer",
    "small cell lung carcinoma",
    "small cell carcinoma",
    "small cell carcinoma of the lung",
)


@dataclass(frozen=True, slots=True)
class Entity:
    """What a text says of the tumor.

    Attributes:
        tumor: entity code; the text itself, folded, for a tumor outside the vocabulary; None when only a histology is named.
        histology: possible histologies; None when none is named.
    """

    tumor: str | None
    histology: frozenset[str] | None


@functools.lru_cache(maxsize=4096)
def read_entity(text: str) -> Entity | None:
    """Read an entity or histology as written; None when the text is empty.

    "Adenocarcinoma" alone names no organ: the tumor stays None.
    """
    clean = " ".join(text.replace("-", " ").replace("_", " ").replace(",", " ").lower().split())
    if not clean:
        return None
    if clean in _ONCOTREE:
        tumor, name = _ONCOTREE[clean]
        return Entity(tumor, _HISTOLOGY[name] if name else None)
    if clean in _HISTOLOGY:
        return Entity(None, _HISTOLOGY[clean])
    if clean in _SMALL:
        return Entity("SCLC", None)
    rest = clean
    lung = False
    for phrase in _LUNG_WORDS:
        if phrase in rest:
            rest, lung = rest.replace(phrase, " "), True
    for phrase in (
        "carcinoma of the lung",
        "cancer of the lung",
        "of the lung",
        "pulmonary",
        "lung cancer",
        "lung carcinoma",
        "lung",
    ):
        if phrase in rest:
            rest, lung = rest.replace(phrase, " carcinoma " if phrase.startswith("carcinoma") else " "), True
    rest = " ".join(rest.replace("(", " ").replace(")", " ").split())
    histology = _HISTOLOGY.get(rest)
    if histology is None and rest.endswith(" carcinoma"):
        histology = _HISTOLOGY.get(rest.removesuffix(" carcinoma"))
    if not lung:
        return Entity(clean, None)
    if rest in ("", "cancer", "carcinoma"):
        known = any(phrase in clean for phrase in _LUNG_WORDS)
        return Entity(NSCLC if known else "lung cancer", None)
    if histology is not None:
        return Entity(NSCLC, histology)
    return Entity(NSCLC if any(phrase in clean for phrase in _LUNG_WORDS) else clean, None)
