"""The findings of a verdict: what a person has to look at, each with its weight. Shared by the FHIR bundle and the issue list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from equipoise.audit.verdict import CaveatState, EvidenceUse, Label, Verdict


class Weight(StrEnum):
    """How much a finding weighs for the label."""

    DECIDES = "decides"
    WEIGH = "weigh"
    OPEN = "open"
    NOTE = "note"


WEIGHT_TEXT: Mapping[Weight, str] = {
    Weight.DECIDES: "the evidence on file does not support, or speaks against, what is recommended",
    Weight.WEIGH: "a point to weigh beside evidence that supports it",
    Weight.OPEN: "nothing is decided; a person decides",
    Weight.NOTE: "does not change the label",
}
"""What each weight means, for people."""

_OPEN = frozenset({
    "input-missing", "input-conflicting", "biomarker-not-tested", "knowledge-silent", "out-of-scope", "combination-unknown", "drug-unknown",
    "unsupported-language", "trial-recommendation", "non-drug-recommendation",
})  # fmt: skip
"""Reasons that say what is not known; they never say that something is wrong."""
_NOTES = frozenset({"level-overstated", "citation-mismatch", "instruction-in-input"})
"""Reasons that speak of the record, not of the therapy."""


_READS: Mapping[str, tuple[str, ...]] = {
    "supported-other-line": ("prior_therapies",),
    "supported-other-setting": ("setting",),
    "biomarker-absent": ("biomarkers",),
    "biomarker-not-tested": ("biomarkers",),
    "variant-uncertain": ("biomarkers",),
    "variant-not-actionable": ("biomarkers",),
    "resistance": ("biomarkers",),
    "wrong-context": ("tumor",),
    "out-of-scope": ("tumor",),
    "histology-mismatch": ("histology",),
    "pdl1-mismatch": ("pdl1",),
    "stage-mismatch": ("stage",),
    "prior-therapy-mismatch": ("prior_therapies",),
    "progressed-on-drug": ("prior_therapies",),
    "performance-status-mismatch": ("ecog",),
}
"""Reason code -> fields of the case that it reads; the others speak of the recommendation or the sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding.

    Attributes:
        code: reason code, or `caveat:` and the caveat's name.
        text: one sentence.
        weight: what it does to the label.
        fields: fields of the case that it reads.
        evidence: assertions it rests on.
    """

    code: str
    text: str
    weight: Weight
    fields: tuple[str, ...] = ()
    evidence: tuple[EvidenceUse, ...] = ()


def findings(verdict: Verdict) -> tuple[Finding, ...]:
    """Every reason but plain support, and every caveat that fires, in the order of the verdict."""
    fires = [item for item in verdict.caveats if item.state is CaveatState.FIRES]
    skipped = {"supported", "caveat-fires"} if fires else {"supported"}
    found = [
        Finding(
            code=str(reason.code),
            text=reason.text,
            weight=_weight(verdict, str(reason.code)),
            fields=_fields(verdict, str(reason.code)),
            evidence=_evidence(verdict, str(reason.code)),
        )
        for reason in verdict.reasons
        if reason.code not in skipped
    ]
    named = {finding.code for finding in found}
    for caveat in fires:
        if caveat.name not in named:
            found.append(
                Finding(
                    code=f"caveat:{caveat.name}",
                    text=f"{caveat.text} ({caveat.source})" if caveat.source else caveat.text,
                    weight=Weight.WEIGH,
                    fields=(caveat.field,) if caveat.field else (),
                )
            )
    return tuple(found)


def _weight(verdict: Verdict, code: str) -> Weight:
    if code in _NOTES:
        return Weight.NOTE
    if code in _OPEN or verdict.label is Label.INSUFFICIENT_INFORMATION:
        return Weight.OPEN
    return Weight.DECIDES if verdict.label is Label.UNSUPPORTED else Weight.WEIGH


def _fields(verdict: Verdict, code: str) -> tuple[str, ...]:
    if code == "input-missing":
        others = tuple(name for name in verdict.missing_fields if not name.startswith("biomarkers"))
        return others or verdict.missing_fields
    read = _READS.get(code, ())
    if read != ("biomarkers",):
        return read
    named = [
        criterion.field
        for use in (*verdict.evidence_against[:1], *verdict.evidence[:1])
        for criterion in use.criteria
        if criterion.field.startswith("biomarkers")
    ]
    missing = [name for name in verdict.missing_fields if name.startswith("biomarkers")]
    return tuple(dict.fromkeys(missing if code == "biomarker-not-tested" else named)) or read


def _evidence(verdict: Verdict, code: str) -> tuple[EvidenceUse, ...]:
    against = code in ("resistance", "contradicted", "contraindicated", "not-indicated")
    return verdict.evidence_against[:1] if against else verdict.evidence[:1]
