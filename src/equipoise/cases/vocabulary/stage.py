"""AJCC stage groups of lung cancer, as sets: "III" is {IIIA, IIIB, IIIC}. Source: AJCC Cancer Staging Manual, 8th edition (groups)."""

from __future__ import annotations

import functools
import re

from equipoise.cases.model import STAGES

_NAMED: dict[str, frozenset[str]] = {
    "early": frozenset({"0", "IA1", "IA2", "IA3", "IB", "IIA", "IIB"}),
    "locally advanced": frozenset({"IIIA", "IIIB", "IIIC"}),
    "metastatic": frozenset({"IVA", "IVB"}),
}
_ARABIC = {"1": "I", "2": "II", "3": "III", "4": "IV"}
_STAGE = re.compile(
    r"(?:(?:clinical|pathologic(?:al)?|path|ajcc|uicc|stage|[cpyr]{1,2}(?=i|[0-4]))\s*)*(0|iv|iii|ii|i|[1-4])\s*([abc]?)\s*([123]?)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:to|or|and|/|-|\u2013|,)\s*", re.IGNORECASE)


@functools.lru_cache(maxsize=4096)
def read_stage(text: str) -> frozenset[str] | None:
    """Stage groups that a text can mean.

    Args:
        text: "Stage IVB", "IIIA", "pT2a IB" is not read here; "III", "4", "I-II", "early".

    Returns:
        A subset of `STAGES`, or None when the text is not a stage.
    """
    clean = " ".join(text.split()).lower()
    named = _NAMED.get(clean.removeprefix("stage "))
    if named is not None:
        return named
    parts = [part for part in _RANGE.split(clean) if part]
    found: list[frozenset[str]] = []
    for part in parts:
        match = _STAGE.fullmatch(part.strip(" ."))
        if match is None:
            return None
        group = _groups(match[1].upper(), match[2].upper(), match[3])
        if not group:
            return None
        found.append(group)
    if not found:
        return None
    if len(found) == 2 and re.search(r"\bto\b|-|\u2013", clean):
        order = [STAGES.index(name) for group in found for name in group]
        return frozenset(STAGES[min(order) : max(order) + 1])
    return frozenset().union(*found)


def _groups(number: str, letter: str, digit: str) -> frozenset[str]:
    prefix = _ARABIC.get(number, number) + letter + digit
    if prefix in STAGES:
        return frozenset({prefix})
    if prefix == "IVC":
        return frozenset()
    roots = {
        "I": ("IA", "IB"),
        "II": ("IIA", "IIB"),
        "III": ("IIIA", "IIIB", "IIIC"),
        "IV": ("IVA", "IVB"),
        "IA": ("IA",),
    }
    wanted = roots.get(prefix, ())
    return frozenset(
        name for name in STAGES for root in wanted if name == root or (root == "IA" and name.startswith("IA"))
    )
