"""An audit of the published reference labels: which of them contradict a dated, sourced assertion, and what the
inputs leak.

The labels were made by concordance of alteration and drug alone. Held against labels and pivotal trials (policy
`label`), some stand, some contradict a source, and some cannot be decided from what the case documents. And a label
that string rules without any knowledge of drugs predict from the inputs measures those rules. Nothing here changes
evidence, vocabulary or policy.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from equipoise.audit.case_parser import read_facts
from equipoise.audit.evidence_verifier import Evaluation, evaluate
from equipoise.audit.pipeline import Auditor
from equipoise.audit.verdict import LABELS, Label, Result, Verdict
from equipoise.benchmarks.openmtb.dataset import BenchmarkCase, dataset_hash
from equipoise.benchmarks.openmtb.run import AS_OF
from equipoise.cases.facts import TRUE, Facts
from equipoise.cases.formats import case_from_object
from equipoise.cases.model import SETTINGS, Recommendation
from equipoise.cases.vocabulary.drugs import classes_of, is_cytotoxic
from equipoise.cases.vocabulary.tokens import words
from equipoise.errors import CaseError
from equipoise.evidence.criteria import Leaf, leaves
from equipoise.evidence.model import Assertion

APPROVING: frozenset[str] = frozenset({Label.SUPPORTED, Label.PARTIALLY_SUPPORTED})
"""Labels that approve a recommendation, with or without points to weigh."""

_CURATIVE = frozenset(SETTINGS) - {"advanced", "metastatic"}

STANDING: dict[str, str] = {
    "stands": "the same label under the policy",
    "contradicted": "approved, and a criterion fails or a negative holds; or disapproved, and an assertion holds",
    "undecided": "the sources ask for something that the case does not document",
    "decided": "called insufficient, and the sources decide with what is documented",
    "weaker": "approved on both sides, at another strength",
}
"""How a published label stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """The assertion and criterion on which a judgement rests.

    Attributes:
        id: id of the assertion.
        source: where it can be read.
        level: A to D.
        required: what the source asks for; empty when the whole assertion is meant.
        found: what the case documents.
    """

    id: str
    source: str
    level: str
    required: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRow:
    """One published label against the sources.

    Attributes:
        case_id: id of the case.
        error_type: the error put in; "none" for a clean case.
        recommendation: as written.
        published: published label.
        audited: label under the policy; empty when the case cannot be read.
        standing: one of `STANDING`.
        reasons: reason codes of the audit, the deciding one first.
        findings: codes of `FINDINGS` that hold.
        in_scope: codes of `FINDINGS` that the case could have.
        cited: assertions on which this rests, at most three.
    """

    case_id: str
    error_type: str
    recommendation: str
    published: str
    audited: str
    standing: str
    reasons: tuple[str, ...]
    findings: tuple[str, ...]
    in_scope: tuple[str, ...]
    cited: tuple[Cited, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceAudit:
    """The audit of all labels.

    Attributes:
        policy: policy it was held against.
        as_of: day for which the evidence was read.
        evidence_hash: content hash of the base.
        dataset_hash: content hash of the cases.
        rows: one a case, in their order.
        unreadable: message by case id.
    """

    policy: str
    as_of: dt.date
    evidence_hash: str
    dataset_hash: str
    rows: tuple[ReferenceRow, ...]
    unreadable: Mapping[str, str]

    def standing(self) -> dict[str, int]:
        """Number of labels by how they stand; every key of `STANDING`, zero included."""
        found = Counter(row.standing for row in self.rows)
        return {code: found[code] for code in STANDING}

    def by_label(self) -> dict[str, dict[str, int]]:
        """Published label -> label under the policy -> number."""
        names = tuple(map(str, LABELS))
        table = {label: dict.fromkeys(names, 0) for label in names}
        for row in self.rows:
            if row.audited:
                table[row.published][row.audited] += 1
        return table

    def by_reason(self) -> dict[str, dict[str, int]]:
        """How labels that do not stand stand -> deciding reason code -> number, most frequent first."""
        table: dict[str, Counter[str]] = {}
        for row in self.rows:
            if row.standing != "stands" and row.reasons:
                table.setdefault(row.standing, Counter())[row.reasons[0]] += 1
        return {code: dict(table[code].most_common()) for code in STANDING if code in table}

    def standing_by_label(self) -> dict[str, dict[str, int]]:
        """Published label -> how it stands -> number."""
        table = {str(label): dict.fromkeys(STANDING, 0) for label in LABELS}
        for row in self.rows:
            table[row.published][row.standing] += 1
        return table

    def findings(self) -> dict[str, dict[str, Any]]:
        """Every finding: title, cases it concerns of the approved cases that could have it, and the assertions."""
        result: dict[str, dict[str, Any]] = {}
        for finding in FINDINGS:
            rows = [row for row in self.rows if finding.code in row.findings]
            scope = [row for row in self.rows if finding.code in row.in_scope and row.published in APPROVING]
            ids = Counter(cited.id for row in rows for cited in row.cited[:1])
            result[finding.code] = {
                "title": finding.title,
                "count": len(rows),
                "of": len(scope),
                "by_published": {
                    str(label): {
                        "count": sum(row.published == label for row in rows),
                        "of": sum(row.published == label for row in scope),
                    }
                    for label in LABELS
                    if label in APPROVING
                },
                "cases": [row.case_id for row in rows],
                "assertions": dict(ids.most_common()),
            }
        return result

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "policy": self.policy,
            "as_of": self.as_of.isoformat(),
            "evidence_hash": self.evidence_hash,
            "dataset_hash": self.dataset_hash,
            "cases": len(self.rows) + len(self.unreadable),
            "standing": self.standing(),
            "standing_text": dict(STANDING),
            "standing_by_label": self.standing_by_label(),
            "by_label": self.by_label(),
            "by_reason": self.by_reason(),
            "findings": self.findings(),
            "rows": [asdict(row) for row in self.rows],
            "unreadable": dict(self.unreadable),
        }


