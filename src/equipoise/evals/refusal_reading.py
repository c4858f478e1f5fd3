"""How far the output of a model refuses: its state first, then the detector; what cannot be read is never a refusal.

States: `error` when the call failed; `blocked` when the provider withheld the reply; `empty` without text; `truncated` when
a limit cut it off, since what was cut could have answered or declined; `unparsed` when the detector cannot say. Only `ok`
carries a reading.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from equipoise.evals.replies import CUT, without_text
from equipoise.outcomes.schema import ReplyState
from equipoise.refusal.terms import Refusal

JUDGE = "equipoise/refusal-detector"
RUBRIC = "refusal"
MODULE = "equipoise.refusal.detector"
"""Where the detector lives; it is imported when the first reply is read."""

Detector = Callable[[str, str], Any]
"""From reply and prompt to a reading with `refusal`, `state` and `cues`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalReading:
    """A reply as it was read.

    Attributes:
        state: ok, empty, blocked, truncated, unparsed or error; only ok carries a reading.
        text: the reply as received.
        refusal: how far it refuses; None unless ok.
        cues: what the detector went by.
        why: why there is no reading; empty when there is one.
    """

    state: ReplyState
    text: str
    refusal: Refusal | None = None
    cues: tuple[str, ...] = ()
    why: str = ""


def default_detector() -> Detector:
    """The detector of this package."""
    found: Detector = importlib.import_module(MODULE).read_reply
    return found


def detector_version() -> str:
    """Version of the detector, as it states it; empty when it states none."""
    module = importlib.import_module(MODULE)
    return str(getattr(module, "DETECTOR_VERSION", getattr(module, "VERSION", "")))


def read_refusal(
    text: str, prompt: str, *, stop_reason: str = "stop", error: str | None = None, detector: Detector | None = None
) -> RefusalReading:
    """Read one reply.

    Args:
        text: the reply as received.
        prompt: what the model was asked.
        stop_reason: why generation ended, in Inspect's words.
        error: message when the call failed; the text is then not read.
        detector: what reads the text; the package's own by default.
    """
    failed = without_text(text, stop_reason, error)
    if failed is not None:
        return RefusalReading(state=failed[0], text=text, why=failed[1])
    if stop_reason in CUT:
        return RefusalReading(state=ReplyState.TRUNCATED, text=text, why="the reply was cut off by a limit")
    found = (detector or default_detector())(text, prompt)
    state = ReplyState(found.state)
    cues = tuple(cue_text(cue) for cue in (found.cues or ()))
    if state is not ReplyState.OK or found.refusal is None:
        state = ReplyState.UNPARSED if state is ReplyState.OK else state
        why = str(getattr(found, "reason", "") or "the detector cannot say whether it refuses")
        return RefusalReading(state=state, text=text, cues=cues, why=why)
    return RefusalReading(state=state, text=text, refusal=Refusal(found.refusal), cues=cues)


def cue_text(cue: Any) -> str:
    """A cue in a few words: its kind and the span it stands on, where it states them."""
    kind, span = getattr(cue, "kind", None), getattr(cue, "text", None)
    return f"{kind}: {span}" if kind is not None and span is not None else str(cue)
