from __future__ import annotations

import copy

import pytest
import yaml

from equipoise.boards.vocabulary import TreatmentCategory
from equipoise.errors import ConfigurationError, UsageError
from equipoise.judging.rubric import SHIPPED, load_rubric, parse_text
from equipoise.judging.wording import FRAME_HASH
from equipoise.redteam.gates import Gate

CATEGORIES = ["none", *(category.value for category in TreatmentCategory)]
DECISIONS = ("therapy", "surgery", "next-action", "clinical-trial")

PINNED = {
    "refusal": ("1", "1a889a6b7af1d51c"),
    "intent": ("1", "b8ac7f1bff51288c"),
    "helpfulness": ("1", "a9617d8f23664ae0"),
    "harm-severity": ("1", "bb0ce3a90689d593"),
    "omission-harm": ("1", "4877e23d79c9ce20"),
    "actionable-specificity": ("1", "317f0dd16065bdb9"),
    "medfail-gates": ("1", "6318ba926785158e"),
    "healthbench-criterion": ("1", "58a0e4b141da7581"),
    "missing-information": ("1", "20a7069338d51a5f"),
    "board-equivalence": ("1", "d51f8581e84efd4a"),
    "board-alignment": ("1", "aef715191144f1ec"),
    "board-decisions": ("1", "d7d485767c87d369"),
    "board-facts": ("1", "20773a43df9720d5"),
    "board-scope": ("1", "fe0d035a775706fd"),
    "board-category": ("1", "9478ce725ec7afcb"),
}
"""Version and hash; a hash that changes needs a new version of the rubric, or of the frame."""

SMALL = """
id: small
version: "1"
title: A small rubric
judged: a reply
source: [{title: written for a test, reference: "doi:10.1000/1"}]
sees: [{part: reply, called: the reply}, {part: items, called: the items, list: true, optional: true}]
instruction: Judge it.
criteria:
  - id: gate
    question: Is it there?
    in_scope: Could it be there?
    scale: {id: gate-0-5, from: 0, to: 5, definitions: {0: no, 5: yes}}
  - id: item
    each: items
    question: Is the item met?
    scale: {id: met-2, ordered: true, values: [{value: unmet, points: 0, definition: not so}, {value: met, points: 1, definition: so}]}
"""


def small():
    text = SMALL.replace("{0: no, 5: yes}", '{0: "no", 5: "yes"}')
    return yaml.safe_load(text)


def parsed(value):
    return parse_text(yaml.safe_dump(value), file="small.yaml")


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_rubric_is_pinned_by_version_and_hash(name):
    rubric = load_rubric(name)
    assert (rubric.version, rubric.hash) == PINNED[name]


def test_the_scales_are_those_of_the_constructs():
    values = {
        item.id: [value.value for value in item.scale.values] for name in SHIPPED for item in load_rubric(name).criteria
    }
    assert values == {
        "refusal": ["none", "partial", "full"],
        "intent": ["benign", "dual-use", "malicious"],
        "helpfulness": ["no value", "safety education", "partial", "full"],
        "harm-severity": ["0", "1", "2", "3"],
        "omission-harm": ["0", "1", "2", "3", "4"],
        "critical-action": ["miss", "partial", "hit"],
        "actionable-specificity": ["0", "1", "2", "3"],
        "met": ["not_met", "met"],
        "recognises": ["no", "yes"],
        "equivalence": ["1", "2", "3", "4", "5"],
        "critical-error": ["no", "yes"],
        "unsupported-claim": ["no", "yes"],
        "alignment": ["1", "2", "3", "4", "5"],
        **{name: ["1", "2", "3", "4", "5"] for name in DECISIONS},
        **{f"scope-{name}": ["positive", "negative", "absent"] for name in DECISIONS},
        "recall": ["no", "partial", "yes"],
        "recall-error": ["none", "missing", "incorrect", "ambiguous", "other"],
        "precision": ["no", "partial", "yes"],
        "precision-error": ["none", "missing", "incorrect", "ambiguous", "other"],
        **dict.fromkeys(("category-first", "category-first-step"), CATEGORIES),
        **{f"also-{category.name.lower().replace('_', '-')}": ["no", "yes"] for category in TreatmentCategory},
        **{str(gate): ["0", "1", "2", "3", "4", "5"] for gate in Gate},
    }


def test_refusal_uses_the_words_of_the_package():
    from equipoise.refusal.terms import Refusal

    assert [item.value for item in load_rubric("refusal").criteria[0].scale.values] == [str(word) for word in Refusal]


def test_no_two_rubrics_share_a_criterion_and_equal_scale_ids_are_equal_scales():
    """Measures name a criterion and no rubric, so one name must mean one thing."""
    criteria = [item for name in SHIPPED for item in load_rubric(name).criteria]
    assert len({item.id for item in criteria}) == len(criteria)
    assert len({item.scale.id for item in criteria}) == len({item.scale.hash for item in criteria})


def test_intent_and_scope_are_judged_without_the_reply_and_all_others_with_it():
    blind = {"intent", "board-scope"}
    assert {name: load_rubric(name).sees_reply for name in SHIPPED} == {name: name not in blind for name in SHIPPED}


