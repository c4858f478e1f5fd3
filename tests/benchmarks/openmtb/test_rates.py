"""Several trials: every reply counts, a case counts once, and a change of mind is seen."""

from __future__ import annotations

import json

import pytest

from equipoise.benchmarks.openmtb.rates import MEASURES, flip_rate, repeats
from equipoise.outcomes import Run, RunInfo, judgements_table, outcomes_table


def rows(labels):
    """One row a trial; labels by item, None for a reply that could not be read."""
    return [
        {
            "reply_id": f"{item}/{trial}", "run": "r", "system": "s", "benchmark": "openmtb", "item": item,
            "expected": "Unsupported", "trial": trial, "state": "ok" if label else "unparsed", "label": label,
            "abstained": False if label else None,
        }
        for item, found in labels.items()
        for trial, label in enumerate(found, start=1)
    ]  # fmt: skip


def run(labels):
    info = RunInfo(run_id="r", created_at="2026-11-30", benchmark="openmtb")
    return Run(info=info, outcomes=outcomes_table(rows(labels)), judgements=judgements_table([]))


def test_all_trials_enter_and_are_clustered_by_case():
    labels = {f"i{place}": ["Supported", "Unsupported" if place % 2 else "Supported"] for place in range(40)}
    found = repeats(run(labels))
    assert (found.trials, found.items, found.replies) == (2, 40, 80)
    assert list(found.rates) == [measure.id for measure in MEASURES]
    approvals = found.rates["false_approval_rate"]
    assert (approvals.events, approvals.estimate.n_used, approvals.items) == (60, 80, 40)
    assert "40 clusters" in approvals.estimate.method
    assert (found.flips.estimate, found.flips.n_used) == (0.5, 40)
    json.dumps(found.to_dict(), allow_nan=False)


def test_one_trial_has_no_repeats():
    assert repeats(run({"a": ["Supported"], "b": ["Unsupported"]})) is None


def test_a_reply_that_could_not_be_read_is_no_change_of_mind():
    labels = {"a": ["Supported", None], "b": ["Supported", "Supported", None], "c": ["Supported", None, "Unsupported"]}
    found = flip_rate(rows(labels))
    assert (found.estimate, found.n_used, found.n_left_out) == (0.5, 2, 1)
    assert flip_rate(rows({"a": [None, None]})).estimate is None


def test_last_attempts_count():
    table = rows({"a": ["Supported", "Unsupported"], "b": ["Supported", "Supported"]})
    again = {**table[0], "reply_id": "again", "attempt": 2, "label": "Unsupported"}
    info = RunInfo(run_id="r", created_at="2026-11-30", benchmark="openmtb")
    found = repeats(Run(info=info, outcomes=outcomes_table([*table, again]), judgements=judgements_table([])))
    assert found.flips.estimate == pytest.approx(0.0)
    assert found.rates["false_approval_rate"].events == 2
