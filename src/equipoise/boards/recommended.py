"""Which systemic treatments a board recommends by what it says, and which it only names.

Rules over words. A sentence is read from left to right; a cue of proposal, of rejection, of history, of a report or of somebody else's
wish holds until another cue, a semicolon or "but". What is named without such a cue counts as recommended: an audit too many costs a
line, one too few hides a treatment. A condition ("if T790M is found") and a later line are recommendations too. In a conclusion only
history and rejection keep a drug from the audit. The turns that grade the rules were written first
(`tests/boards/agents/recommendations.yaml`, `tests/boards/recommended_exam`). What is named and not taken for a
recommendation is handed on with the reason, so that nobody takes silence for approval.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from equipoise.boards.dose_text import JOINED, after_dose, without_asides
from equipoise.boards.heard_names import heard_names
from equipoise.boards.recommendation_cues import (
    AFTER_NO,
    AFTER_OTHERS,
    AFTER_PAST,
    AFTER_YES,
    ALL_HAD,
    ASKING,
    BREAK,
    CHOSEN,
    CLAUSE_END,
    COUNTERFACT,
    CUES,
    EITHER,
    IN_PLACE,
    IT_IS,
    LESS,
    ON_TOP,
    OPTION,
    OPTIONS,
    OR,
    OWN_CLAUSE,
    OWN_VERB,
    REPORT,
    SAID_LATER,
    SEPARATE,
    SETTING,
    SUBJECT,
    SWAP_TO,
    SWAPPED,
    TAKEN_BACK,
    TAKEN_UP,
    THEN,
    TURNS,
    WHICH,
    WITHHELD,
    Mode,
)
from equipoise.boards.spoken_regimens import ENDINGS, SPOKEN
from equipoise.boards.turn_layout import Piece, Stance, pieces
from equipoise.cases.vocabulary.drugs import classes_of, lexicon
from equipoise.cases.vocabulary.tokens import fold

VERSION = "recommended-4"


class Kind(StrEnum):
    """What a text is: a spoken turn, the line of a proposal, or a conclusion."""

    TURN = "turn"
    PROPOSAL = "proposal"
    CONCLUSION = "conclusion"


class Why(StrEnum):
    """Why a drug that is named was not taken for a recommendation."""

    HISTORY = "history"
    REJECTED = "rejected"
    QUESTION = "question"
    NOT_RECOGNISED = "not recognised as recommended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommended:
    """A regimen that a text recommends.

    Attributes:
        components: generic names, groups, and names the vocabulary does not know, sorted.
        text: the regimen as it is put to the auditor, with a word of setting where one stands before it.
        sentence: the sentence it was found in.
    """

    components: tuple[str, ...]
    text: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Drugs that a text names without recommending them, as far as the rules see.

    Attributes:
        components: as in `Recommended`.
        why: the reason.
        sentence: the sentence they stand in.
    """

    components: tuple[str, ...]
    why: Why
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """What was heard in a text.

    Attributes:
        recommended: regimens, each once, in order.
        named: drugs named besides, without those that are recommended in the same text.
    """

    recommended: tuple[Recommended, ...]
    named: tuple[Named, ...]


@dataclass(slots=True)
class _Mention:
    start: int
    end: int
    names: tuple[str, ...]


_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?")
_UNKNOWN = re.compile(rf"\b[a-z]{{3,}}(?:{ENDINGS})\b")
_CODE = re.compile(r"\b(?!NCT|PMID|CA-|HPV|ICD|COVID)[A-Z]{2,5}-[0-9]{3,}\b")
_INDEX = re.compile(
    r"ipi\b(?!.*\bmg\b)\s*(?:score\b|of\b|[:=<>]|(?:is|was)\s+(?:\d|zero|one|two|three|four|five)\b|\d\b)"
)
"""The international prognostic index of lymphoma; in a sentence with nivolumab or a dose it is ipilimumab."""


def recommended_in(text: str, kind: Kind) -> tuple[Recommended, ...]:
    """The regimens a text recommends, in order, each once.

    Args:
        text: a turn without its line of proposal, that line, or a conclusion.
        kind: which of them it is.
    """
    return hear(text, kind).recommended


