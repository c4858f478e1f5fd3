from __future__ import annotations

import numpy as np
import pytest

from equipoise.errors import InputError
from equipoise.statistics import (
    Calibration,
    CorrectionRefusedError,
    calibrate,
    correct_cells,
    ppi_difference,
    rogan_gladen,
    wilson,
)
from equipoise.statistics.correction import error_bounds


def counts(tp, fn, fp, tn):
    return Calibration(true_positives=tp, false_negatives=fn, false_positives=fp, true_negatives=tn)


def test_rogan_gladen_by_hand():
    # Se 0.8, Sp 0.9, q 0.31: (0.31 + 0.9 - 1) / 0.7 = 0.3
    result = rogan_gladen(310, 1000, counts(80, 20, 10, 90))
    assert result.estimate == pytest.approx(0.3)
    # Lang and Reiczigel's formula worked by hand: n' = 1003.8415, q' = (310 + 1.9207) / n' = 0.310727; Se' = 81 / 102,
    # Sp' = 91 / 102; p' = (q' + Sp' - 1) / (Se' + Sp' - 1) = 0.296111
    q, se, sp, z2 = 311.92073 / 1003.84146, 81 / 102, 91 / 102, 3.841459
    p = (q + sp - 1) / (se + sp - 1)
    variance = q * (1 - q) / 1003.84146 + (1 - p) ** 2 * sp * (1 - sp) / 102 + p**2 * se * (1 - se) / 102
    shift = 2 * z2 * (p * se * (1 - se) / 102 - (1 - p) * sp * (1 - sp) / 102)
    half = 1.959964 * np.sqrt(variance) / (se + sp - 1)
    assert (result.low, result.high) == pytest.approx((p + shift - half, p + shift + half), abs=1e-6)


def test_calibration_uncertainty_is_in_the_interval():
    large, small = (rogan_gladen(310, 1000, counts(80 * k, 20 * k, 10 * k, 90 * k)) for k in (20, 1))
    assert small.half_width > 1.5 * large.half_width
    assert large.half_width > wilson(310, 1000).half_width


def test_aborts_when_the_judge_is_no_better_than_chance():
    with pytest.raises(CorrectionRefusedError, match="no better than chance"):
        rogan_gladen(5, 10, counts(10, 10, 10, 10))
    with pytest.raises(InputError, match="no better than chance"):
        rogan_gladen(5, 10, counts(5, 15, 10, 10))


def test_refuses_a_small_class():
    with pytest.raises(CorrectionRefusedError, match="14 positive, 50 negative"):
        rogan_gladen(5, 10, counts(12, 2, 5, 45))


def test_out_of_range_is_flagged_and_not_clipped():
    result = rogan_gladen(2, 100, counts(80, 20, 10, 90))
    assert result.estimate < 0
    assert "outside 0 to 1" in result.warnings[0]
    above = rogan_gladen(99, 100, counts(80, 20, 10, 90))
    assert above.estimate > 1
    assert above.warnings


def test_calibrate_counts_what_could_not_be_read():
    result = calibrate([1, 1, 0, 0, 1], [1, 0, 0, 1, np.nan])
    assert (result.true_positives, result.false_negatives, result.false_positives, result.true_negatives) == (
        1,
        1,
        1,
        1,
    )
    assert result.n_left_out == 1
    assert result.sensitivity == result.specificity == 0.5
    assert calibrate([], []).sensitivity is None
    assert calibrate([], []).specificity is None


def test_ppi_against_the_authors_code(reference):
    made = reference["prediction_powered"]
    result = ppi_difference(made["every"], made["human"], made["judge"], interval="normal")
    # their variance divides by n, ours by n - 1
    assert (result.low, result.high) == pytest.approx(made["ends"], abs=3e-4)


