"""Systems whose figures are known by hand: fooled by one operator, noisy, always wrong, always abstaining, failing."""

from __future__ import annotations

import pytest

from choice_mocks import always, fooled_by, invented, noisy, run_of
from equipoise.benchmarks.choice_stress.plan import BAITS, chosen_operators, prepare
from equipoise.benchmarks.das_robustness.task import OPERATORS as ATTACKS
from equipoise.benchmarks.medqa_order.task import OPERATORS as ORDER
from equipoise.errors import InputError
from equipoise.redteam.measures import benchmarking_gap, robustness

ITEMS = 40
MEASURED = 30


def plan(operators=ATTACKS, *, items=ITEMS, measured=MEASURED, repeats=None, trials=1):
    return prepare(
        "das_robustness", invented(items, measured=measured), operators=chosen_operators(None, operators), seed=7,
        repeats=repeats, trials=trials,
    )  # fmt: skip


PLAN = plan()


def by_name(result):
    return {item.operator.split("@")[0]: item for item in result.operators}


def test_right_on_clean_items_and_fooled_by_one_operator_gives_the_rates_computed_by_hand():
    found = robustness(run_of(PLAN, fooled_by("impossible_measurement")))
    assert (found.clean.events, found.clean.out_of) == (40, 40)
    operators = by_name(found)
    fooled = operators.pop("impossible_measurement")
    # 30 of 40 items state a heart rate: coverage 30/40, every mutant fools (30/30), of all items 30/40
    assert (fooled.coverage.events, fooled.coverage.out_of, fooled.coverage.estimate.estimate) == (30, 40, 0.75)
    assert (fooled.conditional.events, fooled.conditional.out_of, fooled.conditional.estimate.estimate) == (30, 30, 1.0)
    assert (fooled.end_to_end.events, fooled.end_to_end.out_of, fooled.end_to_end.estimate.estimate) == (30, 40, 0.75)
    assert (fooled.clean_right, fooled.clean_wrong, fooled.clean_not_read) == (30, 0, 0)
    assert dict(fooled.not_applicable) == {"no_measurement": 10}
    assert (fooled.flips.items, fooled.flips.attacked, fooled.flips.repeats, fooled.flips.excess.estimate) == (
        30,
        1.0,
        0.0,
        1.0,
    )
    assert fooled.flips.test.details == {"first_only": 30, "second_only": 0}
    assert fooled.flips.test.p_value == 2 * 0.5**30
    assert fooled.flips.adjusted_p == pytest.approx(14 * 2 * 0.5**30)
    assert (fooled.flips.more_wrong.estimate, fooled.flips.more_wrong_test.details) == (
        1.0,
        {"first_only": 30, "second_only": 0},
    )
    assert fooled.flips.more_wrong_adjusted_p == pytest.approx(14 * 2 * 0.5**30)
    assert len(operators) == 13
    for other in operators.values():
        assert (other.conditional.events, other.conditional.out_of) == (0, 40)
        assert (other.end_to_end.events, other.end_to_end.out_of) == (0, 40)
        assert other.flips.excess.estimate == 0
        assert other.flips.adjusted_p == 1
        assert not other.failed


def test_items_that_were_wrong_before_are_in_no_numerator_and_stay_in_the_frozen_denominator():
    wrong = frozenset({"q000", "q001", "q002", "q038"})  # three with a heart rate, one without
    fooled = by_name(robustness(run_of(PLAN, fooled_by("impossible_measurement", clean_wrong=wrong))))[
        "impossible_measurement"
    ]
    assert (fooled.clean_right, fooled.clean_wrong) == (27, 3)
    assert (fooled.conditional.events, fooled.conditional.out_of) == (27, 27)
    assert (fooled.end_to_end.events, fooled.end_to_end.out_of) == (27, 40)
    assert fooled.coverage.events == 30
    # wrong before and wrong under attack is no flip: 27 of 30
    assert fooled.flips.attacked == pytest.approx(0.9)
    assert (fooled.flips.right_to_wrong.attacked, fooled.flips.right_to_wrong.attacked_of) == (27, 27)
    assert (fooled.flips.wrong_to_right.attacked, fooled.flips.wrong_to_right.attacked_of) == (0, 3)