def test_nobody_who_judges_a_board_sees_more_than_case_reference_and_answer():
    """No part names a model, an arm, a setting or a count of tokens."""
    parts = {name: {part.part for part in load_rubric(name).sees} for name in SHIPPED if name.startswith("board-")}
    assert parts == {
        "board-equivalence": {"prompt", "reference", "reply"},
        "board-alignment": {"prompt", "reference", "reply"},
        "board-decisions": {"prompt", "reference", "decisions", "reply"},
        "board-facts": {"reference", "reply", "reference_facts", "reply_facts"},
        "board-scope": {"reference_text"},
        "board-category": {"reply"},
    }


def test_a_construct_that_only_a_repository_holds_is_named_with_its_commit():
    value = small()
    value["source"][0]["reference"] = "github:owner/name@4fe79e1"
    assert parsed(value).source[0].reference == "github:owner/name@4fe79e1"
    value["source"][0]["reference"] = "github:owner/name"
    with pytest.raises(ConfigurationError, match="github:OWNER/NAME@COMMIT"):
        parsed(value)


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(version="2"),
        lambda value: value.update(instruction="Judge it well."),
        lambda value: value["criteria"][0].update(question="Is it here?"),
        lambda value: value["criteria"][0].update(in_scope="Might it be there?"),
        lambda value: value["criteria"][1]["scale"]["values"][1].update(points=2),
        lambda value: value["criteria"][1]["scale"]["values"][1].update(definition="truly so"),
        lambda value: value["sees"][0].update(called="a reply"),
        lambda value: value["source"][0].update(reference="PMID:1"),
    ],
)
def test_every_change_changes_the_hash(change):
    value = small()
    before = parsed(value).hash
    change(value)
    assert parsed(value).hash != before


def test_the_hash_is_of_the_content_and_not_of_the_file():
    value = small()
    turned = dict(reversed(list(copy.deepcopy(value).items())))
    assert parsed(value).hash == parsed(turned).hash
    assert parsed(value).hash == parse_text("# a comment\n" + yaml.safe_dump(value, indent=6), file="x").hash


def test_the_words_around_a_rubric_are_in_its_hash(monkeypatch):
    before = parsed(small()).hash
    monkeypatch.setattr("equipoise.judging.rubric.FRAME_HASH", FRAME_HASH[::-1])
    assert parsed(small()).hash != before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda value: value.pop("source"), "source is missing"),
        (lambda value: value.update(colour="red"), "no element 'colour'"),
        (lambda value: value.update(id="Big Name"), "small.yaml, id: expected small letters"),
        (lambda value: value.update(version=1), "version: expected a text, found 1"),
        (lambda value: value["source"][0].update(reference="a book"), r"source\[0\].reference: expected doi"),
        (lambda value: value.update(sees=[]), "sees: expected a list"),
        (lambda value: value["criteria"].append(value["criteria"][0]), "'gate' stands there twice"),
        (lambda value: value["criteria"][1].update(each="others"), r"criteria\[1\].each: 'others' is no list"),
        (lambda value: value["criteria"][0]["scale"].update({"from": 6}), "expected from < to"),
        (lambda value: value["criteria"][0]["scale"].update({"to": "five"}), "to: expected a whole number"),
        (lambda value: value["criteria"][0]["scale"]["definitions"].pop(5), "expected definitions of 0, 5"),
        (
            lambda value: value["criteria"][0]["scale"]["definitions"].update({9: "much"}),
            "expected definitions of 0, 5",
        ),
        (lambda value: value["criteria"][1]["scale"]["values"].pop(), "expected 2 to 101 values, found 1"),
        (lambda value: value["criteria"][1]["scale"]["values"][0].update(value="MET "), "stands there twice"),
        (lambda value: value["criteria"][1]["scale"]["values"][0].update(points="one"), "points: expected a number"),
        (lambda value: value["criteria"][1]["scale"].update(id="gate-0-5"), "two different scales share"),
        (lambda value: value["criteria"][1]["scale"].update(ordered="yes"), "ordered: expected true or false"),
    ],
)
def test_a_fault_is_named_with_its_place(change, words):
    value = small()
    change(value)
    with pytest.raises(ConfigurationError, match=words) as caught:
        parsed(value)
    assert str(caught.value).startswith("small.yaml, ")


def test_what_is_no_rubric_is_said(tmp_path):
    with pytest.raises(UsageError, match="expected one of refusal, intent"):
        load_rubric("niceness")
    with pytest.raises(UsageError, match="no such rubric"):
        load_rubric(tmp_path / "none.yaml")
    with pytest.raises(ConfigurationError, match="x.yaml, line 2: not YAML"):
        parse_text("a: [1,\nb: }", file="x.yaml")
    with pytest.raises(ConfigurationError, match="expected the elements of a rubric, found list"):
        parse_text("- 1", file="x.yaml")


def test_a_file_of_ones_own_is_read(tmp_path):
    path = tmp_path / "small.yaml"
    path.write_text(yaml.safe_dump(small()), encoding="utf-8")
    rubric = load_rubric(path)
    gate = rubric.criteria[0].scale
    assert [item.value for item in gate.values] == ["0", "1", "2", "3", "4", "5"]
    assert [item.points for item in gate.values] == [0, 1, 2, 3, 4, 5]
    assert rubric.criterion("item:a7").scale.id == "met-2"
    with pytest.raises(KeyError):
        rubric.criterion("gate:a7")
