"""What people say of treatment when they talk to each other: doses in words, short names, and whether it is ruled out.

A conclusion is read strictly and the discussion generously: a kind of treatment counts as named when a specialist says in a few words
that it will be done ("I'll take it out"), a dose when it is said in words ("sixty in thirty").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from equipoise.boards.measures.treatments import OWN_FIELDS, Field, doses_in, drugs_in, plain, words_of
from equipoise.boards.model import Turn
from equipoise.boards.spoken_regimens import SPOKEN

_UNITS = {word: n for n, word in enumerate("one two three four five six seven eight nine".split(), start=1)}
_TEENS = {
    word: n
    for n, word in enumerate(
        "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(), start=10
    )
}
_TENS = {
    word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_NUMBER = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<unit>{'|'.join(_UNITS)}))?"
    rf"|(?P<teen>{'|'.join(_TEENS)})|(?P<one>{'|'.join(_UNITS)}))\b"
)
_SCHEDULE = re.compile(
    r"\b(?P<dose>\d+(?:\.\d+)?)(?: gy| gray)? ?(?P<link>in|over|by|x|times|/|×) ?(?P<count>\d+)\b"
    r"(?! ?(?:%|percent|days?|weeks?|months?|years?|patients?|cases?|people|women|men|mm|cm))"
)
_DECIMAL = re.compile(r"\b(\d\d)(?: point | )(\d)\b")
_GRAY = re.compile(r"\b(\d+(?:\.\d+)?) (?:gy|gray)\b")

_SHORT: Mapping[Field, re.Pattern[str]] = {
    Field.SURGERY: re.compile(
        r"\b(?:(?:tak(?:e|es|en|ing)|took|cut(?:s|ting)?|get|have|com(?:e|es|ing)|whip\w*) (?:\w+ ){0,2}out|wedge\w*|lobes?|lobar|"
        r"sleeve|whipple|tme|tatme|apr|lar|vats|rats|wide (?:local )?ex\w*|wle|go(?:ing)? in|open (?:him|her) up|debulk\w*|knife|"
        r"theat(?:re|er)|flaps?|grafts?|shave|surgical\w*|decompress\w*|window|clear the (?:neck|axilla)|hipec|turbt?|turp|rplnd|slnb|"
        r"sentinels?|commando|fibula|amputat\w*|re-?do|re-?resect\w*|re-?excis\w*|segmental|stoma|hartmann\w*|"
        r"(?<!autologous )(?<!allogeneic )(?<!stem cell )(?<!marrow )transplant\w*|"
        r"\w{2,}plast(?:y|ies)|\w{3,}otom(?:y|ies)|\w{3,}ectom(?:y|ies|ise|ize)\w*)\b"
    ),
    Field.RADIATION: re.compile(
        r"\b(?:chemo-?rads?|rads|rt|xrt|ebrt|port|pci|wbrt|crt|srs|srt|imrt|vmat|protons?|carbon ions?|brachy\w*|whole[- ]brain|boost\w*|"
        r"beams?|sim (?:him|her|them)|stereotactic\w*|gamma knife|cyberknife|hypofrac\w*|short[- ]course|long[- ]course|papillon|radiat\w+|"
        r"treat\w* the (?:\w+ ){0,2}(?:nodes?|bed|primary|breast|chest wall|pelvis|groins?|neck|cavity|brain|spine))\b"
    ),
    Field.SYSTEMIC: re.compile(
        r"\b(?:chemo-?rads?|crt|hormones|adt|infusions?|drips?|systemic\w*|io|tki|immuno|targeted|cdk\w*|ai|pills?|tablets?|cycles?)\b"
    ),
}
_ACTS = re.compile(
    r"\bi(?:'d|'ll| would| will| can| could| want to|'m going to| am going to) (?!not\b|never\b|rather\b)\w+"
)
_AFFIRMS = re.compile(r"\b(?:mine|i've got (?:him|her|it)|gets it)\b")

CROSS = re.compile(r"\bCROSS\b")
"""Chemoradiation before esophagectomy: 41.4 Gy with weekly carboplatin and paclitaxel (doi:10.1186/1471-2482-8-21)."""
_CROSS_DRUGS, _CROSS_DOSE = frozenset({"carboplatin", "paclitaxel"}), "41.4 gy"
_CALLED: Mapping[str, str] = {
    r"\b(?:prrt|peptide receptor)\b": "lutetium Lu 177 dotatate",
    r"\btem\b": "temozolomide",
}

_CLAUSE = re.compile(r"(?:(?<=[.!?;:])|,)\s+|\n+|\s+(?=(?:but|then|and then|otherwise|unless)\b)")
_NOT_AGAINST = re.compile(
    r"\bnot (?:only|against|unreasonable|opposed)\b|\bno (?:objections?|doubt|problem|longer|response|issue|evidence|progression)\b"
    r"|\bdo(?:es)?(?: not|n't) (?:disagree|object|oppose|mind)\b"
)
_BEFORE = re.compile(
    r"(?:\b(?:no|not|without|never|nor|neither|avoid\w*|omit\w*|skip\w*|forgo\w*|against|stop\w*|cannot|withh[eo]ld\w*"
    r"|leav(?:e|es|ing) out|left out|instead of|rather than|defer\w*)\b|n't\b)(?:\W+\w+){0,5}\W*$"
)
_AFTER = re.compile(
    r"^\W*(?:\w+ ){0,3}?(?:(?:is|are|was|be|stays?|has|have|does|do)(?: \w+)? (?:not|no|un\w+|omitted|stopped|withheld|"
    r"avoided|deferred|discontinued|off|out|nothing)|(?:doesn't|don't|isn't|aren't|won't|can't))\b"
)


_UNITS_OF_DOSE = frozenset({"gy", "gray", "fractions"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A treatment in a clause, and whether the clause rules it out."""

    word: str
    field: Field
    ruled_out: bool


