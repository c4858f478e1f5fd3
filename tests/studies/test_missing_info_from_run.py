"""The missing-information figures come out of the run folder that the task's reader makes, number for number."""

from __future__ import annotations

import json

import numpy as np
import pytest

from equipoise.benchmarks.missing_info.leniency import leniency
from equipoise.benchmarks.missing_info.released import RUBRIC as PUBLISHED
from equipoise.benchmarks.missing_info.released import read_released
from equipoise.benchmarks.prompts.released import released_run
from equipoise.cli.evals_refusal import released_of
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.run import read_run, write_run
from equipoise.outcomes.schema import judgements_table, outcomes_table, problems
from equipoise.studies import Follows, reproduce
from equipoise.studies.from_run import figures_from_run, missing_info_from_run
from equipoise.studies.missing_info import read_material, read_published

WHEN = "2026-11-30T12:00:00+00:00"


def stored(released, folder):
    run = released_run(released, created_at=WHEN)
    return read_run(write_run(folder, run.info, run.outcomes, run.judgements))


@pytest.fixture(scope="module")
def figures(data, tmp_path_factory):
    place = data / "missing_info"
    run = stored(read_released(place), tmp_path_factory.mktemp("run") / "run")
    return run, figures_from_run("missing-info", run, published=read_published(place))


@pytest.mark.data
def test_the_figures_from_the_run_are_those_of_the_study(data, figures):
    _, (rows, warnings) = figures
    study = reproduce("missing-info", data)
    assert [repr(row.to_dict()) for row in rows] == [repr(row.to_dict()) for row in study.rows]
    assert len(rows) == 50
    assert set(warnings) <= set(study.warnings)


@pytest.mark.data
def test_every_published_figure_follows_from_the_run(figures):
    _, (rows, _) = figures
    assert [row.id for row in rows if row.follows is not Follows.YES] == []
    found = {row.id: row for row in rows}
    assert found["fleiss_kappa"].ours == pytest.approx(0.6494, abs=5e-5)
    assert found["same_provider.log_odds"].ours == pytest.approx(0.3504, abs=5e-5)
    assert (found["same_provider.low"].ours, found["same_provider.high"].ours) == pytest.approx((0.16, 0.56), abs=0.02)
    assert found["same_provider.p"].ours == pytest.approx(1 / 24)
    for provider, rate in {"anthropic": 0.08, "openai": 0.30, "xai": 0.213, "google": 0.333}.items():
        assert found[f"inappropriate_without_own.{provider}"].ours == pytest.approx(rate, abs=5e-4)
    for provider, gap in {"openai": 0.108, "anthropic": -0.019, "xai": 0.041, "google": 0.114}.items():
        assert found[f"difference_in_differences.{provider}"].ours == pytest.approx(gap, abs=5e-4)
    assert found["panel_kappa.majority.O"].ours == pytest.approx(0.302, abs=5e-4)
    assert found["panel_kappa.unanimity.O"].ours == pytest.approx(0.556, abs=5e-4)
    assert found["unanimous_passes.O"].ours == pytest.approx(0.742, abs=5e-4)
    assert found["underdetermined"].ours == pytest.approx(19 / 33)
    assert found["underdetermined"].n_used == 33
    assert found["judges_minus_consensus.all"].ours == pytest.approx(0.215)
    assert found["judges_minus_consensus.checked"].ours == pytest.approx(0.286, abs=5e-4)


@pytest.mark.data
def test_the_run_holds_the_rows_of_a_stress_test(data, figures):
    run, _ = figures
    rows = run.outcomes.to_pylist()
    assert len(rows) == 200
    assert {(row["arm"], row["operator"], row["state"]) for row in rows} == {("attacked", "half_turn@1", "ok")}
    assert len({row["item_family"] for row in rows}) == 50
    assert json.loads(rows[0]["operator_parameters"])["relation"] == "undefined"
    votes = run.judgements.to_pylist()
    assert len(votes) == 950
    assert [row["state"] for row in votes].count("blocked") == 2
    assert all(row["judge"] == "xai" for row in votes if row["state"] == "blocked")
    material = read_material(data / "missing_info")
    again = missing_info_from_run(run)
    assert again.labels == material.labels
    assert again.order == material.order
    assert again.audit == material.audit


