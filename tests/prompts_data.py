"""Where the hand-written copies of the data sets are, and the loaders by name."""

from __future__ import annotations

import importlib
from pathlib import Path

from equipoise.benchmarks.prompts.loading import Loader

DATA = Path(__file__).parent / "benchmarks" / "prompts" / "data"

NAMES: tuple[str, ...] = (
    "xstest",
    "or_bench",
    "health_orsc",
    "medharm",
    "toxigen",
    "bold",
    "iatrobench",
    "refusalbench",
    "open_safe_intent",
    "patient_safety_bench",
    "med_safety_bench",
)
"""The refusal benchmarks."""


def loader(name: str) -> Loader:
    found: Loader = importlib.import_module(f"equipoise.benchmarks.{name}.loader").LOADER
    return found
