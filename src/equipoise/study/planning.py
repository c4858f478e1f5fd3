"""From the protocol to raters' queues: draws the overlap and the orders and assigns them."""

from __future__ import annotations

import numpy as np

from equipoise.errors import UsageError
from equipoise.study.assignment import overlap, queue
from equipoise.study.raters import raters
from equipoise.study.store import Draw, Store


def assign_all(store: Store, *, draw: Draw, at: str) -> int:
    """Gives every rater a queue, as the protocol says; the same seed gives the same queues, under new random ids.

    Args:
        store: the study, with its items and all planned raters.
        draw: source of the random ids.
        at: ISO date and time.

    Returns:
        Number of assignments.

    Raises:
        UsageError: there are not as many raters as planned, no items, queues already, or training or attention items
            are missing.
    """
    protocol = store.protocol
    codes = [rater.code for rater in raters(store) if rater.role == "rater" and not rater.forgotten]
    if len(codes) != protocol.raters.planned:
        message = f"the protocol plans {protocol.raters.planned} raters; the study has {len(codes)}"
        raise UsageError(message)
    if any(item.purpose not in ("import", "third") for item in store.assignments()):
        message = "the queues were drawn already; drawing them again would show raters items twice"
        raise UsageError(message)
    items = store.items()
    names = {item.name for item in items}
    keyed = [item.item for item in (*protocol.training, *protocol.attention.items)]
    missing = [name for name in keyed if name not in names]
    if missing or not any(item.role == "main" for item in items):
        message = (
            f"item {missing[0]!r} of the protocol is not in the study" if missing else "there are no items to label"
        )
        raise UsageError(message)
    field = protocol.items.stratum
    strata = {item.name: str(item.hidden.get(field, "")) if field else "" for item in items if item.role == "main"}
    plan = overlap(
        strata,
        codes,
        per_item=protocol.raters.per_item,
        share=protocol.raters.overlap,
        rng=np.random.default_rng([protocol.order.seed, 0]),
    )
    turns = []
    for place, code in enumerate(codes):
        own = {name: stratum for name, stratum in strata.items() if code in plan[name]}
        drawn = queue(
            own,
            place=place,
            raters=len(codes),
            rng=np.random.default_rng([protocol.order.seed, 1 + place]),
            training=[item.item for item in protocol.training],
            attention=[item.item for item in protocol.attention.items],
            repeats=protocol.order.repeats,
        )
        turns += [(code, turn.item, turn.purpose, turn.repeat) for turn in drawn]
    return store.assign(turns, draw=draw, at=at)
