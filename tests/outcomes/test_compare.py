from __future__ import annotations

import json

import pytest

from equipoise.errors import InputError
from equipoise.outcomes import Measure, compare
from equipoise.statistics import mcnemar


def pair(tools, kinds, **more):
    """Two runs with one reply an item; kinds are pairs of labels, None for an unreadable reply."""
    sides = []
    for side, run_id in enumerate("az"):
        rows = [
            tools.reply(number, kind[side], state="ok" if kind[side] else "empty", **more)
            for number, kind in enumerate(kinds)
        ]
        sides.append(tools.run(rows, run_id=run_id))
    return sides


def test_paired_counts_and_test(tools):
    kinds = (
        [("yes", "no")] * 12 + [("no", "yes")] * 3 + [("yes", "yes")] * 30 + [("no", "no")] * 5 + [(None, "yes")] * 4
    )
    result = compare(*pair(tools, kinds))
    rate = next(item for item in result.rates if item.measure == "accuracy")
    assert (rate.first_only, rate.second_only) == (12, 3)
    assert rate.test.p_value == mcnemar(12, 3).p_value
    assert rate.difference.estimate == pytest.approx(9 / 50)
    assert rate.difference.low < 9 / 50 < rate.difference.high
    assert rate.difference.n_left_out == 4
    assert rate.first.n_left_out == 4
    assert rate.second.estimate == pytest.approx(37 / 54)
    assert (rate.first_bounds.low, rate.first_bounds.high) == (pytest.approx(42 / 54), pytest.approx(46 / 54))
    failed = next(item for item in result.rates if item.measure == "failed_rate")
    assert failed.first.estimate == pytest.approx(4 / 54)
    assert failed.second.estimate == 0.0
    json.dumps(result.to_dict(), allow_nan=False)


def test_order_of_items_and_rows_does_not_matter(tools):
    kinds = [("yes", "no")] * 5 + [("yes", "yes")] * 20
    first, second = pair(tools, kinds)
    turned = tools.run(list(reversed(second.outcomes.to_pylist())), run_id="z")
    assert compare(first, second) == compare(first, turned)


def test_swapping_turns_the_sign(tools):
    first, second = pair(tools, [("yes", "no")] * 8 + [("no", "yes")] * 2 + [("yes", "yes")] * 30)
    one, two = compare(first, second).rates[0], compare(second, first).rates[0]
    assert one.difference.estimate == -two.difference.estimate
    assert one.test.p_value == two.test.p_value


def test_trials_are_averaged_by_item(tools):
    rows = {"a": [], "z": []}
    for number in range(20):
        for trial in (1, 2, 3):
            rows["a"].append(tools.reply(number, "yes", trial=trial))
            rows["z"].append(tools.reply(number, "yes" if number > 3 else "no", trial=trial))
    result = compare(*(tools.run(own, run_id=name) for name, own in rows.items()))
    rate = result.rates[0]
    assert rate.test.method.startswith("permutation of signs")
    assert rate.test.n_used == 20
    assert rate.test.p_value == pytest.approx(2 / 16, abs=0.02)  # four items differ: 2 of 2^4 sign patterns
    assert "20 clusters" in rate.difference.method
    assert "20 clusters" in rate.second.method


def test_a_cluster_column(tools):
    kinds = [("yes", "no")] * 10 + [("yes", "yes")] * 40
    runs = []
    for run in pair(tools, kinds):
        rows = [row | {"item_family": f"f{index // 10}"} for index, row in enumerate(run.outcomes.to_pylist())]
        runs.append(tools.run(rows, run_id=run.info.run_id))
    alone, clustered = compare(*runs).rates[0], compare(*runs, cluster="item_family").rates[0]
    assert alone.test.p_value < 0.01
    assert clustered.test.p_value == 1.0  # one family of five differs
    assert clustered.difference.high - clustered.difference.low > alone.difference.high - alone.difference.low


def test_one_cluster_gives_no_interval(tools):
    runs = [
        tools.run([row | {"item_family": "f"} for row in run.outcomes.to_pylist()], run_id=run.info.run_id)
        for run in pair(tools, [("yes", "no")] * 10)
    ]
    rate = compare(*runs, cluster="item_family").rates[0]
    assert rate.difference.estimate is None
    assert rate.test.p_value is None
    assert rate.p_adjusted is None
    assert "one cluster" in rate.first.method


