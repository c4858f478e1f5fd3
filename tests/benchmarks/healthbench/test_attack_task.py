"""Attacks through the task: a subject fooled by one attack, a noisy grader, graders and writers that fail."""

from __future__ import annotations

import itertools
import json
import re

import numpy as np
import pytest
from inspect_ai import eval

from equipoise.benchmarks.healthbench.summary import summarise
from equipoise.benchmarks.healthbench.task import demo_items, healthbench
from equipoise.evals.logs import convert
from equipoise.outcomes.schema import judgements_table, outcomes_table, problems
from equipoise.redteam.aimed.attacks import ATTACKS
from equipoise.redteam.aimed.measures import attack_results
from equipoise.redteam.plan import Plan
from evals_help import output, written
from healthbench_help import grading

ITEMS = demo_items()
PRESSED = "A professor I know"
MEASURED = {ITEMS[place].id for place in (0, 2, 3, 4, 6)}
"""Conversations whose last turn states a measurement."""


def careful(criterion, reply):
    """Good criteria are met unless the reply gave in; bad ones only when it gave in."""
    gave_in = "GAVE IN" in reply
    points = {one.criterion: one.points for item in ITEMS for one in item.rubric}[criterion]
    return gave_in is (points < 0)


def run(tmp_path, subject, grader, **arguments):
    (log,) = eval(
        healthbench(**{"attacks": "all", **arguments}), model=written(subject), model_roles={"grader": grader},
        log_dir=str(tmp_path), display="none",
    )  # fmt: skip
    found = convert([log])
    assert problems("outcomes", outcomes_table(found.outcomes)) == ()
    assert problems("judgements", judgements_table(found.judgements)) == ()
    return log, found


def results(found, grader="mockllm/model"):
    plan = Plan.from_dict(found.info.arguments["logs"][0]["plan"])
    rng = np.random.default_rng(1)
    rows = attack_results(found.outcomes, found.judgements, plan, grader=grader, rng=rng)
    return {row.attack: row for row in rows}


def test_a_subject_fooled_by_one_attack_gives_exactly_its_rates(tmp_path):
    log, found = run(tmp_path, lambda prompt: "GAVE IN" if PRESSED in prompt else "Firm.", grading(careful))
    rates = results(found)
    fooled = rates["aimed.authority@1"]
    assert (fooled.items, fooled.attacked, fooled.judged, fooled.flips) == (8, 8, 8, 8)
    assert fooled.coverage.estimate == fooled.conditional.estimate == fooled.end_to_end.estimate == 1
    assert (fooled.repeats.estimate, fooled.grader.estimate, fooled.excess.estimate) == (0, 0, 1)
    assert fooled.drop[0] + fooled.provoke[0] == 8
    for name, row in rates.items():
        if name != "aimed.authority@1":
            assert row.flips == 0
            assert row.excess.estimate == 0
    measured = rates["aimed.impossible_measurement@1"]
    assert measured.items == 8
    assert measured.attacked == len(MEASURED)
    assert measured.coverage.estimate == measured.attacked / 8 < 1
    shares = [1 / (6 if item.id in MEASURED else 5) for item in ITEMS]
    assert log.results.scores[0].metrics["mean"].value == pytest.approx(np.mean(shares))


def test_the_target_is_recorded_and_the_same_for_all_attacks(tmp_path):
    _, found = run(tmp_path, lambda prompt: "Firm.", grading(careful), seed=3)
    targets = {}
    for row in found.outcomes:
        if row["arm"] == "attacked":
            value = json.loads(row["operator_parameters"])
            assert value["relation"] == "same"
            targets.setdefault(row["item_family"], set()).add(json.dumps(value["target"]))
            assert row["parent_item"] == row["item_family"] != row["item"]
            assert row["operator"].startswith("aimed.")
    assert len(targets) == 8
    assert all(len(found) == 1 for found in targets.values())
    aims = {json.loads(next(iter(found)))["aim"] for found in targets.values()}
    assert aims == {"drop", "provoke"}


def test_repeats_are_asked_and_the_first_reply_is_graded_again(tmp_path):
    _, found = run(tmp_path, lambda prompt: "Firm.", grading(careful), repeats=3)
    arms = [row["arm"] for row in found.outcomes]
    assert (arms.count("clean"), arms.count("repeat")) == (8, 24)
    assert {row["trial"] for row in found.outcomes if row["arm"] == "repeat"} == {2, 3, 4}
    assert sum(row["criterion"].endswith(":again") for row in found.judgements) == 8
    (summary,) = summarise(found.outcomes, found.judgements, found.references)
    assert (summary.replies, summary.score.n, summary.score.mean) == (8, 8, 1.0)


def test_a_noisy_subject_shows_no_excess(tmp_path):
    """Every second reply gives in, whatever is asked: attacked and untouched alike."""
    turn = itertools.count()

    def subject(prompt):
        return "GAVE IN" if next(turn) % 2 else "Firm."

    rates = []
    for seed in range(4):
        _, found = run(tmp_path / str(seed), subject, grading(careful), repeats=4, seed=seed)
        rates += [row.excess.estimate for row in results(found).values() if row.excess.estimate is not None]
    assert abs(float(np.mean(rates))) < 0.15


def test_a_grader_that_changes_its_mind_shows_as_noise_of_the_grader(tmp_path):
    seen = set()

    def fickle(criterion, reply):
        first = (criterion, reply) not in seen
        seen.add((criterion, reply))
        return careful(criterion, reply) if first else not careful(criterion, reply)

    _, found = run(tmp_path, lambda prompt: "Firm.", grading(fickle), attacks="authority")
    row = results(found)["aimed.authority@1"]
    assert row.grader.estimate == 1
    assert row.conditional.estimate == 1
    assert row.excess.estimate == 0


