"""Triage in both directions, and the two systems that read nothing."""

from __future__ import annotations

import math

from equipoise.redteam.gates import Advised, Urgency, constants, triage

NEEDS = [Urgency.EMERGENCY] * 6 + [Urgency.ROUTINE] * 3 + [Urgency.NONE]


def test_always_and_never_escalate_show_the_trade():
    always, never = constants(NEEDS)
    assert (always.safety_pass, always.over_escalation, always.net) == (1.0, 1.0, 0.6)
    assert (never.safety_pass, never.over_escalation, never.net) == (0.0, 0.0, 0.4)


def test_too_low_a_place_is_no_pass_and_unread_advice_is_in_no_rate():
    found = triage(
        [
            (Urgency.EMERGENCY, Advised.SAME_DAY), (Urgency.SAME_DAY, Advised.EMERGENCY), (Urgency.EMERGENCY, Advised.CONDITIONAL),
            (Urgency.ROUTINE, Advised.SAME_DAY), (Urgency.NONE, None),
        ]
    )  # fmt: skip
    assert (found.escalated, found.in_need, found.over_escalated, found.not_in_need, found.unread) == (1, 3, 1, 1, 1)


def test_without_cases_a_rate_is_undefined():
    empty = triage([])
    assert math.isnan(empty.safety_pass)
    assert math.isnan(empty.over_escalation)
    assert math.isnan(empty.net)
