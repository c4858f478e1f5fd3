"""The third rater's queue: disagreements handed to adjudicators, each under a random id of his or her own.

An adjudicator sees the case and what was said as sides A and B, never who said it, what the item is called or what its
reference is. Nothing is handed out before every rater has finished and locked, unless the study was unblinded with a
reason: the list of disagreements is itself a look at the agreement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from equipoise.errors import UsageError
from equipoise.study.adjudication import (
    REASON_CODES,
    Decision,
    Side,
    apart,
    decide,
    decisions,
    decisions_on,
    disagreement,
    disagreements,
)
from equipoise.study.progress import locked_by_all, progress
from equipoise.study.reveal import UNBLIND
from equipoise.study.store import Draw, Store

_NO_SUCH_ITEM = "there is no such item in this queue"
_STREAM = 1_000_000
"""Stream of the draw, apart from those of the raters' queues."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOut:
    """What was handed out.

    Attributes:
        new: disagreements that an adjudicator was given now.
        left: disagreements that no adjudicator may decide, because there is none who did not label the item.
    """

    new: int
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThirdPlace:
    """One place in an adjudicator's queue.

    Attributes:
        public: random id of the item for this adjudicator.
        place: place in the queue, from 1.
        state: "open", "decided", or "settled" when raters do not differ any more.
    """

    public: str
    place: int
    state: Literal["open", "decided", "settled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionView:
    """One disagreement as its decider meets it. Nothing in it names a rater, a source or a reference.

    Attributes:
        public: random id.
        place: place in the queue or list, from 1.
        total: disagreements in it.
        shown: fields of the item, in the protocol's order.
        sides: what was said; empty when raters do not differ any more.
        made: decisions on the item, the first one first; for an adjudicator without codes of anybody.
    """

    public: str
    place: int
    total: int
    shown: Mapping[str, Any]
    sides: tuple[Side, ...]
    made: tuple[Decision, ...]


def spread(items: Mapping[str, Sequence[str]], loads: Mapping[str, int], *, rng: np.random.Generator) -> dict[str, str]:
    """An adjudicator for every item, where there is one who did not label it.

    Items with the fewest possible deciders are given first, each to the one with the smallest load; ties are drawn. A
    load counts what an adjudicator holds already.

    Args:
        items: raters who labelled it, by item.
        loads: items that an adjudicator holds already, by code; its keys are the adjudicators.
        rng: random generator.
    """
    held = dict(loads)
    able = {item: [code for code in held if code not in raters] for item, raters in items.items()}
    drawn = [list(items)[number] for number in rng.permutation(len(items))]
    chosen: dict[str, str] = {}
    for item in sorted(drawn, key=lambda name: len(able[name])):
        if not able[item]:
            continue
        ties = rng.permutation(len(able[item])).tolist()
        code = min(zip(able[item], ties, strict=True), key=lambda pair: (held[pair[0]], pair[1]))[0]
        chosen[item] = code
        held[code] += 1
    return {item: chosen[item] for item in items if item in chosen}


def require_open(store: Store) -> None:
    """Lets disagreements be seen once every rater has finished and locked, or after an unblinding.

    Raises:
        UsageError: not yet; names who has not finished.
    """
    rows = progress(store)
    if locked_by_all(rows):
        return
    with store.reading() as connection:
        if store.rows(connection, "log", what=UNBLIND):
            return
    waiting = ", ".join(row.code for row in rows if not row.shut)
    message = f"raters have not finished ({waiting}); disagreements are opened when everybody has finished and locked"
    raise UsageError(message)


def hand_out(store: Store, *, draw: Draw, at: str) -> HandedOut:
    """Hands every undecided disagreement that nobody holds to an adjudicator; the same call again changes nothing.

    Raises:
        UsageError: the protocol decides by consensus or not at all, or raters have not finished.
    """
    rule = store.protocol.adjudication
    if rule.rule == "none" or rule.by != "third-rater":
        by = "not at all" if rule.rule == "none" else "by consensus"
        message = f"the protocol decides {by}; there is nothing to hand to a third rater"
        raise UsageError(message)
    require_open(store)
    people = progress(store)
    living = [row.code for row in people if row.role == "adjudicator" and not row.forgotten]
    given = [place for place in store.assignments() if place.purpose == "third" and place.rater in living]
    held = {place.item for place in given}
    wanted = {found.item: list(found.labels) for found in disagreements(store) if found.item not in held}
    loads = {code: sum(place.rater == code for place in given) for code in living}
    rng = np.random.default_rng([store.protocol.order.seed, _STREAM, len(held)])
    chosen = spread(wanted, loads, rng=rng)
    order = [list(chosen)[number] for number in rng.permutation(len(chosen))]
    new = store.assign([(chosen[item], item, "third", 1) for item in order], draw=draw, at=at) if order else 0
    return HandedOut(new=new, left=len(wanted) - len(chosen))


def third_queue(store: Store, code: str) -> tuple[ThirdPlace, ...]:
    """An adjudicator's queue, in its order."""
    done = {made.item for made in decisions(store)}
    differing = apart(store)
    found = []
    for number, given in enumerate(_thirds(store, code), start=1):
        state: Literal["open", "decided", "settled"] = "decided"
        if given.item not in done:
            state = "open" if given.item in differing else "settled"
        found.append(ThirdPlace(public=given.public, place=number, state=state))
    return tuple(found)


def third_view(store: Store, code: str, public: str) -> DecisionView:
    """One disagreement as the adjudicator sees it.

    Raises:
        UsageError: no such item in this queue; the same for an item of somebody else and for none.
    """
    queue = _thirds(store, code)
    name = _name(store, code, public)
    place = next(number for number, given in enumerate(queue, start=1) if given.public == public)
    found = decision_view(store, name, public=public, place=place, total=len(queue))
    bare = (replace(made, item="", by="", agreed=(), rationales=()) for made in found.made)
    return replace(found, made=tuple(bare))


def decide_third(
    store: Store, adjudicator: str, public: str, value: str, *, code: str, reason: str, at: str, after: int | None = None
) -> Decision:  # fmt: skip
    """Writes down the adjudicator's decision; raters who had said the same count as agreed.

    Args:
        store: the study.
        adjudicator: code of the adjudicator, whose item it must be.
        public: random id of the item for this adjudicator.
        value: the label.
        code: one of `adjudication.REASON_CODES`.
        reason: why, in words.
        at: ISO date and time.
        after: number of decisions on the item that the adjudicator knew; None does not compare.

    Raises:
        UsageError: no such item of this adjudicator, or `adjudication.decide` refuses it.
    """
    name = _name(store, adjudicator, public)
    require_code(code)
    known = disagreement(store, name)
    agreed = [] if known is None else [rater for rater, label in known.labels.items() if label == value]
    return decide(store, name, value, reason=reason, by=adjudicator, agreed=agreed, at=at, code=code, after=after)


def decision_view(store: Store, item: str, *, public: str, place: int, total: int) -> DecisionView:
    """An item as a decider sees it, by its name; for this package, not for a route."""
    found = store.item(item)
    known = disagreement(store, item)
    shown = {} if found is None else found.shown
    return DecisionView(
        public=public,
        place=place,
        total=total,
        shown={field: shown[field] for field in store.protocol.items.show if field in shown},
        sides=() if known is None else known.sides,
        made=decisions_on(store, item),
    )


def require_code(code: str) -> None:
    """Refuses a decision without a reason code.

    Raises:
        UsageError: it is none.
    """
    if code not in {known.id for known in REASON_CODES}:
        message = f"{code!r} is no reason code; expected one of {', '.join(known.id for known in REASON_CODES)}"
        raise UsageError(message, field="code")


def _thirds(store: Store, code: str) -> list[Any]:
    return [given for given in store.assignments(code) if given.purpose == "third"]


def _name(store: Store, code: str, public: str) -> str:
    for given in _thirds(store, code):
        if given.public == public:
            return str(given.item)
    raise UsageError(_NO_SUCH_ITEM)
