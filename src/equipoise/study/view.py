"""What one rater sees: the next item, the place in the queue, the own answers. The only door from the store to a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.study.aid import Reading, facts_by_rule
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
        aid: facts read by rule from the texts, where the protocol declares that arm; empty otherwise.
    """

    public: str
    place: int
    total: int
    done: int
    shown: Mapping[str, Any]
    state: State
    standing: Standing
    practice: bool
    aid: tuple[Reading, ...] = ()


def next_public(store: Store, rater: str) -> str | None:
    """Random id of the first item of the queue that is neither complete nor skipped; None when all are.

    Under the stopping rule `labels` the queue ends with that many finished items.
    """
    public, done = store.first_open(rater)
    wanted = store.protocol.stopping.labels
    return None if wanted is not None and done >= wanted else public


def rater_view(store: Store, rater: str, public: str) -> RaterView:
    """One item as the rater sees it.

    Raises:
        UsageError: no such item in this rater's queue; the message is the same for an item of somebody else and for none.
    """
    found = store.place(rater, public)
    items = store.protocol.items
    shown = {name: found.item.shown[name] for name in items.show if name in found.item.shown}
    return RaterView(
        public=public,
        place=found.place,
        total=found.total,
        done=found.done,
        shown=shown,
        state=found.state,
        standing=found.state.standing(store.protocol),
        practice=found.purpose == "training",
        aid=facts_by_rule(shown) if items.aid == "facts-by-rule" else (),
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
    return [item for item in store.assignments(rater) if item.purpose not in ("import", "third")]
