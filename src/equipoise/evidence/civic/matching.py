"""What a snapshot holds for the markers of a case and a regimen, and where it speaks on both sides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from equipoise.cases.facts import TRUE, UNKNOWN, Facts
from equipoise.cases.vocabulary.biomarkers import classes_of
from equipoise.evidence.civic.items import SOURCE, CivicItem, CivicSnapshot
from equipoise.evidence.regimens import contains_regimen


@dataclass(frozen=True, slots=True, kw_only=True)
class CivicView:
    """What CIViC holds for the markers of a case and a regimen. It is shown; it decides nothing.

    Attributes:
        snapshot: identifier of the snapshot.
        supporting: items that say the marker predicts response to the regimen or a part of it.
        resistance: items that say it predicts resistance, less response or an adverse response.
        does_not_support: items whose study did not bear their statement out, inconclusive ones included.
    """

    snapshot: str
    supporting: tuple[CivicItem, ...] = ()
    resistance: tuple[CivicItem, ...] = ()
    does_not_support: tuple[CivicItem, ...] = ()

    @property
    def conflicting(self) -> bool:
        """Whether items speak on both sides; both are always shown."""
        return bool(self.supporting) and bool(self.resistance or self.does_not_support)

    @property
    def silent(self) -> bool:
        """Whether there is no item at all: "not in CIViC" is not "no evidence"."""
        return not (self.supporting or self.resistance or self.does_not_support)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "source": SOURCE,
            "snapshot": self.snapshot,
            "conflicting": self.conflicting,
            "silent": self.silent,
            "supporting": [item.to_dict() for item in self.supporting],
            "resistance": [item.to_dict() for item in self.resistance],
            "does_not_support": [item.to_dict() for item in self.does_not_support],
        }


def civic_for(snapshot: CivicSnapshot, markers: Facts | Iterable[str], regimen: Iterable[str]) -> CivicView:
    """What a snapshot holds for a case and a regimen.

    Args:
        snapshot: the snapshot.
        markers: the facts of a case, or names of markers that are present.
        regimen: canonical components of the recommendation.

    Returns:
        Items whose profile is present and whose therapy is the regimen or a part of it: best level first, then stars,
        then EID. A combination must be contained as a whole, and so must a list of which the release does not say how
        it belongs together; of substitutes and sequences one part is enough.
    """
    read = markers.marker if isinstance(markers, Facts) else _present(markers)
    components = frozenset(regimen)
    lists: dict[str, list[CivicItem]] = {"supporting": [], "resistance": [], "does-not-support": []}
    for item in snapshot.items:
        if concerns(item, components) and item.profile.state(read) == TRUE:
            lists[item.says].append(item)
    for found in lists.values():
        found.sort(key=lambda item: (item.level, -(item.rating or 0), item.evidence_id))
    return CivicView(
        snapshot=snapshot.id,
        supporting=tuple(lists["supporting"]),
        resistance=tuple(lists["resistance"]),
        does_not_support=tuple(lists["does-not-support"]),
    )


def _present(names: Iterable[str]) -> Any:
    present: set[str] = set()
    for name in names:
        present.add(name)
        present |= classes_of(name)
    return lambda name: TRUE if name in present else UNKNOWN


def concerns(item: CivicItem, components: frozenset[str]) -> bool:
    """Whether the therapy of an item is a regimen or a part of it."""
    if item.interaction in ("combination", "unstated"):
        return contains_regimen(item.therapies, components) is not None
    return any(contains_regimen((name,), components) is not None for name in item.therapies)


def conflicting_pairs(snapshot: CivicSnapshot, *, scope: str = "nsclc") -> dict[tuple[str, str], tuple[CivicItem, ...]]:
    """Profile and therapy for which the source holds items on both sides, with the items.

    Args:
        snapshot: the snapshot.
        scope: scope of the items that count.
    """
    groups: dict[tuple[str, str], list[CivicItem]] = {}
    for item in snapshot.items:
        if item.scope == scope:
            joint = " / " if item.interaction == "substitutes" else " + "
            groups.setdefault((str(item.profile), joint.join(sorted(item.therapies))), []).append(item)
    return {
        key: tuple(found)
        for key, found in sorted(groups.items())
        if any(item.says == "supporting" for item in found) and any(item.says != "supporting" for item in found)
    }
