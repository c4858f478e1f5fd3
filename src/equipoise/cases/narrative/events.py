"""What each mention of a therapy means: proposed, given before, refused, conditional or merely named."""

from __future__ import annotations

import re

from equipoise.cases.model import Outcome
from equipoise.cases.narrative.headings import Section
from equipoise.cases.narrative.history_cues import HistoryCues
from equipoise.cases.narrative.mentions import Event, Turn
from equipoise.cases.narrative.proposal_cues import ELSEWHERE, ProposalCues
from equipoise.cases.narrative.scope import When, blank, dates_of, other_tumors, own_text
from equipoise.cases.narrative.sentences import DRUG, SETTING, THERAPY, Sentence
from equipoise.cases.narrative.therapies import Group, groups, items

_REJECTED = re.compile(
    r"\b(?:the\s+)?(?:(?:board|mtb|mdt|panel|group|we)\s+(?:does|did|do)\s+not\s+(?:support|endorse|agree"
    r"|recommend|favou?r|concur)|(?:was|were|is)\s+(?:rejected|not\s+(?:supported|endorsed|favou?red"
    r"|accepted))|rejected)\b"
)

_TURNED_DOWN = re.compile(
    r"[^;.]{0,45}?(?:\b(?:but|and|which|then)|,)\s+(?:(?:he|she|they|the|patient|has|have|had|later|subsequently|was|were)\s+)*"
    r"(?:declined|refused)(?:\s+(?:it|this|that|them|both|treatment))?\s*(?:[,.;]|$)"
)
_NOT_GIVEN = re.compile(
    r"\s*,?\s*(?:which|that)\s+(?:(?:we|i|the\s+(?:board|panel|mdt|mtb|team))\s+(?:(?:would|do|did|will|could|can)(?:\s+not|n't|not)"
    r"|(?:would\s+)?(?:advise|recommend)\w*\s+against)|(?:is|was)\s+not\s+(?:recommended|indicated|advised|appropriate|supported))\b"
)
_INTENDED = re.compile(r"\s*for\s+(?:first|second|third|fourth|1st|2nd|3rd|4th|[1-4]l)(?:[\s-]*line)?\s+")
_TOLD = re.compile(
    r"\b(?:had|has|have|was|were|is|did|received|progress\w*|respon\w*|until|since|for|with|gave|given|cycles?)\b"
)

_APPEARED = re.compile(r"\b(?:new|developed|appeared)\b")


class _Reader(ProposalCues, HistoryCues):
    """Reads one sentence."""


def read_events(found: list[Sentence]) -> tuple[list[Event], list[Turn]]:
    """Mentions of therapies in a note, with their roles, and what happened between them."""
    events: list[Event] = []
    turns: list[Turn] = []
    had_rec = False
    for number, sentence in enumerate(found):
        if not sentence.marks & (DRUG | THERAPY) and not (sentence.marks & SETTING and _APPEARED.search(sentence.low)):
            continue
        low = own_text(sentence)
        spans = other_tumors(sentence)
        if spans and sentence.section is not Section.PLAN:
            low = blank(low, spans)
        stream = groups(low, items(low))
        if not any(
            isinstance(one, Group) or one.kind in {"pd", "trial", "other", "stopped", "done", "cont", "newmet", "neg"}
            for one in stream
        ):
            continue
        reader = _Reader(sentence, low, number, had_rec)
        reader.read(stream)
        if reader.events:
            _dated(reader.events, low, sentence.start, dates_of(sentence))
            if _REJECTED.search(low) and ELSEWHERE.search(low):
                for event in reader.events[:1]:
                    if event.role in {"rec", "cons", "prior"}:
                        event.role = "neg"
        for event in reader.events:
            _turned(event, low, sentence.start)
        if reader.refused and events and events[-1].sentence >= number - 1:
            for event in reversed(events):
                if event.sentence != events[-1].sentence:
                    break
                if event.role in {"rec", "cons", "none", "bare"}:
                    event.role = "neg"
        if sentence.heading in {"adj", "adjuvant", "neoadj", "neoadjuvant"}:
            for event in reader.events:
                event.settings.add("adjuvant" if sentence.heading.startswith("adj") else "neoadjuvant")
        if reader.carry is not None and not any(
            event.kind == "drug" and event.role == "rec" and event.action == "continue" for event in reader.events
        ):
            current = next(
                (
                    event
                    for event in reversed(events)
                    if event.role == "prior"
                    and event.kind == "drug"
                    and event.outcome in {Outcome.ONGOING, Outcome.UNKNOWN}
                ),
                None,
            )
            if current is not None and current.outcome is Outcome.ONGOING:
                start, end = reader.carry
                reader.events.append(
                    Event(
                        "rec",
                        "drug",
                        start,
                        end,
                        list(current.components),
                        action="continue",
                        sentence=number,
                        plan=sentence.section is Section.PLAN,
                        sure=True,
                    )
                )
        had_rec = had_rec or any(event.role in {"rec", "bare"} for event in reader.events)
        events.extend(reader.events)
        turns.extend(reader.turns)
    return events, turns


def _turned(event: Event, low: str, base: int) -> None:
    """What the words just behind or before a mention make of it: "... but declined it", "for second-line ..." and nothing else."""
    start, end = event.start - base, event.end - base
    if event.role in {"rec", "cons", "none"} and (_TURNED_DOWN.match(low, end) or _NOT_GIVEN.match(low, end)):
        event.role = "neg"
    opening = _INTENDED.match(low)
    if event.role == "prior" and opening is not None and opening.end() == start and not _TOLD.search(low, end):
        event.role, event.outcome, event.sure = "rec", Outcome.UNKNOWN, True


def _dated(events: list[Event], low: str, base: int, stated: list[tuple[int, int, When]]) -> None:
    if not stated:
        return
    for place, event in enumerate(events):
        stop = events[place + 1].start if place + 1 < len(events) else base + len(low)
        inside = [(start, when) for start, _, when in stated if event.end - base <= start < stop - base]
        event.when = inside[0][1] if inside else None
        event.ended = next(
            (when for start, when in inside if when.day and _END_WORD.search(low[max(0, start - 22) : start])), None
        )


_END_WORD = re.compile(
    r"\b(?:until|till|last\s+dose(?:\s+on)?|ended(?:\s+on)?|stopped(?:\s+on)?|discontinued(?:\s+on)?"
    r"|finished(?:\s+on)?|completed(?:\s+on)?|through|to)\s*:?\s*$"
)
