from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.statistics import benjamini_hochberg, holm

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def test_against_statsmodels(reference):
    made = reference["multiplicity"]
    assert holm(made["values"]) == pytest.approx(tuple(made["holm"]))
    assert benjamini_hochberg(made["values"]) == pytest.approx(tuple(made["benjamini_hochberg"]))


@given(P_VALUES)
def test_adjusted_values_are_larger_ordered_and_at_most_one(values):
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust(values)
        assert all(value <= new + 1e-15 and new <= 1 for value, new in zip(values, adjusted, strict=True))
        order = sorted(range(len(values)), key=values.__getitem__)
        assert all(adjusted[first] <= adjusted[second] for first, second in pairwise(order))
    assert all(b <= h + 1e-15 for b, h in zip(benjamini_hochberg(values), holm(values), strict=True))


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_edges(adjust):
    assert adjust([]) == ()
    assert adjust([0.03]) == (0.03,)
    with pytest.raises(ValueError, match="between 0 and 1"):
        adjust([0.5, float("nan")])
