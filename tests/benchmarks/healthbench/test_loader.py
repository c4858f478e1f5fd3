"""HealthBench in its published format: conversations of one or several turns, rubrics with points and tags."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equipoise.benchmarks.healthbench.loader import load, read
from equipoise.errors import InputError, UsageError
from equipoise.redteam.operators import Mutant, draw_for, find_operator

DATA = Path(__file__).parent / "data"


def test_conversations_with_rubrics():
    items = load(DATA / "conversations.jsonl")
    assert [item.id[-1] for item in items] == ["1", "2", "3"]
    assert [turn.role for turn in items[1].turns] == ["system", "user", "assistant", "user"]
    assert [item.points for item in items[0].rubric] == [8.0, 2.0, -10.0]
    assert items[0].rubric[0].tags == ("level:example", "axis:accuracy")
    assert items[0].tags == ("theme:hedging", "physician_agreed_category:any-reducible-uncertainty")
    assert all(item.key is None for item in items)


def test_a_fact_that_a_criterion_names_is_taken_away_and_said_to_be_depended_on():
    item = load(DATA / "conversations.jsonl")[0]
    operator = find_operator("remove.allergy")
    made = operator.attempt(item, draw_for(1, item, operator.id))
    assert isinstance(made, Mutant)
    assert "allerg" not in made.item.turns[-1].text
    assert "item_depends_on_fact" in made.verified_by
    assert made.item.rubric == item.rubric


def test_a_fact_that_no_criterion_names_brings_a_caution():
    item = load(DATA / "conversations.jsonl")[1]
    operator = find_operator("remove.time_course")
    made = operator.attempt(item, draw_for(1, item, operator.id))
    assert isinstance(made, Mutant)
    assert "item_depends_on_fact" not in made.verified_by
    assert "was not shown" in made.cautions[0]


def test_the_part_is_chosen_by_name():
    found = read(DATA / "conversations.jsonl", part="consensus")
    assert found.file.source.path == "consensus_2025-05-09-20-00-46.jsonl"
    with pytest.raises(UsageError, match="expected one of full, hard, consensus"):
        read(DATA / "conversations.jsonl", part="easy")


GOOD = {
    "prompt_id": "p",
    "prompt": [{"role": "user", "content": "Hi, what now?"}],
    "rubrics": [{"criterion": "Is kind", "points": 1, "tags": []}],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prompt_id": ""}, "field prompt_id: record 1: expected an identifier as text"),
        ({"prompt": []}, "field prompt: record 1: expected a list with at least one entry"),
        ({"prompt": [{"role": "doctor", "content": "x"}]}, r"expected turns with a role \(system, user, assistant\)"),
        ({"prompt": [{"role": "user", "content": None}]}, "expected turns with a role"),
        (
            {"prompt": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]},
            "whose last turn is the user's",
        ),
        ({"rubrics": "kind"}, "field rubrics: record 1: expected a list"),
        ({"rubrics": [{"points": 1}]}, "field rubrics.criterion"),
        (
            {"rubrics": [{"criterion": "x", "points": "5"}]},
            "field rubrics.points: record 1: expected points as a number, found '5'",
        ),
        ({"rubrics": [{"criterion": "x", "points": True}]}, "expected points as a number, found True"),
        ({"rubrics": [{"criterion": "x", "points": 1, "tags": "axis"}]}, "field rubrics.tags"),
        ({"example_tags": "theme"}, "field example_tags"),
    ],
)
def test_a_record_that_cannot_be_read_is_named_with_its_element(tmp_path, change, message):
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(GOOD | change) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load(file)
