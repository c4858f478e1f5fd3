"""What a note proposes to give next: regimens, trials and procedures in its order, each option by itself."""

from __future__ import annotations

import re

from equipoise.cases.model import Outcome, Recommendation, RecommendationKind, Source
from equipoise.cases.narrative.mentions import Event
from equipoise.cases.narrative.sentences import Sentence
from equipoise.cases.vocabulary.drugs import covers, is_cytotoxic, is_group, read_regimen

_ENDED = frozenset({Outcome.PROGRESSED, Outcome.TOXICITY})


class _Item:
    """One recommendation while it is being put together."""

    __slots__ = ("action", "components", "end", "event", "kind", "settings", "start")

    def __init__(self, event: Event) -> None:
        self.event = event
        self.kind = event.kind
        self.components = list(event.components)
        self.settings = set(event.settings)
        self.action = event.action
        self.start, self.end = event.start, event.end


def read_recommendations(note: str, found: list[Sentence], events: list[Event]) -> tuple[Recommendation, ...]:
    """The recommendations of a note.

    Args:
        note: the text.
        found: its sentences.
        events: mentions of therapies.
    """
    ended = {
        frozenset(event.components): event.start
        for event in events
        if event.role == "prior" and event.outcome in _ENDED
    }
    chosen = [
        event
        for event in events
        if event.role == "rec"
        and not (
            event.action != "rechallenge" and ended.get(frozenset(event.components), -1) > event.end and not event.plan
        )
    ]
    drugs = [event for event in chosen if event.kind != "other"]
    if not drugs:
        given = {frozenset(event.components) for event in events if event.role == "prior"}
        weighed = [
            event
            for event in events
            if (
                event.role == "order"
                or (event.role == "bare" and (event.kind != "drug" or frozenset(event.components) not in given))
                or (event.role == "cons" and event.plan)
            )
        ]
        bare = [event for event in weighed if event.role == "bare"]
        if bare:
            weighed = [event for event in weighed if event.role != "cons"]
        chosen = [event for event in events if event in weighed or event in chosen]
    elif any(event.sure for event in drugs):
        chosen = [event for event in chosen if event.plan or event.sure]
    if any(set(event.components) - {"surgery"} for event in drugs):
        chosen = [
            event for event in chosen if event.plan or set(event.components) != {"surgery"} or event.kind != "drug"
        ]
    sure_trial = (
        any(event.role == "bare" and event.kind == "trial" for event in events)
        and bool(drugs)
        and all(event.link == "or" for event in drugs)
    )
    if sure_trial:
        chosen = [event for event in events if event in chosen or (event.role == "bare" and event.kind == "trial")]
    merged = _assembled(chosen, events, found)
    return tuple(_recommendation(note, place + 1, one) for place, one in enumerate(merged))


def _assembled(chosen: list[Event], events: list[Event], found: list[Sentence]) -> list[_Item]:
    items: list[_Item] = []
    for event in chosen:
        before = items[-1] if items else None
        same_sentence = before is not None and before.event.sentence == event.sentence
        if event.kind == "drug" and event.link == "optional" and before is not None:
            item = _Item(event)
            item.components = list(dict.fromkeys([*before.components, *event.components]))
            item.start = before.start
            items.append(item)
            continue
        if event.kind == "trial":
            if (
                same_sentence
                and before is not None
                and before.kind == "drug"
                and event.link == ""
                and event.start - before.end <= 30
                and _names_trial(found, event, before)
            ):
                before.kind = "trial"
                before.end = max(before.end, event.end)
                continue
            if any(item.kind == "trial" for item in items) and event.link != "or":
                continue
            items.append(_Item(event))
            continue
        if (
            event.kind == "drug"
            and same_sentence
            and before is not None
            and before.kind == "trial"
            and event.link == ""
            and event.start - before.end <= 45
            and _OF_TRIAL.fullmatch(_between(found, before, event)) is not None
        ):
            before.components.extend(event.components)
            before.end = event.end
            continue
        if event.kind == "other":
            items.append(_Item(event))
            continue
        if set(event.components) <= {"surgery"} and any("neoadjuvant" in item.settings for item in items):
            continue
        if (
            event.action == "add"
            and before is not None
            and before.kind == "drug"
            and same_sentence
            and (before.action == "continue" or _to(found, before, event))
        ):
            before.components = list(dict.fromkeys([*before.components, *event.components]))
            before.action = "add"
            before.end = event.end
            continue
        if (
            same_sentence
            and before is not None
            and before.action == "add"
            and before.kind == "drug"
            and _to(found, before, event)
        ):
            before.components = list(dict.fromkeys([*event.components, *before.components]))
            before.end = event.end
            continue
        item = _Item(event)
        if event.maintenance and before is not None and set(event.components) <= set(before.components):
            continue
        if (
            event.link == "then"
            and before is not None
            and same_sentence
            and set(event.components) <= set(before.components)
        ):
            continue
        known = _restated(items, item)
        if known is not None:
            known.action = known.action or item.action
            continue
        items.append(item)
    result = []
    for item in items:
        result.extend(_parted(item))
    return result


