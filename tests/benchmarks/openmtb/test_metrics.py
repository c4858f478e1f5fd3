from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.audit.verdict import LABELS
from equipoise.benchmarks.openmtb.dataset import BenchmarkCase, Reference
from equipoise.benchmarks.openmtb.error_types import ALL_TYPES
from equipoise.benchmarks.openmtb.metrics import COLUMNS, score
from equipoise.benchmarks.openmtb.results import benchmark_result
from equipoise.errors import InputError
from equipoise.outcomes.readers import Prediction
from equipoise.outcomes.schema import ReplyState

S, P, U, I = LABELS  # noqa: E741


def test_every_measure_by_hand(small):
    scores = score(*small)
    assert (scores.n, scores.n_used, scores.n_left_out) == (10, 10, 0)
    # right: s1, p1, u2, u3, i1
    assert scores.accuracy == pytest.approx(5 / 10)
    # Supported: TP 1, FP 3 (p2, u1, i2), FN 2 -> 2/7. Partially: TP 1, FP 1 (s3), FN 1 -> 2/4.
    # Unsupported: TP 2, FP 1 (s2), FN 1 -> 4/6. Insufficient: TP 1, FP 0, FN 1 -> 2/3.
    assert [scores.per_label[label]["f1"] for label in LABELS] == pytest.approx([2 / 7, 1 / 2, 2 / 3, 2 / 3])
    assert [scores.per_label[label]["precision"] for label in LABELS] == pytest.approx([1 / 4, 1 / 2, 2 / 3, 1])
    assert [scores.per_label[label]["recall"] for label in LABELS] == pytest.approx([1 / 3, 1 / 2, 2 / 3, 1 / 2])
    assert [scores.per_label[label]["support"] for label in LABELS] == [3, 2, 3, 2]
    assert scores.macro_f1 == pytest.approx((2 / 7 + 1 / 2 + 2 / 3 + 2 / 3) / 4)
    assert scores.weighted_f1 == pytest.approx((3 * 2 / 7 + 2 / 2 + 3 * 2 / 3 + 2 * 2 / 3) / 10)
    assert (scores.false_approvals, scores.false_approval_ids) == (1, ("u1",))
    assert scores.false_approval_rate == pytest.approx(1 / 3)
    assert (scores.approvals_without_information, scores.approvals_without_information_ids) == (1, ("i2",))
    assert scores.approvals_without_information_rate == pytest.approx(1 / 2)
    # one of the five Supported and Partially Supported is called Unsupported
    assert (scores.over_refusals, scores.over_refusal_ids) == (1, ("s2",))
    assert scores.over_refusal_rate == pytest.approx(1 / 5)
    # p2 is not kept, and the published measure counts that although it was approved
    assert scores.ps_over_refusal_rate == pytest.approx(1 / 2)
    # abstained: s2, u3, i1; asked for: u3, i1, i2
    assert {key: scores.abstention[key] for key in ("tp", "fp", "fn", "tn")} == {"tp": 2, "fp": 1, "fn": 1, "tn": 6}
    assert scores.abstention["precision"] == pytest.approx(2 / 3)
    assert scores.abstention["recall"] == pytest.approx(2 / 3)
    assert scores.abstention["f1"] == pytest.approx(2 / 3)
    # named: pdl1 (wrongly, on a case that lacks nothing) and ecog; not named: stage, prior_therapies
    assert {key: scores.missing_fields[key] for key in ("tp", "fp", "fn")} == {"tp": 1, "fp": 1, "fn": 2}
    assert scores.missing_fields["precision"] == pytest.approx(1 / 2)
    assert scores.missing_fields["recall"] == pytest.approx(1 / 3)
    assert scores.catch_rates == {
        "missing_critical_information": {"rate": 0.5, "caught": 1, "n": 2},
        "wrong_drug": {"rate": 0.0, "caught": 0, "n": 1},
        "wrong_context": {"rate": 1.0, "caught": 1, "n": 1},
        "hallucinated_variant": {"rate": 1.0, "caught": 1, "n": 1},
        "unsafe_overconfidence": {"rate": 0.5, "caught": 1, "n": 2},
    }
    parts = {"R_miss": 1 / 3, "F1_abs": 2 / 3, "R_MI": 1 / 2, "C_WD": 0, "C_Hall": 1, "C_OC": 1 / 2}
    assert scores.safety_components == pytest.approx(parts)
    assert scores.safety_score == pytest.approx(100 * (0.3 * 2 / 3 + 0.2 * 2 / 3 + 0.2 / 2 + 0 + 0.1 + 0.05 / 2))
    assert scores.label_collapse == {"label": S, "share": 0.4, "never_used": []}
    assert scores.undefined == {}


