"""Words of dose, route and schedule that stand between the drugs of a regimen or after them, in folded text."""

from __future__ import annotations

import re

_NUMBER = r"(?:\d+(?:[.,]\d+)*(?:\s?(?:-|–|to|or)\s?\d+(?:[.,]\d+)*)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_UNIT = r"(?:mg|g|mcg|[uµμ]g|gbq|mbq|mci|m?iu|units?|ml|%|million)(?:\s?(?:/|per)\s?(?:m\^?2|kg|day|d|week|wk|dose|h))*"
_TIME = r"(?:hours?|h|days?|d|weeks?|wks?|w|months?|mo|cycles?|doses?|courses?|rounds?|years?|infusions?|injections?)"
DOSE = (
    rf"(?:{_NUMBER}\s?{_UNIT}|auc\s?(?:of\s)?{_NUMBER}|q\s?\d+\s?{_TIME}|q\dw|d\d+(?:\s?[-–,&]\s?d?\d+)*|x\s?\d+|"
    rf"(?:on\s)?days?\s\d+(?:\s?(?:-|–|to|,|and|&)\s?\d+)*|of\s(?:an?|each|every)\s\d+[- ]day\s(?:cycle|schedule)|"
    rf"(?:every|each|per)\s(?:other\s)?(?:{_NUMBER}\s)?{_TIME}|(?:for|over|during)\s(?:up to\s)?(?:an?\s)?(?:{_NUMBER}\s)?{_TIME}|"
    rf"{_NUMBER}\s(?:more\s)?{_TIME}(?:\sof)?|(?:once|twice|three times)(?:\s(?:a|per)\s(?:day|week|month)|\s(?:daily|weekly|monthly))?|"
    rf"{_NUMBER}\sof|daily|weekly|biweekly|monthly|bid|tid|qd|od|po|iv|sc|sq|im|i\.v\.|s\.c\.|p\.o\.|orally|oral|intravenous(?:ly)?|"
    r"subcutaneous(?:ly)?|flat[- ]dose|fixed[- ]dose|(?:high|low|full|standard|reduced)[- ]dose|dose[- ]dense|alone|monotherapy|"
    r"continuous(?:ly)?|infusion|modified|concurrent(?:ly)?|"
    r"long[- ]acting)"
)
"""One expression of dose, route or schedule."""

JOINED = re.compile(
    rf"(?:\b{DOSE}(?![a-z])|\b(?:and|plus|with|in|combination|combined|together|along(?:side)?|on top of|added to|platinum-based|of|mg|"
    rf"\d+)\b|"
    r"[\s/+&()-]|,(?! with\b))*+"
)
"""What may stand between two drugs of one regimen."""

_AFTER = re.compile(rf"(?:[\s,()]*\b{DOSE}(?![a-z]))++")
_ASIDE = re.compile(r"\([^()]*\)")
_SAYS = re.compile(
    r"\b(?:not?|never|reject\w*|declin\w*|contraindicat\w*|avoid\w*|propos\w*|recommend\w*|prefer\w*|progress\w*|prior|previous\w*|"
    r"received|stopp\w*|fail\w*|withdrawn|against|instead|or|then)\b"
)


def without_asides(low: str, taken: list[tuple[int, int]]) -> str:
    """The folded sentence with spaces for asides in parentheses that hold a figure and no decision, so that places stay.

    Args:
        low: the sentence.
        taken: spans of the drugs named in it; an aside that holds one stays.
    """

    def blank(found: re.Match[str]) -> str:
        inside = any(found.start() <= start < found.end() for start, _ in taken)
        keeps = inside or not re.search(r"\d", found[0]) or _SAYS.search(found[0])
        return found[0] if keeps else " " * len(found[0])

    return _ASIDE.sub(blank, low)


def after_dose(rest: str) -> str:
    """The words after a regimen without the dose and schedule they begin with."""
    found = _AFTER.match(rest)
    return rest if found is None else rest[found.end() :]