@lru_cache(maxsize=4096)
def hear(text: str, kind: Kind) -> Hearing:
    """What a text recommends, and what it only names.

    Args:
        text: a turn without its line of proposal, that line, or a conclusion.
        kind: which of them it is.
    """
    found: dict[tuple[str, ...], Recommended] = {}
    named: dict[tuple[tuple[str, ...], Why], Named] = {}
    before: list[_Heard] = []
    low = fold(text)
    turn = _Turn(kind=kind, withheld=WITHHELD.search(low) is not None, chosen=CHOSEN.search(low))
    for piece in pieces(text, names_only=_names_only, names=_names):
        sentence = fold(piece.text)
        heard = list(_in_piece(piece, turn))
        if piece.last and heard:
            for one in turn.heard:
                one.why = one.why or Why.NOT_RECOGNISED
        if taken_up := TAKEN_UP.search(sentence):
            back = [one for one in heard if one.start < taken_up.start()] or [
                one for one in before if one.why is not Why.REJECTED
            ]
            for one in back:
                one.why = None
        if not heard and ALL_HAD.search(sentence):
            for one in before:
                one.why = Why.HISTORY
        turn.counterfact = COUNTERFACT.match(sentence) is not None
        turn.heard += heard
        before = heard or before
    _settle(turn.heard)
    for one in turn.heard:
        if one.why is None:
            found.setdefault(one.item.components, one.item)
        else:
            item = Named(components=one.item.components, why=one.why, sentence=one.item.sentence)
            named.setdefault((item.components, item.why), item)
    known = {name for item in found.values() for name in item.components}
    return Hearing(recommended=tuple(found.values()), named=_without(known, named.values()))


@dataclass(slots=True)
class _Heard:
    """A regimen of a sentence; `why` is None when it is recommended."""

    start: int
    item: Recommended
    why: Why | None
    less: bool = False


@dataclass(slots=True, kw_only=True)
class _Turn:
    """What holds for all sentences of a text.

    Attributes:
        kind: what the text is.
        withheld: it says that it recommends nothing systemic, or nothing yet.
        chosen: the option it chooses by letter or number.
        counterfact: the sentence before supposes what is not so.
        heard: the regimens so far.
    """

    kind: Kind
    withheld: bool
    chosen: re.Match[str] | None
    counterfact: bool = False
    heard: list[_Heard] = field(default_factory=list)


_STANCES = {
    Stance.PROPOSED: Mode.PROPOSED, Stance.REJECTED: Mode.REJECTED, Stance.PAST: Mode.PAST, Stance.REPORTED: Mode.REPORTED,
}  # fmt: skip
_FIXED = {
    Stance.PROPOSED: None, Stance.REJECTED: Why.REJECTED, Stance.PAST: Why.HISTORY, Stance.REPORTED: Why.NOT_RECOGNISED,
}  # fmt: skip


def _settle(heard: list[_Heard]) -> None:
    """A dose that is reduced is no regimen of its own where the drug stands in another one."""
    full = {name for one in heard if one.why is None and not one.less for name in one.item.components}
    for one in heard:
        if one.why is None and one.less and full >= set(one.item.components):
            one.why = Why.NOT_RECOGNISED


def _names(words: str) -> bool:
    """Whether some words name a drug, not only a group such as chemotherapy."""
    known = lexicon().drugs
    return any(
        name not in known or known[name].kind == "drug"
        for found in _mentions(fold(words), words)
        for name in found.names
    )


def _names_only(words: str) -> bool:
    """Whether some words are nothing but drugs, their doses and what joins them."""
    low = fold(words)
    found = _mentions(low, words)
    if not _names(words) or low[: found[0].start].strip(" ("):
        return False
    place = found[0].end
    for one in found[1:]:
        if not (JOINED.fullmatch(low[place : one.start]) or OR.fullmatch(low[place : one.start])):
            return False
        place = one.end
    return not after_dose(low[place:]).strip(" ).,")


def _in_piece(piece: Piece, turn: _Turn) -> Iterator[_Heard]:
    sentence, kind = piece.text, turn.kind
    low = fold(sentence)
    mentions = _mentions(low, sentence)
    if not mentions:
        return
    low = without_asides(low, [(one.start, one.end) for one in mentions])
    start = Mode.NONE if kind is Kind.TURN else Mode.PROPOSED
    if piece.stance is not None:
        start = _STANCES[piece.stance]
    if turn.counterfact and THEN.match(low):
        start = Mode.OTHERS
    shown = " ".join(
        (f"{piece.label}: {sentence}" if piece.label and not piece.fixed else f"{sentence} {piece.label}").split()
    )
    asked = sentence.rstrip(" ]\"')").endswith("?") or ASKING.match(low) is not None
    reported = REPORT.search(low) is not None
    regimens = _regimens(low, mentions, start, options=OPTIONS.search(f"{fold(piece.label)}: {low}") is not None)
    ends = [one[0].start for one in regimens[1:]] + [len(low)]
    held: _Heard | None = None
    for (first, parts, state), end in zip(regimens, ends, strict=True):
        rest = low[parts[-1].end :]
        clause = CLAUSE_END.split(WHICH.sub(" which ", after_dose(rest)), maxsplit=1)[0]
        names = tuple(sorted({name for part in parts for name in part.names}))
        setting = SETTING.search(low[: first.start])
        text = " + ".join(names)
        if piece.fixed and piece.stance is not None:
            why = _FIXED[piece.stance]
        elif parts[-1] is mentions[-1] and TAKEN_BACK.match(rest):
            why = Why.REJECTED
        elif (option := _option(low[: first.start], turn)) is not None:
            why = None if option else Why.NOT_RECOGNISED
        else:
            why = _why(state, clause, low[parts[-1].end : end].partition(";")[0], kind, asked=asked, reported=reported)
            if why is None and kind is Kind.TURN and state is Mode.NONE and turn.withheld:
                why = Why.NOT_RECOGNISED
        if held is not None and why is None and held.why is None and ON_TOP.match(rest):
            names = tuple(sorted({*held.item.components, *names}))
            text = " + ".join(names)
        held = _Heard(
            start=first.start,
            item=Recommended(components=names, text=f"{setting[1]} {text}" if setting else text, sentence=shown),
            why=why,
            less=LESS.match(rest) is not None,
        )
        yield held


