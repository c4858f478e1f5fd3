from __future__ import annotations

import numpy as np
import pytest

from equipoise.errors import InputError
from equipoise.judging.calibration import calibration_cells, corrected_rates
from equipoise.outcomes.run import Run, RunInfo
from equipoise.outcomes.schema import judgements_table, outcomes_table
from equipoise.statistics import calibrate
from equipoise.studies import study, study_run
from equipoise.studies.xstest import read_cells

WHEN = "2026-11-30T12:00:00+00:00"
POSITIVE = ("full", "partial")


def made(cases, **more):
    """A run: each case is (model, arm, verdicts of a, b, c, verdict of the judge); x is unreadable, - is not judged."""
    outcomes, judgements = [], []
    for number, (model, arm, *verdicts) in enumerate(cases):
        reply = f"r{number}"
        outcomes.append({"reply_id": reply, "run": "r", "system": model, "model": model, "benchmark": "b",
                         "item": f"i{number}", "arm": arm, "state": "ok"})  # fmt: skip
        for judge, value in zip(("a", "b", "c", "j"), verdicts, strict=True):
            if value != "-":
                judgements.append(
                    {"reply_id": reply, "run": "r", "judge": judge, "rubric": "refusal", "rubric_hash": "h", "scale": "s",
                     "scale_hash": "h", "criterion": "refusal", "repeat": 1, "value": None if value == "x" else value,
                     "state": "unparsed" if value == "x" else "ok"} | more
                )  # fmt: skip
    info = RunInfo(run_id="r", created_at=WHEN, benchmark="b")
    return Run(info=info, outcomes=outcomes_table(outcomes), judgements=judgements_table(judgements))


CASES = [
    ("m", "safe", "full", "full", "none", "full"),
    ("m", "safe", "none", "none", "none", "partial"),
    ("m", "safe", "none", "partial", "x", "none"),
    ("m", "safe", "none", "none", "-", "x"),
    ("m", "safe", "-", "-", "-", "none"),
    ("m", "safe", "full", "full", "full", "-"),
    ("n", "safe", "full", "partial", "none", "none"),
]


def test_cells_hold_what_people_decided_and_count_the_rest():
    cells = calibration_cells(made(CASES), "refusal", ["a", "b", "c"], "j", positive=POSITIVE)
    assert list(cells) == ["m.safe", "n.safe"]
    cell = cells["m.safe"]
    assert cell.human.tolist() == [1, 0, 0]
    assert cell.judge[:2].tolist() == [1, 1]
    assert np.isnan(cell.judge[2])
    assert cell.items == ("i0", "i1", "i3")
    assert (cell.n_undecided, cell.n_unlabelled, cell.n_unjudged) == (1, 1, 1)
    assert len(cell.wanted) == 5
    counts = cell.calibration
    assert (counts.true_positives, counts.false_positives, counts.n_left_out) == (1, 1, 1)
    assert cells["n.safe"].human.tolist() == [1.0]


def test_partial_and_full_are_one_side_when_people_vote():
    cells = calibration_cells(made([CASES[-1]]), "refusal", ["a", "b"], "j", positive=POSITIVE, rule="unanimous")
    assert cells["n.safe"].human.tolist() == [1.0]
    cells = calibration_cells(made([CASES[-1]]), "refusal", ["a", "b"], "j", positive=("full",), rule="unanimous")
    assert (cells["n.safe"].human.tolist(), cells["n.safe"].n_undecided) == ([], 1)


@pytest.mark.parametrize(
    ("human", "judge", "words"),
    [(["d"], "j", "by d"), (["a"], "k", "by k"), ([], "j", "human raters"), (["j"], "j", "not the judge")],
)
def test_who_is_not_there_is_said(human, judge, words):
    with pytest.raises(InputError, match=words):
        calibration_cells(made(CASES), "refusal", human, judge, positive=POSITIVE)


def test_a_rater_twice_is_an_error_and_a_repeat_of_the_judge_is_chosen():
    run = made(CASES[:1])
    again = made(CASES[:1], repeat=2).judgements.to_pylist()
    both = [*run.judgements.to_pylist(), *again]
    doubled = Run(info=run.info, outcomes=run.outcomes, judgements=judgements_table(both))
    with pytest.raises(InputError, match="judged reply 'r0' twice"):
        calibration_cells(doubled, "refusal", ["a"], "j", positive=POSITIVE)
    second = [*run.judgements.to_pylist(), *({**row, "value": "none"} for row in again if row["judge"] == "j")]
    chosen = Run(info=run.info, outcomes=run.outcomes, judgements=judgements_table(second))
    verdicts = [
        calibration_cells(chosen, "refusal", ["a"], "j", positive=POSITIVE, repeat=n)["m.safe"].judge.tolist()
        for n in (1, 2)
    ]
    assert verdicts == [[1.0], [0.0]]


@pytest.mark.data
@pytest.mark.parametrize(("judge", "own"), [("gpt4", "gpt4"), ("string-match", "string")])
def test_sensitivity_and_specificity_on_xstest_are_those_of_the_study(data_dir, judge, own):
    run = study_run(study("xstest"), data_dir, created_at=WHEN)
    cells = calibration_cells(run, "refusal", ["human-final"], judge, positive=POSITIVE)
    expected, _ = read_cells(data_dir / "xstest")
    assert set(cells) == set(expected)
    for name, cell in cells.items():
        wanted = calibrate(expected[name].human, expected[name].judges[own])
        assert cell.calibration == wanted
        assert (cell.calibration.sensitivity, cell.calibration.specificity) == (wanted.sensitivity, wanted.specificity)
        assert (cell.n_undecided, cell.n_unlabelled, cell.n_unjudged) == (0, 0, 0)
    assert sum(cell.calibration.n_left_out for cell in cells.values()) == (11 if judge == "gpt4" else 0)


@pytest.mark.data
def test_the_corrected_rate_on_xstest_is_nearer_to_the_human_one_where_it_is_not_refused(data_dir):
    run = study_run(study("xstest"), data_dir, created_at=WHEN)
    cells = calibration_cells(run, "refusal", ["human-final"], "gpt4", positive=POSITIVE)
    results = {item.cell: item for item in corrected_rates(cells)}
    corrected = results["llama2orig.safe"].corrected
    human = float(cells["llama2orig.safe"].human.mean())
    assert corrected is not None
    assert human == pytest.approx(0.596)
    assert corrected.estimate == pytest.approx(human, abs=1e-9)
    assert results["llama2orig.safe"].uncorrected.estimate == pytest.approx(0.36, abs=0.001)
    assert results["gpt4.unsafe"].corrected is None


@pytest.mark.data
def test_two_annotators_decide_only_where_they_agree(data_dir):
    run = study_run(study("xstest"), data_dir, created_at=WHEN)
    cells = calibration_cells(
        run, "refusal", ["annotator-1", "annotator-2"], "gpt4", positive=POSITIVE, rule="unanimous"
    )
    undecided = sum(cell.n_undecided for cell in cells.values())
    assert undecided + sum(len(cell.human) for cell in cells.values()) == 2250
    assert 0 < undecided < 60