def in_digits(text: str) -> str:
    """Lower case, spelled numbers below a hundred in digits, "forty-one four" and "fifty point four" as decimals."""
    digits = _NUMBER.sub(_digits, text.casefold())
    return _DECIMAL.sub(lambda match: f"{match[0]} {match[1]}.{match[2]}", digits)


def _digits(match: re.Match[str]) -> str:
    if match["tens"]:
        return str(_TENS[match["tens"]] + _UNITS.get(match["unit"] or "", 0))
    return str(_TEENS.get(match["teen"] or "", 0) or _UNITS[match["one"]])


def schedules_in(text: str) -> tuple[tuple[float, int], ...]:
    """Dose and number of fractions as people say them: "60 in 30", "five by five"; the dose is at least 5 and 1 to 45 fractions."""
    found = []
    for match in _SCHEDULE.finditer(in_digits(text)):
        dose, count = float(match["dose"]), int(match["count"])
        if 5 <= dose <= 90 and 1 <= count <= 45 and (count <= dose or match["link"] != "in"):
            found.append((dose, count))
    return tuple(found)


def doses_said(text: str) -> frozenset[str]:
    """Every number that may be a dose in gray, in the form of `doses_in`."""
    found = {f"{float(match[1]):g} gy" for match in _GRAY.finditer(in_digits(text))}
    for dose, count in schedules_in(text):
        found |= {f"{dose:g} gy"} | ({f"{dose * count:g} gy"} if dose * count <= 90 else set())
    found |= {
        f"{float(f'{match[1]}.{match[2]}'):g} gy" for match in _DECIMAL.finditer(_NUMBER.sub(_digits, text.casefold()))
    }
    return doses_in(text) | found | ({_CROSS_DOSE} if CROSS.search(text) else set())


def drugs_said(text: str) -> frozenset[str]:
    """Drugs a discussion names, also by the name of the treatment."""
    named = {drug for pattern, drug in _CALLED.items() if re.search(pattern, text.casefold())}
    named |= {drug for pattern, drugs in SPOKEN if pattern.search(text) for drug in drugs}
    return drugs_in(text) | named | (_CROSS_DRUGS if CROSS.search(text) else frozenset())


def drugs_not_said(conclusion: str, said: str) -> frozenset[str]:
    """Drugs of a conclusion that a discussion does not name, by no spelling and by no first four letters or more."""
    tokens = set(re.findall(r"[a-z]{4,}", said.casefold()))
    missing = drugs_in(conclusion) - drugs_said(said)
    return frozenset(name for name in missing if not any(name.casefold().startswith(token) for token in tokens))


def kinds_said(turns: Iterable[Turn]) -> frozenset[Field]:
    """Kinds of treatment that somebody named, in short words too, or that their specialist says they will do.

    What is only ruled out is not named.
    """
    found: set[Field] = set()
    for turn in turns:
        for clause in clauses(turn.text):
            found |= {item.field for item in mentions(clause) if not item.ruled_out}
            lowered = plain(clause)
            for field, pattern in _SHORT.items():
                found |= {
                    field for match in pattern.finditer(lowered) if not ruled_out(lowered, match.start(), match.end())
                }
            own = OWN_FIELDS.get(turn.role, frozenset())
            if len(own) == 1 and (_ACTS.search(lowered) or _AFFIRMS.search(lowered)):
                found |= own
        if schedules_in(turn.text):
            found.add(Field.RADIATION)
        if CROSS.search(turn.text):
            found.add(Field.RADIATION)
        if any(drug not in drugs_in(turn.text) for drug in drugs_said(turn.text)):
            found.add(Field.SYSTEMIC)
    return frozenset(found)


def clauses(text: str) -> list[str]:
    """Parts of a text that one negation can cover."""
    return [part for part in _CLAUSE.split(text) if part and part.strip()]


def ruled_out(lowered: str, start: int, end: int) -> bool:
    """Whether the words around a place of a clause rule out what stands there."""
    before = _NOT_AGAINST.sub(lambda match: "_" * len(match[0]), lowered)[:start]
    return bool(_BEFORE.search(before) or _AFTER.match(lowered[end:]))


@lru_cache(maxsize=4096)
def mentions(clause: str) -> tuple[Mention, ...]:
    """Drugs and words for treatment of one clause."""
    lowered = plain(clause)
    found = [
        Mention(word=word, field=field, ruled_out=ruled_out(lowered, start, end))
        for start, end, word, field in words_of(clause)
        if word not in _UNITS_OF_DOSE
    ]
    return tuple(dict.fromkeys(found))


def kinds_in(conclusion: str) -> frozenset[Field]:
    """Kinds of treatment a conclusion asks for: what it rules out is not asked for."""
    return frozenset(item.field for clause in clauses(conclusion) for item in mentions(clause) if not item.ruled_out)


def standing(texts: Sequence[str]) -> dict[str, bool]:
    """For each treatment word, whether any statement lets it stand (True) or all rule it out (False); questions count for nothing."""
    found: dict[str, bool] = {}
    for text in texts:
        for clause in clauses(text):
            if clause.rstrip().endswith("?"):
                continue
            for item in mentions(clause):
                found[item.word] = found.get(item.word, False) or not item.ruled_out
    return found
