from __future__ import annotations

import json

import pytest

from equipoise.errors import InputError, UsageError
from equipoise.ids import text_hash
from equipoise.judging.sources import ItemText, ItemTexts, RepliesOnly, from_items, prompt_hashes, read_items, run_items

ROW = {"item": "a", "reply": "Yes."}


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_a_file_of_items_gives_prompt_reply_and_lists(tmp_path):
    path = write(
        tmp_path / "items.jsonl",
        {"id": "a", "prompt": "May I?", "reference": ["No.", "Never."], "critical_actions": ["Stop.", {"id": "er", "text": "Go."}]},
        {"item": "b", "prompt": "And I?", "score": 3},
    )  # fmt: skip
    shown = read_items(path).material_for(ROW)
    assert shown.parts == {"prompt": "May I?", "reference": ("No.", "Never."), "reply": "Yes."}
    assert [(entry.id, entry.text) for entry in shown.lists["critical_actions"]] == [("1", "Stop."), ("er", "Go.")]
    assert read_items(path).material_for({"item": "b", "reply": None}).parts == {"prompt": "And I?"}


def test_a_csv_with_other_names_is_mapped(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text('id,question,critical_actions\na,"May I, or not?","[""Stop.""]"\n', encoding="utf-8")
    shown = read_items(path, columns={"prompt": "question"}).material_for(ROW)
    assert shown.parts["prompt"] == "May I, or not?"
    assert shown.lists["critical_actions"][0].text == "Stop."
    with pytest.raises(InputError, match=r"items.csv, line 2: there is no column 'text'"):
        read_items(path, columns={"prompt": "text"})


def test_a_text_in_brackets_is_a_text(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text('id,prompt,reference\na,"[""1""]",[Patient] asks\n', encoding="utf-8")
    parts = read_items(path).material_for(ROW).parts
    assert (parts["prompt"], parts["reference"]) == ('["1"]', "[Patient] asks")


def test_a_reply_in_the_file_is_never_the_reply_that_is_judged(tmp_path):
    path = write(tmp_path / "items.jsonl", {"id": "a", "prompt": "p", "reply": "another model's"})
    assert read_items(path).material_for(ROW).parts["reply"] == "Yes."
    assert "reply" not in read_items(path).material_for({"item": "a", "reply": None}).parts


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([{"prompt": "p"}], "line 1: no identifier; expected one of the columns id, item, case_id"),
        (
            [{"id": "a", "prompt": "p"}, {"id": "a", "prompt": "q"}],
            "line 2, field id: item 'a' stands there twice|line 2",
        ),
        ([{"id": "a", "critical_actions": [{"text": 3}]}], "line 1"),
        ([{"id": "a", "critical_actions": [{"text": "x", "weight": "much"}]}], "line 1"),
        ([{"id": "a", "out_of_scope": "refusal"}], "line 1"),
        ([{"id": "a", "out_of_scope": True}], "line 1, field out_of_scope: expected a list of criteria"),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_line(tmp_path, records, words):
    with pytest.raises(InputError, match=words):
        read_items(write(tmp_path / "items.jsonl", *records))


def test_other_files_are_refused(tmp_path):
    with pytest.raises(UsageError, match="no such file"):
        read_items(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="expected a .jsonl or .csv file"):
        read_items(tmp_path / "items.xlsx")


def test_an_item_that_is_not_there_names_the_option():
    with pytest.raises(
        InputError, match="the items has no item 'a'; name the file of the items that were asked with --data"
    ):
        ItemTexts(items={}).material_for(ROW)


def test_a_prompt_that_is_not_the_one_asked_is_refused():
    texts = {"a": ItemText(parts={"prompt": "changed"})}
    right = ItemTexts(items=texts, prompt_hashes={"a": text_hash("changed"), "b": "x"})
    assert right.material_for(ROW).parts["prompt"] == "changed"
    with pytest.raises(InputError, match="is not the one that was asked"):
        ItemTexts(items=texts, prompt_hashes={"a": text_hash("original")}).material_for(ROW)


def test_the_texts_of_a_run_folder(tmp_path):
    assert run_items(tmp_path) is None
    assert prompt_hashes(tmp_path) == {}
    write(tmp_path / "references.jsonl", {"case_id": "a", "label": "x", "prompt_hash": "h"})
    assert run_items(tmp_path) is None
    assert prompt_hashes(tmp_path) == {"a": "h"}
    write(tmp_path / "references.jsonl", {"id": "a", "prompt": "May I?"}, {"id": "b"})
    own = run_items(tmp_path)
    assert own is not None
    assert own.material_for(ROW).parts == {"prompt": "May I?", "reply": "Yes."}


def test_items_of_a_benchmark_are_taken_over():
    from equipoise.benchmarks.prompts.item import CriticalAction, PromptItem
    from equipoise.refusal.terms import Arm

    item = PromptItem(
        id="a", prompt="May I?", arm=Arm.BENIGN, system="Be kind.", facts={"reference": "No.", "tier": 2},
        critical_actions=(CriticalAction(id="er", text="Go."),),
    )  # fmt: skip
    shown = from_items([item]).material_for(ROW)
    assert shown.parts == {"prompt": "May I?", "system": "Be kind.", "reference": "No.", "reply": "Yes."}
    assert shown.lists["critical_actions"][0].id == "er"


def test_replies_alone():
    assert RepliesOnly().material_for(ROW).parts == {"reply": "Yes."}
