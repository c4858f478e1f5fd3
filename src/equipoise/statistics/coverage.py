"""What intervals over few clusters really cover, by simulation.

The table is the output of tests/reference/small_cluster_coverage.py (seeded; binary items in clusters of ten,
intraclass correlation 0.2, rate chosen so that the rarer outcome is expected as often as the column says). It is read
downwards: a number of clusters or events between two entries takes the smaller one.
"""

from __future__ import annotations

from typing import Literal

ENOUGH_CLUSTERS = 100
"""From here on intervals over clusters keep their level in simulation."""

ENOUGH_EVENTS = 30
"""Expected events (or non-events, whichever is rarer) from which they do."""

CLUSTERS: tuple[int, ...] = (5, 10, 20, 50, 100)
EVENTS: tuple[int, ...] = (3, 10, 30)

Method = Literal["robust", "bootstrap", "bca"]

SIMULATED: dict[Method, dict[tuple[int, int], float]] = {
    "robust": {
        (5, 3): 0.986,
        (5, 10): 0.965,
        (10, 3): 0.975,
        (10, 10): 0.936,
        (10, 30): 0.954,
        (20, 3): 0.972,
        (20, 10): 0.928,
        (20, 30): 0.949,
        (50, 3): 0.963,
        (50, 10): 0.919,
        (50, 30): 0.940,
        (100, 3): 0.968,
        (100, 10): 0.915,
        (100, 30): 0.947,
    },
    "bootstrap": {
        (5, 3): 0.991,
        (5, 10): 0.833,
        (10, 3): 0.998,
        (10, 10): 0.863,
        (10, 30): 0.911,
        (20, 3): 0.997,
        (20, 10): 0.874,
        (20, 30): 0.919,
        (50, 3): 0.998,
        (50, 10): 0.880,
        (50, 30): 0.916,
        (100, 3): 0.999,
        (100, 10): 0.884,
        (100, 30): 0.922,
    },
    "bca": {
        (5, 3): 0.988,
        (5, 10): 0.848,
        (10, 3): 0.987,
        (10, 10): 0.897,
        (10, 30): 0.928,
        (20, 3): 0.991,
        (20, 10): 0.914,
        (20, 30): 0.934,
        (50, 3): 0.989,
        (50, 10): 0.913,
        (50, 30): 0.936,
        (100, 3): 0.992,
        (100, 10): 0.917,
        (100, 30): 0.936,
    },
}
"""Coverage of 95 % intervals by method and (clusters, expected events)."""


def small_sample_warnings(
    method: Method, clusters: int, *, events: int | None = None, level: float = 0.95
) -> tuple[str, ...]:
    """One warning when there are too few clusters or events for the interval to keep its level; none otherwise.

    Args:
        method: how the interval was made.
        clusters: units that were resampled or compared.
        events: the rarer outcome's count; None when the statistic has no events.
        level: coverage the interval aims at; the simulated figures are for 95 %.

    Returns:
        A tuple with one sentence, or empty.
    """
    few_events = events is not None and events < ENOUGH_EVENTS
    if clusters >= ENOUGH_CLUSTERS and not few_events:
        return ()
    row = max((size for size in CLUSTERS if size <= clusters), default=CLUSTERS[0])
    known = [size for size in EVENTS if (row, size) in SIMULATED[method]]
    column = max((size for size in known if events is None or size <= events), default=EVENTS[0])
    counted = f"{clusters} units" if events is None else f"{clusters} units and {events} events"
    aim = "" if abs(level - 0.95) < 1e-9 else f" (this one aims at {level:.0%})"
    return (
        f"few data ({counted}): with {row} clusters of ten items and {column} expected events, 95 % intervals of this "
        f"kind covered the truth in {SIMULATED[method][row, column]:.1%} of simulated data sets{aim}",
    )