def _option(head: str, turn: _Turn) -> bool | None:
    """Whether the option named last before a drug is the one chosen; None where the text chooses none or names none."""
    if turn.chosen is None:
        return None
    found = list(OPTION.finditer(head))
    return found[-1][1] == turn.chosen[1] if found else None


def _regimens(
    low: str, mentions: list[_Mention], start: Mode, *, options: bool
) -> list[tuple[_Mention, list[_Mention], Mode]]:
    """The mentions as regimens, each with the mode of the words before it."""
    mode, decided, place = start, False, 0
    found: list[tuple[_Mention, list[_Mention], Mode]] = []
    swapped = series = False
    for mention in mentions:
        gap, rest = low[place : mention.start], low[mention.end :]
        joined = bool(found) and found[-1][1][-1].end == place
        turned = mode is Mode.PAST or (mode is Mode.REJECTED and IN_PLACE.match(low) is not None)
        apart = options or (bool(found) and EITHER.match(rest) is not None)
        listed = (
            "then" not in gap
            and not (apart and SEPARATE.fullmatch(gap))
            and not (turned and gap.strip() == ",")
            and not (gap.strip() == "," and IT_IS.match(rest))
            and not (not series and OWN_CLAUSE.fullmatch(gap) and OWN_VERB.match(rest))
        )
        if joined and swapped and SWAP_TO.fullmatch(gap):
            mode, decided, swapped = Mode.PROPOSED, True, False
            found.append((mention, [mention], mode))
        elif joined and listed and JOINED.fullmatch(gap):
            found[-1][1].append(mention)
            series = series or "," in gap
        else:
            series = False
            if not (joined and OR.fullmatch(gap)):
                mode, decided = _walk(low[:place], gap, mode, start, decided)
                swapped = mode is Mode.REJECTED and SWAPPED.search(gap) is not None
            found.append((mention, [mention], mode))
        place = mention.end
    return found


def _walk(head: str, gap: str, mode: Mode, start: Mode, decided: bool) -> tuple[Mode, bool]:
    """The mode after the words between two mentions."""
    events: list[tuple[int, Mode | None, str]] = [(one.start(), None, one[0]) for one in BREAK.finditer(gap)]
    taken: list[tuple[int, int]] = []
    for kind, pattern in CUES:
        for one in pattern.finditer(gap):
            if head and one.start() == 0 and pattern.pattern.startswith("^"):
                continue
            if any(low < one.end() and one.start() < high for low, high in taken):
                continue
            taken.append((one.start(), one.end()))
            events.append((one.start(), kind, one[0]))
    broken = bool(head) or mode not in (Mode.REJECTED, Mode.WEIGHED)
    for _, kind_, words in sorted(events, key=lambda item: item[0]):
        if kind_ is None:
            if words in TURNS:
                mode = Mode.PROPOSED if decided and words != ";" else start
            elif words in (",", "and") and mode in (Mode.PAST, Mode.REJECTED, Mode.WEIGHED):
                mode = Mode.PROPOSED if decided else start
            broken = True
            continue
        if kind_ is Mode.PROPOSED:
            decided = True
            if mode is Mode.OTHERS:
                continue
            if mode in (Mode.REJECTED, Mode.WEIGHED) and not broken and not SUBJECT.match(words):
                continue
            mode = kind_
        elif mode is not Mode.OTHERS:
            mode = kind_
        broken = False
    return mode, decided