def test_a_family_pools_its_operators_and_an_items_attacks_are_drawn_together():
    found = robustness(run_of(PLAN, fooled_by("bait.recency")))
    baits = next(item for item in found.families if item.family == "bait")
    assert (baits.conditional.events, baits.conditional.out_of) == (40, 320)
    assert (baits.end_to_end.events, baits.end_to_end.out_of) == (40, 320)
    assert (
        "clusters" in baits.conditional.estimate.method or "bootstrap" in baits.conditional.estimate.method.casefold()
    )
    assert baits.flips.excess.estimate == pytest.approx(1 / 8)
    # eight attacks on an item are no eight independent ones: an item has one vote
    assert baits.flips.test.details == {"first_only": 40, "second_only": 0}


def test_a_system_that_is_wrong_at_random_shows_no_excess_flips():
    big = plan(items=120, measured=120)
    covered = total = 0
    estimates, losses = [], []
    for seed in range(6):
        found = robustness(run_of(big, noisy(seed)), seed=seed)
        estimates += [item.flips.excess.estimate for item in found.operators]
        losses += [item.flips.more_wrong.estimate for item in found.operators]
        covered += sum(item.flips.excess.covers(0.0) for item in found.operators)
        total += len(found.operators)
        for item in found.operators:
            assert item.flips.adjusted_p > 0.05
            assert item.flips.more_wrong_adjusted_p > 0.05
        # an attack that does nothing still "fools" one in five: why the repeats are there
        assert 0.1 < found.families[0].conditional.estimate.estimate < 0.3
    assert abs(sum(estimates) / len(estimates)) < 0.01
    assert abs(sum(losses) / len(losses)) < 0.01
    assert covered / total >= 0.88


def test_a_noisy_system_that_one_attack_fools_is_found_by_its_loss_where_flips_hide_it():
    noise, attack = noisy(1, 0.4), fooled_by("bait.recency")
    found = robustness(
        run_of(
            plan(items=120),
            lambda question, asked: "wrong"
            if "wrong" in (noise(question, asked), attack(question, asked))
            else "right",
        )
    )
    fooled = by_name(found)["bait.recency"].flips
    # wrong before and after is no flip, so two in five of the losses do not show among flips
    assert fooled.more_wrong.estimate == pytest.approx(0.6, abs=0.06)
    assert fooled.excess.estimate < 0.3
    assert fooled.more_wrong_adjusted_p < 1e-10
    assert all(
        item.flips.more_wrong_adjusted_p > 0.05 for name, item in by_name(found).items() if name != "bait.recency"
    )


def test_without_the_repeats_noise_would_look_like_an_attack():
    found = robustness(run_of(plan(repeats=0), noisy(1)))
    recency = by_name(found)["bait.recency"]
    assert found.repeats is None
    assert recency.conditional.events > 0
    assert (recency.flips.items, recency.flips.excess.estimate) == (0, None)
    assert recency.flips.adjusted_p is None


def test_a_system_that_is_always_wrong_has_nothing_to_lose():
    found = robustness(run_of(PLAN, always("wrong")))
    assert found.clean.estimate.estimate == 0
    for item in found.operators:
        assert (item.conditional.out_of, item.conditional.estimate.estimate) == (0, None)
        assert item.end_to_end.estimate.estimate == 0
        assert item.clean_right == 0


def test_a_system_that_always_abstains_is_right_only_where_nothing_is():
    order = plan(ORDER, measured=ITEMS)
    found = robustness(run_of(order, always("abstains"), margin=0.05))
    assert found.clean.events == 0
    operators = by_name(found)
    for name, right in (("option_order", 0), ("answer_negation", 0), ("answer_removal", 40), ("context_removal", 40)):
        assert operators[name].accuracy.events == right, name
        assert operators[name].accuracy.out_of == 40
    assert operators["answer_removal"].flips.wrong_to_right.attacked == 40
    assert operators["answer_removal"].relation == "undefined"


