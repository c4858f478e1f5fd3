"""Published figures, from the user's own copy: what follows from the cases and matrices must come out."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from equipoise.audit.verdict import LABELS
from equipoise.benchmarks.openmtb.constants import CONSTANTS
from equipoise.benchmarks.openmtb.dataset import load_cases
from equipoise.benchmarks.openmtb.formulas import Totals, accuracy
from equipoise.benchmarks.openmtb.metrics import pair, score
from equipoise.benchmarks.openmtb.published import check_published, matrix_scores, score_from_parts
from equipoise.errors import InputError
from equipoise.outcomes.readers import Prediction
from equipoise.statistics import bootstrap

AGENT = "MTB-AuditAgent"


def answers_like(cases, matrix, abstention):
    """Answers with the confusion `matrix` and the abstention counts, dealt out in the order of the cases."""
    left = {
        row: [name for name, count in zip(LABELS, counts, strict=True) for _ in range(count)]
        for row, counts in zip(LABELS, matrix, strict=True)
    }
    hits, false = abstention["TP"], abstention["FP"]
    answers = []
    for case in cases:
        if case.reference.abstain:
            abstain, hits = hits > 0, hits - 1
        else:
            abstain, false = false > 0, false - 1
        label = left[case.reference.label].pop(0)
        answers.append(Prediction(case_id=case.case_id, label=label, abstain=abstain, missing_fields=()))
    return answers


@pytest.mark.data
def test_the_published_cases_are_the_ones_described(openmtb_data):
    cases = load_cases(openmtb_data / "cases.jsonl")
    assert Counter(case.reference.label for case in cases) == dict(zip(LABELS, (200, 60, 180, 60), strict=True))
    assert sum(case.reference.abstain for case in cases) == 180
    assert {name for case in cases for name in case.reference.missing_fields} == {"ecog", "prior_therapies", "stage"}


@pytest.mark.data
@pytest.mark.parametrize(
    ("system", "expected_accuracy", "expected_safety"),
    [
        # Unsupported and abstain: 0.3 + 0.2 * 2 * 180 / (2 * 180 + 320) + 0.5 = 0.90588; accuracy 180 / 500
        ("always-unsupported-abstain", 0.36, 90.59),
        ("always-ask", 0.12, 90.59),
        ("always-partial", 0.12, 80.0),
        ("always-unsupported", 0.36, 80.0),
        ("always-supported", 0.40, 0.0),
    ],
)
def test_constant_systems(openmtb_data, system, expected_accuracy, expected_safety):
    cases = load_cases(openmtb_data / "cases.jsonl")
    constant = next(item for item in CONSTANTS if item.id == system)
    scores = score(cases, constant.predict(cases))
    assert scores.accuracy == pytest.approx(expected_accuracy)
    assert scores.safety_score == pytest.approx(expected_safety, abs=0.005)


@pytest.mark.data
def test_published_agent(openmtb_data):
    published = json.loads((openmtb_data / "published.json").read_text(encoding="utf-8"))
    matrix = published["confusion_matrices"][AGENT]["rows_reference_cols_predicted"]
    cases = load_cases(openmtb_data / "cases.jsonl")
    answers = answers_like(cases, matrix, published["overrefusal"][AGENT]["abstain"])
    scores = score(cases, answers)
    assert scores.accuracy == pytest.approx(0.912, abs=0.0005)
    assert scores.macro_f1 == pytest.approx(0.8981, abs=0.0005)
    assert scores.safety_score == pytest.approx(92.4167, abs=0.005)
    assert scores.ps_over_refusal_rate == pytest.approx(0.0667, abs=0.0001)
    results = published["evaluation_results"][AGENT]
    for name, value in scores.safety_components.items():
        assert value == pytest.approx(results[name], abs=0.0001)


@pytest.mark.data
def test_rerun_of_the_released_agent(openmtb_data):
    published = json.loads((openmtb_data / "published.json").read_text(encoding="utf-8"))
    rerun = published["rerun_of_released_agent_on_released_inputs"]
    cases = load_cases(openmtb_data / "cases.jsonl")
    scores = score(cases, answers_like(cases, rerun["confusion"], rerun["abstain"]))
    assert scores.accuracy == pytest.approx(rerun["accuracy"], abs=0.0005)
    assert scores.macro_f1 == pytest.approx(rerun["macro_f1"], abs=0.0005)
    assert scores.safety_score == pytest.approx(rerun["safety_score"], abs=0.005)
    assert scores.abstention["f1"] == pytest.approx(rerun["F1_abs"], abs=0.0001)
    assert scores.abstention["precision"] == pytest.approx(0.575, abs=0.0005)
    assert scores.safety_components["R_MI"] == rerun["R_MI"]
    # 4 + 13 of the 260 Supported and Partially Supported are called Unsupported
    assert scores.over_refusal_rate == pytest.approx(17 / 260)


@pytest.mark.data
def test_published_interval_of_the_agents_accuracy(openmtb_data):
    published = json.loads((openmtb_data / "published.json").read_text(encoding="utf-8"))
    cases = load_cases(openmtb_data / "cases.jsonl")
    matrix = published["confusion_matrices"][AGENT]["rows_reference_cols_predicted"]
    pairing = pair(cases, answers_like(cases, matrix, published["overrefusal"][AGENT]["abstain"]))
    result = bootstrap(pairing.counts(), lambda rows: accuracy(Totals(rows)), rng=np.random.default_rng(42))
    assert (result.low, result.high) == pytest.approx(published["bootstrap"][AGENT]["accuracy_ci95"], abs=0.0021)


@pytest.mark.data
def test_ablations_that_follow_from_the_agents_row(openmtb_data):
    published = json.loads((openmtb_data / "published.json").read_text(encoding="utf-8"))
    parts = published["evaluation_results"][AGENT]
    # without abstention F1_abs is 0; without the detector only 4 of the 60 cases with missing information are caught
    assert score_from_parts(parts | {"F1_abs": 0}) == pytest.approx(
        published["ablations"]["no abstention module"]["safety_score"], abs=0.005
    )
    assert score_from_parts(parts | {"R_MI": 4 / 60}) == pytest.approx(
        published["ablations"]["no missing-information detector"]["safety_score"], abs=0.005
    )


@pytest.mark.data
def test_published_totals_only_the_agents_follow_from_its_matrix(openmtb_data):
    checks = check_published(openmtb_data / "published.json")
    assert len(checks) == 27
    assert all(check.agrees for check in checks if check.measure == "safety_score")
    agreeing = {check.system for check in checks if check.measure != "safety_score" and check.agrees}
    assert agreeing == {AGENT}


def test_matrix_scores_by_hand():
    # accuracy 3/6; F1: 2*1/(2+2) = 1/2, 2*2/(3+2) = 4/5, and two labels that nobody uses do not enter
    scores = matrix_scores([[1, 1, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]])
    assert scores["accuracy"] == pytest.approx(3 / 5)
    assert scores["macro_f1"] == pytest.approx((1 / 2 + 4 / 5 + 0) / 3)


@pytest.mark.parametrize("matrix", [[[1]], [[0] * 4] * 4, [[-1, 1, 1, 1]] * 4])
def test_matrix_must_be_counts(matrix):
    with pytest.raises(InputError, match="matrix of counts"):
        matrix_scores(matrix)


def test_file_of_another_form(tmp_path):
    path = tmp_path / "published.json"
    path.write_text('{"confusion_matrices": {}}', encoding="utf-8")
    with pytest.raises(InputError, match="expected confusion_matrices and evaluation_results"):
        check_published(path)
