"""What one rater sees: the next item, the place in the queue, the own answers. The only door from the store to a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.errors import UsageError
from equipoise.study.history import Standing, State
from equipoise.study.store import Assignment, Store

LAST = 10
"""Items of the own history that can be gone back to at a glance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterView:
    """One item as one rater meets it. Nothing in it names the source, the reference, a stratum or another rater.

    Attributes:
        public: random id of the item for this rater.
        place: place in the queue, from 1.
        total: items in the queue.
        done: items complete or skipped.
        shown: fields of the item, in the protocol's order.
        state: the own answers as they stand.
        standing: where the item stands.
        practice: whether it is a training item, whose explanation may follow.
    """

    public: str
    place: int
    total: int
    done: int
    shown: Mapping[str, Any]
    state: State
    standing: Standing
    practice: bool


def next_public(store: Store, rater: str) -> str | None:
    """Random id of the first item of the queue that is neither complete nor skipped; None when all are.

    Under the stopping rule `labels` the queue ends with that many finished items.
    """
    states = store.states(rater)
    queue = _queue(store, rater)
    standing = [states[item.public].standing(store.protocol) for item in queue]
    done = sum(found in (Standing.COMPLETE, Standing.SKIPPED) for found in standing)
    if store.protocol.stopping.labels is not None and done >= store.protocol.stopping.labels:
        return None
    for item, found in zip(queue, standing, strict=True):
        if found in (Standing.OPEN, Standing.PARTIAL):
            return item.public
    return None


def rater_view(store: Store, rater: str, public: str) -> RaterView:
    """One item as the rater sees it.

    Raises:
        UsageError: no such item in this rater's queue; the message is the same for an item of somebody else and for none.
    """
    queue = _queue(store, rater)
    place = next((number for number, item in enumerate(queue) if item.public == public), None)
    if place is None:
        message = "there is no such item in this queue"
        raise UsageError(message)
    states = store.states(rater)
    item = store.item(queue[place].item)
    shown = {} if item is None else item.shown
    finished = (Standing.COMPLETE, Standing.SKIPPED)
    return RaterView(
        public=public,
        place=place + 1,
        total=len(queue),
        done=sum(states[turn.public].standing(store.protocol) in finished for turn in queue),
        shown={name: shown[name] for name in store.protocol.items.show if name in shown},
        state=states[public],
        standing=states[public].standing(store.protocol),
        practice=queue[place].purpose == "training",
    )


def recent(store: Store, rater: str) -> tuple[str, ...]:
    """Random ids of the items the rater changed last, the last one first, at most ten; locked ones are left out."""
    states = store.states(rater)
    touched = [
        (states[item.public].at, item.position, item.public)
        for item in _queue(store, rater)
        if states[item.public].at and not states[item.public].locked
    ]
    return tuple(public for _, _, public in sorted(touched, reverse=True)[:LAST])


def _queue(store: Store, rater: str) -> list[Assignment]:
    return [item for item in store.assignments(rater) if item.purpose != "import"]