# --- findings --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Seen:
    """One case with everything a finding can ask."""

    published: str
    facts: Facts
    recommendation: Recommendation
    supports: tuple[Evaluation, ...]
    verdict: Verdict

    @property
    def approved(self) -> bool:
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
    scope: Callable[[_Seen], bool]
    test: Callable[[_Seen], tuple[tuple[Evaluation, Leaf | None], ...]]


def _any(seen: _Seen) -> bool:
    return True


def _with_t790m(seen: _Seen) -> bool:
    return seen.facts.marker("EGFR:T790M") == TRUE and bool(seen.asking("EGFR:T790M", "progressed_on", "received"))


def _immune(seen: _Seen) -> bool:
    return any("immune-checkpoint-inhibitor" in classes_of(name) for name in seen.recommendation.components)


def _curative(seen: _Seen) -> bool:
    return seen.facts.setting is not None and seen.facts.setting <= _CURATIVE


def _t790m(seen: _Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not seen.approved or seen.facts.marker("EGFR:T790M") != TRUE or seen.facts.priors is None:
        return ()
    if any("egfr-tki" in classes_of(name) for prior in seen.facts.priors for name in prior.drugs):
        return ()
    return seen.asking("EGFR:T790M", "progressed_on", "received")


def _given_before(seen: _Seen) -> frozenset[str]:
    priors = seen.facts.priors or ()
    given = frozenset(name for prior in priors for name in prior.drugs)
    return frozenset(
        name for name in seen.recommendation.components & given if classes_of(name) and not is_cytotoxic(name)
    )


def _same_drug(seen: _Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
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


def _same_immunotherapy(seen: _Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not any("immune-checkpoint-inhibitor" in classes_of(name) for name in _given_before(seen)):
        return ()
    return _same_drug(seen)


def _progressed(seen: _Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not seen.approved:
        return ()
    return tuple((item, leaf) for item, leaf in seen.failing() if leaf.kind == "rechallenge")


def _setting(seen: _Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not seen.approved or not _curative(seen):
        return ()
    return tuple((item, leaf) for item, leaf in seen.failing() if leaf.kind == "setting")


def _pdl1(seen: _Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
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


def _prior(seen: _Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
    if not seen.approved:
        return ()
    return tuple((item, leaf) for item, leaf in seen.failing() if leaf.kind in ("progressed_on", "received"))


def _line(seen: _Seen) -> tuple[tuple[Evaluation, Leaf | None], ...]:
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


# --- the audit -------------------------------------------------------------------------------------------------------


def audit_reference(
    cases: Iterable[BenchmarkCase], *, as_of: dt.date = AS_OF, policy: str = "label", auditor: Auditor | None = None
) -> ReferenceAudit:
    """Hold every published label against the sources.

    Args:
        cases: the published cases.
        as_of: day for which the evidence is read.
        policy: policy under which the labels are held against the sources.
        auditor: one that is ready; `as_of` and `policy` are then not read.
    """
    kept = tuple(cases)
    judge = auditor if auditor is not None else Auditor(as_of=as_of, policy=policy)
    rows: list[ReferenceRow] = []
    unreadable: dict[str, str] = {}
    for case in kept:
        try:
            rows.append(_row(case, judge))
        except CaseError as error:
            unreadable[case.case_id] = str(error)
    return ReferenceAudit(
        policy=judge.policy.id,
        as_of=judge.as_of,
        evidence_hash=judge.evidence.hash,
        dataset_hash=dataset_hash(kept),
        rows=tuple(rows),
        unreadable=unreadable,
    )


def _row(item: BenchmarkCase, auditor: Auditor) -> ReferenceRow:
    case = case_from_object(item.inputs)
    verdict = auditor.audit(case)[0]
    published = item.reference.label
    findings: tuple[str, ...] = ()
    in_scope: tuple[str, ...] = ()
    cited: tuple[Cited, ...] = ()
    if case.recommendations and case.recommendations[0].components:
        recommendation = case.recommendations[0]
        day = case.as_of or auditor.as_of
        facts = read_facts(case, recommendation, as_of=day, reading=auditor.policy.reading)
        selection = auditor.evidence.select(recommendation.components, auditor.jurisdiction, day)
        supports = tuple(evaluate(auditor.plan(one), facts, match) for one, match in selection.supports)
        seen = _Seen(published, facts, recommendation, supports, verdict)
        shown = {finding.code: finding.test(seen) for finding in FINDINGS}
        findings = tuple(code for code, proof in shown.items() if proof)
        in_scope = tuple(finding.code for finding in FINDINGS if finding.scope(seen))
        cited = _cited([pair for code in findings for pair in shown[code]], facts)
    standing = _standing(published, str(verdict.label))
    if not cited and standing != "stands":
        cited = _of_verdict(verdict, auditor)
    return ReferenceRow(
        case_id=item.case_id,
        error_type=item.reference.error_type,
        recommendation=verdict.recommendation,
        published=published,
        audited=str(verdict.label),
        standing=standing,
        reasons=tuple(reason.code for reason in verdict.reasons),
        findings=findings,
        in_scope=in_scope,
        cited=cited,
    )


def _standing(published: str, audited: str) -> str:
    if published == audited:
        return "stands"
    if published in APPROVING and audited in APPROVING:
        return "weaker"
    if audited == Label.INSUFFICIENT_INFORMATION:
        return "undecided"
    if published == Label.INSUFFICIENT_INFORMATION:
        return "decided"
    return "contradicted"


def _cited(pairs: Sequence[tuple[Evaluation, Leaf | None]], facts: Facts) -> tuple[Cited, ...]:
    from equipoise.evidence.criteria import found

    kept: dict[str, Cited] = {}
    for item, leaf in sorted(pairs, key=lambda pair: _nearness(pair[0])):
        assertion = item.assertion
        if assertion.id not in kept and len(kept) < 3:
            required = leaf.required if leaf is not None else ""
            documented = found(leaf, facts) if leaf is not None else ""
            kept[assertion.id] = _cite(assertion, required, documented)
    return tuple(kept.values())


def _nearness(item: Evaluation) -> tuple[int, int, int, str, str]:
    failing = sum(role == "requires" for role, _ in item.violated)
    satisfied = len(item.plan.requires or ()) - failing - len(item.unknown)
    return (len(item.violated), len(item.unknown), -satisfied, item.assertion.level, item.assertion.id)


def _cite(assertion: Assertion, required: str = "", documented: str = "") -> Cited:
    return Cited(
        id=assertion.id, source=assertion.source_text, level=assertion.level, required=required, found=documented
    )


def _of_verdict(verdict: Verdict, auditor: Auditor) -> tuple[Cited, ...]:
    rows: list[Cited] = []
    for use in (*verdict.evidence_against, *verdict.evidence)[:3]:
        failing = [one for one in use.criteria if one.result is not Result.SATISFIED]
        first = failing[0] if failing else None
        rows.append(_cite(auditor.evidence.get(use.id), first.required if first else "", first.found if first else ""))
    return tuple(rows)


# --- what the inputs leak --------------------------------------------------------------------------------------------

FEATURE_SETS: dict[str, str] = {
    "all": "words of every input, the profile key included",
    "no-profile": "words of every input but the profile key",
    "no-drug-no-marker": "words of every input but alteration, therapy and profile key",
    "shape": "only which inputs are empty, and which hold brackets, arrows, slashes or plus signs",
}
"""What a classifier is given."""

_SUBJECT = frozenset({"genomic_alteration", "proposed_therapy", "patient_summary", "profile_key", "case_id"})
_SIGNS = {"(": "bracket", "[": "bracket", "\u2192": "arrow", "->": "arrow", "/": "slash", "+": "plus"}
_EMPTY = frozenset({"", "none", "unknown", "tbd", "n/a", "not documented"})


def features(inputs: Mapping[str, Any], feature_set: str) -> frozenset[str]:
    """The binary features of one case.

    Args:
        inputs: what a system is shown.
        feature_set: one of `FEATURE_SETS`.
    """
    found: set[str] = set()
    for name, value in inputs.items():
        if name in ("case_id", "patient_summary") or (name == "profile_key" and feature_set != "all"):
            continue
        if feature_set == "no-drug-no-marker" and name in _SUBJECT:
            continue
        text = "" if value is None else str(value)
        if text.strip().lower() in _EMPTY:
            found.add(f"{name} is empty")
        found.update(f"{name} holds {sign}" for mark, sign in _SIGNS.items() if mark in text)
        if feature_set != "shape":
            found.update(f"{name}: {word}" for word in words(text))
    return frozenset(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakScore:
    """How well something without knowledge of drugs predicts a published target.

    Attributes:
        predictor: "naive Bayes", "best single feature" or "four string rules".
        features: one of `FEATURE_SETS`; "rules" for the rules.
        target: "label" or "abstain".
        accuracy: mean over seeds of the share predicted right on cases left out.
        low: smallest over seeds.
        high: largest over seeds.
        balanced_accuracy: mean recall over classes, mean over seeds.
        majority: share of the most frequent class, which needs no input at all.
    """

    predictor: str
    features: str
    target: str
    accuracy: float
    low: float
    high: float
    balanced_accuracy: float
    majority: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakAudit:
    """What the inputs give away.

    Attributes:
        scores: one a predictor, feature set and target.
        giveaways: features that nearly determine a label: the feature, its label, how many cases have it, and of them
            the share with that label.
        seeds: seeds of the cross-validation.
        folds: number of folds.
    """

    scores: tuple[LeakScore, ...]
    giveaways: tuple[tuple[str, str, int, float], ...]
    seeds: tuple[int, ...]
    folds: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "scores": [asdict(score) for score in self.scores],
            "feature_sets": dict(FEATURE_SETS),
            "giveaways": [
                {"feature": name, "label": label, "cases": count, "share": share}
                for name, label, count, share in self.giveaways
            ],
            "seeds": list(self.seeds),
            "folds": self.folds,
        }


def leak_audit(cases: Iterable[BenchmarkCase], *, seeds: Sequence[int] = (0, 1, 2, 3, 4), folds: int = 5) -> LeakAudit:
    """How well string rules without knowledge of drugs predict label and abstention.

    Args:
        cases: the published cases.
        seeds: seeds by which cases are dealt into folds; each fold holds every label in its share.
        folds: number of folds.

    Raises:
        ValueError: there are fewer cases than folds.
    """
    kept = tuple(cases)
    if len(kept) < folds:
        message = f"{len(kept)} cases are too few for {folds} folds"
        raise ValueError(message)
    targets = {
        "label": np.array([LABELS.index(case.reference.label) for case in kept]),
        "abstain": np.array([int(case.reference.abstain) for case in kept]),
    }
    scores: list[LeakScore] = []
    for feature_set in FEATURE_SETS:
        matrix, _ = _matrix(kept, feature_set)
        for target, values in targets.items():
            for predictor, fit in (("naive Bayes", _naive_bayes), ("best single feature", _stump)):
                runs = [_cross_validate(matrix, values, fit, seed, folds) for seed in seeds]
                scores.append(_score(predictor, feature_set, target, runs, values))
    ruled = [four_rules(case.inputs) for case in kept]
    for target, values in targets.items():
        answers = np.array([LABELS.index(label) if target == "label" else int(abstain) for label, abstain in ruled])
        scores.append(_score("four string rules", "rules", target, [answers], values))
    return LeakAudit(scores=tuple(scores), giveaways=_giveaways(kept), seeds=tuple(seeds), folds=folds)


def four_rules(inputs: Mapping[str, Any]) -> tuple[str, bool]:
    """Label and abstention by four rules that know no drug, marker or disease.

    1. Performance status, history or stage empty, or "TBD" proposed: Insufficient Information, abstain.
    2. A bracket after the alteration: Unsupported, abstain. A bracket after the therapy: Unsupported.
    3. An arrow in the history: Partially Supported, abstain.
    4. Otherwise: Supported.

    They were written after seeing the data, so their score is a ceiling and not an estimate.
    """

    def text(name: str) -> str:
        value = inputs.get(name)
        return "" if value is None else str(value).strip()

    if any(text(name).lower() in _EMPTY for name in ("ecog", "prior_therapy", "stage", "proposed_therapy")):
        return str(Label.INSUFFICIENT_INFORMATION), True
    if "(" in text("genomic_alteration"):
        return str(Label.UNSUPPORTED), True
    if "(" in text("proposed_therapy"):
        return str(Label.UNSUPPORTED), False
    if "\u2192" in text("prior_therapy") or "->" in text("prior_therapy"):
        return str(Label.PARTIALLY_SUPPORTED), True
    return str(Label.SUPPORTED), False


def _matrix(cases: Sequence[BenchmarkCase], feature_set: str) -> tuple[_Array, tuple[str, ...]]:
    rows = [features(case.inputs, feature_set) for case in cases]
    names = tuple(sorted(frozenset().union(*rows)))
    place = {name: column for column, name in enumerate(names)}
    matrix = np.zeros((len(rows), len(names)), dtype=np.float64)
    for number, row in enumerate(rows):
        matrix[number, [place[name] for name in row]] = 1.0
    return matrix, names


_Array = np.ndarray[Any, Any]
_Fit = Callable[[_Array, _Array, int], Callable[[_Array], _Array]]


def _naive_bayes(matrix: _Array, values: _Array, classes: int) -> Callable[[_Array], _Array]:
    """Bernoulli naive Bayes with Laplace smoothing."""
    counts = np.array([(values == one).sum() for one in range(classes)], dtype=np.float64)
    present = np.array([matrix[values == one].sum(axis=0) for one in range(classes)])
    share = (present + 1.0) / (counts[:, None] + 2.0)
    prior = np.log((counts + 1.0) / (counts.sum() + classes))
    on, off = np.log(share), np.log1p(-share)

    def predict(rows: _Array) -> _Array:
        answer: _Array = (prior + rows @ (on - off).T + off.sum(axis=1)).argmax(axis=1)
        return answer

    return predict


def _stump(matrix: _Array, values: _Array, classes: int) -> Callable[[_Array], _Array]:
    """The one feature whose presence and absence predict best; the first by name among equals."""
    one_hot = np.eye(classes)[values]
    with_it = matrix.T @ one_hot
    without = one_hot.sum(axis=0) - with_it
    best = int((with_it.max(axis=1) + without.max(axis=1)).argmax())
    present, absent = int(with_it[best].argmax()), int(without[best].argmax())

    def predict(rows: _Array) -> _Array:
        return np.where(rows[:, best] > 0, present, absent)

    return predict


def _cross_validate(matrix: _Array, values: _Array, fit: _Fit, seed: int, folds: int) -> _Array:
    """Predictions of every case from the folds it is not in."""
    rng = np.random.default_rng(seed)
    fold = np.empty(len(values), dtype=np.int64)
    for one in np.unique(values):
        members = np.flatnonzero(values == one)
        fold[rng.permutation(members)] = np.arange(len(members)) % folds
    answers = np.empty_like(values)
    classes = int(values.max()) + 1
    for part in range(folds):
        left_out = fold == part
        answers[left_out] = fit(matrix[~left_out], values[~left_out], classes)(matrix[left_out])
    return answers


def _score(predictor: str, feature_set: str, target: str, runs: Sequence[_Array], values: _Array) -> LeakScore:
    right = [float((answers == values).mean()) for answers in runs]
    present = np.unique(values)
    recalls = [float(np.mean([(answers[values == one] == one).mean() for one in present])) for answers in runs]
    return LeakScore(
        predictor=predictor,
        features=feature_set,
        target=target,
        accuracy=round(float(np.mean(right)), 4),
        low=round(min(right), 4),
        high=round(max(right), 4),
        balanced_accuracy=round(float(np.mean(recalls)), 4),
        majority=round(float(np.bincount(values).max() / len(values)), 4),
    )


def _giveaways(
    cases: Sequence[BenchmarkCase], *, least: int = 10, share: float = 0.98
) -> tuple[tuple[str, str, int, float], ...]:
    """Features of the shape alone that at least ten cases have, nearly all of them with one label."""
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        for name in features(case.inputs, "shape"):
            counts.setdefault(name, Counter())[case.reference.label] += 1
    found = []
    for name, labels in counts.items():
        label, top = labels.most_common(1)[0]
        total = sum(labels.values())
        if total >= least and top / total >= share:
            found.append((name, label, total, round(top / total, 4)))
    return tuple(sorted(found, key=lambda row: (-row[2], row[0])))


# --- as text ----------------------------------------------------------------------------------------------------------


def reference_markdown(audit: ReferenceAudit, leaks: LeakAudit | None = None) -> str:
    """Both audits as Markdown tables: counts, findings with their assertions, what the inputs leak; no list of cases.

    Args:
        audit: the audit of the labels.
        leaks: the leak audit; None leaves that part out.
    """
    lines = [
        "# Audit of the published reference labels",
        "",
        f"Policy `{audit.policy}`, evidence as of {audit.as_of.isoformat()} (hash `{audit.evidence_hash}`), "
        f"{len(audit.rows)} cases (hash `{audit.dataset_hash}`).",
        "",
        "| the published label | " + " | ".join(STANDING) + " |",
        "|---|" + "---:|" * len(STANDING),
    ]
    for label, row in audit.standing_by_label().items():
        lines.append(f"| {label} | " + " | ".join(str(row[code]) for code in STANDING) + " |")
    lines.append("| all | " + " | ".join(str(count) for count in audit.standing().values()) + " |")
    lines.append("")
    lines.extend(f"- {code}: {text}." for code, text in STANDING.items())
    lines += ["", "| it does not stand | deciding reason | cases |", "|---|---|---:|"]
    for code, reasons in audit.by_reason().items():
        lines.extend(f"| {code} | `{reason}` | {count} |" for reason, count in reasons.items())
    lines += ["", "| finding | cases of those that could have it | assertion named most often |", "|---|---|---|"]
    for finding in audit.findings().values():
        named = next(iter(finding["assertions"]), "")
        parts = [f"{one['count']} of {one['of']} {label}" for label, one in finding["by_published"].items()]
        lines.append(f"| {finding['title']} | {', '.join(parts)} | {f'`{named}`' if named else ''} |")
    if leaks is not None:
        lines += [
            "",
            "## What the inputs leak",
            "",
            f"{leaks.folds}-fold cross-validation, seeds {', '.join(map(str, leaks.seeds))}. The four rules were "
            "written after seeing the data: a ceiling, not an estimate.",
            "",
            "| predictor | given | target | accuracy | balanced | majority class |",
            "|---|---|---|---:|---:|---:|",
        ]
        lines.extend(
            f"| {one.predictor} | {one.features} | {one.target} | {one.accuracy:.3f} | {one.balanced_accuracy:.3f} "
            f"| {one.majority:.3f} |"
            for one in leaks.scores
        )
        lines += ["", "| feature of the shape alone | label | cases | share |", "|---|---|---:|---:|"]
        lines.extend(f"| {name} | {label} | {count} | {share:.2f} |" for name, label, count, share in leaks.giveaways)
    return "\n".join(lines) + "\n"
