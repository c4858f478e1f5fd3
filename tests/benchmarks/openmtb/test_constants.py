from __future__ import annotations

import pytest

from equipoise.benchmarks.openmtb.constants import CONSTANTS
from equipoise.benchmarks.openmtb.metrics import score


def test_each_constant_gives_one_label(small):
    cases, _ = small
    for system in CONSTANTS:
        answers = system.predict(cases)
        assert {(answer.label, answer.abstain) for answer in answers} == {(system.label.value, system.abstain)}
        collapse = score(cases, answers).label_collapse
        assert collapse["share"] == 1
        assert len(collapse["never_used"]) == 3


def test_always_no_wins_one_half_and_loses_the_other(small):
    cases, _ = small
    scores = {system.id: score(cases, system.predict(cases)) for system in CONSTANTS}
    assert scores["always-unsupported"].false_approvals == 0
    assert scores["always-unsupported"].over_refusal_rate == 1
    assert scores["always-supported"].false_approval_rate == 1
    assert scores["always-supported"].over_refusal_rate == 0
    assert scores["always-supported"].safety_score == pytest.approx(0)
