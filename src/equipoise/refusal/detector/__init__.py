"""The refusal detector: how far a reply refuses, what that rests on, and what cannot be read at all.

No model, no list of forbidden substrings: sentences, who speaks, what is declined, and what is told beside it.
"""

from __future__ import annotations

from equipoise.refusal.detector.model import VERSION, Content, Cue, CueKind, ReplyReading
from equipoise.refusal.detector.reader import read_reply

__all__ = ["VERSION", "Content", "Cue", "CueKind", "ReplyReading", "read_reply"]
