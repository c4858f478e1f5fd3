"""Items of a pack: a filled one points to a stored field and a file, one that is not stored is a person's with a reason."""

from __future__ import annotations

import json

import pytest

from equipoise.errors import InternalError
from equipoise.ids import bytes_hash
from equipoise.outcomes.run import RUN_FILE
from equipoise.pack.build import make_pack
from equipoise.pack.catalogue import Stage, questions, standards
from equipoise.pack.items import Status
from equipoise.pack.known import ASKS
from equipoise.pack.tree import Tree, cut


@pytest.fixture
def pack(make_run):
    return make_pack([make_run("a"), make_run("b", wrong=2, system="openai/other")])


def find(pack, standard, name):
    return next(item for item in pack.items if (item.standard, item.id) == (standard, name))


def test_every_item_of_every_standard_has_a_status_and_a_reason_or_a_value(pack):
    expected = [(standard.id, item.id) for standard in standards() for item in standard.items]
    assert [(item.standard, item.id) for item in pack.items] == expected
    assert {item.status for item in pack.items} == set(Status)
    for item in pack.items:
        if item.status is Status.FILLED:
            assert item.value
            assert all(text.strip() for text in item.value.values())
            assert item.files
            assert not item.questions
        else:
            assert item.reason
            assert (item.status is Status.PERSON) == bool(item.questions)
        assert all(key in questions() or key in ASKS for key in item.questions)


def test_filled_points_to_existing_fields_and_to_files_with_their_hash(pack):
    for item in pack.items:
        if item.standard != "chai-card":
            assert all(pack.tree.values[path].text == text for path, text in item.value.items())
        for name, digest in item.files.items():
            assert digest == bytes_hash(pack.files[name])


def test_values_come_from_the_runs(pack):
    assert find(pack, "tripod-llm", "6b").value == {
        "gen.temperature": "0", "gen.max_tokens": "1024", "prompt.id": "base",
    }  # fmt: skip
    assert find(pack, "tripod-llm", "6a").value["model.version"] == "model-2026-11-01"
    assert find(pack, "tripod-llm", "14f").value["run.code_hash"] == "c" * 64
    assert "1 unparsed" in find(pack, "stard-ai", "19").value["states"]


def test_a_missing_field_becomes_a_persons_item_that_says_which(make_run):
    bare = make_run("bare", environment={}, log={"model": "openai/model"})
    pack = make_pack([bare])
    item = find(pack, "tripod-llm", "6b")
    assert item.status is Status.PERSON
    assert item.reason == "not stored: temperature, most tokens of a reply, configuration"
    assert item.questions == ("gen.temperature", "gen.max_tokens", "prompt.id")
    code = find(pack, "tripod-llm", "14f")
    assert (code.status, code.value) == (Status.PERSON, {"run.code_version": "0.1.0"})
    assert {"run.code_hash", "run.command"} <= {question.key for question in pack.form}


def test_a_field_that_one_of_two_runs_lacks_is_not_filled(make_run):
    pack = make_pack([make_run("a"), make_run("b", environment={}, system="openai/other")])
    item = find(pack, "tripod-llm", "14f")
    assert item.status is Status.PERSON
    assert "hash of the evaluating code (not recorded by run 02)" in item.reason


def test_standards_of_live_use_do_not_apply_to_an_offline_evaluation_and_name_their_stage(make_run):
    folder = make_run("a")
    offline, live, trial = (make_pack([folder], stage=stage) for stage in Stage)
    item = find(offline, "decide-ai", "4a")
    assert item.status is Status.NOT_APPLICABLE
    assert item.reason == "this standard is for live use; the runs are an offline evaluation"
    assert find(live, "decide-ai", "4a").status is Status.FILLED
    assert find(live, "consort-spirit-ai", "CONSORT-AI 5(i)").status is Status.NOT_APPLICABLE
    assert find(trial, "consort-spirit-ai", "CONSORT-AI 5(i)").status is Status.FILLED
    assert find(trial, "decide-ai", "4a").reason.endswith("the runs are a trial evaluation")


def test_every_question_stands_once_in_the_form_with_all_it_answers(pack):
    keys = [question.key for question in pack.form]
    assert len(set(keys)) == len(keys)
    asked = [(key, item.id) for item in pack.items for key in item.questions]
    listed = [(question.key, name) for question in pack.form for _, name in question.items]
    assert sorted(asked) == sorted(listed)


def test_the_card_is_about_the_product_alone(pack):
    item = find(pack, "chai-card", "TrustIngredients/AISystemFacts/FoundationModels")
    assert item.value == {"model.name": "model"}


def test_a_run_written_before_environments_were_recorded_still_makes_a_pack(make_run):
    folder = make_run("old")
    value = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    del value["environment"]
    (folder / RUN_FILE).write_text(json.dumps(value), encoding="utf-8")
    pack = make_pack([folder])
    assert "env.python" not in pack.tree.values
    assert pack.packages.recorded is False


def test_an_unknown_field_and_a_value_without_a_file_are_refused():
    tree = Tree()
    with pytest.raises(InternalError, match="no field"):
        tree.put("run.nothing", 1, ["run.json"])
    with pytest.raises(InternalError, match="no file"):
        tree.put("run.id", "x", [])
    tree.put("run.id", "", [])
    assert tree.get("run.id") is None


def test_a_long_value_is_cut_with_a_note():
    assert cut("x" * 300, 10) == "xxxxxxxxxx ... (290 more characters)"
    assert cut("a\n b\u202e") == "a b⟨U+202E⟩"
