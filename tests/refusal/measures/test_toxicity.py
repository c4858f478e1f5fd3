"""Toxicity of continuations: rates over clusters, what was not scored, small and empty cells, thresholds."""

from __future__ import annotations

import pytest

from equipoise.errors import InputError
from equipoise.refusal.measures import joint_audit, replies_of, toxicity
from equipoise.refusal.measures.toxicity import FAILED, NOT_SCORED
from equipoise.statistics import cluster_robust_rate, wilson
from made_replies import made, many
from refusal_mocks import complies, items, judged, rows, save


def scored(number, score, **more):
    return many(number, toxicity={"toy 1": score}, **more)


def cells(replies, **more):
    (item,) = toxicity(replies, **more)
    return {(cell.by, cell.name): cell for cell in item.cells}, item


def test_rate_and_mean_count_the_scored_alone():
    found, item = cells([*scored(10, 0.8), *scored(30, 0.2), *scored(3, None), *many(2), made(None, state="blocked")])
    cell = found["all", "all"]
    assert cell.rate == wilson(10, 40, n_left_out=6, why_left_out=f"1 blocked, 3 {FAILED}, 2 {NOT_SCORED}")
    assert cell.mean.estimate == pytest.approx(0.35)
    assert cell.left_out == {"blocked": 1, NOT_SCORED: 2, FAILED: 3}
    assert (cell.unscored.low, cell.unscored.high) == (10 / 46, 16 / 46)
    assert (item.cluster, item.n_clusters, item.classifier) == ("item", 40, "toy 1")


def test_continuations_of_one_seed_are_drawn_together():
    replies = [
        made(item_family=f"f{seed}", toxicity={"toy 1": 0.9 if seed < 5 else 0.1}) for seed in range(20) for _ in "abc"
    ]
    found, item = cells(replies)
    labels = [f"f{seed}" for seed in range(20) for _ in "abc"]
    expected = cluster_robust_rate([float(seed < 5) for seed in range(20) for _ in "abc"], labels)
    rate = found["all", "all"].rate
    assert (rate.low, rate.high) == pytest.approx((expected.low, expected.high))
    assert rate.half_width > 1.4 * wilson(15, 60).half_width
    assert (item.cluster, item.n_clusters) == ("item_family", 20)


def test_a_refusal_is_no_continuation():
    found, _ = cells([*scored(10, 0.8), *scored(10, 0.1), *scored(20, 0.0, refusal="full")])
    assert found["all", "all"].rate.estimate == 0.25
    assert found["all", "all"].answered.estimate == 0.5


def test_small_cells_are_flagged_and_empty_ones_refused_not_reweighted():
    replies = [*scored(40, 0.9, stratum="work", group="nurses"), *scored(9, 0.1, stratum="belief", group="green"),
               *scored(4, None, stratum="empty", group="violet")]  # fmt: skip
    found, item = cells(replies)
    assert not found["group", "nurses"].few
    assert found["group", "green"].few
    assert found["group", "green"].rate.n_used == 9
    assert found["group", "violet"].refused == "no scored continuation in violet"
    assert found["group", "violet"].rate.estimate is None
    assert not cells(replies, fewest=9)[0]["group", "green"].few
    assert item.standardised is None
    assert "no item in empty" in item.standardised_refused
    whole = cells([reply for reply in replies if reply.stratum != "empty"])[1]
    assert whole.standardised.estimate == pytest.approx(40 / 49)


def test_the_mix_is_that_of_all_systems():
    first = [made(stratum="x", item=f"i{place}", toxicity={"toy 1": 0.9}) for place in range(30)]
    first += [made(stratum="y", item=f"j{place}", toxicity={"toy 1": 0.1}) for place in range(30)]
    second = [made(system="t", stratum="x", item=f"i{place}", toxicity={"toy 1": 0.9}) for place in range(15)]
    second += [made(system="t", stratum="y", item=f"j{place}", toxicity={"toy 1": 0.1}) for place in range(30)]
    one, two = toxicity([*first, *second])
    assert one.standardised.estimate == two.standardised.estimate == 0.5
    assert two.cells[0].rate.estimate == pytest.approx(1 / 3)


def test_the_sensitivity_table_falls_with_the_threshold_and_holds_the_chosen_one():
    _, item = cells([*scored(10, 0.35), *scored(10, 0.55), *scored(10, 0.95), *scored(10, 0.0)], threshold=0.6)
    shares = {name: rate.estimate for name, rate in item.sensitivity.items()}
    assert shares == {"0.3": 0.75, "0.5": 0.5, "0.6": 0.25, "0.7": 0.25, "0.9": 0.25}
    assert item.cells[0].rate.estimate == 0.25


def test_classifiers_stand_apart_and_a_benchmark_nobody_scored_does_not_enter():
    both = [made(toxicity={"toy 1": 0.9, "toy 2": 0.1}) for _ in range(20)]
    one, two = toxicity([*both, *many(50, benchmark="other")])
    assert (one.classifier, one.cells[0].rate.estimate, one.cells[0].rate.n_left_out) == ("toy 1", 1.0, 0)
    assert (two.classifier, two.cells[0].rate.estimate) == ("toy 2", 0.0)
    assert toxicity(many(5)) == ()


@pytest.mark.parametrize("more", [{"threshold": 0.0}, {"threshold": 1.1}, {"fewest": 0}])
def test_arguments_out_of_range_are_refused(more):
    with pytest.raises(InputError, match="expected a threshold"):
        toxicity(scored(3, 0.1), **more)


def test_scores_change_no_rate_of_refusal(tmp_path):
    own = rows("a", complies, items(40))
    plain = save(tmp_path, "plain", own)
    said = [judged(row["reply_id"], "toxicity", None, points=0.9, judge="toy 1") for row in own]
    with_them = save(tmp_path, "scored", own, said)
    audits = [
        joint_audit(replies_of(run.outcomes, run.judgements), permutations=200, resamples=100)
        for run in (plain, with_them)
    ]
    assert audits[0].systems == audits[1].systems
    assert audits[0].toxicity == ()
    assert audits[1].toxicity[0].cells[0].rate.estimate == 1.0


def test_points_out_of_range_and_people_are_no_scores_of_a_classifier(tmp_path):
    own = rows("a", complies, items(4))
    said = [judged(own[0]["reply_id"], "toxicity", None, points=3.0, judge="rubric-judge"),
            judged(own[1]["reply_id"], "toxicity", None, points=0.4, judge="human-1")]  # fmt: skip
    run = save(tmp_path, "a", own, said)
    found = replies_of(run.outcomes, run.judgements)
    assert (found[0].toxicity, found[1].toxicity) == ({"rubric-judge": None}, {})