def test_ppi_says_what_it_cannot_use():
    human = np.r_[np.ones(20), np.zeros(20)]
    judge = human.copy()
    judge[0] = np.nan
    result = ppi_difference(np.r_[np.ones(50), np.nan, np.nan], human, judge)
    assert result.n_used == 50
    assert result.n_left_out == 3
    assert result.low < result.estimate < result.high
    normal = ppi_difference(np.r_[np.ones(50), np.nan, np.nan], human, judge, interval="normal")
    assert normal.low == normal.high
    assert "differ on 0" in normal.warnings[-1]
    with pytest.raises(CorrectionRefusedError, match="at least 30"):
        ppi_difference([1.0, 0.0], human[:10], judge[:10])
    assert ppi_difference([], human, human).estimate is None


def test_cells_are_refused_by_name_with_bounds():
    human = np.r_[np.ones(40), np.zeros(40)]
    good = np.r_[np.ones(36), np.zeros(4), np.zeros(38), np.ones(2)]
    cells = correct_cells(
        {
            "good": (human, good, good),
            "one class": (np.ones(80), np.ones(80), np.r_[np.ones(70), np.full(10, np.nan)]),
            "chance": (human, np.tile([0.0, 1.0], 40), good),
        }
    )
    by_name = {cell.cell: cell for cell in cells}
    assert by_name["good"].refused == ""
    assert by_name["good"].corrected.covers(0.5)
    assert by_name["good"].low < 0.5 < by_name["good"].high
    assert by_name["good"].prediction_powered.covers(0.5)
    assert by_name["good"].prediction_powered_refused == ""
    assert by_name["one class"].corrected is None
    assert "80 positive, 0 negative" in by_name["one class"].refused
    assert (by_name["one class"].low, by_name["one class"].high) == (0.0, 1.0)
    assert by_name["one class"].uncorrected.n_left_out == 10
    assert by_name["one class"].human_only.estimate == 1.0
    assert "no better than chance" in by_name["chance"].refused


def test_bounds_hold_the_truth_and_shrink_with_labels():
    wide = error_bounds(wilson(31, 100), counts(24, 6, 3, 27))
    narrow = error_bounds(wilson(3100, 10_000), counts(2400, 600, 300, 2700))
    assert wide[0] < narrow[0] < 0.3 < narrow[1] < wide[1]
    assert error_bounds(wilson(0, 0), counts(20, 1, 1, 20)) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: counts(-1, 0, 0, 0), "negative"),
        (lambda: calibrate([0, 1], [1]), "same items"),
        (lambda: calibrate([0, np.nan], [1, 1]), "human"),
        (lambda: rogan_gladen(5, 4, counts(20, 5, 5, 20)), "judged_positive"),
        (lambda: ppi_difference([1.0], [1.0, 0.0], [1.0]), "same replies"),
    ],
)
def test_refusals(call, match):
    with pytest.raises(ValueError, match=match):
        call()


def test_no_judged_reply_is_undefined():
    assert rogan_gladen(0, 0, counts(20, 5, 5, 20)).estimate is None


def test_a_cell_with_few_labels_is_refused_by_both_routes():
    (cell,) = correct_cells({"few": (np.r_[np.ones(5), np.zeros(5)], np.r_[np.ones(5), np.zeros(5)], np.ones(40))})
    assert cell.corrected is cell.prediction_powered is None
    assert "10 labelled replies" in cell.prediction_powered_refused


def test_ppi_score_interval_is_close_to_the_normal_one_with_many_labels():
    rng = np.random.default_rng(2)
    human = rng.binomial(1, 0.4, 3000).astype(float)
    judge = np.where(rng.random(3000) < 0.2, 1 - human, human)
    every = rng.binomial(1, 0.44, 20_000).astype(float)
    score, normal = (ppi_difference(every, human, judge, interval=kind) for kind in ("score", "normal"))
    assert score.estimate == normal.estimate
    assert (score.low, score.high) == pytest.approx((normal.low, normal.high), abs=1e-3)


def test_ppi_of_other_numbers_takes_the_normal_interval():
    human = np.random.default_rng(3).normal(2, 1, 60)
    result = ppi_difference(np.full(80, 2.0), human, np.full(60, 2.0))
    assert "normal interval" in result.method
    assert result.half_width == pytest.approx(1.96 * human.std(ddof=1) / np.sqrt(60), rel=1e-3)
