"""Runs, outcomes and judgements: the two tables that everything which answers a benchmark becomes.

Knows nothing of medicine. A failed instrument (empty, blocked, truncated, unparsed, error) is a state of its own, never
a label.
"""

from __future__ import annotations

from equipoise.outcomes.compare import ComparedRate, Comparison, compare
from equipoise.outcomes.gate import Decision, GateResult, LineResult, gate
from equipoise.outcomes.likeness import differences, unlike
from equipoise.outcomes.measures import Measure
from equipoise.outcomes.merge import merge
from equipoise.outcomes.protocol import Protocol, parse_protocol, read_protocol
from equipoise.outcomes.readers import Prediction, read_json_lines, read_predictions
from equipoise.outcomes.run import Run, RunInfo, read_run, write_run
from equipoise.outcomes.schema import (
    JUDGEMENTS_SCHEMA,
    OUTCOMES_SCHEMA,
    SCHEMA_VERSION,
    ReplyState,
    judgements_table,
    outcomes_table,
    problems,
)
from equipoise.outcomes.tables import read_table

__all__ = [
    "JUDGEMENTS_SCHEMA",
    "OUTCOMES_SCHEMA",
    "SCHEMA_VERSION",
    "ComparedRate",
    "Comparison",
    "Decision",
    "GateResult",
    "LineResult",
    "Measure",
    "Prediction",
    "Protocol",
    "ReplyState",
    "Run",
    "RunInfo",
    "compare",
    "differences",
    "gate",
    "judgements_table",
    "merge",
    "outcomes_table",
    "parse_protocol",
    "problems",
    "read_json_lines",
    "read_predictions",
    "read_protocol",
    "read_run",
    "read_table",
    "unlike",
    "write_run",
]
