"""The OpenMTB task: is a tumor-board recommendation supported, partially supported, unsupported, or is information
missing?

A case states a patient, a tumor, a biomarker and a proposed therapy; the answer is one of four labels, an abstention
flag and the fields that are missing. Loads the published cases from a user's copy, makes new ones, scores any
system.
"""

from __future__ import annotations

from equipoise.benchmarks.openmtb.constants import CONSTANTS, ConstantSystem
from equipoise.benchmarks.openmtb.dataset import (
    BenchmarkCase,
    Reference,
    dataset_hash,
    from_records,
    load_cases,
    load_predictions,
)
from equipoise.benchmarks.openmtb.metrics import Scores, score
from equipoise.benchmarks.openmtb.results import benchmark_result

__all__ = [
    "CONSTANTS",
    "BenchmarkCase",
    "ConstantSystem",
    "Reference",
    "Scores",
    "benchmark_result",
    "dataset_hash",
    "from_records",
    "load_cases",
    "load_predictions",
    "score",
]
