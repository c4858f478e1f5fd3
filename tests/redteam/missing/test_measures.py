"""Whose reading counts, and shares from the counts of a plan."""

from __future__ import annotations

import pytest

from equipoise.redteam.missing.measures import deciding_judge, underdetermined
from equipoise.redteam.missing.reading import JUDGE


def said(*judges):
    return [{"judge": judge, "criterion": "recognises"} for judge in judges]


@pytest.mark.parametrize(
    ("judges", "deciding"),
    [
        ((JUDGE,), JUDGE),
        ((), JUDGE),
        ((JUDGE, "ollama/llama3:8b"), "ollama/llama3:8b"),
        ((JUDGE, "clinician:X"), JUDGE),
        ((JUDGE, "a/x", "b/y"), JUDGE),
        ((JUDGE, "a/x", "b/y", "panel:majority"), "panel:majority"),
    ],
)
def test_a_panel_decides_before_the_only_model_and_that_before_the_rule(judges, deciding):
    assert deciding_judge(said(*judges)) == deciding


def test_shares_have_the_denominators_of_the_counts():
    found = underdetermined(
        {
            "records": 10, "notes": 8, "checked": 6, "drawn": {"underdetermined": 2, "same": 8},
            "standings": {"remove.stage": {"underdetermined": 1, "same": 3}, "half_turn": {"underdetermined": 4, "same": 4}},
        }
    )  # fmt: skip
    assert found.by_fact["remove.stage"].estimate == 0.25
    assert (found.drawn.estimate, found.checked.estimate, found.half_turn.estimate) == (0.2, 0.6, 0.5)
    assert list(found.by_fact) == ["remove.stage"]
