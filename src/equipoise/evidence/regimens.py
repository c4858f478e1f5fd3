"""Whether a recommended regimen is the regimen of an assertion: order does not matter, groups do.

An assertion's regimen may hold groups (`platinum`, `chemotherapy`) and alternatives ("paclitaxel/nab-paclitaxel"). A recommendation
may be less
specific than the assertion ("pembrolizumab + chemotherapy"): then it matches unspecifically.
"""

from __future__ import annotations

from enum import StrEnum

from equipoise.cases.vocabulary.drugs import classes_of, covers, is_group


class Match(StrEnum):
    """How a recommendation fits an assertion's regimen."""

    EXACT = "exact"
    UNSPECIFIC = "unspecific"


def match_regimen(pattern: tuple[str, ...], components: frozenset[str]) -> Match | None:
    """Hold the components of a recommendation against the regimen of an assertion.

    Args:
        pattern: components of the assertion.
        components: canonical components of the recommendation.

    Returns:
        EXACT when every component is accounted for on both sides; UNSPECIFIC when the recommendation names a group where the
        assertion names a drug; None when they are different regimens.
    """
    rest = set(components)
    used: set[str] = set()
    unspecific = False
    for element in sorted(pattern, key=_breadth):
        taken = _take(element, rest)
        if taken is None:
            group = _broader(element, rest)
            if group is None:
                return None
            used.add(group)
            unspecific = True
    if rest - used:
        return None
    return Match.UNSPECIFIC if unspecific else Match.EXACT


def contains_regimen(pattern: tuple[str, ...], components: frozenset[str]) -> frozenset[str] | None:
    """The components that make up an assertion's regimen within a larger one; None when it does not contain it for certain."""
    rest = set(components)
    found: set[str] = set()
    for element in sorted(pattern, key=_breadth):
        taken = _take(element, rest)
        if taken is None:
            return None
        found |= taken
    return frozenset(found)


def contains_class(drug_class: str, components: frozenset[str]) -> frozenset[str] | None:
    """The components that belong to a class for certain; None when there is none."""
    found = frozenset(name for name in components if drug_class in classes_of(name))
    return found or None


def _breadth(element: str) -> int:
    """Drugs first, then narrow groups, then broad ones."""
    return len(covers(element))


def _take(element: str, rest: set[str]) -> set[str] | None:
    """Remove from `rest` what satisfies an element; None when nothing does."""
    for option in element.split("/"):
        name = option.strip()
        if name in rest:
            rest.remove(name)
            return {name}
        if is_group(name):
            members = covers(name) & rest
            if members:
                chosen = members if name == "chemotherapy" else {min(members)}
                rest -= chosen
                return set(chosen)
    return None


def _broader(element: str, rest: set[str]) -> str | None:
    """A group in the recommendation that an element of the assertion could be."""
    for name in sorted(rest):
        if not is_group(name):
            continue
        members = covers(name)
        for option in element.split("/"):
            wanted = covers(option) if is_group(option) else frozenset({option.strip()})
            if wanted and wanted <= members:
                return name
    return None