_OF_TRIAL = re.compile(r"[^;.)]{0,45}")


def _between(found: list[Sentence], before: _Item, event: Event) -> str:
    """The words between an item and a mention of the same sentence."""
    sentence = found[event.sentence]
    return sentence.low[max(0, before.end - sentence.start) : max(0, event.start - sentence.start)]


def _to(found: list[Sentence], before: _Item, event: Event) -> bool:
    sentence = found[event.sentence]
    gap = sentence.low[max(0, before.end - sentence.start) : max(0, event.start - sentence.start)]
    return (
        re.fullmatch(
            r"[^;.]{0,40}?\b(?:to|with|onto)\s+(?:(?:the|her|his|current|ongoing|existing|continued"
            r"|continuing)\s+)*",
            gap,
        )
        is not None
    )


def _names_trial(found: list[Sentence], event: Event, before: _Item) -> bool:
    sentence = found[event.sentence]
    gap = sentence.low[max(0, before.end - sentence.start) : max(0, event.start - sentence.start)]
    return (
        re.fullmatch(
            r"[\s-]*(?:\(?(?:a|the|in|on|within|as\s+part\s+of|via|through|under)\s+)*(?:a\s+"
            r"|the\s+)?(?:\w+[\s-]+){0,3}",
            gap,
        )
        is not None
        and "or" not in gap.split()
    )


def _restated(items: list[_Item], item: _Item) -> _Item | None:
    """An item that says the same, or what this one names only by its group."""
    names = set(item.components)
    for known in items:
        if known.kind != item.kind:
            continue
        held = set(known.components)
        if names == held:
            return known
        if (
            names
            and all(is_group(name) for name in names)
            and all(name in held or not held.isdisjoint(covers(name)) for name in names)
        ):
            return known
        later_plan = item.event.plan and not known.event.plan
        if (
            held
            and item.event.link not in {"or", "optional"}
            and any(is_group(name) for name in held)
            and all(name in names or (is_group(name) and not names.isdisjoint(covers(name))) for name in held)
            and (later_plan or "radiotherapy" in held or item.event.sentence - known.event.sentence <= 1)
        ):
            known.components = list(item.components)
            known.settings = set(item.settings)
            known.start, known.end = item.start, item.end
            return known
    return None


def _parted(item: _Item) -> list[_Item]:
    """Radiation beside a drug that is not chemotherapy is an item of its own."""
    names = item.components
    if (
        item.kind == "drug"
        and "radiotherapy" in names
        and len(names) > 1
        and not any(is_cytotoxic(name) for name in names)
    ):
        rest = _Item(item.event)
        rest.components = [name for name in names if name != "radiotherapy"]
        rest.action, rest.settings = item.action, item.settings
        local = _Item(item.event)
        local.components = ["radiotherapy"]
        return [rest, local]
    return [item]


_DRUG_ENDING = re.compile(
    r"[a-z]{2,}(?:mab|nib|rasib|platin|x[ei]d|tax[eo]l|bine|rubicin|poside|tecan|vedotin|cept|limus|ciclib|parib|sertib)(?![a-z])"
)
_PARTNER_BEHIND = re.compile(r"\s{0,3}(?:\+|&|\bplus\b)\s{0,3}([a-z-]{6,30})")
_PARTNER_BEFORE = re.compile(r"([a-z-]{6,30})\s{0,3}(?:\+|&|\bplus\b)\s{0,3}$")


def _unread(note: str, item: _Item) -> tuple[str, ...]:
    """Words beside a regimen, joined to it by a plus, that end like a drug and are none that is known: a part of it was not understood."""
    found = []
    for match in (
        _PARTNER_BEFORE.search(note[max(0, item.start - 40) : item.start].lower()),
        _PARTNER_BEHIND.match(note[item.end : item.end + 40].lower()),
    ):
        if match is not None and _DRUG_ENDING.fullmatch(match[1]) and read_regimen(match[1]).unread:
            found.append(match[1])
    return tuple(found)


def _recommendation(note: str, place: int, item: _Item) -> Recommendation:
    text = note[item.start : item.end]
    kinds = {"drug": RecommendationKind.REGIMEN, "trial": RecommendationKind.TRIAL, "other": RecommendationKind.OTHER}
    components = frozenset(item.components)
    return Recommendation(
        id=str(place),
        text=text,
        kind=kinds[item.kind],
        components=components,
        unspecific=frozenset(name for name in components if is_group(name)),
        unread=_unread(note, item) if item.kind == "drug" else (),
        setting=frozenset(item.settings) if item.settings else None,
        line=item.event.line,
        action=item.action,
        source=Source("note", text, item.start, item.end),
    )
