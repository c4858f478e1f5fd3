"""The frame of the studies, without their data."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from equipoise.errors import InputError, UsageError
from equipoise.statistics import mcnemar, wilson
from equipoise.studies import STUDIES, Follows, reproduce, study
from equipoise.studies.base import figure, read_rows
from equipoise.studies.refusalbench import DEFINITIONS, spearman
from equipoise.studies.xstest import Cell, half_splits


def test_catalogue():
    assert [item.id for item in STUDIES] == ["openmtb", "missing-info", "xstest", "iatrobench", "refusalbench"]
    for item in STUDIES:
        assert re.fullmatch(r"https://github\.com/[\w-]+/[\w-]+", item.source.address)
        assert re.fullmatch(r"[0-9a-f]{7,40}", item.source.commit)
        assert item.source.licence
        for file in item.files:
            assert file.path.startswith(item.folder + "/")
            assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
            assert file.origin
        json.dumps(item.where_to_get(), allow_nan=False)


def test_unknown_study_names_those_there_are():
    with pytest.raises(UsageError, match="there are openmtb, missing-info"):
        study("truthfulqa")


@pytest.mark.parametrize("item", STUDIES, ids=lambda item: item.id)
def test_without_data_it_says_where_to_get_it(item, tmp_path):
    with pytest.raises(UsageError) as caught:
        reproduce(item.id, tmp_path)
    text = str(caught.value)
    assert item.source.address in text
    assert item.source.commit in text
    assert item.files[0].sha256 in text


@pytest.mark.parametrize("item", STUDIES, ids=lambda item: item.id)
def test_files_of_another_form_are_an_input_error(item, tmp_path):
    for file in item.files:
        path = tmp_path / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n" if path.suffix in (".json", ".jsonl") else "a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError):
        reproduce(item.id, tmp_path)


def test_rows_follow_within_their_tolerance():
    assert figure("a", "a", 0.12, published=0.1204).follows is Follows.YES
    assert figure("a", "a", 0.12, published=0.1206).follows is Follows.NO
    assert figure("a", "a", 0.12).follows is Follows.NOT_PUBLISHED
    assert figure("a", "a", 0.12, published=0.9, partly=True).follows is Follows.PARTLY
    assert figure("a", "a", None, published=0.9).follows is Follows.NO
    assert figure("a", "a", 1.01e-5, published=1e-5, tolerance=0.05, relative=True).follows is Follows.YES
    assert figure("a", "a", 2e-34, published=1e-5, tolerance=0.05, relative=True).follows is Follows.NO


def test_rows_take_over_what_a_result_knows():
    row = figure("a", "a", wilson(1, 10, n_left_out=2, why_left_out="empty"))
    assert (row.ours, row.n_used, row.n_left_out, row.why_left_out) == (0.1, 10, 2, "empty")
    assert row.low < 0.1 < row.high
    test = figure("b", "b", mcnemar(0, 0))
    assert test.ours == 1.0
    assert test.warnings


def test_csv_with_a_short_row_is_an_error(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n3\n", encoding="utf-8")
    with pytest.raises(InputError, match="expected 2 cells"):
        read_rows(path, ("a",))
    with pytest.raises(InputError, match="missing: c"):
        read_rows(path, ("a", "c"))


def test_spearman_by_hand():
    assert spearman(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0])) == pytest.approx(1.0)
    assert spearman(np.array([1.0, 2.0, 2.0]), np.array([3.0, 2.0, 1.0])) == pytest.approx(-0.8660, abs=1e-4)
    assert np.isnan(spearman(np.array([1.0, 1.0]), np.array([1.0, 2.0])))


def test_definitions_of_refusal_grow():
    assert len(DEFINITIONS) == 5
    assert set(DEFINITIONS["direct"]) < set(DEFINITIONS["direct+indirect"]) < set(DEFINITIONS["all but compliance"])


def test_half_splits_refuse_a_cell_of_one_class():
    human = np.r_[np.ones(60), np.zeros(60)]
    judge = np.r_[np.ones(45), np.zeros(72), np.ones(3)]
    cells = {
        "both": Cell("both", human, {"gpt4": judge}, 60, 0),
        "one": Cell("one", np.ones(120), {"gpt4": np.r_[np.ones(80), np.zeros(40)]}, 120, 0),
    }
    counts = half_splits(cells, judge="gpt4", rng=np.random.default_rng(1), splits=60)
    assert counts["both"].used == 60
    assert counts["both"].covered >= 56
    assert counts["one"].refused == counts["one"].bounded == 60
