"""MedQA in its published formats: 4 and 5 options, options as object or list, the key by letter or text, several keys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equipoise.benchmarks.catalogue import ITEM_SETS, find
from equipoise.benchmarks.medqa.loader import LOADER, load, read
from equipoise.errors import InputError, UsageError
from equipoise.redteam.operators import Mutant, draw_for, find_operator, static_set

DATA = Path(__file__).parent / "data"


def test_five_options():
    items = load(DATA / "five_options.jsonl", allow_changed=True)
    assert [len(item.options) for item in items] == [5, 5]
    assert [sorted(item.key) for item in items] == [["B"], ["A"]]
    assert items[0].text_of("B") == "Zorbel itch"
    assert items[0].tags == ("step2&3",)
    assert items[0].id.startswith("medqa-")


def test_four_options():
    items = load(DATA / "four_options.jsonl")
    assert [len(item.options) for item in items] == [4, 4]
    assert [sorted(item.key) for item in items] == [["B"], ["B"]]


def test_several_keys_and_every_way_to_write_them():
    items = load(DATA / "several_keys.jsonl")
    assert {item.id: sorted(item.key) for item in items} == {
        "m1": ["A", "C"],
        "m2": ["A", "C"],
        "m3": ["C"],
        "m4": ["B", "C"],
    }
    assert [option.text for option in items[1].options] == ["Red ears", "Green nails", "Slow hair"]


def test_an_identifier_hangs_on_the_content():
    first = load(DATA / "five_options.jsonl")
    second = load(DATA / "five_options.jsonl")
    assert [item.id for item in first] == [item.id for item in second]
    assert first[0].id != first[1].id


def test_the_set_states_its_file_and_hash():
    found = read(DATA / "four_options.jsonl")
    assert found.file.source.id == "us-4-options"
    assert len(found.file.sha256) == 64
    assert len(found.content_hash) == 16
    assert found.content_hash != read(DATA / "five_options.jsonl").content_hash


def test_operators_work_on_what_was_read():
    items = load(DATA / "five_options.jsonl")
    found = static_set(items, seed=1)
    assert found.rejected == ()
    order = find_operator("option_order")
    made = order.attempt(items[0], draw_for(1, items[0], order.id))
    assert isinstance(made, Mutant)
    assert made.item.text_of(made.key[0]) == "Zorbel itch"
    letters = load(DATA / "four_options.jsonl")[1]
    assert order.attempt(letters, draw_for(1, letters, order.id)).reason == "options_refer_to_each_other"


GOOD = {"question": "Which is it?", "options": {"A": "Zorbol", "B": "Belol", "C": "Tamol"}, "answer_idx": "A"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": "Belol"}, r"field answer: record 1: answer_idx and answer disagree: A and B"),
        ({"answer_idx": "D"}, r"field answer_idx: record 1: expected letters from A to C, found 'D'"),
        ({"answer_idx": "", "answer": ""}, r"record 1: expected a key in answer_idx or answer"),
        ({"answer_idx": None, "answer": "Vexol"}, r"record 1: no option has the text of the answer, 'Vexol'"),
        ({"options": {"A": "x", "C": "y"}}, r"record 1: expected options lettered from A without a gap, found A, C"),
        ({"options": "Zorbol; Belol"}, r"record 1: expected options as an object or a list, found str"),
        ({"options": {"A": "x", "B": 3}}, r"record 1: expected texts, found int"),
        ({"options": {"A": "x", "B": " "}}, r"record 1: expected texts, found an empty text"),
        ({"options": [{"key": "A"}]}, r"with the elements key and value"),
        (
            {"options": ["Zorbol", "zorbol"], "answer_idx": None, "answer": "Zorbol"},
            r"two options have the text of the answer",
        ),
        ({"question": ""}, r"record 1: expected a text, found nothing"),
        ({"options": ["Zorbol"]}, r"record 1: item 'new': expected 2 to 26 options, found 1"),
    ],
)
def test_a_record_that_cannot_be_read_is_named_with_its_element(tmp_path, change, message):
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(GOOD | change) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load(file)


def test_a_missing_column_is_named(tmp_path):
    file = tmp_path / "one.jsonl"
    file.write_text('{"question": "Which?", "choices": ["a", "b"]}\n', encoding="utf-8")
    with pytest.raises(InputError, match="the column 'options' is missing"):
        load(file)


def test_two_records_of_one_name_are_refused(tmp_path):
    file = tmp_path / "two.jsonl"
    file.write_text((json.dumps(GOOD) + "\n") * 2, encoding="utf-8")
    with pytest.raises(InputError, match="occurs twice"):
        load(file)


def test_a_file_that_is_nowhere_says_where_to_get_it(tmp_path):
    with pytest.raises(UsageError, match=r"GBaker/MedQA-USMLE-4-options, revision 0fb93dd"):
        load(tmp_path)
    with pytest.raises(UsageError, match="there is no part 'six'; expected one of us-4-options, us-5-options"):
        load(tmp_path, part="six")


@pytest.mark.parametrize("entry", ITEM_SETS, ids=lambda entry: entry.id)
def test_a_set_of_items_has_a_card_that_agrees_with_its_loader(entry):
    import importlib

    card = find(entry.id).card()
    loader = importlib.import_module(f"{entry.package}.loader").LOADER
    assert card.id == entry.id == loader.benchmark
    stated = " ".join((card.revision, *card.hashes, card.licence, *card.columns))
    for source in loader.sources:
        assert source.revision in stated
        assert source.sha256 in stated
        assert source.licence.split(";")[0] in stated
        assert card.unverified
        assert all(column in card.columns for column in source.columns)
    assert card.flaws
    assert card.limits


def test_a_downloaded_file_would_be_pinned():
    assert LOADER.sources[0].revision
