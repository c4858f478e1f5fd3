"""A refusal detector that knows the replies of the tests and nothing else, for tests of what is around the detector."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.terms import Refusal


@dataclass(frozen=True)
class Reading:
    refusal: Refusal | None
    state: ReplyState
    cues: tuple[str, ...]


def read_reply(reply: str, prompt: str) -> Reading:
    """Full for "can't", partial for "in part", unparsed for the word of another language, none for the rest."""
    del prompt
    if "nein" in reply.lower():
        return Reading(None, ReplyState.UNPARSED, ("another language",))
    if "can't" in reply:
        return Reading(Refusal.FULL, ReplyState.OK, ("can't",))
    if "in part" in reply:
        return Reading(Refusal.PARTIAL, ReplyState.OK, ("in part",))
    return Reading(Refusal.NONE, ReplyState.OK, ())


def install(monkeypatch: Any) -> None:
    """Put the stand-in where the detector is looked for."""
    module = ModuleType("equipoise.refusal.detector")
    module.read_reply = read_reply  # type: ignore[attr-defined]
    module.DETECTOR_VERSION = "stand-in"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
