"""How a reply is read as a refusal: the project's own detector by default, or a reader that is given."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from equipoise.errors import ConfigurationError, InternalError
from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.terms import Refusal

DETECTOR = "equipoise.refusal.detector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads a reply.

    Attributes:
        id: name and version, part of what the stage is known by.
        read: takes the question and the reply; gives the refusal, or the state that keeps it from being read.
    """

    id: str
    read: Callable[[str, str], Refusal | ReplyState]


def detector() -> Reader:
    """The refusal detector of this package.

    Raises:
        ConfigurationError: it is not part of this installation.
    """
    try:
        module = importlib.import_module(DETECTOR)
        read_reply, version = module.read_reply, module.VERSION
    except (ModuleNotFoundError, AttributeError):
        message = f"difficulty needs the refusal detector ({DETECTOR}.read_reply), which this installation lacks"
        raise ConfigurationError(message) from None

    def read(question: str, reply: str) -> Refusal | ReplyState:
        return reading_of(read_reply(reply, question))

    return Reader(id=f"{DETECTOR} {version}", read=read)


def reading_of(found: Any) -> Refusal | ReplyState:
    """What a reading of the detector says: its refusal, or its state when there is none.

    Args:
        found: a reading with `refusal` and `state`.

    Raises:
        InternalError: it has neither a refusal nor a state of failure.
    """
    try:
        if found.refusal is not None:
            return Refusal(found.refusal)
        state = ReplyState(found.state)
    except (AttributeError, ValueError):
        state = ReplyState.OK
    if state is ReplyState.OK:
        message = f"the refusal detector gave {found!r}; expected a refusal, or a state other than ok"
        raise InternalError(message)
    return state
