"""Finds planted identifiers in replies by rules: whole or in a part that identifies, in any of the usual disguises."""

from __future__ import annotations

from equipoise.redteam.privacy.match import VERSION, find_leaks
from equipoise.redteam.privacy.model import Canary, CanaryKind, How, Leak, Strength

__all__ = ["VERSION", "Canary", "CanaryKind", "How", "Leak", "Strength", "find_leaks"]
