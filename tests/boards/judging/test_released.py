"""Judgements of OpenTumorBoard's scripts become rows that name their scale, and a judge's -1 is no score."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from board_judging_runs import batch
from equipoise.boards.judging.criteria import BY_RUBRIC, OTB_DECISIONS, OTB_TRAINING
from equipoise.boards.judging.items import NOT_ASKED, SCOPE_UNKNOWN, item_scores
from equipoise.boards.judging.means import score_means
from equipoise.boards.judging.released import read_released, read_result, rubric_of
from equipoise.boards.judging.run import judge_run
from equipoise.boards.vocabulary import Arm
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.run import RunInfo, write_run

CASES = yaml.safe_load((Path(__file__).parent / "files/released.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['rubric']}: {str(case['reply'])[:50]}")
def test_a_reply_is_read_as_its_case_says(case):
    found = read_result(rubric_of(case["rubric"], training=case.get("training", False)), case["reply"])
    told = {
        name: "out" if item.in_scope is False else item.value if item.value is not None else item.state.value
        for name, item in found.items()
    }
    assert told == case["expect"]


def written(tmp_path, **more):
    released = read_released(batch(tmp_path / "batch"), task="task1", judge="qwen/Qwen3.8-27B", arm=Arm.IMAGES, **more)
    info = RunInfo(run_id="r", created_at="2026-12-01", benchmark=released.benchmark, systems=released.systems)
    rows = [[row | {"run": "r"} for row in part] for part in (released.outcomes, released.judgements)]
    run = write_run(tmp_path / "run", info, *rows)
    lines = "".join(json.dumps(line) + "\n" for line in released.references)
    (run / "references.jsonl").write_text(lines, encoding="utf-8")
    return released, run


def test_a_batch_folder_becomes_scores_with_every_failure_apart(tmp_path):
    released, run = written(tmp_path)
    assert released.problems == ()
    scores = {(item.item, item.criterion): item for item in item_scores(run) if item.rubric == OTB_DECISIONS}
    assert (scores["s1", "therapy"].points, scores["s1", "therapy"].in_scope) == (4.0, True)
    assert (scores["s1", "surgery"].points, scores["s1", "surgery"].in_scope) == (None, False)
    assert {item.scale for item in scores.values()} == {"opentumorboard-four-decisions-1-5"}
    assert {item.arm for item in scores.values()} == {"images"}
    assert {item.recording for item in scores.values()} == {"v1", "v2", "v3"}
    assert scores["s3", "therapy"].reply_state == "unparsed"
    assert {scores[name, "therapy"].judge_state for name in ("s2", "s3")} == {SCOPE_UNKNOWN}
    assert not any(item.points for (name, _), item in scores.items() if name in ("s2", "s3"))


def test_the_two_scales_of_four_decisions_never_meet(tmp_path):
    _, run = written(tmp_path, training=True)
    scores = [item for item in item_scores(run) if item.rubric == OTB_TRAINING]
    means = score_means([*scores, *(item for item in scores)])
    assert {mean.scale for mean in means} == {"opentumorboard-four-decisions-training-0-5"}
    assert {(form.lowest, form.highest) for form in BY_RUBRIC[OTB_TRAINING]} == {(0, 5)}
    with pytest.raises(UsageError, match="four_decisions only"):
        rubric_of("conclusion_alignment", training=True)


def test_words_over_texts_that_are_not_there_have_no_score(tmp_path):
    _, run = written(tmp_path)
    rouge = {item.item: item for item in item_scores(run) if item.criterion == "rouge-l"}
    assert (rouge["s1"].in_scope, rouge["s1"].judge_state) == (False, NOT_ASKED)


def test_a_run_without_texts_is_not_judged_and_stays_as_it_was(tmp_path):
    _, run = written(tmp_path)
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    with pytest.raises(UsageError, match="keeps no text of a reply"):
        judge_run(run, ["mockjudge/compares"])
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_a_line_that_cannot_be_read_is_a_problem_with_its_place_and_the_others_stand(tmp_path):
    folder = batch(tmp_path / "batch")
    path = folder / "task1.judge_manifest.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + '{"model_key": "m"}\n', encoding="utf-8")
    released = read_released(folder, task="task1", judge="j", arm=Arm.CAPTIONS)
    assert [problem.line for problem in released.problems] == [4]
    assert len(released.outcomes) == 3


def test_a_folder_without_its_configuration_or_task_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        read_released(tmp_path, task="task1", judge="j", arm=Arm.CAPTIONS)
    with pytest.raises(InputError, match="names no rubric for task2"):
        read_released(batch(tmp_path / "batch"), task="task2", judge="j", arm=Arm.CAPTIONS)
