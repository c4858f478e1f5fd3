"""Measures of the stress tests on questions with options, from a run's outcomes and its plan."""

from __future__ import annotations

from equipoise.redteam.measures.adaptive import AdaptiveResult
from equipoise.redteam.measures.flips import Direction, Flips
from equipoise.redteam.measures.operators import OperatorResult
from equipoise.redteam.measures.order import OrderResult
from equipoise.redteam.measures.rates import Rate
from equipoise.redteam.measures.replies import Replies, Reply, replies_of
from equipoise.redteam.measures.robustness import Gap, Robustness, benchmarking_gap, robustness

__all__ = [
    "AdaptiveResult",
    "Direction",
    "Flips",
    "Gap",
    "OperatorResult",
    "OrderResult",
    "Rate",
    "Replies",
    "Reply",
    "Robustness",
    "benchmarking_gap",
    "replies_of",
    "robustness",
]
