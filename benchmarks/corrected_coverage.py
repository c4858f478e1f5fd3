"""Coverage of corrected rates when replies come in clusters: the analytic interval beside the one over clusters.

Run from the root of the repository: python benchmarks/corrected_coverage.py [--data-sets 400] [--resamples 1000]
Every data set: clusters of replies whose true rate varies between clusters (intraclass correlation as the row says), and a
judge whose sensitivity and specificity vary between clusters too (correlation 0.1). Human labels are on whole clusters:
either other ones than those whose rate is wanted ("apart"), or some of the same ("part").
Seed 20261130. Prints one row a setting: how often 95 % intervals hold the truth, and their mean width.
"""

# ruff: noqa: T201
from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from equipoise.statistics import ClusteredVerdicts, CorrectionRefusedError, clustered_rogan_gladen, rogan_gladen
from equipoise.statistics.correction import calibrate

JUDGE_CORRELATION = 0.1


@dataclass(frozen=True)
class Setting:
    """One row: clusters of replies, their size, clusters of labels, true rate, judge, correlation, where labels are."""

    clusters: int
    size: int
    labelled: int
    rate: float
    sensitivity: float
    specificity: float
    correlation: float
    apart: bool


SETTINGS: tuple[Setting, ...] = (
    Setting(300, 1, 120, 0.30, 0.85, 0.90, 0.0001, True),
    Setting(100, 4, 40, 0.30, 0.85, 0.90, 0.3, True),
    Setting(60, 10, 30, 0.20, 0.70, 0.95, 0.3, True),
    Setting(60, 4, 30, 0.50, 0.95, 0.98, 0.4, True),
    Setting(20, 10, 16, 0.30, 0.90, 0.98, 0.5, True),
    Setting(15, 12, 12, 0.30, 0.85, 0.90, 0.3, True),
    Setting(100, 4, 40, 0.30, 0.85, 0.90, 0.3, False),
    Setting(60, 4, 30, 0.50, 0.95, 0.98, 0.4, False),
)


def shares(rng: np.random.Generator, mean: float, correlation: float, number: int) -> np.ndarray:
    """Rates of clusters: Beta with that mean and intraclass correlation."""
    spread = (1 - correlation) / correlation
    return rng.beta(mean * spread, (1 - mean) * spread, size=(number, 1))


def draw(rng: np.random.Generator, setting: Setting) -> ClusteredVerdicts:
    """A data set."""
    number = setting.clusters + (setting.labelled if setting.apart else 0)
    shape = (number, setting.size)
    correlation = min(JUDGE_CORRELATION, setting.correlation)
    truth = rng.random(shape) < shares(rng, setting.rate, setting.correlation, number)
    chance = rng.random(shape)
    sensitive = shares(rng, setting.sensitivity, correlation, number)
    specific = shares(rng, setting.specificity, correlation, number)
    verdict = np.where(truth, chance < sensitive, chance > specific)
    labelled = slice(setting.clusters, number) if setting.apart else slice(0, setting.labelled)
    names = np.repeat(np.arange(number), setting.size).reshape(shape)
    wanted = slice(0, setting.clusters)
    return ClusteredVerdicts(
        human=truth[labelled].ravel().astype(float), judge=verdict[labelled].ravel().astype(float),
        label_clusters=names[labelled].ravel().astype(str).tolist(),
        wanted=verdict[wanted].ravel().astype(float), clusters=names[wanted].ravel().astype(str).tolist(),
    )  # fmt: skip


def measure(setting: Setting, data_sets: int, resamples: int) -> str:
    """One row of the table."""
    rng = np.random.default_rng(20261130)
    held, width, used = np.zeros(2), np.zeros(2), 0
    for _ in range(data_sets):
        data = draw(rng, setting)
        try:
            counts = calibrate(data.human, data.judge)
            wanted = np.asarray(data.wanted)
            analytic = rogan_gladen(int(wanted.sum()), len(wanted), counts)
            clustered = clustered_rogan_gladen(data, rng=rng, resamples=resamples)
        except CorrectionRefusedError:
            continue
        used += 1
        for place, found in enumerate((analytic, clustered)):
            held[place] += found.covers(setting.rate)
            width[place] += 2 * (found.half_width or 0.0)
    where = "apart" if setting.apart else "part"
    judge = f"{setting.sensitivity:.2f}/{setting.specificity:.2f}"
    told = " | ".join(f"{held[place] / used:.3f} | {width[place] / used:.3f}" for place in (0, 1))
    return (
        f"| {setting.clusters} x {setting.size} | {setting.labelled}, {where} | {setting.rate:g} | {judge} | "
        f"{0 if setting.size == 1 else setting.correlation:g} | {used} | {told} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=400)
    parser.add_argument("--resamples", type=int, default=1000)
    asked = parser.parse_args()
    print(
        "| clusters x replies | labelled clusters | true rate | Se/Sp | correlation | data sets | analytic | width | clusters | width |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for setting in SETTINGS:
        print(measure(setting, asked.data_sets, asked.resamples), flush=True)


if __name__ == "__main__":
    main()
