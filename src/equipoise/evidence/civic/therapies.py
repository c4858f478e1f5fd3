"""The therapies of a row, in the names of the drug vocabulary."""

from __future__ import annotations

import re
from collections.abc import Mapping

from equipoise.cases.vocabulary.drugs import lexicon
from equipoise.cases.vocabulary.tokens import words
from equipoise.evidence.civic.rejection import reject

_OUTSIDE = re.compile(r",(?![^(]*\))")

_REMARK = re.compile(r"\([^()]*\)?")

_ENDINGS = frozenset(
    {"regimen", "hydrochloride", "mesylate", "maleate", "dimaleate", "tosylate", "anhydrous", "compound", "zbco"}
)

_GROUPS: dict[str, tuple[str, ...]] = {
    "epidermal growth factor receptor tyrosine kinase inhibitor": ("egfr-tki",),
    "anti pd1 monoclonal antibody": ("anti-pd1-pdl1",),
    "anti pd l1 monoclonal antibody": ("anti-pd1-pdl1",),
}
"""Names of drug groups in the thesaurus that CIViC uses, and the group here."""


def therapies_of(row: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """The components of a row, the alternatives that are not known, and how they belong together.

    Raises:
        RejectedError: the row names no therapy, or the vocabulary knows none of them or not all of a combination.
    """
    text = therapy_text(row)
    names = [part.strip() for part in _OUTSIDE.split(text) if part.strip()]
    if not names:
        reject("no-therapy", text)
    read = [(name, read_therapy(name)) for name in names]
    unread = tuple(name for name, found in read if not found)
    known = tuple(dict.fromkeys(component for _, found in read for component in found))
    stated = row.get("therapy_interaction_type") or row.get("drug_interaction_type") or ""
    interaction = stated.lower() or ("unstated" if len(names) > 1 else "single")
    if len(names) == 1 and len(known) > 1:
        interaction = "combination"
    if not known or (unread and interaction != "substitutes"):
        reject("therapy-unknown", text)
    return known, unread, interaction


def therapy_text(row: Mapping[str, str]) -> str:
    """The cell of therapies as written; empty when the release has no such column."""
    return row.get("therapies", row.get("drugs", ""))


def read_therapy(name: str) -> tuple[str, ...]:
    """The canonical components of one therapy name; empty when the drug vocabulary does not know all of it.

    Stricter than the reading of a recommendation: no word or number may be left over, because "IPI-504" is not
    ipilimumab.
    """
    plain = _REMARK.sub(" ", name)
    tokens = words(plain)
    while len(tokens) > 1 and tokens[-1] in _ENDINGS:
        tokens.pop()
    group = _GROUPS.get(" ".join(tokens))
    if group is not None:
        return group
    if "/" in plain:
        parts = [read_therapy(part) for part in re.sub(r"\s+regimen\s*$", "", plain, flags=re.IGNORECASE).split("/")]
        if all(parts):
            return tuple(component for part in parts for component in part)
    if len(tokens) > 1 and tokens[-1] in ("inhibitor", "inhibitors") and (found_group := _component(tokens[:-1], 0)):
        return found_group
    for start in range(2 if tokens[:1] == ["adjuvant"] else 1):
        components = _component(tokens, start)
        if components:
            return components
    return ()


def _component(tokens: list[str], start: int) -> tuple[str, ...]:
    """The components that the tokens from `start` on name as a whole; empty when they do not."""
    found = lexicon().table.match(tokens, start) if start < len(tokens) else None
    if found is not None and found[0].role == "component" and start + found[1] == len(tokens):
        return found[0].components
    return ()
