"""Runs, outcomes and judgements: the two tables that everything which answers a benchmark becomes.

Knows nothing of medicine. A failed instrument (empty, blocked, truncated, unparsed, error) is a state of its own, never
a label.
"""

from __future__ import annotations

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

__all__ = [
    "JUDGEMENTS_SCHEMA",
    "OUTCOMES_SCHEMA",
    "SCHEMA_VERSION",
    "Prediction",
    "ReplyState",
    "Run",
    "RunInfo",
    "judgements_table",
    "outcomes_table",
    "problems",
    "read_json_lines",
    "read_predictions",
    "read_run",
    "write_run",
]
