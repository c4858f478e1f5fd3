from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.statistics import cohen_h, wilson

# Worked from the definition with z = 1.959963985. For 0 of n the upper end is z^2 / (n + z^2) = 3.841459 / 53.841459;
# for the others the ends are the two roots p of (rate - p)^2 = z^2 p (1 - p) / n.
REFERENCE = [
    (0, 50, 0.0, 0.0713476),
    (50, 50, 0.9286524, 1.0),
    (15, 20, 0.5312995, 0.8881380),
    (1, 2, 0.0945312, 0.9054688),
]


@pytest.mark.parametrize(("successes", "n", "low", "high"), REFERENCE)
def test_reference_values(successes, n, low, high):
    result = wilson(successes, n)
    assert result.estimate == successes / n
    assert result.low == pytest.approx(low, abs=1e-6)
    assert result.high == pytest.approx(high, abs=1e-6)


@given(n=st.integers(1, 2000), data=st.data())
def test_never_of_zero_width_and_holds_the_rate(n, data):
    successes = data.draw(st.integers(0, n))
    result = wilson(successes, n)
    assert 0 <= result.low <= successes / n <= result.high <= 1
    assert result.high - result.low > 0


@given(n=st.integers(1, 500), data=st.data())
def test_ends_are_where_the_score_test_is_just_not_rejected(n, data):
    successes = data.draw(st.integers(0, n))
    result = wilson(successes, n)
    for end in (result.low, result.high):
        assert (successes / n - end) ** 2 == pytest.approx(1.959963985**2 * end * (1 - end) / n, abs=1e-9)


def test_mirror():
    down, up = wilson(7, 30), wilson(23, 30)
    assert down.low == pytest.approx(1 - up.high)
    assert down.high == pytest.approx(1 - up.low)


def test_no_item_is_undefined_and_counts_what_was_left_out():
    result = wilson(0, 0, n_left_out=4)
    assert (result.estimate, result.low, result.high) == (None, None, None)
    assert result.n_left_out == 4
    assert "no item" in result.method


@pytest.mark.parametrize(
    ("successes", "n", "level"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0), (1, 2, 0.0), (0, -1, 0.9)]
)
def test_refuses_what_makes_no_sense(successes, n, level):
    with pytest.raises(ValueError, match="expected|must lie"):
        wilson(successes, n, level=level)


def test_effect_size_of_two_rates():
    # Cohen 1988, table 6.2.2: phi of .50 is 1.571, of .25 is 1.047
    assert cohen_h(0.5, 0.25) == pytest.approx(1.571 - 1.047, abs=1e-3)
    assert cohen_h(0.25, 0.5) == -cohen_h(0.5, 0.25)
    assert cohen_h(1.0, 0.0) == pytest.approx(3.14159265)
    assert cohen_h(0.3, 0.3) == 0
    with pytest.raises(ValueError, match="rates from 0 to 1"):
        cohen_h(1.1, 0.2)