@pytest.mark.data
def test_the_command_reads_it_too(data):
    run = released_of("missing_info", data / "missing_info", detect=True)
    assert problems("outcomes", outcomes_table(run.outcomes)) == ()
    assert problems("judgements", judgements_table(run.judgements)) == ()
    assert run.info.arguments["source"]["revision"] == "48c6b67"


@pytest.mark.data
def test_the_leniency_model_from_the_run_is_the_published_one(data):
    released = read_released(data / "missing_info")
    result = leniency(released.outcomes, released.judgements, criterion=PUBLISHED, rng=np.random.default_rng(42))
    assert result.log_odds.estimate == pytest.approx(0.3504, abs=5e-5)
    assert result.permutation.p_value == pytest.approx(1 / 24)
    assert result.permutation.smallest_p == pytest.approx(1 / 24)
    assert result.difference_in_differences["gpt-5_5-high"] == pytest.approx(0.108, abs=5e-4)


VOTE = {"subject_model": "grok-4_3", "item": 0, "prompt_id": "p1", "theme": "hedging",
        "votes": {"openai": True, "anthropic": False, "xai": None, "google": True}}  # fmt: skip


@pytest.fixture
def small(tmp_path):
    (tmp_path / "votes.jsonl").write_text(json.dumps(VOTE) + "\n")
    (tmp_path / "key.json").write_text(json.dumps({"A1": {"subject_model": "grok-4_3", "item": 0}}))
    for name in ("labels_O.csv", "labels_G.csv", "human_labels.csv"):
        (tmp_path / name).write_text("annotation_id,human_label\nA1,1\n")
    (tmp_path / "perturbation_audit.csv").write_text(
        "prompt_id,theme,trunc_form,determinacy,task_type\np1,hedging,midword,underdetermined,clinical\n"
    )
    (tmp_path / "paired_medqa.json").write_text(json.dumps({"M": {"n": 10, "b": 1, "c": 2, "acc_none": 0.5}}))
    return tmp_path


def test_a_withheld_vote_is_a_blocked_judgement_and_never_a_no(small, tmp_path):
    run = stored(read_released(small), tmp_path / "run")
    states = {row["judge"]: (row["value"], row["state"]) for row in run.judgements.to_pylist()}
    assert states["xai"] == (None, "blocked")
    assert states["anthropic"] == ("no", "ok")
    material = missing_info_from_run(run)
    assert material.answers[0].votes == {"openai": True, "anthropic": False, "xai": None, "google": True}
    assert material.order["M"].both == 4
    assert material.order["M"].neither == 3


def test_a_missing_file_is_named(small):
    (small / "labels_G.csv").unlink()
    with pytest.raises(UsageError, match=r"labels_G\.csv"):
        read_released(small)


def test_a_label_that_is_neither_yes_nor_no_is_refused(small):
    (small / "labels_O.csv").write_text("annotation_id,human_label\nA1,maybe\n")
    with pytest.raises(InputError, match="'A1' names no reply, or is neither 0 nor 1"):
        read_released(small)


def test_a_model_nobody_knows_is_refused_with_its_line(small):
    (small / "votes.jsonl").write_text(json.dumps(VOTE | {"subject_model": "other"}) + "\n")
    with pytest.raises(InputError, match="KeyError"):
        read_released(small)


def test_a_run_without_the_votes_is_told(small, tmp_path):
    released = read_released(small)
    kept = [row for row in released.judgements if row["judge"] != "google"]
    run = stored(type(released)(benchmark=released.benchmark, outcomes=released.outcomes, judgements=kept,
                                files=released.files, facts=released.facts), tmp_path / "run")  # fmt: skip
    with pytest.raises(InputError, match="no vote of the judge google"):
        missing_info_from_run(run)
    with pytest.raises(UsageError, match="missing-info stand beside the authors' numbers"):
        figures_from_run("missing-info", run)


def test_labels_on_other_replies_are_told(small, tmp_path):
    released = read_released(small)
    kept = [row for row in released.judgements if row["judge"] != "clinician:G"]
    run = stored(type(released)(benchmark=released.benchmark, outcomes=released.outcomes, judgements=kept,
                                files=released.files, facts=released.facts), tmp_path / "run")  # fmt: skip
    with pytest.raises(InputError, match="on the same replies"):
        missing_info_from_run(run)
