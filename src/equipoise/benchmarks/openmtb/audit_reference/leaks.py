"""What the inputs give away: how well label and abstention are predicted without knowledge of drugs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from equipoise.audit.verdict import LABELS
from equipoise.benchmarks.openmtb.audit_reference.input_features import FEATURE_SETS, features, four_rules
from equipoise.benchmarks.openmtb.audit_reference.predictors import Array, cross_validate, naive_bayes, stump
from equipoise.benchmarks.openmtb.dataset import BenchmarkCase


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
            for predictor, fit in (("naive Bayes", naive_bayes), ("best single feature", stump)):
                runs = [cross_validate(matrix, values, fit, seed, folds) for seed in seeds]
                scores.append(_score(predictor, feature_set, target, runs, values))
    ruled = [four_rules(case.inputs) for case in kept]
    for target, values in targets.items():
        answers = np.array([LABELS.index(label) if target == "label" else int(abstain) for label, abstain in ruled])
        scores.append(_score("four string rules", "rules", target, [answers], values))
    return LeakAudit(scores=tuple(scores), giveaways=_giveaways(kept), seeds=tuple(seeds), folds=folds)


def _matrix(cases: Sequence[BenchmarkCase], feature_set: str) -> tuple[Array, tuple[str, ...]]:
    rows = [features(case.inputs, feature_set) for case in cases]
    names = tuple(sorted(frozenset().union(*rows)))
    place = {name: column for column, name in enumerate(names)}
    matrix = np.zeros((len(rows), len(names)), dtype=np.float64)
    for number, row in enumerate(rows):
        matrix[number, [place[name] for name in row]] = 1.0
    return matrix, names


def _score(predictor: str, feature_set: str, target: str, runs: Sequence[Array], values: Array) -> LeakScore:
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
