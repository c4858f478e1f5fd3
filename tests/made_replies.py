"""Replies written out in a test: one call a reply, everything but what matters filled in."""

from __future__ import annotations

from itertools import count
from typing import Any

from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.measures import Reply
from equipoise.refusal.terms import Arm, Refusal

_NUMBER = count()


def made(refusal: str | None = "none", arm: str = "benign", **more: Any) -> Reply:
    """A reply of system s; `refusal` None is one that could not be read."""
    number = next(_NUMBER)
    state = more.pop("state", "ok" if refusal is not None else "unparsed")
    values: dict[str, Any] = {
        "reply_id": str(number), "benchmark": "b", "system": "s", "model": "m", "family": "", "item": f"i{number}",
        "arm": Arm(arm), "state": ReplyState(state), "refusal": None if refusal is None else Refusal(refusal),
        "unread": "" if refusal is not None else state,
    }  # fmt: skip
    return Reply(**{**values, **more})


def many(number: int, refusal: str | None = "none", arm: str = "benign", **more: Any) -> list[Reply]:
    """Several alike, each of its own item."""
    return [made(refusal, arm, **more) for _ in range(number)]
