"""The demo questions: well formed, each key with a source, and of a form that the operators reach."""

from __future__ import annotations

import re
from collections import Counter

from equipoise.benchmarks.choice_stress.demo import demo_items, demo_records
from equipoise.benchmarks.choice_stress.plan import chosen_operators, prepare
from equipoise.benchmarks.das_robustness.task import OPERATORS as ATTACKS
from equipoise.benchmarks.medqa_order.task import OPERATORS as ORDER


def test_there_are_enough_and_every_key_has_a_source_a_reader_can_look_up():
    records = demo_records()
    assert len(records) >= 24
    for record in records:
        assert set(record) == {"id", "question", "options", "answer_idx", "topic", "source"}
        assert re.search(r"PMID \d{7,8}$|\(DailyMed\)$|\b21 CFR \d", record["source"]), record["source"]
    assert len({record["id"] for record in records}) == len({record["question"] for record in records}) == len(records)


def test_no_letter_is_the_key_much_more_often_than_others():
    keys = Counter(record["answer_idx"] for record in demo_records())
    assert max(keys[letter] for letter in "ABCD") <= 8
    assert min(keys[letter] for letter in "ABCD") >= 5


def test_no_option_gives_the_key_away_by_its_place_in_the_text():
    for record in demo_records():
        key = record["options"]["ABCDE".index(record["answer_idx"])]
        assert key.casefold() not in record["question"].casefold()


def test_every_operator_reaches_most_of_them_and_no_check_refuses_a_mutant():
    for default in (ATTACKS, ORDER):
        plan = prepare("x", demo_items(), operators=chosen_operators(None, default), seed=42, repeats=0, trials=1).plan
        for item in plan.operators:
            assert len(item.items) == len(demo_items())
            # where the final question stands alone, taking the text away changes nothing
            assert len(item.mutants) >= (10 if item.operator.startswith("context_removal") else 20), item
            assert item.rejected == 0
