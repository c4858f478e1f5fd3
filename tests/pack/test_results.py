"""Results of a pack: the numbers of the report, not made a second time."""

from __future__ import annotations

import pytest

from equipoise.benchmarks.openmtb.results import benchmark_result
from equipoise.benchmarks.openmtb.scoring import predictions_of
from equipoise.errors import InputError, UsageError
from equipoise.outcomes.compare import rate_of
from equipoise.outcomes.measures import count
from equipoise.outcomes.run import read_run
from equipoise.pack.build import make_pack
from equipoise.pack.items import Status
from equipoise.report.evaluation import FALSE_APPROVAL, OVER_REFUSAL


def metrics(pack, system):
    return {row["name"]: row for row in pack.tree.values["metrics"].value if row["system"] == system}


def test_rates_are_those_of_the_evaluation_page(make_run):
    folder = make_run("a")
    pack = make_pack([folder])
    found, run = metrics(pack, "openai/model"), read_run(folder)
    for measure in (OVER_REFUSAL, FALSE_APPROVAL):
        estimate = rate_of(count(run, measure), None)
        row = found[measure.id]
        assert (row["estimate"], row["low"], row["high"]) == (estimate.estimate, estimate.low, estimate.high)
        assert row["n_used"] + row["n_left_out"] == sum(
            item["expected"] in measure.where["expected"] for item in run.outcomes.to_pylist()
        )
    standing = next(row for row in pack.page.standing if row.name == "openai/model")
    assert standing.over_refusal.text == found[OVER_REFUSAL.id]["text"]
    assert standing.false_approvals.text == found[FALSE_APPROVAL.id]["text"]


def test_scores_are_those_of_the_benchmark(make_run, cases):
    folder = make_run("a")
    result = benchmark_result(cases, predictions_of(read_run(folder).outcomes.to_pylist()))
    found = metrics(make_pack([folder]), "openai/model")
    for name in ("macro_f1", "safety_score", "missing_fields.recall"):
        assert found[name]["estimate"] == result["intervals"][name]["estimate"]


def test_unread_replies_are_bounded_and_counted(make_run):
    row = metrics(make_pack([make_run("a", wrong=6)]), "openai/model")["accuracy"]
    assert (row["n_used"], row["n_left_out"]) == (23, 1)
    assert row["bounds"] == {"low": pytest.approx(17 / 24), "high": pytest.approx(18 / 24)}


def test_misses_are_excerpted_and_counted(make_run):
    pack = make_pack([make_run("a", wrong=6, reply="word " * 200)])
    misses = pack.tree.values["misses"].value
    assert (misses["total"], misses["of"], len(misses["rows"])) == (6, 24, 6)
    assert all(len(row["excerpt"]) < 200 and "more characters" in row["excerpt"] for row in misses["rows"])


def test_replies_of_other_benchmarks_are_never_quoted(other_run):
    secret = "do not show these words"
    pack = make_pack([other_run(reply=secret)])
    row = pack.tree.values["misses"].value["rows"][0]
    assert row["excerpt"] == ""
    assert len(row["reply_sha256"]) == 64
    assert secret.encode() not in pack.files["pack.json"]


def test_another_benchmark_has_states_and_generic_measures_and_no_card(other_run):
    pack = make_pack([other_run()])
    assert pack.page is None
    assert {"accuracy", "abstention_rate", "failed_rate"} == set(metrics(pack, "guard"))
    assert pack.tree.values["states"].value[0]["systems"]["guard"]["ok"] == 12
    assert "data.card" not in pack.tree.values
    assert pack.tree.values["confusion"].value[0]["counts"] == {"none": {"full": 1, "none": 11}}


def test_groups_of_patients_fill_subgroups_only_when_the_rows_name_them(other_run):
    assert "subgroups" not in make_pack([other_run("plain")]).tree.values
    pack = make_pack([other_run("grouped", group="older adults")])
    assert {row["group"] for row in pack.tree.values["subgroups"].value} == {"older adults"}
    item = next(item for item in pack.items if item.id == "KeyMetrics/FairnessEquity/Results")
    assert item.status is Status.FILLED


def test_pairs_only_of_systems_that_answered_the_same(make_run, other_run):
    assert "paired" not in make_pack([make_run("a"), other_run()]).tree.values
    pack = make_pack([make_run("b"), make_run("c", system="openai/other", wrong=0)])
    assert [(row["first"], row["second"]) for row in pack.tree.values["paired"].value] == [
        ("openai/model", "openai/other")
    ]


def test_runs_of_one_benchmark_on_different_cases_are_refused(make_run):
    with pytest.raises(InputError, match="different cases"):
        make_pack([make_run("a"), make_run("b", dataset_hash="other")])


def test_a_run_twice_no_run_and_an_unknown_system_are_refused(make_run):
    folder = make_run("a")
    with pytest.raises(InputError, match="named twice"):
        make_pack([folder, folder])
    with pytest.raises(UsageError, match="at least one run"):
        make_pack([])
    with pytest.raises(UsageError, match="no run has the system"):
        make_pack([folder], product="nobody")


def test_a_constant_system_is_not_the_product_when_there_is_another(make_run):
    folders = [make_run("c", system="equipoise/always-unsupported"), make_run("a")]
    assert make_pack(folders).product == "openai/model"
    assert make_pack(folders[:1]).product == "equipoise/always-unsupported"
    assert make_pack(folders, product="equipoise/always-unsupported").product == "equipoise/always-unsupported"
