"""Module 6: whether a human must decide."""

from __future__ import annotations

from equipoise.audit.policy import Policy
from equipoise.audit.safety_classifier import Decision


def must_abstain(decision: Decision, policy: Policy) -> bool:
    """Whether the policy leaves this decision to a human, by its label or by one of its reasons."""
    if decision.label in policy.abstain.labels:
        return True
    codes = {note.code for note in decision.notes}
    if codes & policy.abstain.unopposed and not codes & _AGAINST:
        return True
    return bool(codes & (policy.abstain.reasons | _ALWAYS))


_AGAINST = frozenset({"contradicted", "resistance"})
"""An assertion that speaks against the regimen decides by itself."""


_ALWAYS = frozenset({
    "knowledge-silent", "combination-unknown", "drug-unknown", "out-of-scope", "trial-recommendation", "non-drug-recommendation",
    "unsupported-language",
})  # fmt: skip
"""What the sources on file cannot judge is never decided, whatever the policy calls it."""