def test_p_values_are_adjusted_and_strata_are_a_screen(tools):
    rows = {"a": [], "z": []}
    for number in range(60):
        stratum = "xyz"[number % 3]
        rows["a"].append(tools.reply(number, "yes", stratum=stratum, abstained=False))
        rows["z"].append(
            tools.reply(number, "no" if stratum == "x" and number < 40 else "yes", stratum=stratum, abstained=False)
        )
    result = compare(*(tools.run(own, run_id=name) for name, own in rows.items()))
    accuracy = result.rates[0]
    assert len(result.rates) == 3
    assert accuracy.p_adjusted == pytest.approx(3 * accuracy.test.p_value)
    assert [rate.stratum for rate in result.by_stratum] == ["x", "y", "z"]
    assert result.by_stratum[0].p_adjusted == pytest.approx(3 * result.by_stratum[0].test.p_value)
    assert result.by_stratum[1].test.p_value == 1.0
    screen = compare(*(tools.run(own, run_id=name) for name, own in rows.items()), adjustment="benjamini-hochberg")
    assert screen.rates[0].p_adjusted <= accuracy.p_adjusted


def test_unlike_runs(tools):
    first, _ = pair(tools, [("yes", "no")] * 4)
    other = tools.run([tools.reply(number, "no") for number in range(4)], run_id="z", dataset_hash="other")
    with pytest.raises(InputError, match="the dataset differs"):
        compare(first, other)
    assert compare(first, other, allow_unlike=True).unlike
    policy = tools.run([tools.reply(number, "no") for number in range(4)], run_id="z", policy_hash="strict")
    assert "the policy differs" in compare(first, policy).differs[0]


def test_configurations_are_compared_and_the_prompts_named(tools):
    first, _ = pair(tools, [("yes", "no")] * 4)
    logs = {"logs": [{"configuration": "rag", "prompt_version": "2", "prompt_hash": "h2", "labels": ["yes", "no"]}]}
    rows = [tools.reply(number, "no") for number in range(4)]
    other = tools.run(rows, run_id="z", prompts_hash="h2", arguments=logs)
    result = compare(first, other)
    assert result.unlike == ()
    assert result.differs == (
        f"the prompt differs: {first.info.prompts_hash or 'none stated'} against rag, version 2 (h2)",
    )
    assert compare(first, first).differs == ()


def test_other_references_or_labels_are_refused(tools):
    first, _ = pair(tools, [("yes", "no")] * 4)
    rows = [tools.reply(number, "no") for number in range(4)]
    rows[2]["expected"] = "no"
    with pytest.raises(InputError, match=r"the reference of item .* differs \(a: yes, z: no\)"):
        compare(first, tools.run(rows, run_id="z"))
    assert compare(first, tools.run(rows, run_id="z"), allow_unlike=True).unlike
    runs = [
        tools.run([tools.reply(1, "no")], run_id=name, arguments={"logs": [{"labels": labels}]})
        for name, labels in (("a", ["yes", "no"]), ("z", ["yes", "no", "maybe"]))
    ]
    with pytest.raises(InputError, match=r"the set of labels differs \(a: no, yes; z: maybe, no, yes\)"):
        compare(*runs)


def test_unpaired_replies_are_counted(tools):
    first = tools.run([tools.reply(number, "yes") for number in range(6)])
    second = tools.run([tools.reply(number, "yes") for number in range(2, 5)], run_id="z")
    assert compare(first, second).unpaired == {"first": 3, "second": 0}
    apart = tools.run([tools.reply(9, "yes")], run_id="z")
    with pytest.raises(InputError, match="no reply of one run"):
        compare(first, apart)


def test_refusals(tools):
    first, second = pair(tools, [("yes", "no")] * 4)
    with pytest.raises(InputError, match="no column 'colour'"):
        compare(first, second, cluster="colour")
    with pytest.raises(InputError, match="holm or"):
        compare(first, second, adjustment="bonferroni")


def test_own_measures(tools):
    first, second = pair(tools, [("yes", "no")] * 4 + [("maybe", "maybe")] * 2)
    result = compare(first, second, measures=[Measure(id="said_no", event="label", values=("no",))])
    assert result.rates[0].first.estimate == 0.0
    assert result.rates[0].second.estimate == pytest.approx(4 / 6)
