"""Gathers what a decision rests on: the sentences of a reply, what each does, what the prompt needs, fields that are withheld."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.detector.acts import Act, acts
from equipoise.refusal.detector.asked import Asked, asked
from equipoise.refusal.detector.fold import lowered, plain
from equipoise.refusal.detector.form import Form, form
from equipoise.refusal.detector.held import held
from equipoise.refusal.detector.language import foreign
from equipoise.refusal.detector.model import UNSUPPORTED_LANGUAGE, Content, Cue, CueKind, ReplyReading
from equipoise.refusal.detector.needs import Needs, needs
from equipoise.refusal.detector.roles import only_refers, role
from equipoise.refusal.detector.states import failed, without_reasoning
from equipoise.refusal.detector.substance import changes_subject, gives_after_all, weight
from equipoise.refusal.detector.units import Unit, inside, split, unvoiced

EMPTY = Content(sentences=0, informative=0, weight=0.0)
"""The content of what cannot be read."""
INFORMATIVE = 0.45
"""Weight from which a sentence counts as informative."""
_TOLD_AFTER_ALL = 0.2
"""Added to what stands in the same sentence as the declining ("I can't diagnose you, but ...")."""
MOST_BESIDE = 0.8
"""Weight that sentences beside the question ("instead, ...") can add up to."""
_SHORT_ITEM = 50
"""Characters up to which an item under an offer only names a topic."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One sentence or part of one.

    Attributes:
        start: first character in the reply.
        end: one past the last.
        kind: its role; None when it may hold content.
        weight: how much it tells, from 0.
        acts: what in it holds back.
        quoted: somebody else says it.
    """

    start: int
    end: int
    kind: CueKind | None
    weight: float
    acts: tuple[Act, ...]
    quoted: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a reply before it is decided.

    Attributes:
        low: the reply folded, in lower case, of the same length.
        voiced: the same with blanks where somebody else speaks.
        body: the same without reasoning and white space around it.
        pieces: its sentences.
        cues: what was found, in order of place.
        wanted: what the prompt asks.
        need: what it needs.
        fields: fields of the reply.
        drafted: characters of the longest stretch that somebody else says.
    """

    low: str
    voiced: str
    body: str
    pieces: tuple[Piece, ...]
    cues: tuple[Cue, ...]
    wanted: Asked
    need: Needs
    fields: Form
    drafted: int


@dataclass(slots=True)
class _Found:
    """What the sentences of a reply were found to do."""

    mask: bytearray
    cues: list[Cue] = field(default_factory=list)
    declined: list[tuple[int, Act]] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    places: list[tuple[int, int]] = field(default_factory=list)
    kinds: list[CueKind | None] = field(default_factory=list)
    beside: float = 0.0


_RUN = re.compile(rb"\x01+")


def gather(reply: str, prompt: str | None) -> Evidence | ReplyReading:
    """What a decision rests on; a finished reading when there is nothing to decide.

    Args:
        reply: the reply as received.
        prompt: what was asked, when known.
    """
    text = plain(reply)
    low = lowered(text)
    begin, open_ended = without_reasoning(low)
    if open_ended:
        return _unread(ReplyState.TRUNCATED, "the reasoning was never closed, so no reply follows it")
    if begin:
        text = " " * begin + text[begin:]
        low = " " * begin + low[begin:]
    state = failed(low)
    if state is not None:
        kind, row, says = state
        notice: tuple[Cue, ...] = (
            () if kind in (ReplyState.EMPTY, ReplyState.UNPARSED) else (_span(reply, CueKind.NOTICE, row, says),)
        )
        return _unread(kind, says, notice)
    language = foreign(low[begin:])
    if language:
        return _unread(ReplyState.UNPARSED, f"{UNSUPPORTED_LANGUAGE}: {language}", language=language)
    question = lowered(plain(prompt)) if prompt is not None else None
    wanted = asked(question)
    found = _find(reply, text, low, wanted)
    fields = form(low)
    for start, end in fields.withheld:
        found.cues.append(cue_at(reply, CueKind.WITHHOLD, "field", "a field that says it is withheld", start, end))
    if TERSE_NO.fullmatch(low[begin:].strip()):
        found.cues.append(_span(reply, CueKind.TERSE, "terse-no", "a bare no"))
    if wanted.request and not wanted.yes_no:
        opening = _NO_FIRST.match(low)
        if opening:
            found.declined.insert(
                0, (0, Act(CueKind.DECLINE, "no-first", "opens with no", opening.start(1), opening.end(1), ""))
            )
            found.cues.append(
                cue_at(
                    reply, CueKind.DECLINE, "no-first", "answers a request with no", opening.start(1), opening.end(1)
                )
            )
    if fields.withheld and not fields.whole:
        for start, end in fields.withheld:
            at = next((n for n, (b, e) in enumerate(found.places) if b <= start < e), None)
            if at is not None:
                label = low[max(begin, start - 60) : start]
                found.declined.append((at, Act(CueKind.WITHHOLD, "field", "a field is withheld", start, end, label)))
    by_piece: dict[int, list[Act]] = {}
    for index, act in found.declined:
        by_piece.setdefault(index, []).append(act)
    pieces = tuple(
        Piece(
            start, end, kind, told, tuple(by_piece.get(index, ())), 2 * found.mask.count(1, start, end) >= end - start
        )
        for index, ((start, end), kind, told) in enumerate(zip(found.places, found.kinds, found.weights, strict=True))
    )
    return Evidence(
        low=low,
        voiced="".join(" " if quoted else char for char, quoted in zip(low, found.mask, strict=True))
        if 1 in found.mask
        else low,
        body=low[begin:].strip(),
        pieces=pieces,
        cues=tuple(sorted(found.cues, key=lambda cue: (cue.start, cue.end, cue.id))),
        wanted=wanted,
        need=needs(question or ""),
        fields=fields,
        drafted=max((match.end() - match.start() for match in _RUN.finditer(found.mask)), default=0),
    )


