"""Who labels what in which order: balanced, seeded, complete."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from equipoise.study.assignment import overlap, queue

STRATA = {f"i{number}": ("clean" if number % 5 else "edge") for number in range(60)}
RATERS = ("a", "b", "c", "d")


def rng(seed=1):
    return np.random.default_rng(seed)


def test_every_item_has_its_raters_and_loads_are_even():
    given = overlap(STRATA, RATERS, per_item=2, share=1.0, rng=rng())
    assert list(given) == list(STRATA)
    assert {len(set(raters)) for raters in given.values()} == {2}
    load = Counter(rater for raters in given.values() for rater in raters)
    assert set(load.values()) == {30}


def test_pairs_of_raters_meet_about_equally():
    met = Counter(frozenset(raters) for raters in overlap(STRATA, RATERS, per_item=2, share=1.0, rng=rng()).values())
    assert set(met) == {frozenset(pair) for pair in combinations(RATERS, 2)}
    assert max(met.values()) - min(met.values()) <= 4


def test_the_overlap_is_a_share_of_every_stratum():
    given = overlap(STRATA, RATERS, per_item=3, share=0.25, rng=rng())
    double = [item for item, raters in given.items() if len(raters) == 3]
    assert Counter(STRATA[item] for item in double) == {"clean": 12, "edge": 3}
    assert sum(len(raters) == 1 for raters in given.values()) == 45
    load = Counter(rater for raters in given.values() for rater in raters)
    assert max(load.values()) - min(load.values()) <= 1


def test_more_raters_an_item_than_there_are_is_refused():
    with pytest.raises(ValueError, match="expected 1 to 2 raters an item, found 3"):
        overlap(STRATA, ("a", "b"), per_item=3, share=1.0, rng=rng())


def test_a_queue_holds_every_item_once_in_an_order_of_its_own():
    queues = [[turn.item for turn in queue(STRATA, place=place, raters=4, rng=rng(place))] for place in range(4)]
    assert all(sorted(order) == sorted(STRATA) for order in queues)
    assert len({tuple(order) for order in queues}) == 4
    assert queues[0] == [turn.item for turn in queue(STRATA, place=0, raters=4, rng=rng(0))]
    assert queues[0] != list(STRATA)


def test_over_all_raters_an_item_stands_as_often_early_as_late():
    """With four raters, each item stands once in each quarter of its stratum's order."""
    for stratum in ("clean", "edge"):
        members = [item for item, name in STRATA.items() if name == stratum]
        quarter = len(members) // 4
        seen = {item: set() for item in members}
        for place in range(4):
            order = [turn.item for turn in queue(STRATA, place=place, raters=4, rng=rng(place)) if turn.item in seen]
            for rank, item in enumerate(order):
                seen[item].add(rank // quarter)
        assert all(quarters == {0, 1, 2, 3} for quarters in seen.values())


def test_strata_are_spread_over_the_whole_queue():
    order = [STRATA[turn.item] for turn in queue(STRATA, place=0, raters=2, rng=rng())]
    halves = [Counter(order[:30])["edge"], Counter(order[30:])["edge"]]
    assert halves == [6, 6]


def test_repeats_come_late_and_were_met_early():
    turns = queue(STRATA, place=0, raters=2, rng=rng(), repeats=0.1)
    again = [(rank, turn.item) for rank, turn in enumerate(turns) if turn.purpose == "repeat"]
    assert len(again) == 6
    first = {turn.item: rank for rank, turn in enumerate(turns) if turn.repeat == 1}
    assert all(first[item] < 30 and rank >= 45 for rank, item in again)
    assert all(turns[rank].repeat == 2 for rank, _ in again)


def test_training_comes_first_and_attention_is_spread():
    turns = queue(STRATA, place=1, raters=2, rng=rng(), training=("t1", "t2"), attention=("x", "y", "z"))
    assert [turn.item for turn in turns[:2]] == ["t1", "t2"]
    spots = [rank - 2 for rank, turn in enumerate(turns) if turn.purpose == "attention"]
    assert len(spots) == 3
    assert [spot * 3 // 63 for spot in spots] == [0, 1, 2]


@pytest.mark.parametrize("size", [0, 1, 3])
def test_a_queue_shorter_than_its_raters_is_whole(size):
    few = dict(list(STRATA.items())[:size])
    for place in range(5):
        turns = queue(few, place=place, raters=5, rng=rng(place), repeats=0.5)
        assert sorted(turn.item for turn in turns if turn.repeat == 1) == sorted(few)
