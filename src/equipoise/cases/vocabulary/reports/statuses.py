"""The status of each part, with the reach of status words before and behind lists."""

from __future__ import annotations

from equipoise.cases.model import FindingStatus
from equipoise.cases.vocabulary.biomarkers import catalogue
from equipoise.cases.vocabulary.reports.lexer import Token
from equipoise.cases.vocabulary.reports.parts import Part
from equipoise.cases.vocabulary.reports.states import ABSENT, NOT_TESTED, PENDING, PRESENT, UNCERTAIN, UNKNOWN
from equipoise.cases.vocabulary.reports.words import CONNECT

_LEADS = {
    "negf": ABSENT,
    "negb": ABSENT,
    "unc": UNCERTAIN,
    "vus": UNCERTAIN,
    "pend": PENDING,
    "nott": NOT_TESTED,
    "pos": PRESENT,
    "unk": UNKNOWN,
}


def statuses_of(parts: list[Part]) -> list[FindingStatus | None]:
    """The status of each part, with the reach of status words before and behind lists."""
    states: list[FindingStatus | None] = [None] * len(parts)
    forward: FindingStatus | None = None
    filled = False
    opened, short = -1, False
    from_lead = [False] * len(parts)
    for place, part in enumerate(parts):
        lead = next((cue for cue in part.lead if cue.kind in _LEADS and not _hereditary(part, cue)), None)
        own = _own_status(part)
        if lead is not None:
            state = _LEADS[lead.kind]
            states[place] = state
            from_lead[place] = True
            if state is ABSENT and own in {PENDING, NOT_TESTED}:
                states[place] = own
            elif state is ABSENT and part.untold and lead.kind == "negf":
                states[place] = state = NOT_TESTED
            forward = None if state in {PRESENT, UNCERTAIN} and not part.wide else state
            filled = not part.bare
            opened, short = place, lead.value == "no" and not part.wide
            continue
        if forward is not None and own in {None, PRESENT} and part.connector:
            breaks = (
                own is PRESENT and part.connector == "comma" and filled and not part.bare and forward is not PRESENT
            )
            if forward is ABSENT and short and place == opened + 1 == len(parts) - 1:
                breaks = breaks or (bool(part.changes) and part.connector == "comma" and filled and part.own_gene)
            if not breaks:
                states[place] = forward
                from_lead[place] = True
                filled = filled or not part.bare
                continue
        forward = None
        states[place] = own
    for place in range(len(parts) - 2, -1, -1):
        if states[place] is None and not from_lead[place + 1]:
            states[place] = _shared(parts, states, place)
    return states


def _own_status(part: Part) -> FindingStatus | None:
    """What the status words of a part itself say; None when there are none."""
    kinds = [cue.kind for cue in part.cues if not _hereditary(part, cue)]
    if "negf" in kinds:
        return NOT_TESTED if part.untold else ABSENT
    first = next((kind for kind in kinds if kind in {"pos", "negb", "pend", "nott", "unk", "unc", "vus"}), "")
    if "vus" in kinds and part.changes:
        return UNCERTAIN
    if "nott" in kinds and first != "pos":
        return NOT_TESTED
    if first == "negb":
        return ABSENT
    if "unc" in kinds or "vus" in kinds:
        return UNCERTAIN
    return {"pos": PRESENT, "pend": PENDING, "unk": UNKNOWN}.get(first)


def _hereditary(part: Part, cue: Token) -> bool:
    """Whether "germline" is said of a suppressor, where it is a finding and no doubt."""
    return part.gene in catalogue().suppressors and cue.value in {"germline", "constitutional"}


def _shared(parts: list[Part], states: list[FindingStatus | None], place: int) -> FindingStatus | None:
    """The status behind a list that reaches back to one of its members."""
    part, nxt = parts[place], parts[place + 1]
    state, connector = states[place + 1], nxt.connector
    if state is None or connector not in CONNECT:
        return None
    if part.bare and part.own_gene:
        if "list" in nxt.flags:
            part.flags["list"] = "1"
        return state
    if state is PRESENT or part.reads is not None or nxt.reads is not None:
        return None
    if connector == "comma" and nxt.own_gene and "list" in nxt.flags:
        part.flags["list"] = "1"
        return state
    alike = bool(part.changes) == bool(nxt.changes) and not nxt.bare
    if not alike:
        return None
    if connector != "comma":
        return state
    after = parts[place + 2].connector if place + 2 < len(parts) else ""
    return state if after in {"and", "or"} and not nxt.cues else None
