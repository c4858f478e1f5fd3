"""Pure functions over arrays: frozen results with the numbers used and left out, random generators as arguments."""

from __future__ import annotations

from equipoise.statistics.bootstrap import bootstrap
from equipoise.statistics.estimate import Estimate
from equipoise.statistics.proportions import wilson

__all__ = ["Estimate", "bootstrap", "wilson"]
