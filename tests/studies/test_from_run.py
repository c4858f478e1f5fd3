"""The studies' figures come out of run folders that the benchmarks' own readers made, number for number."""

from __future__ import annotations

import importlib

import pytest

from equipoise.benchmarks.iatrobench.released import read_released as read_iatrobench
from equipoise.benchmarks.prompts.released import released_run
from equipoise.benchmarks.xstest.released import read_released as read_xstest
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.run import read_run, write_run
from equipoise.studies import reproduce
from equipoise.studies.base import read_object
from equipoise.studies.from_run import cells_from_run, figures_from_run, iatrobench_rows_from_run
from equipoise.studies.iatrobench import read_scores
from equipoise.studies.refusalbench import read_replies
from equipoise.studies.xstest import read_cells
from prompts_data import DATA

WHEN = "2026-11-30T12:00:00+00:00"


def stored(released, folder):
    run = released_run(released, created_at=WHEN)
    return read_run(write_run(folder, run.info, run.outcomes, run.judgements))


def plain(rows):
    return [repr(row.to_dict()) for row in rows]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "place", "figures"),
    [
        ("xstest", "xstest/human_labels.csv", 104),
        ("iatrobench", "iatrobench", 19),
        ("refusalbench", "refusalbench", 95),
    ],
)
def test_the_figures_from_a_run_are_those_of_the_study(data, tmp_path, name, place, figures):
    reader = importlib.import_module(f"equipoise.benchmarks.{name}.released").read_released
    run = stored(reader(data / place), tmp_path / "run")
    published = read_object(data / "iatrobench" / "paper_numbers.json")
    rows, warnings = figures_from_run(name, run, published=published)
    study = reproduce(name, data)
    assert plain(rows) == plain(study.rows)
    assert len(rows) == figures
    assert set(warnings) <= set(study.warnings)


@pytest.mark.data
def test_cells_and_rows_are_those_the_study_reads(data, tmp_path):
    run = stored(read_xstest(data / "xstest" / "human_labels.csv"), tmp_path / "xstest")
    cells, _ = read_cells(data / "xstest")
    assert repr(cells_from_run(run)) == repr(cells)
    rows = iatrobench_rows_from_run(stored(read_iatrobench(data / "iatrobench"), tmp_path / "iatrobench"))
    assert rows == [{name: row[name] for name in rows[0]} for row in read_scores(data / "iatrobench")]
    assert len(read_replies(data / "refusalbench").models) == 20


def test_a_small_run_gives_its_cells_with_what_the_judge_could_not_read(tmp_path):
    cells = cells_from_run(stored(read_xstest(DATA / "xstest"), tmp_path / "run"))
    assert set(cells) == {"modelone.safe", "modelone.unsafe"}
    assert cells["modelone.safe"].human.tolist() == [0.0, 1.0]
    assert cells["modelone.safe"].partial == 1
    assert repr(cells["modelone.safe"].judges["gpt4"].tolist()) == "[0.0, nan]"


def test_a_run_without_the_judgements_is_told(tmp_path):
    run = stored(read_iatrobench(DATA / "iatrobench" / "released"), tmp_path / "run")
    with pytest.raises(InputError, match="no readable judgement annotation_1"):
        cells_from_run(run)
    with pytest.raises(UsageError, match="the authors' numbers"):
        figures_from_run("iatrobench", run)
    with pytest.raises(UsageError, match="expected one of xstest, iatrobench, refusalbench, missing-info"):
        figures_from_run("openmtb", run)
