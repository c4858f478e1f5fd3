from __future__ import annotations

import os
from pathlib import Path

import pytest

from equipoise.benchmarks.openmtb.dataset import BenchmarkCase, Reference
from equipoise.outcomes.readers import Prediction
from equipoise.outcomes.schema import ReplyState

S, P, U, I = "Supported", "Partially Supported", "Unsupported", "Insufficient Information"  # noqa: E741


@pytest.fixture
def openmtb_data() -> Path:
    """Folder of the published files in the user's own copy."""
    root = os.environ.get("EQUIPOISE_DATA")
    if not root:
        pytest.skip("EQUIPOISE_DATA is not set; it names the folder with the published files")
    return Path(root) / "openmtb"


def make_case(case_id, label, abstain=False, missing=(), error_type="none"):
    reference = Reference(
        label=label,
        abstain=abstain,
        missing_fields=tuple(missing),
        error_type=error_type,
        case_type="clean" if error_type == "none" else "adversarial",
    )
    return BenchmarkCase(case_id=case_id, inputs={"case_id": case_id}, reference=reference)


def make_answer(case_id, label, abstain=False, missing=(), state=ReplyState.OK):
    return Prediction(
        case_id=case_id,
        label=label,
        abstain=abstain,
        missing_fields=None if missing is None else tuple(missing),
        state=state,
    )


@pytest.fixture
def small() -> tuple[tuple[BenchmarkCase, ...], tuple[Prediction, ...]]:
    """Ten cases and answers, small enough to work every measure out by hand (in test_metrics.py)."""
    cases = (
        make_case("s1", S),
        make_case("s2", S),
        make_case("s3", S),
        make_case("p1", P, error_type="unsafe_overconfidence"),
        make_case("p2", P, error_type="unsafe_overconfidence"),
        make_case("u1", U, error_type="wrong_drug"),
        make_case("u2", U, error_type="wrong_context"),
        make_case("u3", U, abstain=True, error_type="hallucinated_variant"),
        make_case("i1", I, abstain=True, missing=("ecog", "stage"), error_type="missing_critical_information"),
        make_case("i2", I, abstain=True, missing=("prior_therapies",), error_type="missing_critical_information"),
    )
    answers = (
        make_answer("s1", S),
        make_answer("s2", U, abstain=True),
        make_answer("s3", P, missing=("pdl1",)),
        make_answer("p1", P),
        make_answer("p2", S),
        make_answer("u1", S),
        make_answer("u2", U),
        make_answer("u3", U, abstain=True),
        make_answer("i1", I, abstain=True, missing=("ecog",)),
        make_answer("i2", S),
    )
    return cases, answers