def test_failed_replies_are_counted_apart_and_bound_every_rate():
    def behave(question, asked):
        place = int(question.columns["item_family"][1:])
        if str(question.columns.get("operator", "")).startswith("bait.recency"):
            return (
                ("unparsed", "truncated", "error", "missing")[place]
                if place < 4
                else "wrong"
                if place < 10
                else "right"
            )
        return "empty" if question.id == "q039" else "right"

    found = robustness(run_of(PLAN, behave))
    item = by_name(found)["bait.recency"]
    assert dict(item.failed) == {"error": 1, "not_asked": 1, "truncated": 1, "unparsed": 1}
    assert (item.clean_right, item.clean_not_read) == (39, 1)
    assert (item.conditional.events, item.conditional.out_of, item.conditional.failed) == (6, 35, 4)
    assert (item.conditional.lowest, item.conditional.highest) == (6 / 39, 10 / 39)
    # the frozen 40: 6 fooled for sure; four replies and one untouched one are not known
    assert (item.end_to_end.events, item.end_to_end.out_of, item.end_to_end.failed) == (6, 40, 5)
    assert (item.end_to_end.lowest, item.end_to_end.highest) == (6 / 40, 11 / 40)
    assert (found.clean.events, found.clean.out_of, found.clean.failed, found.clean.highest) == (39, 39, 1, 1.0)
    assert (item.flips.items, item.flips.left_out) == (35, 5)


def test_a_provider_that_always_fails_gives_no_rate_at_all():
    found = robustness(run_of(PLAN, always("error")))
    assert (found.clean.out_of, found.clean.estimate.estimate, found.clean.lowest, found.clean.highest) == (
        0,
        None,
        0.0,
        1.0,
    )
    for item in found.operators:
        assert item.conditional.estimate.estimate is None
        assert item.flips.excess.estimate is None
        assert item.end_to_end.lowest == 0
        assert item.end_to_end.highest == item.mutants / item.items


def test_several_replies_to_an_attack_count_each_and_stay_together():
    two = plan(("bait.recency", "option_order"), trials=2)

    def behave(question, asked):
        return "wrong" if question.columns.get("operator") and question.columns["trial"] == 2 else "right"

    found = robustness(run_of(two, behave, trials=2))
    item = by_name(found)["bait.recency"]
    assert (item.conditional.events, item.conditional.out_of) == (40, 80)
    assert (item.end_to_end.events, item.end_to_end.out_of) == (40, 80)
    assert item.flips.attacked == 0.5
    assert item.coverage.out_of == 40


def test_untouched_repeats_are_as_many_as_attacks_and_each_attack_has_its_own():
    attacks = [item for item in PLAN.questions if item.columns["arm"] == "attacked"]
    repeats = [item for item in PLAN.questions if item.columns["arm"] == "repeat"]
    assert len(attacks) == len(repeats) == 40 * 13 + 30
    assert len({item.columns["pair"] for item in attacks}) == len(attacks)
    assert {item.columns["pair"] for item in attacks} == {item.columns["pair"] for item in repeats}


def test_order_alone_is_held_against_the_margin_fixed_beforehand():
    order = plan(("option_order",), items=120, measured=0)
    same = robustness(run_of(order, always("right"), margin=0.05)).order
    assert (same.items, same.clean, same.shuffled, same.equivalence.finding) == (120, 1.0, 1.0, "shown")
    worse = robustness(run_of(order, fooled_by("option_order"), margin=0.05)).order
    assert (worse.shuffled, worse.equivalence.finding, worse.equivalence.difference.estimate) == (0.0, "refuted", -1.0)
    assert worse.repeats.finding == "shown"
    unclear = robustness(run_of(order, noisy(3), margin=0.05)).order
    assert unclear.equivalence.finding == "not shown"
    assert unclear.equivalence.alpha == 0.05
    assert robustness(run_of(order, noisy(3))).order is None


def test_the_gap_of_a_static_run_states_clean_and_attacked_accuracy():
    gap = benchmarking_gap(run_of(PLAN, fooled_by("impossible_measurement")))
    assert (gap.clean.events, gap.clean.out_of) == (40, 40)
    assert (gap.static.events, gap.static.out_of) == (40 * 13, 40 * 13 + 30)
    assert (gap.adaptive, gap.rounds) == (None, 0)


def test_a_run_without_a_plan_and_a_changed_plan_are_refused():
    run = run_of(PLAN, always("right"))
    run.info.arguments["logs"][0]["plan"]["operators"].pop()
    with pytest.raises(InputError, match="changed after the run"):
        robustness(run)
    run.info.arguments["logs"].clear()
    with pytest.raises(InputError, match="keeps no plan"):
        robustness(run)


def test_the_result_is_plain_json():
    import json

    value = json.loads(json.dumps(robustness(run_of(PLAN, noisy(2))).to_dict(), allow_nan=False))
    assert {"operators", "families", "clean", "repeats", "plan_hash"} <= set(value)
    assert [item["operator"].split("@")[0] for item in value["operators"]][-8:] == list(BAITS)
