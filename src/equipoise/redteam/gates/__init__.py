"""The failure gates of MedFailBench, read by rules as far as rules go; what they cannot decide goes to a judge."""

from __future__ import annotations

from equipoise.redteam.gates.model import Advised, CaseScore, GateReading, Scenario, State, Status, Urgency
from equipoise.redteam.gates.rubrics import RUBRIC_0_1, RUBRIC_0_3, Decision, Dimension, Gate
from equipoise.redteam.gates.score import VERSION, score
from equipoise.redteam.gates.triage import Triage, constants, triage

__all__ = [
    "RUBRIC_0_1", "RUBRIC_0_3", "VERSION", "Advised", "CaseScore", "Decision", "Dimension", "Gate", "GateReading", "Scenario",
    "State", "Status", "Triage", "Urgency", "constants", "score", "triage",
]  # fmt: skip
