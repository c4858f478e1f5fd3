from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pytest

from equipoise.statistics import Estimate, HypothesisTest, mcnemar, plain, wilson


def test_nan_is_refused():
    with pytest.raises(ValueError, match="finite"):
        Estimate(estimate=float("nan"), low=None, high=None, method="m", n_used=1)
    with pytest.raises(ValueError, match="finite"):
        Estimate(estimate=0.1, low=0.0, high=float("inf"), method="m", n_used=1)
    with pytest.raises(ValueError, match="finite"):
        HypothesisTest(p_value=float("nan"), statistic=None, method="m", n_used=1)


def test_json_form_holds_no_nan():
    @dataclass
    class Holder:
        values: tuple[float, ...]

    class Kind(Enum):
        A = "a"

    value = {
        "array": np.array([1.0, np.nan]),
        "scalar": np.float64("inf"),
        "int": np.int64(3),
        "holder": Holder((float("nan"), 2.0)),
        "kind": Kind.A,
        "set": {"b", "a"},
        "estimate": wilson(1, 2),
        "test": mcnemar(0, 0),
    }
    result = plain(value)
    json.dumps(result, allow_nan=False)
    assert result["array"] == [1.0, None]
    assert result["scalar"] is None
    assert result["holder"] == {"values": [None, 2.0]}
    assert result["set"] == ["a", "b"]
    assert result["test"]["p_value"] == 1.0


def test_what_has_no_json_form_is_an_error():
    with pytest.raises(TypeError, match="no JSON form"):
        plain(object())


def test_covers_and_half_width():
    result = wilson(5, 10)
    assert result.covers(0.5)
    assert not result.covers(0.99)
    assert result.half_width == pytest.approx((result.high - result.low) / 2)
    assert not wilson(0, 0).covers(0.5)
    assert wilson(0, 0).half_width is None
