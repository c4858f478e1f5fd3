"""The drug that a record means: by ATC of any year, RxNorm, UNII or name, with the name as a check of the code.

ATC codes move: German ATC of 2020 and 2026 differ for most kinase inhibitors and antibodies. None was given to another substance
in the years compared, so a code of any year names one drug; where the name beside it says another, neither is believed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from equipoise.cases.formats.record.codes import Coding, tables
from equipoise.cases.vocabulary.drugs import read_regimen

_CODE = re.compile(r"(RxCUI|ATC):([A-Z0-9]+)")
_FORMS = re.compile(
    r"\b\d+(?:[.,]\d+)?(?:\s*(?:mg|g|mcg|ug|ml|iu|%))?(?:/(?:\s*\d+)?\s*(?:ml|mg|hr|actuat))?\b|"
    r"\b(?:mg|mcg|ug|ml|g|iu|hr)\b|\b(?:oral|injectable|injec?tion|injetable|intravenous|subcutaneous|tablets?|capsules?|solution|"
    r"suspension|product|concentrate|powder|vial|infusion|prefilled|syringe|pill|pack|for|extended|release|film|coated|o|p)\b",
    re.IGNORECASE,
)


class Medicine(NamedTuple):
    """One medicine of a record.

    Attributes:
        name: the words that a regimen is read from: a canonical name, or the words as written.
        known: a drug of the vocabulary was recognised and nothing else is in the words.
        disagree: code and name mean different drugs; the name then holds both, so that no verdict rests on either.
    """

    name: str
    known: bool
    disagree: bool = False


@functools.cache
def _by_code() -> dict[tuple[str, str], tuple[str, ...]]:
    """Code -> the drugs that it can mean, the one that the code itself names first: ATC has one code for both forms of paclitaxel."""
    from equipoise.cases.vocabulary._data import vocabulary

    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for row in vocabulary("drugs"):
        for kind, code in _CODE.findall(str(row.get("source", ""))):
            key = "atc" if kind == "ATC" else "rxnorm", code
            found[key] = (*found.get(key, ()), str(row["name"]))
    for code, name in tables()["atc_before"].items():
        found.setdefault(("atc", str(code)), (str(name),))
    for code, name in tables()["unii"].items():
        found["unii", str(code)] = (str(name),)
    return found


def medicine(codings: Sequence[Coding], text: str = "") -> Medicine:
    """The drug that codings and a text name together.

    Args:
        codings: codings of one medicine, in any code system.
        text: the medicine in words.
    """
    possible = [names for coding in codings if (names := _by_code().get((coding.system, coding.code)))]
    words = [item for item in (*(coding.display for coding in codings), text) if item.strip()]
    named = {name for item in words if (name := _named(item))}
    meant = named | {names[0] for names in possible if named.isdisjoint(names)}
    if len(meant) == 1:
        return Medicine(meant.pop(), True)
    if len(meant) > 1:
        return Medicine(" or unclear ".join(sorted(meant)), False, True)
    if words:
        return Medicine(words[0].strip(), False)
    first = next(iter(codings), None)
    return Medicine(f"{first.system} {first.code}" if first else "", False)


def _named(text: str) -> str:
    """The canonical components of a name without strength and form; empty when anything else is in it."""
    for words in (text, _FORMS.sub(" ", text)):
        regimen = read_regimen(words)
        if regimen.components and not regimen.unread:
            return " + ".join(sorted(regimen.components))
    return ""
