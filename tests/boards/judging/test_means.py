"""Means under the one rule for failures, and agreement with people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from board_judging_runs import DEMO, board_reply, board_run
from equipoise.boards.judging.agreement import agreements, family_warnings
from equipoise.boards.judging.items import NOT_ASKED, NOT_JUDGED, ItemScore
from equipoise.boards.judging.labels import read_labels
from equipoise.boards.judging.means import score_means
from equipoise.boards.judging.run import judge_run
from equipoise.boards.judging.scores import scores_of
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.run import RunInfo, write_run

BASE = ItemScore(
    system="m", benchmark="board_simulation", arm="captions", setting="single", item="i", recording="r", stratum="lung",
    role="", rubric="board-alignment", criterion="alignment", scale="board-alignment-1-5", lowest=1, highest=5, points=None,
    in_scope=True, reply_state="ok", judge_state="ok", judge="j", repeat=1, reply_id="m/i",
)  # fmt: skip


def score(place, points, **more):
    return replace(BASE, item=f"i{place}", reply_id=f"m/i{place}", recording=f"r{place % 3}", points=points, **more)


MIXED = [
    score(1, 5.0),
    score(2, 3.0),
    score(3, None, reply_state="empty", judge_state=NOT_ASKED),
    score(4, None, judge_state="unparsed"),
    score(5, None, judge_state=NOT_JUDGED),
    score(6, None, in_scope=False, judge_state=NOT_ASKED),
]


def test_failures_of_replies_are_floored_those_of_judges_left_out_and_both_bounded():
    (mean,) = score_means(MIXED)
    assert (mean.in_scope, mean.out_of_scope, mean.scored, mean.reply_failed, mean.judge_failed) == (5, 1, 2, 1, 2)
    assert mean.scored_only == 4.0
    assert mean.floored == 3.0
    assert mean.worst == pytest.approx((8 + 3 * 1) / 5)
    assert mean.best == pytest.approx((8 + 3 * 5) / 5)


def test_a_call_that_failed_is_never_floored():
    (mean,) = score_means([MIXED[0], score(7, None, reply_state="error", judge_state=NOT_ASKED), MIXED[2]])
    assert (mean.reply_failed, mean.floored) == (2, 3.0)


def test_without_points_the_mean_is_undefined_and_not_0():
    (mean,) = score_means([MIXED[3]])
    assert (mean.scored_only, mean.floored, mean.worst, mean.best) == (None, None, 1.0, 5.0)
    (mean,) = score_means([MIXED[5]])
    assert (mean.scored_only, mean.floored, mean.worst, mean.best) == (None, None, None, None)


def test_repeats_are_averaged_before_replies():
    (mean,) = score_means(
        [score(1, 5.0), score(1, 1.0, repeat=2), score(1, None, repeat=3, judge_state="empty"), score(2, 5.0)]
    )
    assert (mean.scored, mean.scored_only) == (2, 4.0)


@pytest.mark.parametrize(
    "change", [{"arm": "images"}, {"setting": "agents"}, {"scale": "other-0-5"}, {"judge": "k"}, {"system": "n"}]
)
def test_what_differs_is_never_put_together(change):
    assert len(score_means([score(1, 5.0), score(2, 1.0, **change)])) == 2


def test_the_worst_of_a_flag_is_a_flag():
    flag = replace(BASE, criterion="critical-error", rubric="board-equivalence", lowest=1, highest=0)
    (mean,) = score_means([replace(flag, points=0.0), replace(flag, item="b", reply_id="b", judge_state="unparsed")])
    assert (mean.scored_only, mean.worst, mean.best) == (0.0, 0.5, 0.0)


def labelled(tmp_path, lines, head="item,rater,criterion,value"):
    path = tmp_path / "labels.csv"
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return read_labels(path)


JUDGED = [score(place, float(points)) for place, points in enumerate((1, 2, 3, 4, 5, 5), start=1)]


def found(scores, labels, **more):
    return agreements(scores, labels, rng=np.random.default_rng(7), resamples=500, **more)


def test_weighted_kappa_against_people_is_clustered_by_recording(tmp_path):
    """Value by hand: squared distances 0 0 0 1 0 1 against those of the margins."""
    labels = labelled(
        tmp_path, [f"i{place},anna,alignment,{value}" for place, value in enumerate((1, 2, 3, 5, 5, 4), 1)]
    )
    result = found(JUDGED, labels.items)
    (pair,) = result.pairs
    judge, person = [1, 2, 3, 4, 5, 5], [1, 2, 3, 5, 5, 4]
    chance = sum((a - b) ** 2 for a in judge for b in person) / 36
    assert pair.kappa.estimate == pytest.approx(1 - (2 / 6) / chance)
    assert (pair.first, pair.second, pair.n, pair.recordings) == ("person:anna", "j", 6, 3)
    assert pair.exact == pytest.approx(4 / 6)
    assert pair.within_one == 1.0
    assert (pair.kappa.low, pair.kappa.high) == (None, None)
    assert pair.kappa.method == "no interval: 3 recordings, at least 10 are needed"


def test_kappa_has_an_interval_over_recordings_from_ten_on(tmp_path):
    labels = labelled(tmp_path, [f"i{place},anna,alignment,{1 + place % 5}" for place in range(1, 13)])
    for recordings, there in ((9, False), (10, True)):
        scores = [
            replace(score(place, float(1 + (place + place % 3) % 5)), recording=f"r{place % recordings}")
            for place in range(1, 13)
        ]
        (pair,) = found(scores, labels.items).pairs
        assert pair.recordings == recordings
        assert (pair.kappa.low is not None, "cluster" in pair.kappa.method) == (there, there)


def test_two_who_share_no_answer_have_no_kappa(tmp_path):
    scores = [replace(JUDGED[0], points=None, judge_state="unparsed"), JUDGED[1]]
    (pair,) = found(scores, labelled(tmp_path, ["i1,anna,alignment,3"]).items).pairs
    assert (pair.n, pair.kappa.estimate, pair.kappa.method) == (0, None, "undefined: no reply has a value of both")


def test_people_are_held_against_each_other_and_a_missing_verdict_is_no_vote(tmp_path):
    lines = [f"i{place},{who},alignment,3" for place in (1, 2, 3) for who in ("anna", "ben")]
    scores = [*JUDGED[:2], replace(JUDGED[2], points=None, judge_state="unparsed")]
    result = found(scores, labelled(tmp_path, lines).items)
    pairs = {(pair.first, pair.second): pair.n for pair in result.pairs}
    assert pairs == {("person:anna", "j"): 2, ("person:ben", "j"): 2, ("person:anna", "person:ben"): 3}


def test_labels_without_a_reply_or_with_several_are_counted(tmp_path):
    scores = [*JUDGED, replace(JUDGED[0], system="n", reply_id="n/i1")]
    result = found(scores, labelled(tmp_path, ["i1,anna,alignment,3", "zz,anna,alignment,3"]).items)
    assert (result.ambiguous, result.unmatched) == (1, 1)
    head = "item,system,rater,criterion,value"
    result = found(scores, labelled(tmp_path, ["i1,n,anna,alignment,3"], head).items)
    assert (result.ambiguous, result.unmatched) == (0, 0)


def test_one_recording_gives_no_interval_and_says_so(tmp_path):
    scores = [replace(item, recording="r") for item in JUDGED]
    (pair,) = found(scores, labelled(tmp_path, ["i1,anna,alignment,3", "i2,anna,alignment,2"]).items).pairs
    assert pair.kappa.estimate is None
    assert "1 recording" in pair.kappa.method


def test_a_label_given_twice_is_an_error(tmp_path):
    labels = labelled(tmp_path, ["i1,anna,alignment,3", "i1,anna,alignment,4"])
    with pytest.raises(InputError, match="twice"):
        found(JUDGED, labels.items)


def test_labels_off_the_scale_are_problems_with_their_line_and_nothing_else_is_lost(tmp_path):
    lines = ["i1,anna,alignment,0", "i2,anna,alignment,4.5", "i3,anna,critical-error,maybe", "i4,anna,beauty,3",
             "i5,anna,Next_Action,4", "i6,anna,critical-error,yes"]  # fmt: skip
    loaded = labelled(tmp_path, lines)
    assert [problem.line for problem in loaded.problems] == [2, 3, 4, 5]
    assert [(item.criterion, item.points) for item in loaded.items] == [("next-action", 4.0), ("critical-error", 1.0)]


def test_labels_of_an_exported_study_are_read_by_the_names_of_its_questions(tmp_path):
    base = {"run": "s", "benchmark": "study", "state": "ok", "trial": 1}
    outcomes = [{**base, "reply_id": "anna:i1:1", "system": "anna", "item": "i1", "arm": "m", "label": "4"}]
    row = {"reply_id": "anna:i1:1", "run": "s", "judge": "anna", "rubric": "s", "rubric_hash": "h", "scale": "x",
           "scale_hash": "h", "repeat": 1, "state": "ok", "in_scope": True}  # fmt: skip
    judged = [row | {"criterion": "alignment", "value": "4"}, row | {"criterion": "tone", "value": "kind"}]
    write_run(tmp_path / "study", RunInfo(run_id="s", created_at="2026-12-01", benchmark="study"), outcomes, judged)
    loaded = read_labels(tmp_path / "study")
    assert [(item.item, item.system, item.rater, item.points) for item in loaded.items] == [("i1", "m", "anna", 4.0)]
    assert loaded.notes == ("question tone was not read: 1 answers",)
    with pytest.raises(UsageError, match="run.json is missing"):
        read_labels(tmp_path)


def test_a_judge_of_the_same_maker_and_makers_that_are_not_known_are_said():
    scores = [
        replace(JUDGED[0], judge="openai/gpt-4o", system="gpt-4o-mini"),
        replace(JUDGED[0], judge="openai/gpt-4o", system="zz"),
    ]
    warnings = family_warnings(scores)
    assert any("gpt-4o-mini, of the same maker" in text for text in warnings)
    assert any("maker of zz not known" in text for text in warnings)
    assert family_warnings([replace(JUDGED[0], judge="openai/gpt-4o", system="claude-3-5-sonnet")]) == ()


def test_two_judges_of_a_run_are_a_pair_and_a_panel_is_none(tmp_path):
    run = board_run(tmp_path / "run", {("m", name): board_reply(case.conclusion.text) for name, case in DEMO.items()})
    judge_run(run, ["mockjudge/compares", "mockjudge/spread"], rubrics=["board-alignment"], keep_own=True)
    result = found(scores_of(run), ())
    assert [(pair.first, pair.second, pair.people, pair.n) for pair in result.pairs] == [
        ("mockjudge/compares", "mockjudge/spread", 0, len(DEMO))
    ]
