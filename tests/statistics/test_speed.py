from __future__ import annotations

import runpy
import time
from pathlib import Path

import numpy as np

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "bootstrap_speed.py"


def test_ninety_clustered_intervals_in_two_seconds():
    script = runpy.run_path(str(SCRIPT))
    items = script["draw_cases"](np.random.default_rng(1))
    clusters = np.repeat(np.arange(250), 2)
    start = time.perf_counter()
    intervals = script["ours"](items, clusters)
    assert time.perf_counter() - start < 2.0
    assert len(intervals) == 90
    assert all(low < high for low, high in intervals.values())