def _why(mode: Mode, clause: str, rest: str, kind: Kind, *, asked: bool, reported: bool) -> Why | None:
    """Why a regimen in that mode is not recommended, given the words after it; None when it is."""
    if asked and kind is not Kind.CONCLUSION:
        return Why.QUESTION
    if mode is Mode.REJECTED or AFTER_NO.match(clause):
        return Why.REJECTED
    if mode is Mode.PAST or AFTER_PAST.match(clause):
        return Why.HISTORY
    if kind is Kind.CONCLUSION:
        return None
    if SAID_LATER.search(rest):
        return None
    if mode in (Mode.OTHERS, Mode.REPORTED, Mode.WEIGHED) or AFTER_OTHERS.match(clause):
        return Why.NOT_RECOGNISED
    if mode is Mode.NONE and reported and not AFTER_YES.match(clause) and not EITHER.match(rest):
        return Why.NOT_RECOGNISED
    return None


_SHORTEST_SPLIT = 9


def _split_name(low: str, tokens: list[re.Match[str]], place: int) -> tuple[_Mention, int] | None:
    """A name that speech recognition wrote as two or three words ("car bo platin"), and how many words it takes."""
    for size in (2, 3):
        part = tokens[place : place + size]
        joined = "".join(one[0] for one in part)
        if (
            len(part) < size
            or len(joined) < _SHORTEST_SPLIT
            or low[part[0].start() : part[-1].end()].replace(" ", "") != joined
        ):
            continue
        span = part[0].start(), part[-1].end()
        if found := heard_names().match([joined], 0):
            return _Mention(*span, found[0]), size
        if (known := lexicon().table.match([joined], 0)) and known[0].role == "component":
            return _Mention(*span, tuple(known[0].components)), size
    return None


def _mentions(low: str, sentence: str) -> list[_Mention]:
    """Systemic treatments named in a sentence, known and unknown, in order."""
    known, listed = lexicon(), heard_names()
    found: list[_Mention] = []
    tokens = list(_WORD.finditer(low))
    words = [one[0] for one in tokens]
    place = 0
    while place < len(words):
        match, more = known.table.match(words, place), listed.match(words, place)
        size = max(0 if match is None else match[1], 0 if more is None else more[1])
        if size <= 1 and (split := _split_name(low, tokens, place)):
            found.append(split[0])
            place += split[1]
            continue
        if not size:
            place += 1
            continue
        start, end = tokens[place].start(), tokens[place + size - 1].end()
        place += size
        if "nivo" not in low and _INDEX.match(low, start):
            continue
        if more is not None and more[1] == size:
            found.append(_Mention(start, end, more[0]))
        elif (
            match is not None and match[0].role == "component" and any(classes_of(name) for name in match[0].components)
        ):
            found.append(_Mention(start, end, tuple(match[0].components)))
    for pattern, names in SPOKEN:
        for one in pattern.finditer(sentence if len(sentence) == len(low) else low):
            found = [old for old in found if old.end <= one.start() or one.end() <= old.start]
            found.append(_Mention(one.start(), one.end(), names))
    taken = [(one.start, one.end) for one in found]
    codes = _CODE.finditer(sentence) if len(sentence) == len(low) else iter(())
    for one in (*_UNKNOWN.finditer(low), *codes):
        if one[0].casefold() in _ORDINARY or any(a < one.end() and one.start() < b for a, b in taken):
            continue
        found.append(_Mention(one.start(), one.end(), (one[0].casefold(),)))
    return sorted(found, key=lambda item: item.start)


_ORDINARY = frozenset(
    {
        "hemostat", "thermostat", "prostat", "cryostat", "progesterone", "testosterone", "dihydrotestosterone", "aldosterone",
        "tacrolimus", "pimecrolimus", "emtricitabine", "trilaciclib", "febuxostat", "orlistat", "cobicistat", "propylthiouracil",
        "fingolimod", "ozanimod", "siponimod", "tocilizumab", "infliximab", "vedolizumab", "adalimumab", "eculizumab", "ravulizumab",
        "omalizumab", "dupilumab", "natalizumab", "ocrelizumab", "romosozumab", "palivizumab", "tofacitinib", "baricitinib", "upadacitinib",
    }
)  # fmt: skip
"""Words with such an end that are hormones, other words, or drugs that treat no tumor."""


def hear_turn(words: str, proposal: str) -> Hearing:
    """What a turn recommends or names in its words and in its line of proposal, each regimen once.

    Args:
        words: the words without that line.
        proposal: the line; empty without.
    """
    parts = (hear(proposal, Kind.PROPOSAL), hear(words, Kind.TURN))
    found: dict[tuple[str, ...], Recommended] = {}
    for item in (*parts[0].recommended, *parts[1].recommended):
        found.setdefault(item.components, item)
    known = {name for components in found for name in components}
    return Hearing(recommended=tuple(found.values()), named=_without(known, [*parts[0].named, *parts[1].named]))


def _without(known: set[str], named: Iterable[Named]) -> tuple[Named, ...]:
    """What is named, without the drugs that are known otherwise."""
    return tuple(
        Named(components=left, why=item.why, sentence=item.sentence)
        for item in named
        if (left := tuple(name for name in item.components if name not in known))
    )
