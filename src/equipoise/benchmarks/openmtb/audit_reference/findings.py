"""Ways in which an approving label contradicts a source, each with the assertions that show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from equipoise.audit.evidence_verifier import Evaluation
from equipoise.audit.verdict import Label, Result, Verdict
from equipoise.cases.facts import TRUE, Facts
from equipoise.cases.model import SETTINGS, Recommendation
from equipoise.cases.vocabulary.drugs import classes_of, is_cytotoxic
from equipoise.evidence.criteria import Leaf, leaves

APPROVING: frozenset[str] = frozenset({Label.SUPPORTED, Label.PARTIALLY_SUPPORTED})
"""Labels that approve a recommendation, with or without points to weigh."""

_CURATIVE = frozenset(SETTINGS) - {"advanced", "metastatic"}


@dataclass(frozen=True, slots=True)
class Seen:
    """One case with everything a finding can ask.

    Attributes:
        published: published label.
        facts: what the case documents.
        recommendation: the one that is judged.
        supports: assertions for the regimen, held against the case.
        verdict: of the audit.
    """

    published: str
    facts: Facts
    recommendation: Recommendation
    supports: tuple[Evaluation, ...]
    verdict: Verdict

    @property
    def approved(self) -> bool:
        """Whether the published label approves."""
        return self.published in APPROVING

    def failing(self) -> tuple[tuple[Evaluation, Leaf], ...]:
        """Failing leaves of the assertions that came nearest."""
        violated = [item for item in self.supports if item.result is Result.VIOLATED]
        if not violated or len(violated) < len(self.supports):
            return ()
        fewest = min(len(item.violated) for item in violated)
        return tuple(
            (item, leaf)
            for item in violated
            if len(item.violated) == fewest
            for _, node in item.violated
            for leaf in leaves(node)
        )

    def asking(self, marker: str, *kinds: str) -> tuple[tuple[Evaluation, Leaf | None], ...]:
        """Assertions for the regimen that ask for a marker, with their first criterion of one of these kinds."""
        found: list[tuple[Evaluation, Leaf | None]] = []
        for item in self.supports:
            parts = [leaf for node in item.assertion.requires for leaf in leaves(node)]
            if any(leaf.kind == "biomarker" and marker in leaf.payload for leaf in parts):
                found.extend((item, leaf) for leaf in parts if leaf.kind in kinds)
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which a published label contradicts a source.

    Attributes:
        code: short name.
        title: what it says of a case.
        scope: whether a case could have it at all.
        test: the assertions and criteria that show it; empty when it does not hold.
    """

    code: str
    title: str
    scope: Callable[[Seen], bool]
    test: Callable[[Seen], tuple[tuple[Evaluation, Leaf | None], ...]]


def _any(seen: Seen) -> bool:
    return True


def _with_t790m(seen: Seen) -> bool:
    return seen.facts.marker("EGFR:T790M") == TRUE and bool(seen.asking("EGFR:T790M", "progressed_on", "received"))


def _immune(seen: Seen) -> bool:
    return any("immune-checkpoint-inhibitor" in classes_of(name) for name in seen.recommendation.components)


def _curative(seen: Seen) -> bool:
    return seen.facts.setting is not None and seen.facts.setting <= _CURATIVE


def _t790m(seen: Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not seen.approved or seen.facts.marker("EGFR:T790M") != TRUE or seen.facts.priors is None:
        return ()
    if any("egfr-tki" in classes_of(name) for prior in seen.facts.priors for name in prior.drugs):
        return ()
    return seen.asking("EGFR:T790M", "progressed_on", "received")


def _given_before(seen: Seen) -> frozenset[str]:
    priors = seen.facts.priors or ()
    given = frozenset(name for prior in priors for name in prior.drugs)
    return frozenset(
        name for name in seen.recommendation.components & given if classes_of(name) and not is_cytotoxic(name)
    )


def _same_drug(seen: Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not seen.approved or not _given_before(seen):
        return ()
    kinds = ("rechallenge", "progressed_on", "line", "received")
    found: list[tuple[Evaluation, Leaf | None]] = []
    for item in seen.supports:
        nodes = (*item.assertion.unless, *item.assertion.requires)
        parts = [leaf for node in nodes for leaf in leaves(node)]
        chosen = next((leaf for kind in kinds for leaf in parts if leaf.kind == kind), None)
        if chosen is not None:
            found.append((item, chosen))
    return tuple(found)


def _same_immunotherapy(seen: Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not any("immune-checkpoint-inhibitor" in classes_of(name) for name in _given_before(seen)):
        return ()
    return _same_drug(seen)


def _progressed(seen: Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not seen.approved:
        return ()
    return tuple((item, leaf) for item, leaf in seen.failing() if leaf.kind == "rechallenge")


def _setting(seen: Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not seen.approved or not _curative(seen):
        return ()
    return tuple((item, leaf) for item, leaf in seen.failing() if leaf.kind == "setting")


def _pdl1(seen: Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not seen.approved:
        return ()
    found: list[tuple[Evaluation, Leaf | None]] = [(item, leaf) for item, leaf in seen.failing() if leaf.kind == "pdl1"]
    if found or not _immune(seen):
        return tuple(found)
    asked = seen.facts.present & {"PD-L1:TPS>=1", "PD-L1:TPS>=50"}
    tps = seen.facts.tps
    least = 50 if "PD-L1:TPS>=50" in asked else 1
    if "pdl1" in seen.facts.conflicts or (tps is not None and asked and tps.high < least):
        return tuple((item, None) for item in seen.supports)
    return ()


def _prior(seen: Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not seen.approved:
        return ()
    return tuple((item, leaf) for item, leaf in seen.failing() if leaf.kind in ("progressed_on", "received"))


def _line(seen: Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not seen.approved:
        return ()
    return tuple((item, leaf) for item, leaf in seen.failing() if leaf.kind == "line")


FINDINGS: tuple[Finding, ...] = (
    Finding(
        "t790m-without-egfr-tki",
        "T790M, approved without an EGFR TKI before it; the label asks for progression on one",
        _with_t790m,
        _t790m,
    ),
    Finding(
        "same-immunotherapy-again",
        "a checkpoint inhibitor approved that the patient already had",
        _immune,
        _same_immunotherapy,
    ),
    Finding(
        "same-drug-again",
        "a drug other than a cytotoxic one approved that the patient already had",
        _any,
        _same_drug,
    ),
    Finding("progressed-on-drug", "a drug approved on which the disease progressed", _any, _progressed),
    Finding(
        "setting-without-evidence",
        "approved in an adjuvant or other curative setting for which nothing on file speaks",
        _curative,
        _setting,
    ),
    Finding(
        "pdl1-below-cut",
        "a checkpoint inhibitor approved with PD-L1 below the cut, or with two PD-L1 values that exclude each other",
        _immune,
        _pdl1,
    ),
    Finding(
        "prior-therapy-not-given",
        "approved without the prior therapy that the nearest assertion asks for",
        _any,
        _prior,
    ),
    Finding("other-line", "approved in a line that the nearest assertion excludes", _any, _line),
)
"""Ways in which an approving label contradicts a source; a case can have several."""
