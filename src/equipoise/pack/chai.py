"""The Applied Model Card of the Coalition for Health AI, version 0.2, as XML.

Element names and their order follow the public schema (https://github.com/coalition-for-health-ai/mc-schema ,
v0.2/schema.xsd, read 2026-11-30). What a person writes stands as an open line, never as an empty element.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from equipoise.ids import canonical_json
from equipoise.pack.catalogue import questions
from equipoise.pack.items import PackItem, Status
from equipoise.pack.tree import Tree, cut
from equipoise.report.inert import inert

CARD = "chai-card.xml"
NAMESPACE = "https://mc.chai.org/v0.2/schema.xsd"
STANDARD = "chai-card"
"""Our identifier of the card among the standards."""

OPEN = "To be written by a person"
"""Begins every element that is open."""

GROUPS: Mapping[str, frozenset[str]] = {
    "UsefulnessUsabilityEfficacy": frozenset({"accuracy", "macro_f1", "over_refusal_rate"}),
    "SafetyReliability": frozenset(
        {"false_approval_rate", "approvals_without_information_rate", "abstention_rate", "failed_rate"}
    ),
}
"""Measures of each group of the card. Over-refusal and false approval are two halves: each group points to the other."""

OPTIONAL: frozenset[str] = frozenset(
    {
        "ReleaseInfo/EHRCompatibility", "ReleaseInfo/RegulatoryApproval",
        "TrustIngredients/AISystemFacts/Security", "TrustIngredients/AISystemFacts/Transparency",
        "Resources/ClinicalTrial", "Resources/ReimbursementStatus",
    }
)  # fmt: skip
"""Elements that the schema lets be absent; they are left out while nobody has written them."""

_UNWRITABLE = re.compile("[^\x09\x0a\x0d\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def card_xml(items: Sequence[PackItem], tree: Tree, *, product: str) -> str:
    """The card of one system.

    Args:
        items: the items of the pack; those of the card are its elements.
        tree: the stored fields.
        product: the system.
    """
    root = ElementTree.Element("AppliedModelCard", {"xmlns": NAMESPACE})
    for item in items:
        if item.standard != STANDARD or (item.id in OPTIONAL and item.status is not Status.FILLED):
            continue
        *parents, name = item.id.split("/")
        place = root
        for parent in parents:
            found = place.find(parent)
            place = found if found is not None else ElementTree.SubElement(place, parent)
        element = ElementTree.SubElement(place, name)
        if name == "Results":
            for label, value in _results(parents[-1], tree, product):
                result = ElementTree.SubElement(element, "MetricResult")
                ElementTree.SubElement(result, "Label").text = _text(label)
                ElementTree.SubElement(result, "ValueJson").text = _text(value)
        elif name == "Keywords":
            for word in item.value.values():
                ElementTree.SubElement(element, "Keyword").text = _text(word)
        else:
            element.text = _text(_told(item))
    ElementTree.indent(root, space="  ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _told(item: PackItem) -> str:
    stored = "; ".join(item.value.values())
    if item.status is Status.FILLED:
        return stored
    asked = " ".join(questions().get(key, "") for key in item.questions).strip() or item.reason
    return f"{OPEN}: {asked}" + (f" Stored so far: {stored}" if stored else "")


def _results(group: str, tree: Tree, product: str) -> list[tuple[str, str]]:
    """Label and value of every result; one open result where there is none, because the schema asks for one."""
    if group == "FairnessEquity":
        stored = tree.get("subgroups")
        rows = [row for row in (stored.value if stored else ()) if row["system"] == product]
        found = [(f"{row['name'].replace('_', ' ')}, group {row['group']}", _value(row)) for row in rows]
    else:
        stored = tree.get("metrics")
        rows = [row for row in (stored.value if stored else ()) if row["system"] == product]
        found = [(row["name"].replace("_", " "), _value(row)) for row in rows if row["name"] in GROUPS[group]]
    return found or [(f"{OPEN}: no result is stored", canonical_json({"kind": "none"}))]


def _value(row: Mapping[str, Any]) -> str:
    """One value with its interval, in percent or, for a score, in its own unit."""
    percent = row["name"].endswith("_rate") or row["name"] == "accuracy"
    value = {
        "kind": "single",
        "unit": "%" if percent else "",
        **{
            key: None if row[name] is None else round(100 * row[name] if percent else row[name], 4)
            for key, name in (("value", "estimate"), ("low", "low"), ("high", "high"))
        },
        "n_used": row["n_used"],
        "n_left_out": row["n_left_out"],
    }
    return canonical_json(value)


def _text(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", inert(cut(text, 4000)))
