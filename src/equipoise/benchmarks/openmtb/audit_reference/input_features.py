"""What of the inputs a predictor is given, and four rules that read nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.audit.verdict import Label
from equipoise.cases.vocabulary.tokens import words

FEATURE_SETS: dict[str, str] = {
    "all": "words of every input, the profile key included",
    "no-profile": "words of every input but the profile key",
    "no-drug-no-marker": "words of every input but alteration, therapy and profile key",
    "shape": "only which inputs are empty, and which hold brackets, arrows, slashes or plus signs",
}
"""What a classifier is given."""

_SUBJECT = frozenset({"genomic_alteration", "proposed_therapy", "patient_summary", "profile_key", "case_id"})

_SIGNS = {"(": "bracket", "[": "bracket", "\u2192": "arrow", "->": "arrow", "/": "slash", "+": "plus"}

_EMPTY = frozenset({"", "none", "unknown", "tbd", "n/a", "not documented"})


def features(inputs: Mapping[str, Any], feature_set: str) -> frozenset[str]:
    """The binary features of one case.

    Args:
        inputs: what a system is shown.
        feature_set: one of `FEATURE_SETS`.
    """
    found: set[str] = set()
    for name, value in inputs.items():
        if name in ("case_id", "patient_summary") or (name == "profile_key" and feature_set != "all"):
            continue
        if feature_set == "no-drug-no-marker" and name in _SUBJECT:
            continue
        text = "" if value is None else str(value)
        if text.strip().lower() in _EMPTY:
            found.add(f"{name} is empty")
        found.update(f"{name} holds {sign}" for mark, sign in _SIGNS.items() if mark in text)
        if feature_set != "shape":
            found.update(f"{name}: {word}" for word in words(text))
    return frozenset(found)


def four_rules(inputs: Mapping[str, Any]) -> tuple[str, bool]:
    """Label and abstention by four rules that know no drug, marker or disease.

    1. Performance status, history or stage empty, or "TBD" proposed: Insufficient Information, abstain.
    2. A bracket after the alteration: Unsupported, abstain. A bracket after the therapy: Unsupported.
    3. An arrow in the history: Partially Supported, abstain.
    4. Otherwise: Supported.

    They were written after seeing the data, so their score is a ceiling and not an estimate.
    """

    def text(name: str) -> str:
        value = inputs.get(name)
        return "" if value is None else str(value).strip()

    if any(text(name).lower() in _EMPTY for name in ("ecog", "prior_therapy", "stage", "proposed_therapy")):
        return str(Label.INSUFFICIENT_INFORMATION), True
    if "(" in text("genomic_alteration"):
        return str(Label.UNSUPPORTED), True
    if "(" in text("proposed_therapy"):
        return str(Label.UNSUPPORTED), False
    if "\u2192" in text("prior_therapy") or "->" in text("prior_therapy"):
        return str(Label.PARTIALLY_SUPPORTED), True
    return str(Label.SUPPORTED), False
