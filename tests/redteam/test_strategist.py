"""The strategist: its choices hang on seed, item and history alone, none comes twice, and a bad choice of a model is named."""

from __future__ import annotations

import itertools
import json

import pytest

from choice_mocks import invented
from equipoise.benchmarks.choice_stress.plan import chosen_operators
from equipoise.benchmarks.das_robustness.task import OPERATORS
from equipoise.redteam.operators import Mutant, conflict_between, find_operator
from equipoise.redteam.strategist import SINGLES, Attempt, Invalid, Outcome, checked_choice, next_attack

USABLE = chosen_operators(None, OPERATORS)
ITEM = invented(1)[0]


def chains(item, rounds, *, usable=USABLE, seed=3, outcome=Outcome.RIGHT):
    history = []
    for _ in range(rounds):
        mutant = next_attack(item, history, usable, seed)
        if mutant is None:
            break
        history.append(Attempt(chain=tuple(mutant.operator.split("+")), outcome=outcome))
    return [attempt.chain for attempt in history]


@pytest.mark.parametrize("item", invented(6), ids=lambda item: item.id)
def test_no_chain_comes_twice_and_none_holds_a_conflict(item):
    found = chains(item, 200)
    assert len(found) == len({frozenset(chain) for chain in found})
    for chain in found:
        for one, other in itertools.combinations(chain, 2):
            assert conflict_between(find_operator(one), find_operator(other)) == ""
    assert {len(chain) for chain in found} == {1, 2}


def test_it_goes_on_until_nothing_is_left():
    two = chosen_operators("bait.recency,bait.frequency", ())
    assert sorted(chains(ITEM, 10, usable=two)) == [("bait.frequency",), ("bait.recency",)]


def test_the_same_seed_and_history_give_the_same_choice_and_another_seed_another():
    assert chains(ITEM, 8) == chains(ITEM, 8)
    assert len({tuple(chains(ITEM, 8, seed=seed)) for seed in range(5)}) > 1


def test_single_attacks_of_different_families_come_first_and_then_two_together():
    found = chains(ITEM, SINGLES + 1)
    families = [find_operator(chain[0]).family for chain in found[:SINGLES]]
    assert [len(chain) for chain in found] == [1] * SINGLES + [2]
    assert len(set(families)) == SINGLES


def test_every_chosen_mutant_was_checked():
    history = [
        Attempt(chain=("bait.recency",), outcome=Outcome.RIGHT),
        Attempt(chain=("none_added",), outcome=Outcome.NOT_READ),
    ]
    mutant = next_attack(ITEM, history, USABLE, 1)
    assert isinstance(mutant, Mutant)
    assert any("key_relation" in check for check in mutant.verified_by)


def said(*names):
    return json.dumps({"operators": list(names)})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I would take a bait.", Invalid.NO_FORM),
        ('{"operators": "bait.recency"}', Invalid.NO_FORM),
        (said(), Invalid.NO_FORM),
        (said("bait.recency", "none_added", "narrative_distraction", "bait.frequency"), Invalid.NO_FORM),
        (said("delete_everything"), Invalid.UNKNOWN),
        (said("half_turn"), Invalid.UNKNOWN),
        (said("bait.recency", "bait.frequency"), Invalid.CONFLICT),
        (said("none_added", "none_added"), Invalid.CONFLICT),
        (said("none_added"), Invalid.REPEATED),
    ],
)
def test_a_choice_that_is_not_valid_is_named(text, found):
    history = [Attempt(chain=("none_added",), outcome=Outcome.RIGHT)]
    assert checked_choice(text, ITEM, history, USABLE, 1) is found


def test_a_choice_without_a_mutant_is_not_taken():
    plain = invented(1, measured=0)[0]
    assert checked_choice(said("impossible_measurement"), plain, [], USABLE, 1) is Invalid.NO_MUTANT


def test_a_valid_choice_is_the_mutant_of_its_operators_whatever_stands_around_it():
    made = checked_choice(f"Sure.\n```json\n{said('narrative_distraction', 'bait.recency')}\n```", ITEM, [], USABLE, 1)
    assert isinstance(made, Mutant)
    assert made.operator == "narrative_distraction+bait.recency"
