"""All trials of one run as rows of its page and lines of the terminal; the other measures there are of the first trial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.report.contexts import RepeatedRate
from equipoise.report.measured import rate_text
from equipoise.report.numbers import count
from equipoise.statistics import Estimate

NAMES: dict[str, str] = {
    "over_refusal_rate": "over-refusal",
    "false_approval_rate": "false approval",
    "approvals_without_information_rate": "approval without information",
    "accuracy": "accuracy",
    "abstention_rate": "abstention",
}
"""How the rates over all trials are called, in the order of tables."""

FLIPS = "label changes from trial to trial"
_KEYS = {
    "false_approval_rate": "false_approvals",
    "approvals_without_information_rate": "approvals_without_information",
}


def repeated_rates(all_trials: Mapping[str, Any] | None) -> tuple[RepeatedRate, ...]:
    """The rates over all trials, and how many cases change their label; empty when every case was asked once.

    Args:
        all_trials: JSON form of `openmtb.rates.Repeats`.
    """
    if not all_trials:
        return ()
    rows = []
    for name, title in NAMES.items():
        found = all_trials["rates"][name]
        rows.append(_row(_KEYS.get(name, name), title, _estimate(found["estimate"]), int(found["items"])))
    flips = _estimate(all_trials["flips"])
    rows.append(_row("flip_rate", f"{FLIPS}, of the cases read twice or more", flips, 0))
    return tuple(rows)


def repeats_note(all_trials: Mapping[str, Any] | None) -> str:
    """What the rates over all trials rest on, and what the other measures do; empty when every case was asked once.

    Args:
        all_trials: JSON form of `openmtb.rates.Repeats`.
    """
    if not all_trials:
        return ""
    replies, items = int(all_trials["replies"]), int(all_trials["items"])
    return (
        f"All {all_trials['trials']} trials: {count(replies, 'reply', 'replies')} to {count(items, 'case')}. Replies to one "
        "case count as one cluster; where no reply or every reply shows the event, the bound rests on the number of cases. "
        "Every other measure is of the first trial."
    )


def _row(key: str, name: str, estimate: Estimate, units: int) -> RepeatedRate:
    text = rate_text(estimate, units=units)
    return RepeatedRate(key, name, text, estimate.n_used, estimate.n_left_out, estimate.method.replace("95%", "95 %"))


def _estimate(value: Mapping[str, Any]) -> Estimate:
    return Estimate(**{**value, "warnings": tuple(value.get("warnings") or ())})