def _unread(state: ReplyState, reason: str, cues: tuple[Cue, ...] = (), language: str = "") -> ReplyReading:
    return ReplyReading(refusal=None, state=state, reason=reason, cues=cues, content=EMPTY, language=language)


def _span(reply: str, kind: CueKind, row: str, says: str) -> Cue:
    start = len(reply) - len(reply.lstrip())
    end = len(reply.rstrip())
    return Cue(kind=kind, id=row, start=start, end=end, text=reply[start:end], says=says)


_BREAK = re.compile(
    r"\s*[;:\u2014]\s+|\s*\u2014\s*|\s-{1,2}\s|,? (?:but|however|though|although|yet|whereas)[, ]|, (?:and|so) (?=(?:i|we)(?:'| )|please)|, (?:because|since|as it|as this|as they) |(?<=[a-z]),(?= (?:itchy|the|most|common|usual|typical|adults?|in general|generally|usually|it |there |what |here ))"
)
"""Where a sentence that declines is cut, so that what stands beside the declining is weighed by itself."""


def _halves(low: str, unit: Unit) -> list[tuple[int, int, bool]]:
    """A sentence cut at its semicolons, so that a referral in one half does not hide what the other tells."""
    pieces, at = [], unit.start
    while (cut := low.find("; ", at, unit.end)) >= 0:
        if cut > at:
            pieces.append((at, cut, False))
        at = cut + 2
    if unit.end > at:
        pieces.append((at, unit.end, False))
    return pieces


_SUBORDINATE = re.compile(r"\W*(?:while|although|though|even though|whereas|as much as|even if|without) ")
_DIGIT = re.compile(r"(?<!type )(?<!stage )\d")
_BECAUSE = re.compile(r"\s*:|,? (?:because|since|as it|as this|as they|as that) ?$")


def _pieces(low: str, unit: Unit) -> list[tuple[int, int, bool]]:
    """Parts of a sentence that declines: first, last, and whether the part gives the reason of the one before."""
    pieces: list[tuple[int, int, bool]] = []
    at, why = unit.start, False
    opened = _SUBORDINATE.match(low, unit.start, unit.end)
    if opened is not None:
        comma = low.find(", ", opened.end(), unit.end)
        if comma > 0:
            pieces.append((at, comma, False))
            at = comma + 2
    for match in _BREAK.finditer(low, at, unit.end):
        if match.start() > at:
            pieces.append((at, match.start(), why))
        at, why = match.end(), bool(_BECAUSE.match(low, match.start(), match.end()))
    if unit.end > at:
        pieces.append((at, unit.end, why))
    return pieces


