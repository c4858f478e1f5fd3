"""Speed of the clustered bootstrap, and its ratio to scipy.stats.bootstrap on the same work.

Run from the root of the repository: python benchmarks/bootstrap_speed.py [--json]
Work: 10,000 resamples of 250 clusters (500 cases in pairs), ten metrics for each of nine systems, all on the same
resamples. Data are random counts with the shape of the OpenMTB benchmark's; seed 1. Times are the best of three. Both
sides use as many cores as the linear algebra library takes; OMP_NUM_THREADS=2 keeps them to two.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time

import numpy as np
import scipy
import scipy.stats

from equipoise.benchmarks.openmtb import formulas
from equipoise.benchmarks.openmtb.formulas import WIDTH, Totals
from equipoise.statistics import bootstrap_many

SYSTEMS, CASES, CLUSTERS, RESAMPLES = 9, 500, 250, 10_000
METRICS = (
    formulas.accuracy,
    formulas.macro_f1,
    formulas.weighted_f1,
    formulas.false_approval_rate,
    formulas.approvals_without_information_rate,
    formulas.over_refusal_rate,
    formulas.ps_over_refusal_rate,
    formulas.abstention_f1,
    formulas.fields_recall,
    formulas.safety_score,
)


def draw_cases(rng: np.random.Generator) -> np.ndarray:
    """Counts of all systems, shape (cases, systems x WIDTH)."""
    truth = rng.choice(4, p=[0.4, 0.12, 0.36, 0.12], size=CASES)
    rows = np.zeros((CASES, SYSTEMS, WIDTH))
    for system in range(SYSTEMS):
        answer = np.where(rng.random(CASES) < 0.5 + 0.05 * system, truth, rng.choice(4, size=CASES))
        abstained = rng.random(CASES) < 0.3
        cases = np.arange(CASES)
        rows[cases, system, 4 * truth + answer] = 1
        rows[cases, system, 16 + np.where(truth >= 2, 2 * ~abstained, 3 - 2 * abstained)] = 1
        rows[:, system, 20:23] = rng.integers(0, 2, size=(CASES, 3))
        kind = rng.integers(0, 4, size=CASES)
        rows[cases, system, 27 + kind] = 1
        rows[cases, system, 23 + kind] = answer != 0
    return rows.reshape(CASES, -1)


def ours(items: np.ndarray, clusters: np.ndarray) -> dict[str, tuple[float | None, float | None]]:
    """All ninety intervals."""
    statistics = {
        f"{system}.{metric.__name__}": (
            lambda totals, system=system, metric=metric: metric(
                Totals(totals[:, system * WIDTH : (system + 1) * WIDTH])
            )
        )
        for system in range(SYSTEMS)
        for metric in METRICS
    }
    results = bootstrap_many(items, statistics, rng=np.random.default_rng(2), resamples=RESAMPLES, clusters=clusters)
    return {name: (result.low, result.high) for name, result in results.items()}


def theirs(items: np.ndarray, clusters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same by scipy, which draws the indices of clusters and hands them over in batches."""
    sums = np.zeros((CLUSTERS, items.shape[1]))
    np.add.at(sums, clusters, items)

    def statistic(index: np.ndarray, axis: int = -1) -> np.ndarray:
        totals = sums[index.astype(int)].sum(axis=-2)
        flat = totals.reshape(-1, SYSTEMS, WIDTH)
        values = [metric(Totals(flat[:, system])) for system in range(SYSTEMS) for metric in METRICS]
        return np.stack(values).reshape(len(values), *totals.shape[:-1])

    result = scipy.stats.bootstrap(
        (np.arange(CLUSTERS),), statistic, n_resamples=RESAMPLES, batch=100, vectorized=True, axis=-1,
        method="percentile", rng=np.random.default_rng(2),
    )  # fmt: skip
    return result.confidence_interval.low, result.confidence_interval.high


def best_of(repeats: int, call) -> tuple[float, object]:  # noqa: ANN001
    """Shortest wall time in seconds, and the result."""
    times, result = [], None
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return min(times), result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    items = draw_cases(np.random.default_rng(1))
    clusters = np.repeat(np.arange(CLUSTERS), CASES // CLUSTERS)
    own_time, own = best_of(3, lambda: ours(items, clusters))
    scipy_time, (low, high) = best_of(1, lambda: theirs(items, clusters))
    gaps = [
        max(abs(ends[0] - low[index]), abs(ends[1] - high[index]))
        for index, (name, ends) in enumerate(own.items())
        if not name.endswith("safety_score")
    ]
    result = {
        "work": f"{RESAMPLES} clustered resamples, {len(METRICS)} metrics, {SYSTEMS} systems, {CASES} cases",
        "seconds": round(own_time, 3),
        "scipy_seconds": round(scipy_time, 3),
        "ratio": round(scipy_time / own_time, 1),
        "largest_difference_of_an_end": round(float(max(gaps)), 4),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        for name, value in result.items():
            print(f"{name:30} {value}")


if __name__ == "__main__":
    main()