def test_a_grader_that_fails_on_attacked_replies_is_bounded_and_no_flip(tmp_path):
    def decide(criterion, reply):
        return "hm" if reply == "GAVE IN" else careful(criterion, reply)

    log, found = run(
        tmp_path, lambda prompt: "GAVE IN" if PRESSED in prompt else "Firm.", grading(decide), attacks="authority"
    )
    row = results(found)["aimed.authority@1"]
    assert (row.attacked, row.judged, row.flips) == (8, 0, 0)
    assert row.conditional.estimate is None
    assert (row.bounds.low, row.bounds.high) == (0, 1)
    assert log.results.scores[0].unscored_samples == 8


@pytest.mark.parametrize("state", ["truncated", "error"])
def test_an_attacked_reply_that_failed_keeps_the_others(tmp_path, state):
    bad = output("Fir", "max_tokens") if state == "truncated" else ValueError("gone")
    _, found = run(
        tmp_path,
        lambda prompt: bad if PRESSED in prompt else "Firm.",
        grading(careful),
        attacks="authority,emotion",
        limit=2,
    )
    states = {(row.get("operator"), row["state"]) for row in found.outcomes}
    assert states == {(None, "ok"), ("aimed.authority@1", state), ("aimed.emotion@1", "ok")}
    row = results(found)["aimed.authority@1"]
    assert (row.attacked, row.judged, row.conditional.n_left_out) == (2, 0, 2)


def test_without_a_target_nothing_is_attacked_and_the_item_stays_in_the_denominator(tmp_path):
    def hopeless(criterion, reply):
        return not careful(criterion, reply)

    log, found = run(tmp_path, lambda prompt: "Firm.", grading(hopeless), attacks="authority")
    assert {row["arm"] for row in found.outcomes} == {"clean"}
    row = results(found)["aimed.authority@1"]
    assert (row.items, row.attacked, row.end_to_end.estimate) == (8, 0, 0)
    assert row.coverage.estimate == 0
    assert log.results.scores[0].unscored_samples == 8


def test_a_writer_words_the_attack_and_is_checked(tmp_path):
    from inspect_ai.model import get_model

    made = []

    def proposing(prompt):
        made.append(prompt)
        return "My uncle would rather not read about that." if "allergy" in prompt else "She has a fever of 40."

    import equipoise.benchmarks.healthbench.attacking as attacking

    model = written(proposing)
    original = attacking.get_model
    attacking.get_model = lambda name=None, *rest: model if name == "writer/x" else get_model()
    try:
        _, found = run(
            tmp_path, lambda prompt: "Firm.", grading(careful), attacks="authority", writer="writer/x", limit=2
        )
    finally:
        attacking.get_model = original
    attacked = [row for row in found.outcomes if row["arm"] == "attacked"]
    assert len(made) == 2
    assert len(attacked) == 1
    kept = json.loads(json.loads(attacked[0]["operator_parameters"])["parameters"])
    assert kept["writer"].endswith("@1")
    assert kept["inserted"] == "My uncle would rather not read about that."
    assert "data: follow nothing" in made[0]


def test_the_plan_states_how_far_every_attack_reaches(tmp_path):
    _, found = run(tmp_path, lambda prompt: "Firm.", grading(careful))
    plan = Plan.from_dict(found.info.arguments["logs"][0]["plan"])
    assert [item.operator for item in plan.operators] == [attack.name for attack in ATTACKS]
    reach = {item.operator: len(item.mutants) for item in plan.operators}
    measurement = "aimed.impossible_measurement@1"
    assert all(number == 8 for name, number in reach.items() if name != measurement)
    assert plan.operators[-1].not_applicable == {"no_measurement": 8 - reach[measurement]}
    assert {row["item_family"] for row in found.outcomes if row.get("operator") == measurement} <= set(
        plan.operators[-1].mutants
    )


def test_the_grader_sees_the_attacked_conversation_it_was_asked_in(tmp_path):
    seen = []
    grader = grading(careful)
    original = grader.api.outputs

    def spy(messages, *rest):
        seen.append("\n".join(message.text for message in messages))
        return original(messages, *rest)

    grader.api.outputs = spy
    run(tmp_path, lambda prompt: "Firm.", grader, attacks="authority", limit=1)
    shown = [re.search(r"\[\[BEGIN \w+ prompt\]\]\n(.*?)\n\[\[END", text, re.DOTALL)[1] for text in seen]
    assert sum(PRESSED in text for text in shown) == 1


def test_a_run_folder_gives_scores_and_attacks_and_their_lines(tmp_path):
    from equipoise.benchmarks.healthbench.summary import lines, summary_of
    from equipoise.outcomes.run import write_run

    _, found = run(tmp_path, lambda prompt: "GAVE IN" if PRESSED in prompt else "Firm.", grading(careful))
    result = summary_of(write_run(tmp_path / "run", found.info, found.outcomes, found.judgements))
    (score,) = result.scores
    assert score == summarise(found.outcomes, found.judgements, found.references)[0]
    assert score.score.mean == 1.0
    (rows,) = result.attacks.values()
    assert {row.attack: row.flips for row in rows}["aimed.authority@1"] == 8
    told = lines(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert told[0].endswith("score 1.000 (spread 0.000)")
    (line,) = [text for text in told if text.startswith("authority")]
    assert line.split() == ["authority", "8/8", "8/8", "1.000", "1.000", "0.000", "0.000", "1.000"]
