"""Inspect's entry point: the tasks and models of this package, found by name without an import of the user's own.

Needs the extra `eval` and nothing else.
"""

from __future__ import annotations

from equipoise.benchmarks.board_simulation.task import board_simulation
from equipoise.benchmarks.bold.task import bold
from equipoise.benchmarks.das_bias.task import das_bias
from equipoise.benchmarks.das_hallucination.task import das_hallucination
from equipoise.benchmarks.das_privacy.task import das_privacy
from equipoise.benchmarks.das_robustness.task import das_robustness
from equipoise.benchmarks.health_orsc.task import health_orsc
from equipoise.benchmarks.healthbench.task import healthbench
from equipoise.benchmarks.iatrobench.task import iatrobench
from equipoise.benchmarks.med_safety_bench.task import med_safety_bench
from equipoise.benchmarks.medfail.task import medfail
from equipoise.benchmarks.medharm.task import medharm
from equipoise.benchmarks.medqa_order.task import medqa_order
from equipoise.benchmarks.missing_info.task import missing_info
from equipoise.benchmarks.open_safe_intent.task import open_safe_intent
from equipoise.benchmarks.openmtb.task import openmtb
from equipoise.benchmarks.or_bench.task import or_bench
from equipoise.benchmarks.patient_safety_bench.task import patient_safety_bench
from equipoise.benchmarks.refusalbench.task import refusalbench
from equipoise.benchmarks.specialist_turn.task import specialist_turn
from equipoise.benchmarks.toxigen.task import toxigen
from equipoise.benchmarks.xstest.task import xstest
from equipoise.evals.guards import GuardedModels
from equipoise.evals.models import EquipoiseModels
from equipoise.judging.mock import MockJudges

__all__ = [
    "EquipoiseModels",
    "GuardedModels",
    "MockJudges",
    "board_simulation",
    "bold",
    "das_bias",
    "das_hallucination",
    "das_privacy",
    "das_robustness",
    "health_orsc",
    "healthbench",
    "iatrobench",
    "med_safety_bench",
    "medfail",
    "medharm",
    "medqa_order",
    "missing_info",
    "open_safe_intent",
    "openmtb",
    "or_bench",
    "patient_safety_bench",
    "refusalbench",
    "specialist_turn",
    "toxigen",
    "xstest",
]
