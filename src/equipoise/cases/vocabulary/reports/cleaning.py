"""Findings of a whole string made ready: no repetition, nothing that a more specific one says, whole words."""

from __future__ import annotations

from dataclasses import replace

from equipoise.cases.model import FindingStatus
from equipoise.cases.vocabulary.biomarkers import Read, marker
from equipoise.cases.vocabulary.reports.states import ABSENT, PRESENT, UNCERTAIN


def cleaned(reads: list[Read]) -> list[Read]:
    """Findings without repetition and without what a more specific one of the same status already says."""
    kept = _once(reads)
    denied = {read.name for read in kept if read.status is ABSENT}
    result = _specific(kept)
    members = {f"NTRK{number}:fusion" for number in (1, 2, 3)}
    if members <= denied and "NTRK:fusion" not in denied:
        spans = [read for read in result if read.name in members]
        result.append(Read("NTRK:fusion", ABSENT, spans[0].start, spans[-1].end))
    resistance = [
        read
        for read in result
        if read.status is PRESENT
        and read.name.startswith("ALK:")
        and (found := marker(read.name)) is not None
        and found.acquired
    ]
    if len({read.name for read in resistance}) > 1:
        result.append(Read("ALK:compound", PRESENT, resistance[0].start, resistance[-1].end))
    return result


def _once(reads: list[Read]) -> list[Read]:
    """Each name and status once; no rest of a gene that is present, no doubt about what is denied."""
    kept: list[Read] = []
    seen: set[tuple[str, FindingStatus]] = set()
    for read in reads:
        key = (read.name, read.status)
        if key in seen and not read.possible:
            continue
        seen.add(key)
        kept.append(read)
    genes = {read.name.partition(":")[0] for read in kept if read.status is PRESENT}
    kept = [read for read in kept if not (read.rest and read.name.partition(":")[0] in genes)]
    denied = {read.name for read in kept if read.status is ABSENT}
    return [read for read in kept if not (read.status is UNCERTAIN and read.name in denied)]


def _specific(reads: list[Read]) -> list[Read]:
    """Findings without the classes of others that are present, and without possibilities that are settled."""
    carried: set[str] = set()
    for read in reads:
        if read.status is PRESENT and not read.possible:
            found = marker(read.name)
            if found is not None:
                carried |= found.classes
    own = {read.name for read in reads if read.status is PRESENT}
    insertion = "EGFR:A763_Y764insFQEA" in own
    return [
        read
        for read in reads
        if not (read.status is PRESENT and not read.possible and read.name in carried)
        and not (insertion and read.name == "EGFR:exon20ins")
        and not (read.possible and not read.possible.isdisjoint(own))
    ]


def closed(text: str, read: Read) -> Read:
    """The finding with a bracket that its words open closed again."""
    if text[read.end : read.end + 1] in {")", "]"} and text.count("(", read.start, read.end) + text.count(
        "[", read.start, read.end
    ) > text.count(")", read.start, read.end) + text.count("]", read.start, read.end):
        return replace(read, end=read.end + 1)
    return read
