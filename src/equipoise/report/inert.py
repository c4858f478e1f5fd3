"""Text from outside, made harmless before it is shown; it stands at the bottom, because the desk of a study needs it too."""

from __future__ import annotations

from equipoise._inert import hidden, inert

__all__ = ["hidden", "inert"]
