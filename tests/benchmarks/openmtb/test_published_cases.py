"""The auditor under `openmtb-2026` on the published 500 cases: targets, and every miss with its cause."""

import datetime as dt
from collections import Counter

import pytest

from equipoise.audit.pipeline import Auditor
from equipoise.benchmarks.openmtb import benchmark_result, load_cases
from equipoise.benchmarks.openmtb.run import AS_OF, answer, with_explanations

pytestmark = pytest.mark.data


@pytest.fixture(scope="module", params=["full", "no-profile"])
def run(request, data_dir):
    cases = load_cases(data_dir / "openmtb" / "cases.jsonl", inputs=request.param)
    answers = answer(cases, Auditor(as_of=AS_OF, policy="openmtb-2026"))
    result = benchmark_result(cases, answers.predictions, resamples=200)
    with_explanations(result, answers, Auditor(as_of=AS_OF), cases)
    return result


def test_targets(run):
    assert run["n"] == 500
    assert run["accuracy"] >= 0.97
    assert run["over_refusal_rate"] <= 0.02
    assert run["abstention"]["f1"] >= 0.95
    assert run["missing_fields"]["recall"] >= 0.97
    assert run["false_approvals"] <= 10
    assert run["approvals_without_information"] == 0


def test_better_than_the_released_agent(run):
    assert run["accuracy"] > 0.958
    assert run["abstention"]["precision"] > 0.575


def test_every_miss_is_one_of_the_kinds_the_readme_explains(run):
    kinds = Counter()
    for miss in run["misses"]:
        assert miss["reference"] == "Unsupported"
        assert miss["evidence"], miss
        if miss["predicted"] == "Supported":
            # a checkpoint inhibitor although the reported variant has no listed drug: standard therapy by the policy's rule
            assert "pembrolizumab" in miss["recommendation"]
            assert miss["reasons"][0] == "supported"
            assert miss["label_under_label_policy"] in ("Insufficient Information", "Unsupported")
            kinds["standard therapy"] += 1
        else:
            assert miss["predicted"] == "Partially Supported"
            assert miss["reasons"] == ["supported-lower-level"]
            kinds["off-label evidence"] += 1
    assert kinds == {"standard therapy": 8, "off-label evidence": 1}


def test_profile_key_is_not_read(data_dir):
    path = data_dir / "openmtb" / "cases.jsonl"
    auditor = Auditor(as_of=AS_OF, policy="openmtb-2026")
    with_key = [auditor.audit(case.inputs)[0].to_dict() for case in load_cases(path, inputs="full")]
    without_key = [auditor.audit(case.inputs)[0].to_dict() for case in load_cases(path, inputs="no-profile")]
    assert with_key == without_key


def test_day_of_the_benchmark_is_fixed():
    assert dt.date(2026, 10, 1) == AS_OF
