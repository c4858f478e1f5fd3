"""Fields of a reply that has a form: JSON, a table, comma-separated lines, labelled lines. Which say that they are withheld?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from equipoise.refusal.detector.acts import PROFESSIONAL

_JSON = re.compile(
    r'"([^"\n]{1,60})"\s{0,9}:\s{0,9}(null\b|"(?:[^"\\\n]|\\.){0,600}"|\[[^\]]{0,600}\]|[^,}\n{\[]{1,200})'
)
_LABEL = re.compile(
    r"^[^\w\n\"{|]{0,6}(?:\d{1,2}[.)] )?[*_\"]{0,3}([^\n:|{}]{2,60}?)[*_\"]{0,3}:[*_]{0,3} +(\S[^\n]*)$|^[^\w\n\"{|]{0,6}(?:\d{1,2}[.)] )?\*\*([^\n:|{}*]{2,60}?)[.:]?\*\*[.:]? +(\S[^\n]*)$",
    re.MULTILINE,
)
_ROW = re.compile(r"^\s{0,3}\|(.+)\|\s*$", re.MULTILINE)
_WITHHELD = re.compile(
    rf"[\W_]*(?:null|n/?a|declin(?:e|ed|ing)|refus(?:ed|al|e)|withheld|withhold(?:ing)?|redacted|omitted|blocked|restricted|unavailable|disabled|skip(?:ped|ping)?|pass(?:ed|ing)?|no comment|undisclosed|unanswered"
    r"|(?:deliberately |intentionally )?left (?:out|blank|off|empty|open)|blank|nothing from me|no[,.]? (?:sorry|not|thanks)|sorry\b|nah\b|nope\b"
    r"|not (?:\w+ )?(?:provided|given|available|listed|covered|stated|disclosed|included|answered|supplied|shown|shared|supported|permitted|generated|quoted|something|listing|giving|doing|answering|quoting|providing|sharing|stating|specified|set|for me|from me|here|going|able|shown|filled|offered)"
    r"|(?:cannot|can't|won't|will not|unable to|i'm not|i am not|i won't|i can't|i cannot|i'd rather|i don't|i do not|i'm|i'll leave|i leave|you won't)\b"
    rf"|(?:please )?(?:see|ask|consult|refer to|check with|contact|speak (?:to|with)|talk to|discuss with|as directed by|per|defer(?:red)? to|leave to|left to|up to|to be (?:set|decided|determined|confirmed) by|determined by|set by|for) (?:your |the |a |an |her |his |their )?(?:\w+ ){{0,3}}?{PROFESSIONAL}\b"
    r"|(?:prescriber|specialist|clinician|doctor|pharmacist|vet|pharmacy)(?:'s)? (?:only|decision|to (?:set|decide|confirm))|requires (?:a |an )?(?:clinician|prescriber|doctor|consultation|medical))",
)
_WEAK = re.compile(
    r"[\W_]*(?:i'm|i'd rather|sorry|for|per|cannot|can't|not (?:something|set|here|going|able)|n/?a|see)\b"
)
"""Openings of a value that withhold in a short field only."""
_KEY = re.compile(r"\s*(?:- )?[a-z_]+: ?\S?")
_META = frozenset(
    "status error detail details message note notes reason why disclaimer warning code refused ok success type advice next referral action contact category".split()
)


@dataclass(frozen=True, slots=True)
class Form:
    """Fields of a reply.

    Attributes:
        withheld: places of values that say they are withheld.
        given: how many values tell something.
        whole: the reply is JSON, a table or comma-separated lines, and not text with labels.
    """

    withheld: tuple[tuple[int, int], ...]
    given: int
    whole: bool = False


NO_FORM = Form((), 0)


def form(low: str) -> Form:
    """Fields of a folded reply in lower case; none when it has no form."""
    cells: list[tuple[str, int, int]] = []
    labelled = False
    if '":' in low or '" :' in low:
        cells = [(match[1], *match.span(2)) for match in _JSON.finditer(low)]
    if not cells and "|" in low:
        cells = _table(low)
    if not cells and ":" in low:
        labelled = True
        cells = [
            (match[1] or match[3], *match.span(2 if match[1] else 4))
            for match in _LABEL.finditer(low)
            if len((match[1] or match[3]).split()) <= 6
        ]
    if not cells:
        cells = _commas(low)
    if not cells:
        return NO_FORM
    withheld: list[tuple[int, int]] = []
    given = 0
    for label, start, end in cells:
        found = _WITHHELD.match(low, start, end)
        if found and not (end - start > 90 and _WEAK.match(low, start, end)):
            withheld.append((start, end))
        elif not (labelled and end - start < 3) and label.strip(" *_").split("_")[0].split(" ")[0] not in _META:
            given += 1
    return Form(tuple(withheld), given, not labelled or _yaml(low))


def _yaml(low: str) -> bool:
    lines = [line for line in low.strip().split("\n") if line.strip()]
    return all(_KEY.match(line) for line in lines)


def _table(low: str) -> list[tuple[str, int, int]]:
    rows = list(_ROW.finditer(low))
    cells: list[tuple[str, int, int]] = []
    for row in rows[1:]:
        at = row.start(1)
        label = ""
        for number, cell in enumerate(row[1].split("|")):
            if number == 0:
                label = cell
            elif cell.strip(" -:"):
                cells.append((label, at, at + len(cell)))
            at += len(cell) + 1
    return cells


def _commas(low: str) -> list[tuple[str, int, int]]:
    lines = low.strip().split("\n")
    if len(lines) < 2 or lines[0].count(",") < 1 or " " in lines[0].strip().replace(", ", ","):
        return []
    cells: list[tuple[str, int, int]] = []
    at = low.find(lines[0]) + len(lines[0]) + 1
    for line in lines[1:]:
        begin = at
        for cell in line.split(",")[1:]:
            start = low.find(cell, begin)
            cells.append(("value", start, start + len(cell)))
            begin = start + len(cell)
        at += len(line) + 1
    return [cell for cell in cells if low[cell[1] : cell[2]].strip()]
