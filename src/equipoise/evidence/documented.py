"""What a case documents for a criterion, in words."""

from __future__ import annotations

from collections.abc import Callable

from equipoise.cases.facts import FALSE, TRUE, UNKNOWN, Facts
from equipoise.evidence.criteria import Leaf, either


def found(leaf: Leaf, facts: Facts) -> str:
    """What the case documents for a leaf, in words, remembered in the facts."""
    words = facts.words.get(leaf.number)
    if words is None:
        words = facts.words[leaf.number] = _FOUND[leaf.kind](leaf, facts)
    return words


def _found_markers(leaf: Leaf, facts: Facts) -> str:
    said: list[str] = []
    for name in sorted(leaf.payload):
        if name in facts.conflicting:
            said.append(f"{name} present and absent")
        elif (state := facts.marker(name)) == TRUE:
            said.append(f"{name} present")
        elif state == FALSE:
            said.append(f"{name} absent")
        elif name in facts.open:
            said.append(f"{name} tested, no result")
    genes = {name.partition(":")[0] for name in leaf.payload}
    others = sorted(
        name for name in facts.present | facts.uncertain if name.partition(":")[0] in genes and name not in leaf.payload
    )
    uncertain = [f"{name} (uncertain significance)" for name in others if name in facts.uncertain]
    said.extend(uncertain)
    return "; ".join(said) if said else "not documented"


def _found_set(attribute: str) -> Callable[[Leaf, Facts], str]:
    def words(leaf: Leaf, facts: Facts) -> str:
        value = getattr(facts, attribute)
        if value is None:
            return "conflicting" if leaf.field in facts.conflicts else "not documented"
        return either([str(item) for item in sorted(value)]) if value else "none"

    return words


def _found_history(leaf: Leaf, facts: Facts) -> str:
    if facts.priors is None:
        return "conflicting" if "prior_therapies" in facts.conflicts else "not documented"
    if not facts.priors:
        return "no prior systemic therapy"
    said = []
    for prior in facts.priors:
        words = " + ".join(sorted(prior.drugs)) or prior.source.text
        details = [prior.outcome.value] if prior.outcome.value != "unknown" else ["outcome not stated"]
        if prior.setting is not None:
            details.append(either(sorted(prior.setting)))
        said.append(f"{words} ({', '.join(details)})")
    return "; ".join(said)


def _found_interval(attribute: str) -> Callable[[Leaf, Facts], str]:
    def words(leaf: Leaf, facts: Facts) -> str:
        value = getattr(facts, leaf.payload[0] if leaf.kind == "pdl1" else attribute)
        if value is None:
            return "conflicting" if leaf.field in facts.conflicts else "not documented"
        return str(value)

    return words


def _found_condition(leaf: Leaf, facts: Facts) -> str:
    return {TRUE: "present", FALSE: "absent", UNKNOWN: "not documented"}[facts.conditions.get(leaf.payload, UNKNOWN)]


_FOUND: dict[str, Callable[[Leaf, Facts], str]] = {
    "biomarker": _found_markers,
    "biomarker_absent": _found_markers,
    "setting": _found_set("setting"),
    "stage": _found_set("stage"),
    "histology": _found_set("histology"),
    "ecog": _found_set("ecog"),
    "brain_mets": _found_set("brain"),
    "line": _found_history,
    "received": _found_history,
    "progressed_on": _found_history,
    "rechallenge": _found_history,
    "pdl1": _found_interval("tps"),
    "tmb": _found_interval("tmb"),
    "age": _found_interval("age"),
    "qtc": _found_interval("qtc"),
    "msi": lambda leaf, facts: facts.msi or "not documented",
    "condition": _found_condition,
}
