from __future__ import annotations

import sys

import pytest

from equipoise.errors import DependencyError
from equipoise.statistics import (
    clopper_pearson,
    cluster_robust_rate,
    cochran_q,
    family_effects,
    jeffreys,
    mcnemar,
    wilson,
)


@pytest.mark.parametrize(
    "call",
    [
        lambda: clopper_pearson(1, 5),
        lambda: jeffreys(1, 5),
        lambda: cochran_q([[1, 0], [0, 1]]),
        lambda: cluster_robust_rate([0, 1, 1], [1, 2, 3]),
        lambda: family_effects([0.1, 0.2], [0.1, 0.1], ["a", "b"]),
    ],
)
def test_without_scipy_the_extra_is_named(monkeypatch, call):
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(DependencyError, match=r"equipoise\[stats\]"):
        call()


def test_the_core_needs_numpy_only(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    assert wilson(1, 5).estimate == 0.2
    assert mcnemar(5, 0).p_value == 0.0625
