from __future__ import annotations

from equipoise.benchmarks.openmtb.results import benchmark_result


def test_holds_what_the_command_promises(small):
    result = benchmark_result(*small, resamples=100)
    for name in (
        "n", "accuracy", "macro_f1", "false_approvals", "approvals_without_information", "over_refusal_rate",
        "ps_over_refusal_rate", "abstention", "missing_fields", "safety_score", "confusion", "intervals", "constants",
        "misses",
    ):  # fmt: skip
        assert name in result
    assert [miss["case_id"] for miss in result["misses"]] == ["s2", "s3", "p2", "u1", "i2"]
    assert result["misses"][0]["reference"] == "Supported"
    assert result["misses"][0]["predicted"] == "Unsupported"


def test_intervals_hold_the_estimate_and_agree_with_the_score(small):
    result = benchmark_result(*small, resamples=500)
    for name in ("accuracy", "macro_f1", "over_refusal_rate", "false_approval_rate", "safety_score"):
        interval = result["intervals"][name]
        assert interval["estimate"] == result[name]
        assert interval["low"] <= interval["estimate"] <= interval["high"]
    assert result["intervals"]["false_approval_rate"]["n_used"] == 3


def test_same_seed_same_result(small):
    assert benchmark_result(*small, resamples=200, seed=5) == benchmark_result(*small, resamples=200, seed=5)
