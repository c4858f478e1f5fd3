"""Checks that a named fact is gone everywhere: other mentions, units, synonyms; wider than what the writer looks for.

Cases are read with the package's own reader and the field must come out unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from equipoise.redteam.operators.checks.reading import is_subsequence, words
from equipoise.redteam.operators.items import Form, Item
from equipoise.redteam.operators.named_facts import CASE_FIELDS, Fact

_NUMBER_WORDS = frozenset("a an one two three four five six seven eight nine ten half several few couple many".split())
_DOSE_UNITS = frozenset(
    """mg mgs mcg µg μg ug g gram grams gramme milligram milligrams microgram micrograms ml mls millilitre millilitres milliliter milliliters cc iu
    unit units puff puffs drop drops tablet tablets pill pills capsule capsules mg/day mg/kg mcg/kg mg/m2""".split()
)
_DAY_UNITS = frozenset(
    """minute minutes min mins hour hours hr hrs day days night nights week weeks wk wks month months mo year years yr yrs fortnight
    fortnights""".split()
)
_STEMS: dict[Fact, tuple[str, ...]] = {
    Fact.ALLERGY: ("allerg", "anaphyl", "hypersens", "intoleran", "epipen", "nkda", "hives"),
    Fact.PREGNANCY: (
        "pregnan",
        "gestat",
        "trimester",
        "gravid",
        "prenatal",
        "antenatal",
        "obstetric",
        "unborn",
        "fetus",
        "fetal",
        "foetus",
        "lmp",
    ),
    Fact.RENAL_FUNCTION: ("kidney", "renal", "creatinin", "crcl", "dialys", "ckd", "esrd", "nephr"),
    Fact.TIME_COURSE: (
        "yesterday",
        "ago",
        "overnight",
        "sudden",
        "gradual",
        "tonight",
        "onset",
        "chronic",
        "acute",
        "fortnight",
    ),
    Fact.STAGE: ("stage", "metasta", "ajcc", "resectable", "unresectable"),
    Fact.ECOG: ("ecog", "karnofsky", "kps", "bedbound", "bedridden"),
    Fact.VARIANT: ("mutat", "mutant", "fusion", "rearrang", "amplif", "variant", "wild-type", "wildtype", "exon"),
}
_PHRASES: dict[Fact, tuple[str, ...]] = {
    Fact.ALLERGY: ("react to", "reaction to", "reacted to", "reactions to", "broke out", "reacted badly to"),
    Fact.PREGNANCY: ("due date", "weeks along", "missed my period", "missed her period", "expecting a", "expecting our", "expecting twins", "baby bump"),
    Fact.DOSE: ("double dose", "double the dose", "half the dose", "maximum dose", "full dose", "twice daily", "once daily", "twice a day", "once a day",
                "times a day", "times daily"),
    Fact.TIME_COURSE: ("for hours", "for days", "for weeks", "for months", "for years", "last night", "last week", "last month", "last year", "this morning", "this week", "this evening", "this afternoon"),
    Fact.STAGE: ("locally advanced",),
    Fact.ECOG: ("performance status", "fully active"),
    Fact.VARIANT: ("wild type",),
}  # fmt: skip


def mentions(fact: Fact, text: str) -> str:
    """The first words of a text that state a fact; empty when none do.

    Args:
        fact: one of the facts that a conversation can lose.
        text: the text.
    """
    found = words(text)
    for word in found:
        stem = next((stem for stem in _STEMS.get(fact, ()) if word.startswith(stem) and _whole(word, stem)), "")
        if stem:
            return word
    joined = f" {' '.join(found)} "
    for phrase in _PHRASES.get(fact, ()):
        if f" {phrase} " in joined:
            return phrase
    special = _SPECIAL.get(fact)
    return special(text, found) if special is not None else ""


def _whole(word: str, stem: str) -> bool:
    """Short stems must be the whole word: "ago" is not in "agony", "acute" may end in "acutely"."""
    return (
        word in (stem, f"{stem}s", f"{stem}ly")
        if len(stem) <= 5 and stem not in ("renal", "stage", "mutat", "nephr")
        else True
    )


def _counted(
    found: list[str], units: frozenset[str], *, skip: Callable[[list[str], int], bool] = lambda words, place: False
) -> str:
    for place, word in enumerate(found):
        joined = re.fullmatch(r"(\d+(?:[.,]\d+)?)-?([a-zµμ/0-9]+)", word)
        if joined is not None and joined[2].split("-")[0] in units and not skip(found, place):
            return word
        if word in units and place and not skip(found, place):
            before = found[place - 1]
            if (
                before in _NUMBER_WORDS
                or re.fullmatch(r"\d+(?:[.,]\d+)?(?:-\d+)?", before)
                or found[max(0, place - 2)] in _NUMBER_WORDS
            ):
                return f"{before} {word}"
    return ""


def _dose(text: str, found: list[str]) -> str:
    return _counted(found, _DOSE_UNITS)


def _time(text: str, found: list[str]) -> str:
    def other(around: list[str], place: int) -> bool:
        before = around[max(0, place - 2) : place]
        if before[:1] in (["times"], ["once"], ["twice"]) and before[1:] in (["a"], ["per"], ["each"]):
            return True  # how often something is taken, not how long it has lasted
        return (
            any(word.startswith("old") or word == "age" for word in around[place + 1 : place + 3])
            or "old" in around[place]
        )

    return _counted(found, _DAY_UNITS, skip=other)


def _gfr(text: str, found: list[str]) -> str:
    hit = re.search(r"\be?GFR\b|\begfr\b", text)
    if hit is not None and hit.group(0) != "EGFR":
        return hit.group(0)
    hit = re.search(r"\bEGFR\s*(?:of|is|was|:|=)?\s*\d{1,3}\b(?![A-Za-z])", text)
    return hit.group(0) if hit is not None else ""


def _tnm(text: str, found: list[str]) -> str:
    hit = re.search(r"\b[cpy]{0,2}T[0-4x][a-d]?\s?,?\s?N[0-3x]", text, re.IGNORECASE)
    return hit.group(0) if hit is not None else ""


def _status(text: str, found: list[str]) -> str:
    hit = re.search(r"\bPS\b\s*(?:of|is|was|:|=)?\s*[0-4]\b", text)
    return hit.group(0) if hit is not None else ""


def _alteration(text: str, found: list[str]) -> str:
    hit = re.search(
        r"\bp\.[A-Z(]|\b[ACDEFGHIKLMNPQRSTVWY]\d{2,4}(?:[ACDEFGHIKLMNPQRSTVWY]|del|fs)\b"
        r"|\b(?:EGFR(?!\s*\d)|ALK|ROS1|RET|[KNH]RAS|BRAF|ERBB2|HER2|NTRK[123]?|NRG1|BRCA[12]|TP53|PIK3CA|IDH[12]|FGFR[1-4]|JAK2|FLT3)\b",
        text,
    )
    return hit.group(0) if hit is not None else ""


_SPECIAL: dict[Fact, Callable[[str, list[str]], str]] = {
    Fact.DOSE: _dose,
    Fact.TIME_COURSE: _time,
    Fact.RENAL_FUNCTION: _gfr,
    Fact.STAGE: _tnm,
    Fact.ECOG: _status,
    Fact.VARIANT: _alteration,
}


def check_fact_gone(parent: Item, mutant: Item, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The fact was there and is nowhere any more; what is left stands in its order and nothing was added."""
    fact = Fact(str(parameters["fact"]))
    if parent.form is Form.CASE:
        return tuple(_case_problems(fact, parent, mutant))
    problems = []
    if not any(mentions(fact, turn.text) for turn in parent.turns):
        problems.append(f"the parent does not state {fact}")
    if [turn.role for turn in parent.turns] != [turn.role for turn in mutant.turns]:
        problems.append("the turns are not those of the parent")
        return tuple(problems)
    for place, (old, new) in enumerate(zip(parent.turns, mutant.turns, strict=True), start=1):
        left = mentions(fact, new.text)
        if left:
            problems.append(f"turn {place} still states {fact}: {left!r}")
        if not is_subsequence(_bare(new.text), _bare(old.text)):
            problems.append(f"turn {place} holds words that were not there")
    return tuple(problems)


