"""Predictors that know no drug, marker or disease: naive Bayes, the best single feature, and their cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
"""Binary features, a row a case; or one class number a case."""

Fit = Callable[[Array, Array, int], Callable[[Array], Array]]
"""Learns from features, class numbers and the number of classes; gives what predicts class numbers from features."""


def naive_bayes(matrix: Array, values: Array, classes: int) -> Callable[[Array], Array]:
    """Bernoulli naive Bayes with Laplace smoothing."""
    counts = np.array([(values == one).sum() for one in range(classes)], dtype=np.float64)
    present = np.array([matrix[values == one].sum(axis=0) for one in range(classes)])
    share = (present + 1.0) / (counts[:, None] + 2.0)
    prior = np.log((counts + 1.0) / (counts.sum() + classes))
    on, off = np.log(share), np.log1p(-share)

    def predict(rows: Array) -> Array:
        answer: Array = (prior + rows @ (on - off).T + off.sum(axis=1)).argmax(axis=1)
        return answer

    return predict


def stump(matrix: Array, values: Array, classes: int) -> Callable[[Array], Array]:
    """The one feature whose presence and absence predict best; the first by name among equals."""
    one_hot = np.eye(classes)[values]
    with_it = matrix.T @ one_hot
    without = one_hot.sum(axis=0) - with_it
    best = int((with_it.max(axis=1) + without.max(axis=1)).argmax())
    present, absent = int(with_it[best].argmax()), int(without[best].argmax())

    def predict(rows: Array) -> Array:
        return np.where(rows[:, best] > 0, present, absent)

    return predict


def cross_validate(matrix: Array, values: Array, fit: Fit, seed: int, folds: int) -> Array:
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
