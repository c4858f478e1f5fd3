"""The situation for which therapy is proposed. Meaning of the elements: docs/semantics.md section 2."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from equipoise.cases.model import SETTINGS

_UNRESECTABLE = frozenset({"chemoradiation", "consolidation", "advanced"})
_WORDS: dict[str, frozenset[str]] = {
    **{name: frozenset({name}) for name in SETTINGS},
    "perioperative": frozenset({"neoadjuvant"}),
    "preoperative": frozenset({"neoadjuvant"}),
    "resectable": frozenset({"neoadjuvant"}),
    "postoperative": frozenset({"adjuvant"}),
    "resected": frozenset({"adjuvant"}),
    "definitive": frozenset({"chemoradiation"}),
    "definitive chemoradiation": frozenset({"chemoradiation"}),
    "concurrent chemoradiation": frozenset({"chemoradiation"}),
    "after chemoradiation": frozenset({"consolidation"}),
    "locally advanced": frozenset({"neoadjuvant", "chemoradiation", "consolidation", "advanced"}),
    "locally advanced unresectable": _UNRESECTABLE,
    "unresectable": _UNRESECTABLE,
    "unresectable stage iii": _UNRESECTABLE,
    "recurrent": frozenset({"advanced", "metastatic"}),
    "advanced or metastatic": frozenset({"advanced", "metastatic"}),
    "locally advanced or metastatic": frozenset(
        {"neoadjuvant", "chemoradiation", "consolidation", "advanced", "metastatic"}
    ),
    "palliative": frozenset({"advanced", "metastatic"}),
    "early": frozenset({"neoadjuvant", "adjuvant"}),
    "curative": frozenset({"neoadjuvant", "adjuvant", "chemoradiation", "consolidation"}),
}
CURATIVE: frozenset[str] = frozenset({"neoadjuvant", "adjuvant", "chemoradiation", "consolidation"})
"""Settings with curative intent."""


@functools.lru_cache(maxsize=4096)
def read_setting(text: str) -> frozenset[str] | None:
    """Settings that a text can mean, or None when it is not one."""
    clean = " ".join(text.replace("_", " ").replace("-", " ").lower().split())
    clean = clean.removesuffix(" setting").removesuffix(" disease")
    return _WORDS.get(clean)


def settings_of_stage(stage: Iterable[str]) -> frozenset[str]:
    """Settings that a set of stage groups leaves open when none is stated."""
    found: set[str] = set()
    for group in stage:
        if group.startswith("IV"):
            found.add("metastatic")
        elif group.startswith("III"):
            found.update(set(SETTINGS) - {"metastatic"})
        else:
            found.update({"neoadjuvant", "adjuvant"})
    return frozenset(found)