def _bare(text: str) -> list[str]:
    """Words for comparison, contractions taken apart, so that a kept subject ("I'm" -> "I") is no new word."""
    plain = {"im": "i'm", "ive": "i've"}
    return [part for word in words(text) for part in re.split(r"['’]", plain.get(word, word)) if part]


def _case_problems(fact: Fact, parent: Item, mutant: Item) -> list[str]:
    from equipoise.cases.formats import case_from_object
    from equipoise.cases.model import FindingStatus, Status

    before, after = case_from_object(parent.record()), case_from_object(mutant.record())
    name = CASE_FIELDS[fact].field
    problems = []
    if fact is Fact.VARIANT:
        genes = {finding.gene for finding in before.findings if finding.status is FindingStatus.PRESENT}
        left = sorted(genes & {finding.gene for finding in after.findings})
        if not genes:
            problems.append("the parent states no variant")
        if left:
            problems.append(f"the case still speaks of {left[0]}")
    elif fact is Fact.EXPRESSION:
        if all(score.status is Status.UNKNOWN for score in (before.pdl1.tps, before.pdl1.tc, before.pdl1.ic)):
            problems.append("the parent does not state PD-L1")
        if any(score.status is not Status.UNKNOWN for score in (after.pdl1.tps, after.pdl1.tc, after.pdl1.ic)):
            problems.append("the case still states PD-L1")
    else:
        if getattr(before, name).status is Status.UNKNOWN:
            problems.append(f"the parent does not state {name}")
        state = getattr(after, name)
        several = fact is Fact.SETTING and len(state.value or ()) > 1  # what a stage leaves open is not stated
        if state.status is not Status.UNKNOWN and not several:
            problems.append(f"the case still states {name}")
    if before.recommendations and [item.components for item in before.recommendations] != [
        item.components for item in after.recommendations
    ]:
        problems.append("the recommendation changed")
    old, new = parent.record(), mutant.record()
    free = {*CASE_FIELDS[fact].elements, "text"}
    if {key: value for key, value in old.items() if key not in free} != {
        key: value for key, value in new.items() if key not in free
    }:
        problems.append("another element of the case changed")
    if isinstance(old.get("text"), str) and not is_subsequence(_bare(str(new.get("text", ""))), _bare(old["text"])):
        problems.append("the note holds words that were not there")
    return problems
