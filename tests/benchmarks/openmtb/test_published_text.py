"""The published 500 cases from their summaries alone: no worse than from the fields, also when the bracketed hints are gone."""

import dataclasses
import re

import pytest

from equipoise.audit.pipeline import Auditor
from equipoise.benchmarks.openmtb import benchmark_result, load_cases
from equipoise.benchmarks.openmtb.run import AS_OF, answer

pytestmark = pytest.mark.data

BRACKET = re.compile(r"\s*\([^()]*\)")
HINTED = re.compile(r"(?<=Molecular profiling: ).*?(?=\. PD-L1)|(?<=recommendation: ).*?(?=\.$)")


def result(data_dir, inputs, rewrite=None):
    cases = load_cases(data_dir / "openmtb" / "cases.jsonl", inputs=inputs)
    if rewrite is not None:
        cases = tuple(
            dataclasses.replace(
                case, inputs={**case.inputs, "patient_summary": rewrite(case.inputs["patient_summary"])}
            )
            for case in cases
        )
    return benchmark_result(
        cases, answer(cases, Auditor(as_of=AS_OF, policy="openmtb-2026")).predictions, resamples=200
    )


@pytest.fixture(scope="module")
def structured(data_dir):
    return result(data_dir, "full")


def test_the_summary_alone(data_dir, structured):
    text = result(data_dir, "text")
    assert text["accuracy"] >= 0.97
    assert abs(text["accuracy"] - structured["accuracy"]) <= 0.01
    assert text["abstention"]["f1"] >= 0.95
    assert text["over_refusal_rate"] <= 0.02
    assert text["false_approvals"] <= structured["false_approvals"]


def test_without_bracketed_hints(data_dir, structured):
    text = result(data_dir, "text", lambda summary: HINTED.sub(lambda one: BRACKET.sub("", one[0]), summary))
    assert text["accuracy"] >= 0.97
    assert abs(text["accuracy"] - structured["accuracy"]) <= 0.02
    assert text["abstention"]["f1"] >= 0.95
    assert text["over_refusal_rate"] <= 0.02
    assert text["false_approvals"] <= structured["false_approvals"]
