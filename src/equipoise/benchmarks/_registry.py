"""Inspect's entry point: the tasks and models of this package, found by name without an import of the user's own.

Needs the extra `eval` and nothing else.
"""

from __future__ import annotations

from equipoise.benchmarks.openmtb.task import openmtb
from equipoise.evals.models import EquipoiseModels
from equipoise.judging.mock import MockJudges

__all__ = ["EquipoiseModels", "MockJudges", "openmtb"]