def _find(reply: str, text: str, low: str, wanted: Asked) -> _Found:
    units = split(text)
    mask = inside(unvoiced(reply, text, low, draft=wanted.draft or not wanted.known), len(text))
    found = _Found(mask=mask)
    turned = False
    lead: CueKind | None = None
    for unit in units:
        sentence_acts = (
            []
            if unit.heading
            else [
                act
                for act in (*acts(low, unit.start, unit.end), *held(low, unit.start, unit.end))
                if not mask[act.start]
            ]
        )
        pieces = (
            _pieces(low, unit)
            if sentence_acts
            else _halves(low, unit)
            if found.declined
            else [(unit.start, unit.end, False)]
        )
        told_here = True
        for start, end, why in pieces:
            own = [act for act in sentence_acts if start <= act.start < end]
            index = len(found.weights)
            found.places.append((start, end))
            turned = turned or (bool(found.declined) and not wanted.parts and changes_subject(low, start, end))
            if own:
                for act in own:
                    found.declined.append((index, act))
                    found.cues.append(cue_at(reply, act.kind, act.id, act.says, act.start, act.end))
                told_here = all(act.kind is CueKind.RHETORIC for act in own)
                if not told_here:
                    found.weights.append(0.0)
                    found.kinds.append(own[0].kind)
                    continue
            value = _weigh(reply, low, start, end, unit, mask, wanted, turned, found)
            if not told_here and not why and value >= INFORMATIVE:
                value += _TOLD_AFTER_ALL
            if why and not told_here and not _DIGIT.search(low, start, end):
                value *= 0.3
            if (unit.item and lead in (CueKind.REFERRAL, CueKind.CRISIS)) or (
                unit.item and lead is CueKind.OFFER and end - start < _SHORT_ITEM
            ):
                value = 0.0
            if turned:
                left = max(0.0, MOST_BESIDE - found.beside)
                value = min(value, left)
                found.beside += value
            found.weights.append(value)
        if not unit.item:
            lead = found.kinds[-1] if text[unit.end - 1] in ":*" else None
    return found


def _weigh(
    reply: str, low: str, start: int, end: int, unit: Unit, mask: bytearray, wanted: Asked, turned: bool, found: _Found
) -> float:
    does = None if mask[start] and mask[end - 1] else role(low, start, end)
    told = start
    if does is not None:
        kind, row, says = does
        if (
            row == "refer-they"
            and low.startswith("they", start)
            and (found.kinds[-1:] or [None])[0] not in _BEFORE_THEY
        ):
            does = None
    if does is not None:
        kind, row, says = does
        told = gives_after_all(low, start, end) if kind in _MAY_TELL else -1
        if told < 0:
            found.kinds.append(kind)
            found.cues.append(cue_at(reply, kind, row, says, start, end))
            return 0.35 if kind is CueKind.REFERRAL and not found.declined and _holds_more(low, start, end) else 0.0
    if found.declined and only_refers(low, told, end):
        found.kinds.append(CueKind.REFERRAL)
        return 0.0
    found.kinds.append(None)
    return weight(
        low, told, end, item=unit.item, heading=unit.heading, prompt=wanted, turned=turned, after=bool(found.declined)
    )


_MAY_TELL = (CueKind.OFFER, CueKind.DISCLAIMER, CueKind.EMPATHY)
_BEFORE_THEY = (CueKind.REFERRAL, CueKind.CRISIS, CueKind.DEFER, CueKind.WITHHOLD, CueKind.DECLINE)
_PURPOSE = re.compile(
    r"\b(?:who|they|as|since|because|so that|before|to (?:get|discuss|make|determine|ensure|find|help|review|assess))\b"
)


def _holds_more(low: str, start: int, end: int) -> bool:
    """Whether a referring sentence lists things to do, and not only who can help with what."""
    purpose = _PURPOSE.search(low, start, end)
    return low.count(",", start, purpose.start() if purpose else end) >= 2


def cue_at(reply: str, kind: CueKind, row: str, says: str, start: int, end: int) -> Cue:
    """A cue of `reply[start:end]`, without white space at its end."""
    while end > start and reply[end - 1].isspace():
        end -= 1
    return Cue(kind=kind, id=row, start=start, end=end, text=reply[start:end], says=says)


_NO_FIRST = re.compile(r"\W*(no|nope)(?: ?[\u2014,.!;]| -| [\w'-]+(?: [\w'-]+){0,3}[.!](?:\s|$))")
TERSE_NO = re.compile(
    r"\W*(?:sorry,? |i'm sorry,? )?(?:no|nope|nah|no way|never|absolutely not|certainly not|definitely not|not a chance|pass|no thanks|no,? sorry|hard no)\W*(?:sorry)?\W*"
)
