"""The findings of a segment: alternatives of one gene joined, and what bare genes of a list take from its end."""

from __future__ import annotations

from equipoise.cases.model import FindingStatus
from equipoise.cases.vocabulary.biomarkers import Read, catalogue, marker
from equipoise.cases.vocabulary.reports.alterations import alterations_of, either
from equipoise.cases.vocabulary.reports.genes import FOREIGN, FUSION_GENES
from equipoise.cases.vocabulary.reports.parts import Part
from equipoise.cases.vocabulary.reports.states import PRESENT
from equipoise.cases.vocabulary.reports.words import CONNECT


def findings_of(parts: list[Part], states: list[FindingStatus | None]) -> list[Read]:
    """Findings of a segment, with alternatives of one gene joined."""
    reads: list[Read] = []
    behind = _list_ends(parts)
    place = 0
    while place < len(parts):
        last = place
        while (
            last + 1 < len(parts)
            and parts[last + 1].connector in {"slash", "or"}
            and parts[last + 1].gene == parts[place].gene
            and not parts[place].bare
            and _shown(parts[last + 1], states[last + 1]) is PRESENT
            and _shown(parts[place], states[place]) is PRESENT
        ):
            last += 1
        group: list[list[Read]] = []
        for at in range(place, last + 1):
            group.append(_found(parts, states, at, behind))
        other = "other" in parts[last].flags and bool(parts[last].changes)
        flat = [read for one in group for read in one]
        if (
            (last > place or other)
            and flat
            and all(read.status is PRESENT for read in flat)
            and parts[place].gene in catalogue().genes
        ):
            names = list(dict.fromkeys(read.name for read in flat if not read.possible))
            acquired = any((found := marker(name)) is not None and found.acquired for name in names)
            if (len(names) > 1 or other) and not acquired and len(names) == len({read.name for read in flat}):
                flat = [
                    either(
                        parts[place].gene, names, flat[0].start, max(read.end for read in flat), flat[0].assay, other
                    )
                ]
        reads.extend(flat)
        place = last + 1
    return reads


def _list_ends(parts: list[Part]) -> list[int]:
    """For each part, the place of the first part behind the list of bare genes that follows it."""
    ends = [len(parts)] * len(parts)
    for place in range(len(parts) - 2, -1, -1):
        nxt = parts[place + 1]
        listed = nxt.bare and nxt.own_gene and not nxt.cues and nxt.connector in CONNECT
        ends[place] = ends[place + 1] if listed else place + 1
    return ends


def _shown(part: Part, state: FindingStatus | None) -> FindingStatus | None:
    """The status of a part; an alteration without a status word is present, a bare gene has none."""
    return state if state is not None else (None if part.bare else PRESENT)


def _found(parts: list[Part], states: list[FindingStatus | None], place: int, behind: list[int]) -> list[Read]:
    """The findings of the part at a place, seen with its neighbours."""
    part = parts[place]
    state = _shown(part, states[place])
    if part.bare and part.own_gene and state in {None, PRESENT} and not part.cues and place + 1 < len(parts):
        return _borrowed(parts, states, place, behind)
    if state is None or part.gene in {"", FOREIGN} or "supposed" in part.flags:
        return []
    owner = _lender(parts, states, place)
    if owner is not None and state is PRESENT:
        may = list(alterations_of(part, state))
        return [
            Read(
                f"{part.gene}:alteration",
                PRESENT,
                read.start,
                read.end,
                False,
                frozenset({read.name}),
                part.gene,
                read.assay,
            )
            if read.name.endswith(":fusion")
            else read
            for read in may
        ]
    return alterations_of(part, state)


def _lender(parts: list[Part], states: list[FindingStatus | None], place: int) -> Part | None:
    """The bare gene that stands as alternative before a part ("ALK/ROS1 fusion"); None when there is none."""
    part = parts[place]
    if (
        place
        and part.connector in {"slash", "or"}
        and part.own_gene
        and parts[place - 1].bare
        and parts[place - 1].own_gene
    ):
        before = parts[place - 1]
        if before.gene != part.gene and not before.cues and part.has("fus") and states[place - 1] in {None, PRESENT}:
            return before
    return None


def _borrowed(parts: list[Part], states: list[FindingStatus | None], place: int, behind: list[int]) -> list[Read]:
    """What a bare gene in a list takes from the alteration word behind the list."""
    part = parts[place]
    at = behind[place]
    if (
        at == len(parts)
        or "supposed" in part.flags
        or parts[at].connector not in {"and", "or", "slash"}
        or parts[at].reads is not None
        or not parts[at].own_gene
    ):
        return []
    lender = parts[at]
    if _shown(lender, states[at]) is not PRESENT or lender.changes:
        return []
    if lender.has("fus") and part.gene in FUSION_GENES:
        name = f"{part.gene}:fusion"
        if lender.connector == "and":
            return [Read(name, PRESENT, part.start, part.end)]
        return [Read(f"{part.gene}:alteration", PRESENT, part.start, part.end, False, frozenset({name}), part.gene)]
    if lender.connector == "and" and not lender.has("fus"):
        copy = Part(part.gene, part.start, part.end, pieces=list(lender.pieces), cues=list(lender.cues))
        return alterations_of(copy, PRESENT)
    return []
