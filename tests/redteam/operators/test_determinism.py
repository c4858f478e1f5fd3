"""The same seed gives the same mutants, whatever the order of items; another seed gives others."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from equipoise.errors import InputError
from equipoise.redteam.operators import (
    OPERATORS,
    Draw,
    Form,
    Mutant,
    choice_item,
    conversation_item,
    draw_for,
    find_operator,
    static_set,
)
from redteam_items import made_cases, made_choices, made_conversations, made_scenes


def items():
    return [*(item for item, _ in made_choices(40)), *made_conversations(40), *made_scenes(10), *made_cases(10)]


def test_the_same_seed_gives_the_same_mutants_in_any_order_of_items():
    first = static_set(items(), seed=5)
    shuffled = items()
    random.Random(3).shuffle(shuffled)
    second = static_set(shuffled, seed=5)
    assert len(first.mutants) > 1500
    assert {mutant.item.id: mutant for mutant in first.mutants} == {mutant.item.id: mutant for mutant in second.mutants}
    assert first.content_hash == second.content_hash
    assert first.items_hash == second.items_hash
    assert [item.share for item in first.coverage] == [item.share for item in second.coverage]


def test_another_seed_gives_other_mutants_for_operators_that_draw():
    first, second = static_set(items(), seed=5), static_set(items(), seed=6)
    assert first.content_hash != second.content_hash
    for operator in ("option_order", "bait.recency", "plausible_distractors"):
        one = [mutant.content_hash for mutant in first.mutants if mutant.operator == operator]
        other = [mutant.content_hash for mutant in second.mutants if mutant.operator == operator]
        assert one != other


def test_the_seed_and_the_parent_stand_in_every_mutant():
    found = static_set(items(), seed=11)
    known = {item.id: item.content_hash for item in items()}
    for mutant in found.mutants:
        assert mutant.seed == 11
        assert mutant.parent_hash == known[mutant.parent_id]
        assert mutant.item.content_hash == mutant.content_hash
        assert mutant.verified_by
        row = mutant.to_row()
        assert row["parent_item"] == mutant.parent_id
        assert row["expected"] == (None if mutant.key is None else "".join(mutant.key))
    assert len({mutant.item.id for mutant in found.mutants}) == len(found.mutants)


def test_an_item_draws_by_content_not_by_name():
    item, other = (
        choice_item(name, "Which is it?", ["Zorbol", "Belol", "Tamol", "Vexol"], "A") for name in ("q1", "q2")
    )
    operator = find_operator("option_order")
    first, second = (operator.apply(each, draw_for(1, each, operator.id)) for each in (item, other))
    assert first.content_hash == second.content_hash
    assert first.item.id != second.item.id


def test_operators_do_not_disturb_each_others_draws():
    item = made_choices(1)[0][0]
    alone = static_set([item], seed=2, operators=[find_operator("option_order")])
    among = static_set([item], seed=2)
    assert alone.mutants[0] in among.mutants


def test_every_process_makes_the_same_mutants():
    """No hash seed or set order of a process gets in."""
    code = (
        "from redteam_items import made_choices, made_conversations\n"
        "from equipoise.redteam.operators import static_set\n"
        "items = [item for item, _ in made_choices(12)] + made_conversations(12)\n"
        "print(static_set(items, seed=1).content_hash)"
    )
    import os

    path = os.pathsep.join(part for part in sys.path if part)
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONPATH": path, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_a_writer_never_changes_its_item():
    before = {item.id: item.content_hash for item in items()}
    made = items()
    static_set(made, seed=1)
    assert {item.id: item.content_hash for item in made} == before


def test_draws():
    draw = Draw(3, "x")
    values = [draw.below(5) for _ in range(400)]
    assert set(values) == set(range(5))
    again = Draw(3, "x")
    assert [again.below(5) for _ in range(400)] == values
    assert sorted(Draw(1).shuffled(range(9))) == list(range(9))


def test_the_loop_counts_everything_once():
    made = items()
    found = static_set(made, seed=1)
    assert found.rejected == ()
    assert len(found.mutants) + len(found.not_applicable) == len(made) * len(OPERATORS)
    for operator, entry in zip(OPERATORS, found.coverage, strict=True):
        assert entry.operator == operator.name
        assert entry.items == sum(item.form in operator.applies_to for item in made)
        assert entry.items == entry.mutants + sum(count for _, count in entry.not_applicable) + entry.rejected
        assert "wrong_form" not in dict(entry.not_applicable)
    assert found.to_dict()["coverage"][0]["items"] == 40
    only_cases = static_set(made_cases(3), seed=1, operators=[find_operator("option_order")])
    assert only_cases.coverage[0].share is None


def test_the_loop_counts_rejected_mutants():
    from dataclasses import replace

    from equipoise.redteam.operators.mutant import Written

    bad = replace(find_operator("none_added"), write=lambda item, draw: Written(item=replace(item, key=frozenset("B"))))
    found = static_set([choice_item("q", "Which is it?", ["Zorbol", "Belol"], "A")], seed=1, operators=[bad])
    assert found.mutants == ()
    assert found.coverage[0].rejected == 1
    assert found.rejected[0].item_id == "q"


def test_the_loop_refuses_two_items_of_one_name():
    item = conversation_item("c", [("user", "Hello there, what now?")])
    with pytest.raises(InputError, match="'c' occurs twice"):
        static_set([item, item], seed=1)


def test_every_operator_is_listed_once_and_says_what_it_does():
    assert len({operator.id for operator in OPERATORS}) == len(OPERATORS)
    for operator in OPERATORS:
        assert operator.summary
        assert operator.applies_to <= set(Form)
        assert operator.check_name
    assert isinstance(
        find_operator("option_order").apply(choice_item("q", "Which?", ["Zorbol", "Belol"], "B"), Draw(1)), Mutant
    )
