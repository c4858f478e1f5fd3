"""Takes a named fact out of a conversation or a case: words in place, else the clause, else the sentence, in every turn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from equipoise.ids import canonical_json
from equipoise.redteam.operators.draw import Draw
from equipoise.redteam.operators.items import Form, Item, Turn
from equipoise.redteam.operators.mutant import Reason, Refused, Written
from equipoise.redteam.operators.named_facts import CASE_FIELDS, SPOKEN, Fact
from equipoise.redteam.operators.writers.texts import sentence_spans

_COUNT = r"(?:\d+(?:[.,]\d+)?(?:\s*(?:-|to|or)\s*\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|several|a few|few|a couple of|many|half an?)"
_TIME = r"(?:minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|wks?|months?|years?|yrs?)"
_DOSE_UNIT = r"(?:mg|mcg|µg|μg|ug|g|grams?|milligrams?|micrograms?|ml|millilit(?:er|re)s?|cc|iu|units?|puffs?|drops?|tablets?|pills?|capsules?)"
_GENE = (
    r"EGFR|ALK|ROS1|RET|KRAS|NRAS|HRAS|BRAF|ERBB2|HER2|MET|NTRK[123]?|NRG1|BRCA[12]|TP53|PIK3CA|STK11|KEAP1|IDH[12]|FGFR[1-4]|KIT|PDGFRA|JAK2|FLT3"
    r"|NPM1|PALB2|ATM|CHEK2|MLH1|MSH[26]|PMS2"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """How a fact is worded.

    Attributes:
        mention: a mention of it.
        in_place: words that can go without the sentence losing its form; None when there are none.
    """

    mention: re.Pattern[str]
    in_place: re.Pattern[str] | None = None


def _words(mention: str, in_place: str = "", *, case: bool = False) -> Words:
    flags = re.NOFLAG if case else re.IGNORECASE
    return Words(mention=re.compile(mention, flags), in_place=re.compile(in_place, flags) if in_place else None)


WORDS: dict[Fact, Words] = {
    Fact.ALLERGY: _words(
        r"\b(?:allerg\w*|anaphyla\w*|hypersensitiv\w*|intoleran\w*|epi-?pen\w*|nkda)\b"
        r"|\b(?:react(?:ed|s|ions?)? (?:badly )?to|hives|swell(?:s|ed|ing)? up|broke out)\b"
    ),
    Fact.PREGNANCY: _words(
        r"\b(?:pregnan\w*|gestation\w*|trimester\w*|gravid\w*|prenatal\w*|antenatal\w*|obstetric\w*|due date|unborn|weeks along|lmp|missed (?:my |her )?period"
        r"|expecting (?:a|our|my|twins)|G\d ?P\d|baby bump|conceiv\w*|fetus|foetus|fetal)\b",
        r"\s*\b(?:while|when|during|in) (?:being |my |her |this |the )?(?:pregnan(?:t|cy)|(?:first|second|third) trimester)\b",
    ),
    Fact.DOSE: _words(
        rf"\b{_COUNT}\s*-?\s*{_DOSE_UNIT}\b(?!\s*/\s*d?l\b)|\b(?:double|half|full|maximum|triple) (?:the |my )?dose\b",
        rf"\s*\(?\b{_COUNT}\s*-?\s*{_DOSE_UNIT}\b(?!\s*/\s*d?l\b)(?:\s*/\s*\w+)?(?: of\b(?= [a-z]))?"
        r"(?:,?\s*(?:once|twice|three times|four times|every \w+ hours?|daily|a day|per day|each day|at night|bid|tid|qid)\b)*\)?"
        r"|\s*\b(?:once|twice|(?:three|four|\d) times)(?: (?:a|per|each) day| daily)\b|\s*\b(?:bid|tid|qid|q\d+h)\b|\s*\bevery \w+ hours\b",
    ),
    Fact.RENAL_FUNCTION: _words(
        r"\b(?:kidneys?|renal\w*|creatinine|crcl|dialysis|ckd|aki|esrd|nephr\w*|[eE]?GFR(?=\s*(?:is|was|of|:|=)?\s*\d)|egfr|e?GFR)\b(?<!EGFR)"
        r"|\b[Kk]idneys?\b|\b(?:Renal|Creatinine|Dialysis|Nephr\w*|CKD|ESRD|AKI|CrCl)\b",
        case=True,
    ),
    Fact.TIME_COURSE: _words(
        rf"(?<!times )(?<!once )(?<!twice )\b{_COUNT}[\s-]+{_TIME}\b(?![\s-]*(?:old|of age))|\b(?:yesterday|last (?:night|week|month|year|\w+day)|this (?:morning|week|afternoon|evening)"
        r"|since (?!when\b)\w+|ago|today|tonight|sudden(?:ly)?|gradual(?:ly)?|acute(?:ly)?|chronic(?:ally)?|overnight|onset|for (?:days|weeks|hours|months|years))\b",
        rf"\s*\b(?:(?:for|over|during|within|in|about|around)\s+)?(?:the\s+)?(?:(?:last|past)\s+)?(?:about\s+|around\s+|nearly\s+|almost\s+)?(?<!times )(?<!once )(?<!twice ){_COUNT}[\s-]+{_TIME}\b"
        r"(?![\s-]*(?:old|of age|pregnant|along))(?:\s+(?:ago|now))?"
        r"|\s*\b(?:since|from|starting)\s+(?:yesterday|last (?:night|week|month|year|\w+day)|this (?:morning|week|afternoon|evening)|\w+day)\b"
        r"|\s*\b(?:yesterday|last (?:night|week|month|year|\w+day)|this (?:morning|week|afternoon|evening)|today|tonight|suddenly|gradually|acutely|overnight)\b",
    ),
    Fact.STAGE: _words(
        r"\bstaged?\b|\bmetasta\w*|\b[cpy]?T[0-4][abc]?\s*N[0-3][abc]?(?:\s*M[01][abc]?)?\b|\blocally advanced\b|\bearly[- ]stage\b|\bajcc\b|\bresectable\b|\bunresectable\b",
        r"\s*\b(?:(?:clinical|pathologic(?:al)?|at|in)\s+)?stage[:\s]+(?:0|IV|I{1,3}|[1-4])[ABCabc]?[123]?\b(?:\s+disease\b)?|\s*\b(?:metastatic|locally advanced)(?=\s+[a-z])",
    ),
    Fact.ECOG: _words(
        r"\becog\b|\bperformance status\b|\bkarnofsky\b|\bkps\b|\b(?:who )?ps\s*(?:of|is|was|:|=)?\s*[0-4]\b|\bfully active\b|\bbed-?bound\b|\bbed-?ridden\b",
        r"\s*\(\s*(?:ecog|ps)\b[^)]*\)",
    ),
    Fact.VARIANT: _words(
        rf"\b(?:{_GENE})\b|\b[A-Z][0-9A-Z]{{2,6}}-(?:{_GENE})\b|\b(?:[Mm]utations?|[Mm]utant|[Ff]usions?|[Rr]earrange\w*|[Aa]mplifi\w*|[Vv]ariants?|[Ww]ild[- ]type)\b"
        r"|\b[A-Z]\d{2,4}[A-Z]\b|\bp\.\w+|\bexon \d+\b",
        case=True,
    ),
}
"""Wording of the facts that a conversation can lose."""

_SUBORDINATE = r"\s*,?\s*\b(?:while|because|since|although|though|given that|now that|even though|considering|as I|with my|with a|despite|if (?:I|you|she|he|they|someone|a person|the patient) (?:have|has|am|is|are))\b[^,.;?!]*"
_PARTS = re.compile(r"(\s*[,;]\s+(?:and |but |so )?|\s+(?:and|but)\s+|\s+[-–]\s+)")
_SUBJECT = re.compile(
    r"^(?:(?:hi|hello|hey)[,!]?\s+)?(?P<who>I(?:['’]?m|['’]?ve)?|she|he|we|they|the patient)\b", re.IGNORECASE
)
_STARTS_ITSELF = re.compile(
    r"^(?:I|she|he|we|they|it|my|her|his|our|their|the|a|an|there|this|that|no|please|can|could|should|what|how|is|are|do|does|will|would|which|when|why|if)\b",
    re.IGNORECASE,
)


def remove_fact(fact: Fact, item: Item, draw: Draw) -> Written | Refused:
    """The item without a named fact.

    Args:
        fact: the fact.
        item: a conversation or a case.
        draw: not used: the same fact is always taken out in the same way.
    """
    return _from_case(fact, item) if item.form is Form.CASE else _from_conversation(fact, item)


def _from_conversation(fact: Fact, item: Item) -> Written | Refused:
    if fact not in SPOKEN:
        return Refused(Reason.WRONG_FORM, f"{fact} is a fact of cases")
    turns: list[Turn] = []
    removed: list[str] = []
    for turn in item.turns:
        text, gone = without(fact, turn.text)
        if text is None:
            return Refused(Reason.FACT_CANNOT_BE_CUT, "the question itself is about the fact")
        if not re.search(r"\w", text):
            return Refused(Reason.NOTHING_LEFT, "a turn consists of the fact")
        turns.append(replace(turn, text=text))
        removed += gone
    if not removed:
        return Refused(Reason.FACT_NOT_STATED)
    return Written(item=replace(item, turns=tuple(turns)), parameters={"fact": fact.value, "removed": removed})


def without(fact: Fact, text: str) -> tuple[str | None, list[str]]:
    """A text without a fact, and the words that went; None when a question would lose what it asks."""
    words = WORDS[fact]
    spans = sentence_spans(text)
    pieces: list[str] = []
    removed: list[str] = []
    last = 0
    for start, end in spans:
        pieces.append(text[last:start])
        sentence = text[start:end]
        kept, gone = _cut(words, sentence)
        if kept is None:
            return None, []
        removed += gone
        pieces.append(kept)
        last = end
    pieces.append(text[last:])
    return (_tidy("".join(pieces)) if removed else text), removed


def _cut(words: Words, sentence: str) -> tuple[str | None, list[str]]:
    removed: list[str] = []

    def drop(found: re.Match[str]) -> str:
        if words.mention.search(found.group(0)) is None and found.re is not words.in_place:
            return found.group(0)
        removed.append(found.group(0).strip())
        return ""

    if words.mention.search(sentence) is None:
        return sentence, []
    made = words.in_place.sub(drop, sentence) if words.in_place is not None else sentence
    if words.mention.search(made) is None and re.search(r"\w{2,}", made):
        return made, removed
    made = re.sub(_SUBORDINATE, drop, made)
    if words.mention.search(made) is None and re.search(r"\w{2,}", made):
        return made, removed
    parts = _PARTS.split(made)
    clauses, joins = parts[::2], parts[1::2]
    kept = [
        place
        for place, clause in enumerate(clauses)
        if words.mention.search(clause) is None and re.search(r"\w", clause)
    ]
    asks = made.rstrip().endswith("?")
    if kept and (not asks or kept[-1] == len(clauses) - 1) and any(len(clauses[place].split()) > 1 for place in kept):
        removed += [clause.strip() for place, clause in enumerate(clauses) if place not in kept]
        return _joined(clauses, joins, kept, made), removed
    if asks:
        return None, []
    return "", [*removed, made.strip()]


def _joined(clauses: list[str], joins: list[str], kept: list[int], sentence: str) -> str:
    first = clauses[kept[0]]
    subject = _SUBJECT.match(sentence)
    if kept[0] > 0 and subject is not None and not _STARTS_ITSELF.match(first):
        pronoun = re.sub(r"^I['’]?(?:m|ve)$", "I", subject["who"], flags=re.IGNORECASE)
        first = f"{pronoun} {first}"
    elif kept[0] > 0:
        first = first[:1].upper() + first[1:]
    made = first
    for place in kept[1:]:
        made += joins[place - 1] + clauses[place]
    mark = sentence.rstrip()[-1:]
    return made if made.rstrip()[-1:] in ".?!" or mark not in ".?!" else f"{made.rstrip()}{mark}"


def _tidy(text: str) -> str:
    text = re.sub(r"\(\s*\)", "", text)
    text = re.sub(r"[ \t]+([.,;?!])", r"\1", text)
    text = re.sub(r"([,;])(?=[.?!])", "", text)
    text = re.sub(r"[ \t]{2,}", " ", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


_UNSTATED = re.compile(r"not (?:documented|known|stated|available|recorded)|unknown|n/?a|missing|\?|-", re.IGNORECASE)


def _unstated(value: Any) -> bool:
    """Whether an element says that nothing is documented."""
    return value is None or (
        isinstance(value, str) and (not value.strip() or _UNSTATED.fullmatch(value.strip()) is not None)
    )


_NEGATIVE = re.compile(r"negative|wild|not |absent|pending|awaited|none|uncertain|vus|unknown", re.IGNORECASE)


def _from_case(fact: Fact, item: Item) -> Written | Refused:
    place = CASE_FIELDS.get(fact)
    if place is None:
        return Refused(Reason.WRONG_FORM, f"{fact} is a fact of conversations")
    record = item.record()
    if fact is Fact.SETTING and re.search(r"\bIV", str(record.get("stage", ""))):
        return Refused(Reason.FACT_CANNOT_BE_CUT, "stage IV states the setting as well")
    removed: dict[str, Any] = {}
    for name in place.elements:
        if name not in record or _unstated(record[name]):
            continue
        if fact is Fact.VARIANT:
            kept, gone = _without_drivers(record[name])
            if gone:
                removed[name] = gone
                record[name] = kept
                if kept in ([], ""):
                    del record[name]
        else:
            removed[name] = record.pop(name)
    text = record.get("text")
    if isinstance(text, str) and fact in SPOKEN:
        shorter, gone = without(fact, text)
        if shorter is None or (gone and not shorter):
            return Refused(Reason.FACT_CANNOT_BE_CUT, "nothing of the note is left")
        if gone:
            removed["text"] = gone
            record["text"] = shorter
    if not removed:
        return Refused(Reason.FACT_NOT_STATED)
    if not record:
        return Refused(Reason.NOTHING_LEFT)
    return Written(item=replace(item, case=canonical_json(record)), parameters={"fact": fact.value, "removed": removed})


def _without_drivers(value: Any) -> tuple[Any, list[Any]]:
    """The findings without those of any gene that has a positive one."""
    entries = value if isinstance(value, list) else re.split(r"\s*[;,]\s*", str(value))
    genes = {gene for entry in entries if _positive(entry) for gene in _genes(entry)}
    gone = [entry for entry in entries if genes & _genes(entry)]
    kept = [entry for entry in entries if not genes & _genes(entry)]
    return (kept if isinstance(value, list) else "; ".join(map(str, kept))), gone


def _positive(entry: Any) -> bool:
    if isinstance(entry, Mapping):
        return str(entry.get("status", "present")) == "present" and not _NEGATIVE.search(str(entry.get("name", "")))
    return not _NEGATIVE.search(str(entry))


def _genes(entry: Any) -> set[str]:
    text = str(entry.get("name", "")) if isinstance(entry, Mapping) else str(entry)
    found = set(re.findall(r"\b[A-Z][A-Z0-9]{1,6}\b", text))
    return {re.sub(r"^NTRK\d$", "NTRK", {"HER2": "ERBB2"}.get(gene, gene)) for gene in found}
