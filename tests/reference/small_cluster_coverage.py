"""Makes the table SIMULATED of equipoise.statistics.coverage.

Run from the root of the repository: python tests/reference/small_cluster_coverage.py
numpy, scipy; 4,000 data sets a cell, seed 20260101. Binary items in clusters of ten; cluster rates are Beta with mean p
and intraclass correlation 0.2; p is chosen so that clusters x 10 x p equals the expected events (half at most).
A cell whose expected events exceed half of its items is left out and takes the next smaller column.
"""

# ruff: noqa: T201
from __future__ import annotations

import warnings

import numpy as np
from scipy.stats import norm, t

from equipoise.statistics.coverage import CLUSTERS, EVENTS

DATA_SETS, SIZE, CORRELATION = 4000, 10, 0.2


def draw(rng, clusters, rate):
    spread = (1 - CORRELATION) / CORRELATION
    rates = rng.beta(rate * spread, (1 - rate) * spread, size=clusters)
    return rng.binomial(SIZE, rates)


def robust(sums, clusters):
    n = clusters * SIZE
    rate = sums.sum() / n
    variance = clusters / (clusters - 1) * ((sums - rate * SIZE) ** 2).sum() / n**2
    effective = min(n, rate * (1 - rate) / variance) if variance > 0 else clusters
    z = t.ppf(0.975, clusters - 1)
    scale = 1 + z * z / effective
    center = (rate + z * z / (2 * effective)) / scale
    half = z * np.sqrt(rate * (1 - rate) / effective + z * z / (4 * effective**2)) / scale
    return center - half, center + half


def resampled(rng, sums, clusters, kind):
    n = clusters * SIZE
    rate = sums.sum() / n
    if rate in (0, 1):
        z = 1.959963985
        center = (rate + z * z / (2 * clusters)) / (1 + z * z / clusters)
        half = z * np.sqrt(z * z / (4 * clusters**2)) / (1 + z * z / clusters)
        return center - half, center + half
    draws = sums[rng.integers(0, clusters, size=(1000, clusters))].sum(axis=1) / n
    tails = [0.025, 0.975]
    if kind == "bca":
        jack = (sums.sum() - sums) / (n - SIZE)
        gaps = jack.mean() - jack
        below = (draws < rate).mean() + (draws == rate).mean() / 2
        if (gaps == 0).all() or not 0 < below < 1:
            return tuple(np.quantile(draws, tails))
        acceleration = (gaps**3).sum() / (6 * (gaps**2).sum() ** 1.5)
        bias = norm.ppf(below)
        shifted = bias + norm.ppf(tails)
        tails = norm.cdf(bias + shifted / (1 - acceleration * shifted))
    return tuple(np.quantile(draws, tails))


def main():
    warnings.simplefilter("error")
    rng = np.random.default_rng(20260101)
    for method in ("robust", "bootstrap", "bca"):
        print(f'    "{method}": {{')
        for clusters in CLUSTERS:
            for events in EVENTS:
                rate = events / (clusters * SIZE)
                if rate > 0.5:
                    continue
                covered = 0
                for _ in range(DATA_SETS):
                    sums = draw(rng, clusters, rate)
                    if method == "robust":
                        low, high = robust(sums, clusters)
                    else:
                        low, high = resampled(rng, sums, clusters, method)
                    covered += low - 1e-12 <= rate <= high + 1e-12
                print(f"        ({clusters}, {events}): {covered / DATA_SETS:.3f},")
        print("    },")


if __name__ == "__main__":
    main()