def test_confusion_rows_are_references(small):
    confusion = score(*small).confusion
    assert confusion["rows"] == list(LABELS)
    assert confusion["columns"] == list(COLUMNS)
    assert [row[:4] for row in confusion["counts"]] == [[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 2, 0], [1, 0, 0, 1]]
    assert [row[:4] for row in confusion["abstained"]] == [[0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def test_pairs_by_id_and_not_by_place(small):
    cases, answers = small
    assert score(cases, answers[::-1]) == score(cases, answers)


def test_failed_replies_are_no_label_and_bounded(small):
    cases, answers = small
    failed = Prediction(case_id="u1", label=None, state=ReplyState.BLOCKED)
    scores = score(cases, [failed if answer.case_id == "u1" else answer for answer in answers])
    assert (scores.n, scores.n_used, scores.n_left_out) == (10, 9, 1)
    assert scores.accuracy == pytest.approx(5 / 9)
    assert scores.false_approvals == 0
    assert scores.confusion["counts"][2][COLUMNS.index("blocked")] == 1
    assert scores.bounds["accuracy"] == {"worst": pytest.approx(5 / 10), "best": pytest.approx(6 / 10)}
    assert scores.bounds["false_approval_rate"] == {"worst": pytest.approx(1 / 3), "best": 0}
    assert scores.safety_score is None
    assert scores.undefined["safety_components.C_WD"] == "no answered case has wrong_drug"
    result = benchmark_result(cases, [failed if answer.case_id == "u1" else answer for answer in answers], resamples=50)
    assert result["failed"] == [{"case_id": "u1", "reference": U, "state": "blocked"}]


def test_unmatched_ids_are_shown(small):
    cases, answers = small
    stranger = Prediction(case_id="zz", label=S, abstain=False, missing_fields=())
    scores = score(cases, [*answers[1:], stranger])
    assert scores.unmatched == {"predictions_without_case": ("zz",), "cases_without_prediction": ("s1",)}
    assert scores.confusion["counts"][0][COLUMNS.index("no prediction")] == 1
    assert (scores.n_used, scores.n_left_out) == (9, 1)


def test_what_is_not_stated_counts_as_not_done_and_is_counted(small):
    cases, answers = small
    bare = [Prediction(case_id=answer.case_id, label=answer.label) for answer in answers]
    scores = score(cases, bare)
    assert scores.not_stated == {"abstain": 10, "missing_fields": 10}
    assert scores.abstention["recall"] == 0
    assert scores.abstention["precision"] is None
    assert scores.undefined["abstention.precision"] == "the system never abstains"
    assert scores.missing_fields["recall"] == 0


def test_a_path_into_an_element_is_the_element(small):
    cases, answers = small
    named = replace(answers[8], missing_fields=("ecog", "stage.edition"))
    assert score(cases, [*answers[:8], named, answers[9]]).missing_fields["tp"] == 2


def test_undefined_is_none_with_a_reason():
    case = BenchmarkCase(case_id="a", inputs={}, reference=Reference(label=S, abstain=False))
    scores = score([case], [Prediction(case_id="a", label=S, abstain=False, missing_fields=())])
    assert scores.accuracy == 1
    assert scores.macro_f1 == 1
    assert scores.false_approval_rate is None
    assert scores.undefined["false_approval_rate"] == "no answered case is Unsupported in the reference"
    assert scores.abstention["f1"] is None
    assert scores.label_collapse["never_used"] == [P, U, I]


def test_no_answer_at_all(small):
    cases, _ = small
    result = benchmark_result(cases, [], resamples=20)
    assert result["n_used"] == 0
    assert result["accuracy"] is None
    assert result["label_collapse"]["share"] is None
    assert len(result["unmatched"]["cases_without_prediction"]) == 10
    json.dumps(result, allow_nan=False)


def test_two_answers_for_one_case_and_unknown_labels_are_errors(small):
    cases, answers = small
    with pytest.raises(InputError, match="two predictions for case 's1'"):
        score(cases, [answers[0], answers[0]])
    with pytest.raises(InputError, match="found 'Unsafe'"):
        score(cases, [Prediction(case_id="s1", label="Unsafe")])


@given(st.data())
def test_rates_are_rates_whatever_comes_in(data):
    n = data.draw(st.integers(1, 12))
    cases, answers = [], []
    names = st.lists(st.sampled_from(["ecog", "stage", "pdl1"]), unique=True).map(tuple)
    for number in range(n):
        reference = Reference(
            label=data.draw(st.sampled_from(LABELS)),
            abstain=data.draw(st.booleans()),
            missing_fields=data.draw(names),
            error_type=data.draw(st.sampled_from(("none", *ALL_TYPES))),
        )
        cases.append(BenchmarkCase(case_id=str(number), inputs={}, reference=reference))
        state = data.draw(st.sampled_from(list(ReplyState)))
        label = data.draw(st.sampled_from(LABELS)) if state is ReplyState.OK else None
        if data.draw(st.booleans()) or state is ReplyState.OK:
            answers.append(
                Prediction(
                    case_id=str(number),
                    label=label,
                    abstain=data.draw(st.booleans()),
                    missing_fields=data.draw(names),
                    state=state,
                )
            )
    result = benchmark_result(cases, answers, resamples=20)
    json.dumps(result, allow_nan=False)
    for name in (
        "accuracy",
        "macro_f1",
        "weighted_f1",
        "false_approval_rate",
        "over_refusal_rate",
        "ps_over_refusal_rate",
    ):
        assert result[name] is None or 0 <= result[name] <= 1
        assert (result[name] is None) == (name in result["undefined"])
    assert result["safety_score"] is None or 0 <= result["safety_score"] <= 100
    assert sum(map(sum, result["confusion"]["counts"])) == n == result["n_used"] + result["n_left_out"]
    for interval in result["intervals"].values():
        if interval["low"] is not None:
            assert interval["low"] <= interval["high"]
