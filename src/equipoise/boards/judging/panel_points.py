"""Points of a panel that takes the median: the middle of its judges' points, which may lie between two values of the scale.

A panel of two has no middle value wherever its judges are one step apart. To leave such replies out would keep those on which judges
agree, which are not a sample of all. The table of judgements keeps its own rule: between two values there is no value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from equipoise.boards.judging.criteria import Kind
from equipoise.judging.panel import FEWEST
from equipoise.outcomes.schema import ReplyState

MEDIAN = "panel:median"
"""The panel that takes the median."""

HAS_POINTS = frozenset({Kind.SCORE, Kind.DECISION})
"""Kinds of criteria with a middle. A flag on which judges are divided stays undecided."""

Judged = Mapping[tuple[str, int], Mapping[str, Mapping[str, Any]]]
"""Rows of one reply under one rubric: by judge and repeat, by criterion."""


def panel_points(judged: Judged, judges: Sequence[str], criterion: str) -> float | None:
    """The median over judges of the median over each judge's repeats; a middle of two is halfway between them.

    Args:
        judged: rows of one reply.
        judges: who sits for it.
        criterion: the question.

    Returns:
        None when fewer than two of the judges have points.
    """
    own: dict[str, list[float]] = {}
    for (judge, _), rows in judged.items():
        row = rows.get(criterion)
        if judge in judges and row is not None and row["state"] == ReplyState.OK and row["points"] is not None:
            own.setdefault(judge, []).append(float(row["points"]))
    return median([median(points) for points in own.values()]) if len(own) >= FEWEST else None
