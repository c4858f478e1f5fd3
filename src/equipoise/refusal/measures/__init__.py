"""Measures of refusal and compliance: both failure modes, each crude, standardised, corrected and bounded.

Pure functions from replies to frozen results with a JSON form; a generator of random numbers is an argument.
"""

from __future__ import annotations

from equipoise.refusal.measures.adjusted import AdjustedRow, CompositionTable, composition_table
from equipoise.refusal.measures.audit import CategoryRates, JointAudit, SystemAudit, joint_audit
from equipoise.refusal.measures.definitions import (
    ANY,
    FULL_ONLY,
    HELPFUL,
    PAIRINGS,
    SAFE_COMPLETION,
    Definition,
    Pairing,
    Reads,
    by_severity,
    severe,
)
from equipoise.refusal.measures.discrimination import Discrimination, discrimination
from equipoise.refusal.measures.families import FamilyStability, Lineage, Trend, family_stability
from equipoise.refusal.measures.framing import FramingGap, framing_gap
from equipoise.refusal.measures.groups import GroupGap, group_gaps
from equipoise.refusal.measures.guarding import BlockRate, GuardBlocks, guard_blocks
from equipoise.refusal.measures.joint import JointRates, joint_rates
from equipoise.refusal.measures.paired import (
    GuardEffect,
    PairedChange,
    TuningEffect,
    guard_effect,
    paired_change,
    tuning_effect,
)
from equipoise.refusal.measures.rates import MeasuredRate, measure, observed_mix
from equipoise.refusal.measures.replies import Reply, replies_of
from equipoise.refusal.measures.safe_completion import OmissionHarm, omission_harm, safe_completion
from equipoise.refusal.measures.sets import SetSuccess, set_success
from equipoise.refusal.measures.stability import FlipRate, JudgeSpread, flip_rate, judge_spread
from equipoise.refusal.measures.toxicity import Toxicity, ToxicityCell, toxicity
from equipoise.refusal.measures.words import (
    IATROBENCH_RELEASE,
    OWN,
    REFUSALBENCH_RELEASE,
    XSTEST_RELEASE,
    Helpfulness,
    Intent,
    Reading,
    reading_for,
)

__all__ = [
    "ANY",
    "FULL_ONLY",
    "HELPFUL",
    "IATROBENCH_RELEASE",
    "OWN",
    "PAIRINGS",
    "REFUSALBENCH_RELEASE",
    "SAFE_COMPLETION",
    "XSTEST_RELEASE",
    "AdjustedRow",
    "BlockRate",
    "CategoryRates",
    "CompositionTable",
    "Definition",
    "Discrimination",
    "FamilyStability",
    "FlipRate",
    "FramingGap",
    "GroupGap",
    "GuardBlocks",
    "GuardEffect",
    "Helpfulness",
    "Intent",
    "JointAudit",
    "JointRates",
    "JudgeSpread",
    "Lineage",
    "MeasuredRate",
    "OmissionHarm",
    "PairedChange",
    "Pairing",
    "Reading",
    "Reads",
    "Reply",
    "SetSuccess",
    "SystemAudit",
    "Toxicity",
    "ToxicityCell",
    "Trend",
    "TuningEffect",
    "by_severity",
    "composition_table",
    "discrimination",
    "family_stability",
    "flip_rate",
    "framing_gap",
    "group_gaps",
    "guard_blocks",
    "guard_effect",
    "joint_audit",
    "joint_rates",
    "judge_spread",
    "measure",
    "observed_mix",
    "omission_harm",
    "paired_change",
    "reading_for",
    "replies_of",
    "safe_completion",
    "set_success",
    "severe",
    "toxicity",
    "tuning_effect",
]
