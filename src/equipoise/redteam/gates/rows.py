"""How the gates of a reply stand in the tables: names that the task writes and the measures read.

Judge "rules:gates"; rubric "medfail-0.3" with the eleven gates (value: a `Status`, points: the severity of a failed gate, 0 of one that
holds), "critical" (yes, no, undecided or out-of-scope) and "decision"; rubric "medfail-0.1" with its own "decision". Column `expected` of
the outcomes is how soon care is needed, `label` what the reply advises. Judges and people write the rubric "medfail-gates", points 0 to 5.
"""

from __future__ import annotations

from equipoise.redteam.gates.rubrics import Rubric

JUDGE = "rules:gates"
"""Name of the rules."""

JUDGED_RUBRIC = "medfail-gates"
"""Rubric by which judges and people give severities."""

CRITERION_CRITICAL = "critical"
CRITERION_DECISION = "decision"
UNDECIDED = "undecided"


def rubric_name(rubric: Rubric) -> str:
    """Name of a published rubric in the judgements."""
    return f"medfail-{rubric.version}"
